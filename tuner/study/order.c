#include "tuner/study/order.h"

#include <string.h>

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
