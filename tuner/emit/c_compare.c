/* Comparisons, and the question whether a value is among others, which is made of them. */
#include "tuner/emit/c_range.h"
#include "tuner/emit/c_write.h"

#include <stdint.h>

/* --- comparisons ------------------------------------------------------------------------------ */

static bool write_strings(CWriter *w, const Expr *a, const Expr *b, const char *op)
{
    buf_puts(w->out, "strcmp(");
    bool ok = c_expr(w, a, C_ANYWHERE);
    buf_puts(w->out, ", ");
    ok = ok && c_expr(w, b, C_ANYWHERE);
    buf_printf(w->out, ") %s 0", op);
    return ok;
}

/* a op b without brackets around it. */
static bool write_link(CWriter *w, const Expr *a, const Expr *b, CompareOp op)
{
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
    const CPlace own = op == CMP_EQ || op == CMP_NE ? C_EQUALITY : C_RELATION;
    if (op == CMP_IN || op == CMP_NOT_IN) {
        Expr *items[] = {(Expr *)(uintptr_t)b};
        buf_puts(w->out, op == CMP_NOT_IN ? "!" : "");
        return c_member(w, a, items, 1);
    }
    if (a->kind == VALUE_STRING)
        return write_strings(w, a, b, ops[op]);
    if (a->op == OP_NAME && b->op == OP_NAME && a->slot == b->slot) {
        buf_putc(w->out, op == CMP_LE || op == CMP_GE || op == CMP_EQ ? '1' : '0');
        return true; /* compilers warn of comparisons with oneself */
    }
    const bool real = c_is_number(a) && (a->kind == VALUE_REAL || b->kind == VALUE_REAL);
    const ValueKind kind = real ? VALUE_REAL : VALUE_INT;
    bool ok = c_write_operand(w, a, kind, (CPlace)(own + 1));
    buf_printf(w->out, " %s ", ops[op]);
    return ok && c_write_operand(w, b, kind, (CPlace)(own + 1));
}

/* a <= b < c as a <= b && b < c.  An expression in the middle is computed twice, which changes
 * nothing. */
bool c_write_compare(CWriter *w, const Expr *e, CPlace place)
{
    const bool chain = e->count > 2;
    const bool equality = e->compare[0] == CMP_EQ || e->compare[0] == CMP_NE;
    const CPlace own = chain ? C_AND : equality ? C_EQUALITY : C_RELATION;
    const bool brackets = place > own || (chain && place == C_OR);
    bool ok = true;
    buf_puts(w->out, brackets ? "(" : "");
    for (int i = 0; i + 1 < e->count && ok; i++) {
        buf_puts(w->out, i ? " && " : "");
        ok = write_link(w, e->args[i], e->args[i + 1], e->compare[i]);
    }
    buf_puts(w->out, brackets ? ")" : "");
    return ok;
}

/* --- members ---------------------------------------------------------------------------------- */

bool c_is_range(const Expr *e, const Expr *parts[3])
{
    if (!range_is_call(e, "range"))
        return false;
    parts[0] = e->count > 1 ? e->args[0] : NULL;
    parts[1] = e->args[e->count > 1 ? 1 : 0];
    parts[2] = e->count > 2 ? e->args[2] : NULL;
    return true;
}

static bool write_whole_or(CWriter *w, const Expr *e, const char *otherwise)
{
    if (e)
        return c_write_whole(w, e);
    buf_puts(w->out, otherwise);
    return true;
}

static bool member_of_range(CWriter *w, const Expr *value, const Expr *const parts[3])
{
    c_write_opening(w, HELP_IN_RANGE, true);
    bool ok = c_write_whole(w, value);
    for (int i = 0; i < 3 && ok; i++) {
        buf_puts(w->out, ", ");
        ok = write_whole_or(w, parts[i], i == 0 ? "0" : "1");
    }
    buf_putc(w->out, ')');
    return ok;
}

static bool member_of_divisors(CWriter *w, const Expr *value, const Expr *list)
{
    c_write_opening(w, HELP_IS_DIVISOR, true);
    bool ok = c_write_whole(w, value);
    buf_puts(w->out, ", ");
    ok = ok && c_write_whole(w, list->args[0]);
    buf_putc(w->out, ')');
    return ok;
}

static bool member_of_powers(CWriter *w, const Expr *value, const Expr *list)
{
    c_write_opening(w, HELP_IN_POW2, false);
    bool ok = c_write_whole(w, value);
    for (int i = 0; i < 2 && ok; i++) {
        buf_puts(w->out, ", ");
        ok = c_write_whole(w, list->args[i]);
    }
    buf_putc(w->out, ')');
    return ok;
}

/* One value of a list; values of another kind are never equal. */
static bool member_of_one(CWriter *w, const Expr *value, const Expr *item)
{
    const bool alike = (c_is_number(value) && c_is_number(item)) || value->kind == item->kind;
    if (alike)
        return write_link(w, value, item, CMP_EQ);
    buf_putc(w->out, '0');
    return !c_may_fail(w, item) && !c_may_fail(w, value);
}

static bool member_of_values(CWriter *w, const Expr *value, const ValueList *list)
{
    buf_puts(w->out, list->count == 0 ? "(0" : "(");
    for (size_t i = 0; i < list->count; i++) {
        const Value v = list->at[i];
        const Expr item = {.op = OP_LITERAL, .kind = v.kind, .literal = v};
        buf_puts(w->out, i ? " || " : "");
        if (v.kind == VALUE_LIST || !member_of_one(w, value, &item))
            return false;
    }
    buf_putc(w->out, ')');
    return list->count <= 64;
}

static bool member_of(CWriter *w, const Expr *value, const Expr *item);

/* The elements of a list are all computed, whichever it is that the value is equal to. */
static bool member_of_list(CWriter *w, const Expr *value, const Expr *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->args[i]->kind == VALUE_LIST || c_may_fail(w, list->args[i]))
            return false;
    return c_member(w, value, list->args, (size_t)list->count);
}

static bool member_of_select(CWriter *w, const Expr *value, const Expr *e)
{
    buf_putc(w->out, '(');
    bool ok = c_condition(w, e->args[0], C_OR);
    buf_puts(w->out, " ? ");
    ok = ok && member_of(w, value, e->args[1]);
    buf_puts(w->out, " : ");
    ok = ok && member_of(w, value, e->args[2]);
    buf_putc(w->out, ')');
    return ok;
}

static bool member_of(CWriter *w, const Expr *value, const Expr *item)
{
    const Expr *parts[3];
    if (item->kind != VALUE_LIST)
        return member_of_one(w, value, item);
    if (item->op == OP_LITERAL)
        return member_of_values(w, value, item->literal.list);
    if (item->op == OP_LIST)
        return member_of_list(w, value, item);
    if (item->op == OP_SELECT)
        return member_of_select(w, value, item);
    if (value->kind != VALUE_INT)
        return false;
    if (c_is_range(item, parts))
        return member_of_range(w, value, parts);
    if (range_is_call(item, "divisors"))
        return member_of_divisors(w, value, item);
    return range_is_call(item, "pow2") && member_of_powers(w, value, item);
}

bool c_member(CWriter *w, const Expr *value, Expr *const *items, size_t count)
{
    const bool brackets = count != 1 || items[0]->kind != VALUE_LIST;
    bool ok = true;
    buf_puts(w->out, brackets ? "(" : "");
    for (size_t i = 0; i < count && ok; i++) {
        buf_puts(w->out, i ? " || " : "");
        ok = member_of(w, value, items[i]);
    }
    buf_puts(w->out, count == 0 ? "0" : "");
    buf_puts(w->out, brackets ? ")" : "");
    return ok;
}
