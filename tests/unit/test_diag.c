/* Messages with places: what a user sees of a mistake. */
#include "metrics/base/diag.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
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

/* A line may be all of a file of megabytes, and hold what takes over a terminal. */
static void a_line_is_shown_in_part_and_harmless(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf text = {0}, out = {0};
    buf_fill(&text, 'x', 1000000);
    buf_puts(&text, "\x1b[31m\xe2\x80\xae WRONG \xff");
    buf_fill(&text, 'y', 1000000);
    Source source = {"\x1b]0;title\x07.spec", buf_text(&text), text.size};
    Span at = {&source, 1000009, 5};

    diag_error(&d, at, "unknown '%s'", "\x1b[2J\xc2\x9b");
    diag_print(&d, &out);

    const char *said = buf_text(&out);
    assert_true(out.size < 600);
    assert_non_null(strstr(said, "\\u001b]0;title\\u0007.spec:1:1000010: error: unknown "
                                 "'\\u001b[2J\\u009b'\n"));
    assert_non_null(strstr(said, "x?[31m??? WRONG ?yyy"));
    assert_null(strpbrk(said, "\x1b\x07"));
    const char *caret = strchr(said, '^'), *wrong = strstr(said, "WRONG");
    const char *line = strstr(said, "    x"), *waves = strrchr(said, '\n') - 1;
    while (waves[-1] != '\n')
        waves--;
    assert_int_equal(caret - waves, wrong - line);
    buf_free(&out);
    buf_free(&text);
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
        cmocka_unit_test(a_line_is_shown_in_part_and_harmless),
        cmocka_unit_test(closest_name_is_close_or_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
