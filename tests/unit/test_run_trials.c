/* What trials have in common, and what is learned from them; all figures are made up. */
#include "tests/support/made_table.h"
#include "tuner/run/run_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static Spec by_time;

static double limit_of(const Run *r)
{
    Trial t = {0};
    run_shape_trial(r, &t);
    return t.limit_s;
}

static void note_seconds(Run *r, double seconds, Outcome status)
{
    TrialResult t = {.seconds = seconds, .status = status, .words = ""};
    run_note_trial(r, &t);
}

static void a_trial_may_take_ten_times_the_median_from_a_second_on(void **state)
{
    (void)state;
    Run r = {.spec = &by_time, .arena = arena_new()};
    assert_true(limit_of(&r) == 10); /* nothing is known yet */

    note_seconds(&r, 0.01, OUTCOME_OK);
    assert_true(limit_of(&r) == 1);
    note_seconds(&r, 100, OUTCOME_TIMEOUT); /* how long the others take is what counts */
    assert_true(limit_of(&r) == 1);
    for (int i = 0; i < 9; i++)
        note_seconds(&r, 0.5, OUTCOME_OK);
    assert_true(limit_of(&r) == 5);

    r.options.trial_limit = 0.25;
    assert_true(limit_of(&r) == 0.25);
    arena_free(r.arena);
}

/* However many there are: the median may be of somewhat fewer. */
static void the_median_follows_the_trials(void **state)
{
    (void)state;
    Run r = {.spec = &by_time, .arena = arena_new()};
    for (int i = 0; i < 1000; i++)
        note_seconds(&r, 1 + i * 1e-3, OUTCOME_OK);

    /* Looked at once there are more than 11/10 as many: last at 962, of which the middle is 1.4805 s. */
    assert_true(fabs(limit_of(&r) - 14.805) < 1e-9);
    arena_free(r.arena);
}

static void the_rival_is_the_best_that_is_sure(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Run r = {.spec = &by_time, .table = made_table(a, 1, 4)};
    const double high[] = {2, NAN, 1.5, 3};
    for (uint32_t i = 0; i < 4; i++) {
        made_row(r.table, i, &i);
        r.table->times[i].high = high[i];
    }
    Trial t = {0};
    run_shape_trial(&r, &t);
    assert_true(t.sampling.best_ms == 0);

    for (size_t i = 0; i < 4; i++)
        run_note_time(&r, i);
    run_shape_trial(&r, &t);

    assert_true(t.sampling.best_ms == 1.5);
    assert_int_equal(t.sampling.least, 2);
    arena_free(a);
}

static void a_trial_for_energy_lasts_and_is_not_cut_short_by_a_rival(void **state)
{
    (void)state;
    Spec by_energy = {.objective = OBJECTIVE_ENERGY};
    Run r = {.spec = &by_time, .watch = {.best_high_ms = 2}};
    Trial time = {0}, energy = {0};
    run_shape_trial(&r, &time);
    r.spec = &by_energy;
    run_shape_trial(&r, &energy);

    assert_true(time.sustain_s == 0 && energy.sustain_s == 3);
    assert_true(time.limit_s == 10 && energy.limit_s == 10 + 6 * 3 + 1);
    assert_true(time.sampling.best_ms == 2 && energy.sampling.best_ms == 0);
}

/* At least two samples and up to seven; more of what may be the best, until its interval is narrow. */
static void samples_are_few_unless_the_user_asks_for_more(void **state)
{
    (void)state;
    Run r = {.spec = &by_time, .l2 = TASK_COLD};
    const int asked[][3] = {{0, 2, 7}, {3, 3, 7}, {7, 7, 7}, {8, 8, 8}};
    for (int i = 0; i < 4; i++) {
        Trial t = {0};
        r.options.samples = asked[i][0];
        run_shape_trial(&r, &t);
        assert_int_equal(t.sampling.least, asked[i][1]);
        assert_int_equal(t.sampling.enough, asked[i][2]);
        assert_int_equal(t.sampling.most, 100);
        assert_true(t.sampling.sample_ms == 0.2 && t.sampling.width == 0.005);
        assert_true(t.sampling.budget_ms == 50);
        assert_int_equal(t.cache, TASK_COLD);
    }
}

static void the_worst_error_is_relative_where_there_is_a_scale(void **state)
{
    (void)state;
    TrialCheck checks[] = {
        {.max_error = 3, .scale = 4}, {.max_error = 0.5}, {.max_error = 2, .scale = 10}};
    TrialResult t = {.checks = checks, .check_count = 3};

    assert_true(run_worst_error(&t) == 0.75);
    checks[1].max_error = 0.875;
    assert_true(run_worst_error(&t) == 0.875);
    t.check_count = 0;
    assert_true(isnan(run_worst_error(&t)));
}

static void sentinels_tell_how_far_the_machine_drifted(void **state)
{
    (void)state;
    Run r = {0};
    const double times[][3] = {{2, 2, 2.5}, {2.1, 9, 2}, {1.9, 1.9, 2}};
    for (int i = 0; i < 3; i++) {
        TrialResult t = {.status = OUTCOME_OK, .times = times[i], .time_count = 3};
        run_note_sentinel(&r, &t);
    }
    TrialResult failed = {.status = OUTCOME_FAULT};
    run_note_sentinel(&r, &failed);

    assert_int_equal(r.watch.sentinels, 3);
    assert_true(r.watch.sentinel_first_ms == 2);
    assert_true(r.watch.sentinel_low_ms == 1.9 && r.watch.sentinel_high_ms == 2.1);
}

static void what_the_l2_holds_is_as_the_user_says(void **state)
{
    (void)state;
    Run r = {.options = {.l2 = "both"}};
    assert_true(run_choose_l2(&r));
    assert_int_equal(r.l2, TASK_BOTH);
    r.options.l2 = "cold";
    assert_true(run_choose_l2(&r));
    assert_int_equal(r.l2, TASK_COLD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trial_may_take_ten_times_the_median_from_a_second_on),
        cmocka_unit_test(the_median_follows_the_trials),
        cmocka_unit_test(the_rival_is_the_best_that_is_sure),
        cmocka_unit_test(a_trial_for_energy_lasts_and_is_not_cut_short_by_a_rival),
        cmocka_unit_test(samples_are_few_unless_the_user_asks_for_more),
        cmocka_unit_test(the_worst_error_is_relative_where_there_is_a_scale),
        cmocka_unit_test(sentinels_tell_how_far_the_machine_drifted),
        cmocka_unit_test(what_the_l2_holds_is_as_the_user_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
