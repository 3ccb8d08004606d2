#include "tuner/study/ranking.h"

#include "metrics/base/random.h"

#include <string.h>

static void sort_times(Table *t)
{
    Arena *scratch = arena_new();
    double *times = ARENA_ARRAY(scratch, double, t->count);
    size_t count;
    for (size_t i = 0; i < t->count; i++)
        times[i] = t->same_as[i] == i ? t->ms[i] : NAN;
    t->sorted = random_sorted(t->arena, times, t->count, &count);
    arena_free(scratch);
}

void ranking_set(Table *t)
{
    t->timed = t->distinct = t->profiled = 0;
    t->best = SIZE_MAX;
    for (size_t i = 0; i < t->count; i++) {
        t->profiled += table_profile(t, i) != NULL;
        if (isnan(t->ms[i]))
            continue;
        t->timed++;
        if (t->same_as[i] != i)
            continue;
        t->distinct++;
        if (t->best == SIZE_MAX || t->ms[i] < t->ms[t->best])
            t->best = i;
    }
    sort_times(t);
    for (size_t m = 0; t->metric && m < t->metrics->metrics.count; m++) {
        t->gaps[m].points = 0;
        for (size_t i = 0; i < t->count; i++)
            t->gaps[m].points += table_profile(t, i) && isnan(t->metric[m][i]);
    }
}

void ranking_tell_gaps(const Table *t, const Source *source, Diag *d)
{
    for (size_t m = 0; m < t->metrics->metrics.count; m++) {
        const Metric *metric = &t->metrics->metrics.at[m];
        const MetricGap *gap = &t->gaps[m];
        if (metric->at.source != source || gap->points == 0)
            continue;
        Span at = gap->at.source ? gap->at : metric->at;
        diag_warn(d, at, "'%s' is not known for %zu of %zu configurations of %s: %s", metric->name,
                  gap->points, t->profiled, t->name, gap->reason);
    }
}

/* --- rows in the order of a value ------------------------------------------------------------- */

/* A point by the bits of its value. */
typedef struct Entry {
    uint64_t key;
    uint32_t point;
} Entry;

/* Bits whose order as a whole number is that of the doubles: positive ones are above all negative
 * ones, and of these the larger bits are the smaller numbers.  Both zeros are one. */
static uint64_t key_of(double value, bool down)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    bits ^= bits >> 63 ? UINT64_MAX : (uint64_t)1 << 63;
    return down ? ~bits : bits;
}

enum { DIGIT = 8, DIGITS = 64 / DIGIT, VALUES = 1 << DIGIT };

static unsigned digit_of(uint64_t key, int d)
{
    return (unsigned)(key >> d * DIGIT) & (VALUES - 1);
}

/* Moves the entries to `to` in the order of one digit; false, nothing done, when it is the same in
 * all. */
static bool sort_digit(const Entry *from, Entry *to, size_t n, int d, size_t *counts)
{
    size_t place = 0;
    if (counts[digit_of(from[0].key, d)] == n)
        return false;
    for (size_t v = 0; v < VALUES; v++) {
        size_t count = counts[v];
        counts[v] = place;
        place += count;
    }
    for (size_t i = 0; i < n; i++)
        to[counts[digit_of(from[i].key, d)]++] = from[i];
    return true;
}

void order_by(Arena *scratch, const double *values, bool down, uint32_t *points, size_t count)
{
    Entry *from = ARENA_ARRAY(scratch, Entry, count), *to = ARENA_ARRAY(scratch, Entry, count);
    size_t counts[DIGITS][VALUES] = {{0}};
    for (size_t i = 0; i < count; i++) {
        from[i] = (Entry){key_of(values[points[i]], down), points[i]};
        for (int d = 0; d < DIGITS; d++)
            counts[d][digit_of(from[i].key, d)]++;
    }
    for (int d = 0; d < DIGITS && count > 1; d++) {
        if (!sort_digit(from, to, count, d, counts[d]))
            continue;
        Entry *swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; i < count; i++)
        points[i] = from[i].point;
}

void order_ranks(Arena *scratch, const double *values, size_t count, double *ranks)
{
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    order_by(scratch, values, false, order, count);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && values[order[to]] <= values[order[from]]; to++)
            continue;
        double mean = (double)(from + 1 + to) / 2;
        for (size_t k = from; k < to; k++)
            ranks[order[k]] = mean;
    }
}
