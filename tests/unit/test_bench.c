/* What bench makes of times taken in turn.  All times here are made up. */
#include "tuner/command/bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { ROUNDS = 31 };

static const Rival RIVAL = {.library = "made", .call = "up"};

static Bench bench_of(BenchEntry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        entries[i] =
            (BenchEntry){.rival = i > 0 ? &RIVAL : NULL, .title = "made up", .status = OUTCOME_OK};
    return (Bench){.entries = entries, .count = count, .rounds = ROUNDS};
}

static void a_clock_that_drifts_does_not_touch_the_ratio(void **state)
{
    (void)state;
    Arena *a = arena_new();
    BenchEntry entries[2];
    Bench b = bench_of(entries, 2);
    double times[2 * ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        times[i] = 1 + 0.25 * i; /* the rounds get eight times as long */
        times[ROUNDS + i] = 1.5 * times[i];
    }

    bench_decide(&b, times);

    assert_true(entries[0].median == 1 + 0.25 * 15 && entries[1].median == 1.5 * (1 + 0.25 * 15));
    assert_true(entries[0].interval.high > 1.5 * entries[0].interval.low);
    assert_true(entries[1].ratio == 1.5);
    assert_true(entries[1].ratio_interval.low == 1.5 && entries[1].ratio_interval.high == 1.5);
    assert_true(isnan(entries[0].ratio));
    arena_free(a);
}

/* Rounds in which one or the other is ahead: the median of the rounds' ratios, not the ratio of the
 * medians, and an interval with 1 inside. */
static void who_is_ahead_as_often_as_behind_is_tied(void **state)
{
    (void)state;
    Arena *a = arena_new();
    BenchEntry entries[2];
    Bench b = bench_of(entries, 2);
    double times[2 * ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        times[i] = 2;
        times[ROUNDS + i] = i == 0 ? 2 : i % 2 ? 1.8 : 2.2;
    }

    bench_decide(&b, times);

    assert_true(entries[1].ratio == 1);
    assert_true(entries[1].ratio_interval.low == 0.9);
    assert_true(fabs(entries[1].ratio_interval.high - 1.1) < 1e-12);
    arena_free(a);
}

static void who_was_not_timed_gets_no_times_of_another(void **state)
{
    (void)state;
    Arena *a = arena_new();
    BenchEntry entries[3];
    Bench b = bench_of(entries, 3);
    double times[2 * ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        times[i] = 4;
        times[ROUNDS + i] = 1;
    }

    entries[1].status = OUTCOME_LOAD_FAILED;
    bench_decide(&b, times);

    assert_null(entries[1].times);
    assert_true(isnan(entries[1].median) && isnan(entries[1].ratio));
    assert_true(isnan(entries[1].ratio_interval.low));
    assert_true(entries[2].median == 1 && entries[2].ratio == 0.25);
    arena_free(a);
}

static void only_a_library_that_is_not_there_is_no_failure(void **state)
{
    (void)state;
    for (Outcome s = OUTCOME_OK; s < OUTCOMES; s++) {
        BenchEntry entries[2];
        Bench b = bench_of(entries, 2);
        entries[1].status = s;
        assert_int_equal(bench_is_sound(&b), s == OUTCOME_OK || s == OUTCOME_LOAD_FAILED);
        entries[1].status = OUTCOME_OK;
        entries[0].status = s;
        assert_int_equal(bench_is_sound(&b), s == OUTCOME_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_that_drifts_does_not_touch_the_ratio),
        cmocka_unit_test(who_is_ahead_as_often_as_behind_is_tied),
        cmocka_unit_test(who_was_not_timed_gets_no_times_of_another),
        cmocka_unit_test(only_a_library_that_is_not_there_is_no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
