/* Which configurations are timed, and in which order: what carving selected, then polish.
 *
 * Polish (tuner/choose/polish.h) chooses a few at a time, each time by what was found so far, until
 * its part of the budget is spent. */
#include "tuner/run/run_final.h"
#include "tuner/run/run_sanitize.h"
#include "tuner/run/timer.h"

#include "metrics/base/clock.h"
#include "metrics/base/vec.h"
#include "tuner/choose/polish.h"

#include <math.h>
#include <string.h>

typedef VEC(size_t) List;

/* --- what carving selected
 * ------------------------------------------------------------------------------ */

/* Survivors first: with --exhaustive the best time is then known early, and slow ones are timed
 * less. */
static List selected_list(const Run *r)
{
    List list = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < r->config_count; i++) {
            bool survivor = r->carving.fates[i].kind == FATE_SURVIVES;
            if (r->selected[i] && survivor == (pass == 0))
                VEC_PUSH(r->arena, &list, i);
        }
    }
    return list;
}

/* --- polish ------------------------------------------------------------------------------------
 */

/* What polish goes by: the one column that the spec's last stage carves by if that is a time, so
 * that a better prediction guides polish too; else the shipped prediction. */
static const double *guide(Run *r)
{
    const Carving *c = &r->carving;
    for (size_t s = c->stage_count; s-- > 0;) {
        if (c->stages[s].kind == STAGE_HOLDS)
            continue;
        if (c->stages[s].column_count != 1)
            break;
        const Column *column = &c->table->columns[c->stages[s].columns[0]];
        if (!column->up && column->unit && strcmp(column->unit, "cycles") == 0)
            return column->values;
        break;
    }
    return run_column_values(r, "predicted_cycles");
}

/* What may be timed: one of each code.  What a threshold of the spec forbids is not timed; what a
 * metric thought little of may be. */
static const bool *allowed(const Run *r)
{
    bool *out = ARENA_ARRAY(r->arena, bool, r->config_count);
    for (size_t i = 0; i < r->config_count; i++) {
        const Config *c = &r->configs[i];
        out[i] = c->code == CODE_OK && c->same_as == i && r->carving.fates[i].kind != FATE_FAILS;
    }
    return out;
}

static void take_medians(const Run *r, double *times)
{
    for (size_t i = 0; i < r->config_count; i++)
        times[i] = r->configs[i].timed ? r->configs[i].median / r->configs[i].work : NAN;
}

static bool polish(Run *r, const Timer *t)
{
    BeliefInput in = {.guess = guide(r),
                      .alive = allowed(r),
                      .points = r->config_count,
                      .values = run_value_numbers(r),
                      .parameters = r->spec->parameter_count};
    Polish p = polish_new(r->arena, &in);
    double *times = ARENA_ARRAY(r->arena, double, r->config_count);
    size_t *batch = ARENA_ARRAY(r->arena, size_t, r->polish);
    for (size_t i = 0; i < r->config_count; i++)
        if (r->selected[i])
            polish_note(&p, i);
    for (size_t left = r->polish; left > 0; left = r->polish - r->polished) {
        take_medians(r, times);
        size_t n = polish_batch(&p, times, batch, polish_batch_size(left));
        if (n == 0)
            break;
        for (size_t k = 0; k < n; k++)
            r->selected[batch[k]] = true;
        if (!t->time(t->state, batch, n))
            return false;
        r->polished += n;
    }
    r->selected_count += r->polished;
    return true;
}

/* --- the stage
 * ---------------------------------------------------------------------------------------------- */

static bool time_all(Run *r, const Timer *t)
{
    List list = selected_list(r);
    if (!t->time(t->state, list.at, list.count))
        return false;
    return r->options.exhaustive || r->polish == 0 || polish(r, t);
}

static bool open_timer(Run *r, Timer *t)
{
    switch (r->source) {
    case RUN_MEASURED:
        if (r->compiled == 0) /* a part of a space; its failures are recorded */
            return timer_static_open(r, t);
        return timer_gpu_open(r, t);
    case RUN_REPLAYED:
        return timer_replay_open(r, t);
    default:
        return timer_static_open(r, t);
    }
}

bool run_time(Run *r)
{
    double since = clock_seconds();
    Timer timer;
    bool ok = true;
    if (r->source != RUN_STATIC || r->options.shards > 1) {
        ok = open_timer(r, &timer);
        bool timed = ok && time_all(r, &timer) && run_sanitize(r, &timer) && run_final(r, &timer);
        ok = ok && timer.close(timer.state) && timed;
    }
    ok = ok && run_keep_profiles(r);
    run_charge(r, LEDGER_TIME, &since);
    return ok;
}
