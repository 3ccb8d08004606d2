/* Statistics of repeated times.
 *
 * Kernel times are not normally distributed: they have a floor, a tail above it, and come in clusters.  So
 * nothing here assumes a distribution: medians, confidence intervals of the median by order statistics, and
 * for two kernels timed alternately the interval of the median of their ratios. */
#pragma once

#include "metrics/base/arena.h"

#include <stdint.h>

/* The median of `count` numbers, the mean of the middle two for an even count; NaN for none. */
double stats_median(const double *values, size_t count);

typedef struct StatsInterval {
    double low, high;
} StatsInterval;

/* Probability that the intervals below cover the true median. */
#define STATS_CONFIDENCE 0.95

/* Fewest values of which two can form such an interval: minimum and maximum miss the median with probability
 * 2 / 2^5 for 5 values, 2 / 2^6 for 6. */
enum { STATS_INTERVAL_LEAST = 6 };

/* The number of sorted values outside the interval of the median at each end: the largest k for which the k
 * smallest and the k largest can be left out.  0 for fewer than STATS_INTERVAL_LEAST values. */
size_t stats_interval_outside(size_t count);

/* Distribution-free confidence interval of the median, bounded by two of the values.  Fewer values than
 * STATS_INTERVAL_LEAST are too few for one: then it is their range, widened at both ends by the fraction
 * `few`, the caller's knowledge of how far a time strays.  NaN for none. */
StatsInterval stats_interval(const double *values, size_t count, double few);

/* For two kernels timed alternately, a[i] next to b[i]: the interval of the median of a[i] / b[i].  Drift
 * of the clock, which both share, cancels.  Meaningful from STATS_INTERVAL_LEAST values on; NaN for none. */
StatsInterval stats_ratio_interval(const double *a, const double *b, size_t count);

/* The median of a[i] / b[i]. */
double stats_ratio(const double *a, const double *b, size_t count);

/* A column of numbers to sort by. */
typedef struct Criterion {
    const double *values; /* one per point; NaN: not known */
    bool up;              /* larger is better */
} Criterion;

/* Sorts `points`, `count` indices, in place, best first, by the first criterion of `by`, then the second …;
 * unknown values come last, and equal points by index. */
void stats_order(size_t *points, size_t count, const Criterion *by, size_t by_count);

/* An index with a sort key. */
typedef struct Ranked {
    double key;
    size_t at;
} Ranked;

/* Sorts by key, NaN last, then by index. */
void stats_rank(Ranked *list, size_t count);

/* The same with an integer key. */
typedef struct Numbered {
    uint64_t key;
    size_t at;
} Numbered;

void stats_number(Numbered *list, size_t count);

/* The Pareto front of points (x, y), small values better: indices in `a`, by ascending x.  Points with a NaN
 * are left out; of equal points the first is kept. */
size_t *stats_front(Arena *a, const double *x, const double *y, size_t points, size_t *count);
