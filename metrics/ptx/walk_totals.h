/* What a walk had counted when a stretch of iterations began, so that what happens in the stretch can be
 * counted again.  Internal to metrics/ptx. */
#ifndef APTUNE_PTX_WALK_TOTALS_H
#define APTUNE_PTX_WALK_TOTALS_H

#include "metrics/ptx/walk_state.h"

typedef struct WalkTotals {
#define WALK_SUM(name, meaning) double name;
#include "metrics/ptx/walk_counters.def"
    WalkRoutine routines[WALK_ROUTINES];
    WalkBlock *blocks;
    WalkLoop *loops;
    WalkAccess *costs;
    WalkRegionMark regions;
    size_t passes;
    uint64_t visited, steps;
} WalkTotals;

static inline size_t walk_loop_count(const Frame *x)
{
    return flow_of(x)->loops->loops.count;
}

/* Room for those of the frame's function; free it. */
void walk_totals_init(const Frame *x, WalkTotals *t);
void walk_totals_free(WalkTotals *t);

/* Steps of the walk so far, those of iterations that were skipped among them. */
static inline uint64_t walk_totals_steps(const Frame *x)
{
    return x->walker->walk->steps + x->walker->spared;
}

void walk_totals_note(const Frame *x, WalkTotals *t);

/* What has happened in this function since then happens so many times more. */
void walk_totals_repeat(Frame *x, const WalkTotals *t, uint64_t times);

/* Adds what lies between two states of an access, so many times. */
void walk_totals_add(WalkAccess *a, const WalkAccess *late, const WalkAccess *early,
                     uint64_t times);

#endif
