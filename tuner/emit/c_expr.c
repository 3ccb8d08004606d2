#include "tuner/emit/c_expr.h"

#include "metrics/base/expr_tree.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- ranges, and so where C's own operators will do ------------------------------------------- */

/* A 64-bit sum or product beyond this is assumed to overflow: half of the range, so that the rounding of
 * ranges to doubles does not matter. */
#define RANGE_SAFE 0x1p62

/* Arithmetic on real numbers below this gives neither infinity nor NaN. */
static const double REAL_SAFE = 1e300;

static CRange everything(const Expr *e)
{
    return e->kind == VALUE_REAL ? (CRange){-INFINITY, INFINITY} : (CRange){-0x1p63, 0x1p63};
}

static CRange range_with(CRange r, double v)
{
    return (CRange){v < r.low ? v : r.low, v > r.high ? v : r.high};
}

CRange c_join(CRange a, CRange b)
{
    return range_with(range_with(a, b.low), b.high);
}

/* The range of `op` on the ends of two ranges. */
static CRange of_corners(CRange a, CRange b, double (*op)(double, double))
{
    const double first = op(a.low, b.low);
    CRange r = {first, first};
    r = range_with(r, op(a.low, b.high));
    r = range_with(r, op(a.high, b.low));
    return range_with(r, op(a.high, b.high));
}

static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static double quotient(double a, double b)
{
    return a / b;
}

static bool is_safe(const Expr *e, CRange r)
{
    const double limit = e->kind == VALUE_REAL ? REAL_SAFE : RANGE_SAFE;
    return r.low >= -limit && r.high <= limit;
}

static bool without_zero(CRange r)
{
    return r.low > 0 || r.high < 0;
}

/* The range of a sum, difference or product, unless it overflows. */
static CRange raw_range(const CWriter *w, const Expr *e)
{
    const CRange a = c_range(w, e->args[0]), b = c_range(w, e->args[1]);
    switch (e->op) {
    case OP_ADD:
        return (CRange){a.low + b.low, a.high + b.high};
    case OP_SUBTRACT:
        return (CRange){a.low - b.high, a.high - b.low};
    default:
        return of_corners(a, b, times);
    }
}

/* True if a sum, difference or product cannot overflow, so that C's operator will do. */
static bool c_is_plain_arithmetic(const CWriter *w, const Expr *e)
{
    const CRange r = raw_range(w, e);
    return is_safe(e, r) && r.low == r.low && r.high == r.high;
}

/* True if C's division is "/" or "//"; for non-negative integers it is both. */
static bool c_is_plain_division(const CWriter *w, const Expr *e)
{
    const CRange a = c_range(w, e->args[0]), b = c_range(w, e->args[1]);
    if (e->kind == VALUE_REAL)
        return e->op == OP_DIVIDE && without_zero(b) && is_safe(e, a) &&
               fmin(fabs(b.low), fabs(b.high)) >= 1e-3;
    if (e->op == OP_DIVIDE)
        return !w->exact && without_zero(b) && (a.low > -RANGE_SAFE || b.low > 0);
    return a.low >= 0 && b.low > 0;
}

static CRange division_range(const CWriter *w, const Expr *e)
{
    const CRange a = c_range(w, e->args[0]), b = c_range(w, e->args[1]);
    if (!without_zero(b) || !is_safe(e, a) || !is_safe(e, b))
        return everything(e);
    CRange r = of_corners(a, b, quotient);
    if (e->kind == VALUE_INT && e->op == OP_FLOOR_DIV)
        r = (CRange){floor(r.low), floor(r.high)};
    else if (e->kind == VALUE_INT && e->op == OP_DIVIDE)
        r = (CRange){trunc(r.low), trunc(r.high)};
    else if (e->kind == VALUE_INT)
        r = (CRange){ceil(r.low), ceil(r.high)};
    else
        r = (CRange){floor(r.low), ceil(r.high)};
    return range_with(r, 0); /* a failure gives 0 */
}

static CRange modulo_range(const CWriter *w, const Expr *e)
{
    const CRange b = c_range(w, e->args[1]);
    const double one = e->kind == VALUE_INT ? 1 : 0;
    return (CRange){b.low < 0 ? b.low + one : 0, b.high > 0 ? b.high - one : 0};
}

static CRange power_range(const CWriter *w, const Expr *e)
{
    const CRange a = c_range(w, e->args[0]), b = c_range(w, e->args[1]);
    if (a.low < 0 || b.low < 0 || pow(a.high, b.high) > RANGE_SAFE)
        return everything(e);
    return (CRange){0, fmax(1, pow(a.high, b.high))};
}

static bool c_is_call(const Expr *e, const char *name)
{
    return e->op == OP_CALL && strcmp(e->name, name) == 0;
}

static CRange extreme_range(const CWriter *w, const Expr *e)
{
    if (e->count == 1 && e->args[0]->kind == VALUE_LIST)
        return everything(e);
    CRange r = c_range(w, e->args[0]);
    bool least = c_is_call(e, "min");
    for (int i = 1; i < e->count; i++) {
        const CRange a = c_range(w, e->args[i]);
        r = least ? (CRange){fmin(r.low, a.low), fmin(r.high, a.high)}
                  : (CRange){fmax(r.low, a.low), fmax(r.high, a.high)};
    }
    return r;
}

static CRange call_range(const CWriter *w, const Expr *e)
{
    if (WORD_IS_ANY(e->name, "min", "max"))
        return extreme_range(w, e);
    if (c_is_call(e, "ceil_div"))
        return division_range(w, e);
    if (c_is_call(e, "is_pow2"))
        return (CRange){0, 1};
    const CRange a = c_range(w, e->args[0]);
    if (c_is_call(e, "known"))
        return a;
    if (c_is_call(e, "abs"))
        return (CRange){0, fmax(fabs(a.low), fabs(a.high))};
    if (WORD_IS_ANY(e->name, "floor", "ceil"))
        return (CRange){floor(a.low), ceil(a.high)};
    if (c_is_call(e, "sqrt"))
        return (CRange){0, a.high > 0 ? sqrt(a.high) : 0};
    if (WORD_IS_ANY(e->name, "log", "log2") && a.high <= REAL_SAFE)
        return (CRange){-1100, 1100};
    return everything(e);
}

static CRange value_range(Value v)
{
    const double r = v.kind == VALUE_INT || v.kind == VALUE_REAL ? value_as_real(v) : v.boolean;
    return (CRange){r, r};
}

CRange c_range(const CWriter *w, const Expr *e)
{
    switch (e->op) {
    case OP_LITERAL:
        return value_range(e->literal);
    case OP_NAME:
        return w->names[e->slot].range;
    case OP_CALL:
        return call_range(w, e);
    case OP_NEGATE: {
        const CRange a = c_range(w, e->args[0]);
        return (CRange){-a.high, -a.low};
    }
    case OP_SELECT:
        return c_join(c_range(w, e->args[1]), c_range(w, e->args[2]));
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
        return c_is_plain_arithmetic(w, e) ? raw_range(w, e) : everything(e);
    case OP_DIVIDE:
    case OP_FLOOR_DIV:
        return division_range(w, e);
    case OP_MODULO:
        return modulo_range(w, e);
    case OP_POWER:
        return power_range(w, e);
    default:
        return (CRange){0, 1};
    }
}

static bool c_condition(CWriter *w, const Expr *e, CPrecedence prec);

/* --- values ----------------------------------------------------------------------------------- */

static bool real_value(double r, Buf *out)
{
    const size_t before = out->size;
    if (!isfinite(r))
        return false;
    buf_real(out, r, 1);
    if (!strpbrk(out->text + before, ".e"))
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

/* --- patterns --------------------------------------------------------------------------------- */

static bool write_whole(CWriter *w, const Expr *e);

static bool is_number(const Expr *e)
{
    return e->kind == VALUE_INT || e->kind == VALUE_REAL;
}

/* Writes a pattern in which are replaced:
 *
 *     %e %r %c  by an expression, given with its CPrecedence: as it is, as a double, as a condition
 *     %k        by an expression, given with a ValueKind and a CPrecedence: as a double for VALUE_REAL
 *     %w        by an expression as an integer
 *     %h %f     by a helper's name and its opening bracket; %f if it may clear `ok`
 *     %s        by a text
 *     %( %)     by brackets, if the int given is not 0
 *
 * False if C cannot express one of them. */
static bool emit(CWriter *w, const char *pattern, ...)
{
    bool ok = true;
    int brackets = 0;
    va_list args;
    va_start(args, pattern);
    for (const char *p = pattern; *p && ok; p++) {
        if (*p != '%' || p[1] == ' ') {
            buf_putc(w->out, *p);
            continue;
        }
        const char what = *++p;
        const Expr *e = strchr("ercwk", what) ? va_arg(args, const Expr *) : NULL;
        if (what == '(')
            brackets = va_arg(args, int);
        if (what == '(' || what == ')')
            buf_fill(w->out, what, brackets ? 1 : 0);
        else if (what == 's')
            buf_puts(w->out, va_arg(args, const char *));
        else if (what == 'h' || what == 'f')
            buf_printf(w->out, "%s%s(%s", w->prefix, va_arg(args, const char *),
                       what == 'f' ? "&ok, " : "");
        else if (what == 'w')
            ok = write_whole(w, e);
        else if (what == 'r' || (what == 'k' && va_arg(args, int) == VALUE_REAL))
            ok = c_real(w, e, (CPrecedence)va_arg(args, int));
        else if (what == 'c')
            ok = c_condition(w, e, (CPrecedence)va_arg(args, int));
        else
            ok = c_expr(w, e, (CPrecedence)va_arg(args, int));
    }
    va_end(args);
    return ok;
}

static bool write_literal(CWriter *w, Value v, CPrecedence prec)
{
    const bool brackets = is_negative(v) && prec >= C_SUM;
    buf_puts(w->out, brackets ? "(" : "");
    const bool ok = c_value(v, w->out);
    buf_puts(w->out, brackets ? ")" : "");
    return ok;
}

bool c_real(CWriter *w, const Expr *e, CPrecedence prec)
{
    if (e->kind == VALUE_REAL)
        return c_expr(w, e, prec);
    if (e->op == OP_LITERAL)
        return write_literal(w, value_real(value_as_real(e->literal)), prec);
    return emit(w, "(double)%e", e, C_UNARY);
}

/* An expression as a condition; numbers are compared with 0. */
static bool c_condition(CWriter *w, const Expr *e, CPrecedence prec)
{
    if (!is_number(e))
        return c_expr(w, e, prec);
    return emit(w, "%(%e != %s%)", prec > C_EQUALITY, e, C_RELATION,
                e->kind == VALUE_REAL ? "0.0" : "0");
}

/* An integer; in a spec, functions of integers also take real numbers that are whole. */
static bool write_whole(CWriter *w, const Expr *e)
{
    return e->kind == VALUE_INT ? c_expr(w, e, C_ANYWHERE)
                                : emit(w, "%f%r)", "whole", e, C_ANYWHERE);
}

/* --- functions -------------------------------------------------------------------------------- */

/* Calls a helper that may fail with the one or two operands of an expression. */
static bool write_helper(CWriter *w, const char *helper, const Expr *e, ValueKind kind)
{
    if (e->count == 1)
        return emit(w, "%f%k)", helper, e->args[0], kind, C_ANYWHERE);
    return emit(w, "%f%k, %k)", helper, e->args[0], kind, C_ANYWHERE, e->args[1], kind, C_ANYWHERE);
}

/* min(a, min(b, c)) */
static bool write_extreme(CWriter *w, const Expr *e, const char *helper, CPrecedence prec)
{
    const int last = e->count - 1;
    if (last == 0 && e->args[0]->kind == VALUE_LIST)
        return false;
    for (int i = 0; i < last; i++)
        if (!emit(w, "%h%k, ", helper, e->args[i], e->kind, C_ANYWHERE))
            return false;
    const bool ok = emit(w, "%k", e->args[last], e->kind, last > 0 ? C_ANYWHERE : prec);
    buf_fill(w->out, ')', (size_t)last);
    return ok;
}

/* (a + 127) / 128 where nothing is negative and b is known. */
static bool write_ceil_div(CWriter *w, const Expr *e, CPrecedence prec)
{
    const Expr *a = e->args[0], *b = e->args[1];
    if (e->kind == VALUE_REAL)
        return write_helper(w, "real_ceil_div", e, VALUE_REAL);
    const CRange r = c_range(w, a);
    if (b->op != OP_LITERAL || b->literal.integer < 2 || r.low < 0 ||
        r.high + value_as_real(b->literal) > RANGE_SAFE)
        return write_helper(w, "ceil_div", e, VALUE_INT);
    Expr less = *b;
    less.literal.integer--;
    return emit(w, "%((%e + %e) / %e%)", prec > C_PRODUCT, a, C_SUM, &less, C_PRODUCT, b, C_UNARY);
}

static bool write_abs(CWriter *w, const Expr *e, CPrecedence prec)
{
    if (c_range(w, e->args[0]).low >= 0)
        return c_expr(w, e->args[0], prec);
    if (e->kind == VALUE_INT)
        return write_helper(w, "abs", e, VALUE_INT);
    return emit(w, "fabs(%r)", e->args[0], C_ANYWHERE);
}

static bool write_call(CWriter *w, const Expr *e, CPrecedence prec)
{
    const bool real = e->kind == VALUE_REAL;
    if (c_is_call(e, "min"))
        return write_extreme(w, e, real ? "real_min" : "min", prec);
    if (c_is_call(e, "max"))
        return write_extreme(w, e, real ? "real_max" : "max", prec);
    if (c_is_call(e, "ceil_div"))
        return write_ceil_div(w, e, prec);
    if (c_is_call(e, "abs"))
        return write_abs(w, e, prec);
    if (c_is_call(e, "is_pow2"))
        return emit(w, "%h%w)", "is_pow2", e->args[0]);
    if (c_is_call(e, "sqrt"))
        return write_helper(w, "sqrt", e, VALUE_REAL);
    if (c_is_call(e, "log"))
        return write_helper(w, "log_of", e, VALUE_REAL);
    if (c_is_call(e, "log2"))
        return write_helper(w, "log2_of", e, VALUE_REAL);
    if (c_is_call(e, "known") || (!real && WORD_IS_ANY(e->name, "floor", "ceil")))
        return c_expr(w, e->args[0], prec);
    /* C has these; exp is finite wherever a size was tuned.  The others are lists. */
    return WORD_IS_ANY(e->name, "floor", "ceil", "sin", "cos", "exp") &&
           emit(w, "%s(%r)", e->name, e->args[0], C_ANYWHERE);
}

/* --- operators -------------------------------------------------------------------------------- */

/* Left associative: the right operand has to bind tighter, as in a - (b - c). */
static bool write_infix(CWriter *w, const Expr *e, const char *op, CPrecedence own,
                        CPrecedence prec)
{
    return emit(w, "%(%k %s %k%)", prec > own, e->args[0], e->kind, own, op, e->args[1], e->kind,
                own + 1);
}

static bool write_sum(CWriter *w, const Expr *e, CPrecedence prec)
{
    static const struct {
        const char *op;
        CPrecedence own;
        const char *helper;
    } how[] = {{"+", C_SUM, "add"}, {"-", C_SUM, "subtract"}, {"*", C_PRODUCT, "multiply"}};
    const int i = (int)e->op - (int)OP_ADD;
    if (c_is_plain_arithmetic(w, e))
        return write_infix(w, e, how[i].op, how[i].own, prec);
    if (e->kind == VALUE_INT)
        return write_helper(w, how[i].helper, e, VALUE_INT);
    return emit(w, "%f", "real") && write_infix(w, e, how[i].op, how[i].own, C_ANYWHERE) &&
           emit(w, ")");
}

static bool write_division(CWriter *w, const Expr *e, CPrecedence prec)
{
    const bool floors = e->op == OP_FLOOR_DIV;
    if (c_is_plain_division(w, e))
        return write_infix(w, e, "/", C_PRODUCT, prec);
    if (e->kind == VALUE_REAL)
        return write_helper(w, floors ? "real_floor_div" : "real_divide", e, VALUE_REAL);
    return write_helper(w, floors ? "floor_div" : w->exact ? "exact" : "divide", e, VALUE_INT);
}

static bool write_modulo(CWriter *w, const Expr *e, CPrecedence prec)
{
    if (e->kind == VALUE_REAL)
        return write_helper(w, "real_modulo", e, VALUE_REAL);
    if (c_range(w, e->args[0]).low >= 0 && c_range(w, e->args[1]).low > 0)
        return write_infix(w, e, "%", C_PRODUCT, prec);
    return write_helper(w, "modulo", e, VALUE_INT);
}

/* The square of a name becomes a product. */
static bool write_power(CWriter *w, const Expr *e, CPrecedence prec)
{
    const Expr *base = e->args[0], *exponent = e->args[1];
    if (e->kind == VALUE_REAL)
        return write_helper(w, "real_power", e, VALUE_REAL);
    const bool square = exponent->op == OP_LITERAL && exponent->literal.integer == 2;
    const CRange r = c_range(w, base);
    if (!square || base->op != OP_NAME || fmax(fabs(r.low), fabs(r.high)) > 0x1p30)
        return write_helper(w, "power", e, VALUE_INT);
    Expr product = *e;
    product.op = OP_MULTIPLY;
    product.args = (Expr *[]){e->args[0], e->args[0]};
    return write_sum(w, &product, prec);
}

static bool write_negate(CWriter *w, const Expr *e)
{
    if (e->kind == VALUE_INT && c_range(w, e->args[0]).low < -RANGE_SAFE)
        return emit(w, "%f0, %e)", "subtract", e->args[0], C_ANYWHERE);
    return emit(w, "(-%e)", e->args[0], C_UNARY);
}

/* Integer constants of a choice become long long; otherwise sums of two choices would have 32 bits. */
static bool write_choice(CWriter *w, const Expr *e, ValueKind kind)
{
    const bool small = e->op == OP_LITERAL && e->literal.kind == VALUE_INT && kind == VALUE_INT;
    const bool ok = emit(w, "%k", e, kind, C_OR);
    const bool has_suffix = w->out->size > 0 && w->out->text[w->out->size - 1] == 'L';
    if (small && !has_suffix && e->literal.integer != INT64_MIN) {
        if (w->out->text[w->out->size - 1] == ')')
            buf_puts(w->out, " * 1LL");
        else
            buf_puts(w->out, "LL");
    }
    return ok;
}

static bool write_select(CWriter *w, const Expr *e, CPrecedence prec)
{
    const bool brackets = prec > C_ANYWHERE;
    return emit(w, "%s%c ? ", brackets ? "(" : "", e->args[0], C_OR) &&
           write_choice(w, e->args[1], e->kind) && emit(w, " : ") &&
           write_choice(w, e->args[2], e->kind) && emit(w, brackets ? ")" : "");
}

/* "a && b"; mixed && and || get brackets, since compilers warn without. */
static bool write_logic(CWriter *w, const Expr *e, CPrecedence prec)
{
    const CPrecedence own = e->op == OP_AND ? C_AND : C_OR;
    return emit(w, "%(%c %s %c%)", prec > own || (prec == C_OR && own == C_AND), e->args[0], own,
                own == C_AND ? "&&" : "||", e->args[1], own);
}

/* --- comparisons ------------------------------------------------------------------------------ */

/* a op b without brackets around it. */
static bool write_link(CWriter *w, const Expr *a, const Expr *b, CompareOp op)
{
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
    const CPrecedence own = op == CMP_EQ || op == CMP_NE ? C_EQUALITY : C_RELATION;
    if (op == CMP_IN || op == CMP_NOT_IN) {
        Expr *items[] = {(Expr *)(uintptr_t)b};
        buf_puts(w->out, op == CMP_NOT_IN ? "!" : "");
        return c_member(w, a, items, 1);
    }
    if (a->kind == VALUE_STRING)
        return emit(w, "strcmp(%e, %e) %s 0", a, C_ANYWHERE, b, C_ANYWHERE, ops[op]);
    if (a->op == OP_NAME && b->op == OP_NAME && a->slot == b->slot) {
        buf_putc(w->out, op == CMP_LE || op == CMP_GE || op == CMP_EQ ? '1' : '0');
        return true; /* compilers warn of comparing a name with itself */
    }
    const bool real = is_number(a) && (a->kind == VALUE_REAL || b->kind == VALUE_REAL);
    const ValueKind kind = real ? VALUE_REAL : VALUE_INT;
    return emit(w, "%k %s %k", a, kind, own + 1, ops[op], b, kind, own + 1);
}

/* a <= b < c becomes a <= b && b < c; evaluating b twice is harmless. */
static bool write_compare(CWriter *w, const Expr *e, CPrecedence prec)
{
    const bool chain = e->count > 2;
    const bool equality = e->compare[0] == CMP_EQ || e->compare[0] == CMP_NE;
    const CPrecedence own = chain ? C_AND : equality ? C_EQUALITY : C_RELATION;
    const bool brackets = prec > own || (chain && prec == C_OR);
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
    if (!c_is_call(e, "range"))
        return false;
    parts[0] = e->count > 1 ? e->args[0] : NULL;
    parts[1] = e->args[e->count > 1 ? 1 : 0];
    parts[2] = e->count > 2 ? e->args[2] : NULL;
    return true;
}

/* `e`, or a default for a bound that is left out. */
static const Expr *or_value(const Expr *e, Expr *room, int64_t otherwise)
{
    *room = (Expr){.op = OP_LITERAL, .kind = VALUE_INT, .literal = value_int(otherwise)};
    return e ? e : room;
}

static bool member_of_range(CWriter *w, const Expr *value, const Expr *const parts[3])
{
    Expr from, step;
    return emit(w, "%f%w, %w, %w, %w)", "in_range", value, or_value(parts[0], &from, 0), parts[1],
                or_value(parts[2], &step, 1));
}

/* One value; values of different kinds are never equal. */
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

/* In a spec, all elements of a list are evaluated, but C's || stops early; so none may fail. */
static bool member_of_list(CWriter *w, const Expr *value, const Expr *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->args[i]->kind == VALUE_LIST || c_may_fail(w, list->args[i]))
            return false;
    return c_member(w, value, list->args, (size_t)list->count);
}

static bool member_of_select(CWriter *w, const Expr *value, const Expr *e)
{
    return emit(w, "(%c ? ", e->args[0], C_OR) && member_of(w, value, e->args[1]) &&
           emit(w, " : ") && member_of(w, value, e->args[2]) && emit(w, ")");
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
    if (c_is_call(item, "divisors"))
        return emit(w, "%f%w, %w)", "is_divisor", value, item->args[0]);
    return c_is_call(item, "pow2") &&
           emit(w, "%h%w, %w, %w)", "in_pow2", value, item->args[0], item->args[1]);
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

/* --- expressions ------------------------------------------------------------------------------ */

bool c_expr(CWriter *w, const Expr *e, CPrecedence prec)
{
    switch (e->op) {
    case OP_LITERAL:
        return write_literal(w, e->literal, prec);
    case OP_NAME:
        buf_puts(w->out, w->names[e->slot].text ? w->names[e->slot].text : "");
        return w->names[e->slot].text != NULL;
    case OP_CALL:
        return write_call(w, e, prec);
    case OP_COMPARE:
        return write_compare(w, e, prec);
    case OP_NEGATE:
        return write_negate(w, e);
    case OP_NOT:
        return emit(w, "!(%c)", e->args[0], C_ANYWHERE);
    case OP_AND:
    case OP_OR:
        return write_logic(w, e, prec);
    case OP_SELECT:
        return write_select(w, e, prec);
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
        return write_sum(w, e, prec);
    case OP_DIVIDE:
    case OP_FLOOR_DIV:
        return write_division(w, e, prec);
    case OP_MODULO:
        return write_modulo(w, e, prec);
    case OP_POWER:
        return write_power(w, e, prec);
    default:
        return false;
    }
}

bool c_unless(CWriter *w, const Expr *e, CPrecedence prec)
{
    static const CompareOp opposite[] = {CMP_GE, CMP_GT, CMP_LE,     CMP_LT,
                                         CMP_NE, CMP_EQ, CMP_NOT_IN, CMP_IN};
    if (e->op == OP_NOT)
        return c_condition(w, e->args[0], prec);
    if (e->op == OP_COMPARE && e->count == 2 && e->args[0]->kind != VALUE_REAL &&
        e->args[1]->kind != VALUE_REAL) {
        CompareOp op = opposite[e->compare[0]];
        Expr flipped = *e;
        flipped.compare = &op;
        return c_expr(w, &flipped, prec);
    }
    return emit(w, "!(%c)", e, C_ANYWHERE);
}

bool c_choose(CWriter *w, const Expr *e, void (*leaf)(void *context, const char *name),
              void *context)
{
    if (e->op == OP_LITERAL && e->literal.kind == VALUE_STRING)
        return leaf(context, e->literal.string), true;
    return e->op == OP_SELECT && emit(w, "(%c ? ", e->args[0], C_OR) &&
           c_choose(w, e->args[1], leaf, context) && emit(w, " : ") &&
           c_choose(w, e->args[2], leaf, context) && emit(w, ")");
}

/* --- properties ------------------------------------------------------------------------------- */

bool c_may_fail(const CWriter *w, const Expr *e)
{
    SCOPED_BUF text = {0};
    CWriter trial = *w;
    trial.out = &text;
    trial.prefix = "";
    const bool ok = e->kind == VALUE_LIST || c_expr(&trial, e, C_ANYWHERE);
    return !ok || strstr(buf_text(&text), "&ok");
}

bool c_may_choose(const Expr *e, const char *name)
{
    if (e->op == OP_SELECT)
        return c_may_choose(e->args[1], name) || c_may_choose(e->args[2], name);
    return e->op != OP_LITERAL || strcmp(e->literal.string, name) == 0;
}

bool c_uses_only(const Expr *e, size_t count)
{
    bool only = (e->op != OP_NAME && e->op != OP_SUM) || (size_t)e->slot < count;
    for (int i = 0; i < e->count && only; i++)
        only = c_uses_only(e->args[i], count);
    return only;
}

Expr *const *c_list(const Expr *e, size_t *count)
{
    *count = e->op == OP_LIST ? (size_t)e->count : 1;
    return e->op == OP_LIST ? e->args : NULL;
}
