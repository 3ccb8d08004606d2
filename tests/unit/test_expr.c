/* The expression language: a table of expressions with their values or messages, and what a table
 * cannot say. */
#include "metrics/base/expr_tree.h"
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

static Value slots[8];
static ScopeName list[8];

static Scope test_scope(Name *names, bool real)
{
    size_t n = 0;
    for (; names[n].name; n++) {
        slots[n] = names[n].value;
        list[n] = (ScopeName){names[n].name, (int)n, names[n].value.kind, NULL};
    }
    return (Scope){.names = {list, n, n}, .real = real};
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

/* --- folding ---------------------------------------------------------------------------------- */

/* The tree, an operator before its operands: 1 + B * 2 is (+ 1 (* B 2)). */
static void print_tree(const Expr *e, Buf *out)
{
    static const char *const ops[] = {
        [OP_LIST] = "list",  [OP_SUM] = "sum",    [OP_NEGATE] = "-",       [OP_NOT] = "not",
        [OP_AND] = "and",    [OP_OR] = "or",      [OP_SELECT] = "?",       [OP_ADD] = "+",
        [OP_SUBTRACT] = "-", [OP_MULTIPLY] = "*", [OP_DIVIDE] = "/",       [OP_FLOOR_DIV] = "//",
        [OP_MODULO] = "%",   [OP_POWER] = "**",   [OP_COMPARE] = "compare"};
    static const char *const compares[] = {"<", "<=", ">", ">=", "==", "!=", "in", "not-in"};
    if (e->op == OP_LITERAL) {
        value_print(e->literal, out);
        return;
    }
    if (e->op == OP_NAME) {
        buf_puts(out, e->name);
        return;
    }
    if (e->op == OP_COLUMN) {
        buf_printf(out, "column %d", e->slot);
        return;
    }
    buf_printf(out, "(%s", e->op == OP_CALL ? e->name : ops[e->op]);
    for (int i = 0; i < e->count; i++) {
        if (e->op == OP_COMPARE && i > 0)
            buf_printf(out, " %s", compares[e->compare[i - 1]]);
        buf_putc(out, ' ');
        print_tree(e->args[i], out);
    }
    buf_putc(out, ')');
}

static Expr *bound(Arena *a, const char *text, const Scope *scope)
{
    Diag d = diag_new(a);
    Source *s = ARENA_NEW(a, Source);
    *s = (Source){"expr", text, strlen(text)};
    Lexer l = lexer_new(a, s, &d);
    Expr *e = expr_parse(&l);
    if (!e || !expr_bind(e, scope, &d))
        fail_msg("%s: %s", text, diag_first(&d));
    return e;
}

/* A = 3, R = 0.5 and T = true are filled in, M is B; B, C of integers and X of reals stay. */
static void what_is_known_is_computed_and_the_rest_stays(void **state)
{
    (void)state;
    static const struct {
        const char *text, *folded;
    } cases[] = {
        {"1 + 2 * A", "7"},
        {"R + A", "3.5"},
        {"B + A", "(+ B 3)"},
        {"M + A", "(+ B 3)"},
        /* What adds or multiplies nothing goes, on the sides where it does not; of integers only. */
        {"B + (A - 3)", "B"},
        {"(A - 3) + B", "B"},
        {"(A - 2) + B", "(+ 1 B)"},
        {"B - (A - 3)", "B"},
        {"(A - 3) - B", "(- 0 B)"},
        {"B - (A - 2)", "(- B 1)"},
        {"B * (A - 2)", "B"},
        {"(A - 2) * B", "B"},
        {"B * (A - 3)", "(* B 0)"},
        {"B / (A - 2)", "B"},
        {"(A - 2) / B", "(/ 1 B)"},
        {"B // (A - 2)", "B"},
        {"B ** (A - 2)", "B"},
        {"B ** (A - 3)", "(** B 0)"},
        {"B % (A - 2)", "(% B 1)"},
        {"ceil_div(B, A - 2)", "B"},
        {"ceil_div(B, A - 1)", "(ceil_div B 2)"},
        {"ceil_div(A - 2, B)", "(ceil_div 1 B)"},
        {"max(B, A - 2)", "(max B 1)"},
        {"X + 0", "(+ X 0)"},
        {"X * 1", "(* X 1)"},
        {"X ** 1", "(** X 1)"},
        {"min(B) + max(C)", "(+ B C)"},
        {"floor(B) + ceil(C)", "(+ B C)"},
        {"abs(B)", "(abs B)"},
        {"min(B, C)", "(min B C)"},
        {"floor(X)", "(floor X)"},
        {"-B + -A", "(+ (- B) -3)"},
        {"not B", "(not B)"},
        {"not (A - 3)", "true"},
        /* What fails does so when it is asked for. */
        {"A / (A - 3)", "(/ 3 0)"},
        /* A condition that decides; the kind stays that of both results. */
        {"A > 2 ? B : C", "B"},
        {"A > 3 ? B : C", "C"},
        {"A - 3 ? B : C", "C"},
        {"A ? 1 : X", "1.0"},
        {"A ? 1 : 2", "1"},
        {"A ? B : X", "B"},
        {"B > 2 ? A : 1", "(? (compare B > 2) 3 1)"},
        /* Only what stands on the left decides by itself. */
        {"A and B", "(compare B != 0)"},
        {"A - 3 and B", "false"},
        {"A or B", "true"},
        {"A - 3 or B", "(compare B != 0)"},
        {"B and A", "(compare B != 0)"},
        {"B and A - 3", "(and B 0)"},
        {"B or A", "(or B 3)"},
        {"B or A - 3", "(compare B != 0)"},
        {"A and A - 1", "true"},
        {"A and A - 3", "false"},
        {"T and B < C", "(compare B < C)"},
        {"B and C", "(and B C)"},
        /* Links at the ends of a chain that hold say nothing, and a first one that does not hold
         * decides. */
        {"A < B", "(compare 3 < B)"},
        {"2 < A < B", "(compare 3 < B)"},
        {"1 < 2 < A < B", "(compare 3 < B)"},
        {"B < A < 5", "(compare B < 3)"},
        {"B < A < 5 < 6", "(compare B < 3)"},
        {"2 < A <= B < 5 < 6", "(compare 3 <= B < 5)"},
        {"B < C < 5", "(compare B < C < 5)"},
        {"5 < A < B", "false"},
        {"B < 5 < A", "(compare B < 5 < 3)"},
        {"1 < B < 5 < A", "(compare 1 < B < 5 < 3)"},
        {"2 < A < 5", "true"},
        {"A in [1, A]", "true"},
        {"B in [1, A]", "(compare B in [1, 3])"},
        {"B not in [1, C]", "(compare B not-in (list 1 C))"},
        {"A / 0 < 5 < B", "(compare (/ 3 0) < 5 < B)"},
        /* A number against itself; a real may be none. */
        {"B <= B", "true"},
        {"B >= B", "true"},
        {"B == B", "true"},
        {"B < B", "false"},
        {"B > B", "false"},
        {"B != B", "false"},
        {"X <= X", "(compare X <= X)"},
        {"B <= C", "(compare B <= C)"},
        {"B <= M", "true"},
        /* The rows are not known. */
        {"2 * sum(rows, c * A)", "(* 2 (sum (* column 0 A)))"},
    };
    Name names[] = {
        {"A", value_int(3)}, {"R", value_real(0.5)}, {"T", value_bool(true)}, {"B", value_int(0)},
        {"C", value_int(0)}, {"X", value_real(0)},   {"M", value_int(0)},     {NULL, {0}}};
    const bool known[7] = {true, true, true};
    const char *const columns[] = {"c"};
    const ExprTable table = {.name = "rows", .columns = columns, .column_count = 1, .slot = 7};
    Scope scope = test_scope(names, false);
    scope.tables = &table;
    scope.table_count = 1;
    Arena *a = arena_new();
    const Expr *const meaning[8] = {[6] = bound(a, "B", &scope)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Buf out = {0};
        print_tree(expr_fold(a, bound(a, cases[i].text, &scope), slots, known, meaning), &out);
        if (strcmp(buf_text(&out), cases[i].folded) != 0)
            fail_msg("%s: %s, not %s", cases[i].text, buf_text(&out), cases[i].folded);
        buf_free(&out);
    }
    arena_free(a);
}

/* Two factors, and the nodes of their product: a value, one of the factors, or both below a third. */
static void a_product_is_as_short_as_it_can_be(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *product;
        size_t size;
    } cases[] = {{"6", "7", "42", 1},
                 {"B", "1", "B", 1},
                 {"1", "C", "C", 1},
                 {"B", "C", "(* B C)", 3},
                 {"B + C", "0", "(* (+ B C) 0)", 5},
                 {"min(B, C, 2)", "C", "(* (min B C 2) C)", 6}};
    Name names[] = {{"B", value_int(0)}, {"C", value_int(0)}, {NULL, {0}}};
    const Scope scope = test_scope(names, false);
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Buf out = {0};
        const Expr *e = expr_product(a, bound(a, cases[i].a, &scope), bound(a, cases[i].b, &scope));
        print_tree(e, &out);
        assert_string_equal(buf_text(&out), cases[i].product);
        assert_int_equal(expr_size(e), cases[i].size);
        assert_int_equal(expr_kind(e), VALUE_INT);
        buf_free(&out);
    }
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
        cmocka_unit_test(what_is_known_is_computed_and_the_rest_stays),
        cmocka_unit_test(a_product_is_as_short_as_it_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
