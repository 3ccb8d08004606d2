/* Tokens to expression trees: one function for each rule of the grammar in expr.h. */
#include "metrics/base/expr_tree.h"

#include "metrics/base/vec.h"

#include <math.h>

/* Limits for untrusted files: nesting, and tree height, which a long chain "a + b + …" has, too. */
enum { DEPTH_LIMIT = 100, TREE_LIMIT = 2000 };

typedef struct Parser {
    Lexer *l;
    int depth;
} Parser;

typedef VEC(Expr *) ExprVec;

static Expr *parse_ternary(Parser *p);
static Expr *parse_unary(Parser *p);

static Expr *node_new(Parser *p, ExprOp op, Span op_at, int count)
{
    Expr *e = ARENA_NEW(p->l->arena, Expr);
    e->op = op;
    e->op_at = op_at;
    e->at = op_at;
    e->count = count;
    e->args = count ? ARENA_ARRAY(p->l->arena, Expr *, (size_t)count) : NULL;
    return e;
}

/* Sets the height of `e`; NULL after a message if it is too high. */
static Expr *measured(Parser *p, Expr *e)
{
    for (int i = 0; i < e->count; i++)
        if (e->args[i]->height >= e->height)
            e->height = e->args[i]->height + 1;
    if (e->height <= TREE_LIMIT)
        return e;
    diag_error(p->l->diag, e->op_at, "this expression has more than %d levels", TREE_LIMIT);
    return NULL;
}

/* A node of `count` arguments whose span begins at `start`; NULL if an argument is NULL. */
static Expr *node_of(Parser *p, ExprOp op, Span op_at, Span start, Expr *const *args, int count)
{
    Expr *e = node_new(p, op, op_at, count);
    for (int i = 0; i < count; i++) {
        if (!args[i])
            return NULL;
        e->args[i] = args[i];
    }
    e->at = span_join(start, args[count - 1]->at);
    return measured(p, e);
}

static Expr *unary_new(Parser *p, ExprOp op, Span op_at, Expr *a)
{
    return node_of(p, op, op_at, op_at, &a, 1);
}

static Expr *binary_new(Parser *p, ExprOp op, Span op_at, Expr *a, Expr *b)
{
    return node_of(p, op, op_at, a->at, (Expr *[]){a, b}, 2);
}

/* Parses what is separated by commas, up to and including `close`. */
static bool parse_arguments(Parser *p, const char *close, ExprVec *out)
{
    if (lexer_take(p->l, close))
        return true;
    for (;;) {
        Expr *e = parse_ternary(p);
        if (!e)
            return false;
        VEC_PUSH(p->l->arena, out, e);
        if (lexer_take(p->l, ",")) {
            if (lexer_take(p->l, close))
                return true;
            continue;
        }
        return lexer_expect(p->l, close, "or ','");
    }
}

static Expr *node_of_arguments(Parser *p, ExprOp op, Span start, const ExprVec *args)
{
    Expr *e = node_new(p, op, start, 0);
    e->count = (int)args->count;
    e->args = args->at;
    e->at = span_join(start, p->l->last);
    return measured(p, e);
}

static Expr *literal_new(Parser *p, Value v)
{
    Expr *e = node_new(p, OP_LITERAL, p->l->token.at, 0);
    e->literal = v;
    lexer_next(p->l);
    return e;
}

static Expr *parse_name(Parser *p)
{
    const char *name = p->l->token.text, *next = p->l->source->text + p->l->at;
    /* A buffer may be called "in", which is an operator only before a value. */
    const bool buffer =
        strcmp(name, "in") == 0 && strchr(",)#\r\n", next[strspn(next, " \t")]) != NULL;
    if (WORD_IS_ANY(name, "and", "or", "not", "in") && !buffer) {
        diag_error(p->l->diag, p->l->token.at, "expected a value before '%s'", name);
        return NULL;
    }
    if (WORD_IS_ANY(name, "true", "false"))
        return literal_new(p, value_bool(*name == 't'));
    Span at = p->l->token.at;
    lexer_next(p->l);
    if (!lexer_take(p->l, "(")) {
        Expr *e = node_new(p, OP_NAME, at, 0);
        e->name = name;
        return e;
    }
    ExprVec args = {0};
    if (!parse_arguments(p, ")", &args))
        return NULL;
    Expr *e = node_of_arguments(p, OP_CALL, at, &args);
    if (e)
        e->name = name;
    return e;
}

/* Turns a list of literals into a literal: a constraint is evaluated millions of times. */
static Expr *constant_list(Parser *p, Expr *e)
{
    for (int i = 0; e && i < e->count; i++)
        if (e->args[i]->op != OP_LITERAL)
            return e;
    if (!e)
        return NULL;
    ValueList *list = ARENA_NEW(p->l->arena, ValueList);
    list->count = (size_t)e->count;
    list->at = ARENA_ARRAY(p->l->arena, Value, list->count);
    for (int i = 0; i < e->count; i++)
        list->at[i] = e->args[i]->literal;
    e->op = OP_LITERAL;
    e->literal = (Value){.kind = VALUE_LIST, .list = list};
    e->count = 0;
    return e;
}

static Expr *parse_primary(Parser *p)
{
    Lexer *l = p->l;
    switch (l->token.kind) {
    case TOKEN_INT:
        return literal_new(p, value_int(l->token.integer));
    case TOKEN_REAL:
        return literal_new(p, value_real(l->token.real));
    case TOKEN_STRING:
        return literal_new(p, value_string(l->token.text));
    case TOKEN_NAME:
        return parse_name(p);
    case TOKEN_BAD:
        return NULL;
    default:
        break;
    }
    Span start = l->token.at;
    if (lexer_take(l, "(")) {
        Expr *e = parse_ternary(p);
        if (!e || !lexer_expect(l, ")", "to close '('"))
            return NULL;
        e->at = span_join(start, l->last);
        return e;
    }
    if (lexer_take(l, "[")) {
        ExprVec items = {0};
        if (!parse_arguments(p, "]", &items))
            return NULL;
        return constant_list(p, node_of_arguments(p, OP_LIST, start, &items));
    }
    diag_error(l->diag, l->token.at, "expected a value, found %s", lexer_describe(l));
    return NULL;
}

/* The rules of unary and power. */
static Expr *parse_unary(Parser *p)
{
    Span at = p->l->token.at;
    if (p->depth >= DEPTH_LIMIT) {
        diag_error(p->l->diag, at, "this expression is nested more than %d deep", DEPTH_LIMIT);
        return NULL;
    }
    p->depth++;
    Expr *e;
    if (lexer_take(p->l, "-")) {
        e = unary_new(p, OP_NEGATE, at, parse_unary(p));
    } else if (lexer_take(p->l, "!")) {
        e = unary_new(p, OP_NOT, at, parse_unary(p));
    } else if (lexer_take(p->l, "+")) {
        e = parse_unary(p);
    } else {
        e = parse_primary(p);
        at = p->l->token.at;
        if (e && lexer_take(p->l, "**"))
            e = binary_new(p, OP_POWER, at, e, parse_unary(p));
    }
    p->depth--;
    return e;
}

typedef struct Operator {
    const char *sign;
    int op;
} Operator;

/* The operator of `table` at this token, or NULL. */
static const Operator *operator_here(const Parser *p, const Operator *table)
{
    for (; table->sign; table++)
        if (lexer_is(p->l, table->sign))
            return table;
    return NULL;
}

static Expr *parse_not(Parser *p);

/* The rules that are left-associative. */
enum Level { LEVEL_OR, LEVEL_AND, LEVEL_SUM, LEVEL_PRODUCT };

static Expr *parse_left(Parser *p, enum Level level);

static Expr *parse_operand(Parser *p, enum Level level)
{
    return level == LEVEL_AND       ? parse_not(p)
           : level == LEVEL_PRODUCT ? parse_unary(p)
                                    : parse_left(p, level + 1);
}

static Expr *parse_left(Parser *p, enum Level level)
{
    static const Operator operators[][5] = {
        {{"or", OP_OR}, {"||", OP_OR}},
        {{"and", OP_AND}, {"&&", OP_AND}},
        {{"+", OP_ADD}, {"-", OP_SUBTRACT}},
        {{"*", OP_MULTIPLY}, {"/", OP_DIVIDE}, {"//", OP_FLOOR_DIV}, {"%", OP_MODULO}}};
    Expr *e = parse_operand(p, level);
    for (const Operator *o; e && (o = operator_here(p, operators[level]));) {
        Span at = p->l->token.at;
        lexer_next(p->l);
        e = binary_new(p, (ExprOp)o->op, at, e, parse_operand(p, level));
    }
    return e;
}

static bool comparison_here(Parser *p, CompareOp *op)
{
    static const Operator table[] = {{"<", CMP_LT},  {"<=", CMP_LE}, {">", CMP_GT},  {">=", CMP_GE},
                                     {"==", CMP_EQ}, {"!=", CMP_NE}, {"in", CMP_IN}, {NULL, 0}};
    if (lexer_is(p->l, "not")) {
        lexer_next(p->l);
        *op = CMP_NOT_IN;
        return lexer_expect(p->l, "in", "after 'not'");
    }
    const Operator *o = operator_here(p, table);
    if (!o)
        return false;
    *op = (CompareOp)o->op;
    lexer_next(p->l);
    return true;
}

static Expr *parse_comparison(Parser *p)
{
    Expr *first = parse_left(p, LEVEL_SUM);
    if (!first)
        return NULL;
    ExprVec args = {0};
    VEC(CompareOp) ops = {0};
    VEC_PUSH(p->l->arena, &args, first);
    Span at = p->l->token.at;
    size_t before = p->l->diag->errors;
    for (CompareOp op; comparison_here(p, &op);) {
        Expr *next = parse_left(p, LEVEL_SUM);
        if (!next)
            return NULL;
        VEC_PUSH(p->l->arena, &args, next);
        VEC_PUSH(p->l->arena, &ops, op);
    }
    if (p->l->diag->errors > before)
        return NULL;
    if (lexer_is(p->l, "=")) {
        diag_error(p->l->diag, p->l->token.at, "'=' does not compare; write '=='");
        return NULL;
    }
    if (ops.count == 0)
        return first;
    Expr *e = node_of_arguments(p, OP_COMPARE, at, &args);
    if (!e)
        return NULL;
    e->compare = ops.at;
    e->at = span_join(first->at, args.at[args.count - 1]->at);
    return e;
}

static Expr *parse_not(Parser *p)
{
    Span at = p->l->token.at;
    int nots = 0;
    while (lexer_take(p->l, "not"))
        nots++;
    Expr *e = parse_comparison(p);
    for (; e && nots > 0; nots--)
        e = unary_new(p, OP_NOT, at, e);
    return e;
}

/* parse_unary checks the depth. */
static Expr *parse_ternary(Parser *p)
{
    p->depth++;
    Expr *e = parse_left(p, LEVEL_OR);
    Span at = p->l->token.at;
    if (e && lexer_take(p->l, "?")) {
        Expr *yes = parse_ternary(p);
        Expr *no = yes && lexer_expect(p->l, ":", "between the two results of '?'")
                       ? parse_ternary(p)
                       : NULL;
        e = node_of(p, OP_SELECT, at, e->at, (Expr *[]){e, yes, no}, 3);
    }
    p->depth--;
    return e;
}

Expr *expr_parse(Lexer *l)
{
    Parser p = {.l = l};
    return parse_ternary(&p);
}

Span expr_span(const Expr *e)
{
    return e->at;
}

ValueKind expr_kind(const Expr *e)
{
    return e->kind;
}

const char *expr_text(Arena *a, const Expr *e)
{
    return arena_copy(a, e->at.source->text + e->at.offset, e->at.length);
}

void expr_mark_names(const Expr *e, bool *slots)
{
    if (e && (e->op == OP_NAME || e->op == OP_SUM))
        slots[e->slot] = true;
    for (int i = 0; e && i < e->count; i++)
        expr_mark_names(e->args[i], slots);
}

bool expr_uses_any(const Expr *e, const bool *slots)
{
    bool any = e && (e->op == OP_NAME || e->op == OP_SUM) && slots[e->slot];
    for (int i = 0; e && i < e->count && !any; i++)
        any = expr_uses_any(e->args[i], slots);
    return any;
}

int expr_without_value(const Expr *e, const Value *slots)
{
    if (e->op == OP_NAME || e->op == OP_SUM) {
        const Value v = slots[e->slot];
        if (v.kind == VALUE_NONE || (v.kind == VALUE_REAL && isnan(v.real)))
            return e->slot;
    }
    const bool asks = e->op == OP_CALL && strcmp(e->name, "known") == 0; /* has a default */
    int missing = -1;
    for (int i = asks ? 1 : 0; i < e->count && missing < 0; i++)
        missing = expr_without_value(e->args[i], slots);
    return missing;
}

Expr **expr_conjuncts(Arena *a, Expr *e, size_t *count)
{
    ExprVec open = {0}, parts = {0};
    VEC_PUSH(a, &open, e);
    while (open.count > 0) {
        Expr *next = open.at[--open.count];
        if (next->op == OP_AND) {
            VEC_PUSH(a, &open, next->args[1]);
            VEC_PUSH(a, &open, next->args[0]);
        } else {
            VEC_PUSH(a, &parts, next);
        }
    }
    *count = parts.count;
    return parts.at;
}
