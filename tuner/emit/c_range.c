/* What expressions can come to, and so where C's own operators will do. */
#include "metrics/base/expr_tree.h"
#include "tuner/emit/c_expr.h"

#include <math.h>
#include <string.h>

/* What a real number stays below when no arithmetic with it can be infinite or no number. */
static const double REAL_SAFE = 1e300;

/* --- ranges ----------------------------------------------------------------------------------- */

static CRange everything(const Expr *e)
{
    return e->kind == VALUE_REAL ? (CRange){-INFINITY, INFINITY} : (CRange){-0x1p63, 0x1p63};
}

static CRange range_with(CRange r, double v)
{
    return (CRange){v < r.low ? v : r.low, v > r.high ? v : r.high};
}

static CRange join(CRange a, CRange b)
{
    return range_with(range_with(a, b.low), b.high);
}

/* The least and the most of what `op` makes of the ends of two ranges. */
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

/* The result of a sum, difference or product before it is known whether it fits. */
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

bool c_is_plain_arithmetic(const CWriter *w, const Expr *e)
{
    const CRange r = raw_range(w, e);
    return is_safe(e, r) && r.low == r.low && r.high == r.high;
}

/* Are "/" or "//" plain in C?  For integers of which neither is negative, C's division is both. */
bool c_is_plain_division(const CWriter *w, const Expr *e)
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

bool c_is_call(const Expr *e, const char *name)
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
    if (c_is_call(e, "min") || c_is_call(e, "max"))
        return extreme_range(w, e);
    if (c_is_call(e, "ceil_div"))
        return division_range(w, e);
    if (c_is_call(e, "known"))
        return c_range(w, e->args[0]);
    if (c_is_call(e, "is_pow2"))
        return (CRange){0, 1};
    const CRange a = c_range(w, e->args[0]);
    if (c_is_call(e, "abs"))
        return (CRange){0, fmax(fabs(a.low), fabs(a.high))};
    if (c_is_call(e, "floor") || c_is_call(e, "ceil"))
        return (CRange){floor(a.low), ceil(a.high)};
    if (c_is_call(e, "sqrt"))
        return (CRange){0, a.high > 0 ? sqrt(a.high) : 0};
    if ((c_is_call(e, "log") || c_is_call(e, "log2")) && a.high <= REAL_SAFE)
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
        return join(c_range(w, e->args[1]), c_range(w, e->args[2]));
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
