#include "final.h"

#include "sustain.h"

#include "tuner/base/clock.h"
#include "tuner/spec/contents.h"

typedef struct Contest {
    Bench *bench;
    const TrialFinal *final;
    ReadyRun *runs;
    Sampler *samplers;
    size_t *order; /* of one round */
    double *times;
    TrialSustained *sustained;
    int batch; /* largest */
    Buf words;
} Contest;

/* Every finalist loaded, and ready to be sampled. */
static Outcome get_ready(Arena *a, Contest *c)
{
    const TrialFinal *f = c->final;
    Driver *v = c->bench->driver;
    DriverStatus reset = problem_reset(c->bench->problem);
    if (reset)
        return launch_status(v, reset, &c->words);
    for (size_t i = 0; i < f->run_count; i++) {
        Outcome status =
            ready_run(a, v, &f->runs[i], &c->bench->problem->places, &c->runs[i], &c->words);
        if (status != OUTCOME_OK)
            return status;
        DriverStatus s = sampler_open(&c->samplers[i], c->bench, &c->runs[i], f->cache != TASK_WARM,
                                      f->sample_ms, 0);
        if (s)
            return launch_status(v, s, &c->words);
        c->batch = c->samplers[i].batch > c->batch ? c->samplers[i].batch : c->batch;
        c->order[i] = i;
    }
    return OUTCOME_OK;
}

/* Another order for every round, the same in every run of the program: who comes after whom, and
 * who comes first, must not favour anybody.  (Fisher and Yates' shuffle.) */
static void shuffle(size_t *order, size_t count, int round)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(contents_bits((uint64_t)round, i) % i);
        size_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

/* A round below 0 is not kept. */
static DriverStatus run_round(Contest *c, int round)
{
    size_t n = c->final->run_count;
    DriverStatus s = DRIVER_OK;
    shuffle(c->order, n, round);
    for (size_t k = 0; s == DRIVER_OK && k < n; k++) {
        size_t i = c->order[k];
        double ms;
        s = sampler_take(&c->samplers[i], 1, &ms);
        if (s == DRIVER_OK && round >= 0)
            c->times[(size_t)round * n + i] = ms;
    }
    return s;
}

/* Brings code to the device, and its clocks up. */
static DriverStatus warm_up(Contest *c)
{
    double end = clock_seconds() + c->final->warm_s;
    DriverStatus s = run_round(c, -1);
    while (s == DRIVER_OK && clock_seconds() < end)
        s = run_round(c, -1);
    return s;
}

static DriverStatus sustain_all(Contest *c)
{
    DriverStatus s = DRIVER_OK;
    for (size_t i = 0; s == DRIVER_OK && i < c->final->run_count; i++)
        s = sustain(c->bench, &c->runs[i], c->final->sustain_s, &c->sustained[i]);
    return s;
}

static Outcome contest(Arena *a, Contest *c)
{
    Outcome status = get_ready(a, c);
    DriverStatus s = status == OUTCOME_OK ? warm_up(c) : DRIVER_OK;
    for (int round = 0; status == OUTCOME_OK && s == DRIVER_OK && round < c->final->rounds; round++)
        s = run_round(c, round);
    if (status == OUTCOME_OK && s == DRIVER_OK && c->final->sustain_s > 0)
        s = sustain_all(c);
    return status == OUTCOME_OK ? launch_status(c->bench->driver, s, &c->words) : status;
}

static void end_contest(Contest *c)
{
    for (size_t i = 0; i < c->final->run_count; i++) {
        sampler_close(&c->samplers[i]);
        ready_end(c->bench->driver, &c->runs[i]);
    }
}

bool final_run(Arena *a, Bench *b, const TrialFinal *f, TrialResult *r)
{
    size_t n = f->run_count, samples = n * (size_t)f->rounds;
    Contest c = {.bench = b,
                 .final = f,
                 .runs = ARENA_ARRAY(a, ReadyRun, n),
                 .samplers = ARENA_ARRAY(a, Sampler, n),
                 .order = ARENA_ARRAY(a, size_t, n),
                 .times = ARENA_ARRAY(a, double, samples),
                 .sustained = ARENA_ARRAY(a, TrialSustained, n)};
    *r = (TrialResult){.id = f->id, .status = contest(a, &c)};
    bool sound = launch_context_is_sound(r->status);
    if (sound)
        end_contest(&c);
    if (r->status == OUTCOME_OK) {
        r->times = c.times;
        r->time_count = samples;
        r->batch = c.batch;
        r->sustained = c.sustained;
        r->sustained_count = f->sustain_s > 0 ? n : 0;
    }
    r->health = nvml_health(b->nvml);
    r->words = arena_string(a, buf_text(&c.words));
    buf_free(&c.words);
    return sound;
}
