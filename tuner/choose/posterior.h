/* The posterior of a configuration's time, and from it which one to time next.
 *
 * A prediction from the code alone is wrong by what the profile does not see: caches, pages of memory, the
 * compiler's luck.  These depend on parameters (the height of a tile, the width of a load), so configurations
 * that share a parameter's value share the error that comes with it:
 *
 *     log time = log prediction + c + sum of e(p, value of p) over the parameters p + own
 *
 * with a constant c that has no prior, effects e whose sum has the deviation PRIOR_SHARED, and a residual of
 * PRIOR_OWN.  This Bayesian linear regression is the simplest model with both properties needed.  Before
 * anything is timed, configurations like a chosen one would teach little new, so choices spread where
 * predictions differ by no more than their error, and only there.  Afterwards, the learned effects correct
 * the predictions of all others.
 *
 * The next point is the one with the least lower confidence bound: the expected time less its standard
 * deviation.  (Srinivas et al., "Gaussian Process Optimization in the Bandit Setting", 2010, for the rule;
 * Desautels et al., "Parallelizing Exploration-Exploitation Tradeoffs", 2014, for choosing several before
 * any is timed.) */
#pragma once

#include "tuner/choose/front.h"

/* Standard deviations of log time against its prediction among the configurations that are worth timing:
 * 4.7 % in the best hundredth of spaces/mm.spec by predicted_cycles, 5.6 % in the best twentieth, 6.9 % in
 * that of spaces/transpose.spec, as the metric was on 2026-11-21 before units were summed.  Between 3 and
 * 12 % the choices were about as good (tests/bench/bench_carve.c). */
#define PRIOR_SHARED 0.05
#define PRIOR_OWN    0.02

typedef struct PosteriorInput {
    /* Per point: a predicted time in any unit.  Unless it is a number above zero it is unknown and counts as
     * the slowest. */
    const double *guess;
    const bool *alive; /* points that take part; NULL: all */
    size_t points;
    const uint32_t *values; /* per point and parameter: the number of its value */
    size_t parameters;
} PosteriorInput;

/* The number of parameters in which two points differ. */
size_t posterior_distance(const PosteriorInput *in, size_t i, size_t j);

typedef struct Posterior Posterior;

/* The prior, before anything is chosen.  Lives in the arena with its scratch memory; what `in` points to
 * must outlive it. */
Posterior *posterior_new(Arena *a, const PosteriorInput *in);

/* The point to time next, among those in `among` (NULL: all alive) that were not chosen yet; of equals the
 * first; POINT_NONE when there is none.  Caches deviations in `b`. */
size_t posterior_next(Posterior *b, const bool *among);

/* Notes that a point will be timed, and takes what that will teach off the covariance. */
void posterior_choose(Posterior *b, size_t point);

/* Learns from the times of the chosen points (indexed by point, all in one unit; NaN: not known, or it
 * failed). */
void posterior_learn(Posterior *b, const double *times);
