/* How many samples are taken, of kernels whose times are made up. */
#include "tuner/gpu/sampling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const TaskSampling RULE = {.least = 2,
                                  .enough = 7,
                                  .most = 100,
                                  .sample_ms = 0.2,
                                  .width = 0.005,
                                  .budget_ms = 50,
                                  .best_ms = 0};

enum { ROOM = 1000 };

/* Samples as the rule asks for them, of a kernel that takes `ms` and up to `noise` times that more.
 * Gives how many it took. */
static size_t sample(TaskSampling rule, double ms, double noise, double *out)
{
    uint32_t seed = 7;
    size_t count = 0;
    for (size_t more; (more = sampling_more(&rule, out, count, 1)) > 0;) {
        assert_true(count + more <= ROOM);
        for (size_t i = 0; i < more; i++) {
            seed = seed * 1664525u + 1013904223u; /* of Numerical Recipes */
            out[count++] = ms * (1 + noise * (double)(seed >> 8) / (1 << 24));
        }
    }
    return count;
}

static void a_steady_kernel_takes_no_more_than_enough(void **state)
{
    (void)state;
    double ms[ROOM];
    assert_int_equal(sample(RULE, 1, 0.001, ms), 7);
}

static void a_restless_one_takes_more_until_its_interval_is_narrow(void **state)
{
    (void)state;
    double ms[ROOM];

    size_t count = sample(RULE, 0.01, 0.02, ms);

    StatsInterval i = sampling_interval(ms, count);
    assert_true(count > 7 && count < 100);
    assert_true(i.high - i.low <= RULE.width * i.low);
}

static void one_that_never_settles_ends_at_the_most(void **state)
{
    (void)state;
    double ms[ROOM];
    assert_int_equal(sample(RULE, 0.01, 10, ms), 100);
}

static void a_long_one_ends_with_the_budget(void **state)
{
    (void)state;
    double ms[ROOM];

    size_t count = sample(RULE, 5, 0.5, ms);

    double spent = 0;
    for (size_t i = 0; i < count; i++)
        spent += ms[i];
    assert_true(count >= 7);
    assert_true(count == 7 || spent <= RULE.budget_ms * 1.2);
    assert_int_equal(sample(RULE, 1000, 0.5, ms), 7);
}

/* Beyond what two samples can be wrong by. */
static void one_far_behind_takes_the_least(void **state)
{
    (void)state;
    double ms[ROOM];
    TaskSampling rule = RULE;
    rule.best_ms = 1;

    assert_int_equal(sample(rule, 1.2, 0.01, ms), 2);
    assert_int_equal(sample(rule, 1.05, 0.001, ms), 7);
    assert_true(sample(rule, 0.99, 0.02, ms) > 7);
}

/* Only their first samples can have been unlucky: once there is an interval, it decides. */
static void a_near_one_is_stopped_when_it_is_surely_behind(void **state)
{
    (void)state;
    double ms[ROOM];
    TaskSampling rule = RULE;
    rule.best_ms = 1;
    rule.width = 0;

    assert_int_equal(sample(rule, 1.01, 0.002, ms), 7);
    size_t count = sample(rule, 0.995, 0.002, ms);
    assert_true(count > 40 && count <= 51); /* the budget ends it */
}

static void without_samples_asked_for_none_are_taken(void **state)
{
    (void)state;
    double ms[ROOM];
    assert_int_equal(sample((TaskSampling){0}, 1, 0, ms), 0);
}

static void a_batch_is_as_long_as_a_sample_has_to_be(void **state)
{
    (void)state;
    assert_int_equal(sampling_batch(0.2, 0.2), 1);
    assert_int_equal(sampling_batch(0.2, 5), 1);
    assert_int_equal(sampling_batch(0.2, 0.0999), 3);
    assert_int_equal(sampling_batch(0.2, 0.002), 100);
    assert_int_equal(sampling_batch(0.2, 1e-9), SAMPLING_BATCH_MOST);
    assert_int_equal(sampling_batch(0.2, 0), 1);
    assert_int_equal(sampling_batch(0.2, NAN), 1);
    assert_int_equal(sampling_batch(0, 1), 1);
}

static void pieces_are_idle_by_what_they_take_beyond_the_usual(void **state)
{
    (void)state;
    const double steady[] = {10, 11, 10, 9, 14}, held_up[] = {10, 10, 40, 10, 10};
    assert_true(sampling_idle(steady, 5) == 0); /* 14 is not half as long again as 10 */
    assert_true(fabs(sampling_idle(held_up, 5) - 30.0 / 80) < 1e-12);
    assert_true(sampling_idle(held_up, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_kernel_takes_no_more_than_enough),
        cmocka_unit_test(a_restless_one_takes_more_until_its_interval_is_narrow),
        cmocka_unit_test(one_that_never_settles_ends_at_the_most),
        cmocka_unit_test(a_long_one_ends_with_the_budget),
        cmocka_unit_test(one_far_behind_takes_the_least),
        cmocka_unit_test(a_near_one_is_stopped_when_it_is_surely_behind),
        cmocka_unit_test(without_samples_asked_for_none_are_taken),
        cmocka_unit_test(pieces_are_idle_by_what_they_take_beyond_the_usual),
        cmocka_unit_test(a_batch_is_as_long_as_a_sample_has_to_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
