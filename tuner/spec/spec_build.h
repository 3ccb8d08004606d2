/* A spec while it is being read: shared by spec_read.c and spec_bind.c, by nobody else. */
#ifndef APTUNE_SPEC_BUILD_H
#define APTUNE_SPEC_BUILD_H

#include "metrics/base/vec.h"
#include "tuner/spec/spec.h"

typedef VEC(Expr *) ExprVec;

typedef enum DeclaredKind { DECLARED_PARAMETER, DECLARED_DERIVED } DeclaredKind;

/* A parameter or derived name, in the order of the file: it may use only what stands before it. */
typedef struct Declared {
    DeclaredKind kind;
    size_t index;
} Declared;

/* A name that is taken. */
typedef struct Taken {
    const char *name;
    Span at;
    bool broken; /* its declaration has a mistake: its uses deserve no messages of their own */
} Taken;

/* Which lines of a launch were met, with or without mistakes. */
typedef struct LaunchLines {
    bool block, grid, shared;
} LaunchLines;

/* More than a person writes; they keep a hostile file from taking hours. */
enum { NAME_LIMIT = 1024, ARGUMENT_LIMIT = 1024, METRIC_LINE_LIMIT = 256 };

typedef struct Reader {
    Arena *a;
    Diag *d;
    Lexer l;
    Spec *spec;
    VEC(Taken) names; /* every declared name */
    VEC(Declared) order;
    VEC(Problem) problems;
    VEC(Parameter) parameters;
    VEC(Derived) derived;
    VEC(Constraint) constraints;
    VEC(Argument) arguments;
    VEC(Launch) launches;
    VEC(LaunchLines) launch_lines; /* one for each launch */
    LaunchLines reference_lines;
    bool reference_named;                   /* its file and name could be read */
    bool kernel_met, param_met, output_met; /* with or without mistakes */
    bool problem_broken; /* some name may have been lost in a problem line with a mistake */
    Span tolerance_at, polish_at, flop_at, bytes_at;
    VEC(const char *) options;
    VEC(const Source *) metric_lines;
    VEC(CarveStage) carving;
} Reader;

/* Takes a name; false after a message when it is taken already.  It counts as broken until
 * reader_mend. */
bool reader_declare(Reader *r, const char *name, Span at);

/* Marks the declaration of a name as one without or with a mistake. */
void reader_mend(Reader *r, const char *name);
void reader_break(Reader *r, const char *name);

/* Is it taken by a declaration with a mistake? */
bool reader_is_broken(const Reader *r, const char *name);

void reader_order(Reader *r, DeclaredKind kind, size_t index);

bool reader_same_problem_names(const Reader *r, const char *const *names, size_t count);

/* Moves everything into the spec, binds all expressions and checks what belongs together. */
void reader_finish(Reader *r);

#endif
