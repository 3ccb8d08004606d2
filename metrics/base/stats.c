#include "metrics/base/stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *sorted_copy(const double *values, size_t count)
{
    double *sorted = memory_new(count * sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    gsl_sort(sorted, 1, count);
    return sorted;
}

double stats_median(const double *values, size_t count)
{
    if (count == 0)
        return NAN;
    double *sorted = sorted_copy(values, count);
    double median = gsl_stats_median_from_sorted_data(sorted, 1, count);
    free(sorted);
    return median;
}

/* Each value lies below the true median with probability 1/2, so the number that do is binomial; the k-th
 * smallest lies above the median if fewer than k do.  This is the sign test inverted, e.g. H. A. David and
 * H. N. Nagaraja, Order Statistics, 3rd edition, section 7.1. */
size_t stats_interval_outside(size_t count)
{
    const double tail = (1 - STATS_CONFIDENCE) / 2;
    size_t k = 0;
    while (count > 0 && gsl_cdf_binomial_P((unsigned)k, 0.5, (unsigned)count) <= tail)
        k++;
    return k > 0 ? k - 1 : 0;
}

StatsInterval stats_interval(const double *values, size_t count, double few)
{
    if (count == 0)
        return (StatsInterval){NAN, NAN};
    double *sorted = sorted_copy(values, count);
    size_t k = stats_interval_outside(count);
    StatsInterval i = {sorted[k], sorted[count - 1 - k]};
    free(sorted);
    if (count < STATS_INTERVAL_LEAST) {
        i.low *= 1 - few;
        i.high *= 1 + few;
    }
    return i;
}

static double *ratios(const double *a, const double *b, size_t count)
{
    double *r = memory_new(count * sizeof *r);
    for (size_t i = 0; i < count; i++)
        r[i] = a[i] / b[i];
    return r;
}

StatsInterval stats_ratio_interval(const double *a, const double *b, size_t count)
{
    double *r = ratios(a, b, count);
    StatsInterval i = stats_interval(r, count, 0);
    free(r);
    return i;
}

double stats_ratio(const double *a, const double *b, size_t count)
{
    double *r = ratios(a, b, count);
    double median = stats_median(r, count);
    free(r);
    return median;
}

typedef struct Order {
    const Criterion *criteria;
    size_t count;
} Order;

static int value_compare(double p, double q, bool up)
{
    if (isnan(p) || isnan(q))
        return isnan(p) - isnan(q);
    int smaller_first = (p > q) - (p < q);
    return up ? -smaller_first : smaller_first;
}

static int point_compare(const void *pa, const void *pb, void *context)
{
    size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    const Order *order = context;
    EACH (const Criterion, c, order->criteria, order->count) {
        int result = value_compare(c->values[a], c->values[b], c->up);
        if (result)
            return result;
    }
    return (a > b) - (a < b);
}

void stats_order(size_t *points, size_t count, const Criterion *by, size_t by_count)
{
    Order o = {by, by_count};
    if (count > 1)
        qsort_r(points, count, sizeof *points, point_compare, &o);
}

static int ranked_compare(const void *pa, const void *pb)
{
    const Ranked *a = pa, *b = pb;
    int result = value_compare(a->key, b->key, false);
    return result ? result : (a->at > b->at) - (a->at < b->at);
}

void stats_rank(Ranked *list, size_t count)
{
    if (count > 1)
        qsort(list, count, sizeof *list, ranked_compare);
}

static int numbered_compare(const void *pa, const void *pb)
{
    const Numbered *a = pa, *b = pb;
    return a->key != b->key ? (a->key > b->key ? 1 : -1) : (a->at > b->at) - (a->at < b->at);
}

void stats_number(Numbered *list, size_t count)
{
    if (count > 1)
        qsort(list, count, sizeof *list, numbered_compare);
}

size_t *stats_front(Arena *a, const double *x, const double *y, size_t points, size_t *count)
{
    const Criterion by[] = {{x, false}, {y, false}};
    size_t *list = ARENA_ARRAY(a, size_t, points), n = 0;
    for (size_t i = 0; i < points; i++)
        if (!isnan(x[i]) && !isnan(y[i]))
            list[n++] = i;
    stats_order(list, n, by, 2);
    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (*count == 0 || y[list[i]] < y[list[*count - 1]])
            list[(*count)++] = list[i];
    return list;
}
