/* The timer of a replay, and what timers share. */
#include "tuner/run/timer.h"

#include "tuner/gpu/sampling.h"

/* --- outcomes --------------------------------------------------------------------------------- */

const double *timer_rounded(Arena *a, const double *times, size_t count)
{
    double *kept = ARENA_ARRAY(a, double, count);
    for (size_t i = 0; i < count; i++)
        kept[i] = record_round(times[i]);
    return kept;
}

void timer_take_times(Run *r, size_t i, TableTimes *out, const double *times, size_t count)
{
    bool right = table_is_right(r->table, i);
    const double *kept = timer_rounded(r->arena, times, count);
    StatsInterval x = sampling_interval(kept, right ? count : 0);
    *out = (TableTimes){kept, count, right ? stats_median(kept, count) : NAN, x.low, x.high};
}

void timer_take_row(Run *r, size_t i, const RecordRow *row)
{
    Table *t = r->table;
    t->outcome[i] = row->status;
    t->why[i] = row->message ? row->message : "";
    t->trial[i] =
        (TableTrial){.max_error = row->max_error, .seconds = row->seconds, .device = row->device};
    t->cost[i] = (TableCost){row->compile_s, row->profile_s};
    timer_take_times(r, i, &t->times[i], row->times_ms, row->time_count);
    run_take_joules(r, i, row->joules);
    timer_take_times(r, i, &t->warm[i], row->warm_ms, row->warm_count);
}

/* --- the timer -------------------------------------------------------------------------------- */

bool timer_time(const Run *r, const Timer *t, const size_t *list, size_t count)
{
    for (size_t k = 0; t->add && k < count; k++)
        t->add(t->state, list[k]);
    while (t->busy && t->busy(t->state) > 0) {
        if (!t->service(t->state))
            return false;
        if (t->busy(t->state) == 0)
            break;
        Waits w = waits_new(-1);
        t->await(t->state, &w);
        run_wait(r, &w);
    }
    return true;
}

typedef struct Replay {
    Run *run;
    size_t missing;
    size_t ready; /* the configuration that was added last; SIZE_MAX: it was taken */
} Replay;

static void replay_add(void *state, size_t config)
{
    Replay *p = state;
    Run *r = p->run;
    const RecordRow *row = run_recorded_row(r, r->recorded.times, config);
    if (row && run_same_code(r, config, row))
        timer_take_row(r, config, row);
    else if (row)
        r->counts.stale++;
    else
        p->missing++;
    p->ready = config;
}

static bool replay_wants(const void *state)
{
    return ((const Replay *)state)->ready == SIZE_MAX;
}

static bool replay_take(void *state, size_t *config)
{
    Replay *p = state;
    *config = p->ready;
    p->ready = SIZE_MAX;
    return *config != SIZE_MAX;
}

/* The times of the recording's own final, if it was among these configurations. */
static bool replay_final(void *state, RunFinal *f)
{
    const Replay *p = state;
    const RunFinal recorded = run_final_recorded(p->run, p->run->recorded.times);
    f->rounds = recorded.rounds;
    EACH (Finalist, x, f->list, f->count) {
        const Finalist *known = run_finalist(&recorded, x->config);
        if (known)
            x->times_ms = known->times_ms;
        else
            f->rounds = 0;
    }
    return true;
}

static bool replay_close(void *state)
{
    const Replay *p = state;
    const Run *r = p->run;
    if (p->missing > 0)
        diag_warn(r->diag, (Span){0}, "%zu of the selected configurations are not in the recording",
                  p->missing);
    if (r->counts.stale > 0)
        diag_warn(r->diag, (Span){0},
                  "%zu of the selected configurations compile to other code than was recorded "
                  "(with %s): their times are not used; measure them again on the device",
                  r->counts.stale, r->recorded.times->header.nvrtc);
    return true;
}

bool timer_replay_open(Run *r, Timer *out)
{
    Replay *p = ARENA_COPY(r->arena, Replay, {.run = r, .ready = SIZE_MAX});
    *out = (Timer){.state = p,
                   .add = replay_add,
                   .wants = replay_wants,
                   .take = replay_take,
                   .final = replay_final,
                   .close = replay_close};
    return true;
}

/* A recording names the code of every configuration, timed or not, so that it can be carved again
 * without compiling. Recordings of parts do so, too, for `aptune merge`, with or without a GPU. */
bool timer_append_rest(Run *r, TimesWriter *w, const RecordHeader *h,
                       const TimesRecording *existing)
{
    Table *t = r->table;
    for (size_t i = 0; i < t->count; i++) {
        bool known = table_has_code(t, i) || table_failed_to_compile(t, i);
        if (!known || table_is_timed(t, i))
            continue;
        const RecordRow *row = run_recorded_row(r, existing, i);
        if (row && run_same_code(r, i, row))
            continue;
        const char *why = t->why[i];
        if (table_has_code(t, i)) /* compiled but not run, which recordings call skipped */
            t->why[i] = "not selected";
        bool ok = run_append_row(r, w, h, i);
        t->why[i] = why;
        if (!ok)
            return false;
    }
    return true;
}
