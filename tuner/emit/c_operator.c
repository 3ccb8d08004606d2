/* Operators: sums, products, quotients, powers, signs, choices and what is linked by "and" and
 * "or".
 *
 * Each is C's own where the ranges of its operands leave nothing to fail, else a helper's call. */
#include "tuner/emit/c_range.h"
#include "tuner/emit/c_write.h"

#include <math.h>

/* --- arithmetic ------------------------------------------------------------------------------- */

/* The right operand binds one step more: a - (b - c). */
static bool write_infix(CWriter *w, const Expr *e, const char *op, CPlace own, CPlace place)
{
    buf_puts(w->out, place > own ? "(" : "");
    bool ok = c_write_operand(w, e->args[0], e->kind, own);
    buf_printf(w->out, " %s ", op);
    ok = ok && c_write_operand(w, e->args[1], e->kind, (CPlace)(own + 1));
    buf_puts(w->out, place > own ? ")" : "");
    return ok;
}

static bool write_sum(CWriter *w, const Expr *e, CPlace place)
{
    static const struct {
        const char *op;
        CPlace own;
        CHelper helper;
    } how[] = {
        {"+", C_SUM, HELP_ADD}, {"-", C_SUM, HELP_SUBTRACT}, {"*", C_PRODUCT, HELP_MULTIPLY}};
    const int i = (int)e->op - (int)OP_ADD;
    if (range_is_plain_arithmetic(w, e))
        return write_infix(w, e, how[i].op, how[i].own, place);
    if (e->kind == VALUE_INT)
        return c_write_helper(w, how[i].helper, e, VALUE_INT, true);
    c_write_opening(w, HELP_REAL, true);
    const bool ok = write_infix(w, e, how[i].op, how[i].own, C_ANYWHERE);
    buf_putc(w->out, ')');
    return ok;
}

static bool write_division(CWriter *w, const Expr *e, CPlace place)
{
    if (range_is_plain_division(w, e))
        return write_infix(w, e, "/", C_PRODUCT, place);
    if (e->kind == VALUE_REAL)
        return c_write_helper(w, e->op == OP_DIVIDE ? HELP_REAL_DIVIDE : HELP_REAL_FLOOR_DIV, e,
                              VALUE_REAL, true);
    if (e->op == OP_FLOOR_DIV)
        return c_write_helper(w, HELP_FLOOR_DIV, e, VALUE_INT, true);
    return c_write_helper(w, w->exact ? HELP_EXACT : HELP_DIVIDE, e, VALUE_INT, true);
}

static bool write_modulo(CWriter *w, const Expr *e, CPlace place)
{
    const CRange a = c_range(w, e->args[0]), b = c_range(w, e->args[1]);
    if (e->kind == VALUE_REAL)
        return c_write_helper(w, HELP_REAL_MODULO, e, VALUE_REAL, true);
    if (a.low >= 0 && b.low > 0)
        return write_infix(w, e, "%", C_PRODUCT, place);
    return c_write_helper(w, HELP_MODULO, e, VALUE_INT, true);
}

/* The square of a name is written as a product. */
static bool write_power(CWriter *w, const Expr *e, CPlace place)
{
    const Expr *base = e->args[0], *exponent = e->args[1];
    if (e->kind == VALUE_REAL)
        return c_write_helper(w, HELP_REAL_POWER, e, VALUE_REAL, true);
    const bool square = exponent->op == OP_LITERAL && exponent->literal.integer == 2;
    const CRange r = c_range(w, base);
    if (!square || base->op != OP_NAME || fmax(fabs(r.low), fabs(r.high)) > 0x1p30)
        return c_write_helper(w, HELP_POWER, e, VALUE_INT, true);
    Expr product = *e;
    product.op = OP_MULTIPLY;
    product.args = (Expr *[]){e->args[0], e->args[0]};
    return write_sum(w, &product, place);
}

static bool write_negate(CWriter *w, const Expr *e, CPlace place)
{
    const CRange a = c_range(w, e->args[0]);
    (void)place;
    if (e->kind == VALUE_INT && a.low < -RANGE_SAFE) {
        c_write_opening(w, HELP_SUBTRACT, true);
        buf_puts(w->out, "0, ");
        const bool ok = c_expr(w, e->args[0], C_ANYWHERE);
        buf_putc(w->out, ')');
        return ok;
    }
    buf_puts(w->out, "(-");
    const bool ok = c_expr(w, e->args[0], C_UNARY);
    buf_putc(w->out, ')');
    return ok;
}

/* --- choices and logic ------------------------------------------------------------------------ */

/* Whole numbers of a choice are given C's longest type, lest what is computed with them has only
 * 32 bits. */
static bool write_choice(CWriter *w, const Expr *e, ValueKind kind)
{
    const bool small = e->op == OP_LITERAL && e->literal.kind == VALUE_INT && kind == VALUE_INT;
    const bool ok = c_write_operand(w, e, kind, C_OR);
    const bool has_suffix = w->out->size > 0 && w->out->text[w->out->size - 1] == 'L';
    if (small && !has_suffix && e->literal.integer != INT64_MIN) {
        if (w->out->text[w->out->size - 1] == ')')
            buf_puts(w->out, " * 1LL");
        else
            buf_puts(w->out, "LL");
    }
    return ok;
}

static bool write_select(CWriter *w, const Expr *e, CPlace place)
{
    buf_puts(w->out, place > C_ANYWHERE ? "(" : "");
    bool ok = c_condition(w, e->args[0], C_OR);
    buf_puts(w->out, " ? ");
    ok = ok && write_choice(w, e->args[1], e->kind);
    buf_puts(w->out, " : ");
    ok = ok && write_choice(w, e->args[2], e->kind);
    buf_puts(w->out, place > C_ANYWHERE ? ")" : "");
    return ok;
}

/* "a && b"; what is mixed of && and || gets brackets, as compilers wish. */
static bool write_logic(CWriter *w, const Expr *e, CPlace place)
{
    const CPlace own = e->op == OP_AND ? C_AND : C_OR;
    const bool brackets = place > own || (place == C_OR && own == C_AND);
    const CPlace inside = own == C_AND ? C_AND : C_OR;
    buf_puts(w->out, brackets ? "(" : "");
    bool ok = c_condition(w, e->args[0], inside);
    buf_puts(w->out, own == C_AND ? " && " : " || ");
    ok = ok && c_condition(w, e->args[1], inside);
    buf_puts(w->out, brackets ? ")" : "");
    return ok;
}

static bool write_not(CWriter *w, const Expr *e)
{
    buf_puts(w->out, "!(");
    const bool ok = c_condition(w, e->args[0], C_ANYWHERE);
    buf_putc(w->out, ')');
    return ok;
}

bool c_write_operator(CWriter *w, const Expr *e, CPlace place)
{
    switch (e->op) {
    case OP_NEGATE:
        return write_negate(w, e, place);
    case OP_NOT:
        return write_not(w, e);
    case OP_AND:
    case OP_OR:
        return write_logic(w, e, place);
    case OP_SELECT:
        return write_select(w, e, place);
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
        return write_sum(w, e, place);
    case OP_DIVIDE:
    case OP_FLOOR_DIV:
        return write_division(w, e, place);
    case OP_MODULO:
        return write_modulo(w, e, place);
    case OP_POWER:
        return write_power(w, e, place);
    default:
        return false;
    }
}
