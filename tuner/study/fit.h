/* Fits a metric as a weighted sum of others, with cross-validation over spaces.
 *
 * predicted time = sum of weight * metric, with the weights that minimise the squares of (predicted /
 * measured - 1); every space counts the same.  A weight may be negative if metrics overlap; the results on
 * the spaces left out tell whether that helps. */
#pragma once

#include "tuner/study/judge.h"

typedef struct FitResult {
    const Table *left_out; /* the space not fitted to; NULL: all were */
    const double *weights; /* milliseconds per unit of each metric; NULL: too few points */
    const bool *follows;   /* per metric: it is 0 throughout or a linear combination of
                                       those before it, so that its weight is arbitrary */
    size_t points;         /* that were fitted to */
    double error;          /* root mean square of predicted / measured - 1 on these */
    double correlation;    /* on the space left out: Spearman's with the time; NaN: none */
    size_t place;          /* … of its fastest point by the fitted metric; 0: not known */
    double regret;         /* … of the best `budget` by the fitted metric; NaN: none */
    double regret_low, regret_high; /* 95 % bootstrap interval with fixed weights; NaN: not asked
                                       for */
} FitResult;

/* Fits the metrics with these indices to all sets and, if there are several, to all but each one.  Returns a
 * result for each space left out, then one for all.  `budgets`: per set, how many may be timed; `bootstraps`:
 * resamplings of the times, 0 for none.  NULL after a message: fewer points with a time and all metrics than
 * weights. */
const FitResult *fit_metrics(Arena *a, const Table *const *sets, size_t set_count,
                             const int *metrics, size_t metric_count, const size_t *budgets,
                             size_t bootstraps, size_t *count, Diag *d);
