/* Bootstrap intervals: how much a result depends on the noise of its times. */
#pragma once

#include "tuner/study/judge.h"

/* 95 % interval of the regret of a choice.  In each of `rounds`, every distinct point's samples are resampled
 * with replacement, and the medians and both bests computed anew.  Points with a single sample do not vary,
 * so the interval is too narrow if most are such.  NaN: nothing was chosen. */
void bootstrap_regret(const Table *s, const bool *chosen, size_t rounds, double *low, double *high);

/* The same for the first n by a value; each round averages over the draw among ties. */
void bootstrap_first(const Table *s, const FirstBy *first, size_t rounds, double *low,
                     double *high);

/* 95 % intervals of each metric's judge_rank_correlation with the time, ignoring its direction; `low` and
 * `high` have an element per metric.  NaN: no correlation. */
void bootstrap_correlations(const Table *s, size_t rounds, double *low, double *high);

/* 95 % intervals of the sample sizes (judge_sample_for) for each of the performances.  O(rounds * points log
 * points). */
void bootstrap_samples(const Table *s, const double *performances, size_t count, size_t rounds,
                       double *low, double *high);
