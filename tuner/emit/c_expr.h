/* Expressions of a spec as C, with the same meaning.
 *
 * A spec's integers have 64 bits and an overflow, a division by zero or a remainder where none may
 * be is a failure; C's operators know nothing of the kind.  So each expression is written with the
 * range that its names can have in mind: where no failure is possible it becomes plain C, such as
 * `(p->N + 127) / 128`, and elsewhere a call of a helper that takes the address of an `int ok` and
 * clears it.  The helpers stand in unit/arithmetic.h; they are what "//", "%" and ceil_div mean for
 * negative numbers, too.
 *
 * Integers are `long long`, real numbers `double`, conditions `int`. */
#pragma once

#include "metrics/base/expr.h"
#include "metrics/base/arena.h"
#include "tuner/spec/spec.h"

/* From … to, both included; exact as far as a double is. */
typedef struct CRange {
    double low, high;
} CRange;

/* What is known of the names that expressions use, by slot. */
typedef struct CName {
    const char *text; /* in C: "p->N"; NULL: it has none */
    CRange range;
} CName;

/* Where expressions go. */
typedef struct CWriter {
    Buf *out;
    const CName *names;
    const char *prefix; /* of the helpers */
    bool exact;         /* a remainder of "/" is a failure */
} CWriter;

/* How tightly what stands around an expression binds: it is put into brackets when it binds less.
 */
typedef enum CPlace {
    C_ANYWHERE,
    C_SELECT,   /* operand of ?: */
    C_OR,       /* of || */
    C_AND,      /* of && */
    C_EQUALITY, /* of == and != */
    C_RELATION, /* of < and the like */
    C_SUM,      /* of + and - */
    C_PRODUCT,  /* of * / % */
    C_UNARY
} CPlace;

/* Writes an expression.  False when C has no way to say it (lists that are made while it is
 * computed): then something was written that is to be thrown away. */
bool c_expr(CWriter *w, const Expr *e, CPlace place);

/* The same as a double. */
bool c_real(CWriter *w, const Expr *e, CPlace place);

/* The condition that `value`, in C as text and with its range, is among what `items` list: values,
 * or lists of them. */
bool c_member(CWriter *w, const Expr *value, Expr *const *items, size_t count);

/* The opposite of a condition. */
bool c_unless(CWriter *w, const Expr *e, CPlace place);

/* A text that is chosen: `leaf` writes what each name stands for.  False when it is more than
 * `condition ? name : name`. */
bool c_choose(CWriter *w, const Expr *e, void (*leaf)(void *context, const char *name),
              void *context);

/* May that choice fall on a name? */
bool c_may_choose(const Expr *e, const char *name);

/* The elements of a list that is written out, some of them not decided; NULL of anything else, for
 * which `*count` is 1. */
Expr *const *c_list(const Expr *e, size_t *count);

/* Does the value of an expression depend on names of these slots alone: from 0 to below `count`? */
bool c_uses_only(const Expr *e, size_t count);

/* The least range that has both. */
CRange c_join(CRange a, CRange b);

/* What an expression can come to. */
CRange c_range(const CWriter *w, const Expr *e);

/* A value in C; false when it has none there. */
bool c_value(Value v, Buf *out);

/* range(…) with its bounds: `parts` are from, to and step, NULL for 0 and 1.  False of anything
 * else.
 */
bool c_is_range(const Expr *e, const Expr *parts[3]);

/* Are there failures that it might meet? */
bool c_may_fail(const CWriter *w, const Expr *e);

/* Small change of writing C: names, types, strings, comments. */

/* A string literal; the same in an arena. */
void text_string(Buf *out, const char *s);
const char *text_quoted(Arena *a, const char *s);

/* A name of the spec as one of C, C++ and CUDA: with a "_" behind it where it is a word of these or
 * among `taken`, of which there are `count`. */
const char *text_name(Arena *a, const char *name, const char *const *taken, size_t count);

/* Text inside of a comment: what would end it is broken up. */
const char *text_comment(Arena *a, const char *s);
const char *text_comment_span(Arena *a, Span at);

/* The type of one scalar: "float", "unsigned char"; half is "unsigned short", its bits. */
const char *text_scalar(TaskScalar s);

/* The declaration of a number as C has it, with the same layout: "float x", "float x[4]" of a
 * vector, "struct { int m0; float m1; } x". */
void text_number(const Argument *g, const char *name, Buf *out);
