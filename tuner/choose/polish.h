/* Polish: what to time after the carved configurations, a few at a time.
 *
 * The optimum is often one parameter away from a carved configuration, and a prediction may be
 * wrong for a whole part of the space.  So of each two choices one is a neighbour of the best so
 * far, which holds whatever the prediction is worth, and the other is the most promising of all
 * that is left after the times so far have corrected the prediction (posterior.h).  On sub-spaces
 * of spaces/mm.spec corrected predictions alone do best (93.5 % of 200 within 1 %, neighbours 88.5,
 * half and half 91), on those of spaces/transpose.spec neighbours (85.5, corrected 82.5, half and
 * half 80.5); with predictions made wrong half and half is first in one and second in the other
 * (tests/bench/bench_carve.c --count 200, and with --worse 15).  It is never far from the better.
 */
#pragma once

#include "tuner/choose/posterior.h"

/* Steps from the best that count as near: constraints couple parameters (an unroll factor that must
 * divide a tile), so that one step may lead nowhere. */
enum { POLISH_FARTHEST = 2 };

typedef struct Polish {
    const PosteriorInput *in; /* its guess orders, its alive says what may be timed */
    Posterior *posterior;
    bool *near[POLISH_FARTHEST]; /* per point: it is one step, two steps from `centre` */
    size_t centre;               /* POINT_NONE: of nothing yet */
    size_t turn;                 /* choices so far */
} Polish;

/* Nothing is timed yet.  Lives in the arena; `in` and what it points to must outlive it. */
Polish polish_new(Arena *a, const PosteriorInput *in);

/* A point was timed by somebody else, or is being timed. */
void polish_note(Polish *p, size_t point);

/* Chooses up to `most` points to time next and notes them; gives how many, 0 when none is left.
 * `times` are those of the points noted so far (NaN: failed or not known). */
size_t polish_batch(Polish *p, const double *times, size_t *batch, size_t most);

/* How many to choose at a time when `left` may still be timed. */
size_t polish_batch_size(size_t left);

/* Times some points and writes their times, NaN for what failed.  False: no more shall be timed. */
typedef bool PolishTime(void *context, const size_t *points, size_t count, double *times);

/* Spends a budget: chooses, has them timed, chooses by that again, until it is spent or nothing is
 * left.  `noted` says which points are timed already, `times` has their times.  Gives how many were
 * timed; `ok` is false when `time` was. */
size_t polish_spend(Arena *a, const PosteriorInput *in, const bool *noted, double *times,
                    size_t budget, PolishTime *time, void *context, bool *ok);
