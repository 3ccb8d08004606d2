/* Translates expressions of a spec into C with the same meaning.
 *
 * In a spec integers have 64 bits, and overflow, division by zero or an unwanted remainder is a failure,
 * which C's operators do not detect.  So expressions are written by interval analysis: where the ranges of
 * the names rule out a failure, they become plain C, such as `(p->N + 127) / 128`; elsewhere they become
 * calls of helpers that clear an `int ok` (unit/arithmetic.h).  The helpers also define "//", "%" and
 * ceil_div for negative numbers.
 *
 * Integers are `long long`, real numbers `double`, conditions `int`. */
#pragma once

#include "tuner/spec/spec.h"

/* A closed interval, as exact as double. */
typedef struct CRange {
    double low, high;
} CRange;

/* A name that expressions use, by slot. */
typedef struct CName {
    const char *text; /* in C: "p->N"; NULL: it has none */
    CRange range;
} CName;

typedef struct CWriter {
    Buf *out;
    const CName *names;
    const char *prefix; /* of the helpers */
    bool exact;         /* a remainder of "/" is a failure */
} CWriter;

/* Precedence of the context: an expression that binds less tightly gets brackets. */
typedef enum CPrecedence {
    C_ANYWHERE,
    C_SELECT,   /* operand of ?: */
    C_OR,       /* of || */
    C_AND,      /* of && */
    C_EQUALITY, /* of == and != */
    C_RELATION, /* of < and the like */
    C_SUM,      /* of + and - */
    C_PRODUCT,  /* of * / % */
    C_UNARY
} CPrecedence;

/* Writes an expression.  False if C cannot express it (lists made at run time); the text written so far is
 * then to be discarded. */
bool c_expr(CWriter *w, const Expr *e, CPrecedence prec);

/* The same as a double. */
bool c_real(CWriter *w, const Expr *e, CPrecedence prec);

/* The condition that `value` is one of `items`, which are values or lists of values. */
bool c_member(CWriter *w, const Expr *value, Expr *const *items, size_t count);

/* The negation of a condition. */
bool c_unless(CWriter *w, const Expr *e, CPrecedence prec);

/* A choice between names; `leaf` writes what a name stands for.  False for anything but nested
 * `condition ? name : name`. */
bool c_choose(CWriter *w, const Expr *e, void (*leaf)(void *context, const char *name),
              void *context);

/* True if such a choice may yield `name`. */
bool c_may_choose(const Expr *e, const char *name);

/* The elements of a list expression; NULL for anything else, with `*count` 1. */
Expr *const *c_list(const Expr *e, size_t *count);

/* True if an expression uses names of the slots 0 to `count` − 1 only. */
bool c_uses_only(const Expr *e, size_t count);

/* The smallest range that contains both. */
CRange c_join(CRange a, CRange b);

/* The range of an expression's values. */
CRange c_range(const CWriter *w, const Expr *e);

/* A value as a C literal; false if C has none. */
bool c_value(Value v, Buf *out);

/* True for range(…); `parts` are from, to and step, NULL for the defaults 0 and 1 of from and step. */
bool c_is_range(const Expr *e, const Expr *parts[3]);

/* True if evaluating it in C may clear `ok`, or C cannot express it. */
bool c_may_fail(const CWriter *w, const Expr *e);

/* --- c_text.c: names, types, strings, comments ------------------------------------------------ */

/* A string literal; the same in an arena. */
void text_string(Buf *out, const char *s);
const char *text_quoted(Arena *a, const char *s);

/* A name of the spec as an identifier of C, C++ and CUDA: with "_" appended while it is reserved there or
 * among the `count` names `taken`, of which some may be NULL. */
const char *text_name(Arena *a, const char *name, const char *const *taken, size_t count);

/* Text for a comment, made unable to end it. */
const char *text_comment(Arena *a, const char *s);
const char *text_comment_span(Arena *a, Span at);

/* The C type of a scalar: "float", "unsigned char"; for half "unsigned short", which holds its bits. */
const char *text_scalar(TaskScalar s);

/* The declaration of a number with the layout it has in CUDA: "float x", for a vector "float x[4]",
 * "struct { int m0; float m1; } x". */
void text_number(const Argument *g, const char *name, Buf *out);
