#include "tuner/emit/c_expr.h"

#include "tuner/emit/c_text.h"
#include "tuner/emit/c_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- values ----------------------------------------------------------------------------------- */

static bool real_value(double r, Buf *out)
{
    char text[40];
    if (!isfinite(r))
        return false;
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, r);
        if (strtod(text, NULL) == r)
            break;
    }
    buf_puts(out, text);
    if (!strpbrk(text, ".e"))
        buf_puts(out, ".0");
    return true;
}

bool c_value(Value v, Buf *out)
{
    switch (v.kind) {
    case VALUE_BOOL:
        buf_putc(out, v.boolean ? '1' : '0');
        return true;
    case VALUE_INT:
        if (v.integer == INT64_MIN)
            buf_puts(out, "(-9223372036854775807LL - 1)");
        else if (v.integer > INT32_MAX || v.integer < -INT32_MAX)
            buf_printf(out, "%" PRId64 "LL", v.integer);
        else
            buf_printf(out, "%" PRId64, v.integer);
        return true;
    case VALUE_REAL:
        return real_value(v.real, out);
    case VALUE_STRING:
        text_string(out, v.string);
        return true;
    default:
        return false;
    }
}

static bool is_negative(Value v)
{
    return (v.kind == VALUE_INT && v.integer < 0) || (v.kind == VALUE_REAL && v.real < 0);
}

static bool write_literal(CWriter *w, const Expr *e, CPlace place)
{
    const bool brackets = is_negative(e->literal) && place >= C_SUM;
    buf_puts(w->out, brackets ? "(" : "");
    const bool ok = c_value(e->literal, w->out);
    buf_puts(w->out, brackets ? ")" : "");
    return ok;
}

/* --- all of them ------------------------------------------------------------------------------ */

bool c_is_number(const Expr *e)
{
    return e->kind == VALUE_INT || e->kind == VALUE_REAL;
}

bool c_condition(CWriter *w, const Expr *e, CPlace place)
{
    if (!c_is_number(e))
        return c_expr(w, e, place);
    const bool brackets = place > C_EQUALITY;
    buf_puts(w->out, brackets ? "(" : "");
    const bool ok = c_expr(w, e, C_RELATION);
    buf_puts(w->out, e->kind == VALUE_REAL ? " != 0.0" : " != 0");
    buf_puts(w->out, brackets ? ")" : "");
    return ok;
}

bool c_real(CWriter *w, const Expr *e, CPlace place)
{
    if (e->kind == VALUE_REAL)
        return c_expr(w, e, place);
    if (e->op == OP_LITERAL) {
        const Expr real = {
            .op = OP_LITERAL, .kind = VALUE_REAL, .literal = value_real(value_as_real(e->literal))};
        return write_literal(w, &real, place);
    }
    buf_puts(w->out, "(double)");
    return c_expr(w, e, C_UNARY);
}

bool c_write_operand(CWriter *w, const Expr *e, ValueKind kind, CPlace place)
{
    return kind == VALUE_REAL ? c_real(w, e, place) : c_expr(w, e, place);
}

bool c_expr(CWriter *w, const Expr *e, CPlace place)
{
    switch (e->op) {
    case OP_LITERAL:
        return write_literal(w, e, place);
    case OP_NAME:
        buf_puts(w->out, w->names[e->slot].text ? w->names[e->slot].text : "");
        return w->names[e->slot].text != NULL;
    case OP_CALL:
        return c_write_call(w, e, place);
    case OP_COMPARE:
        return c_write_compare(w, e, place);
    default:
        return c_write_operator(w, e, place);
    }
}

bool c_unless(CWriter *w, const Expr *e, CPlace place)
{
    static const CompareOp opposite[] = {CMP_GE, CMP_GT, CMP_LE,     CMP_LT,
                                         CMP_NE, CMP_EQ, CMP_NOT_IN, CMP_IN};
    if (e->op == OP_NOT)
        return c_condition(w, e->args[0], place);
    if (e->op == OP_COMPARE && e->count == 2 && e->args[0]->kind != VALUE_REAL &&
        e->args[1]->kind != VALUE_REAL) {
        CompareOp op = opposite[e->compare[0]];
        Expr flipped = *e;
        flipped.compare = &op;
        return c_expr(w, &flipped, place);
    }
    buf_puts(w->out, "!(");
    const bool ok = c_condition(w, e, C_ANYWHERE);
    buf_putc(w->out, ')');
    return ok;
}

bool c_choose(CWriter *w, const Expr *e, void (*leaf)(void *context, const char *name),
              void *context)
{
    if (e->op == OP_LITERAL && e->literal.kind == VALUE_STRING) {
        leaf(context, e->literal.string);
        return true;
    }
    if (e->op != OP_SELECT)
        return false;
    buf_putc(w->out, '(');
    bool ok = c_condition(w, e->args[0], C_OR);
    buf_puts(w->out, " ? ");
    ok = ok && c_choose(w, e->args[1], leaf, context);
    buf_puts(w->out, " : ");
    ok = ok && c_choose(w, e->args[2], leaf, context);
    buf_putc(w->out, ')');
    return ok;
}

/* --- what is known of them -------------------------------------------------------------------- */

bool c_may_fail(const CWriter *w, const Expr *e)
{
    Buf text = {0};
    unsigned helpers = 0;
    CWriter trial = *w;
    trial.out = &text;
    trial.uses_ok = false;
    trial.helpers = &helpers;
    const bool said = e->kind == VALUE_LIST || c_expr(&trial, e, C_ANYWHERE);
    buf_free(&text);
    return !said || trial.uses_ok;
}

bool c_may_choose(const Expr *e, const char *name)
{
    if (e->op == OP_SELECT)
        return c_may_choose(e->args[1], name) || c_may_choose(e->args[2], name);
    return e->op != OP_LITERAL || strcmp(e->literal.string, name) == 0;
}

typedef struct Below {
    size_t count;
    bool all;
} Below;

static void note_slot(void *context, int slot)
{
    Below *b = context;
    b->all = b->all && (size_t)slot < b->count;
}

bool c_uses_only(const Expr *e, size_t count)
{
    Below b = {count, true};
    expr_visit_names(e, note_slot, &b);
    return b.all;
}

Expr *const *c_list(const Expr *e, size_t *count)
{
    *count = e->op == OP_LIST ? (size_t)e->count : 1;
    return e->op == OP_LIST ? e->args : NULL;
}
