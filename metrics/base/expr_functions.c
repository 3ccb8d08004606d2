/* The functions of the expression language: one table. */
#include "metrics/base/expr_tree.h"

#include "metrics/base/vec.h"

#include <math.h>
#include <string.h>

/* A list longer than this is a mistake, not a parameter; nor are lists that together take more
 * memory than this.  What a fuzzer finds in a long list it finds in a short one sooner. */
#ifdef APTUNE_FUZZ
enum { LIST_LIMIT = 500, LIST_MEMORY = 1 << 20 };
#else
enum { LIST_LIMIT = 65536, LIST_MEMORY = 256 << 20 };
#endif

typedef VEC(Value) ValueVec;

static int64_t as_integer(Value v)
{
    return v.kind == VALUE_INT ? v.integer : (int64_t)v.real;
}

static Value of_kind(int64_t i, ValueKind kind)
{
    return kind == VALUE_REAL ? value_real((double)i) : value_int(i);
}

static bool failed(const char **error, const char *what)
{
    *error = what;
    return false;
}

static bool list_result(const ValueVec *v, Evaluation *ev, Value *out)
{
    ValueList *list = ARENA_NEW(ev->arena, ValueList);
    *list = (ValueList){v->count, v->at};
    *out = (Value){.kind = VALUE_LIST, .list = list};
    return true;
}

static bool best_of(const Value *args, int count, ValueKind kind, bool most, const char **error,
                    Value *out)
{
    size_t n = (size_t)count;
    bool list = count == 1 && args[0].kind == VALUE_LIST;
    if (list) {
        n = args[0].list->count;
        args = args[0].list->at;
        if (n == 0)
            return failed(error, "the list is empty");
    }
    Value best = args[0];
    for (size_t i = 0; i < n; i++) {
        if (args[i].kind != VALUE_INT && args[i].kind != VALUE_REAL)
            return failed(error, "the list holds something that is not a number");
        if (list && kind == VALUE_INT && args[i].kind != VALUE_INT)
            return failed(error, "the list holds a number that is not an integer");
        double a = value_as_real(args[i]), b = value_as_real(best);
        bool ints = args[i].kind == VALUE_INT && best.kind == VALUE_INT;
        bool more = ints ? args[i].integer > best.integer : a > b;
        bool less = ints ? args[i].integer < best.integer : a < b;
        if (most ? more : less)
            best = args[i];
        if (isnan(a))
            best = args[i];
    }
    *out = kind == VALUE_REAL ? value_real(value_as_real(best)) : best;
    return true;
}

static bool apply_min(const Value *args, int count, ValueKind kind, Evaluation *ev,
                      const char **error, Value *out)
{
    (void)ev;
    return best_of(args, count, kind, false, error, out);
}

static bool apply_max(const Value *args, int count, ValueKind kind, Evaluation *ev,
                      const char **error, Value *out)
{
    (void)ev;
    return best_of(args, count, kind, true, error, out);
}

static bool apply_abs(const Value *args, int count, ValueKind kind, Evaluation *ev,
                      const char **error, Value *out)
{
    (void)ev, (void)count;
    if (kind == VALUE_REAL)
        return *out = value_real(fabs(value_as_real(args[0]))), true;
    if (args[0].integer == INT64_MIN)
        return failed(error, "overflow");
    *out = value_int(args[0].integer < 0 ? -args[0].integer : args[0].integer);
    return true;
}

/* The smallest whole number not below a / b. */
static bool apply_ceil_div(const Value *args, int count, ValueKind kind, Evaluation *ev,
                           const char **error, Value *out)
{
    (void)ev, (void)count;
    if (value_as_real(args[1]) == 0)
        return failed(error, "division by zero");
    if (kind == VALUE_REAL)
        return *out = value_real(ceil(value_as_real(args[0]) / value_as_real(args[1]))), true;
    int64_t a = args[0].integer, b = args[1].integer;
    if (a == INT64_MIN && b == -1)
        return failed(error, "overflow");
    int64_t q = a / b;
    bool up = a % b != 0 && (a < 0) == (b < 0);
    *out = value_int(q + up);
    return true;
}

static bool apply_is_pow2(const Value *args, int count, ValueKind kind, Evaluation *ev,
                          const char **error, Value *out)
{
    (void)ev, (void)count, (void)kind, (void)error;
    int64_t i = as_integer(args[0]);
    *out = value_bool(i > 0 && (i & (i - 1)) == 0);
    return true;
}

/* All divisors of n, rising. */
static bool apply_divisors(const Value *args, int count, ValueKind kind, Evaluation *ev,
                           const char **error, Value *out)
{
    (void)count;
    int64_t n = as_integer(args[0]);
    if (n <= 0)
        return failed(error, "divisors needs a number above zero");
    if (n > INT64_C(1) << 32)
        return failed(error, "divisors needs a number of at most 2^32");
    ValueVec low = {0}, high = {0};
    for (int64_t i = 1; i * i <= n; i++) {
        if (n % i != 0)
            continue;
        VEC_PUSH(ev->arena, &low, of_kind(i, kind));
        if (i != n / i)
            VEC_PUSH(ev->arena, &high, of_kind(n / i, kind));
    }
    while (high.count > 0)
        VEC_PUSH(ev->arena, &low, high.at[--high.count]);
    return list_result(&low, ev, out);
}

/* range(n), range(from, to), range(from, to, step): `to` itself is left out, as in Python. */
static bool apply_range(const Value *args, int count, ValueKind kind, Evaluation *ev,
                        const char **error, Value *out)
{
    int64_t from = count > 1 ? as_integer(args[0]) : 0;
    int64_t to = as_integer(args[count > 1 ? 1 : 0]);
    int64_t step = count > 2 ? as_integer(args[2]) : 1;
    if (step == 0)
        return failed(error, "the step of a range must not be zero");
    ValueVec v = {0};
    if (arena_used(ev->arena) > LIST_MEMORY)
        return failed(error, "the lists of this expression are too long");
    for (int64_t i = from; step > 0 ? i < to : i > to;) {
        if (v.count >= LIST_LIMIT)
            return failed(error, "this range has more than 65536 values");
        VEC_PUSH(ev->arena, &v, of_kind(i, kind));
        if (__builtin_add_overflow(i, step, &i))
            break;
    }
    return list_result(&v, ev, out);
}

/* pow2(from, to): the powers of two with from <= p <= to. */
static bool apply_pow2(const Value *args, int count, ValueKind kind, Evaluation *ev,
                       const char **error, Value *out)
{
    (void)count, (void)error;
    ValueVec v = {0};
    for (int bit = 0; bit < 63; bit++) {
        int64_t p = (int64_t)1 << bit;
        if (p >= as_integer(args[0]) && p <= as_integer(args[1]))
            VEC_PUSH(ev->arena, &v, of_kind(p, kind));
    }
    return list_result(&v, ev, out);
}

static bool apply_real(double r, Value *out)
{
    *out = value_real(r);
    return true;
}

static bool apply_sqrt(const Value *args, int count, ValueKind kind, Evaluation *ev,
                       const char **error, Value *out)
{
    (void)ev, (void)count, (void)kind;
    if (value_as_real(args[0]) < 0)
        return failed(error, "square root of a negative number");
    return apply_real(sqrt(value_as_real(args[0])), out);
}

static const char not_above_zero[] = "logarithm of a number that is not above zero";

static bool apply_log(const Value *args, int count, ValueKind kind, Evaluation *ev,
                      const char **error, Value *out)
{
    (void)ev, (void)count, (void)kind;
    const double a = value_as_real(args[0]);
    return a > 0 ? apply_real(log(a), out) : failed(error, not_above_zero);
}

static bool apply_log2(const Value *args, int count, ValueKind kind, Evaluation *ev,
                       const char **error, Value *out)
{
    (void)ev, (void)count, (void)kind;
    const double a = value_as_real(args[0]);
    return a > 0 ? apply_real(log2(a), out) : failed(error, not_above_zero);
}

static bool apply_sin(const Value *args, int count, ValueKind kind, Evaluation *ev,
                      const char **error, Value *out)
{
    (void)ev, (void)count, (void)kind, (void)error;
    return apply_real(sin(value_as_real(args[0])), out);
}

static bool apply_cos(const Value *args, int count, ValueKind kind, Evaluation *ev,
                      const char **error, Value *out)
{
    (void)ev, (void)count, (void)kind, (void)error;
    return apply_real(cos(value_as_real(args[0])), out);
}

static bool apply_exp(const Value *args, int count, ValueKind kind, Evaluation *ev,
                      const char **error, Value *out)
{
    (void)ev, (void)count, (void)kind;
    const double power = exp(value_as_real(args[0]));
    return isinf(power) ? failed(error, "exponential beyond all numbers") : apply_real(power, out);
}

static bool apply_floor(const Value *args, int count, ValueKind kind, Evaluation *ev,
                        const char **error, Value *out)
{
    (void)ev, (void)count, (void)error;
    if (kind == VALUE_INT)
        return *out = args[0], true;
    return apply_real(floor(value_as_real(args[0])), out);
}

static bool apply_ceil(const Value *args, int count, ValueKind kind, Evaluation *ev,
                       const char **error, Value *out)
{
    (void)ev, (void)count, (void)error;
    if (kind == VALUE_INT)
        return *out = args[0], true;
    return apply_real(ceil(value_as_real(args[0])), out);
}

/* known(NAME, e): a value that is not known is not a number. */
static bool apply_known(const Value *args, int count, ValueKind kind, Evaluation *ev,
                        const char **error, Value *out)
{
    (void)ev, (void)count, (void)kind, (void)error;
    *out = args[0].kind == VALUE_REAL && isnan(args[0].real) ? args[1] : args[0];
    return true;
}

static const Function table[] = {
    {"min", 1, 64, false, VALUE_NONE, apply_min},
    {"max", 1, 64, false, VALUE_NONE, apply_max},
    {"abs", 1, 1, false, VALUE_NONE, apply_abs},
    {"ceil_div", 2, 2, false, VALUE_NONE, apply_ceil_div},
    {"is_pow2", 1, 1, true, VALUE_BOOL, apply_is_pow2},
    {"divisors", 1, 1, true, VALUE_LIST, apply_divisors},
    {"range", 1, 3, true, VALUE_LIST, apply_range},
    {"pow2", 2, 2, true, VALUE_LIST, apply_pow2},
    {"sqrt", 1, 1, false, VALUE_REAL, apply_sqrt},
    {"log", 1, 1, false, VALUE_REAL, apply_log},
    {"log2", 1, 1, false, VALUE_REAL, apply_log2},
    {"sin", 1, 1, false, VALUE_REAL, apply_sin},
    {"cos", 1, 1, false, VALUE_REAL, apply_cos},
    {"exp", 1, 1, false, VALUE_REAL, apply_exp},
    {"floor", 1, 1, false, VALUE_NONE, apply_floor},
    {"ceil", 1, 1, false, VALUE_NONE, apply_ceil},
    {"known", 2, 2, false, VALUE_NONE, apply_known},
};

const Function *function_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

size_t function_names(const char **out, size_t room)
{
    size_t n = sizeof table / sizeof table[0];
    n = n < room ? n : room;
    for (size_t i = 0; i < n; i++)
        out[i] = table[i].name;
    return n;
}
