/* A metric made of others, its weights found on recordings and judged on one left out.
 *
 * predicted time = sum of weight * metric, with the weights that make the squares of
 * (predicted / measured - 1) smallest, each space counting as much as any other.  A weight may come
 * out negative: then the metrics overlap, and the figures on spaces left out say whether it helps.
 */
#pragma once

#include "tuner/study/judge.h"

typedef struct FitResult {
    const Table *left_out;          /* the space not looked at; NULL: all were */
    const double *weights;          /* milliseconds per unit of each metric; NULL: too few points */
    const bool *follows;            /* per metric: those before it say all that it says, or it is 0
                                       throughout; its weight is one of many that would do as well */
    size_t points;                  /* fitted to */
    double error;                   /* root mean square of predicted / measured - 1 where fitted */
    double correlation;             /* Spearman's with the time, on the space left out; NaN */
    size_t place;                   /* of its fastest point by the fitted metric; 0: not known */
    double regret;                  /* of the best `budget` there by it; NaN */
    double regret_low, regret_high; /* 95 % of bootstrap samples of the times there, the weights as
                                       they are; NaN: not asked for */
} FitResult;

/* Fits the metrics with these numbers to all sets, and, when there are two or more, to all but each
 * one: one result for each space left out and a last one for all.  `budgets`: per set, how many may
 * be timed; `bootstraps`: resamplings of the times, 0 for none.  NULL after a message: fewer points
 * that have a time and all the metrics than weights.
 */
const FitResult *fit_metrics(Arena *a, const Table *const *sets, size_t set_count,
                             const int *metrics, size_t metric_count, const size_t *budgets,
                             size_t bootstraps, size_t *count, Diag *d);
