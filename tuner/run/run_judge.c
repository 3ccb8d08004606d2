/* The winner, and what it is worth against everything that was ever timed. */
#include "tuner/run/run_audit.h"
#include "tuner/run/run_final.h"
#include "tuner/run/run_search.h"

#include "tuner/base/stats.h"
#include "tuner/choose/random.h"

#include <math.h>

/* Times taken in turn decide who is tied, and the rule of ties who of them wins.  Times taken one
 * after the other are too far apart for that: the fastest wins, and those it was not told from are
 * named. */
static void find_best(Run *r)
{
    const RunFinal *f = &r->final;
    if (f->count > 0)
        r->best = f->rounds > 0 ? f->ties[0] : f->fastest;
}

double run_recorded_value(const Run *r, size_t i)
{
    const RecordRow *row =
        table_fits(r->table, i) ? run_recorded_row(r, r->recorded.times, i) : NULL;
    if (!row || row->status != OUTCOME_OK)
        return NAN;
    if (r->spec->objective == OBJECTIVE_ENERGY)
        return 1e3 * row->joules;
    return stats_median(row->times_ms, row->time_count) / r->table->work[i];
}

/* Median times of the whole space as the recording has them, NaN where it failed; false when it
 * lacks an outcome of some configuration. */
static bool recorded_times(const Run *r, double *out)
{
    for (size_t i = 0; i < r->table->count; i++) {
        if (!table_fits(r->table, i)) {
            out[i] = NAN;
            continue;
        }
        const RecordRow *row = run_recorded_row(r, r->recorded.times, i);
        /* What another tuner did not run broke its limits: an outcome. */
        bool skipped = row && row->status == OUTCOME_SKIPPED && !run_is_imported(r);
        if (!row || skipped || !run_same_code(r, i, row))
            return false;
        out[i] = run_recorded_value(r, i);
    }
    return true;
}

const double *run_recorded_times(Run *r)
{
    double *times = ARENA_ARRAY(r->arena, double, r->table->count);
    return recorded_times(r, times) ? times : NULL;
}

/* The winner against the best as the recording's own final has them, where both were in it: those
 * tied with the best are as good as it. */
static double relative_in_final(const Run *r, const RunFinal *f)
{
    size_t place = run_final_place(f, r->best), best = run_final_place(f, f->fastest);
    if (place == SIZE_MAX || f->rounds == 0)
        return NAN;
    double work = r->table->work[f->list[place]] / r->table->work[f->fastest];
    return run_final_is_tied(f, r->best) ? 1 : work * f->medians[best] / f->medians[place];
}

/* Only times of one machine compare: winner, best and sample are all the recording's. */
static void compare_with_recording(Run *r, const double *times)
{
    double best = NAN;
    for (size_t i = 0; i < r->table->count; i++)
        if (!isnan(times[i]) && !(times[i] >= best))
            best = times[i];
    r->recorded.best_ms = best;
    if (r->best != SIZE_MAX)
        r->recorded.relative = best / times[r->best];
    r->recorded.final = run_final_recorded(r, r->recorded.times);
    double in_final = relative_in_final(r, &r->recorded.final);
    if (!isnan(in_final))
        r->recorded.relative = in_final;
    Arena *scratch = arena_new();
    double sample = random_best_without(scratch, times, r->table->count, r->counts.selected);
    arena_free(scratch);
    r->recorded.random_relative = best / sample;
}

void run_judge(Run *r)
{
    find_best(r);
    run_audit_judge(r);
    if (r->search.done && r->best != SIZE_MAX)
        r->search.best_on_front = r->carving.fates[r->best].kind == OUTCOME_SURVIVES;
    if (!r->recorded.times)
        return;
    if (!r->recorded.ms && !run_is_played(r))
        r->recorded.ms = run_recorded_times(r);
    r->recorded.complete = r->recorded.ms != NULL;
    if (r->recorded.complete)
        compare_with_recording(r, r->recorded.ms);
}
