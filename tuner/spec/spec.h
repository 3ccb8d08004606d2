/* What a .spec file says.
 *
 * A spec names a kernel template, the parameters that make up the space, the
 * constraints between them, how a configuration is launched, with which data, how
 * its result is judged, and how the space is carved.  Reading checks everything
 * that does not depend on values.  All of it lives in the arena given to spec_read.
 *
 * Names share one numbering of slots: problem names, then parameters, then derived
 * names, so that a configuration is one array of values.  The language is
 * written down in spaces/README.md. */
#ifndef APTUNE_SPEC_H
#define APTUNE_SPEC_H

#include "metrics/base/expr.h"
#include "tuner/task/task.h"

/* "problem M = 4096, N = 4096": one size. */
typedef struct Problem {
    Span at;
    Value *values; /* one for each problem name */
    Expr **exprs;
    const char *text; /* "M=4096 N=4096" */
} Problem;

/* Values a parameter may list.  A longer list is a mistake, and what a hostile spec would ask for.
 */
enum { PARAMETER_VALUES = 65536 };

/* "param BM in 16, 32, 64" */
typedef struct Parameter {
    const char *name;
    Span at;
    Expr **items; /* each a value or a list of values */
    size_t item_count;
    bool dependent;   /* the values depend on parameters before it */
    ValueKind kind;   /* of its values */
    ValueList values; /* for the first problem */
} Parameter;

/* "let THREADS = (BM / TM) * (BN / TN)" */
typedef struct Derived {
    const char *name;
    Span at;
    Expr *value;
} Derived;

/* "require 64 <= THREADS <= 1024" */
typedef struct Constraint {
    Expr *condition;
    Span at;
} Constraint;

typedef enum ArgumentRole {
    ARGUMENT_IN,
    ARGUMENT_OUT,   /* compared with the reference */
    ARGUMENT_INOUT, /* restored before each verified launch, and compared */
    ARGUMENT_SCALAR
} ArgumentRole;

typedef enum ContentsKind { CONTENTS_ZERO, CONTENTS_CONSTANT, CONTENTS_UNIFORM } ContentsKind;

/* What a buffer holds before a launch. */
typedef struct Contents {
    ContentsKind kind;
    Expr *numbers[3]; /* constant: value; uniform: low, high, seed (may be NULL) */
} Contents;

/* "in A : float[M * K] = uniform(-1, 1)" or "arg N : int = N" */
typedef struct Argument {
    const char *name;
    Span at;
    ArgumentRole role;
    TaskType element;
    Expr *count; /* elements of a buffer */
    Expr *value; /* of a scalar */
    Contents contents;
} Argument;

/* One kernel launch of a configuration.  The kernel's arguments are the spec's, in order. */
typedef struct Launch {
    Span at;
    const char *file;  /* source as the spec names it */
    const char *path;  /* the same, to be opened */
    const char *entry; /* name of the kernel */
    Expr *grid[3];     /* NULL: 1 */
    Expr *block[3];
    Expr *shared; /* dynamic shared memory in bytes; NULL: 0 */
} Launch;

typedef enum CarveKind {
    CARVE_THRESHOLD, /* carve spill_bytes == 0 */
    CARVE_WITHIN,    /* carve within 20% of bound_cycles */
    CARVE_FRONT,     /* carve front a, b */
    CARVE_BEST       /* carve best 40 by predicted_cycles */
} CarveKind;

/* A metric in a carve statement. */
typedef struct CarveCriterion {
    const char *name;
    Span at;
    int direction; /* +1 higher, -1 lower, 0 as the metric itself says */
} CarveCriterion;

typedef struct CarveStage {
    CarveKind kind;
    Span at;
    Expr *condition; /* threshold; bound to metrics later, by whoever carves */
    CarveCriterion *criteria;
    size_t criterion_count;
    double percent; /* within: from the best; front: width of a band around it, 0 for none */
    int64_t count;  /* best: how many; front: budget, 0 none */
    bool fill;      /* front: further layers until the budget is full */
    bool keep_ties; /* front: drop only what is worse in every criterion */
} CarveStage;

typedef struct Spec {
    const Source *source;
    const char *name; /* file name without folder and .spec */

    const char **problem_names;
    size_t problem_name_count;
    Problem *problems;
    size_t problem_count; /* at least 1; without a problem statement an empty one */

    Parameter *parameters;
    size_t parameter_count;
    Derived *derived;
    size_t derived_count;
    Constraint *constraints;
    size_t constraint_count;

    Argument *arguments;
    size_t argument_count;
    Launch *launches;
    size_t launch_count;
    const char **options; /* for the compiler, besides -D and -arch */
    size_t option_count;

    Launch *reference; /* NULL: results are not verified */
    double tolerance;  /* error allowed, relative to the root mean square of the output */
    Expr *work_flop;   /* NULL when not said */
    Expr *work_bytes;

    const Source **metric_lines; /* "metric …" statements, read by whoever knows metrics */
    size_t metric_line_count;
    CarveStage *carving;
    size_t carving_count;
    int64_t polish; /* neighbours of the best to time; 0 none */
} Spec;

/* Reads and checks a spec.  NULL after messages. */
Spec *spec_read(Arena *a, const char *path, Diag *d);

/* The same from a text; files are looked for from `source->name`'s folder. */
Spec *spec_parse(Arena *a, const Source *source, Diag *d);

/* Slots: problem names, parameters, derived names. */
size_t spec_slot_count(const Spec *s);
size_t spec_parameter_slot(const Spec *s, size_t parameter);
size_t spec_derived_slot(const Spec *s, size_t derived);

/* Values for the problem slots of an array of spec_slot_count. */
void spec_set_problem(const Spec *s, size_t problem, Value *slots);

/* The values of a parameter for a problem, without doubles and in the order they are written.  A
 * dependent parameter gives all values it has for any combination of the parameters it depends
 * on.  False after a message. */
bool spec_parameter_values(Arena *a, const Spec *s, size_t parameter, size_t problem,
                           ValueList *out, Diag *d);

/* Is the value in slot `parameter` one that the slots before it allow?  Only for dependent ones. */
bool spec_parameter_allows(Arena *scratch, const Spec *s, size_t parameter, const Value *slots,
                           Evaluation *ev, bool *out);

/* The whole spec as it was understood, for -d S. */
void spec_print(const Spec *s, Buf *out);

#endif
