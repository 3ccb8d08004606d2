/* What an expression can come to, from what its names can: what C computes plainly depends on it. */
#include "tuner/emit/c_expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char *const names[] = {"n", "m", "p", "x"};
static const CName c_names[] = {{"n", {0, 10}}, {"m", {-3, 7}}, {"p", {2, 5}}, {"x", {-0.5, 2}}};

static bool find_name(void *context, const char *name, int *slot, ValueKind *kind,
                      const char **reason)
{
    (void)context, (void)reason;
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0) {
            *slot = i;
            *kind = i == 3 ? VALUE_REAL : VALUE_INT;
            return true;
        }
    return false;
}

static CRange range_of(Arena *a, const char *text)
{
    Diag d = diag_new(a);
    Source source = {"range", text, strlen(text)};
    Lexer lexer = lexer_new(a, &source, &d);
    Expr *e = expr_parse(&lexer);
    assert_non_null(e);
    assert_true(expr_bind(e, &(Scope){.find = find_name}, &d));
    return c_range(&(CWriter){.names = c_names}, e);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_are_those_of_the_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
