/* A spec while it is being read and bound: shared by the spec_*.c files, by nobody else. */
#ifndef APTUNE_SPEC_BUILD_H
#define APTUNE_SPEC_BUILD_H

#include "tuner/base/vec.h"
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
    bool block, grid, shared, args, repeat;
} LaunchLines;

/* "reference Y = contents" and "compare Y …", until it is known what Y is. */
typedef struct Promise {
    const char *name;
    Span at;
    Contents *expected; /* NULL: a comparison */
    Comparison comparison;
} Promise;

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
    VEC(Launch) references;
    VEC(LaunchLines) reference_lines; /* one for each of them */
    VEC(Rival) rivals;
    VEC(Promise) promises;
    Span reference_first_at;
    bool kernel_met, param_met, output_met; /* with or without mistakes */
    bool problem_broken; /* some name may have been lost in a problem line with a mistake */
    Span tolerance_at, polish_at, work_at[3], objective_at, scale_at;
    VEC(const char *) options;
    VEC(CompileOption) option_parts;
    VEC(const char *) includes;
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

/* What an expression may use: everything, or only what is declared before it. */
typedef struct Visible {
    const Reader *reader;
    const char *declaring; /* the name it is the declaration of, or NULL */
    bool fixed;            /* it must not change from configuration to configuration */
    size_t problem_names;  /* how many of each may be used */
    size_t parameters;
    size_t derived;
    const Launch *launch; /* whose repeat name may be used; NULL: none */
    bool index;           /* `i` and `lane` */
    bool arguments;       /* names of arguments, as texts */
} Visible;

/* The whole spec, or its problem names alone. */
Visible reader_see_all(const Reader *r);
Visible reader_see_problem(const Reader *r);

/* Binds an expression that must give a number, a whole number, true or false, anything; NULL is
 * fine. False after a message. */
bool reader_bind_number(Reader *r, Expr *e, Visible *v);

/* The value of a number passed by value: of a vector or struct also a list, one for each part. */
void reader_bind_value(Reader *r, const Argument *g, Visible *v);
bool reader_bind_integer(Reader *r, Expr *e, Visible *v);
bool reader_bind_condition(Reader *r, Expr *e, Visible *v, const char *what);
bool reader_bind(Reader *r, Expr *e, Visible *v);

/* --- spec_bind_launch.c: kernels, options, references; spec_bind_data.c: arguments, comparisons
 * --- */
void reader_bind_launches(Reader *r);
void reader_bind_options(Reader *r);
void reader_bind_references(Reader *r);
void reader_bind_rivals(Reader *r);
void reader_bind_arguments(Reader *r);
void reader_keep_promises(Reader *r);
void reader_bind_work(Reader *r);

/* Moves everything into the spec, binds all expressions and checks what belongs together. */
void reader_finish(Reader *r);

#endif
