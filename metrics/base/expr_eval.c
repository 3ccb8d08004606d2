/* Evaluation of bound expressions, where the enumeration of a space spends its time. */
#include "metrics/base/expr_tree.h"

#include <math.h>

static bool fail_at(Evaluation *ev, Span at, const char *what)
{
    ev->error = what;
    ev->error_at = at;
    return false;
}

static bool overflow_at(Evaluation *ev, const Expr *e)
{
    return fail_at(ev, e->at, "overflow: the result does not fit into 64 bits");
}

/* False on overflow. */
static bool integer_power(int64_t base, int64_t exponent, int64_t *out)
{
    int64_t result = 1;
    while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
            return false;
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base))
            return false;
    }
    *out = result;
    return true;
}

static bool divide_integers(const Expr *e, int64_t a, int64_t b, Evaluation *ev, Value *out)
{
    if (b == 0)
        return fail_at(ev, e->at, "division by zero");
    if (a == INT64_MIN && b == -1)
        return overflow_at(ev, e);
    const int64_t q = a / b, r = a % b;
    const bool truncated_up = r != 0 && (a < 0) != (b < 0);
    if (e->op == OP_DIVIDE && r != 0 && !ev->inexact) {
        ev->inexact = true;
        ev->inexact_at = e->at;
    }
    *out = value_int(e->op == OP_DIVIDE      ? q
                     : e->op == OP_FLOOR_DIV ? q - truncated_up
                                             : r + (truncated_up ? b : 0));
    return true;
}

static bool integer_arithmetic(const Expr *e, int64_t a, int64_t b, Evaluation *ev, Value *out)
{
    int64_t r = 0;
    if (e->op == OP_DIVIDE || e->op == OP_FLOOR_DIV || e->op == OP_MODULO)
        return divide_integers(e, a, b, ev, out);
    if (e->op == OP_POWER && b < 0)
        return fail_at(ev, e->at, "negative power of an integer");
    const bool overflow = e->op == OP_ADD        ? __builtin_add_overflow(a, b, &r)
                          : e->op == OP_SUBTRACT ? __builtin_sub_overflow(a, b, &r)
                          : e->op == OP_MULTIPLY ? __builtin_mul_overflow(a, b, &r)
                                                 : !integer_power(a, b, &r);
    *out = value_int(r);
    return !overflow || overflow_at(ev, e);
}

static bool real_arithmetic(const Expr *e, double a, double b, Evaluation *ev, Value *out)
{
    if (b == 0 && (e->op == OP_DIVIDE || e->op == OP_FLOOR_DIV || e->op == OP_MODULO))
        return fail_at(ev, e->at, "division by zero");
    const double r = e->op == OP_ADD         ? a + b
                     : e->op == OP_SUBTRACT  ? a - b
                     : e->op == OP_MULTIPLY  ? a * b
                     : e->op == OP_DIVIDE    ? a / b
                     : e->op == OP_FLOOR_DIV ? floor(a / b)
                     : e->op == OP_MODULO    ? a - b * floor(a / b)
                                             : pow(a, b);
    *out = value_real(r);
    return !isnan(r) || isnan(a) || isnan(b) || fail_at(ev, e->at, "the result is not a number");
}

static bool eval_arithmetic(const Expr *e, const Value *slots, Evaluation *ev, Value *out)
{
    Value a, b;
    if (!expr_eval(e->args[0], slots, ev, &a) || !expr_eval(e->args[1], slots, ev, &b))
        return false;
    if (e->kind == VALUE_INT)
        return integer_arithmetic(e, a.integer, b.integer, ev, out);
    return real_arithmetic(e, value_as_real(a), value_as_real(b), ev, out);
}

static bool in_list(Value v, const ValueList *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (value_equal(v, list->at[i]))
            return true;
    return false;
}

static bool holds(CompareOp op, Value a, Value b)
{
    if (op == CMP_IN || op == CMP_NOT_IN)
        return in_list(a, b.list) == (op == CMP_IN);
    if (op == CMP_EQ || op == CMP_NE)
        return value_equal(a, b) == (op == CMP_EQ);
    const int o = value_compare(&a, &b);
    return op == CMP_LT ? o < 0 : op == CMP_LE ? o <= 0 : op == CMP_GT ? o > 0 : o >= 0;
}

static bool is_nan(Value v)
{
    return v.kind == VALUE_REAL && isnan(v.real);
}

/* Stops at the first comparison of the chain that does not hold. */
static bool eval_compare(const Expr *e, const Value *slots, Evaluation *ev, Value *out)
{
    Value a, b;
    if (!expr_eval(e->args[0], slots, ev, &a))
        return false;
    for (int i = 0; i + 1 < e->count; i++) {
        if (!expr_eval(e->args[i + 1], slots, ev, &b))
            return false;
        bool unordered = is_nan(a) || is_nan(b);
        if (unordered || !holds(e->compare[i], a, b))
            return *out = value_bool(false), true;
        a = b;
    }
    *out = value_bool(true);
    return true;
}

static bool eval_logic(const Expr *e, const Value *slots, Evaluation *ev, Value *out)
{
    Value v;
    if (!expr_eval(e->args[0], slots, ev, &v))
        return false;
    bool decided = e->op == OP_AND ? !value_is_true(v) : value_is_true(v);
    if (!decided && !expr_eval(e->args[1], slots, ev, &v))
        return false;
    *out = value_bool(value_is_true(v));
    return true;
}

static bool eval_negate(const Expr *e, const Value *slots, Evaluation *ev, Value *out)
{
    if (!expr_eval(e->args[0], slots, ev, out))
        return false;
    if (out->kind == VALUE_REAL)
        return out->real = -out->real, true;
    if (out->integer == INT64_MIN)
        return overflow_at(ev, e);
    out->integer = -out->integer;
    return true;
}

static bool eval_select(const Expr *e, const Value *slots, Evaluation *ev, Value *out)
{
    Value condition;
    if (!expr_eval(e->args[0], slots, ev, &condition))
        return false;
    if (!expr_eval(e->args[value_is_true(condition) ? 1 : 2], slots, ev, out))
        return false;
    if (e->kind == VALUE_REAL)
        *out = value_real(value_as_real(*out));
    return true;
}

static bool eval_list(const Expr *e, const Value *slots, Evaluation *ev, Value *out)
{
    ValueList *list = ARENA_NEW(ev->arena, ValueList);
    list->count = (size_t)e->count;
    list->at = ARENA_ARRAY(ev->arena, Value, list->count);
    for (int i = 0; i < e->count; i++)
        if (!expr_eval(e->args[i], slots, ev, &list->at[i]))
            return false;
    *out = (Value){.kind = VALUE_LIST, .list = list};
    return true;
}

/* True for an integer that a double holds exactly, so a 64-bit integer can hold it, too. */
static bool is_whole(double r)
{
    return r == floor(r) && fabs(r) <= 0x1p53;
}

static bool eval_call(const Expr *e, const Value *slots, Evaluation *ev, Value *out)
{
    enum { MOST = 64 };
    Value args[MOST];
    const Function *f = e->function;
    ValueKind numbers = VALUE_INT;
    for (int i = 0; i < e->count; i++) {
        if (!expr_eval(e->args[i], slots, ev, &args[i]))
            return false;
        if (args[i].kind == VALUE_REAL)
            numbers = VALUE_REAL;
        if (f->ints_only && args[i].kind == VALUE_REAL && !is_whole(args[i].real))
            return fail_at(ev, e->args[i]->at, "expected a whole number of at most 2^53");
    }
    Call c = {f, args, e->count, f->result == VALUE_NONE ? e->kind : numbers, ev->arena, NULL, out};
    return f->apply(&c) || fail_at(ev, e->at, c.error);
}

static bool eval_sum(const Expr *e, const Value *slots, Evaluation *ev, Value *out)
{
    const double *around = ev->row;
    double sum = 0;
    bool ok = true;
    if (!ev->tables)
        return fail_at(ev, e->at, "the rows of the table are not known");
    const ExprRows *rows = &ev->tables[e->table];
    if (rows->count > 0 && !rows->at)
        return fail_at(ev, e->at, "the rows of the table are not kept");
    for (size_t i = 0; i < rows->count && ok; i++) {
        Value v;
        ev->row = rows->at + i * e->columns;
        ok = expr_eval(e->args[0], slots, ev, &v);
        sum += ok ? value_as_real(v) : 0;
    }
    ev->row = around;
    *out = value_real(sum);
    return ok;
}

bool expr_eval(const Expr *e, const Value *slots, Evaluation *ev, Value *out)
{
    switch (e->op) {
    case OP_LITERAL:
        *out = e->literal;
        return true;
    case OP_NAME:
        *out = slots[e->slot];
        return true;
    case OP_COLUMN:
        *out = value_real(ev->row[e->slot]);
        return true;
    case OP_SUM:
        return eval_sum(e, slots, ev, out);
    case OP_LIST:
        return eval_list(e, slots, ev, out);
    case OP_CALL:
        return eval_call(e, slots, ev, out);
    case OP_NEGATE:
        return eval_negate(e, slots, ev, out);
    case OP_NOT:
        if (!expr_eval(e->args[0], slots, ev, out))
            return false;
        *out = value_bool(!value_is_true(*out));
        return true;
    case OP_AND:
    case OP_OR:
        return eval_logic(e, slots, ev, out);
    case OP_SELECT:
        return eval_select(e, slots, ev, out);
    case OP_COMPARE:
        return eval_compare(e, slots, ev, out);
    default:
        return eval_arithmetic(e, slots, ev, out);
    }
}
