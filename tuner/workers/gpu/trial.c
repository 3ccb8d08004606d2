#include "trial.h"

#include "launch.h"

/* Runs given to the device before waiting for them. */
enum { BATCH = 256 };

typedef struct Timing {
    Arena *arena;
    Problem *problem;
    const Trial *trial;
    ReadyRun run;
    DriverEvent *events[2 * BATCH]; /* start and end of each run of a batch; made when needed */
    double *times;
    size_t count;
    double fastest; /* ms; of times[0, count) */
    Buf words;
} Timing;

/* --- the verified run ----------------------------------------------------------------------- */

static DriverStatus ensure_events(Timing *t, size_t count)
{
    DriverStatus s = DRIVER_OK;
    for (size_t i = 0; s == DRIVER_OK && i < count; i++) {
        if (!t->events[i])
            s = driver_event_new(t->problem->driver, &t->events[i]);
    }
    return s;
}

static void free_events(Timing *t)
{
    for (size_t i = 0; i < 2 * BATCH; i++)
        driver_event_free(t->problem->driver, t->events[i]);
}

/* One run between two events. */
static DriverStatus run_between(Timing *t, DriverEvent *from, DriverEvent *to)
{
    Driver *v = t->problem->driver;
    DriverStatus s = driver_event_record(v, from);
    if (!s)
        s = ready_launch(v, &t->run);
    return s ? s : driver_event_record(v, to);
}

static DriverStatus run_first(Timing *t, double *ms)
{
    Driver *v = t->problem->driver;
    DriverStatus s = ensure_events(t, 2);
    if (!s)
        s = run_between(t, t->events[0], t->events[1]);
    if (!s)
        s = driver_wait(v);
    return s ? s : driver_event_ms(v, t->events[0], t->events[1], ms);
}

static DriverStatus compare_outputs(Timing *t, TrialResult *r)
{
    Problem *p = t->problem;
    TrialCheck *checks = ARENA_ARRAY(t->arena, TrialCheck, p->output_count);
    for (size_t i = 0; i < p->output_count; i++) {
        DriverStatus s = verify_compare(&p->verifier, &p->outputs[i], &checks[i]);
        if (s)
            return s;
        if (checks[i].wrong == 0)
            continue;
        if (t->words.size)
            buf_puts(&t->words, "\n");
        verify_explain(&p->outputs[i], &checks[i], &t->words);
        r->status = TRIAL_WRONG;
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
    DriverStatus s = problem_reset(t->problem);
    if (s || !is_verified(t))
        return s;
    s = run_first(t, &r->first_ms);
    return s ? s : compare_outputs(t, r);
}

/* Once more after the timed runs: a kernel that computes only once, for what it left in its
 * scratch, was timed doing nothing. */
static DriverStatus verified_again(Timing *t, TrialResult *r)
{
    if (!is_verified(t) || t->count == 0)
        return DRIVER_OK;
    DriverStatus s = problem_reset_outputs(t->problem);
    if (!s)
        s = ready_launch(t->problem->driver, &t->run);
    if (!s)
        s = compare_outputs(t, r);
    if (!s && r->status == TRIAL_WRONG)
        buf_puts(&t->words, "\nonly after the timed runs, not in the first one");
    return s;
}

/* --- the timed runs ------------------------------------------------------------------------- */

static DriverStatus warm_up(Timing *t)
{
    DriverStatus s = DRIVER_OK;
    for (int i = 0; s == DRIVER_OK && i < t->trial->warmups; i++) {
        s = problem_restore(t->problem);
        if (!s)
            s = ready_launch(t->problem->driver, &t->run);
    }
    return s;
}

/* Up to BATCH runs, given to the device without waiting between them. */
static DriverStatus time_batch(Timing *t, int count)
{
    Driver *v = t->problem->driver;
    DriverStatus s = ensure_events(t, 2 * (size_t)count);
    for (int i = 0; s == DRIVER_OK && i < count; i++) {
        s = problem_restore(t->problem);
        if (!s)
            s = run_between(t, t->events[2 * i], t->events[2 * i + 1]);
    }
    if (!s)
        s = driver_wait(v);
    for (int i = 0; s == DRIVER_OK && i < count; i++) {
        double ms;
        s = driver_event_ms(v, t->events[2 * i], t->events[2 * i + 1], &ms);
        if (t->count == 0 || ms < t->fastest)
            t->fastest = ms;
        t->times[t->count++] = ms;
    }
    return s;
}

static DriverStatus time_runs(Timing *t, int count)
{
    DriverStatus s = DRIVER_OK;
    for (int done = 0; s == DRIVER_OK && done < count; done += BATCH)
        s = time_batch(t, count - done < BATCH ? count - done : BATCH);
    return s;
}

/* Launches are not wasted on a loser: it gets its first runs and no more. */
static bool deserves_more(const Timing *t)
{
    const Trial *x = t->trial;
    return x->best_ms <= 0 || t->count == 0 || t->fastest <= x->factor * x->best_ms;
}

static DriverStatus timed_runs(Timing *t)
{
    int most = (t->trial->runs > 0 ? t->trial->runs : 0) +
               (t->trial->extra_runs > 0 ? t->trial->extra_runs : 0);
    t->times = ARENA_ARRAY(t->arena, double, (size_t)most + 1);
    DriverStatus s = warm_up(t);
    if (!s)
        s = time_runs(t, t->trial->runs);
    if (!s && deserves_more(t))
        s = time_runs(t, t->trial->extra_runs);
    return s ? s : driver_wait(t->problem->driver);
}

/* --- all of it ------------------------------------------------------------------------------ */

/* True when nothing was written that must not be. */
static bool left_clean(Timing *t, TrialResult *r)
{
    const char *what;
    DriverStatus s = problem_check(t->problem, &what);
    if (s) {
        r->status = launch_status(t->problem->driver, s, &t->words);
        return false;
    }
    if (!what)
        return true;
    r->status = TRIAL_WRONG;
    buf_printf(&t->words, "%sthe kernel wrote %s", t->words.size ? "\n" : "", what);
    return false;
}

static TrialStatus measure(Timing *t, TrialResult *r)
{
    Driver *v = t->problem->driver;
    TrialStatus status = ready_run(t->arena, v, &t->trial->run, t->problem->at, &t->run, &t->words);
    if (status != TRIAL_OK)
        return status;
    DriverStatus s = verified_run(t, r);
    if (!s && r->status == TRIAL_OK)
        s = timed_runs(t);
    if (!s && r->status == TRIAL_OK)
        s = verified_again(t, r);
    return s ? launch_status(v, s, &t->words) : r->status;
}

bool trial_run(Arena *a, Problem *p, const Trial *trial, TrialResult *r)
{
    Timing t = {.arena = a, .problem = p, .trial = trial};
    *r = (TrialResult){.id = trial->id};
    r->status = measure(&t, r);
    bool sound = r->status != TRIAL_FAULT;
    if (r->status == TRIAL_OK || r->status == TRIAL_WRONG)
        sound = left_clean(&t, r);
    if (sound) {
        free_events(&t);
        ready_end(p->driver, &t.run);
    }
    r->times = t.times;
    r->time_count = t.count;
    r->words = arena_string(a, buf_text(&t.words));
    buf_free(&t.words);
    return sound;
}
