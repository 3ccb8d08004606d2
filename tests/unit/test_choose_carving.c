/* Stages in order, and the reason given for every point that went. */
#include "tests/support/made_table.h"
#include "tuner/choose/carving.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { BOUND, LATENCY, SPEED, POINTS = 8 };

/* Made-up numbers: #0 and #1 are the front of (bound, latency), #2 and #3 the next layer. */
static const double bound[POINTS] = {10, 20, 12, 25, 10, 40, NAN, 11};
static const double latency[POINTS] = {30, 20, 35, 25, 30, 50, 1, 31};
static const double speed[POINTS] = {100, 90, 80, 79.5, 10, -3, 100, 95};
static const Column columns[] = {
    {"bound_cycles", "cycles", bound, false},
    {"latency_cycles", "cycles", latency, false},
    {"speed", NULL, speed, true},
};
static const CarvingTable table = {columns, 3, POINTS, NULL};
static const ColumnId front_columns[] = {BOUND, LATENCY};
static const ColumnId speed_column[] = {SPEED};

static void assert_fate(const Carving *c, size_t point, Outcome kind, size_t stage, size_t by)
{
    assert_int_equal(c->fates[point].kind, kind);
    assert_int_equal(c->fates[point].stage, stage);
    assert_int_equal(c->fates[point].by, by);
}

static void assert_why(const Carving *c, size_t point, const char *text)
{
    Buf out = {0};
    carving_why(c, point, &out);
    assert_string_equal(buf_text(&out), text);
    buf_free(&out);
}

static void assert_report(const Carving *c, const char *text)
{
    Buf out = {0};
    carving_print(c, &out);
    assert_string_equal(buf_text(&out), text);
    buf_free(&out);
}

static void without_stages_everything_survives(void **state)
{
    (void)state;
    Arena *a = arena_new();
    bool alive[POINTS] = {true, false, true};

    Carving c = carving_run(a, &table, alive, NULL, 0);

    assert_int_equal(c.survivor_count, 2);
    assert_int_equal(c.survivors[1], 2);
    assert_why(&c, 2, "#2: survives\n");
    assert_why(&c, 1, "#1: did not take part\n");
    arena_free(a);
}

static void an_expression_that_fails_is_named_with_its_values(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const bool holds[POINTS] = {true, true, true, true, false, true, true, true};
    const Stage stage = {STAGE_HOLDS, "speed > 50", speed_column, 1, .holds = holds};

    Carving c = carving_run(a, &table, NULL, &stage, 1);

    assert_int_equal(c.survivor_count, 7);
    assert_why(&c, 4, "#4: dropped by stage 1, 'speed > 50': it does not hold with speed 10\n");
    assert_report(&c, "stage 1, 'speed > 50': 7 of 8 left\n");
    arena_free(a);
}

static void a_relative_limit_includes_its_edge_and_follows_the_direction(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Stage up = {STAGE_WITHIN, "speed within 20%", speed_column, 1, .percent = 20};
    const Stage down = {STAGE_WITHIN, "bound_cycles within 20%", front_columns, 1, .percent = 20};

    Carving faster = carving_run(a, &table, NULL, &up, 1);
    Carving lower = carving_run(a, &table, NULL, &down, 1);

    assert_int_equal(faster.survivor_count, 5);
    assert_fate(&faster, 2, OUTCOME_SURVIVES, 1, POINT_NONE);
    assert_why(&faster, 3,
               "#3: dropped by stage 1, 'speed within 20%': speed 79.5 is below the limit 80, 20 % "
               "from the best, 100\n");
    assert_int_equal(lower.survivor_count, 4);
    assert_fate(&lower, 2, OUTCOME_SURVIVES, 1, POINT_NONE);
    assert_why(&lower, 6,
               "#6: dropped by stage 1, 'bound_cycles within 20%': bound_cycles is not known\n");
    assert_report(&lower, "stage 1, 'bound_cycles within 20%': 4 of 8 left, limit 12 (best 10), "
                          "1 without a value dropped\n");
    arena_free(a);
}

static void a_front_names_who_dominates_and_by_what(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Stage stage = {STAGE_FRONT, "front bound_cycles, latency_cycles", front_columns, 2,
                         .ties = FRONT_DROP};

    Carving c = carving_run(a, &table, NULL, &stage, 1);

    assert_int_equal(c.survivor_count, 3);
    assert_fate(&c, 4, OUTCOME_SURVIVES, 1, POINT_NONE);
    assert_fate(&c, 3, OUTCOME_DOMINATED, 0, 1);
    assert_why(&c, 2,
               "#2: dropped by stage 1, 'front bound_cycles, latency_cycles': dominated by #0: "
               "bound_cycles 12 cycles against 10, latency_cycles 35 cycles against 30\n");
    arena_free(a);
}

static void further_layers_fill_the_budget_and_the_split_layer_is_cut(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Stage stage = {STAGE_FRONT, "front", front_columns, 2, .budget = 4, .fill = true};

    Carving c = carving_run(a, &table, NULL, &stage, 1);

    /* layer 0: #0 #1 #4; layer 1: #3 #7; layer 2: #2; layer 3: #5 */
    assert_int_equal(c.survivor_count, 4);
    assert_fate(&c, 3, OUTCOME_SURVIVES, 1, POINT_NONE);
    assert_fate(&c, 7, OUTCOME_CUT, 0, POINT_NONE);
    assert_fate(&c, 2, OUTCOME_DOMINATED, 0, 0);
    assert_why(&c, 7,
               "#7: dropped by stage 1, 'front': the budget of 4 was full; bound_cycles 11 cycles, "
               "latency_cycles 31 cycles\n");
    assert_report(&c,
                  "stage 1, 'front': 4 of 8 left, 3 on the front, 2 layers, 1 cut by the budget "
                  "of 4, 1 without a value dropped\n");
    arena_free(a);
}

static void a_front_larger_than_its_budget_is_cut_and_says_so(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Stage stage = {STAGE_FRONT, "front", front_columns, 2, .budget = 1};

    Carving c = carving_run(a, &table, NULL, &stage, 1);

    assert_int_equal(c.survivor_count, 1);
    assert_int_equal(c.survivors[0], 0);
    assert_fate(&c, 4, OUTCOME_CUT, 0, POINT_NONE);
    assert_fate(&c, 3, OUTCOME_DOMINATED, 0, 1);
    assert_why(&c, 3,
               "#3: dropped by stage 1, 'front': dominated by #1 (itself dropped by stage 1): "
               "bound_cycles 25 cycles against 20, latency_cycles 25 cycles against 20\n");
    arena_free(a);
}

static void a_band_keeps_what_is_near_the_front(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Stage stage = {STAGE_FRONT, "front within 10%", front_columns, 2, .percent = 10};

    Carving c = carving_run(a, &table, NULL, &stage, 1);

    assert_int_equal(c.survivor_count, 4);
    assert_fate(&c, 7, OUTCOME_SURVIVES, 1, POINT_NONE);
    arena_free(a);
}

static void later_stages_see_only_what_is_left(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const bool holds[POINTS] = {false, true, true, true, true, true, true, true};
    const bool good[POINTS] = {true, true, true, true, true, true, true, false};
    const Stage stages[] = {
        {STAGE_HOLDS, "fits", .holds = holds},
        {STAGE_HOLDS, "good", .holds = good},
        {STAGE_FRONT, "front", front_columns, 2, .ties = FRONT_KEEP},
    };

    Carving c = carving_run(a, &table, NULL, stages, 3);

    assert_fate(&c, 0, OUTCOME_FAILS, 0, POINT_NONE);
    assert_fate(&c, 7, OUTCOME_FAILS, 1, POINT_NONE);
    assert_fate(&c, 2, OUTCOME_DOMINATED, 2, 4);
    assert_int_equal(c.survivor_count, 2);
    assert_report(&c, "stage 1, 'fits': 7 of 8 left\n"
                      "stage 2, 'good': 6 of 7 left\n"
                      "stage 3, 'front': 2 of 6 left, 2 on the front, 1 without a value dropped\n");
    arena_free(a);
}

/* Thesis 5.2.2 and its fronts in chapter 6: under `keep`, equal in one and inferior in the other
 * stays. */
static void ties_stay_or_go_as_the_front_says(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const double x[] = {1, 1, 2}, y[] = {1, 2, 3};
    const Column two[] = {{"x", NULL, x, false}, {"y", NULL, y, false}};
    const CarvingTable three = {two, 2, 3, NULL};
    const ColumnId both[] = {0, 1};
    const Stage keep = {STAGE_FRONT, "keep", both, 2, .ties = FRONT_KEEP};
    const Stage dropping = {STAGE_FRONT, "drop", both, 2, .ties = FRONT_DROP};

    Carving kept = carving_run(a, &three, NULL, &keep, 1);
    Carving dropped = carving_run(a, &three, NULL, &dropping, 1);

    assert_int_equal(kept.survivor_count, 2);
    assert_int_equal(dropped.survivor_count, 1);
    arena_free(a);
}

/* All but #5 and #7 are within the prediction's error, and #6 has none. */
static const double predicted[POINTS] = {100, 101, 100, 101, 102, 150, NAN, 300};
static const uint32_t shape[POINTS] = {0, 0, 0, 0, 1, 0, 1, 1};
static const Column predicted_column[] = {{"predicted_cycles", "cycles", predicted, false}};
static const CarvingTable predicted_table = {predicted_column, 1, POINTS, NULL};
static const ColumnId first_column[] = {0};

static void a_spread_takes_what_differs_before_more_of_the_same(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Stage stage = {STAGE_SPREAD, "spread",        first_column,   1,
                         .budget = 2,  .values = shape, .parameters = 1};

    Carving c = carving_run(a, &predicted_table, NULL, &stage, 1);

    assert_int_equal(c.survivor_count, 2);
    assert_fate(&c, 0, OUTCOME_SURVIVES, 1, POINT_NONE);
    assert_fate(&c, 4, OUTCOME_SURVIVES, 1, POINT_NONE);
    assert_fate(&c, 2, OUTCOME_PASSED, 0, 0);
    assert_fate(&c, 7, OUTCOME_PASSED, 0, 4);
    assert_why(&c, 7,
               "#7: dropped by stage 1, 'spread': the budget of 2 was full; of those chosen, #4 is "
               "the most like it that is no worse: predicted_cycles 300 cycles against 102\n");
    assert_why(&c, 6, "#6: dropped by stage 1, 'spread': predicted_cycles is not known\n");
    assert_report(&c, "stage 1, 'spread': 2 of 8 left, 1 without a value dropped\n");
    arena_free(a);
}

/* #3 has the prediction and the values of #2; #1 is as like #0, which is better, as #2. */
static void a_point_as_good_may_be_why_another_was_left(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const double guess[] = {100, 110, 110, 110};
    const uint32_t values[] = {0, 0, 1, 0, 1, 1, 1, 1};
    const Column column[] = {{"predicted_cycles", "cycles", guess, false}};
    const CarvingTable four = {column, 1, 4, NULL};
    const Stage stage = {STAGE_SPREAD, "spread",         first_column,   1,
                         .budget = 2,  .values = values, .parameters = 2};

    Carving c = carving_run(a, &four, NULL, &stage, 1);

    assert_int_equal(c.survivor_count, 2);
    assert_fate(&c, 0, OUTCOME_SURVIVES, 1, POINT_NONE);
    assert_fate(&c, 2, OUTCOME_SURVIVES, 1, POINT_NONE);
    assert_fate(&c, 1, OUTCOME_PASSED, 0, 0);
    assert_fate(&c, 3, OUTCOME_PASSED, 0, 2);
    arena_free(a);
}

static void a_spread_sees_only_what_is_alive_and_may_take_all(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const bool alive[POINTS] = {false, true, false, false, false, true, true, false};
    const Stage stage = {STAGE_SPREAD, "spread",        first_column,   1,
                         .budget = 4,  .values = shape, .parameters = 1};

    Carving c = carving_run(a, &predicted_table, alive, &stage, 1);

    assert_int_equal(c.survivor_count, 3);
    assert_fate(&c, 6, OUTCOME_SURVIVES, 1, POINT_NONE);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_stages_everything_survives),
        cmocka_unit_test(an_expression_that_fails_is_named_with_its_values),
        cmocka_unit_test(a_relative_limit_includes_its_edge_and_follows_the_direction),
        cmocka_unit_test(a_front_names_who_dominates_and_by_what),
        cmocka_unit_test(further_layers_fill_the_budget_and_the_split_layer_is_cut),
        cmocka_unit_test(a_front_larger_than_its_budget_is_cut_and_says_so),
        cmocka_unit_test(a_band_keeps_what_is_near_the_front),
        cmocka_unit_test(later_stages_see_only_what_is_left),
        cmocka_unit_test(ties_stay_or_go_as_the_front_says),
        cmocka_unit_test(a_spread_takes_what_differs_before_more_of_the_same),
        cmocka_unit_test(a_point_as_good_may_be_why_another_was_left),
        cmocka_unit_test(a_spread_sees_only_what_is_alive_and_may_take_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
