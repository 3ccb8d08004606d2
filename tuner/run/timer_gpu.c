/* Measures times on the GPUs.
 *
 * The problem is set once on each. Configurations then go as trials to any GPU with room, and their
 * outcomes are recorded as they come: a run that is stopped, however that happens, can be
 * continued. When a GPU is lost, the others repeat its trials in flight. */
#include "tuner/run/timer.h"

#include "metrics/base/clock.h"
#include "tuner/run/compiling.h"

enum {
    IN_FLIGHT = 2,        /* trials queued per GPU, so that it never waits */
    PREFETCHED = 4,       /* configurations per GPU whose code is fetched in advance */
    SENTINEL_EVERY = 250, /* results of a GPU between two timings of the sentinel */
    MAX_KILLS = 3         /* how often one trial may see its GPU process killed from outside or its
                             device lost */
};

/* An idle GPU runs at a fraction of its clock; a second of load raises it (seen on the H200: the
 * same kernel took 0.048 ms at first and 0.013 ms after some seconds of load). */
static const double warm_up_s = 1.0;

/* Identifiers of trials that are not outcomes, which are identified by their configuration. */
enum { SENTINEL_ID = -1, WARM_UP_ID = -2 };

typedef struct Lane {
    RunGpu *device;
    int number;            /* in the recording */
    double warm_at;        /* when its clocks are up; 0: not loaded yet */
    bool warm;             /* clocks are up */
    size_t since_sentinel; /* results since then */
    bool lost;
} Lane;

typedef struct Session {
    Run *run;
    Compiling *fetcher;
    RecordHeader header;
    TimesWriter *writer;
    const TimesRecording *existing; /* outcomes of an earlier run; may be NULL */
    Lane *lanes;
    size_t lane_count;
    VEC(size_t) todo;         /* configurations to time; those of a lost GPU are appended again */
    size_t fetched;           /* number of them given to the fetcher */
    VEC(size_t) ended;        /* configurations with an outcome */
    size_t taken;             /* number of them that were reported */
    size_t done, all;         /* outcomes so far; of configurations added */
    const Fetched *sentinel;  /* timed now and then on every GPU, once proven; NULL: none yet */
    bool proven;              /* the sentinel ran right */
    VEC(unsigned char) kills; /* per configuration */
    Arena *scratch;
    bool failed;
} Session;

/* --- trials out ------------------------------------------------------------------------------- */

static void submit(Session *s, Lane *lane, const Fetched *x, int64_t id)
{
    bool verify = id >= 0 && spec_is_verified(s->run->spec);
    Trial t = {.id = id,
               .runs = &x->run,
               .run_count = 1,
               .compared = x->compared,
               .compared_count = x->compared_count,
               .verify = verify,
               .warmups = verify ? 0 : 1};
    run_shape_trial(s->run, &t);
    t.sampling.best_ms *= s->run->table->work[x->config];
    if (id == WARM_UP_ID) /* a trial that never ends must not cost its time limit twice */
        t.limit_s = fmin(t.limit_s, 2 * warm_up_s);
    gpu_submit(lane->device->gpu, &t);
}

/* Loads a cold GPU with a configuration whose results are discarded. Returns true once it is warm. */
static bool warm_up(Session *s, Lane *lane, const Fetched *x)
{
    if (lane->warm_at == 0)
        lane->warm_at = clock_seconds() + warm_up_s;
    lane->warm = lane->warm || clock_seconds() >= lane->warm_at;
    if (!lane->warm)
        submit(s, lane, x, WARM_UP_ID);
    return lane->warm;
}

static void end_config(Session *s, size_t i)
{
    s->done++;
    VEC_PUSH(s->run->arena, &s->ended, i);
}

/* The code of a configuration is no longer available: its own failure. */
static void take_failure(Session *s, const Fetched *x)
{
    Run *r = s->run;
    Table *t = r->table;
    t->outcome[x->config] = OUTCOME_COMPILE_ERROR;
    t->why[x->config] = arena_string(r->arena, x->failure);
    end_config(s, x->config);
    s->failed = !run_append_row(r, s->writer, &s->header, x->config) || s->failed;
}

/* Gives work to a GPU with room; false: nothing to do. */
static bool feed_lane(Session *s, Lane *lane)
{
    if (lane->lost || gpu_pending(lane->device->gpu) >= IN_FLIGHT)
        return false;
    if (s->proven && lane->since_sentinel >= SENTINEL_EVERY) {
        lane->since_sentinel = 0;
        submit(s, lane, s->sentinel, SENTINEL_ID);
        return true;
    }
    const Fetched *x = compiling_first(s->fetcher);
    if (!x)
        return false;
    if (x->failure) {
        take_failure(s, x);
    } else if (!lane->warm && !warm_up(s, lane, x)) {
        return true;
    } else {
        submit(s, lane, x, (int64_t)x->config);
        if (!s->sentinel) { /* the first configuration timed may become the sentinel */
            s->sentinel = x;
            compiling_keep(s->fetcher, x);
            return true;
        }
    }
    compiling_release(s->fetcher, x);
    return true;
}

/* --- results in ------------------------------------------------------------------------------- */

static void lose_gpu(Session *s, Lane *lane, const char *words)
{
    if (lane->lost)
        return;
    lane->lost = true;
    diag_warn(s->run->diag, (Span){0}, "GPU %d is lost: %s", lane->device->ordinal, words);
}

static void take_sentinel(Session *s, const Lane *lane, const TrialResult *t)
{
    Run *r = s->run;
    if (t->status != OUTCOME_OK)
        return;
    run_note_sentinel(r, t);
    RecordRow row = {.values = run_record_values(s->scratch, r, &s->header, s->sentinel->config),
                     .times_ms = timer_rounded(s->scratch, t->times, t->time_count),
                     .time_count = t->time_count,
                     .device = lane->number};
    s->failed = !times_append_sentinel(s->writer, &row, r->diag) || s->failed;
}

static void tell_progress(const Session *s)
{
    const Run *r = s->run;
    const RunWatch *w = &r->watch;
    const char *best = w->best_ms == 0 ? "none correct yet"
                                       : arena_printf(s->scratch, "best %.4g ms: %s",
                                                      r->table->times[w->best].median,
                                                      table_name(s->scratch, r->table, w->best));
    run_progress(r, "time", s->done, s->all, best);
}

static void take_outcome(Session *s, Lane *lane, const TrialResult *x)
{
    Run *r = s->run;
    size_t i = (size_t)x->id;
    Table *t = r->table;
    t->outcome[i] = x->status;
    t->why[i] = arena_string(r->arena, x->words);
    t->trial[i].max_error = record_round(run_worst_error(x));
    t->trial[i].seconds = x->seconds;
    t->trial[i].device = lane->number;
    timer_take_times(r, i, &t->times[i], x->times, x->time_count);
    timer_take_times(r, i, &t->warm[i], x->warm_times, x->warm_count);
    s->failed =
        !run_take_joules(r, i, x->sustained_count ? x->sustained[0].joules : 0) || s->failed;
    run_note_time(r, i);
    if (x->status == OUTCOME_SKIPPED && r->watch.lost++ == 0)
        r->watch.lost_why = r->table->why[i];
    if (s->sentinel && !s->proven && i == s->sentinel->config) {
        s->proven = x->status == OUTCOME_OK;
        if (!s->proven) {
            compiling_release(s->fetcher, s->sentinel);
            s->sentinel = NULL;
        }
    }
    lane->since_sentinel++;
    lane->device->outcomes++;
    end_config(s, i);
    s->failed = !run_append_row(r, s->writer, &s->header, i) || s->failed;
    tell_progress(s);
}

/* Batches may vary between samples, as in finals; the largest is reported for all, so limit the
 * product to the trial's duration. */
static void charge(Lane *lane, const TrialResult *t)
{
    double timed_s = 0;
    for (size_t k = 0; k < t->time_count && t->id != WARM_UP_ID; k++)
        timed_s += 1e-3 * t->times[k] * t->batch;
    lane->device->busy_s += t->seconds;
    lane->device->timed_s += fmin(timed_s, t->seconds);
}

/* True if a result says nothing about its configuration: it is then timed again, a few times. */
static bool is_accident(Session *s, const TrialResult *t)
{
    bool suspect = t->killed || t->status == OUTCOME_SKIPPED;
    while (suspect && s->kills.count <= (size_t)t->id)
        VEC_PUSH(s->run->arena, &s->kills, 0);
    return suspect && ++s->kills.at[t->id] < MAX_KILLS;
}

static void take_result(Session *s, Lane *lane, const TrialResult *t)
{
    charge(lane, t);
    run_note_trial(s->run, t);
    if (t->status == OUTCOME_SKIPPED && gpu_lost(lane->device->gpu)) {
        lose_gpu(s, lane, t->words);
        if (t->id >= 0)
            VEC_PUSH(s->run->arena, &s->todo, (size_t)t->id);
    } else if (t->id == WARM_UP_ID) {
        lane->warm = lane->warm || t->status != OUTCOME_OK; /* its own trial will show the error */
    } else if (t->id == SENTINEL_ID) {
        take_sentinel(s, lane, t);
    } else if (is_accident(s, t)) {
        VEC_PUSH(s->run->arena, &s->todo, (size_t)t->id);
    } else {
        take_outcome(s, lane, t);
    }
}

static bool poll_lane(Session *s, Lane *lane)
{
    TrialResult t;
    bool any = gpu_next(lane->device->gpu, s->scratch, &t);
    if (any)
        take_result(s, lane, &t);
    arena_reset(s->scratch);
    return any;
}

/* --- the loop --------------------------------------------------------------------------------- */

static size_t trials_pending(const Session *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->lane_count; i++)
        n += gpu_pending(s->lanes[i].device->gpu);
    return n;
}

/* The first GPU that is not lost; NULL: none. */
static Lane *first_usable(Session *s)
{
    for (size_t i = 0; i < s->lane_count; i++)
        if (!s->lanes[i].lost)
            return &s->lanes[i];
    return NULL;
}

static void gpu_timer_await(void *state, Waits *w)
{
    const Session *s = state;
    compiling_await(s->fetcher, w);
    for (size_t i = 0; i < s->lane_count; i++)
        if (gpu_pending(s->lanes[i].device->gpu) > 0)
            gpu_await(s->lanes[i].device->gpu, w);
}

/* Does what is possible without waiting; sets `*news` if that was anything. */
static bool advance(Session *s, bool *news)
{
    *news = false;
    if (run_stopped(s->run))
        return false;
    while (s->fetched < s->todo.count && compiling_has_room(s->fetcher))
        compiling_add(s->fetcher, s->todo.at[s->fetched++]);
    if (!compiling_service(s->fetcher))
        return false;
    for (size_t i = 0; i < s->lane_count && !s->failed; i++) {
        *news = feed_lane(s, &s->lanes[i]) || *news;
        *news = poll_lane(s, &s->lanes[i]) || *news;
    }
    if (s->failed)
        return false;
    return first_usable(s) || trials_pending(s) > 0 ||
           diag_fail(s->run->diag, "no GPU is left to go on with");
}

/* --- outcomes of an earlier run --------------------------------------------------------------- */

/* A complete recording also has the configurations that did not compile. */
static bool record_failures(Session *s)
{
    Run *r = s->run;
    for (size_t i = 0; i < r->table->count; i++) {
        if (table_failed_to_compile(r->table, i) && !run_recorded_row(r, s->existing, i) &&
            !run_append_row(r, s->writer, &s->header, i))
            return false;
    }
    return true;
}

/* Takes the outcome of an earlier run; false: there is none for this code. */
static bool take_existing(Session *s, size_t i)
{
    const RecordRow *row = run_recorded_row(s->run, s->existing, i);
    if (!row || row->status == OUTCOME_SKIPPED || !run_same_code(s->run, i, row))
        return false;
    timer_take_row(s->run, i, row);
    run_note_time(s->run, i);
    s->run->counts.resumed++;
    return true;
}

/* --- the timer -------------------------------------------------------------------------------- */

static const size_t *gpu_known(void *state, size_t *count)
{
    const Session *s = state;
    Run *r = s->run;
    VEC(size_t) known = {0};
    for (size_t k = 0; s->existing && k < s->existing->rows.count; k++) {
        const RecordRow *row = &s->existing->rows.at[k];
        size_t i = run_row_of(r, &s->existing->header, row);
        if (i != SIZE_MAX && run_recorded_row(r, s->existing, i) == row &&
            row->status != OUTCOME_SKIPPED)
            VEC_PUSH(r->arena, &known, i);
    }
    *count = known.count;
    return known.at;
}

static size_t gpu_busy(const void *state)
{
    const Session *s = state;
    return s->todo.count - s->fetched + compiling_count(s->fetcher) + trials_pending(s);
}

/* A trial waits while another runs, so that the GPU always has a next one. */
static bool gpu_wants(const void *state)
{
    const Session *s = state;
    size_t all = 0;
    for (size_t i = 0; i < s->lane_count; i++)
        all += s->lanes[i].lost ? 0 : IN_FLIGHT;
    return gpu_busy(s) < all;
}

static void gpu_add(void *state, size_t config)
{
    Session *s = state;
    s->all++;
    if (take_existing(s, config))
        end_config(s, config);
    else
        VEC_PUSH(s->run->arena, &s->todo, config);
}

static bool gpu_service(void *state)
{
    bool news = true;
    while (news)
        if (!advance(state, &news))
            return false;
    return true;
}

static bool gpu_take(void *state, size_t *config)
{
    Session *s = state;
    if (s->taken == s->ended.count)
        return false;
    *config = s->ended.at[s->taken++];
    return true;
}

/* Allows rounds that take twice as long as the medians say, and time for loading. */
static double final_limit(const Run *r, const RunFinal *f)
{
    double round_s = 0;
    EACH (const Finalist, x, f->list, f->count)
        round_s += 1e-3 * fmax(r->table->times[x->config].median, run_sample_ms);
    return 20 + (double)f->count + 2 * (f->rounds + 8) * round_s;
}

static bool fetch_finalists(Session *s, const RunFinal *f, TaskRun *runs)
{
    Arena *a = s->run->arena;
    Fetched *x = ARENA_ARRAY(a, Fetched, f->count);
    size_t *list = ARENA_ARRAY(a, size_t, f->count);
    for (size_t k = 0; k < f->count; k++)
        list[k] = f->list[k].config;
    if (!run_fetch_all(s->run, a, list, f->count, x))
        return false;
    for (size_t k = 0; k < f->count; k++) {
        if (x[k].failure)
            return diag_fail(s->run->diag, "a finalist has no code: %s", x[k].failure);
        runs[k] = x[k].run;
    }
    return true;
}

static bool record_final(Session *s, const RunFinal *f, const Lane *lane)
{
    const int number = s->existing ? run_final_latest(s->existing) + 1 : 1;
    bool ok = true;
    for (size_t k = 0; ok && k < f->count; k++) {
        const Finalist *x = &f->list[k];
        RecordRow row = {.values = run_record_values(s->scratch, s->run, &s->header, x->config),
                         .times_ms = x->times_ms,
                         .time_count = (size_t)f->rounds,
                         .device = lane->number};
        ok = times_append_final(s->writer, &row, number, s->run->diag);
    }
    return ok;
}

/* Runs a final on one GPU, since only times of one device are comparable. A killed trial is
 * repeated, a lost one moved to the next GPU. `*lane` becomes the last one tried, NULL if none was
 * left. False when stopped. */
static bool run_contest(Session *s, const Trial *f, TrialResult *out, Lane **lane)
{
    *lane = NULL;
    for (int kills = 0; kills < MAX_KILLS && first_usable(s);) {
        *lane = first_usable(s);
        Gpu *g = (*lane)->device->gpu;
        gpu_submit(g, f);
        if (!run_gpu_next(s->run, g, s->scratch, out))
            return false;
        charge(*lane, out);
        health_note(&s->run->watch.health, &out->health);
        if (gpu_lost(g))
            lose_gpu(s, *lane, out->words);
        else if (out->killed || out->status == OUTCOME_SKIPPED)
            kills++;
        else
            break;
    }
    return true;
}

/* If a final fails, the earlier times decide. */
static bool gpu_final(void *state, RunFinal *f)
{
    Session *s = state;
    Run *r = s->run;
    Lane *lane;
    TrialResult result;
    TaskRun *runs = ARENA_ARRAY(r->arena, TaskRun, f->count);
    const size_t rounds = (size_t)f->rounds;
    Trial t = {.runs = runs,
               .run_count = f->count,
               .rounds = f->rounds,
               .cache = r->l2,
               .sampling.sample_ms = run_sample_ms,
               .limit_s = final_limit(r, f)};
    if (!fetch_finalists(s, f, runs) || !run_contest(s, &t, &result, &lane))
        return false;
    bool ok = true;
    if (lane && result.status == OUTCOME_OK && result.time_count == f->count * rounds) {
        for (size_t k = 0; k < f->count; k++)
            f->list[k].times_ms = timer_rounded(r->arena, result.times + k * rounds, rounds);
        ok = record_final(s, f, lane);
    } else {
        f->rounds = 0;
        if (lane)
            diag_warn(r->diag, (Span){0}, "the finalists could not be timed again (%s): %s",
                      outcome_name(result.status), result.words);
    }
    arena_reset(s->scratch);
    return ok;
}

static bool gpu_record(void *state, size_t config)
{
    Session *s = state;
    return run_append_row(s->run, s->writer, &s->header, config);
}

static bool gpu_end(void *state)
{
    Session *s = state;
    bool rest = s->run->options.shards > 1 && !s->run->stopped && !s->failed && s->writer;
    bool ok = !rest || timer_append_rest(s->run, s->writer, &s->header, s->existing);
    ok = times_close(s->writer, s->run->diag) && ok;
    compiling_close(s->fetcher);
    arena_free(s->scratch);
    return ok;
}

/* Records each GPU once. */
static bool open_lanes(Session *s)
{
    Run *r = s->run;
    s->lanes = ARENA_ARRAY(r->arena, Lane, r->gpu_count);
    for (size_t i = 0; i < r->gpu_count; i++) {
        const GpuFacts *facts = gpu_facts(r->gpus[i].gpu);
        RecordDevice x = {
            .ordinal = r->gpus[i].ordinal, .name = facts->device.name, .uuid = facts->uuid};
        int number = times_append_device(s->writer, &x, r->diag);
        if (number == 0)
            return false;
        s->lanes[s->lane_count++] = (Lane){.device = &r->gpus[i], .number = number};
    }
    s->fetcher = compiling_open(r, PREFETCHED * r->gpu_count, false);
    return true;
}

bool timer_gpu_open(Run *r, Timer *out)
{
    Session *s = ARENA_COPY(r->arena, Session, {.run = r, .scratch = arena_new()});
    *out = (Timer){.state = s,
                   .add = gpu_add,
                   .busy = gpu_busy,
                   .service = gpu_service,
                   .await = gpu_timer_await,
                   .wants = gpu_wants,
                   .take = gpu_take,
                   .known = gpu_known,
                   .final = gpu_final,
                   .record = gpu_record,
                   .close = gpu_end};
    bool ok = run_choose_l2(r);
    s->header = run_record_header(r);
    s->writer = ok ? run_open_recording(r, &s->header, &s->existing) : NULL;
    ok = s->writer && run_write_profiles(r, &s->header) && run_set_problem(r) && open_lanes(s) &&
         record_failures(s);
    if (!ok)
        gpu_end(s);
    return ok;
}
