/* Launch geometry and tier 0: each limit of a device, just kept and just broken. */
#include "tests/support/spec_text.h"
#include "tuner/space/geometry.h"

#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A launch that everything runs. */
static Geometry small(void)
{
    return (Geometry){.grid = {4, 2, 1}, .block = {32, 2, 1}, .threads = 64, .blocks = 8};
}

/* The same with a block of x × y × z threads. */
static Geometry with_block(int64_t x, int64_t y, int64_t z)
{
    Geometry g = small();
    g.block[0] = x, g.block[1] = y, g.block[2] = z;
    g.threads = x * y * z;
    return g;
}

static void each_limit_holds_up_to_its_last_value(void **state)
{
    (void)state;
    const Device *d = device_find("sm_90");

    Geometry shared = small(), grid = small();
    shared.shared = d->shared_per_block_optin;
    memcpy(grid.grid, d->grid_limit, sizeof grid.grid);

    Geometry fitting[] = {
        small(), with_block(1024, 1, 1), with_block(1, 1024, 1), with_block(1, 1, 64), shared,
        grid};
    for (size_t i = 0; i < sizeof fitting / sizeof fitting[0]; i++)
        assert_int_equal(tier0_check(d, &fitting[i]), OUTCOME_NONE);
}

static void one_more_than_a_limit_is_dropped_for_it(void **state)
{
    (void)state;
    const Device *d = device_find("sm_90");

    Geometry threads = with_block(1024, 2, 1), flat = with_block(1, 1, 65), shared = small();
    shared.shared = d->shared_per_block_optin + 1;

    assert_int_equal(tier0_check(d, &threads), OUTCOME_THREADS);
    assert_int_equal(tier0_check(d, &flat), OUTCOME_BLOCK);
    assert_int_equal(tier0_check(d, &shared), OUTCOME_SHARED);
    for (int i = 0; i < 3; i++) {
        Geometry grid = small();
        grid.grid[i] = d->grid_limit[i] + 1;
        assert_int_equal(tier0_check(d, &grid), OUTCOME_GRID);
    }
}

static void nothing_and_less_than_nothing_is_empty(void **state)
{
    (void)state;
    const Device *d = device_find("sm_90");

    for (int64_t n = -1; n <= 0; n++) {
        for (int i = 0; i < 3; i++) {
            Geometry block = small(), grid = small();
            block.block[i] = n;
            grid.grid[i] = n;
            assert_int_equal(tier0_check(d, &block), OUTCOME_EMPTY);
            assert_int_equal(tier0_check(d, &grid), OUTCOME_EMPTY);
        }
    }
    Geometry shared = small();
    shared.shared = -1;
    assert_int_equal(tier0_check(d, &shared), OUTCOME_EMPTY);
}

static void every_reason_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int a = 0; a <= OUTCOME_GRID; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(outcome_name((Outcome)a), outcome_name((Outcome)b));
}

/* A spec with one parameter A = 6 and these launch lines, resolved.  False when that fails, with
 * the reason in `ev`. */
static bool resolve(Arena *a, const char *lines, Evaluation *ev, Geometry *out)
{
    const char *text = arena_printf(a, "kernel \"k.cu\" k\n%sparam A in 6\n", lines);
    Diag d = diag_new(a);
    Spec *s = spec_parse(a, spec_source(a, text), &d);
    assert_non_null(s);
    Value *slots = ARENA_ARRAY(a, Value, spec_slot_count(s));
    slots[spec_parameter_slot(s, 0)] = value_int(6);
    *ev = (Evaluation){.arena = a};
    return geometry_resolve(&s->launches[0], slots, ev, out);
}

static void dimensions_that_are_not_given_are_one(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Evaluation ev;
    Geometry g;

    assert_true(resolve(a, "block A, 2\ngrid A * A\nshared 4 * A\n", &ev, &g));

    const int64_t grid[] = {36, 1, 1}, block[] = {6, 2, 1};
    assert_memory_equal(g.grid, grid, sizeof grid);
    assert_memory_equal(g.block, block, sizeof block);
    assert_int_equal(g.shared, 24);
    assert_int_equal(g.threads, 12);
    assert_int_equal(g.blocks, 36);
    arena_free(a);
}

static void arithmetic_that_fails_says_why(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Evaluation ev;
    Geometry g;

    assert_false(resolve(a, "block 32\ngrid A // (A - 6)\n", &ev, &g));
    assert_string_equal(ev.error, "division by zero");
    arena_free(a);
}

/* The steps of a launch line whose repeat is so; -1 where that fails, with the reason in `ev`. */
static int count_steps(Arena *a, const char *repeat, Evaluation *ev, double *times)
{
    const char *text =
        arena_printf(a, "kernel \"k.cu\" k\nblock 32\ngrid 1\n%s\nparam A in 6\n", repeat);
    Diag d = diag_new(a);
    Spec *s = spec_parse(a, spec_source(a, text), &d);
    assert_non_null(s);
    Value *slots = ARENA_ARRAY(a, Value, spec_slot_count(s));
    slots[spec_parameter_slot(s, 0)] = value_int(6);
    *ev = (Evaluation){.arena = a};
    Steps steps;
    if (!geometry_steps(a, &s->launches[0], 0, slots, ev, &steps))
        return -1;
    *times = 0;
    VEC_EACH (const Step, step, steps)
        *times += (double)step->times;
    return (int)steps.count;
}

static void a_launch_repeats_as_often_as_it_says(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Evaluation ev;
    double times;

    assert_int_equal(count_steps(a, "repeat A - 5", &ev, &times), 1);
    assert_true(times == 1);
    assert_int_equal(count_steps(a, "repeat 2 * A", &ev, &times), 1);
    assert_true(times == 12);
    assert_int_equal(count_steps(a, "repeat K in range(A)", &ev, &times), 6);
    assert_true(times == 6);
    assert_int_equal(count_steps(a, "repeat A - 6", &ev, &times), 0);
    assert_int_equal(count_steps(a, "repeat K in range(A - 6)", &ev, &times), 0);
    assert_int_equal(count_steps(a, "repeat A - 7", &ev, &times), -1);
    assert_string_equal(ev.error, "a launch repeats less than no times");
    arena_free(a);
}

static void launches_that_repeat_together_take_turns(void **state)
{
    (void)state;
    static const char text[] = "param A in 6\n"
                               "kernel \"k.cu\" k\nblock 32\ngrid 1\n"
                               "kernel \"k.cu\" k\nblock 32\ngrid K\nrepeat K in 1, 4\n"
                               "kernel \"k.cu\" k\nblock 32\ngrid K + 1\nrepeat together\n"
                               "kernel \"k.cu\" k\nblock 32\ngrid K + 2\nrepeat together\n"
                               "kernel \"k.cu\" k\nblock 32\ngrid 1\nrepeat 2\n";
    static const int64_t want[][2] = {{0, 1}, {1, 1}, {2, 2}, {3, 3},
                                      {1, 4}, {2, 5}, {3, 6}, {4, 1}};
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Spec *s = spec_parse(a, spec_source(a, text), &d);
    assert_non_null(s);
    Value *slots = ARENA_ARRAY(a, Value, spec_slot_count(s));
    Evaluation ev = {.arena = a};
    Steps all = {0};
    for (size_t l = 0; l < s->launch_count; l++) {
        Steps steps;
        assert_true(geometry_steps(a, &s->launches[l], l, slots, &ev, &steps));
        VEC_EACH (const Step, step, steps)
            VEC_PUSH(a, &all, *step);
    }
    geometry_interleave(a, s->launches, s->launch_count, &all);
    assert_int_equal(all.count, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(all.at[i].launch, want[i][0]);
        assert_int_equal(all.at[i].geometry.grid[0], want[i][1]);
    }
    arena_free(a);
}

static void a_grid_beyond_64_bits_is_refused(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Evaluation ev;
    Geometry g;

    assert_false(resolve(a, "block 32\ngrid 2 ** 40, 2 ** 40\n", &ev, &g));
    assert_string_equal(ev.error, "the geometry does not fit into 64 bits");
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_limit_holds_up_to_its_last_value),
        cmocka_unit_test(one_more_than_a_limit_is_dropped_for_it),
        cmocka_unit_test(nothing_and_less_than_nothing_is_empty),
        cmocka_unit_test(every_reason_has_a_text_of_its_own),
        cmocka_unit_test(dimensions_that_are_not_given_are_one),
        cmocka_unit_test(arithmetic_that_fails_says_why),
        cmocka_unit_test(a_launch_repeats_as_often_as_it_says),
        cmocka_unit_test(launches_that_repeat_together_take_turns),
        cmocka_unit_test(a_grid_beyond_64_bits_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
