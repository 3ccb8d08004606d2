/* Names and texts of emitted C. */
#include "tuner/emit/c_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void names_keep_out_of_what_belongs_to_others(void **state)
{
    (void)state;
    static const char *const taken[] = {"a", NULL, "b", "b_"};
    static const char *const CASES[][2] = {
        {"x", "x"},
        {"in", "in"},
        {"for", "for_"},
        {"or", "or_"},
        {"a", "a_"},
        {"b", "b__"},
        {"EDOM", "EDOM_"},
        {"ERANGE", "ERANGE_"},
        {"E", "E"},
        {"ENONE", "ENONE"},
        {"SEEK_ALL", "SEEK_ALL_"},
        {"SIGNED", "SIGNED_"},
        {"M_X", "M_X_"},
        {"INT_MAX", "INT_MAX_"},
        {"N_WIDTH", "N_WIDTH_"},
        {"WIDTH", "WIDTH"},
        {"TILE_M", "TILE_M"},
        {"_x", "_x"},
        {"_X", "x_X"},
        {"__x", "x__x"},
        {"_MAX", "x_MAX_"},
        {"NULL", "NULL_"},
        {"NUL", "NUL"},
        {"INT_MAX_", "INT_MAX_"},
        {"E2BIG", "E2BIG_"},
        {"EHWPOISON", "EHWPOISON_"},
        {"EHWPOISON_", "EHWPOISON_"},
        {"_", "_"},
        {"I", "I_"},
        {"UNDERFLOW", "UNDERFLOW_"},
        {"alignas", "alignas_"},
        {"SIZE_BIT", "SIZE_BIT_"},
        {"SIZE_BITS", "SIZE_BITS"},
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(text_name(a, CASES[i][0], taken, 4), CASES[i][1]);
    arena_free(a);
}

static void literals_say_what_they_are_made_of(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {
        {"", "\"\""},
        {"a\nb", "\"a\\nb\""},
        {"a\\\"b", "\"a\\\\\\\"b\""},
        {"?a??b???", "\"?a?\\?b?\\?\\?\""},
        {"\tx\x7f\xff", "\"\\011x\\177\\377\""},
        {"\xc3\xa4", "\"\xc3\xa4\""},
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(text_quoted(a, CASES[i][0]), CASES[i][1]);
    arena_free(a);
}

static void nothing_ends_a_comment(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {
        {"a */ b", "a * / b"}, {"a /* b", "a / * b"},     {"/**/", "/ ** /"},
        {"a?\?=", "a? ?="},    {"a\nb\tc\rd", "a b c d"}, {"\x01\xc3\xa4\xff", "?\xc3\xa4?"},
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(text_comment(a, CASES[i][0]), CASES[i][1]);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_keep_out_of_what_belongs_to_others),
        cmocka_unit_test(nothing_ends_a_comment),
        cmocka_unit_test(literals_say_what_they_are_made_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
