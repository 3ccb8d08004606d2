/* Which compile failures are one group in a report. */
#include "tests/support/made_table.h"

#include "tuner/run/run_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Groups of two failures with these messages. */
static size_t groups(const char *one, const char *other)
{
    Run r = {.arena = arena_new()};
    const char *messages[] = {one, other};
    r.table = made_table(r.arena, 1, 2);
    for (uint32_t i = 0; i < 2; i++) {
        made_row(r.table, i, &i);
        r.table->outcome[i] = OUTCOME_COMPILE_ERROR;
        r.table->why[i] = messages[i];
    }
    const FailureGroup *g;
    size_t count = run_failures(r.arena, &r, &g);
    assert_int_equal(g[0].count, count == 1 ? 2 : 1);
    assert_int_equal(g[0].example, 0);
    assert_string_equal(g[0].text, one);
    arena_free(r.arena);
    return count;
}

static void numbers_make_no_groups(void **state)
{
    (void)state;
    assert_int_equal(groups("tile 8 is too large", "tile 128 is too large"), 1);
    assert_int_equal(groups("(0x10000 bytes, 0xc000 max)", "(0xd400 bytes, 0xc000 max)"), 1);
    assert_int_equal(groups("tile 8 is too large", "tile 8 is too small"), 2);
    assert_int_equal(groups("tile 8", "tile 8 is too small"), 2);
}

static void template_arguments_of_a_kernel_make_no_groups(void **state)
{
    (void)state;
    assert_int_equal(groups("Entry function '_Z4tileILi8ELb0EEvPf' uses too much shared data",
                            "Entry function '_Z4tileILi16EdEvPT0_' uses too much shared data"),
                     1);
    assert_int_equal(groups("parameters overflow in function _ZN2ns4tileIfLi2EEEvT_",
                            "parameters overflow in function _ZN2ns4tileI6__halfLi2EEEvT_"),
                     1);
}

static void different_functions_or_causes_are_groups(void **state)
{
    (void)state;
    assert_int_equal(
        groups("Unresolved extern function '_Z4loadi'", "Unresolved extern function '_Z4savei'"),
        2);
    assert_int_equal(groups("Entry function '_ZN2ns4tileILi8EEEvPf' uses too much shared data",
                            "Entry function '_ZN2ns4loadILi8EEEvPf' uses too much shared data"),
                     2);
    assert_int_equal(groups("Entry function '_Z4tileILi8EEvPf' uses too much shared data",
                            "Entry function '_Z4tileILi9EEvPf' uses too much parameter space"),
                     2);
}

static void what_only_looks_like_a_mangled_name_is_compared_in_full(void **state)
{
    (void)state;
    assert_int_equal(groups("_Z", "_Z"), 1);
    assert_int_equal(groups("_Z99tile a", "_Z99tile b"), 2);
    assert_int_equal(groups("_Z99999999999999999999999tile a", "_Z99999999999999999999999tile b"),
                     2);
    assert_int_equal(groups("_Ztile a", "_Ztile b"), 2);
    assert_int_equal(groups("_Z4tile", "_Z4tileILi8EEvv"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_make_no_groups),
        cmocka_unit_test(template_arguments_of_a_kernel_make_no_groups),
        cmocka_unit_test(different_functions_or_causes_are_groups),
        cmocka_unit_test(what_only_looks_like_a_mangled_name_is_compared_in_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
