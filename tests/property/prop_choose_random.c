/* The expected best of a random sample: all samples of small sets, and two independent ways to
 * compute it for large ones. */
#include "metrics/base/random.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static double best_with(Arena *a, const double *times, size_t n, size_t sample)
{
    size_t count;
    const double *sorted = random_sorted(a, times, n, &count);
    return random_sorted_with(sorted, count, sample);
}

static void assert_close(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* Mean over every subset of `s` elements. */
static double mean_over_subsets(const double *t, unsigned n, unsigned s)
{
    double sum = 0;
    unsigned count = 0;
    for (unsigned set = 0; set < 1u << n; set++) {
        double best = INFINITY;
        unsigned size = 0;
        for (unsigned i = 0; i < n; i++) {
            if (set >> i & 1u) {
                size++;
                best = fmin(best, t[i]);
            }
        }
        if (size == s) {
            sum += best;
            count++;
        }
    }
    return sum / count;
}

/* Mean over every sequence of `s` elements, repetition allowed. */
static double mean_over_sequences(const double *t, unsigned n, unsigned s)
{
    unsigned all = 1;
    for (unsigned i = 0; i < s; i++)
        all *= n;
    double sum = 0;
    for (unsigned code = 0; code < all; code++) {
        double best = INFINITY;
        unsigned rest = code;
        for (unsigned i = 0; i < s; i++, rest /= n)
            best = fmin(best, t[rest % n]);
        sum += best;
    }
    return sum / all;
}

static const double small[] = {3.5, 1.25, 9, 4, 4, 2, 17, 1.25};

static void small_sets_agree_with_all_their_samples(void **state)
{
    (void)state;
    Arena *a = arena_new();
    for (unsigned n = 1; n <= 8; n++) {
        for (unsigned s = 1; s <= n; s++) {
            assert_close(random_best_without(a, small, n, s), mean_over_subsets(small, n, s),
                         1e-14);
            if (s <= 5)
                assert_close(best_with(a, small, n, s), mean_over_sequences(small, n, s), 1e-14);
        }
    }
    arena_free(a);
}

static void the_whole_set_finds_the_best_and_one_draw_the_mean(void **state)
{
    (void)state;
    Arena *a = arena_new();

    assert_close(random_best_without(a, small, 8, 8), 1.25, 1e-15);
    assert_close(random_best_without(a, small, 8, 100), 1.25, 1e-15);
    assert_close(random_best_without(a, small, 8, 1), 42.0 / 8, 1e-15);
    assert_close(best_with(a, small, 8, 1), 42.0 / 8, 1e-15);
    arena_free(a);
}

static void failed_configurations_are_left_out(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const double times[] = {2, NAN, 4, INFINITY};

    assert_close(random_best_without(a, times, 4, 1), 3, 1e-15);
    assert_true(isnan(random_best_without(a, times + 3, 1, 1)));
    assert_true(isnan(best_with(a, times, 0, 1)));
    assert_true(isnan(best_with(a, times, 4, 0)));
    arena_free(a);
}

enum { MANY = 100000 };

/* (A.8) for the minimum, by logarithms of binomials. */
static double by_logarithms(const double *t, unsigned n, unsigned s)
{
    double mean = 0, all = gsl_sf_lnchoose(n, s);
    for (unsigned i = 0; i + s <= n; i++)
        mean += t[i] * exp(gsl_sf_lnchoose(n - 1 - i, s - 1) - all);
    return mean;
}

static void large_sets_agree_with_logarithms_of_binomials(void **state)
{
    (void)state;
    Arena *a = arena_new();
    double *t = ARENA_ARRAY(a, double, MANY);
    static const unsigned samples[] = {1, 2, 20, 1000, 50000, 99999, 100000};
    for (unsigned i = 0; i < MANY; i++)
        t[i] = 1 + (double)i * i * 1e-6;

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        assert_close(random_best_without(a, t, MANY, samples[i]),
                     by_logarithms(t, MANY, samples[i]), 1e-9);
    arena_free(a);
}

/* For the times 1, 2 … n the answer is known in closed form: (n+1)/(s+1). */
static void ranks_have_the_mean_of_the_textbook(void **state)
{
    (void)state;
    Arena *a = arena_new();
    double *t = ARENA_ARRAY(a, double, MANY);
    for (unsigned i = 0; i < MANY; i++)
        t[i] = i + 1;

    for (unsigned s = 1; s <= MANY; s = s * 3 + 1)
        assert_close(random_best_without(a, t, MANY, s), (MANY + 1.0) / (s + 1.0), 1e-11);
    arena_free(a);
}

/* Of the times 1, 2 … n the least of a sample is above k with probability C(n-k, s) / C(n, s). */
static void quantiles_are_where_the_textbook_has_them(void **state)
{
    (void)state;
    Arena *a = arena_new();
    double *t = ARENA_ARRAY(a, double, MANY);
    for (unsigned i = 0; i < MANY; i++)
        t[i] = i + 1;
    static const double wanted[] = {0.1, 0.5, 0.9};
    for (unsigned s = 1; s <= MANY; s = s * 3 + 1)
        for (int w = 0; w < 3; w++) {
            unsigned k = (unsigned)random_sorted_quantile(t, MANY, s, wanted[w]);
            double all = gsl_sf_lnchoose(MANY, s);
            double above = k + s > MANY ? 0 : exp(gsl_sf_lnchoose(MANY - k, s) - all);
            double before = exp(gsl_sf_lnchoose(MANY - k + 1, s) - all);
            assert_true(1 - above >= wanted[w] - 1e-6 && 1 - before < wanted[w] + 1e-6);
        }
    assert_true(random_sorted_quantile(t, 5, 9, 0.9) == 1);
    assert_true(isnan(random_sorted_quantile(t, 0, 1, 0.5)));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sets_agree_with_all_their_samples),
        cmocka_unit_test(the_whole_set_finds_the_best_and_one_draw_the_mean),
        cmocka_unit_test(failed_configurations_are_left_out),
        cmocka_unit_test(large_sets_agree_with_logarithms_of_binomials),
        cmocka_unit_test(ranks_have_the_mean_of_the_textbook),
        cmocka_unit_test(quantiles_are_where_the_textbook_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
