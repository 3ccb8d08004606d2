/* A Gaussian process against what it must be: exact on its data, the prior far from them, and the
 * shape that made the data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/choose/process.h"

#include <math.h>

static void likeness_counts_equal_and_neighbouring_values(void **state)
{
    (void)state;
    const uint16_t a[] = {0, 3, 7, 2}, b[] = {0, 4, 5, 1};
    assert_int_equal(process_similarity(a, b, 4), 2 + 1 + 0 + 1);
    assert_int_equal(process_similarity(a, a, 4), 8);
}

static void a_process_knows_its_data_and_doubts_the_rest(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const uint16_t points[] = {0, 0, 1, 4, 4, 1, 5, 5};
    const double y[] = {1, 2, 3, 4}, none[] = {0, 0, 0, 0};
    ProcessShape shape = {.local = 1, .decay = 0.1, .noise = 1e-4};
    ProcessData data = {.count = 4, .parameters = 2, .points = points, .y = y, .variance = none};
    Process *p = process_fit(a, &data, &shape, 1);
    assert_non_null(p);
    double means[4];
    process_means(p, points, NULL, 4, means);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(means[i] - y[i]) < 1e-3);
        assert_true(process_deviation(p, points + 2 * i, NULL) < 1e-2);
    }
    const uint16_t far[] = {9, 9};
    assert_true(process_deviation(p, far, NULL) > 0.95);
    arena_free(a);
}

/* Two points far apart, by hand: K = [[1 + 0.5^2 + 0.11, 0.25], [0.25, 1 + 0.5^2]], its determinant
 * 1.6375; the mean by generalized least squares (1 + 1.11 * 3) / 2.11; at the first point K^-1 (y -
 * mean) = (-q, q) with q = 2 / 2.11 adds -q + 0.25 q to it. */
static void two_values_are_weighed_by_their_variances(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const uint16_t points[] = {0, 5};
    const double y[] = {1, 3}, variance[] = {0.11, 0};
    ProcessShape shape = {.local = 1, .decay = 0.25, .noise = 0.5};
    ProcessData data = {
        .count = 2, .parameters = 1, .points = points, .y = y, .variance = variance};
    Process *p = process_fit(a, &data, &shape, 1);
    double means[2];

    process_means(p, points, NULL, 2, means);

    const double mean = (1 + 1.11 * 3) / 2.11, q = 2 / 2.11;
    assert_true(fabs(means[0] - (mean - 0.75 * q)) < 1e-9);
    assert_true(fabs(means[1] - (mean + 0.75 * q)) < 1e-9);
    arena_free(a);
}

static void a_slope_is_followed(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const uint16_t points[] = {0, 1, 2, 3, 4, 5};
    const double x[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5}, none[6] = {0};
    double y[6], mean, at = 2;
    for (int i = 0; i < 6; i++)
        y[i] = 7 + x[i];
    ProcessShape shapes[] = {{.spread = {0.01}, .linear = 0.01, .noise = 0.01},
                             {.spread = {0.01}, .linear = 0.01, .noise = 0.01}};
    shapes[1].slope[0] = 1;
    ProcessData data = {.count = 6,
                        .parameters = 1,
                        .points = points,
                        .inputs = 1,
                        .x = x,
                        .y = y,
                        .variance = none};
    Process *p = process_fit(a, &data, shapes, 2);
    assert_true(process_shape(p)->slope[0] == 1);
    const uint16_t other[] = {9};
    process_means(p, other, &at, 1, &mean);
    assert_true(fabs(mean - 9) < 0.1);
    arena_free(a);
}

/* Of two means the one that the values bear out is followed, whatever the slopes were before. */
static void of_two_means_the_right_one_is_followed(void **state)
{
    (void)state;
    enum { N = 20 };
    Arena *a = arena_new();
    uint16_t points[N] = {0};
    double x[2 * N], y[N], none[N] = {0}, mean, at[] = {3, 1};
    for (int i = 0; i < N; i++) {
        x[2 * i] = (i * 7 % N) / 10.0; /* says nothing */
        x[2 * i + 1] = i / 10.0;
        y[i] = 5 + x[2 * i + 1];
    }
    ProcessShape shape = {.slope = {0.5, 0.5}, .spread = {0.5, 0.5}, .linear = 0.01, .noise = 0.01};
    ProcessData data = {.count = N,
                        .parameters = 1,
                        .points = points,
                        .inputs = 2,
                        .x = x,
                        .y = y,
                        .variance = none};
    Process *p = process_fit(a, &data, &shape, 1);
    process_means(p, points, at, 1, &mean);
    assert_true(fabs(mean - 6) < 0.05);
    assert_true(process_deviation(p, points, at) <
                0.5 * sqrt(9 + 1)); /* the prior one of the slopes */
    arena_free(a);
}

static void what_is_not_finite_is_refused(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const uint16_t points[] = {0, 1};
    const double y[] = {1, INFINITY}, none[] = {0, 0};
    ProcessShape shape = {.linear = 1, .noise = 0.1};
    ProcessData data = {.count = 2, .parameters = 1, .points = points, .y = y, .variance = none};
    assert_null(process_fit(a, &data, &shape, 1));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likeness_counts_equal_and_neighbouring_values),
        cmocka_unit_test(a_process_knows_its_data_and_doubts_the_rest),
        cmocka_unit_test(two_values_are_weighed_by_their_variances),
        cmocka_unit_test(a_slope_is_followed),
        cmocka_unit_test(of_two_means_the_right_one_is_followed),
        cmocka_unit_test(what_is_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
