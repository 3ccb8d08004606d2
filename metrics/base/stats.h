/* Statistics of repeated times.
 *
 * Times of a kernel are no normal distribution: they have a floor, a tail above it, and come in
 * groups.  So nothing here assumes a distribution: the median, the interval of the median by order
 * statistics, and for two kernels timed in turn the interval of the median of their ratios. */
#pragma once

#include "metrics/base/arena.h"

#include <stdint.h>

/* The median of `count` numbers, the mean of the middle two for an even count; NaN for none.
 * `values` is left as it is. */
double stats_median(const double *values, size_t count);

typedef struct StatsInterval {
    double low, high;
} StatsInterval;

/* Probability with which the intervals below hold the true median. */
#define STATS_CONFIDENCE 0.95

/* Fewest values of which any two can be such an interval: smallest and largest of 5 miss the median
 * with probability 2 / 2^5, of 6 with 2 / 2^6. */
enum { STATS_INTERVAL_LEAST = 6 };

/* How many of the sorted values lie outside at each end of the interval of the median: the largest
 * number k for which the k smallest and the k largest can be left out.  `count` from
 * STATS_INTERVAL_LEAST on; 0 below, where even all of them are too few. */
size_t stats_interval_outside(size_t count);

/* The interval of the median: two of the values, between which the true median lies with
 * STATS_CONFIDENCE, whatever the distribution.  Fewer values than STATS_INTERVAL_LEAST say too
 * little for one; then it is their range, made wider by `few` times itself at both ends, where
 * `few` is what the caller knows of how far a time strays.  NaN for none. */
StatsInterval stats_interval(const double *values, size_t count, double few);

/* Of two kernels timed in turn, a[i] right beside b[i]: the interval of the median of a[i] / b[i].
 * What both share, a drifting clock most of all, cancels.  `count` from STATS_INTERVAL_LEAST on for
 * an interval that says something; NaN for none. */
StatsInterval stats_ratio_interval(const double *a, const double *b, size_t count);

/* The median of a[i] / b[i]. */
double stats_ratio(const double *a, const double *b, size_t count);

/* A column of numbers, and which way is better. */
typedef struct Criterion {
    const double *values; /* one per point; NaN: not known */
    bool up;              /* larger is better */
} Criterion;

/* Sorts `points` (their numbers, `count` of them) in place, best first, by the first criterion of
 * `by`, then the second …; a value that is not known comes last, and equal points by number. */
void stats_order(size_t *points, size_t count, const Criterion *by, size_t by_count);

/* Something, by its number, with what it is put in order by. */
typedef struct Ranked {
    double key;
    size_t at;
} Ranked;

/* The smallest key first, NaN last, of equal keys the smallest number. */
void stats_rank(Ranked *list, size_t count);

/* The same with a whole number as key. */
typedef struct Numbered {
    uint64_t key;
    size_t at;
} Numbered;

void stats_number(Numbered *list, size_t count);

/* Of points (x, y), in `a`: those that no other one beats in both, small x first, say time against
 * energy.  A point with a NaN takes no part; of equal ones the first. */
size_t *stats_front(Arena *a, const double *x, const double *y, size_t points, size_t *count);
