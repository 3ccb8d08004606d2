/* The median against its definition: half of the numbers are not larger, half are not smaller.  Its
 * interval against counting: how many of the ways for values to fall above or below the true median
 * leave it inside. */
#include "metrics/base/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void of_none_it_is_not_known(void **state)
{
    (void)state;
    assert_true(isnan(stats_median(NULL, 0)));
}

static void of_an_even_count_it_is_between_the_middle_two(void **state)
{
    (void)state;
    const double values[] = {8, 1, 4, 3};

    assert_true(stats_median(values, 1) == 8);
    assert_true(stats_median(values, 2) == 4.5);
    assert_true(stats_median(values, 3) == 4);
    assert_true(stats_median(values, 4) == 3.5);
}

/* A generator of small numbers, many of them equal; constants of Numerical Recipes. */
static double next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 24) / 16;
}

static void half_of_the_numbers_lie_on_each_side(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (size_t n = 1; n <= 64; n++) {
        double values[64], before[64];
        for (size_t i = 0; i < n; i++)
            before[i] = values[i] = next(&seed);

        double median = stats_median(values, n);

        size_t below = 0, above = 0;
        for (size_t i = 0; i < n; i++) {
            below += values[i] < median;
            above += values[i] > median;
            assert_true(values[i] == before[i]);
        }
        assert_true(2 * below <= n && 2 * above <= n);
    }
}

/* Of the 2^n equally likely ways for n values to lie below or above the median, the part in which
 * at most k lie below. */
static double at_most_below(unsigned n, unsigned k)
{
    unsigned ways = 0;
    for (unsigned way = 0; way < 1u << n; way++)
        ways += (unsigned)__builtin_popcount(way) <= k;
    return (double)ways / (double)(1u << n);
}

/* [k, n − 1 − k] of the sorted values misses the median when at most k lie on one side of it. */
static void intervals_are_the_narrowest_that_miss_rarely_enough(void **state)
{
    (void)state;
    for (unsigned n = STATS_INTERVAL_LEAST; n <= 18; n++) {
        unsigned k = (unsigned)stats_interval_outside(n);

        assert_true(2 * at_most_below(n, k) <= 1 - STATS_CONFIDENCE + 1e-12);
        assert_true(2 * at_most_below(n, k + 1) > 1 - STATS_CONFIDENCE);
    }
    for (unsigned n = 1; n < STATS_INTERVAL_LEAST; n++) {
        assert_int_equal(stats_interval_outside(n), 0);
        assert_true(2 * at_most_below(n, 0) > 1 - STATS_CONFIDENCE);
    }
}

/* Uniform in (0, 1); a 64-bit generator of Knuth's (MMIX). */
static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

/* A floor with a long tail, as times have: its median is 1 + ln 2. */
static double exponential(uint64_t *seed)
{
    return 1 - log(uniform(seed));
}

static void intervals_hold_the_true_median_as_often_as_they_say(void **state)
{
    (void)state;
    enum { TRIES = 20000, MOST = 40 };
    uint64_t seed = 1;
    const double median = 1 + log(2);
    for (size_t n = STATS_INTERVAL_LEAST; n <= MOST; n += 7) {
        size_t held = 0;
        double values[MOST];
        for (int i = 0; i < TRIES; i++) {
            for (size_t k = 0; k < n; k++)
                values[k] = exponential(&seed);
            StatsInterval in = stats_interval(values, n, 0);
            held += in.low <= median && median <= in.high;
        }
        /* Four standard deviations of the count below what is promised. */
        double slack = 4 * sqrt(STATS_CONFIDENCE * (1 - STATS_CONFIDENCE) / TRIES);
        assert_true((double)held / TRIES >= STATS_CONFIDENCE - slack);
    }
}

static void of_few_values_the_interval_is_their_range_made_wider(void **state)
{
    (void)state;
    const double values[] = {3, 1, 2};

    StatsInterval i = stats_interval(values, 3, 0.5);

    assert_true(i.low == 0.5 && i.high == 4.5);
    assert_true(isnan(stats_interval(NULL, 0, 0.5).low));
}

/* Both drift by a factor of three meanwhile; one is 1 % slower. */
static void what_two_share_cancels_in_their_ratios(void **state)
{
    (void)state;
    enum { ROUNDS = 21 };
    uint64_t seed = 3;
    double a[ROUNDS], b[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        double drift = 1 + 2 * (double)i / ROUNDS;
        a[i] = 1.01 * drift * (1 + 0.002 * (uniform(&seed) - 0.5));
        b[i] = drift * (1 + 0.002 * (uniform(&seed) - 0.5));
    }

    StatsInterval apart = stats_ratio_interval(a, b, ROUNDS);
    StatsInterval alone = stats_interval(a, ROUNDS, 0);

    assert_true(apart.low > 1 && apart.high < 1.02);
    assert_true(stats_ratio(a, b, ROUNDS) > apart.low && stats_ratio(a, b, ROUNDS) < apart.high);
    assert_true(alone.low < stats_median(b, ROUNDS) && stats_median(b, ROUNDS) < alone.high);
}

/* Equal kernels are called different no more often than an interval may miss. */
static void equal_ones_are_rarely_told_apart(void **state)
{
    (void)state;
    enum { TRIES = 20000, ROUNDS = 15 };
    uint64_t seed = 5;
    int apart = 0;
    for (int i = 0; i < TRIES; i++) {
        double a[ROUNDS], b[ROUNDS];
        for (size_t k = 0; k < ROUNDS; k++) {
            a[k] = exponential(&seed);
            b[k] = exponential(&seed);
        }
        StatsInterval r = stats_ratio_interval(a, b, ROUNDS);
        apart += r.low > 1 || r.high < 1;
    }
    assert_true(apart > 0 && (double)apart / TRIES <= 1 - STATS_CONFIDENCE);
}

static void a_front_is_what_no_other_point_beats_in_both(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const double x[] = {3, 1, 2, 2, NAN, 1, 4, 5, 2}, y[] = {2, 9, 5, 5, 0, 9.5, NAN, 2, 4};
    size_t count;
    size_t *front = stats_front(a, x, y, 9, &count);
    assert_int_equal(count, 3);
    assert_true(front[0] == 1 && front[1] == 8 && front[2] == 0);
    front = stats_front(a, (double[]){7, 7}, (double[]){8, 8}, 2, &count);
    assert_true(count == 1 && front[0] == 0);
    stats_front(a, x, y, 0, &count);
    assert_int_equal(count, 0);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_front_is_what_no_other_point_beats_in_both),
        cmocka_unit_test(of_none_it_is_not_known),
        cmocka_unit_test(of_an_even_count_it_is_between_the_middle_two),
        cmocka_unit_test(half_of_the_numbers_lie_on_each_side),
        cmocka_unit_test(intervals_are_the_narrowest_that_miss_rarely_enough),
        cmocka_unit_test(intervals_hold_the_true_median_as_often_as_they_say),
        cmocka_unit_test(of_few_values_the_interval_is_their_range_made_wider),
        cmocka_unit_test(what_two_share_cancels_in_their_ratios),
        cmocka_unit_test(equal_ones_are_rarely_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
