/* What a process over a space is fitted to, computed by hand. */
#include "tuner/choose/samples.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Of 10, the best 2 and, of the 8 behind them, those in the middle of each third. */
static void the_best_stay_and_some_of_the_rest(void **state)
{
    static const size_t left[] = {0, 1, 3, 6, 8};
    Sample s[10];
    (void)state;
    for (size_t i = 0; i < 10; i++)
        s[i] = (Sample){.row = i, .y = (double)(9 - i)};
    assert_int_equal(samples_thin(s, 10, 2, 3), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_true(s[i].y == (double)left[i]);
        assert_int_equal(s[i].row, 9 - left[i]);
    }
}

static void few_are_sorted_and_all_stay(void **state)
{
    Sample s[] = {{4, 2, 0}, {9, 1, 0}, {3, 2, 0}, {7, 1, 0}, {1, 3, 0}};
    static const size_t rows[] = {7, 9, 3, 4, 1};
    (void)state;
    assert_int_equal(samples_thin(s, 5, 2, 3), 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(s[i].row, rows[i]);
    assert_int_equal(sample_compare(&s[2], &s[2]), 0);
    assert_int_equal(samples_thin(s, 0, 2, 3), 0);
}

/* Nothing within 0.1 of the least; then the square of what is beyond. */
static void what_is_far_need_not_be_exact(void **state)
{
    static const struct {
        double y, own, variance;
    } all[] = {{1, 0.25, 0.25}, {1.05, 0, 0}, {1.6, 0, 0.0125}, {3.1, 0.25, 0.45}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const Sample s = {0, all[i].y, all[i].own};
        assert_true(fabs(sample_variance(&s, 1, 0.05) - all[i].variance) < 1e-12);
    }
    assert_true(space_blur == 0.05);
}

static void assert_shape(const ProcessShape *s, double slope, double linear, double local,
                         double decay, double noise)
{
    assert_true(s->slope[0] == slope && s->slope[1] == 0);
    assert_true(s->spread[0] == 0.3 && s->spread[1] == 0);
    assert_true(s->linear == linear && s->local == local);
    assert_true(s->decay == decay && s->noise == noise);
    assert_true(s->cost == 1.5 * slope);
}

/* Every combination, the decay changing first; those with a mean before those without one. */
static void shapes_are_all_combinations(void **state)
{
    ProcessShape s[SPACE_SHAPES];
    (void)state;
    assert_int_equal(samples_shapes(s, 0), 64);
    assert_shape(&s[0], 0, 0.03, 0.1, 0.6, 0.01);
    assert_int_equal(samples_shapes(s, 1), SPACE_SHAPES);
    assert_shape(&s[0], 1, 0.03, 0.1, 0.6, 0.01);
    assert_shape(&s[1], 1, 0.03, 0.1, 0.85, 0.01);
    assert_shape(&s[2], 1, 0.03, 0.1, 0.6, 0.05);
    assert_shape(&s[4], 1, 0.03, 0.3, 0.6, 0.01);
    assert_shape(&s[24], 1, 0.3, 1, 0.6, 0.01);
    assert_shape(&s[44], 1, 1, 2, 0.6, 0.01);
    assert_shape(&s[63], 1, 3, 2, 0.85, 0.05);
    assert_shape(&s[64], 0, 0.03, 0.1, 0.6, 0.01);
    assert_shape(&s[127], 0, 3, 2, 0.85, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_stay_and_some_of_the_rest),
        cmocka_unit_test(few_are_sorted_and_all_stay),
        cmocka_unit_test(what_is_far_need_not_be_exact),
        cmocka_unit_test(shapes_are_all_combinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
