/* Calls: of the helpers that an emitted unit brings along, and a spec's functions as such calls or
 * as plain C. */
#include "tuner/emit/c_range.h"
#include "tuner/emit/c_write.h"

/* --- helpers ---------------------------------------------------------------------------------- */

/* "mm_exact(&ok, " */
void c_write_opening(CWriter *w, CHelper h, bool may_fail)
{
    *w->helpers |= 1u << h;
    w->uses_ok = w->uses_ok || may_fail;
    buf_printf(w->out, "%s%s(%s", w->prefix, c_helper_name(h), may_fail ? "&ok, " : "");
}

bool c_write_helper(CWriter *w, CHelper h, const Expr *e, ValueKind kind, bool may_fail)
{
    c_write_opening(w, h, may_fail);
    for (int i = 0; i < e->count; i++) {
        buf_puts(w->out, i ? ", " : "");
        if (!c_write_operand(w, e->args[i], kind, C_ANYWHERE))
            return false;
    }
    buf_putc(w->out, ')');
    return true;
}

/* --- functions -------------------------------------------------------------------------------- */

/* min(a, min(b, c)) */
static bool write_extreme(CWriter *w, const Expr *e, CPlace place)
{
    const bool least = range_is_call(e, "min"), real = e->kind == VALUE_REAL;
    const CHelper h = real ? least ? HELP_REAL_MIN : HELP_REAL_MAX : least ? HELP_MIN : HELP_MAX;
    if (e->count == 1 && e->args[0]->kind == VALUE_LIST)
        return false;
    if (e->count == 1)
        return c_write_operand(w, e->args[0], e->kind, place);
    for (int i = 0; i + 1 < e->count; i++) {
        c_write_opening(w, h, false);
        if (!c_write_operand(w, e->args[i], e->kind, C_ANYWHERE))
            return false;
        buf_puts(w->out, ", ");
    }
    const bool ok = c_write_operand(w, e->args[e->count - 1], e->kind, C_ANYWHERE);
    buf_fill(w->out, ')', (size_t)e->count - 1);
    return ok;
}

/* (a + 127) / 128 where nothing is negative and b is known. */
static bool write_ceil_div(CWriter *w, const Expr *e, CPlace place)
{
    const Expr *a = e->args[0], *b = e->args[1];
    if (e->kind == VALUE_REAL)
        return c_write_helper(w, HELP_REAL_CEIL_DIV, e, VALUE_REAL, true);
    const CRange r = c_range(w, a);
    if (b->op != OP_LITERAL || b->literal.integer < 2 || r.low < 0 ||
        r.high + value_as_real(b->literal) > RANGE_SAFE)
        return c_write_helper(w, HELP_CEIL_DIV, e, VALUE_INT, true);
    buf_puts(w->out, place > C_PRODUCT ? "((" : "(");
    const bool ok = c_expr(w, a, C_SUM);
    buf_puts(w->out, " + ");
    c_value(value_int(b->literal.integer - 1), w->out);
    buf_puts(w->out, ") / ");
    c_value(b->literal, w->out);
    buf_puts(w->out, place > C_PRODUCT ? ")" : "");
    return ok;
}

static bool write_abs(CWriter *w, const Expr *e, CPlace place)
{
    const CRange r = c_range(w, e->args[0]);
    if (r.low >= 0)
        return c_expr(w, e->args[0], place);
    if (e->kind == VALUE_INT)
        return c_write_helper(w, HELP_ABS, e, VALUE_INT, true);
    *w->helpers |= 1u << HELP_ABS_REAL;
    buf_puts(w->out, "fabs(");
    const bool ok = c_real(w, e->args[0], C_ANYWHERE);
    buf_putc(w->out, ')');
    return ok;
}

/* A whole number, which functions of whole numbers take as a real one, too. */
bool c_write_whole(CWriter *w, const Expr *e)
{
    if (e->kind == VALUE_INT)
        return c_expr(w, e, C_ANYWHERE);
    c_write_opening(w, HELP_WHOLE, true);
    const bool ok = c_real(w, e, C_ANYWHERE);
    buf_putc(w->out, ')');
    return ok;
}

static bool write_rounding(CWriter *w, const Expr *e, CPlace place)
{
    const bool down = range_is_call(e, "floor");
    if (e->kind == VALUE_INT)
        return c_expr(w, e->args[0], place);
    *w->helpers |= 1u << (down ? HELP_FLOOR : HELP_CEIL);
    buf_puts(w->out, down ? "floor(" : "ceil(");
    const bool ok = c_real(w, e->args[0], C_ANYWHERE);
    buf_putc(w->out, ')');
    return ok;
}

bool c_write_call(CWriter *w, const Expr *e, CPlace place)
{
    if (range_is_call(e, "min") || range_is_call(e, "max"))
        return write_extreme(w, e, place);
    if (range_is_call(e, "ceil_div"))
        return write_ceil_div(w, e, place);
    if (range_is_call(e, "abs"))
        return write_abs(w, e, place);
    if (range_is_call(e, "is_pow2")) {
        c_write_opening(w, HELP_IS_POW2, false);
        const bool ok = c_write_whole(w, e->args[0]);
        buf_putc(w->out, ')');
        return ok;
    }
    if (range_is_call(e, "sqrt"))
        return c_write_helper(w, HELP_SQRT, e, VALUE_REAL, true);
    if (range_is_call(e, "log2"))
        return c_write_helper(w, HELP_LOG2, e, VALUE_REAL, true);
    if (range_is_call(e, "floor") || range_is_call(e, "ceil"))
        return write_rounding(w, e, place);
    if (range_is_call(e, "known"))
        return c_expr(w, e->args[0], place);
    return false; /* a list */
}
