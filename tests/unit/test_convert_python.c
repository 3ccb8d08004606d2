/* Python's expressions in the language of specs: each means what Python's own evaluation gives,
 * which stands beside it. */
#include "metrics/base/expr.h"
#include "tuner/spec/convert.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static ScopeName names[] = {
    {"a", 0, VALUE_INT, NULL}, {"b", 1, VALUE_INT, NULL}, {"c", 2, VALUE_INT, NULL}};

/* What a Python expression comes to with a = 7, b = 2, c = -3. */
static double value_of(const char *python)
{
    Arena *arena = arena_new();
    Diag d = diag_new(arena);
    Buf text = {0};
    assert_true(python_expression(arena, python, "x", &text, &d));
    Source s = {"x", buf_text(&text), text.size};
    Lexer l = lexer_new(arena, &s, &d);
    Expr *e = expr_parse(&l);
    const Scope scope = {.names = {names, 3, 3}};
    Value slots[] = {value_int(7), value_int(2), value_int(-3)}, v;
    Evaluation ev = {.arena = arena};
    assert_true(e && lexer_at_end_of_line(&l) && expr_bind(e, &scope, &d));
    assert_true(expr_eval(e, slots, &ev, &v));
    double out = value_as_real(v);
    buf_free(&text);
    arena_free(arena);
    return out;
}

static void expressions_mean_what_they_mean_in_python(void **state)
{
    (void)state;
    static const struct {
        const char *python;
        double value;
    } cases[] = {
        {"a / b", 3.5},
        {"a // b", 3},
        {"c // b", -2},
        {"c % b", 1},
        {"a / b * b", 7},
        {"a * b / b / b", 3.5},
        {"a - (b - c) / 2", 4.5},
        {"-b ** 2", -4},
        {"2 ** -1 if a < b else 2 ** 3", 8},
        {"b ** 3 ** 0", 2},
        {"a == 7 and not b == 3", 1},
        {"not (a == 7 or b == 3)", 0},
        {"1 < b < a", 1},
        {"1 < a < b", 0},
        {"a in [1, 7]", 1},
        {"a in (1, 2)", 0},
        {"a not in range(7)", 1},
        {"b in [2*i for i in range(3)]", 1},
        {"a in [i for i in range(20) if i % 7 == 0]", 1},
        {"b in [i for i in range(20) if i % 7 == 0]", 0},
        {"min(a, b, c)", -3},
        {"max(a, abs(c))", 7},
        {"int(a / b)", 3},
        {"math.ceil(a / b)", 4},
        {"pow(b, 3)", 8},
        {"float(a) / 2", 3.5},
        {"(a)", 7},
        {"True and a", 1},
        {"a if b else c", 7},
        {"(a if c > 0 else b) + 1", 3},
        {"0x10 + 1.5e1 + .5", 31.5},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double got = value_of(cases[i].python);
        if (got != cases[i].value)
            fail_msg("%s is %g, not %g", cases[i].python, got, cases[i].value);
    }
}

static void what_is_not_understood_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",      "a +",       "(a", "[a",    "a b",    "a[0]",           "f(a)",
        "a.b",   "lambda: a", "'a", "a @ b", "a if b", "[i for i in a]", "not",
        "1 +* 2"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        Buf out = {0};
        if (python_expression(a, texts[i], "x", &out, &d) || d.errors == 0)
            fail_msg("'%s' became '%s'", texts[i], buf_text(&out));
        buf_free(&out);
        arena_free(a);
    }
}

static void a_list_that_cannot_be_made_says_why(void **state)
{
    (void)state;
    static const char *const all[][2] = {
        {"[i for i in range(100000)]", "more than 65536 values"},
        {"[i for i in [1] if 1 // 0]", "division by zero"},
        {"[i for i in a]", "not known before the tuner runs"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        Buf out = {0};
        assert_false(python_expression(a, all[i][0], "x", &out, &d));
        assert_non_null(strstr(d.messages.at[0].text, all[i][1]));
        buf_free(&out);
        arena_free(a);
    }
}

static void brackets_without_end_are_refused(void **state)
{
    (void)state;
    static const char *const units[] = {"(", "[", "-", "not ", "a if b else "};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        Buf text = {0}, out = {0};
        for (int k = 0; k < 20000; k++)
            buf_puts(&text, units[i]);
        assert_false(python_expression(a, buf_text(&text), "x", &out, &d));
        buf_free(&text);
        buf_free(&out);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_mean_what_they_mean_in_python),
        cmocka_unit_test(what_is_not_understood_is_refused),
        cmocka_unit_test(a_list_that_cannot_be_made_says_why),
        cmocka_unit_test(brackets_without_end_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
