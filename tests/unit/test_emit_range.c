/* What an expression can come to, from what its names can: what C computes plainly depends on it. */
#include "tuner/emit/c_expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static ScopeName names[] = {{"n", 0, VALUE_INT, NULL}, {"m", 1, VALUE_INT, NULL},
                            {"p", 2, VALUE_INT, NULL}, {"x", 3, VALUE_REAL, NULL},
                            {"h", 4, VALUE_INT, NULL}, {"g", 5, VALUE_INT, NULL},
                            {"b", 6, VALUE_BOOL, NULL}};
static const CName c_names[] = {{"n", {0, 10}},   {"m", {-3, 7}},     {"p", {2, 5}},
                                {"x", {-0.5, 2}}, {"h", {0, 0x1p61}}, {"g", {-0x1p63, 0x1p63}},
                                {"b", {0, 1}}};

static Expr *bound(Arena *a, const char *text)
{
    Diag d = diag_new(a);
    Source source = {"range", text, strlen(text)};
    Lexer lexer = lexer_new(a, &source, &d);
    Expr *e = expr_parse(&lexer);
    assert_non_null(e);
    assert_true(expr_bind(e, &(Scope){.names = {names, 7, 7}}, &d));
    return e;
}

static CRange range_of(Arena *a, const char *text)
{
    return c_range(&(CWriter){.names = c_names}, bound(a, text));
}

static void ranges_are_those_of_the_values(void **state)
{
    static const struct {
        const char *text;
        CRange range;
    } CASES[] = {
        {"7", {7, 7}},
        {"n + m", {-3, 17}},
        {"n - m", {-7, 13}},
        {"n * m", {-30, 70}},
        {"m * m", {-21, 49}},
        {"-m", {-7, 3}},
        {"m // p", {-2, 3}},
        {"m / p", {-1, 3}},
        {"ceil_div(m, p)", {-1, 4}},
        {"ceil_div(n, p)", {0, 5}},
        {"x / p", {-1, 1}},
        {"n % p", {0, 4}},
        {"n % (p - 7)", {-4, 0}},
        {"p ** 2", {0, 25}},
        {"min(n, m, p)", {-3, 5}},
        {"max(n, m, p)", {2, 10}},
        {"abs(m)", {0, 7}},
        {"abs(-n)", {0, 10}},
        {"floor(x * 3)", {-2, 6}},
        {"ceil(x * 3)", {-2, 6}},
        {"sqrt(p - 1)", {0, 2}},
        {"is_pow2(n)", {0, 1}},
        {"n > m", {0, 1}},
        {"n > 3 ? m : p * 2", {-3, 10}},
        {"n // m", {-0x1p63, 0x1p63}}, /* it may be divided by 0 */
        {"m ** p", {-0x1p63, 0x1p63}},
        {"exp(x)", {-INFINITY, INFINITY}},
        {"log2(p)", {-1100, 1100}},
    };
    (void)state;
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const CRange r = range_of(a, CASES[i].text);
        if (r.low != CASES[i].range.low || r.high != CASES[i].range.high)
            fail_msg("%s: %g to %g", CASES[i].text, r.low, r.high);
    }
    arena_free(a);
}

/* `exact`: a remainder is a failure. */
static void assert_c(Arena *a, const char *text, bool exact, const char *expected)
{
    Buf out = {0};
    CWriter w = {.out = &out, .names = c_names, .prefix = "q_", .exact = exact};
    assert_true(c_expr(&w, bound(a, text), C_ANYWHERE));
    assert_string_equal(buf_text(&out), expected);
    buf_free(&out);
}

static void expressions_are_as_short_as_their_ranges_allow(void **state)
{
    static const struct {
        const char *text, *c;
    } CASES[] = {{"n + m", "n + m"},
                 {"n - m * p", "n - m * p"},
                 {"(n - m) * p", "(n - m) * p"},
                 {"n - (m - p)", "n - (m - p)"},
                 {"-m", "(-m)"},
                 {"-(-n)", "(-(-n))"},
                 {"-g", "q_subtract(&ok, 0, g)"},
                 {"h + h", "h + h"},
                 {"h + h + h", "q_add(&ok, h + h, h)"},
                 {"h * 2", "h * 2"},
                 {"h * p", "q_multiply(&ok, h, p)"},
                 {"g + 1", "q_add(&ok, g, 1)"},
                 {"n / p", "n / p"},
                 {"m / p", "m / p"},
                 {"m // p", "q_floor_div(&ok, m, p)"},
                 {"n // p", "n / p"},
                 {"n // m", "q_floor_div(&ok, n, m)"},
                 {"n / m", "q_divide(&ok, n, m)"},
                 {"g / p", "g / p"},
                 {"n % p", "n % p"},
                 {"m % p", "q_modulo(&ok, m, p)"},
                 {"n % m", "q_modulo(&ok, n, m)"},
                 {"ceil_div(n, p)", "q_ceil_div(&ok, n, p)"},
                 {"ceil_div(m, p)", "q_ceil_div(&ok, m, p)"},
                 {"ceil_div(g, p)", "q_ceil_div(&ok, g, p)"},
                 {"ceil_div(n, 2)", "(n + 1) / 2"},
                 {"ceil_div(n, 128)", "(n + 127) / 128"},
                 {"ceil_div(n + p, 128) * p", "(n + p + 127) / 128 * p"},
                 {"n / ceil_div(p, 128)", "q_divide(&ok, n, (p + 127) / 128)"},
                 {"ceil_div(n, 1)", "q_ceil_div(&ok, n, 1)"},
                 {"ceil_div(n, -2)", "q_ceil_div(&ok, n, (-2))"},
                 {"ceil_div(m, 2)", "q_ceil_div(&ok, m, 2)"},
                 {"ceil_div(g, 2)", "q_ceil_div(&ok, g, 2)"},
                 {"ceil_div(x, 2)", "q_real_ceil_div(&ok, x, 2.0)"},
                 {"abs(n)", "n"},
                 {"abs(x)", "fabs(x)"},
                 {"n ** 2", "n * n"},
                 {"n ** p", "q_power(&ok, n, p)"},
                 {"m ** 2", "m * m"},
                 {"x * 2", "x * 2.0"},
                 {"x / p", "x / (double)p"},
                 {"x // p", "q_real_floor_div(&ok, x, (double)p)"},
                 {"x / x", "q_real_divide(&ok, x, x)"},
                 {"x + n", "x + (double)n"},
                 {"n / 2.5", "(double)n / 2.5"},
                 {"min(n, m)", "q_min(n, m)"},
                 {"max(n, m, p)", "q_max(n, q_max(m, p))"},
                 {"min(x, n)", "q_real_min(x, (double)n)"},
                 {"abs(m)", "q_abs(&ok, m)"},
                 {"abs(g)", "q_abs(&ok, g)"},
                 {"sqrt(p)", "q_sqrt(&ok, (double)p)"},
                 {"log2(p)", "q_log2_of(&ok, (double)p)"},
                 {"floor(x)", "floor(x)"},
                 {"ceil(x * 3)", "ceil(x * 3.0)"},
                 {"is_pow2(n)", "q_is_pow2(n)"},
                 {"n > m", "n > m"},
                 {"n < m < p", "n < m && m < p"},
                 {"n == m or b", "n == m || b"},
                 {"not b", "!(b)"},
                 {"not (n == m)", "!(n == m)"},
                 {"n > 3 and (b or m > 1)", "n > 3 && (b || m > 1)"},
                 {"n > 3 ? m : p", "n > 3 ? m : p"},
                 {"b ? 1 : x", "b ? 1.0 : x"},
                 {"n in [1, 2, 4]", "(n == 1 || n == 2 || n == 4)"},
                 {"n in [m, p]", "(n == m || n == p)"},
                 {"n in [x, 2]", "((double)n == x || n == 2)"},
                 {"n in (b ? [1, 2] : [p])", "(b ? (n == 1 || n == 2) : (n == p))"},
                 {"n in divisors(p)", "q_is_divisor(&ok, n, p)"},
                 {"n in pow2(2, p)", "q_in_pow2(n, 2, p)"},
                 {"m in range(4)", "q_in_range(&ok, m, 0, 4, 1)"},
                 {"n in range(0, 10, 3)", "q_in_range(&ok, n, 0, 10, 3)"},
                 {"9223372036854775807 - n", "q_subtract(&ok, 9223372036854775807LL, n)"},
                 {"-5 - m", "(-5) - m"},
                 {"n - -5", "n - (-5)"},
                 {"3000000000", "3000000000LL"},
                 {"0.1 + x", "0.1 + x"},
                 {"1e30 * x", "1e+30 * x"}};
    (void)state;
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_c(a, CASES[i].text, false, CASES[i].c);
    assert_c(a, "n / p", true, "q_exact(&ok, n, p)");
    assert_c(a, "n // p", true, "n / p");
    assert_c(a, "x / p", true, "x / (double)p");
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_those_of_the_values),
        cmocka_unit_test(expressions_are_as_short_as_their_ranges_allow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
