/* Polish: what to time after the carved configurations, a few at a time.
 *
 * The optimum is often one parameter away from a carved configuration, and a prediction may be wrong for a
 * whole part of the space.  So every other choice is a neighbour of the best so far, which helps whatever
 * the prediction is worth, and the others are the most promising of all that is left after the times so far
 * have corrected the prediction (posterior.h).  On sub-spaces of spaces/mm.spec corrected predictions alone
 * do best (93.5 % of 200 within 1 %, neighbours 88.5, half and half 91), on those of spaces/transpose.spec
 * neighbours (85.5, corrected 82.5, half and half 80.5); with predictions made wrong, half and half is
 * first in one and second in the other (tests/bench/bench_carve.c --count 200, and with --worse 15).  It is
 * never far from the better. */
#pragma once

#include "tuner/choose/posterior.h"

/* Steps from the best that count as near: constraints couple parameters (an unroll factor that must divide
 * a tile), so one step may lead nowhere. */
enum { POLISH_FARTHEST = 2 };

typedef struct Polish {
    const PosteriorInput *in; /* guess gives the order, alive what may be timed */
    Posterior *posterior;
    bool *near[POLISH_FARTHEST]; /* per point: one step or two steps from `centre` */
    size_t centre;               /* POINT_NONE: none yet */
    size_t turn;                 /* choices so far */
} Polish;

/* Before anything is timed.  Lives in the arena; `in` and what it points to must outlive it. */
Polish polish_new(Arena *a, const PosteriorInput *in);

/* Notes that a point was timed by others, or is being timed. */
void polish_note(Polish *p, size_t point);

/* Chooses and notes up to `most` points to time next; returns how many, 0 when none is left.  `times`: of the
 * points noted so far (NaN: failed or not known). */
size_t polish_batch(Polish *p, const double *times, size_t *batch, size_t most);

/* How many to choose at a time while `left` may still be timed. */
size_t polish_batch_size(size_t left);

/* Times points and writes their times, NaN for failures.  False ends the polish. */
typedef bool PolishTime(void *context, const size_t *points, size_t count, double *times);

/* Chooses points and has them timed, batch after batch, until the budget is spent or nothing is left.
 * `noted` says which points are timed already, `times` has their times.  Returns how many were timed; `ok`
 * is false when `time` was. */
size_t polish_spend(Arena *a, const PosteriorInput *in, const bool *noted, double *times,
                    size_t budget, PolishTime *time, void *context, bool *ok);
