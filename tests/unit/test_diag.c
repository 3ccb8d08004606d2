/* Messages with places: what a user sees of a mistake. */
#include "metrics/base/diag.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void message_shows_line_column_and_caret(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const char *text = "param A in 1\nrequire AA > 2\n";
    Source s = {"x.spec", text, 28};

    bool result = diag_error(&d, (Span){&s, 21, 2}, "unknown name '%s'", "AA");
    Buf out = {0};
    diag_print(&d, &out);

    assert_false(result);
    assert_string_equal(buf_text(&out), "x.spec:2:9: error: unknown name 'AA'\n"
                                        "    require AA > 2\n"
                                        "            ^~\n");
    buf_free(&out);
    arena_free(a);
}

static void messages_beyond_the_limit_are_counted_not_kept(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);

    for (int i = 0; i < 60; i++)
        diag_fail(&d, "mistake %d", i);

    assert_int_equal(d.errors, 60);
    assert_int_equal(d.messages.count, DIAG_LIMIT);
    arena_free(a);
}

static void closest_name_is_close_or_null(void **state)
{
    (void)state;
    const char *names[] = {"BM", "BN", "THREADS", "UNROLL"};

    assert_string_equal(name_closest("THREAD", names, 4), "THREADS");
    assert_string_equal(name_closest("UNROL", names, 4), "UNROLL");
    assert_null(name_closest("ZZZ", names, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_shows_line_column_and_caret),
        cmocka_unit_test(messages_beyond_the_limit_are_counted_not_kept),
        cmocka_unit_test(closest_name_is_close_or_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
