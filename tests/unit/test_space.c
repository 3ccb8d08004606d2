/* Spaces: ranks to values and back, and specs that would take for ever if done naively.  That the
 * right configurations are found is compared with brute force in property/prop_space.c. */
#include "tests/support/spec_text.h"
#include "tuner/space/space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static Space space_of_text(Arena *a, const char *fragment)
{
    Diag d = diag_new(a);
    Spec *spec = spec_parse(a, spec_source(a, spec_completed(a, fragment)), &d);
    Space space = {0};
    bool ok = spec && space_build(a, spec, 0, NULL, &space, &d);
    Buf said = {0};
    spec_messages(&d, &said);
    if (!ok)
        fail_msg("%s", buf_text(&said));
    buf_free(&said);
    return space;
}

static void check_name(const Space *s, size_t i, const char *expected)
{
    Buf name = {0};
    space_print(s, i, &name);
    assert_string_equal(buf_text(&name), expected);
    buf_free(&name);
}

static void last_parameter_turns_fastest(void **state)
{
    (void)state;
    Arena *a = arena_new();

    Space s =
        space_of_text(a, "param A in 4, 2\nparam T in \"x\", \"y\"\nparam V in true, false\n");

    assert_int_equal(s.count, 8);
    check_name(&s, 0, "A=4 T=x V=1");
    check_name(&s, 1, "A=4 T=x V=0");
    check_name(&s, 2, "A=4 T=y V=1");
    check_name(&s, 7, "A=2 T=y V=0");
    space_free(&s);
    arena_free(a);
}

static void ranks_are_those_of_the_places_of_values(void **state)
{
    (void)state;
    Arena *a = arena_new();

    Space s = space_of_text(a, "param A in 4, 2, 8\nparam B in 7\nparam C in 1, 2, 3, 4, 5\n");

    assert_int_equal(space_rank_of(&s, (uint16_t[]){2, 0, 3}, NULL, 3), 2 * 5 + 3);
    assert_int_equal(space_rank_of(&s, (uint16_t[]){3, 2}, (size_t[]){2, 0}, 2), 2 * 5 + 3);
    assert_int_equal(space_rank_of(&s, (uint16_t[]){4}, (size_t[]){2}, 1), 4);
    assert_int_equal(space_place(&s, 13, 0), 2);
    assert_int_equal(space_place(&s, 13, 1), 0);
    assert_int_equal(space_place(&s, 13, 2), 3);
    space_free(&s);
    arena_free(a);
}

static void rejected_points_are_counted_for_their_constraint(void **state)
{
    (void)state;
    Arena *a = arena_new();

    Space s = space_of_text(a, "param A in 1, 2, 4\nparam B in 1, 2\n"
                               "require A < 4\nrequire A * B != 2 and A > 0\n");

    assert_int_equal(s.count, 2); /* 1 1 and 2 2 */
    assert_int_equal(s.rejected[0], 2);
    assert_int_equal(s.rejected[1], 2);
    space_free(&s);
    arena_free(a);
}

static void a_value_that_is_not_in_the_space_is_not_found(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Space s = space_of_text(a, "param A in 1, 2\nparam B in 1, 2\nrequire A != B\n");

    uint64_t valid, rejected, unknown;

    assert_true(space_rank(&s, (Value[]){value_int(2), value_int(1)}, &valid));
    assert_true(space_rank(&s, (Value[]){value_int(2), value_int(2)}, &rejected));
    assert_false(space_rank(&s, (Value[]){value_int(2), value_int(3)}, &unknown));

    assert_int_equal(valid, s.ranks[1]);
    assert_true(space_has(&s, valid));
    assert_false(space_has(&s, rejected));
    space_free(&s);
    arena_free(a);
}

static void a_false_constraint_without_parameters_rejects_everything(void **state)
{
    (void)state;
    Arena *a = arena_new();

    Space s = space_of_text(a, "problem N = 3\nparam A in 1, 2, 3\nrequire N > 3\n");

    assert_int_equal(s.count, 0);
    assert_int_equal(s.rejected[0], 3);
    space_free(&s);
    arena_free(a);
}

/* Each name uses the one before twice: followed without memory that is 2^100 visits. */
static void chains_of_derived_names_are_followed_once(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Buf text = {0};
    buf_puts(&text, "param A in 1, 2\nlet L0 = A\n");
    for (int i = 1; i <= 100; i++)
        buf_printf(&text, "let L%d = max(L%d, L%d)\n", i, i - 1, i - 1);
    buf_puts(&text, "param B in L100, L99\nrequire L100 > 1\n");

    Space s = space_of_text(a, buf_text(&text));

    assert_int_equal(s.count, 1);
    space_free(&s);
    buf_free(&text);
    arena_free(a);
}

/* Each parameter depends on all before it: found anew each time that is 2^40 visits. */
static void chains_of_dependent_parameters_are_followed_once(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Buf text = {0};
    buf_puts(&text, "problem N = 1\nproblem N = 2\nparam P0 in 1\n");
    for (int i = 1; i <= 40; i++) {
        buf_printf(&text, "param P%d in max(N - N + 1", i);
        for (int k = 0; k < i; k++)
            buf_printf(&text, ", P%d", k);
        buf_puts(&text, ")\n");
    }
    Space s = space_of_text(a, buf_text(&text));
    Diag d = diag_new(a);
    Space second;

    bool ok = space_build(a, s.spec, 1, NULL, &second, &d);

    assert_true(ok);
    assert_int_equal(s.count, 1);
    assert_int_equal(second.count, 1);
    space_free(&second);
    space_free(&s);
    buf_free(&text);
    arena_free(a);
}

static void a_guarded_derived_name_may_fail_where_it_is_not_needed(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Space s = space_of_text(a, "param A in 0, 1\nlet B = 4 / A\n");
    Value slots[2];
    Evaluation ev = {.arena = a};

    bool zero = space_slots(&s, s.ranks[0], slots, &ev);
    bool one = space_slots(&s, s.ranks[1], slots, &ev);

    assert_false(zero);
    assert_string_equal(ev.error, "division by zero");
    assert_true(one);
    assert_int_equal(slots[1].integer, 4);
    space_free(&s);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_parameter_turns_fastest),
        cmocka_unit_test(ranks_are_those_of_the_places_of_values),
        cmocka_unit_test(rejected_points_are_counted_for_their_constraint),
        cmocka_unit_test(a_value_that_is_not_in_the_space_is_not_found),
        cmocka_unit_test(a_false_constraint_without_parameters_rejects_everything),
        cmocka_unit_test(chains_of_derived_names_are_followed_once),
        cmocka_unit_test(chains_of_dependent_parameters_are_followed_once),
        cmocka_unit_test(a_guarded_derived_name_may_fail_where_it_is_not_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
