/* Expressions of specs and metric files.
 *
 *     ternary    = or [ "?" ternary ":" ternary ]
 *     or         = and { ( "or" | "||" ) and }
 *     and        = not { ( "and" | "&&" ) not }
 *     not        = "not" not | comparison
 *     comparison = sum { ( "<" | "<=" | ">" | ">=" | "==" | "!=" | "in" | "not in" ) sum }
 *     sum        = product { ( "+" | "-" ) product }
 *     product    = unary { ( "*" | "/" | "//" | "%" ) unary }
 *     unary      = ( "-" | "+" | "!" ) unary | power
 *     power      = primary [ "**" unary ]
 *     primary    = integer | real | string | "true" | "false" | name
 *                | name "(" [ ternary { "," ternary } ] ")"
 *                | "(" ternary ")" | "[" [ ternary { "," ternary } ] "]"
 *
 * If a scope has tables, sum(TABLE, e) adds up e over the rows of one; in e the columns of the table are
 * names, too.  known(NAME, e) is the value of the name, or e if that is unknown, which happens in metrics
 * only.
 *
 * Comparisons chain: a <= b < c means a <= b and b < c.  Integers have 64 bits and overflow is an error;
 * integer "/" truncates, "//" and "%" floor.  In a `real` scope (metrics, carving) every number is a double
 * and "/" divides.
 *
 * An expression is parsed, then bound to the names it may use, then evaluated as often as needed.  Binding
 * finds every mistake that does not depend on values. */
#pragma once

#include "metrics/base/lex.h"

typedef enum ValueKind {
    VALUE_NONE,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_REAL,
    VALUE_STRING,
    VALUE_LIST
} ValueKind;

typedef struct Value Value;

typedef struct ValueList {
    size_t count;
    Value *at;
} ValueList;

struct Value {
    ValueKind kind;
    union {
        bool boolean;
        int64_t integer;
        double real;
        const char *string;
        const ValueList *list;
    };
};

static inline Value value_bool(bool b)
{
    return (Value){.kind = VALUE_BOOL, .boolean = b};
}
static inline Value value_int(int64_t i)
{
    return (Value){.kind = VALUE_INT, .integer = i};
}
static inline Value value_real(double r)
{
    return (Value){.kind = VALUE_REAL, .real = r};
}
static inline Value value_string(const char *s)
{
    return (Value){.kind = VALUE_STRING, .string = s};
}

/* The number in an int, real or bool value; NaN otherwise. */
double value_as_real(Value v);
/* The value as a condition: a number is true unless it is 0. */
static inline bool value_is_true(Value v)
{
    return v.kind == VALUE_BOOL ? v.boolean : v.kind == VALUE_INT ? v.integer != 0 : v.real != 0;
}
bool value_equal(Value a, Value b);

/* Orders Values for qsort and bsearch: numbers before texts. */
int value_compare(const void *a, const void *b);

/* Sorts values and drops all but one of equal ones; returns how many are left. */
size_t values_sort(Value *values, size_t count);
/* As written in a spec: strings quoted. */
void value_print(Value v, Buf *out);
/* As passed to the compiler in -D: strings bare, booleans 0 or 1. */
void value_print_bare(Value v, Buf *out);
const char *value_text(Arena *a, Value v); /* bare */
/* As in names of configurations: bare, but quoted with a blank, comma or quote in it. */
void value_print_named(Value v, Buf *out);
/* "an integer", "a string" …, for messages. */
const char *value_kind_name(ValueKind k);

typedef struct Expr Expr;

/* Parses one expression at the lexer's position, into its arena; NULL after a message. */
Expr *expr_parse(Lexer *l);

typedef struct ScopeName {
    const char *name;
    int slot;
    ValueKind kind;
    /* Why it cannot be used: "is declared further down"; "" says nothing, since the mistake was reported
     * already; NULL: it can. */
    const char *hidden;
} ScopeName;

/* The names an expression may use; of equal ones the first counts. */
typedef struct Scope {
    Arena *arena; /* of the list; may be NULL if there are none */
    VEC(ScopeName) names;
    bool real;  /* numbers are doubles */
    bool quiet; /* unknown names were reported already */
    const struct ExprTable *tables;
    size_t table_count;
} Scope;

void scope_add(Scope *s, const char *name, size_t slot, ValueKind kind);
void scope_hide(Scope *s, const char *name, const char *why);

/* The usable name that a mistyped one is closest to; NULL: none is close. */
const char *scope_closest(const Scope *s, const char *name);

/* A table of numbers for sum(). */
typedef struct ExprTable {
    const char *name;
    const char *const *columns;
    size_t column_count;
    int slot; /* of its row count; if that is not a number the rows are not known */
} ExprTable;

/* The rows of a table, `count` times its columns, row by row. */
typedef struct ExprRows {
    const double *at;
    size_t count;
} ExprRows;

/* Resolves names and checks kinds.  False after one message for each mistake. */
bool expr_bind(Expr *e, const Scope *s, Diag *d);

/* The kind of its value; known once bound. */
ValueKind expr_kind(const Expr *e);
Span expr_span(const Expr *e);

/* Marks the slots of the names that it uses; a table's is that of its row count.  `e` may be NULL. */
void expr_mark_names(const Expr *e, bool *slots);

/* True if it uses a name whose slot is marked.  `e` may be NULL. */
bool expr_uses_any(const Expr *e, const bool *slots);

/* The slot of the first name that the result needs but has no value (none, or NaN); -1: there is none. */
int expr_without_value(const Expr *e, const Value *slots);

/* Splits a conjunction into its parts ("a and b"; "a <= b < c" stays one), an array in `a`, so that each can
 * be judged as soon as its own names are known. */
Expr **expr_conjuncts(Arena *a, Expr *e, size_t *count);

typedef struct Evaluation {
    Arena *arena;      /* for lists that functions make; may be NULL if there are none */
    const char *error; /* what failed: "division by zero"; NULL if nothing did */
    Span error_at;
    bool inexact;           /* some integer "/" left a remainder */
    Span inexact_at;        /* the first one */
    const ExprRows *tables; /* of each table of the scope; may be NULL if there are none */
    const double *row;      /* the current one of a sum; NULL outside */
} Evaluation;

/* Evaluates with names taken from `slots`.  False if arithmetic fails: `ev` then says what and where. */
bool expr_eval(const Expr *e, const Value *slots, Evaluation *ev, Value *out);

/* Partial evaluation, in `a`: names whose slot is `known` become values, and everything decided by them is
 * computed.  A slot with a `meaning`, an expression that is folded already, is replaced by it; `meaning` and
 * its elements may be NULL.  The result has the same value as `e` and fails where `e` fails. */
Expr *expr_fold(Arena *a, const Expr *e, const Value *slots, const bool *known,
                const Expr *const *meaning);

/* Number of nodes of the tree. */
size_t expr_size(const Expr *e);

/* 1 or 0 for a bound condition, in `a`. */
Expr *expr_as_integer(Arena *a, Expr *e);

/* A literal, in `a`. */
Expr *expr_of_value(Arena *a, Value v);

/* a * b of integers; in `arena`. */
Expr *expr_product(Arena *arena, const Expr *a, const Expr *b);

/* The value of a literal; NULL for any other expression. */
const Value *expr_literal(const Expr *e);

/* The source text of an expression, for messages and reports. */
const char *expr_text(Arena *a, const Expr *e);
