/* How far a figure depends on the noise of the times it is made from. */
#pragma once

#include "tuner/study/judge.h"

/* 95 % interval of the regret of a choice: every distinct point's samples are drawn again with
 * replacement `rounds` times, medians and both bests taken anew.  Points with one sample only
 * cannot vary, so the interval is too narrow where most are such.  NaN when nothing was chosen. */
void bootstrap_regret(const Table *s, const bool *chosen, size_t rounds, double *low, double *high);

/* The same of the first by a value, in each round on average over the lot among equals. */
void bootstrap_first(const Table *s, const FirstBy *first, size_t rounds, double *low,
                     double *high);

/* 95 % intervals of judge_rank_correlation of each metric of the set with the time, whatever its
 * direction; `low` and `high` have one place for each.  NaN where there is no correlation. */
void bootstrap_correlations(const Table *s, size_t rounds, double *low, double *high);

/* 95 % intervals of the sizes of random samples (judge_sample_for) for each of the performances,
 * all times drawn again in each round: O(rounds * points log points). */
void bootstrap_samples(const Table *s, const double *performances, size_t count, size_t rounds,
                       double *low, double *high);
