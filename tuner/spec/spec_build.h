/* A spec while it is read and bound; used by the spec_*.c files only. */
#pragma once

#include "metrics/base/vec.h"
#include "tuner/spec/spec.h"

typedef VEC(Expr *) ExprVec;

/* A declared name. */
typedef struct DeclaredName {
    const char *name;
    Span at;
    bool broken; /* its declaration has a mistake: its uses get no messages */
} DeclaredName;

/* The lines of a launch. */
typedef enum LaunchWord {
    WORD_BLOCK,
    WORD_GRID,
    WORD_SHARED,
    WORD_ARGS,
    WORD_REPEAT,
    WORD_COOPERATIVE,
    WORD_DOUBLE,
    LAUNCH_WORDS
} LaunchWord;

/* "reference Y = contents" or "compare Y …", kept until all outputs are known. */
typedef struct Deferred {
    const char *name;
    Span at;
    Contents *expected; /* NULL: a comparison */
    Comparison comparison;
} Deferred;

/* Far more than anyone writes: bounds the work on hostile files. */
enum { NAME_LIMIT = 1024, ARGUMENT_LIMIT = 1024, METRIC_LINE_LIMIT = 256 };

typedef struct Reader {
    Arena *a;
    Diag *d;
    Lexer l;
    Span at;          /* of the statement's keyword */
    const char *word; /* the keyword */
    Spec *spec;
    VEC(DeclaredName) names; /* all declared names */
    VEC(Deferred) deferred;
    Span reference_first_at;
    bool kernel_met, param_met, output_met; /* with or without mistakes */
    bool problem_broken;                    /* a problem line with a mistake may have lost a name */
    Span tolerance_at, polish_at, work_at[OBJECTIVES], objective_at, scale_at;
} Reader;

/* Room for one more element of an array of the spec, whose capacity is the next power of two. */
static inline void *spec_grow(Arena *a, void *at, size_t count, size_t size)
{
    size_t capacity = count & (count - 1) ? count + 1 : count;
    return vec_grow(a, at, count, &capacity, size);
}

/* Appends an element to such an array, whose number of elements is `n`. */
#define SPEC_ADD(a, s, list, n, ...)                                                               \
    ((s)->list = spec_grow((a), (s)->list, (s)->n, sizeof *(s)->list),                             \
     (s)->list[(s)->n++] = (__VA_ARGS__))

/* Declares a name, broken until reader_mark; false after a message: it is declared already. */
bool reader_declare(Reader *r, const char *name, Span at);

/* Says whether a name's declaration has a mistake. */
void reader_mark(Reader *r, const char *name, bool broken);

/* Binds all expressions and checks consistency. */
void reader_finish(Reader *r);

/* --- statements: spec_space.c, spec_kernel.c, spec_data.c, spec_result.c, spec_carve.c --- */

/* Each reads from after the keyword to the end of the line. False after a message: the reader goes on with
 * the next statement. */
#define STATEMENT(word, reader) bool reader(Reader *r);
#include "tuner/spec/spec_statements.def"
#undef STATEMENT

/* --- pieces: spec_take.c, spec_data.c; `what` completes "expected …" --- */

bool reader_take_expr(Reader *r, Expr **out);
bool reader_take_string(Reader *r, const char *what, const char **out);
/* A file or folder name, relative to the spec's folder; a missing file is reported, but reading goes on. */
bool reader_take_path(Reader *r, const char *what, const char **name, const char **path);
/* ":" TYPE */
bool reader_take_type(Reader *r, Argument *g);
bool reader_take_contents(Reader *r, Contents *out);
bool reader_take_integer(Reader *r, const char *what, int64_t least, int64_t *out);

/* expr { "," expr } */
bool reader_take_list(Reader *r, ExprVec *out);

/* expr [ "," expr [ "," expr ] ] of a `what` */
bool reader_take_dimensions(Reader *r, const char *what, Expr *out[3]);

/* Notes a line that may occur only once; false after a message: it occurred before. */
bool reader_only_once(Reader *r, Span *met, Span at, const char *what);
