/* JSON read in place, against a parser that builds trees and against strtod. */
#include "tuner/record/parse.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void assert_number(const char *text)
{
    const char *at = text;
    double got = parse_number(&at), expected = strtod(text, NULL);
    if (memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("'%s' reads as %.17g, not %.17g", text, got, expected);
    if (*at)
        fail_msg("of '%s' '%s' is left", text, at);
}

static void numbers_are_those_of_strtod_to_the_last_bit(void **state)
{
    (void)state;
    static const char *const edges[] = {"0",
                                        "-0",
                                        "1",
                                        "-1",
                                        "9007199254740992",
                                        "9007199254740993",
                                        "18446744073709551616",
                                        "1e22",
                                        "1e23",
                                        "1e-22",
                                        "1e-23",
                                        "123456789012345678e-30",
                                        "0.1",
                                        "4.35",
                                        "5e-324",
                                        "2.2250738585072014e-308",
                                        "1.7976931348623157e308",
                                        "1e999",
                                        "-1e999",
                                        "1E+2",
                                        "1e99999",
                                        "0.30000000000000004",
                                        "9007199254740991e22",
                                        "9007199254740991e-22"};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_number(edges[i]);
    static const char *const formats[] = {"%.17g", "%.7g", "%.3f", "%.0f", "%.15e", "%.1e"};
    uint64_t seed = 1;
    char text[400];
    for (size_t i = 0; i < 200000; i++) {
        double scale = pow(10, (double)(next(&seed) % 40) - 20);
        double value = ((double)next(&seed) * 0x1p-52 - 1) * scale;
        snprintf(text, sizeof text, formats[i % 6], value);
        assert_number(text);
    }
}

static void whole_numbers_are_read_up_to_their_last_and_not_beyond(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is;
        int64_t value;
    } cases[] = {{"0", true, 0},
                 {"-0", true, 0},
                 {"9223372036854775807", true, INT64_MAX},
                 {"-9223372036854775808", true, INT64_MIN},
                 {"9223372036854775808", false, 0},
                 {"-9223372036854775809", false, 0},
                 {"1.0", false, 0},
                 {"1e2", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].text;
        int64_t value = 0;
        assert_int_equal(parse_integer(&at, &value), cases[i].is);
        assert_true(value == cases[i].value);
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

static bool accepts(const char *text, size_t size)
{
    Parse p = {text, text + size, NULL};
    return parse_skip(&p) && parse_peek(&p) == '\0' && p.at == p.end;
}

/* -1: it has a number too large for it, which is not a question of form. */
static int jansson_accepts(const char *text, size_t size)
{
    json_error_t error;
    json_t *v = json_loadb(text, size, JSON_DECODE_ANY, &error);
    json_decref(v);
    return v ? 1 : json_error_code(&error) == json_error_numeric_overflow ? -1 : 0;
}

static const char *const samples[] = {
    "{\"v\":[64,-32,\"half\"],\"status\":\"ok\",\"t\":[1.25,1.26e-3],\"err\":null,\"on\":1}",
    "{\"msg\":\"a \\\"quoted\\\" \\u00e9\\ud83d\\ude00 \\n line\",\"x\":true,\"y\":[[],{}]}",
    "[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\", {\"a\":{\"b\":[false, 0.5, 1E+2]}}]",
    "\"\\/\\b\\f\\r\\t\\\\\"",
    " { \"a\" : [ 1 , 2 ] } ",
};

static void lines_are_taken_and_refused_as_by_another_parser(void **state)
{
    (void)state;
    static const char bytes[] =
        "{}[]:,\"\\ue0123456789.-+Etrfalsn \t\x01\x7f\x80\xbf\xc3\xe2\xf0\xed";
    uint64_t seed = 1;
    size_t taken = 0, refused = 0;
    for (size_t i = 0; i < 300000; i++) {
        const char *sample = samples[i % 5];
        size_t size = strlen(sample);
        char text[200];
        memcpy(text, sample, size);
        for (size_t k = next(&seed) % 3; k > 0; k--)
            text[next(&seed) % size] = bytes[next(&seed) % (sizeof bytes - 1)];
        size -= next(&seed) % 8 == 0 ? next(&seed) % size : 0;
        int expected = jansson_accepts(text, size);
        if (expected < 0)
            continue;
        taken += expected == 1;
        refused += expected == 0;
        if (accepts(text, size) != expected)
            fail_msg("%s: '%.*s'", expected ? "refused" : "taken", (int)size, text);
    }
    assert_true(taken > 10000 && refused > 10000);
}

static void texts_are_what_another_parser_makes_of_them(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\"\"",
        "\"plain\"",
        "\"a \\\"quoted\\\" \\u00e9\\u20ac\\ud83d\\ude00 \\n line\"",
        "\"\\/\\b\\f\\r\\t\\\\\"",
        "\"\xc3\xa9 as it is\"",
        "\"\\u007f\\u0080\\u07ff\\u0800\\uffff\""};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *at = texts[i];
        json_t *v = json_loads(texts[i], JSON_DECODE_ANY, NULL);
        assert_non_null(v);
        assert_string_equal(parse_text(a, &at), json_string_value(v));
        assert_int_equal(*at, '\0');
        json_decref(v);
    }
    arena_free(a);
}

static void brackets_nested_without_end_are_refused(void **state)
{
    (void)state;
    char text[100000];
    memset(text, '[', sizeof text);
    assert_false(accepts(text, sizeof text));
    assert_true(accepts("[[[[[[[[]]]]]]]]", 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_strtod_to_the_last_bit),
        cmocka_unit_test(whole_numbers_are_read_up_to_their_last_and_not_beyond),
        cmocka_unit_test(lines_are_taken_and_refused_as_by_another_parser),
        cmocka_unit_test(texts_are_what_another_parser_makes_of_them),
        cmocka_unit_test(brackets_nested_without_end_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
