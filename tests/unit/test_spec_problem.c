/* Sizes that a user asks for and a spec does not list. */
#include "tests/support/emit_unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static Spec *spec_of(Arena *a, const char *name)
{
    Diag d = diag_new(a);
    Spec *s = spec_read(a, arena_printf(a, "%s/spaces/%s.spec", SOURCE_DIR, name), &d);
    assert_non_null(s);
    return s;
}

static void names_that_are_left_out_are_as_in_the_first_problem(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Spec *s = spec_of(a, "mm");
    const size_t listed = s->problem_count;

    assert_true(spec_add_problem(a, s, "K=77, M=1000"));

    assert_int_equal(s->problem_count, listed + 1);
    assert_string_equal(s->problems[listed].text, "M=1000 N=4096 K=77 TA=0 TB=0 LONGEST=256");
    assert_int_equal(s->problems[listed].values[2].integer, 77);
    assert_int_equal(s->problems[0].values[2].integer, 4096);
    assert_int_equal(s->problems[0].values[5].integer,
                     0); /* a formula of the sizes is worked out for each */
    arena_free(a);
}

static void what_is_no_size_is_refused(void **state)
{
    static const char *const wrong[] = {"",    " ,",  "M",     "M=",      "M=1x",
                                        "Q=3", "M 3", "M=1.5", "M=3,Q=4", "M=99999999999999999999"};
    (void)state;
    Arena *a = arena_new();
    Spec *s = spec_of(a, "mm");
    const size_t listed = s->problem_count;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(spec_add_problem(a, s, wrong[i]));
    assert_int_equal(s->problem_count, listed);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_are_left_out_are_as_in_the_first_problem),
        cmocka_unit_test(what_is_no_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
