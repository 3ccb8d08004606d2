/* Partial evaluation.  Constant parts become literals, and parts that a literal decides are dropped: `32 <=
 * BM * BN <= N` with BM = BN = 16 is `256 <= N`. */
#include "metrics/base/expr_tree.h"

#include <string.h>

typedef struct Folding {
    Arena *arena;
    const Value *slots;
    const bool *known;
    const Expr *const *meaning;
} Folding;

static Expr *fold(const Folding *f, const Expr *e);

static Expr *copy_of(const Folding *f, const Expr *e)
{
    return ARENA_COPY(f->arena, Expr, *e);
}

static Expr *literal(const Folding *f, const Expr *from, Value v)
{
    Expr *n = expr_of_value(f->arena, v);
    n->at = n->op_at = from->at;
    return n;
}

static bool is_literal(const Expr *e)
{
    return e->op == OP_LITERAL;
}

static bool is_integer(const Expr *e, int64_t i)
{
    return is_literal(e) && e->literal.kind == VALUE_INT && e->literal.integer == i;
}

static bool truth(const Expr *e)
{
    return value_is_true(e->literal);
}

/* A node with the span of its first argument. */
static Expr *node_of(Arena *arena, ExprOp op, ValueKind kind, Expr *const *args, int count)
{
    Expr *n = ARENA_COPY(arena, Expr, {.op = op, .kind = kind, .count = count});
    n->args = arena_keep(arena, args, (size_t)count * sizeof *args);
    n->at = n->op_at = args[0]->at;
    return n;
}

/* A condition as a boolean: `e != 0` for a number. */
static Expr *as_condition(const Folding *f, Expr *e)
{
    if (e->kind == VALUE_BOOL)
        return e;
    if (is_literal(e))
        return literal(f, e, value_bool(truth(e)));
    Expr *const args[] = {e, literal(f, e, value_int(0))};
    Expr *n = node_of(f->arena, OP_COMPARE, VALUE_BOOL, args, 2);
    n->compare = ARENA_COPY(f->arena, CompareOp, CMP_NE);
    return n;
}

/* Computes a node of literals.  If arithmetic fails it is kept, to fail only when evaluated. */
static Expr *evaluated(const Folding *f, Expr *e)
{
    Evaluation ev = {.arena = f->arena};
    Value v;
    if (e->op == OP_SUM || e->op == OP_COLUMN)
        return e;
    for (int i = 0; i < e->count; i++)
        if (!is_literal(e->args[i]))
            return e;
    return expr_eval(e, NULL, &ev, &v) ? literal(f, e, v) : e;
}

static Expr *fold_select(const Folding *f, Expr *n)
{
    if (!is_literal(n->args[0]))
        return n;
    Expr *taken = n->args[truth(n->args[0]) ? 1 : 2];
    const bool widened = n->kind == VALUE_REAL && is_literal(taken);
    return widened ? literal(f, taken, value_real(value_as_real(taken->literal))) : taken;
}

/* False decides an `and`, true an `or`, but only on the left; else the left side might fail first. */
static Expr *fold_logic(const Folding *f, Expr *n)
{
    const bool decides = n->op == OP_OR;
    Expr *left = n->args[0], *right = n->args[1];
    if (is_literal(left))
        return truth(left) == decides ? literal(f, n, value_bool(decides)) : as_condition(f, right);
    return is_literal(right) && truth(right) != decides ? as_condition(f, left) : n;
}

/* Whether link `i` of a chain holds, for two literals or the same name: 1 yes, 0 no, -1 not known. */
static int link_holds(const Folding *f, const Expr *e, int i)
{
    const Expr *a = e->args[i], *b = e->args[i + 1];
    const CompareOp op = e->compare[i];
    if (a->op == OP_NAME && b->op == OP_NAME && a->slot == b->slot && a->kind == VALUE_INT)
        return op == CMP_LE || op == CMP_GE || op == CMP_EQ;
    if (!is_literal(e->args[i]) || !is_literal(e->args[i + 1]))
        return -1;
    Expr one = *e;
    one.count = 2;
    one.args = e->args + i;
    one.compare = e->compare + i;
    Evaluation ev = {.arena = f->arena};
    Value v;
    return expr_eval(&one, NULL, &ev, &v) ? v.boolean : -1;
}

/* Drops links at both ends of a chain that hold. */
static Expr *fold_compare(const Folding *f, Expr *e)
{
    while (e->count > 1 && link_holds(f, e, 0) == 1) {
        e->args++;
        e->compare++;
        e->count--;
    }
    while (e->count > 1 && link_holds(f, e, e->count - 2) == 1)
        e->count--;
    if (e->count == 1)
        return literal(f, e, value_bool(true));
    return link_holds(f, e, 0) == 0 ? literal(f, e, value_bool(false)) : e;
}

/* Removes neutral operations on integers: x * 1, x + 0, min(x), floor(x) … */
static Expr *without_neutral(Expr *e)
{
    bool divides = e->op == OP_CALL && strcmp(e->name, "ceil_div") == 0;
    if (e->op == OP_CALL && e->count == 1 && e->args[0]->kind == VALUE_INT &&
        WORD_IS_ANY(e->name, "min", "max", "floor", "ceil"))
        return e->args[0];
    if (e->kind != VALUE_INT || e->count != 2)
        return e;
    Expr *a = e->args[0], *b = e->args[1];
    switch (e->op) {
    case OP_ADD:
        return is_integer(b, 0) ? a : is_integer(a, 0) ? b : e;
    case OP_SUBTRACT:
        return is_integer(b, 0) ? a : e;
    case OP_MULTIPLY:
        return is_integer(b, 1) ? a : is_integer(a, 1) ? b : e;
    case OP_DIVIDE:
    case OP_FLOOR_DIV:
    case OP_POWER:
        return is_integer(b, 1) ? a : e;
    default:
        return divides && is_integer(b, 1) ? a : e;
    }
}

static Expr *fold(const Folding *f, const Expr *e)
{
    switch (e->op) {
    case OP_LITERAL:
    case OP_COLUMN:
    case OP_SUM:
        return copy_of(f, e);
    case OP_NAME:
        if (f->known[e->slot])
            return literal(f, e, f->slots[e->slot]);
        return copy_of(f, f->meaning && f->meaning[e->slot] ? f->meaning[e->slot] : e);
    default:
        break;
    }
    Expr *n = copy_of(f, e);
    n->args = ARENA_ARRAY(f->arena, Expr *, (size_t)e->count);
    for (int i = 0; i < e->count; i++)
        n->args[i] = fold(f, e->args[i]);
    if (n->op == OP_SELECT)
        return fold_select(f, n);
    if (n->op == OP_AND || n->op == OP_OR)
        return fold_logic(f, n);
    n = evaluated(f, n);
    if (n->op == OP_COMPARE)
        return fold_compare(f, n);
    return is_literal(n) ? n : without_neutral(n);
}

Expr *expr_fold(Arena *a, const Expr *e, const Value *slots, const bool *known,
                const Expr *const *meaning)
{
    const Folding f = {a, slots, known, meaning};
    return fold(&f, e);
}

size_t expr_size(const Expr *e)
{
    size_t size = 1;
    for (int i = 0; i < e->count; i++)
        size += expr_size(e->args[i]);
    return size;
}

Expr *expr_of_value(Arena *a, Value v)
{
    return ARENA_COPY(a, Expr, {.op = OP_LITERAL, .kind = v.kind, .literal = v});
}

Expr *expr_as_integer(Arena *a, Expr *e)
{
    const Folding f = {.arena = a};
    Expr *const args[] = {e, literal(&f, e, value_int(1)), literal(&f, e, value_int(0))};
    return node_of(a, OP_SELECT, VALUE_INT, args, 3);
}

Expr *expr_product(Arena *arena, const Expr *a, const Expr *b)
{
    const Folding f = {.arena = arena};
    Expr *const args[] = {copy_of(&f, a), copy_of(&f, b)};
    Expr *n = evaluated(&f, node_of(arena, OP_MULTIPLY, VALUE_INT, args, 2));
    return is_literal(n) ? n : without_neutral(n);
}

const Value *expr_literal(const Expr *e)
{
    return e->op == OP_LITERAL ? &e->literal : NULL;
}
