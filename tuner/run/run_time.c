/* Which configurations are timed, and in which order: what carving selected, then polish.
 *
 * The optimum is often one parameter away from a carved configuration, so after the survivors the
 * neighbours of the best so far are timed, a few at a time, best guess first, until none is better
 * or the spec's budget is spent. */
#include "tuner/run/run_final.h"
#include "tuner/run/run_sanitize.h"
#include "tuner/run/timer.h"

#include "metrics/base/clock.h"
#include "metrics/base/vec.h"

#include <math.h>

/* Neighbours timed before the best so far is asked for again. */
enum { POLISH_BATCH = 8 };

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

/* --- polish
 * ------------------------------------------------------------------------------------------------
 */

static size_t best_so_far(const Run *r)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < r->config_count; i++) {
        const Config *c = &r->configs[i], *b = best == SIZE_MAX ? NULL : &r->configs[best];
        if (!isnan(c->median) && (!b || c->median / c->work < b->median / b->work))
            best = i;
    }
    return best;
}

/* Parameters in which two configurations differ. */
static size_t distance(const Run *r, size_t a, size_t b)
{
    size_t n = 0;
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        n += !value_equal(space_value(&r->space, r->configs[a].number, p),
                          space_value(&r->space, r->configs[b].number, p));
    return n;
}

/* May it be timed, and is it not yet? */
static bool is_open(const Run *r, size_t i)
{
    const Config *c = &r->configs[i];
    return c->code == CODE_OK && !c->timed && !r->configs[c->same_as].timed;
}

/* The open configurations one step away from `i`; where there are none, those two steps away:
 * constraints couple parameters (an unroll factor that must divide a tile). */
static List neighbours(const Run *r, size_t i)
{
    enum { FARTHEST = 2 };
    List list = {0};
    for (size_t steps = 1; steps <= FARTHEST && list.count == 0; steps++)
        for (size_t k = 0; k < r->config_count; k++)
            if (is_open(r, k) && distance(r, i, k) == steps)
                VEC_PUSH(r->arena, &list, k);
    return list;
}

/* The guess that orders neighbours: the last criterion the spec carves by, smaller is better. */
static double guess(const Run *r, size_t i)
{
    const Carving *c = &r->carving;
    for (size_t s = c->stage_count; s-- > 0;) {
        if (c->stages[s].kind != STAGE_FRONT || c->stages[s].column_count == 0)
            continue;
        const Column *column = &c->table->columns[c->stages[s].columns[0]];
        return column->up ? -column->values[i] : column->values[i];
    }
    return (double)i;
}

/* Moves the `most` best guesses to the front of the list; gives how many there are. */
static size_t best_guesses(const Run *r, List *list, size_t most)
{
    size_t n = list->count < most ? list->count : most;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t j = k + 1; j < list->count; j++)
            if (guess(r, list->at[j]) < guess(r, list->at[best]))
                best = j;
        size_t swap = list->at[k];
        list->at[k] = list->at[best];
        list->at[best] = swap;
    }
    return n;
}

static bool polish(Run *r, const Timer *t)
{
    size_t left = run_share(r, (size_t)r->spec->polish);
    for (size_t best = best_so_far(r); left > 0 && best != SIZE_MAX; best = best_so_far(r)) {
        List list = neighbours(r, best);
        size_t n = best_guesses(r, &list, left < POLISH_BATCH ? left : POLISH_BATCH);
        if (n == 0)
            break;
        for (size_t k = 0; k < n; k++)
            r->selected[list.at[k]] = true;
        if (!t->time(t->state, list.at, n))
            return false;
        r->polished += n;
        left -= n;
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
    return r->options.exhaustive || polish(r, t);
}

static bool open_timer(Run *r, Timer *t)
{
    switch (r->source) {
    case RUN_MEASURED:
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
    run_charge(r, LEDGER_TIME, &since);
    return ok;
}
