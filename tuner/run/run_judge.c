/* The winner, and what it is worth against everything that was ever timed. */
#include "tuner/run/run_parts.h"

#include "tuner/choose/random.h"
#include "tuner/measure/stats.h"

#include <math.h>

/* Of two right results, the better: faster, then fewer registers, less shared memory, the earlier
 * in the order of parameters. */
static bool better(const Run *r, size_t a, size_t b)
{
    const Config *x = &r->configs[a], *y = &r->configs[b];
    if (x->median != y->median)
        return x->median < y->median;
    if (!x->profile || !y->profile)
        return a < b;
    static const ProfileField order[] = {PROFILE_REGISTERS, PROFILE_SHARED_BYTES};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (x->profile->value[order[i]] != y->profile->value[order[i]])
            return x->profile->value[order[i]] < y->profile->value[order[i]];
    return a < b;
}

static void find_best(Run *r)
{
    for (size_t i = 0; i < r->config_count; i++) {
        const Config *c = &r->configs[i];
        if (!r->selected[i] || !c->timed || c->status != TRIAL_OK || isnan(c->median))
            continue;
        if (r->best == SIZE_MAX || better(r, i, r->best))
            r->best = i;
    }
}

/* Median times of the whole space as the recording has them, NaN where it failed; false when it
 * lacks an outcome of some configuration. */
static bool recorded_times(const Run *r, double *out)
{
    for (size_t i = 0; i < r->config_count; i++) {
        if (r->configs[i].tier0 != TIER0_FITS) {
            out[i] = NAN;
            continue;
        }
        const RecordRow *row = run_recorded_row(r, r->recording, i);
        if (!row || row->status == RECORD_SKIPPED || !run_same_code(r, &r->configs[i], row))
            return false;
        out[i] = row->status == RECORD_OK ? stats_median(row->times_ms, row->time_count) : NAN;
    }
    return true;
}

/* Only times of one machine compare: winner, best and sample are all the recording's. */
static void compare_with_recording(Run *r, const double *times)
{
    double best = NAN;
    for (size_t i = 0; i < r->config_count; i++)
        if (!isnan(times[i]) && !(times[i] >= best))
            best = times[i];
    r->exhaustive_best_ms = best;
    if (r->best != SIZE_MAX)
        r->relative = best / times[r->best];
    Arena *scratch = arena_new();
    double sample = random_best_without(scratch, times, r->config_count, r->selected_count);
    arena_free(scratch);
    r->random_relative = best / sample;
}

void run_judge(Run *r)
{
    find_best(r);
    if (!r->recording)
        return;
    double *times = ARENA_ARRAY(r->arena, double, r->config_count);
    r->recording_complete = recorded_times(r, times);
    if (r->recording_complete)
        compare_with_recording(r, times);
}
