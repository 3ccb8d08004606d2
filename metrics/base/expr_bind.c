/* Functions; resolving names, and every mistake that shows without values. */
#include "metrics/base/expr_tree.h"
#include "metrics/base/vec.h"

#include <math.h>

/* --- functions of the expression language ---------------------------------- */

/* A longer list is a mistake, not a parameter, as are lists that take more memory together.  A fuzzer finds
 * the same in short lists sooner. */
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

static double real_argument(const Call *c, int i)
{
    return value_as_real(c->args[i]);
}

static bool failed(Call *c, const char *what)
{
    c->error = what;
    return false;
}

static bool give(Call *c, Value v)
{
    *c->out = v;
    return true;
}

static void add_to_list(Call *c, ValueVec *v, int64_t i)
{
    VEC_PUSH(c->arena, v, c->kind == VALUE_REAL ? value_real((double)i) : value_int(i));
}

static bool give_list(Call *c, const ValueVec *v)
{
    return give(
        c, (Value){.kind = VALUE_LIST, .list = ARENA_COPY(c->arena, ValueList, {v->count, v->at})});
}

/* min and max of numbers, or of a list of them. */
static bool apply_best(Call *c)
{
    const bool most = strcmp(c->function->name, "max") == 0;
    const Value *args = c->args;
    size_t n = (size_t)c->count;
    bool list = n == 1 && args[0].kind == VALUE_LIST;
    if (list) {
        n = args[0].list->count;
        args = args[0].list->at;
        if (n == 0)
            return failed(c, "the list is empty");
    }
    Value best = args[0];
    for (size_t i = 0; i < n; i++) {
        if (args[i].kind != VALUE_INT && args[i].kind != VALUE_REAL)
            return failed(c, "the list holds something that is not a number");
        if (list && c->kind == VALUE_INT && args[i].kind != VALUE_INT)
            return failed(c, "the list holds a number that is not an integer");
        const int order = value_compare(&args[i], &best);
        if ((most ? order > 0 : order < 0) || isnan(value_as_real(args[i])))
            best = args[i];
    }
    return give(c, c->kind == VALUE_REAL ? value_real(value_as_real(best)) : best);
}

static bool apply_abs(Call *c)
{
    if (c->kind == VALUE_REAL)
        return give(c, value_real(fabs(real_argument(c, 0))));
    const int64_t i = c->args[0].integer;
    return i == INT64_MIN ? failed(c, "overflow") : give(c, value_int(i < 0 ? -i : i));
}

static bool apply_ceil_div(Call *c)
{
    if (real_argument(c, 1) == 0)
        return failed(c, "division by zero");
    if (c->kind == VALUE_REAL)
        return give(c, value_real(ceil(real_argument(c, 0) / real_argument(c, 1))));
    int64_t a = c->args[0].integer, b = c->args[1].integer;
    if (a == INT64_MIN && b == -1)
        return failed(c, "overflow");
    bool up = a % b != 0 && (a < 0) == (b < 0);
    return give(c, value_int(a / b + up));
}

static bool apply_is_pow2(Call *c)
{
    int64_t i = as_integer(c->args[0]);
    return give(c, value_bool(i > 0 && (i & (i - 1)) == 0));
}

/* All divisors of n, ascending. */
static bool apply_divisors(Call *c)
{
    int64_t n = as_integer(c->args[0]);
    if (n <= 0)
        return failed(c, "divisors needs a number above zero");
    if (n > INT64_C(1) << 32)
        return failed(c, "divisors needs a number of at most 2^32");
    ValueVec low = {0}, high = {0};
    for (int64_t i = 1; i * i <= n; i++) {
        if (n % i != 0)
            continue;
        add_to_list(c, &low, i);
        if (i != n / i)
            add_to_list(c, &high, n / i);
    }
    while (high.count > 0)
        VEC_PUSH(c->arena, &low, high.at[--high.count]);
    return give_list(c, &low);
}

/* range(n), range(from, to), range(from, to, step): `to` is excluded, as in Python. */
static bool apply_range(Call *c)
{
    int64_t from = c->count > 1 ? as_integer(c->args[0]) : 0;
    int64_t to = as_integer(c->args[c->count > 1 ? 1 : 0]);
    int64_t step = c->count > 2 ? as_integer(c->args[2]) : 1;
    if (step == 0)
        return failed(c, "the step of a range must not be zero");
    ValueVec v = {0};
    if (arena_used(c->arena) > LIST_MEMORY)
        return failed(c, "the lists of this expression are too long");
    for (int64_t i = from; step > 0 ? i < to : i > to;) {
        if (v.count >= LIST_LIMIT)
            return failed(c, "this range has more than 65536 values");
        add_to_list(c, &v, i);
        if (__builtin_add_overflow(i, step, &i))
            break;
    }
    return give_list(c, &v);
}

/* pow2(from, to): the powers of two with from <= p <= to. */
static bool apply_pow2(Call *c)
{
    ValueVec v = {0};
    for (int bit = 0; bit < 63; bit++) {
        int64_t p = (int64_t)1 << bit;
        if (p >= as_integer(c->args[0]) && p <= as_integer(c->args[1]))
            add_to_list(c, &v, p);
    }
    return give_list(c, &v);
}

/* known(NAME, e): an unknown value is NaN. */
static bool apply_known(Call *c)
{
    return give(c,
                c->args[0].kind == VALUE_REAL && isnan(c->args[0].real) ? c->args[1] : c->args[0]);
}

/* A function of one real number, which may fail outside its domain; rounding leaves integers as they are. */
static bool apply_real(Call *c)
{
    const Function *f = c->function;
    if (c->kind == VALUE_INT && f->result == VALUE_NONE)
        return give(c, c->args[0]);
    const double a = real_argument(c, 0), r = f->real(a);
    const bool fails = f->fails && ((isnan(r) && !isnan(a)) || (isinf(r) && !isinf(a)));
    return fails ? failed(c, f->fails) : give(c, value_real(r));
}

static const char not_above_zero[] = "logarithm of a number that is not above zero";

static const Function functions[] = {
    {"min", 1, 64, false, VALUE_NONE, apply_best, NULL, NULL},
    {"max", 1, 64, false, VALUE_NONE, apply_best, NULL, NULL},
    {"abs", 1, 1, false, VALUE_NONE, apply_abs, NULL, NULL},
    {"ceil_div", 2, 2, false, VALUE_NONE, apply_ceil_div, NULL, NULL},
    {"is_pow2", 1, 1, true, VALUE_BOOL, apply_is_pow2, NULL, NULL},
    {"divisors", 1, 1, true, VALUE_LIST, apply_divisors, NULL, NULL},
    {"range", 1, 3, true, VALUE_LIST, apply_range, NULL, NULL},
    {"pow2", 2, 2, true, VALUE_LIST, apply_pow2, NULL, NULL},
    {"sqrt", 1, 1, false, VALUE_REAL, apply_real, sqrt, "square root of a negative number"},
    {"log", 1, 1, false, VALUE_REAL, apply_real, log, not_above_zero},
    {"log2", 1, 1, false, VALUE_REAL, apply_real, log2, not_above_zero},
    {"sin", 1, 1, false, VALUE_REAL, apply_real, sin, NULL},
    {"cos", 1, 1, false, VALUE_REAL, apply_real, cos, NULL},
    {"exp", 1, 1, false, VALUE_REAL, apply_real, exp, "exponential beyond all numbers"},
    {"floor", 1, 1, false, VALUE_NONE, apply_real, floor, NULL},
    {"ceil", 1, 1, false, VALUE_NONE, apply_real, ceil, NULL},
    {"known", 2, 2, false, VALUE_NONE, apply_known, NULL, NULL},
};

static const Function *function_find(const char *name)
{
    return NAME_FIND(functions, COUNT_OF(functions), name, name);
}

/* --- names ------------------------------------------------------------------------------------ */

void scope_add(Scope *s, const char *name, size_t slot, ValueKind kind)
{
    const bool real = s->real && kind == VALUE_INT;
    VEC_PUSH(s->arena, &s->names, ((ScopeName){name, (int)slot, real ? VALUE_REAL : kind, NULL}));
}

void scope_hide(Scope *s, const char *name, const char *why)
{
    VEC_PUSH(s->arena, &s->names, ((ScopeName){.name = name, .hidden = why}));
}

const char *scope_closest(const Scope *s, const char *name)
{
    SCOPED_ARENA *a = arena_new();
    Texts usable = {0};
    VEC_EACH (const ScopeName, n, s->names)
        if (!n->hidden)
            VEC_PUSH(a, &usable, n->name);
    return name_closest(name, usable.at, usable.count);
}

static bool is_number(ValueKind k)
{
    return k == VALUE_INT || k == VALUE_REAL;
}

static bool is_condition(ValueKind k)
{
    return k == VALUE_BOOL || is_number(k);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* Turns names of columns of `table` into OP_COLUMN, before other names are looked up. */
static void mark_columns(Expr *e, const ExprTable *table)
{
    const size_t column =
        e->op == OP_NAME ? word_place(e->name, table->columns, table->column_count) : SIZE_MAX;
    if (column < SIZE_MAX) {
        e->op = OP_COLUMN;
        e->slot = (int)column;
    }
    for (int i = 0; i < e->count; i++)
        mark_columns(e->args[i], table);
}

static bool bind_sum(Expr *e, const Scope *s, Diag *d)
{
    if (e->count != 2)
        return diag_error(d, e->at, "sum takes a table and an expression, as in sum(%s, …)",
                          s->tables[0].name);
    const Expr *name = e->args[0];
    const ExprTable *table =
        name->op == OP_NAME ? NAME_FIND(s->tables, s->table_count, name, name->name) : NULL;
    if (!table)
        return diag_error(d, name->at, "sum needs a table such as '%s'", s->tables[0].name);
    e->op = OP_SUM;
    e->table = (int)(table - s->tables);
    e->slot = table->slot;
    e->columns = table->column_count;
    e->args[0] = e->args[1];
    e->count = 1;
    mark_columns(e->args[0], table);
    SCOPED_ARENA *a = arena_new();
    Scope inside = {.arena = a, .real = s->real}; /* columns of the table, then the names outside */
    for (size_t i = 0; i < table->column_count; i++)
        scope_add(&inside, table->columns[i], i, VALUE_REAL);
    VEC_EACH (const ScopeName, n, s->names)
        VEC_PUSH(a, &inside.names, *n);
    if (!expr_bind(e->args[0], &inside, d))
        return false;
    e->kind = VALUE_REAL;
    const ValueKind k = e->args[0]->kind;
    return is_condition(k) ||
           diag_error(d, e->args[0]->at, "sum adds up numbers, this is %s", value_kind_name(k));
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* The kind of an operation on two numbers. */
static ValueKind common(ValueKind a, ValueKind b)
{
    return a == VALUE_INT && b == VALUE_INT ? VALUE_INT : VALUE_REAL;
}

static bool need_number(const Expr *e, const Expr *arg, Diag *d)
{
    if (is_number(arg->kind))
        return true;
    return diag_error(d, arg->at, "'%.*s' needs a number, this is %s", (int)e->op_at.length,
                      e->op_at.source->text + e->op_at.offset, value_kind_name(arg->kind));
}

static bool need_condition(const Expr *arg, Diag *d)
{
    if (is_condition(arg->kind))
        return true;
    return diag_error(d, arg->at, "expected a condition, this is %s", value_kind_name(arg->kind));
}

static bool bind_name(Expr *e, const Scope *s, Diag *d)
{
    const ScopeName *n = NAME_FIND(s->names.at, s->names.count, name, e->name);
    if (n && n->hidden)
        return *n->hidden && diag_error(d, e->at, "'%s' %s", e->name, n->hidden);
    if (n) {
        e->slot = n->slot;
        e->kind = n->kind;
    }
    if (n || s->quiet)
        return n != NULL;
    const char *closest = scope_closest(s, e->name);
    const Function *f = closest ? NULL : function_find(e->name);
    if (f)
        return diag_error(d, e->at, "'%s' is a function: write %s(%s)", e->name, e->name,
                          f->least > 1 ? "…, …" : "…");
    return diag_error(d, e->at, "unknown name '%s'%s", e->name, diag_meant(d, closest));
}

static bool wrong_count(const Expr *e, const Function *f, Diag *d)
{
    enum { MANY = 10 };
    SCOPED_BUF most = {0};
    if (f->most > MANY)
        buf_puts(&most, " or more");
    else if (f->most > f->least)
        buf_printf(&most, " to %d", f->most);
    diag_error(d, e->at, "%s takes %d%s argument%s, not %d", f->name, f->least, buf_text(&most),
               f->most == 1 ? "" : "s", e->count);
    return false;
}

static bool bind_call(Expr *e, const Scope *s, Diag *d)
{
    const Function *f = e->function = function_find(e->name);
    if (!f)
        return diag_error(d, e->op_at, "unknown function '%s'%s", e->name,
                          diag_meant(d, NAME_LIKE(functions, COUNT_OF(functions), name, e->name)));
    if (e->count < f->least || e->count > f->most)
        return wrong_count(e, f, d);
    if (strcmp(f->name, "known") == 0 && e->args[0]->op != OP_NAME)
        return diag_error(d, e->args[0]->at, "known takes a name first, as in known(x, 0)");
    bool list = e->count == 1 && e->args[0]->kind == VALUE_LIST;
    ValueKind kind = VALUE_INT;
    for (int i = 0; i < e->count && !list; i++) {
        if (!need_number(e, e->args[i], d))
            return false;
        if (f->ints_only && e->args[i]->kind != VALUE_INT && !s->real)
            return diag_error(d, e->args[i]->at, "%s needs integers", f->name);
        kind = common(kind, e->args[i]->kind);
    }
    if (list && strcmp(f->name, "min") != 0 && strcmp(f->name, "max") != 0)
        return diag_error(d, e->args[0]->at, "%s takes numbers, not a list", f->name);
    e->kind = f->result != VALUE_NONE ? f->result
              : list                  ? (s->real ? VALUE_REAL : VALUE_INT)
                                      : kind;
    return true;
}

static bool bind_select(Expr *e, Diag *d)
{
    ValueKind yes = e->args[1]->kind, no = e->args[2]->kind;
    if (!need_condition(e->args[0], d))
        return false;
    if (yes != no && !(is_number(yes) && is_number(no)))
        return diag_error(d, e->op_at, "the two results differ: %s and %s", value_kind_name(yes),
                          value_kind_name(no));
    e->kind = yes == no ? yes : VALUE_REAL;
    return true;
}

static bool bind_compare(Expr *e, Diag *d)
{
    for (int i = 0; i + 1 < e->count; i++) {
        const Expr *a = e->args[i], *b = e->args[i + 1];
        CompareOp op = e->compare[i];
        if (op == CMP_IN || op == CMP_NOT_IN) {
            if (b->kind != VALUE_LIST)
                return diag_error(d, b->at, "'in' needs a list such as [1, 2], this is %s",
                                  value_kind_name(b->kind));
            continue;
        }
        bool both_numbers = is_number(a->kind) && is_number(b->kind);
        bool order = op != CMP_EQ && op != CMP_NE;
        if (!both_numbers &&
            (a->kind != b->kind || a->kind == VALUE_LIST || (order && a->kind == VALUE_BOOL)))
            return diag_error(d, span_join(a->at, b->at), "cannot compare %s with %s",
                              value_kind_name(a->kind), value_kind_name(b->kind));
    }
    e->kind = VALUE_BOOL;
    return true;
}

static bool bind_node(Expr *e, const Scope *s, Diag *d)
{
    switch (e->op) {
    case OP_LITERAL:
        if (s->real && e->literal.kind == VALUE_INT)
            e->literal = value_real((double)e->literal.integer);
        e->kind = e->literal.kind;
        return true;
    case OP_NAME:
        return bind_name(e, s, d);
    case OP_COLUMN:
        e->kind = VALUE_REAL;
        return true;
    case OP_LIST:
        e->kind = VALUE_LIST;
        return true;
    case OP_CALL:
        return bind_call(e, s, d);
    case OP_NEGATE:
        e->kind = e->args[0]->kind;
        return need_number(e, e->args[0], d);
    case OP_NOT:
        e->kind = VALUE_BOOL;
        return need_condition(e->args[0], d);
    case OP_AND:
    case OP_OR:
        e->kind = VALUE_BOOL;
        return need_condition(e->args[0], d) && need_condition(e->args[1], d);
    case OP_SELECT:
        return bind_select(e, d);
    case OP_COMPARE:
        return bind_compare(e, d);
    default:
        e->kind = common(e->args[0]->kind, e->args[1]->kind);
        return need_number(e, e->args[0], d) && need_number(e, e->args[1], d);
    }
}

bool expr_bind(Expr *e, const Scope *s, Diag *d)
{
    bool ok = true;
    if (e->op == OP_CALL && s->table_count > 0 && strcmp(e->name, "sum") == 0)
        return bind_sum(e, s, d);
    for (int i = 0; i < e->count; i++)
        ok = expr_bind(e->args[i], s, d) && ok;
    return ok && bind_node(e, s, d);
}
