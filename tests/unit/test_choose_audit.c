/* Bounds from a sample of what was dropped, against sums over all samples there are and against
 * closed forms. */
#include "tuner/choose/audit.h"

#include <math.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static double choose(size_t n, size_t k)
{
    double c = 1;
    for (size_t i = 0; i < k; i++)
        c = c * (double)(n - i) / (double)(i + 1);
    return k > n ? 0 : c;
}

/* Probability of at most `good` successes in `n` tries, term by term. */
static double binomial_at_most(size_t good, size_t n, double p)
{
    double sum = 0;
    for (size_t k = 0; k <= good; k++)
        sum += choose(n, k) * pow(p, (double)k) * pow(1 - p, (double)(n - k));
    return sum;
}

/* Samples of `sample` out of `all`, of which `many` are good, counted one by one as sets of bits:
 * the share with at most `good` good ones. */
static double drawn_at_most(size_t good, size_t all, size_t many, size_t sample)
{
    size_t few = 0, sets = 0;
    for (unsigned set = 0; set < 1u << all; set++) {
        if ((size_t)__builtin_popcount(set) != sample)
            continue;
        sets++;
        few += (size_t)__builtin_popcount(set & ((1u << many) - 1)) <= good;
    }
    return (double)few / (double)sets;
}

/* --- shares ----------------------------------------------------------------------------------- */

static void at_the_limit_so_few_good_ones_have_one_chance_in_twenty(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 60; n++)
        for (size_t good = 0; good < n; good++) {
            double limit = audit_share_high(n, good);
            assert_true(limit > (double)good / (double)n && limit < 1);
            assert_true(fabs(binomial_at_most(good, n, limit) - 0.05) < 1e-9);
        }
}

static void limits_are_those_of_published_tables(void **state)
{
    (void)state;
    /* The rule of three, exactly: 1 - 0.05^(1/n). */
    for (size_t n = 1; n <= 3000; n += 37)
        assert_true(fabs(audit_share_high(n, 0) - (1 - pow(0.05, 1.0 / (double)n))) < 1e-12);
    /* Upper ends of two-sided 90 % intervals, as in tables of Clopper and Pearson's. */
    assert_true(fabs(audit_share_high(10, 1) - 0.394) < 5e-4);
    assert_true(fabs(audit_share_high(20, 5) - 0.456) < 5e-4);
    assert_true(fabs(audit_share_high(100, 10) - 0.164) < 5e-4);
}

static void a_sample_of_nothing_or_of_good_ones_alone_excludes_nothing(void **state)
{
    (void)state;
    assert_true(audit_share_high(0, 0) >= 1);
    assert_true(audit_share_high(7, 7) >= 1);
    assert_int_equal(audit_count_high(50, 0, 0), 50);
    assert_int_equal(audit_count_high(50, 7, 7), 50);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void the_count_is_the_largest_that_brute_force_does_not_refute(void **state)
{
    (void)state;
    for (size_t all = 1; all <= 11; all++)
        for (size_t sample = 1; sample <= all; sample++)
            for (size_t good = 0; good <= sample; good++) {
                size_t most = good;
                for (size_t many = good; many <= all - (sample - good); many++)
                    if (drawn_at_most(good, all, many, sample) > 0.05 + 1e-12)
                        most = many;
                assert_int_equal(audit_count_high(all, sample, good), most);
            }
}

static void the_bound_holds_in_nineteen_of_twenty_samples_whatever_the_truth(void **state)
{
    (void)state;
    enum { ALL = 11 };
    for (size_t many = 0; many <= ALL; many++)
        for (size_t sample = 1; sample <= ALL; sample++) {
            size_t right = 0, sets = 0;
            for (unsigned set = 0; set < 1u << ALL; set++) {
                if ((size_t)__builtin_popcount(set) != sample)
                    continue;
                size_t good = (size_t)__builtin_popcount(set & ((1u << many) - 1));
                sets++;
                right += audit_count_high(ALL, sample, good) >= many;
            }
            assert_true((double)right >= 0.95 * (double)sets);
        }
}

static void a_sample_of_all_leaves_no_doubt(void **state)
{
    (void)state;
    for (size_t all = 1; all < 300; all += 13)
        for (size_t good = 0; good <= all; good += 7)
            assert_int_equal(audit_count_high(all, all, good), good);
    /* One not looked at: that just this one is good is one chance in so many. */
    assert_int_equal(audit_count_high(10561, 10560, 0), 0);
    assert_int_equal(audit_count_high(10, 9, 0), 1);
}

static void of_many_the_count_is_the_share_and_never_above_it(void **state)
{
    (void)state;
    static const size_t samples[] = {10, 20, 59, 300, 2000};
    for (size_t s = 0; s < sizeof samples / sizeof samples[0]; s++)
        for (size_t good = 0; good < 5; good++) {
            double share = audit_share_high(samples[s], good);
            size_t huge = 50000000, some = 4000;
            double exact = (double)audit_count_high(huge, samples[s], good) / (double)huge;
            assert_true(fabs(exact / share - 1) < 1e-3);
            assert_true((double)audit_count_high(some, samples[s], good) <=
                        share * (double)some + 1);
        }
}

/* --- drawing ---------------------------------------------------------------------------------- */

enum { NUMBERS = 40 };

static void a_draw_has_no_place_twice_and_a_larger_one_begins_with_it(void **state)
{
    (void)state;
    uint64_t numbers[NUMBERS];
    size_t all[NUMBERS], some[NUMBERS];
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = 1000 + 17 * i;
    for (uint64_t seed = 0; seed < 50; seed++) {
        bool seen[NUMBERS] = {false};
        assert_int_equal(audit_draw(seed, numbers, NUMBERS, 99, all), NUMBERS);
        assert_int_equal(audit_draw(seed, numbers, NUMBERS, 7, some), 7);
        assert_memory_equal(all, some, 7 * sizeof *all);
        for (size_t k = 0; k < NUMBERS; k++) {
            assert_false(seen[all[k]]);
            seen[all[k]] = true;
        }
    }
}

/* What is drawn goes with its number, not with its place: others that come or go change nothing. */
static void numbers_that_are_gone_leave_the_order_of_the_others(void **state)
{
    (void)state;
    uint64_t numbers[NUMBERS], fewer[NUMBERS];
    size_t all[NUMBERS], less[NUMBERS], n = 0, k = 0;
    for (size_t i = 0; i < NUMBERS; i++) {
        numbers[i] = i;
        if (i % 3 != 0)
            fewer[n++] = i;
    }
    audit_draw(5, numbers, NUMBERS, NUMBERS, all);
    audit_draw(5, fewer, n, n, less);
    for (size_t i = 0; i < NUMBERS; i++)
        if (numbers[all[i]] % 3 != 0)
            assert_int_equal(fewer[less[k++]], numbers[all[i]]);
    assert_int_equal(k, n);
}

/* Each of 40 is drawn in an eighth of 4000 draws of 5; the standard deviation is 21, and the
 * farthest of 40 is within 4.5 of them but for one set of seeds in thousands.  Seeds are fixed. */
static void every_number_is_drawn_as_often_as_any_other(void **state)
{
    (void)state;
    uint64_t numbers[NUMBERS];
    size_t out[5], often[NUMBERS] = {0};
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = i;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        audit_draw(seed, numbers, NUMBERS, 5, out);
        for (size_t k = 0; k < 5; k++)
            often[out[k]]++;
    }
    for (size_t i = 0; i < NUMBERS; i++)
        assert_in_range(often[i], 500 - 95, 500 + 95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_limit_so_few_good_ones_have_one_chance_in_twenty),
        cmocka_unit_test(limits_are_those_of_published_tables),
        cmocka_unit_test(a_sample_of_nothing_or_of_good_ones_alone_excludes_nothing),
        cmocka_unit_test(the_count_is_the_largest_that_brute_force_does_not_refute),
        cmocka_unit_test(the_bound_holds_in_nineteen_of_twenty_samples_whatever_the_truth),
        cmocka_unit_test(a_sample_of_all_leaves_no_doubt),
        cmocka_unit_test(of_many_the_count_is_the_share_and_never_above_it),
        cmocka_unit_test(a_draw_has_no_place_twice_and_a_larger_one_begins_with_it),
        cmocka_unit_test(numbers_that_are_gone_leave_the_order_of_the_others),
        cmocka_unit_test(every_number_is_drawn_as_often_as_any_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
