/* An expression in C means what it means in a spec.
 *
 * Random expressions are evaluated here, and by a program that is compiled from what c_expr makes
 * of them: for the same values both give the same, or both fail. */
#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tests/support/emit_unit.h"
#include "tuner/emit/c_expr.h"
#include "tuner/spec/contents.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { EXPRESSIONS = 500, POINTS = 24, DEPTH = 4 };

/* --- names
 * ----------------------------------------------------------------------------------------- */

/* Three whole numbers, one of them filled in before it becomes C, and a real one. */
enum { NAME_COUNT = 4, KNOWN = 2 };
static const char *const NAMES[NAME_COUNT] = {"n", "m", "k", "x"};
static const CName C_NAMES[NAME_COUNT] = {
    {"n", {0, 2147483647.0}}, {"m", {-0x1p62, 0x1p62}}, {"k", {-8, 64}}, {"x", {-1e30, 1e30}}};

/* --- random expressions
 * ---------------------------------------------------------------------------- */

typedef struct Random {
    uint64_t count;
    Buf *out;
} Random;

static unsigned draw(Random *r, unsigned below)
{
    return (unsigned)(contents_bits(20260101, r->count++) % below);
}

static void write_whole(Random *r, int depth);
static void write_real(Random *r, int depth);
static void write_condition(Random *r, int depth);

static void write_pair(Random *r, int depth, const char *op, void (*operand)(Random *, int))
{
    buf_putc(r->out, '(');
    operand(r, depth);
    buf_printf(r->out, " %s ", op);
    operand(r, depth);
    buf_putc(r->out, ')');
}

static void write_function(Random *r, int depth, const char *name, int count,
                           void (*operand)(Random *, int))
{
    buf_printf(r->out, "%s(", name);
    for (int i = 0; i < count; i++) {
        buf_puts(r->out, i ? ", " : "");
        operand(r, depth);
    }
    buf_putc(r->out, ')');
}

static void write_select(Random *r, int depth, void (*operand)(Random *, int))
{
    buf_putc(r->out, '(');
    write_condition(r, depth);
    buf_puts(r->out, " ? ");
    operand(r, depth);
    buf_puts(r->out, " : ");
    operand(r, depth);
    buf_putc(r->out, ')');
}

static void write_whole(Random *r, int depth)
{
    static const char *const ops[] = {"+", "-", "*", "/", "//", "%", "**"};
    static const char *const constants[] = {"0",  "1",   "2",          "3",  "7",
                                            "64", "128", "4294967296", "-1", "-5"};
    const unsigned form = depth <= 0 ? draw(r, 2) : draw(r, 14);
    switch (form) {
    case 0:
        buf_puts(r->out, NAMES[draw(r, 3)]);
        break;
    case 1:
        buf_puts(r->out, constants[draw(r, 10)]);
        break;
    case 9:
        buf_puts(r->out, "(-");
        write_whole(r, depth - 1);
        buf_putc(r->out, ')');
        break;
    case 10:
        write_function(r, depth - 1, draw(r, 2) ? "min" : "max", 1 + (int)draw(r, 3), write_whole);
        break;
    case 11:
        write_function(r, depth - 1, "ceil_div", 2, write_whole);
        break;
    case 12:
        write_function(r, depth - 1, draw(r, 2) ? "abs" : "floor", 1, write_whole);
        break;
    case 13:
        write_select(r, depth - 1, write_whole);
        break;
    default:
        write_pair(r, depth - 1, ops[(form - 2) % 7], write_whole);
    }
}

static void write_real(Random *r, int depth)
{
    static const char *const ops[] = {"+", "-", "*", "/", "//", "%", "**"};
    static const char *const functions[] = {"sqrt", "log", "log2", "floor", "ceil", "abs"};
    switch (depth <= 0 ? draw(r, 2) : draw(r, 8)) {
    case 0:
        buf_puts(r->out, "x");
        break;
    case 1:
        buf_puts(r->out, draw(r, 2) ? "0.5" : "1e3");
        break;
    case 2:
        write_function(r, depth - 1, functions[draw(r, 6)], 1, write_real);
        break;
    case 3:
        write_select(r, depth - 1, write_real);
        break;
    case 4:
        buf_puts(r->out, "(1.0 * ");
        write_whole(r, depth - 1);
        buf_putc(r->out, ')');
        break;
    case 5:
        write_function(r, depth - 1, "max", 2, write_real);
        break;
    default:
        write_pair(r, depth - 1, ops[draw(r, 7)], write_real);
    }
}

static void write_list(Random *r, int depth)
{
    switch (draw(r, 5)) {
    case 0:
        write_function(r, depth, "divisors", 1, write_whole);
        break;
    case 1:
        write_function(r, depth, "range", 1 + (int)draw(r, 3), write_whole);
        break;
    case 2:
        write_function(r, depth, "pow2", 2, write_whole);
        break;
    default:
        buf_puts(r->out, "[3, ");
        write_whole(r, depth);
        buf_puts(r->out, ", n]");
    }
}

static void write_chain(Random *r, int depth)
{
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
    void (*operand)(Random *, int) = draw(r, 3) ? write_whole : write_real;
    const unsigned links = 1 + draw(r, 2);
    buf_putc(r->out, '(');
    operand(r, depth);
    for (unsigned i = 0; i < links; i++) {
        buf_printf(r->out, " %s ", ops[draw(r, 6)]);
        operand(r, depth);
    }
    buf_putc(r->out, ')');
}

static void write_condition(Random *r, int depth)
{
    switch (depth <= 0 ? 0 : draw(r, 8)) {
    case 1:
        write_pair(r, depth - 1, draw(r, 2) ? "and" : "or", write_condition);
        break;
    case 2:
        write_pair(r, depth - 1, draw(r, 2) ? "and" : "or", write_whole);
        break;
    case 3:
        buf_puts(r->out, "(not ");
        write_condition(r, depth - 1);
        buf_putc(r->out, ')');
        break;
    case 4:
        write_function(r, depth - 1, "is_pow2", 1, write_whole);
        break;
    case 5:
        buf_putc(r->out, '(');
        write_whole(r, depth - 1);
        buf_puts(r->out, draw(r, 2) ? " in " : " not in ");
        write_list(r, depth - 1);
        buf_putc(r->out, ')');
        break;
    default:
        write_chain(r, depth - 1);
    }
}

/* --- both sides
 * ------------------------------------------------------------------------------------ */

typedef struct Sample {
    Expr *expr;
    bool
        exact; /* a remainder fails; it is not folded then, since one of constants does not count */
} Sample;

static Value *point(Arena *a, Random *r)
{
    static const int64_t n[] = {0, 1, 2, 3, 64, 1000, 4096, 65536, 2147483647, 2147483646};
    static const int64_t m[] = {0,       1,    -1, 2, -7, 64, INT64_C(1) << 61, -(INT64_C(1) << 61),
                                1000003, -4096};
    static const double x[] = {0, 1, -1, 0.5, 3.75, -1e30, 1e30, 1024, 1e-9, -2.5};
    Value *v = ARENA_ARRAY(a, Value, NAME_COUNT);
    v[0] = value_int(n[draw(r, 10)]);
    v[1] = value_int(m[draw(r, 10)]);
    v[KNOWN] = value_int((int64_t)draw(r, 20) - 3);
    v[3] = value_real(x[draw(r, 10)]);
    return v;
}

/* What the evaluator says: a line of text. */
static void say(Arena *a, const Sample *s, const Value *at, Buf *out)
{
    Evaluation ev = {.arena = a};
    Value v;
    if (!expr_eval(s->expr, at, &ev, &v) || (s->exact && ev.inexact))
        buf_puts(out, "fails\n");
    else if (v.kind == VALUE_REAL)
        buf_printf(out, "%.17g\n", v.real);
    else
        buf_printf(out, "%" PRId64 "\n", v.kind == VALUE_BOOL ? v.boolean : v.integer);
}

/* The function for one expression at one value of what is known; false when C has no words. */
static bool write_c(Arena *a, const Sample *s, size_t number, Value known, Buf *out)
{
    Value slots[NAME_COUNT] = {{0}};
    bool is_known[NAME_COUNT] = {false};
    Buf text = {0};
    slots[KNOWN] = known;
    is_known[KNOWN] = !s->exact;
    const Expr *e = expr_fold(a, s->expr, slots, is_known, NULL);
    CWriter w = {.out = &text, .names = C_NAMES, .prefix = "unit_", .exact = s->exact};
    const bool said = c_expr(&w, e, C_ANYWHERE);
    const bool real = expr_kind(e) == VALUE_REAL;
    if (said)
        buf_printf(
            out,
            "static void f%zu(long long n, long long m, long long k, double x)\n{\n"
            "    int ok = 1;\n    const %s v = %s;\n"
            "    (void)n; (void)m; (void)k; (void)x; (void)ok;\n"
            "    if (!ok)\n        puts(\"fails\");\n    else\n        printf(\"%s\\n\", v);\n}\n",
            number, real ? "double" : "long long", buf_text(&text), real ? "%.17g" : "%lld");
    buf_free(&text);
    return said;
}

static const char *compile_and_run(Arena *a, const char *program)
{
    char folder[] = "/tmp/aptune-expr-XXXXXX";
    Diag d = diag_new(a);
    assert_non_null(mkdtemp(folder));
    assert_true(file_write(arena_printf(a, "%s/e.c", folder), program, strlen(program), &d));
    const char *said = emit_unit_output(a,
                                        "cd %s && cc -std=c11 -O0 -Wall -Wextra -Wpedantic "
                                        "-Wconversion -Wno-unused-function -Werror "
                                        "-fsanitize=undefined "
                                        "-fno-sanitize-recover e.c -o e -lm && ./e",
                                        folder);
    emit_unit_shell("rm -r %s", folder);
    return said;
}

/* What is not drawn: known takes a name alone. */
static const char *const fixed[] = {"known(m, 1) * 4 + n", "known(m, 1) * 4 + n",
                                    "known(m, 1) * known(n, 2) * 4294967296",
                                    "8 // known(m, 1) + 8 // known(n, 1)"};
enum { FIXED = sizeof fixed / sizeof fixed[0] };

static void in_c_they_give_what_they_give_in_a_spec(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Buf functions = {0}, calls = {0}, wanted = {0}, program = {0};
    Random r = {0};
    size_t number = 0, unsaid = 0;
    Scope scope = {.arena = a};
    for (size_t i = 0; i < NAME_COUNT; i++)
        scope_add(&scope, NAMES[i], i, i == 3 ? VALUE_REAL : VALUE_INT);
    for (size_t i = 0; i < EXPRESSIONS + FIXED; i++) {
        Buf text = {0};
        Diag d = diag_new(a);
        r.out = &text;
        if (i >= EXPRESSIONS)
            buf_puts(&text, fixed[i - EXPRESSIONS]);
        else
            (i % 3 == 0 ? write_whole : i % 3 == 1 ? write_condition : write_real)(&r, DEPTH);
        Source *source = ARENA_NEW(a, Source);
        *source = (Source){"random", arena_string(a, buf_text(&text)), text.size};
        Lexer lexer = lexer_new(a, source, &d);
        Sample s = {expr_parse(&lexer), i % 2 == 0};
        assert_non_null(s.expr);
        buf_free(&text);
        if (!expr_bind(s.expr, &scope, &d))
            continue;
        if (s.exact)
            s.expr = expr_fold(a, s.expr, NULL, (bool[NAME_COUNT]){false}, NULL);
        const Value *first = point(a, &r);
        if (!write_c(a, &s, number, first[KNOWN], &functions)) {
            unsaid++;
            continue;
        }
        for (int p = 0; p < POINTS; p++) {
            Value *at = point(a, &r);
            at[KNOWN] = s.exact ? at[KNOWN] : first[KNOWN];
            buf_printf(&calls, "    f%zu(%" PRId64 "LL, %" PRId64 "LL, %" PRId64 ", %.17g);\n",
                       number, at[0].integer, at[1].integer, at[KNOWN].integer, at[3].real);
            buf_printf(&wanted, "%zu %s: ", number, source->text);
            say(a, &s, at, &wanted);
        }
        number++;
    }
    buf_puts(&program, "#include <limits.h>\n#include <math.h>\n"
                       "#include <stdio.h>\n#include <string.h>\n"
                       "#include \"" SOURCE_DIR "/tuner/emit/unit/arithmetic.h\"\n");
    buf_printf(&program, "%s\nint main(void)\n{\n%s    return 0;\n}\n", buf_text(&functions),
               buf_text(&calls));

    const char *got = compile_and_run(a, buf_text(&program)), *want = buf_text(&wanted);

    for (; *want && *got; got = strchr(got, '\n') + 1, want = strchr(want, '\n') + 1) {
        const char *line = arena_copy(a, want, strcspn(want, "\n"));
        const char *said = arena_copy(a, got, strcspn(got, "\n"));
        const char *value = strrchr(line, ' ') + 1;
        if (strcmp(value, said) != 0)
            fail_msg("%s, in C %s", line, said);
    }
    assert_true(!*want && !*got);
    /* Most have words, and what was tried is not all failures. */
    assert_true(number > EXPRESSIONS * 3 / 4 && unsaid < EXPRESSIONS / 5);
    buf_free(&functions);
    buf_free(&calls);
    buf_free(&wanted);
    buf_free(&program);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_c_they_give_what_they_give_in_a_spec)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
