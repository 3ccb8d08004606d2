/* The posterior of a configuration's time, and so which one to time next.
 *
 * A prediction from the code alone is wrong by what the profile does not see: caches, pages of
 * memory, the compiler's luck.  Such things come from parameters (the height of a tile, the width
 * of a load), so configurations that share a parameter's value share the error that comes with it:
 *
 *     log time = log prediction + c + sum of e(p, value of p) over the parameters p + own
 *
 * with a constant c that says nothing, effects e of PRIOR_SHARED in all and an own part of
 * PRIOR_OWN.  This is linear regression with a prior (Bayesian), the simplest that has both of
 * what is needed: before anything is timed, what is like a chosen configuration would teach little
 * new, so a choice spreads where predictions do not differ by more than their error, and does not
 * where they do; afterwards, the effects learned correct the predictions of all others.
 *
 * Next is the point that is the fastest if one is lucky: the expected time less its standard
 * deviation.  (Srinivas et al., "Gaussian Process Optimization in the Bandit Setting", 2010, for
 * the rule; Desautels et al., "Parallelizing Exploration-Exploitation Tradeoffs", 2014, for
 * choosing several before any is timed.) */
#pragma once

#include "tuner/choose/front.h"

/* Standard deviations of log time against its prediction, about what is left among the
 * configurations that are worth timing: 4.7 % in the first hundredth of spaces/mm.spec by
 * predicted_cycles, 5.6 % in the first twentieth, 6.9 % in that of spaces/transpose.spec, as the
 * metric was on 2026-11-21 before units were summed.  Between 3 and 12 % the choices were about as
 * good (tests/bench/bench_carve.c). */
#define PRIOR_SHARED 0.05
#define PRIOR_OWN    0.02

typedef struct PosteriorInput {
    const double *guess; /* per point: a time predicted, in any unit; what is not a number above
                            zero is not known, and taken for as slow as the slowest */
    const bool *alive;   /* points that there are; NULL: all */
    size_t points;
    const uint32_t *values; /* per point and parameter: which value it has, by number */
    size_t parameters;
} PosteriorInput;

/* Parameters in which two points differ. */
size_t posterior_distance(const PosteriorInput *in, size_t i, size_t j);

typedef struct Posterior Posterior;

/* The prior: nothing is chosen yet.  Lives in the arena, with the scratch it needs; what
 * `in` points to must outlive it. */
Posterior *posterior_new(Arena *a, const PosteriorInput *in);

/* The point to time next of those in `among` (NULL: all alive) that were not chosen yet; of
 * equals the better guess, then the first.  POINT_NONE when there is none.  What it computes on the
 * way it keeps in `b`, for the next call. */
size_t posterior_next(Posterior *b, const bool *among);

/* The point will be timed: what that will teach need not be looked for elsewhere. */
void posterior_choose(Posterior *b, size_t point);

/* Learns from the times of the points chosen (indexed by point, in any unit but one; NaN: not
 * known, or it failed). */
void posterior_learn(Posterior *b, const double *times);
