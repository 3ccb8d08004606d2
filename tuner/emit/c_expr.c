#include "tuner/emit/c_expr.h"

#include "tuner/emit/c_helpers.h"
#include "tuner/emit/c_range.h"
#include "tuner/emit/c_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- values
 * ---------------------------------------------------------------------------------------- */

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

/* --- helpers
 * --------------------------------------------------------------------------------------- */

/* "mm_exact(&ok, " */
static void open_helper(CWriter *w, CHelper h, bool may_fail)
{
    *w->helpers |= 1u << h;
    w->uses_ok = w->uses_ok || may_fail;
    buf_printf(w->out, "%s%s(%s", w->prefix, c_helper_name(h), may_fail ? "&ok, " : "");
}

/* An argument of a function, of the kind that it takes. */
static bool argument(CWriter *w, const Expr *e, ValueKind kind)
{
    return kind == VALUE_REAL ? c_real(w, e, C_ANYWHERE) : c_expr(w, e, C_ANYWHERE);
}

static bool call_helper(CWriter *w, CHelper h, const Expr *e, ValueKind kind, bool may_fail)
{
    open_helper(w, h, may_fail);
    for (int i = 0; i < e->count; i++) {
        buf_puts(w->out, i ? ", " : "");
        if (!argument(w, e->args[i], kind))
            return false;
    }
    buf_putc(w->out, ')');
    return true;
}

/* --- operators
 * ------------------------------------------------------------------------------------- */

static bool operand(CWriter *w, const Expr *e, ValueKind kind, CPlace place)
{
    return kind == VALUE_REAL ? c_real(w, e, place) : c_expr(w, e, place);
}

/* The right operand binds one step more: a - (b - c). */
static bool write_infix(CWriter *w, const Expr *e, const char *op, CPlace own, CPlace place)
{
    buf_puts(w->out, place > own ? "(" : "");
    bool ok = operand(w, e->args[0], e->kind, own);
    buf_printf(w->out, " %s ", op);
    ok = ok && operand(w, e->args[1], e->kind, (CPlace)(own + 1));
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
        return call_helper(w, how[i].helper, e, VALUE_INT, true);
    open_helper(w, HELP_REAL, true);
    const bool ok = write_infix(w, e, how[i].op, how[i].own, C_ANYWHERE);
    buf_putc(w->out, ')');
    return ok;
}

static bool write_division(CWriter *w, const Expr *e, CPlace place)
{
    if (range_is_plain_division(w, e))
        return write_infix(w, e, "/", C_PRODUCT, place);
    if (e->kind == VALUE_REAL)
        return call_helper(w, e->op == OP_DIVIDE ? HELP_REAL_DIVIDE : HELP_REAL_FLOOR_DIV, e,
                           VALUE_REAL, true);
    if (e->op == OP_FLOOR_DIV)
        return call_helper(w, HELP_FLOOR_DIV, e, VALUE_INT, true);
    return call_helper(w, w->exact ? HELP_EXACT : HELP_DIVIDE, e, VALUE_INT, true);
}

static bool write_modulo(CWriter *w, const Expr *e, CPlace place)
{
    const CRange a = c_range(w, e->args[0]), b = c_range(w, e->args[1]);
    if (e->kind == VALUE_REAL)
        return call_helper(w, HELP_REAL_MODULO, e, VALUE_REAL, true);
    if (a.low >= 0 && b.low > 0)
        return write_infix(w, e, "%", C_PRODUCT, place);
    return call_helper(w, HELP_MODULO, e, VALUE_INT, true);
}

/* The square of a name is written as a product. */
static bool write_power(CWriter *w, const Expr *e, CPlace place)
{
    const Expr *base = e->args[0], *exponent = e->args[1];
    if (e->kind == VALUE_REAL)
        return call_helper(w, HELP_REAL_POWER, e, VALUE_REAL, true);
    const bool square = exponent->op == OP_LITERAL && exponent->literal.integer == 2;
    const CRange r = c_range(w, base);
    if (!square || base->op != OP_NAME || fmax(fabs(r.low), fabs(r.high)) > 0x1p30)
        return call_helper(w, HELP_POWER, e, VALUE_INT, true);
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
        open_helper(w, HELP_SUBTRACT, true);
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

/* Whole numbers of a choice are given C's longest type, lest what is computed with them has only
 * 32 bits. */
static bool write_choice(CWriter *w, const Expr *e, ValueKind kind)
{
    const bool small = e->op == OP_LITERAL && e->literal.kind == VALUE_INT && kind == VALUE_INT;
    const bool ok = operand(w, e, kind, C_OR);
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

/* --- comparisons
 * ----------------------------------------------------------------------------------- */

static bool is_number(const Expr *e)
{
    return e->kind == VALUE_INT || e->kind == VALUE_REAL;
}

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
    const bool real = is_number(a) && (a->kind == VALUE_REAL || b->kind == VALUE_REAL);
    const ValueKind kind = real ? VALUE_REAL : VALUE_INT;
    bool ok = operand(w, a, kind, (CPlace)(own + 1));
    buf_printf(w->out, " %s ", ops[op]);
    return ok && operand(w, b, kind, (CPlace)(own + 1));
}

/* a <= b < c as a <= b && b < c.  An expression in the middle is computed twice, which changes
 * nothing. */
static bool write_compare(CWriter *w, const Expr *e, CPlace place)
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

/* --- functions
 * ------------------------------------------------------------------------------------- */

/* min(a, min(b, c)) */
static bool write_extreme(CWriter *w, const Expr *e, CPlace place)
{
    const bool least = range_is_call(e, "min"), real = e->kind == VALUE_REAL;
    const CHelper h = real ? least ? HELP_REAL_MIN : HELP_REAL_MAX : least ? HELP_MIN : HELP_MAX;
    if (e->count == 1 && e->args[0]->kind == VALUE_LIST)
        return false;
    if (e->count == 1)
        return operand(w, e->args[0], e->kind, place);
    for (int i = 0; i + 1 < e->count; i++) {
        open_helper(w, h, false);
        if (!argument(w, e->args[i], e->kind))
            return false;
        buf_puts(w->out, ", ");
    }
    const bool ok = argument(w, e->args[e->count - 1], e->kind);
    buf_fill(w->out, ')', (size_t)e->count - 1);
    return ok;
}

/* (a + 127) / 128 where nothing is negative and b is known. */
static bool write_ceil_div(CWriter *w, const Expr *e, CPlace place)
{
    const Expr *a = e->args[0], *b = e->args[1];
    if (e->kind == VALUE_REAL)
        return call_helper(w, HELP_REAL_CEIL_DIV, e, VALUE_REAL, true);
    const CRange r = c_range(w, a);
    if (b->op != OP_LITERAL || b->literal.integer < 2 || r.low < 0 ||
        r.high + value_as_real(b->literal) > RANGE_SAFE)
        return call_helper(w, HELP_CEIL_DIV, e, VALUE_INT, true);
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
        return call_helper(w, HELP_ABS, e, VALUE_INT, true);
    *w->helpers |= 1u << HELP_ABS_REAL;
    buf_puts(w->out, "fabs(");
    const bool ok = c_real(w, e->args[0], C_ANYWHERE);
    buf_putc(w->out, ')');
    return ok;
}

/* A whole number, which functions of whole numbers take as a real one, too. */
static bool whole(CWriter *w, const Expr *e)
{
    if (e->kind == VALUE_INT)
        return c_expr(w, e, C_ANYWHERE);
    open_helper(w, HELP_WHOLE, true);
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

static bool write_call(CWriter *w, const Expr *e, CPlace place)
{
    if (range_is_call(e, "min") || range_is_call(e, "max"))
        return write_extreme(w, e, place);
    if (range_is_call(e, "ceil_div"))
        return write_ceil_div(w, e, place);
    if (range_is_call(e, "abs"))
        return write_abs(w, e, place);
    if (range_is_call(e, "is_pow2")) {
        open_helper(w, HELP_IS_POW2, false);
        const bool ok = whole(w, e->args[0]);
        buf_putc(w->out, ')');
        return ok;
    }
    if (range_is_call(e, "sqrt"))
        return call_helper(w, HELP_SQRT, e, VALUE_REAL, true);
    if (range_is_call(e, "log2"))
        return call_helper(w, HELP_LOG2, e, VALUE_REAL, true);
    if (range_is_call(e, "floor") || range_is_call(e, "ceil"))
        return write_rounding(w, e, place);
    if (range_is_call(e, "known"))
        return c_expr(w, e->args[0], place);
    return false; /* a list */
}

/* --- lists
 * ----------------------------------------------------------------------------------------- */

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
        return whole(w, e);
    buf_puts(w->out, otherwise);
    return true;
}

static bool member_of_range(CWriter *w, const Expr *value, const Expr *const parts[3])
{
    open_helper(w, HELP_IN_RANGE, true);
    bool ok = whole(w, value);
    for (int i = 0; i < 3 && ok; i++) {
        buf_puts(w->out, ", ");
        ok = write_whole_or(w, parts[i], i == 0 ? "0" : "1");
    }
    buf_putc(w->out, ')');
    return ok;
}

static bool member_of_divisors(CWriter *w, const Expr *value, const Expr *list)
{
    open_helper(w, HELP_IS_DIVISOR, true);
    bool ok = whole(w, value);
    buf_puts(w->out, ", ");
    ok = ok && whole(w, list->args[0]);
    buf_putc(w->out, ')');
    return ok;
}

static bool member_of_powers(CWriter *w, const Expr *value, const Expr *list)
{
    open_helper(w, HELP_IN_POW2, false);
    bool ok = whole(w, value);
    for (int i = 0; i < 2 && ok; i++) {
        buf_puts(w->out, ", ");
        ok = whole(w, list->args[i]);
    }
    buf_putc(w->out, ')');
    return ok;
}

/* One value of a list; values of another kind are never equal. */
static bool member_of_one(CWriter *w, const Expr *value, const Expr *item)
{
    const bool alike = (is_number(value) && is_number(item)) || value->kind == item->kind;
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

/* --- all of them
 * ----------------------------------------------------------------------------------- */

bool c_condition(CWriter *w, const Expr *e, CPlace place)
{
    if (!is_number(e))
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

bool c_expr(CWriter *w, const Expr *e, CPlace place)
{
    switch (e->op) {
    case OP_LITERAL:
        return write_literal(w, e, place);
    case OP_NAME:
        buf_puts(w->out, w->names[e->slot].text ? w->names[e->slot].text : "");
        return w->names[e->slot].text != NULL;
    case OP_CALL:
        return write_call(w, e, place);
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
    case OP_COMPARE:
        return write_compare(w, e, place);
    default:
        return false;
    }
}

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
