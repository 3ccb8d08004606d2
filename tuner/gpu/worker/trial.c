#include "sample.h"

#include "metrics/base/clock.h"
#include "tuner/gpu/sampling.h"
#include "tuner/spec/contents.h"

/* --- the cache ------------------------------------------------------------------------------ */

enum { FLUSH_LEAST = 1 << 20 };

static DriverStatus ensure_flush(Bench *b)
{
    if (b->flush)
        return DRIVER_OK;
    b->flush_bytes = b->l2_bytes > FLUSH_LEAST ? 2 * (size_t)b->l2_bytes : 2 * FLUSH_LEAST;
    driver_alloc(b->driver, b->flush_bytes, &b->flush);
    return driver_set_bytes(b->driver, b->flush, 0, b->flush_bytes);
}

static void flush(Bench *b)
{
    verify_touch(&b->problem->verifier, b->flush, b->flush_bytes);
}

/* --- one sample ----------------------------------------------------------------------------- */

static void ensure_events(Bench *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!b->events[i])
            driver_event_new(b->driver, &b->events[i]);
}

void sampler_submit(const Sampler *s)
{
    if (s->graph)
        driver_graph_launch(s->bench->driver, s->graph);
    for (int i = 0; !s->graph && i < s->batch; i++)
        ready_launch(s->bench->driver, s->run);
}

/* Restores buffers, flushes the L2 if needed, then submits the sample between two events. */
static void submit_sample(Sampler *s, DriverEvent *from, DriverEvent *to)
{
    Bench *b = s->bench;
    problem_reset(b->problem, RESET_CONTENTS);
    if (s->cold)
        flush(b);
    driver_event_record(b->driver, from);
    sampler_submit(s);
    driver_event_record(b->driver, to);
}

static DriverStatus take_queue(Sampler *s, size_t count, double *ms)
{
    Bench *b = s->bench;
    ensure_events(b, 2 * count);
    for (size_t i = 0; i < count; i++)
        submit_sample(s, b->events[2 * i], b->events[2 * i + 1]);
    if (!driver_status(b->driver))
        nvml_sample(b->nvml); /* while the device works */
    driver_wait(b->driver);
    for (size_t i = 0; i < count; i++) {
        double all_ms = 0;
        driver_event_ms(b->driver, b->events[2 * i], b->events[2 * i + 1], &all_ms);
        ms[i] = all_ms / s->batch;
    }
    return driver_status(b->driver);
}

/* Takes `count` samples, ms[i] being the time of one run. */
static DriverStatus sampler_take(Sampler *s, size_t count, double *ms)
{
    DriverStatus status = DRIVER_OK;
    for (size_t done = 0; status == DRIVER_OK && done < count; done += SAMPLE_QUEUE) {
        size_t left = count - done;
        status = take_queue(s, left < SAMPLE_QUEUE ? left : SAMPLE_QUEUE, ms + done);
    }
    return status;
}

/* Times a single run without restoring buffers. */
static DriverStatus sample_once(Bench *b, const ReadyRun *run, double *ms)
{
    ensure_events(b, 2);
    driver_event_record(b->driver, b->events[0]);
    ready_launch(b->driver, run);
    driver_event_record(b->driver, b->events[1]);
    driver_wait(b->driver);
    return driver_event_ms(b->driver, b->events[0], b->events[1], ms);
}

/* --- preparing ------------------------------------------------------------------------------ */

/* If no graph can be made, the launches are submitted one by one. */
static DriverStatus make_graph(Sampler *s)
{
    Driver *v = s->bench->driver;
    DriverGraph *graph;
    driver_capture(v);
    sampler_submit(s);
    driver_capture_end(v, &graph);
    s->graph = graph;
    driver_clear_error(v);
    return driver_status(v);
}

/* Launches of a run; a library call is assumed to make a few. */
static int64_t launches_of(const ReadyRun *run)
{
    enum { RIVALS_LAUNCHES = 4 };
    int64_t n = run->rival ? RIVALS_LAUNCHES : 0;
    for (size_t i = 0; i < run->launch_count; i++)
        n += run->launches[i].task->repeat > 0 ? run->launches[i].task->repeat : 1;
    return n > 0 ? n : 1;
}

static int batch_of(const Sampler *s, double sample_ms, double run_ms)
{
    int64_t most = SAMPLING_BATCH_MOST / launches_of(s->run);
    int batch = sampling_batch(sample_ms, run_ms);
    return most < 1 ? 1 : batch > most ? (int)most : batch;
}

/* The fastest of a few runs; the first is slow, since its code has to get to the device. */
static DriverStatus probe(Sampler *s, double *run_ms)
{
    enum { PROBES = 3 };
    double ms[PROBES];
    DriverStatus status = sampler_take(s, PROBES, ms);
    for (int i = 0; status == DRIVER_OK && i < PROBES; i++)
        *run_ms = i == 0 || ms[i] < *run_ms ? ms[i] : *run_ms;
    return status;
}

DriverStatus sampler_open(Sampler *s, Bench *b, const ReadyRun *run, bool cold, double sample_ms,
                          double run_ms)
{
    *s = (Sampler){.bench = b, .run = run, .cold = cold, .batch = 1};
    if (cold)
        return ensure_flush(b);
    if (problem_is_restored(b->problem) || run_ms >= sample_ms)
        return DRIVER_OK;
    DriverStatus status = probe(s, &run_ms);
    if (status || run_ms >= sample_ms)
        return status;
    s->run_ms = run_ms;
    s->batch = batch_of(s, sample_ms, run_ms);
    return s->batch > 1 ? make_graph(s) : DRIVER_OK;
}

void sampler_close(Sampler *s)
{
    if (s->bench)
        driver_graph_free(s->bench->driver, s->graph);
    *s = (Sampler){0};
}

/* --- a trial ---------------------------------------------------------------------------------- */

typedef VEC(double) Samples;

typedef struct Timing {
    Arena *arena;
    Bench *bench;
    Problem *problem;
    const Trial *trial;
    ReadyRun run;
    Samples times, warm; /* ms; if only warm times are taken, they are `times` */
    int batch;
    Buf *words;
} Timing;

/* --- the verified run ----------------------------------------------------------------------- */

/* Number of elements of an output to compare. */
static int64_t compared_of(const Trial *t, const Compared *c)
{
    int64_t all = c->task->count;
    int64_t n = (size_t)c->buffer < t->compared_count ? t->compared[c->buffer] : -1;
    return n < 0 || n > all ? all : n;
}

static DriverStatus compare_outputs(Timing *t, TrialResult *r)
{
    Problem *p = t->problem;
    TrialCheck *checks = ARENA_ARRAY(t->arena, TrialCheck, p->output_count);
    for (size_t i = 0; i < p->output_count; i++) {
        DriverStatus s = verify_compare(&p->verifier, &p->outputs[i],
                                        compared_of(t->trial, &p->outputs[i]), &checks[i]);
        if (s)
            return s;
        if (checks[i].wrong == 0)
            continue;
        if (t->words->size)
            buf_puts(t->words, "\n");
        verify_explain(&p->outputs[i], &checks[i], t->words);
        r->status = OUTCOME_WRONG;
    }
    r->checks = checks;
    r->check_count = p->output_count;
    r->verified = true;
    return DRIVER_OK;
}

static bool is_verified(const Timing *t)
{
    return t->trial->verify && t->problem->output_count > 0;
}

static DriverStatus verified_run(Timing *t, TrialResult *r)
{
    DriverStatus s = problem_reset(t->problem, RESET_ALL);
    if (s || !is_verified(t))
        return s;
    s = sample_once(t->bench, &t->run, &r->first_ms);
    return s ? s : compare_outputs(t, r);
}

/* Verifies again after the timed runs: a kernel that reuses results in its scratch would have been timed
 * doing nothing. */
static DriverStatus verified_again(Timing *t, TrialResult *r)
{
    if (!is_verified(t) || r->time_count == 0)
        return DRIVER_OK;
    problem_reset(t->problem, RESET_OUTPUTS);
    ready_launch(t->problem->driver, &t->run);
    DriverStatus s = compare_outputs(t, r);
    if (!s && r->status == OUTCOME_WRONG)
        buf_puts(t->words, "\nonly after the timed runs, not in the first run");
    return s;
}

/* --- the timed runs ------------------------------------------------------------------------- */

static void warm_up(Timing *t)
{
    for (int i = 0; i < t->trial->warmups; i++) {
        problem_reset(t->problem, RESET_CONTENTS);
        ready_launch(t->problem->driver, &t->run);
    }
}

/* Takes samples, with a warm or a cold L2, until they are enough. */
static void take_samples(Timing *t, bool cold, double run_ms, Samples *out)
{
    const TaskSampling *x = &t->trial->sampling;
    Sampler sampler;
    DriverStatus s = sampler_open(&sampler, t->bench, &t->run, cold, x->sample_ms, run_ms);
    for (size_t more;
         s == DRIVER_OK && (more = sampling_more(x, out->at, out->count, sampler.batch)) > 0;) {
        const size_t before = out->count;
        for (size_t i = 0; i < more; i++)
            VEC_PUSH(t->arena, out, 0);
        s = sampler_take(&sampler, more, out->at + before);
        out->count -= s == DRIVER_OK ? 0 : more;
    }
    t->batch = sampler.batch;
    sampler_close(&sampler);
}

static DriverStatus timed_runs(Timing *t, double first_ms)
{
    if (t->trial->sampling.least == 0)
        return DRIVER_OK;
    warm_up(t);
    if (t->trial->cache != TASK_COLD)
        take_samples(t, false, first_ms, t->trial->cache == TASK_WARM ? &t->times : &t->warm);
    if (t->trial->cache != TASK_WARM)
        take_samples(t, true, first_ms, &t->times);
    return driver_wait(t->problem->driver);
}

static void store_times(Timing *t, TrialResult *r)
{
    r->times = t->times.at;
    r->time_count = t->times.count;
    r->warm_times = t->warm.at;
    r->warm_count = t->warm.count;
    r->batch = t->batch;
}

static DriverStatus sustained_runs(Timing *t, TrialResult *r)
{
    TrialSustained *x = ARENA_NEW(t->arena, TrialSustained);
    DriverStatus s = sustain(t->arena, t->bench, &t->run, t->trial->sustain_s, x);
    r->sustained = x;
    r->sustained_count = s == DRIVER_OK;
    return s;
}

/* --- one trial ------------------------------------------------------------------------------ */

static void name_rival(Timing *t, TrialResult *r)
{
    const AptuneRival *rival = t->run.rival;
    r->title = rival ? arena_string(t->arena, rival->title) : "";
    r->details = rival ? arena_string(t->arena, rival->details) : "";
}

/* True if no protected memory was written. */
static bool left_clean(Timing *t, TrialResult *r)
{
    const char *what;
    if (problem_check(t->problem, &what) != DRIVER_OK) {
        r->status = launch_status(t->problem->driver, t->words);
        return false;
    }
    if (!what)
        return true;
    r->status = OUTCOME_WRONG;
    buf_printf(t->words, "%s%s wrote %s", t->words->size ? "\n" : "",
               t->run.rival ? "the rival" : "the kernel", what);
    return false;
}

static Outcome measure(Timing *t, TrialResult *r)
{
    Driver *v = t->problem->driver;
    Outcome status = ready_run(t->arena, v, t->trial->runs, &t->problem->places, &t->run, t->words);
    name_rival(t, r);
    if (status != OUTCOME_OK)
        return status;
    DriverStatus s = verified_run(t, r);
    if (!s && r->status == OUTCOME_OK)
        s = timed_runs(t, r->first_ms);
    store_times(t, r);
    if (!s && r->status == OUTCOME_OK && t->trial->sustain_s > 0)
        s = sustained_runs(t, r);
    if (!s && r->status == OUTCOME_OK)
        s = verified_again(t, r);
    return s ? launch_status(v, t->words) : r->status;
}

static bool run_one(Arena *a, Bench *b, const Trial *trial, TrialResult *r, Buf *words)
{
    Timing t = {.arena = a, .bench = b, .problem = b->problem, .trial = trial, .words = words};
    r->status = measure(&t, r);
    bool sound = launch_context_is_sound(r->status);
    if (r->status == OUTCOME_OK || r->status == OUTCOME_WRONG)
        sound = left_clean(&t, r);
    if (sound)
        ready_end(b->driver, &t.run);
    return sound;
}

/* --- finalists against each other ------------------------------------------------------------- */

typedef struct Final {
    Bench *bench;
    const Trial *final;
    ReadyRun *runs;
    Sampler *samplers;
    size_t *order; /* of one round */
    double *times;
    TrialSustained *sustained;
    int batch; /* largest */
    Buf *words;
} Final;

/* Loads all finalists and prepares sampling them. */
static Outcome prepare_final(Arena *a, Final *c)
{
    const Trial *f = c->final;
    Driver *v = c->bench->driver;
    if (problem_reset(c->bench->problem, RESET_ALL) != DRIVER_OK)
        return launch_status(v, c->words);
    for (size_t i = 0; i < f->run_count; i++) {
        Outcome status =
            ready_run(a, v, &f->runs[i], &c->bench->problem->places, &c->runs[i], c->words);
        if (status != OUTCOME_OK)
            return status;
        if (sampler_open(&c->samplers[i], c->bench, &c->runs[i], f->cache != TASK_WARM,
                         f->sampling.sample_ms, 0) != DRIVER_OK)
            return launch_status(v, c->words);
        c->batch = c->samplers[i].batch > c->batch ? c->samplers[i].batch : c->batch;
        c->order[i] = i;
    }
    return OUTCOME_OK;
}

/* A random order for every round, so that neither the first place nor the predecessor favours a finalist; the
 * same in every run of the program.  (Fisher-Yates shuffle.) */
static void shuffle(size_t *order, size_t count, int round)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(contents_bits((uint64_t)round, i) % i);
        size_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

/* Times of a round below 0 are not kept. */
static void run_round(Final *c, int round)
{
    size_t n = c->final->run_count;
    shuffle(c->order, n, round);
    for (size_t k = 0; k < n; k++) {
        size_t i = c->order[k];
        double ms = 0;
        sampler_take(&c->samplers[i], 1, &ms);
        if (round >= 0)
            c->times[i * (size_t)c->final->rounds + (size_t)round] = ms;
    }
}

static Outcome time_finalists(Arena *a, Final *c)
{
    Driver *v = c->bench->driver;
    Outcome status = prepare_final(a, c);
    if (status != OUTCOME_OK)
        return status;
    const double end = clock_seconds() + c->final->warm_s;
    do
        run_round(c, -1); /* loads the code and raises the clocks */
    while (!driver_status(v) && clock_seconds() < end);
    for (int round = 0; !driver_status(v) && round < c->final->rounds; round++)
        run_round(c, round);
    for (size_t i = 0; c->final->sustain_s > 0 && i < c->final->run_count; i++)
        sustain(a, c->bench, &c->runs[i], c->final->sustain_s, &c->sustained[i]);
    return launch_status(v, c->words);
}

static void end_final(Final *c)
{
    for (size_t i = 0; i < c->final->run_count; i++) {
        sampler_close(&c->samplers[i]);
        ready_end(c->bench->driver, &c->runs[i]);
    }
}

static bool run_final(Arena *a, Bench *b, const Trial *f, TrialResult *r, Buf *words)
{
    size_t n = f->run_count, samples = n * (size_t)f->rounds;
    Final c = {.bench = b,
               .final = f,
               .runs = ARENA_ARRAY(a, ReadyRun, n),
               .samplers = ARENA_ARRAY(a, Sampler, n),
               .order = ARENA_ARRAY(a, size_t, n),
               .times = ARENA_ARRAY(a, double, samples),
               .sustained = ARENA_ARRAY(a, TrialSustained, n),
               .words = words};
    r->status = time_finalists(a, &c);
    bool sound = launch_context_is_sound(r->status);
    if (sound)
        end_final(&c);
    if (r->status == OUTCOME_OK) {
        r->times = c.times;
        r->time_count = samples;
        r->batch = c.batch;
        r->sustained = c.sustained;
        r->sustained_count = f->sustain_s > 0 ? n : 0;
    }
    return sound;
}

bool trial_run(Arena *a, Bench *b, const Trial *t, TrialResult *r)
{
    Buf words = {0};
    *r = (TrialResult){.id = t->id, .status = OUTCOME_OK};
    driver_clear_error(b->driver);
    const bool sound = (t->rounds > 0 ? run_final : run_one)(a, b, t, r, &words);
    r->health = nvml_health(b->nvml);
    r->words = buf_keep(&words, a);
    return sound;
}
