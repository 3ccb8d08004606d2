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

typedef struct Reader {
    Arena *a;
    Diag *d;
    Lexer l;
    Spec *spec;
    VEC(const char *) names; /* every declared name */
    VEC(Declared) order;
    VEC(Problem) problems;
    VEC(Parameter) parameters;
    VEC(Derived) derived;
    VEC(Constraint) constraints;
    VEC(Argument) arguments;
    VEC(Launch) launches;
    VEC(const char *) options;
    VEC(const Source *) metric_lines;
    VEC(CarveStage) carving;
} Reader;

/* Takes a name; false after a message when it is taken already. */
bool reader_declare(Reader *r, const char *name, Span at);

void reader_order(Reader *r, DeclaredKind kind, size_t index);

bool reader_same_problem_names(const Reader *r, const char *const *names, size_t count);

/* Moves everything into the spec, binds all expressions and checks what belongs together. */
void reader_finish(Reader *r);

#endif
