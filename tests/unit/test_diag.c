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

/* Ends of what is hidden, and the first and last code of each length of UTF-8. */
static void what_shows_is_what_shows_as_itself(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t shown; /* bytes */
        const char *said;
    } CASES[] = {
        {"\x1f", 0, "\\u001f"},
        {" ", 1, " "},
        {"~", 1, "~"},
        {"\x7f", 0, "\\u007f"},
        {"\xc1\xbf", 0, "\\ufffd\\ufffd"},
        {"\xc2\x80", 0, "\\u0080"},
        {"\xc2\x9f", 0, "\\u009f"},
        {"\xc2\xa0", 2, "\xc2\xa0"},
        {"\xc2\xac\xc2\xad\xc2\xae", 2, "\xc2\xac\\u00ad\xc2\xae"},
        {"\xd8\x9b\xd8\x9c\xd8\x9d", 2, "\xd8\x9b\\u061c\xd8\x9d"},
        {"\xdf\xbf", 2, "\xdf\xbf"},
        {"\xdf", 0, "\\ufffd"},
        {"\xdf\x7f", 0, "\\ufffd\\u007f"},
        {"\xe0\xa0\x80", 3, "\xe0\xa0\x80"},
        {"\xe0\xa0", 0, "\\ufffd\\ufffd"},
        {"\xe2\x80\x8a\xe2\x80\x8b\xe2\x80\x8f\xe2\x80\x90", 3,
         "\xe2\x80\x8a\\u200b\\u200f\xe2\x80\x90"},
        {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf", 3,
         "\xe2\x80\xa7\\u2028\\u202e\xe2\x80\xaf"},
        {"\xe2\x81\x9f\xe2\x81\xa0\xe2\x81\xaf\xe2\x81\xb0", 3,
         "\xe2\x81\x9f\\u2060\\u206f\xe2\x81\xb0"},
        {"\xed\x9f\xbf\xed\xa0\x80\xed\xbf\xbf\xee\x80\x80", 3,
         "\xed\x9f\xbf\\ud800\\udfff\xee\x80\x80"},
        {"\xef\xbb\xbf", 0, "\\ufeff"},
        {"\xef\xbf\xb8\xef\xbf\xb9\xef\xbf\xbd\xef\xbf\xbe", 3,
         "\xef\xbf\xb8\\ufff9\\ufffd\xef\xbf\xbe"},
        {"\xef\xbf\xbf", 3, "\xef\xbf\xbf"},
        {"\xf0\x90\x80\x80", 4, "\xf0\x90\x80\x80"},
        {"\xf3\xa0\x80\x80\xf3\xa0\x81\xbf\xf3\xa0\x82\x80", 0,
         "\\udb40\\udc00\\udb40\\udc7f\xf3\xa0\x82\x80"},
        {"\xf4\x8f\xbf\xbf", 4, "\xf4\x8f\xbf\xbf"},
        {"\xf5\x80\x80\x80", 0, "\\ufffd\\ufffd\\ufffd\\ufffd"},
        {"\xff", 0, "\\ufffd"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Buf out = {0};
        assert_int_equal(text_shown(CASES[i].bytes, strlen(CASES[i].bytes)), CASES[i].shown);
        buf_shown(&out, CASES[i].bytes, strlen(CASES[i].bytes), false);
        assert_string_equal(buf_text(&out), CASES[i].said);
        buf_free(&out);
    }
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

/* What is said of a span of a text, without the line of the message. */
static void assert_shown(const char *text, size_t offset, size_t length, size_t line, size_t column,
                         const char *shown)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Source s = {"f", text, strlen(text)};
    Buf out = {0};
    diag_warn(&d, (Span){&s, offset, length}, "so");
    diag_print(&d, &out);
    assert_string_equal(buf_text(&out),
                        arena_printf(a, "f:%zu:%zu: warning: so\n%s", line, column, shown));
    buf_free(&out);
    arena_free(a);
}

static void waves_end_with_the_span_or_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t offset, length, line, column;
        const char *shown;
    } cases[] = {
        {"ab cd ef\n", 3, 1, 1, 4, "    ab cd ef\n       ^\n"},
        {"ab cd ef\n", 0, 2, 1, 1, "    ab cd ef\n    ^~\n"},
        {"ab\ncd ef\ngh", 6, 9, 2, 4, "    cd ef\n       ^~\n"},
        {"ab\n\ncd\n", 3, 0, 2, 1, "    \n    ^\n"},
        /* The end of a line, and of all. */
        {"ab\ncd\n", 2, 1, 1, 3, "    ab\n      ^\n"},
        {"ab\ncd", 5, 1, 2, 3, "    cd\n      ^\n"},
        {"ab\ncd\n", 6, 1, 3, 1, "    \n    ^\n"},
        {"", 0, 0, 1, 1, "    \n    ^\n"},
        /* A tab stands below a tab; a character of two bytes is one column. */
        {"\ta\tb c\n", 5, 1, 1, 6, "    \ta\tb c\n    \t \t  ^\n"},
        {"\xc3\xa9\xc3\xa9 b", 5, 1, 1, 6, "    \xc3\xa9\xc3\xa9 b\n       ^\n"},
        {"a\x01\xff b", 4, 1, 1, 5, "    a?? b\n        ^\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_shown(cases[i].text, cases[i].offset, cases[i].length, cases[i].line,
                     cases[i].column, cases[i].shown);
}

/* 80 bytes before the span and 160 in all: of 400, at 200 those from 120 to 280.  A character that the
 * first of them cuts, here one of two bytes from 119 on, is left out,
 * and one byte more follows behind. */
static void of_a_long_line_160_bytes_are_shown(void **state)
{
    (void)state;
    Arena *a = arena_new();
    char text[401] = "", blanks[80] = "";
    for (size_t i = 0; i < 400; i++)
        text[i] = (char)('a' + i % 26);
    memset(blanks, ' ', 79);
    assert_shown(text, 200, 3, 1, 201,
                 arena_printf(a, "    %.160s\n     %s^~~\n", text + 120, blanks));
    assert_shown(text, 79, 1, 1, 80, arena_printf(a, "    %.160s\n    %s^\n", text, blanks));
    assert_shown(text, 0, 1, 1, 1, arena_printf(a, "    %.160s\n    ^\n", text));
    assert_shown(text, 399, 1, 1, 400, arena_printf(a, "    %s\n     %s^\n", text + 319, blanks));
    memcpy(text + 119, "\xc3\xa9", 2);
    assert_shown(text, 200, 1, 1, 201,
                 arena_printf(a, "    %.160s\n    %s^\n", text + 121, blanks));
    arena_free(a);
}

/* A source ends where it says, whatever lies behind it in memory. */
static void a_character_that_the_end_cuts_does_not_show(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Source s = {"f", "ab\xc3\xa9", 3};
    Buf out = {0};
    diag_warn(&d, (Span){&s, 1, 2}, "so");
    diag_print(&d, &out);
    assert_string_equal(buf_text(&out), "f:1:2: warning: so\n    ab?\n     ^~\n");
    buf_free(&out);
    arena_free(a);
}

static void messages_have_kinds_and_an_end(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf out = {0};
    assert_string_equal(diag_first(&d), "no reason given");
    diag_note(&d, (Span){0}, "n %d", 1);
    diag_warn(&d, (Span){0}, "w %d", 2);
    assert_false(diag_fail(&d, "e %d", 3));
    assert_string_equal(diag_first(&d), "n 1");
    assert_true(d.errors == 1 && d.warnings == 1);
    diag_print(&d, &out);
    assert_string_equal(buf_text(&out),
                        "aptune: note: n 1\naptune: warning: w 2\naptune: error: e 3\n");
    buf_free(&out);

    /* As many as are kept: nothing is missing.  With one more it is said. */
    static const char END[] = "aptune: note: only the first 50 messages are shown\n";
    Diag full = diag_new(a);
    for (int i = 0; i < DIAG_LIMIT - 1; i++)
        diag_fail(&full, "e");
    for (int more = 0; more < 2; more++) {
        diag_warn(&full, (Span){0}, "w");
        diag_print(&full, &out);
        assert_true((strstr(buf_text(&out), END) != NULL) == (more > 0));
        buf_free(&out);
    }
    arena_free(a);
}

static void joined_spans_go_from_the_first_to_the_last(void **state)
{
    (void)state;
    const Source s = {"f", "0123456789", 10};
    static const struct {
        Span first, last;
        size_t length;
    } cases[] = {{{NULL, 2, 3}, {NULL, 6, 2}, 6}, /* 2 to 8 */
                 {{NULL, 2, 3}, {NULL, 2, 1}, 1},
                 {{NULL, 6, 2}, {NULL, 2, 4}, 2}, /* ends where the first begins */
                 {{NULL, 6, 2}, {NULL, 2, 5}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Span first = cases[i].first, last = cases[i].last;
        first.source = last.source = &s;
        const Span all = span_join(first, last);
        assert_ptr_equal(all.source, &s);
        assert_int_equal(all.offset, first.offset);
        assert_int_equal(all.length, cases[i].length);
    }
}

/* Fewer changes than a third of the letters and two more, and fewer than all letters. */
static void how_close_a_name_must_be(void **state)
{
    (void)state;
    static const struct {
        const char *said, *name, *found;
    } cases[] = {
        {"B", "A", NULL}, /* all of it is another */
        {"AB", "AC", "AC"},
        {"AB", "CD", NULL},
        {"abcdef", "abcxyz", "abcxyz"}, /* 3 < 6 / 3 + 2 */
        {"abcdef", "abwxyz", NULL},     /* 4 */
        {"abcde", "abxy", NULL},        /* a letter less and two others: 3, of 5 / 3 + 2 */
        {"abcde", "abcxy", "abcxy"},    /* 2 */
        {"abcdef", "abc", "abc"},
        {"abcdef", "def", "def"},       /* three left out */
        {"abc", "abcde", "abcde"},      /* two more, of 3 / 3 + 2 */
        {"abc", "abcdef", NULL},        /* three more */
        {"abcdef", "fedcba", NULL},     /* one letter at most is kept in order: 5 */
        {"abcdef", "bacdef", "bacdef"}, /* 2 */
        {"abcdef", "bcdefa", "bcdefa"}, /* one left out, one more */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = name_closest(cases[i].said, &cases[i].name, 1);
        if ((found != NULL) != (cases[i].found != NULL))
            fail_msg("%s for %s", found ? found : "nothing", cases[i].said);
    }
    /* The closest one, of equals the first; names of up to 63 letters. */
    const char *const names[] = {"warps_per_cm", "warp_per_sm", "warps_per_sn"};
    assert_string_equal(name_closest("warps_per_sm", names, 3), "warps_per_cm");
    assert_string_equal(name_closest("warp_per_sm_", names, 3), "warp_per_sm");
    char a[65] = "", b[65] = "";
    memset(a, 'a', 63);
    memset(b, 'a', 63);
    const char *const one = b;
    b[62] = 'b';
    assert_string_equal(name_closest(a, &one, 1), b);
    a[63] = 'a';
    assert_null(name_closest(a, &one, 1));
    a[63] = '\0';
    b[63] = 'b';
    assert_null(name_closest(a, &one, 1));
}

static void names_are_found_by_all_of_them(void **state)
{
    (void)state;
    static const struct {
        int number;
        const char *name;
    } rows[] = {{1, "one"}, {2, NULL}, {3, "three"}};
    const size_t offset = offsetof(__typeof__(rows[0]), name);
    Arena *a = arena_new();
    Diag d = diag_new(a);
    assert_ptr_equal(name_find(rows, 3, sizeof rows[0], offset, "three"), &rows[2]);
    assert_null(name_find(rows, 2, sizeof rows[0], offset, "three"));
    assert_null(name_find(rows, 3, sizeof rows[0], offset, "thre"));
    const char *const words[] = {"a", "b", "c"};
    assert_int_equal(word_place("a", words, 3), 0);
    assert_int_equal(word_place("c", words, 3), 2);
    assert_true(word_place("c", words, 2) == SIZE_MAX);
    assert_string_equal(diag_meant(&d, "x"), "; did you mean 'x'?");
    assert_string_equal(diag_meant(&d, NULL), "");
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_shows_is_what_shows_as_itself),
        cmocka_unit_test(message_shows_line_column_and_caret),
        cmocka_unit_test(messages_beyond_the_limit_are_counted_not_kept),
        cmocka_unit_test(a_line_is_shown_in_part_and_harmless),
        cmocka_unit_test(closest_name_is_close_or_null),
        cmocka_unit_test(waves_end_with_the_span_or_the_line),
        cmocka_unit_test(of_a_long_line_160_bytes_are_shown),
        cmocka_unit_test(a_character_that_the_end_cuts_does_not_show),
        cmocka_unit_test(messages_have_kinds_and_an_end),
        cmocka_unit_test(joined_spans_go_from_the_first_to_the_last),
        cmocka_unit_test(how_close_a_name_must_be),
        cmocka_unit_test(names_are_found_by_all_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
