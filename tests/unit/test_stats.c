/* The median against its definition: half of the numbers are not larger, half are not smaller. */
#include "tuner/measure/stats.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_none_it_is_not_known),
        cmocka_unit_test(of_an_even_count_it_is_between_the_middle_two),
        cmocka_unit_test(half_of_the_numbers_lie_on_each_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
