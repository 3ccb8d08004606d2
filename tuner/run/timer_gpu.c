/* Times measured on the GPU.
 *
 * The problem is set once, then each configuration is a trial whose outcome goes into the run's own
 * recording as it comes, so that a run which is stopped goes on where it was. */
#include "tuner/run/timer.h"

#include "metrics/base/clock.h"
#include "metrics/base/file.h"

#include <math.h>
#include <string.h>

enum {
    RUNS = 2,            /* timed runs of every trial */
    EXTRA_RUNS = 5,      /* more for those near the best */
    IN_FLIGHT = 2,       /* trials queued, so that the GPU never waits for us */
    SENTINEL_EVERY = 250 /* results between two timings of the same configuration */
};

/* Trials within this of the best are timed more often. */
static const double near_factor = 1.5;

/* Longest a trial may take, loading and verification included. */
static const double trial_limit_s = 20;

/* --- measuring
 * ------------------------------------------------------------------------------------------------
 */

typedef struct Session {
    Run *run;
    Farm *farm;
    const TaskArgument *arguments;
    RecordHeader header;
    TimesWriter *writer;
    const TimesRecording *existing; /* what an earlier run left; NULL: nothing */
    const size_t *list;             /* configurations to time now */
    size_t count, fetched, done;
    double best_ms;  /* so far; 0: none */
    size_t sentinel; /* configuration timed now and then; SIZE_MAX: none yet */
    size_t since_sentinel;
    bool warm; /* the clocks are up */
    Arena *scratch;
    bool failed;
} Session;

enum { SENTINEL_ID = -1, WARM_UP_ID = -2 };

/* An idle GPU runs at a fraction of its clock; a second of load brings it up (seen on the H200: the
 * same kernel 0.048 ms at first and 0.013 ms after some seconds of load). */
static const double warm_up_s = 1.0;

static void note_best(Session *s, size_t i)
{
    double ms = s->run->configs[i].median;
    if (!isnan(ms) && (s->best_ms == 0 || ms < s->best_ms))
        s->best_ms = ms;
}

/* All launches of a configuration with the code they come from. */
static bool make_run(Session *s, size_t i, TaskRun *out)
{
    Run *r = s->run;
    size_t n = r->spec->launch_count;
    TaskModule *modules = ARENA_ARRAY(s->scratch, TaskModule, n);
    TaskLaunch *launches = ARENA_ARRAY(s->scratch, TaskLaunch, n);
    for (size_t l = 0; l < n; l++) {
        CompileJob *job = ARENA_NEW(s->scratch, CompileJob);
        CompileResult res;
        *job = run_job(s->scratch, r, i, l, NULL, 0);
        farm_add(s->farm, l, job);
        if (!farm_next(s->farm, s->scratch, &res, r->diag))
            return false;
        if (res.status != COMPILE_OK) /* it did before: the cache lost it, and now it fails */
            return diag_fail(r->diag, "%s does not compile any more: %s",
                             run_config_name(s->scratch, r, i), res.log);
        modules[l] = (TaskModule){res.cubin, res.cubin_size};
        run_task_launch(&r->spec->launches[l], &r->configs[i].geometry[l], s->arguments,
                        r->spec->argument_count, &launches[l]);
        launches[l].module = (int)l;
    }
    *out = (TaskRun){modules, n, launches, n};
    return true;
}

static bool submit(Session *s, size_t i, int64_t id)
{
    Trial t = {.id = id,
               .verify = id >= 0 && s->run->spec->reference,
               .warmups = id >= 0 && s->run->spec->reference ? 0 : 1,
               .runs = RUNS,
               .extra_runs = EXTRA_RUNS,
               .factor = near_factor,
               .best_ms = s->best_ms,
               .limit_s = trial_limit_s};
    bool ok = make_run(s, i, &t.run);
    if (ok)
        gpu_submit(s->run->gpu, &t);
    arena_reset(s->scratch);
    return ok;
}

static void take_trial(Session *s, const TrialResult *t)
{
    Run *r = s->run;
    if (t->id == SENTINEL_ID) {
        if (t->status == TRIAL_OK)
            times_append_sentinel(
                s->writer,
                &(RecordRow){.values = run_record_values(s->scratch, r, &s->header, s->sentinel),
                             .times_ms = timer_rounded(s->scratch, t->times, t->time_count),
                             .time_count = t->time_count},
                r->diag);
        return;
    }
    size_t i = (size_t)t->id;
    Config *c = &r->configs[i];
    c->timed = true;
    c->status = t->status;
    c->words = arena_string(r->arena, t->words);
    for (size_t k = 0; k < t->check_count; k++) {
        double error = t->checks[k].scale > 0 ? t->checks[k].max_error / t->checks[k].scale
                                              : t->checks[k].max_error;
        if (isnan(c->max_error) || error > c->max_error)
            c->max_error = record_round(error);
    }
    timer_take_times(r, c, t->times, t->time_count);
    note_best(s, i);
    if (t->status == TRIAL_OK && s->sentinel == SIZE_MAX)
        s->sentinel = i;
    s->since_sentinel++;
    s->done++;
    if (!run_append_row(r, s->writer, &s->header, i))
        s->failed = true;
    run_progress(r, "time", s->done, s->count, run_config_name(s->scratch, r, i));
}

/* Runs the first configuration, results thrown away, until the clocks are up. */
static bool warm_up(Session *s)
{
    double start = clock_seconds();
    s->warm = true;
    while (s->count > 0 && clock_seconds() - start < warm_up_s) {
        TrialResult t;
        if (!submit(s, s->list[0], WARM_UP_ID))
            return false;
        gpu_next(s->run->gpu, s->scratch, &t, -1);
        arena_reset(s->scratch);
        if (t.status != TRIAL_OK)
            return true; /* its own trial will tell */
    }
    return true;
}

/* Keeps a few trials queued until all are answered. */
static bool run_trials(Session *s)
{
    Run *r = s->run;
    while (!s->failed && (s->fetched < s->count || gpu_pending(r->gpu) > 0)) {
        bool sentinel_due = s->since_sentinel >= SENTINEL_EVERY && s->sentinel != SIZE_MAX;
        if (gpu_pending(r->gpu) < IN_FLIGHT && sentinel_due) {
            s->since_sentinel = 0;
            if (!submit(s, s->sentinel, SENTINEL_ID))
                return false;
        } else if (gpu_pending(r->gpu) < IN_FLIGHT && s->fetched < s->count) {
            size_t i = s->list[s->fetched++];
            if (!submit(s, i, (int64_t)i))
                return false;
        } else {
            TrialResult t;
            if (gpu_next(r->gpu, s->scratch, &t, -1) == GPU_RESULT)
                take_trial(s, &t);
            arena_reset(s->scratch);
        }
    }
    return !s->failed;
}

/* Configurations that did not compile belong into a complete recording too. */
static bool record_failures(Session *s)
{
    Run *r = s->run;
    for (size_t i = 0; i < r->config_count; i++) {
        bool failed = r->configs[i].code != CODE_OK && r->configs[i].tier0 == TIER0_FITS;
        if (!failed || (s->existing && run_recorded_row(r, s->existing, i)))
            continue;
        if (!run_append_row(r, s->writer, &s->header, i))
            return false;
    }
    return true;
}

/* What an earlier run left is taken; the rest is listed in `out`. */
static size_t skip_existing(Session *s, const size_t *list, size_t count, size_t *out)
{
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
        Config *c = &s->run->configs[list[k]];
        const RecordRow *row = s->existing ? run_recorded_row(s->run, s->existing, list[k]) : NULL;
        if (row && row->status != RECORD_SKIPPED && run_same_code(s->run, c, row)) {
            timer_take_row(s->run, c, row);
            note_best(s, list[k]);
            s->run->resumed++;
        } else {
            out[n++] = list[k];
        }
    }
    return n;
}

static bool gpu_time(void *state, const size_t *list, size_t count)
{
    Session *s = state;
    size_t *fresh = ARENA_ARRAY(s->run->arena, size_t, count);
    s->list = fresh;
    s->count = skip_existing(s, list, count, fresh);
    s->fetched = s->done = 0;
    return (s->warm || warm_up(s)) && run_trials(s);
}

static bool gpu_end(void *state)
{
    Session *s = state;
    bool ok = times_close(s->writer, s->run->diag);
    farm_close(s->farm);
    arena_free(s->scratch);
    return ok;
}

bool timer_gpu_open(Run *r, Timer *out)
{
    Session *s = ARENA_NEW(r->arena, Session);
    TimesRecording *existing = NULL;
    const char *path = arena_printf(r->arena, "%s/%s.times", r->options.output, r->spec->name);
    *s = (Session){.run = r, .sentinel = SIZE_MAX, .scratch = arena_new()};
    *out = (Timer){s, gpu_time, gpu_end};
    s->header = run_record_header(r);
    s->farm = run_open_farm(r);
    bool ok = folder_create(r->options.output, r->diag);
    s->writer = ok ? times_open_append(r->arena, path, &s->header, 0, &existing, r->diag) : NULL;
    s->existing = existing;
    ok = s->writer && run_write_profiles(r, &s->header) && run_task_arguments(r, &s->arguments) &&
         run_set_problem(r, s->arguments, r->gpu) && record_failures(s);
    if (!ok)
        gpu_end(s);
    return ok;
}
