#include "tuner/run/run_final.h"

#include "tuner/measure/sampling.h"

#include <math.h>
#include <string.h>

/* --- outcomes
 * ------------------------------------------------------------------------------------------- */

const double *timer_rounded(Arena *a, const double *times, size_t count)
{
    double *kept = ARENA_ARRAY(a, double, count);
    for (size_t i = 0; i < count; i++)
        kept[i] = record_round(times[i]);
    return kept;
}

void timer_take_times(Run *r, Config *c, const double *times, size_t count)
{
    c->times = timer_rounded(r->arena, times, count);
    c->time_count = count;
    c->median = c->status == OUTCOME_OK ? stats_median(c->times, count) : NAN;
    StatsInterval i = sampling_interval(c->times, c->status == OUTCOME_OK ? count : 0);
    c->low = i.low;
    c->high = i.high;
}

void timer_take_warm_times(Run *r, Config *c, const double *times, size_t count)
{
    const double *kept = timer_rounded(r->arena, times, count);
    c->warm_times = kept;
    c->warm_count = count;
    c->warm_median = c->status == OUTCOME_OK ? stats_median(kept, count) : NAN;
}

void timer_take_row(Run *r, Config *c, const RecordRow *row)
{
    c->timed = true;
    c->status = row->status;
    c->max_error = row->max_error;
    c->words = row->message ? row->message : "";
    c->seconds = row->seconds;
    c->device = row->device;
    timer_take_times(r, c, row->times_ms, row->time_count);
    timer_take_warm_times(r, c, row->warm_ms, row->warm_count);
}

/* --- the timer
 * ------------------------------------------------------------------------------------ */

typedef struct Replay {
    Run *run;
    size_t missing;
} Replay;

static bool replay_time(void *state, const size_t *list, size_t count)
{
    Replay *p = state;
    Run *r = p->run;
    for (size_t k = 0; k < count; k++) {
        Config *c = &r->configs[list[k]];
        const RecordRow *row = run_recorded_row(r, r->recording, list[k]);
        if (row && run_same_code(r, c, row))
            timer_take_row(r, c, row);
        else if (row)
            r->stale++;
        else
            p->missing++;
    }
    return true;
}

/* What the recording's own final has, where that was between all of these. */
static bool replay_final(void *state, const size_t *list, size_t count, int *rounds,
                         const double **times)
{
    Replay *p = state;
    RunFinal f = run_final_recorded(p->run, p->run->recording);
    double *found = ARENA_ARRAY(p->run->arena, double, count *(size_t)f.rounds);
    *times = found;
    *rounds = f.rounds;
    for (size_t k = 0; k < count; k++) {
        size_t place = run_final_place(&f, list[k]);
        if (place == SIZE_MAX)
            *rounds = 0;
        for (size_t i = 0; i < (size_t)*rounds; i++)
            found[i * count + k] = f.times[i * f.count + place];
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
    if (r->stale > 0)
        diag_warn(
            r->diag, (Span){0},
            "%zu of the selected configurations compile to other code than was recorded (with "
            "%s): their times are not used; measure them again on the device",
            r->stale, r->recording->header.nvrtc);
    return true;
}

bool timer_replay_open(Run *r, Timer *out)
{
    Replay *p = ARENA_NEW(r->arena, Replay);
    p->run = r;
    *out = (Timer){.state = p, .time = replay_time, .final = replay_final, .close = replay_close};
    return true;
}
