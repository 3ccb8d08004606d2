/* The expression language: a table of expressions with their values or messages, and what a table
 * cannot say. */
#include "metrics/base/expr.h"
#include "metrics/base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

typedef struct Name {
    const char *name;
    Value value;
} Name;

static bool find(void *context, const char *name, int *slot, ValueKind *kind, const char **reason)
{
    (void)reason;
    const Name *names = context;
    for (int i = 0; names[i].name; i++) {
        if (strcmp(names[i].name, name) == 0) {
            *slot = i;
            *kind = names[i].value.kind;
            return true;
        }
    }
    return false;
}

static Value slots[8];

static Scope test_scope(Name *names, bool real)
{
    for (int i = 0; names[i].name; i++)
        slots[i] = names[i].value;
    return (Scope){.context = names, .find = find, .real = real};
}

/* Prints the value, or the messages, of an expression. */
static bool run(Arena *a, const char *text, const Scope *scope, Evaluation *ev, Buf *out)
{
    Diag d = diag_new(a);
    Source s = {"expr", text, strlen(text)};
    Lexer l = lexer_new(a, &s, &d);
    Expr *e = expr_parse(&l);
    Value v;
    ev->arena = a;
    if (!e || !lexer_end_line(&l) || !expr_bind(e, scope, &d)) {
        diag_print(&d, out);
        return false;
    }
    if (!expr_eval(e, slots, ev, &v)) {
        buf_puts(out, ev->error);
        return false;
    }
    value_print(v, out);
    return true;
}

static void check_line(Arena *a, const char *line, const Scope *scope, int number)
{
    const char *value = strstr(line, " => "), *message = strstr(line, " =! ");
    const char *split = value ? value : message;
    assert_non_null(split);
    char *text = arena_copy(a, line, (size_t)(split - line));
    Buf out = {0};
    Evaluation ev = {0};

    bool ok = run(a, text, scope, &ev, &out);

    bool expected = value ? ok && strcmp(buf_text(&out), split + 4) == 0
                          : !ok && strstr(buf_text(&out), split + 4) != NULL;
    if (!expected)
        fail_msg("expr.test:%d: %s\n  got: %s", number, line, buf_text(&out));
    buf_free(&out);
}

static void table_of_expressions(void **state)
{
    (void)state;
    Name names[] = {{"A", value_int(3)},
                    {"B", value_int(-7)},
                    {"C", value_int(64)},
                    {"S", value_string("half")},
                    {"R", value_real(0.5)},
                    {"T", value_bool(true)},
                    {NULL, {0}}};
    Scope scope = test_scope(names, false);
    Arena *a = arena_new();
    Diag d = diag_new(a);
    size_t size;
    char *text = arena_string(a, file_read(a, TEST_DATA "/expr.test", &size, &d));
    int number = 0, checked = 0;

    for (char *line = text; line && *line; number++) {
        char *end = strchr(line, '\n');
        *end = '\0';
        if (*line && *line != '#') {
            check_line(a, line, &scope, number + 1);
            checked++;
        }
        line = end + 1;
    }

    assert_true(checked > 80);
    arena_free(a);
}

static void real_scope_divides_like_mathematics(void **state)
{
    (void)state;
    Name names[] = {{"warps", value_real(8)}, {NULL, {0}}};
    Scope scope = test_scope(names, true);
    Arena *a = arena_new();
    Evaluation ev = {0};
    Buf out = {0};

    run(a, "(warps - 1) / 2 + 1 / 4", &scope, &ev, &out);

    assert_string_equal(buf_text(&out), "3.75");
    buf_free(&out);
    arena_free(a);
}

static void division_with_a_remainder_is_noticed(void **state)
{
    (void)state;
    Name names[] = {{"A", value_int(7)}, {NULL, {0}}};
    Scope scope = test_scope(names, false);
    Arena *a = arena_new();
    Buf out = {0};

    Evaluation cut = {0}, meant = {0}, exact = {0};
    run(a, "1 + A / 2", &scope, &cut, &out);
    run(a, "A // 2 + ceil_div(A, 2)", &scope, &meant, &out);
    run(a, "14 / A", &scope, &exact, &out);

    assert_true(cut.inexact);
    assert_int_equal(cut.inexact_at.offset, 4);
    assert_false(meant.inexact);
    assert_false(exact.inexact);
    buf_free(&out);
    arena_free(a);
}

/* What formulas read are reals; functions of whole numbers take those that are exactly whole. */
static void reals_are_whole_numbers_up_to_2_to_the_53(void **state)
{
    (void)state;
    static const struct {
        double real;
        const char *said;
    } CASES[] = {{8, "true"},
                 {12, "false"},
                 {0x1p53, "true"},
                 {0x1p53 + 2, "expected a whole number of at most 2^53"},
                 {-0x1p53 - 2, "expected a whole number of at most 2^53"},
                 {8.5, "expected a whole number of at most 2^53"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Name names[] = {{"x", value_real(CASES[i].real)}, {NULL, {0}}};
        Scope scope = test_scope(names, true);
        Arena *a = arena_new();
        Evaluation ev = {.arena = a};
        Buf out = {0};
        run(a, "is_pow2(x)", &scope, &ev, &out);
        if (!strstr(buf_text(&out), CASES[i].said))
            fail_msg("%g: %s", CASES[i].real, buf_text(&out));
        buf_free(&out);
        arena_free(a);
    }
}

static bool nested(char open, char close, size_t depth)
{
    Name names[] = {{NULL, {0}}};
    Scope scope = test_scope(names, false);
    Arena *a = arena_new();
    Evaluation ev = {.arena = a};
    Buf text = {0}, out = {0};
    buf_fill(&text, open, depth);
    buf_puts(&text, "7");
    buf_fill(&text, close, depth);
    const bool ok = run(a, buf_text(&text), &scope, &ev, &out);
    buf_free(&text);
    buf_free(&out);
    arena_free(a);
    return ok;
}

/* A hundred expressions and operands, the whole and the number among them, are one too many.  A bracket
 * is one of each, a sign an operand. */
static void brackets_and_signs_may_nest_so_deep(void **state)
{
    (void)state;
    assert_true(nested('(', ')', 49));
    assert_false(nested('(', ')', 50));
    assert_true(nested('-', ' ', 98));
    assert_false(nested('-', ' ', 99));
}

static void deep_nesting_is_refused_not_crashed(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Name names[] = {{NULL, {0}}};
    Scope scope = test_scope(names, false);
    Buf open = {0}, chain = {0}, out = {0};
    buf_fill(&open, '(', 100000);
    for (int i = 0; i < 100000; i++)
        buf_puts(&chain, "1+");
    Evaluation ev = {0};

    bool nested = run(a, buf_text(&open), &scope, &ev, &out);
    bool chained = run(a, buf_text(&chain), &scope, &ev, &out);

    assert_false(nested);
    assert_false(chained);
    assert_non_null(strstr(buf_text(&out), "nested more than"));
    assert_non_null(strstr(buf_text(&out), "levels"));
    buf_free(&open);
    buf_free(&chain);
    buf_free(&out);
    arena_free(a);
}

static void conjunction_splits_into_parts(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Source s = {"expr", "1 < 2 < 3 and (A or B) && C", 27};
    Lexer l = lexer_new(a, &s, &d);
    size_t count;

    Expr **parts = expr_conjuncts(a, expr_parse(&l), &count);

    assert_int_equal(count, 3);
    assert_string_equal(expr_text(a, parts[0]), "1 < 2 < 3");
    assert_string_equal(expr_text(a, parts[1]), "(A or B)");
    assert_string_equal(expr_text(a, parts[2]), "C");
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_expressions),
        cmocka_unit_test(real_scope_divides_like_mathematics),
        cmocka_unit_test(division_with_a_remainder_is_noticed),
        cmocka_unit_test(reals_are_whole_numbers_up_to_2_to_the_53),
        cmocka_unit_test(brackets_and_signs_may_nest_so_deep),
        cmocka_unit_test(deep_nesting_is_refused_not_crashed),
        cmocka_unit_test(conjunction_splits_into_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
