/* The text of C++ files: words, quiet parts, lines, brackets, lists. */
#include "tuner/spec/code_text.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Bytes that a function says of the mark '@' of a text, which is taken out. */
typedef struct Case {
    const char *text;
    size_t bytes;
} Case;

static const char *without_mark(Arena *a, const char *text, size_t *at)
{
    *at = strcspn(text, "@");
    return arena_printf(a, "%.*s%s", (int)*at, text, text + *at + 1);
}

static void comments_and_literals_are_quiet(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"@x", 0},
        {"@/ 2", 0},
        {"@// to the end\nx", 13},
        {"@// goes \\\n on\nx", 13},
        {"@/* a // b */ x", 12},
        {"@/* open", 7},
        {"@\"a\\\"b\" x", 6},
        {"@\"a'b\" x", 5},
        {"@'\\'' x", 4},
        {"@\"open\nx", 1},
        {"@\"a\\\nb\" x", 7 - 1},
        {"@\"a\\", 1},
        {"R@\"x(a\")b)x\" y", 10},
        {"u8R@\"(a)\" y", 5},
        {"uR@\"(a)\" y", 5},
        {"UR@\"(a)\" y", 5},
        {"LR@\"(\n)\" y", 5},
        {"AR@\"(\n)\" y", 1},
        {"R@\"(a\" b", 4},
        {"R@\"0123456789abcdef(\n)0123456789abcdef\" y", 37},
        {"R@\"0123456789abcdefg(\n)0123456789abcdefg\" y", 1},
        {"1@'000'000", 0},
        {"0xab@'cd'ef", 0},
        {"0xab'cd@'ef", 0},
        {"u@'c' x", 3},
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t at;
        const char *text = without_mark(a, cases[i].text, &at);
        if (code_quiet(text, text + at) != cases[i].bytes)
            fail_msg("%s: %zu", cases[i].text, code_quiet(text, text + at));
    }
    arena_free(a);
}

static void blanks_lines_and_splices_end_where_they_do(void **state)
{
    (void)state;
    static const Case blanks[] = {
        {"@x", 0},         {"@ \t\r\f\vx", 5}, {"@ \nx", 1},  {"@ \\\n x", 4},
        {"@/* a */ x", 8}, {"@/ x", 0},        {"@ // a", 5},
    };
    static const Case lines[] = {
        {"@", 0},
        {"@a\nb", 1},
        {"@a\\\nb\nc", 4},
        {"@a /*\n*/ b\nc", 9},
        {"@\"\\\n\"b\nc", 5},
        {"@a\\\r\nb\nc", 5},
    };
    Arena *a = arena_new();
    size_t at;
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++) {
        const char *text = without_mark(a, blanks[i].text, &at);
        if (code_blanks(text) != text + blanks[i].bytes)
            fail_msg("%s: %zd", blanks[i].text, code_blanks(text) - text);
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *text = without_mark(a, lines[i].text, &at), *end = text + lines[i].bytes;
        if (code_line_end(text) != end || code_next_line(text) != end + (*end == '\n'))
            fail_msg("%s: %zd", lines[i].text, code_line_end(text) - text);
    }
    assert_int_equal(code_splice("\\\nx"), 2);
    assert_int_equal(code_splice("\\\r\nx"), 3);
    assert_int_equal(code_splice("\\\rx"), 0);
    assert_int_equal(code_splice("\n"), 0);
    assert_int_equal(code_bom("\xef\xbb\xbfx"), 3);
    assert_int_equal(code_bom("\xef\xbbx"), 0);
    assert_string_equal(code_bare(a, "a/*b\nc*/d//e\n\"//f\""), "a   \n   d   \n\"//f\"");
    arena_free(a);
}

static void words_are_whole_and_no_members(void **state)
{
    (void)state;
    static const char text[] = "xn n1 _n $n a.n n";
    assert_ptr_equal(code_find_word(text, "n", text), text + sizeof text - 2);
    assert_null(code_find_word(text, "", text));
    assert_ptr_equal(code_find_word("n.m", "n", "n.m") != NULL, true);
    assert_false(code_has_word("n.m", "m"));
    assert_true(code_has_word("m", "m"));
    assert_true(code_same(code_word("ab_$9+"), "ab_$9"));
    assert_false(code_same(code_word("ab"), "abc"));
    assert_false(code_same(code_word("ab"), "ac"));
    assert_true(code_same(code_word("+"), ""));
    assert_true(code_same(code_directive(" \t# /* */ if x"), "if"));
    assert_true(code_same(code_directive("if x"), ""));
    assert_string_equal(code_behind("#if  x", "if"), "x");
    assert_null(code_behind("#ifdef x", "if"));
    assert_string_equal(code_skip(" \n x", strchr(" \n x", 0)), "x");
}

/* Where what opens a text closes, in bytes; -1: nowhere. */
static void brackets_close_where_they_do(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        ptrdiff_t at;
    } cases[] = {
        {"()", 1},  {"(a[1]{2})b)", 8},  {"(\")\")", 4}, {"(", -1},      {"(a < b)", 6},
        {"<a>", 2}, {"<a<b>, (c)>", 10}, {"<a", -1},     {"{/*}*/}", 6}, {"[')']]", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text, *close = code_closing(text, text + strlen(text));
        if ((close ? close - text : -1) != cases[i].at)
            fail_msg("%s: %zd", text, close ? close - text : -1);
    }
    assert_null(code_closing("()", "()"));
}

static void lists_have_the_parts_between_their_commas(void **state)
{
    (void)state;
    static const struct {
        const char *text, *parts; /* each in brackets */
    } cases[] = {
        {"", ""},
        {" ", ""},
        {"a", "[a]"},
        {" a \n, b ", "[a][b]"},
        {"f(a, b), c[1, 2], {3, 4}", "[f(a, b)][c[1, 2]][{3, 4}]"},
        {"T<a, b>, c", "[T<a, b>][c]"},
        {"a < b, c > d", "[a < b][c > d]"},
        {"n<4 && m, k>2", "[n<4 && m][k>2]"},
        {"\"a, b\", 'c', /* d, */ e", "[\"a, b\"]['c'][/* d, */ e]"},
        {"1'000, 2", "[1'000][2]"},
        {"a,", "[a][]"},
        {", b", "[b]"},
        {"a,,b", "[a][][b]"},
        {"a, b, c, d, e", "[a][b][c][d]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena *a = arena_new();
        const char *parts[4], *text = cases[i].text, *got = "";
        const size_t count = code_list(a, text, text + strlen(text), parts, 4);
        for (size_t k = 0; k < count; k++)
            got = arena_printf(a, "%s[%s]", got, parts[k]);
        assert_string_equal(got, cases[i].parts);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_literals_are_quiet),
        cmocka_unit_test(blanks_lines_and_splices_end_where_they_do),
        cmocka_unit_test(words_are_whole_and_no_members),
        cmocka_unit_test(brackets_close_where_they_do),
        cmocka_unit_test(lists_have_the_parts_between_their_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
