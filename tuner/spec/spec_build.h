/* A spec while it is being read and bound: shared by the spec_*.c files, by nobody else. */
#pragma once

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

/* The lines of a launch. */
typedef enum LaunchWord {
    WORD_BLOCK,
    WORD_GRID,
    WORD_SHARED,
    WORD_ARGS,
    WORD_REPEAT,
    WORD_DOUBLE,
    LAUNCH_WORDS
} LaunchWord;

/* "reference Y = contents" and "compare Y …", until it is known what Y is. */
typedef struct Deferred {
    const char *name;
    Span at;
    Contents *expected; /* NULL: a comparison */
    Comparison comparison;
} Deferred;

/* More than a person writes; they keep a hostile file from taking hours. */
enum { NAME_LIMIT = 1024, ARGUMENT_LIMIT = 1024, METRIC_LINE_LIMIT = 256 };

typedef struct Reader {
    Arena *a;
    Diag *d;
    Lexer l;
    Span at;          /* of the word that the statement began with */
    const char *word; /* that word */
    Spec *spec;
    VEC(Span) statements;
    VEC(Taken) names; /* every declared name */
    VEC(Declared) order;
    VEC(Problem) problems;
    VEC(Parameter) parameters;
    VEC(Derived) derived;
    VEC(Constraint) constraints;
    VEC(Argument) arguments;
    VEC(Launch) launches;
    VEC(Launch) references;
    VEC(Rival) rivals;
    VEC(Deferred) deferred;
    Span reference_first_at;
    bool kernel_met, param_met, output_met; /* with or without mistakes */
    bool problem_broken; /* some name may have been lost in a problem line with a mistake */
    Span tolerance_at, polish_at, work_at[3], objective_at, scale_at;
    VEC(const char *) options;
    VEC(CompileOption) option_parts;
    VEC(const char *) includes;
    VEC(SpecTrips) trips;
    VEC(const Source *) metric_lines;
    VEC(CarveStage) carving;
} Reader;

/* Takes a name; false after a message when it is taken already.  It counts as broken until
 * reader_mark_valid. */
bool reader_declare(Reader *r, const char *name, Span at);

/* Marks the declaration of a name as one without a mistake. */
void reader_mark_valid(Reader *r, const char *name);

/* Moves everything into the spec, binds all expressions and checks what belongs together. */
void reader_finish(Reader *r);

/* --- statements: spec_space.c, spec_kernel.c, spec_data.c, spec_result.c, spec_carve.c --- */

/* Each stands behind its word and reads to the end of the line.  False after a message: the reader
 * then goes on with the next statement. */
#define STATEMENT(word, reader) bool reader(Reader *r);
#include "tuner/spec/spec_statements.def"
#undef STATEMENT

/* --- pieces: spec_take.c, spec_data.c; `what` completes "expected …" --- */

bool reader_take_expr(Reader *r, Expr **out);
bool reader_take_string(Reader *r, const char *what, const char **out);
/* A string that names a file or folder, as seen from the spec's own; a missing one is told, and no
 * reason to stop. */
bool reader_take_path(Reader *r, const char *what, const char **name, const char **path);
/* ":" TYPE */
bool reader_take_type(Reader *r, Argument *g);
bool reader_take_contents(Reader *r, Contents *out);
bool reader_take_integer(Reader *r, const char *what, int64_t least, int64_t *out);

/* expr { "," expr } */
bool reader_take_list(Reader *r, ExprVec *out);

/* Takes note that a line which may stand only once was met; false after a message when it was
 * met before. */
bool reader_only_once(Reader *r, Span *met, Span at, const char *what);
