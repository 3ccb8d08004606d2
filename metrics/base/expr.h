/* Expressions: the heart of specs and of metric files.
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
 * Where a scope has tables, sum(TABLE, e) adds up e over the rows of one; in e the table's
 * columns are names too.
 *
 * known(NAME, e) is the value of the name, or e where the name has none (metrics only: elsewhere
 * every name has).
 *
 * Comparisons chain: a <= b < c means a <= b and b < c.  Integers have 64 bits and
 * overflow is an error; "/" of integers truncates, "//" and "%" floor.  In a scope
 * that is `real` (metrics, carving) every number is a double and "/" divides.
 *
 * An expression is parsed, then bound to the names it may use, then evaluated as
 * often as needed: binding finds every mistake that does not depend on values. */
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

Value value_bool(bool b);
Value value_int(int64_t i);
Value value_real(double r);
Value value_string(const char *s);

/* The number in an int, real or bool value; NaN otherwise. */
double value_as_real(Value v);
/* Of a condition: a number is true unless it is 0. */
static inline bool value_is_true(Value v)
{
    return v.kind == VALUE_BOOL ? v.boolean : v.kind == VALUE_INT ? v.integer != 0 : v.real != 0;
}
bool value_equal(Value a, Value b);
/* As it is written in a spec; strings quoted. */
void value_print(Value v, Buf *out);
/* As it is given to the compiler in -D; strings bare, booleans 0 or 1. */
void value_print_bare(Value v, Buf *out);
/* "an integer", "a string" …, for messages. */
const char *value_kind_name(ValueKind k);

typedef struct Expr Expr;

/* One expression from where the lexer stands; NULL after a message.  Lives in the
 * lexer's arena. */
Expr *expr_parse(Lexer *l);

/* Names that a mistyped one is compared with: more than profiles, devices and metrics have. */
enum { SCOPE_NAMES = 1024 };

/* The names an expression may use. */
typedef struct Scope {
    void *context;
    /* Gives slot and kind of a name; false when there is none.  It may say why in
     * `reason` ("is declared further down"), which then becomes the message; "" keeps silent
     * about a name whose own mistake is told already. */
    bool (*find)(void *context, const char *name, int *slot, ValueKind *kind, const char **reason);
    /* Fills in the names there are, for "did you mean"; may be NULL. */
    size_t (*names)(void *context, const char **out, size_t room);
    bool real; /* numbers are doubles */
    const struct ExprTable *tables;
    size_t table_count;
} Scope;

/* Rows of numbers that sum() goes over. */
typedef struct ExprTable {
    const char *name;
    const char *const *columns;
    size_t column_count;
    int slot; /* of its number of rows; not a number there: the rows are not known */
} ExprTable;

/* The rows of a table: `count` times its columns, one row after the other. */
typedef struct ExprRows {
    const double *at;
    size_t count;
} ExprRows;

/* Resolves names and checks kinds.  False after one message for each mistake. */
bool expr_bind(Expr *e, const Scope *s, Diag *d);

/* What it evaluates to; known once bound. */
ValueKind expr_kind(const Expr *e);
Span expr_span(const Expr *e);

/* Calls `visit` for each use of a name, with its slot; for a table, with that of its count. */
void expr_visit_names(const Expr *e, void (*visit)(void *context, int slot), void *context);

/* The slot of the first name without a value (none, or NaN) of those that a result cannot do
 * without; -1: all have one. */
int expr_without_value(const Expr *e, const Value *slots);

/* The parts of a conjunction ("a and b", "a <= b < c" stays one): an array in `a`, so that each
 * can be judged as soon as its own names are known. */
Expr **expr_conjuncts(Arena *a, Expr *e, size_t *count);

typedef struct Evaluation {
    Arena *arena;      /* for lists that functions make; may be NULL when there are none */
    const char *error; /* what failed: "division by zero"; NULL when nothing did */
    Span error_at;
    bool inexact;           /* some integer "/" left a remainder */
    Span inexact_at;        /* the first one */
    const ExprRows *tables; /* of each table of the scope; may be NULL when there are none */
    const double *row;      /* under way in a sum; NULL outside */
} Evaluation;

/* The value with names taken from `slots`.  False when arithmetic fails: then `ev` says
 * what and where. */
bool expr_eval(const Expr *e, const Value *slots, Evaluation *ev, Value *out);

/* The same expression with the names whose slot is `known` filled in, and all that then is decided
 * computed; in `a`.  Other names become the expression that `meaning` has for their slot, itself
 * folded already; NULL (also for all of it): they stay.  It gives what the other gives, and fails
 * where the other fails. */
Expr *expr_fold(Arena *a, const Expr *e, const Value *slots, const bool *known,
                const Expr *const *meaning);

/* Nodes of its tree: how long it is. */
size_t expr_size(const Expr *e);

/* An expression that is a value and nothing else, in `a`. */
Expr *expr_of_value(Arena *a, Value v);

/* a * b of integers; in `arena`. */
Expr *expr_product(Arena *arena, const Expr *a, const Expr *b);

/* The value of an expression that is nothing else; NULL of any other. */
const Value *expr_literal(const Expr *e);

/* The source text of an expression, for messages and reports. */
const char *expr_text(Arena *a, const Expr *e);
