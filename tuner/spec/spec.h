/* The contents of a .spec file.
 *
 * A spec names a kernel template, the parameters of the space and their constraints, how a configuration is
 * launched and with which data, how its result is judged, and how the space is carved. Reading checks
 * everything that does not depend on values. All of it lives in the arena given to spec_read.
 *
 * Names share one numbering of slots: problem names, then parameters, then derived names, so that a
 * configuration is one array of values. The language is documented in spaces/README.md. */
#pragma once

#include "metrics/base/expr.h"
#include "tuner/spec/task.h"

/* "problem M = 4096, N = 4096": one problem size. */
typedef struct Problem {
    Span at;
    Value *values; /* one per problem name */
    Value *lets;   /* one per derived name; those that are fixed have values */
    Expr **exprs;
    const char *text; /* "M=4096 N=4096" */
} Problem;

/* Most values of a parameter: more are a mistake, or an attack. */
enum { PARAMETER_VALUES = 65536 };

/* "param BM in 16, 32, 64" */
typedef struct Parameter {
    const char *name;
    Span at;
    Expr **items; /* each a value or a list of values */
    size_t item_count;
    bool dependent;   /* the values depend on earlier parameters */
    ValueKind kind;   /* of its values */
    ValueList values; /* for the first problem */
} Parameter;

/* "let THREADS = (BM / TM) * (BN / TN)" */
typedef struct Derived {
    const char *name;
    Span at;
    Expr *value;
    bool fixed; /* it does not depend on the configuration */
} Derived;

/* "require 64 <= THREADS <= 1024" */
typedef struct Constraint {
    Expr *condition;
    Span at;
} Constraint;

/* A string of the spec with "{expr}" in place of values. */
typedef struct TextPiece {
    const char *text; /* literal text */
    Expr *value;      /* printed after it; NULL in the last piece */
} TextPiece;

typedef struct Text {
    Span at;
    const char *written; /* as written in the spec */
    TextPiece *pieces;
    size_t piece_count;
} Text;

/* --- data ------------------------------------------------------------------------------------- */

typedef enum ArgumentRole {
    ARGUMENT_IN,
    ARGUMENT_OUT,      /* compared with the reference */
    ARGUMENT_INOUT,    /* restored before each verified launch, and compared */
    ARGUMENT_SCALAR,   /* passed by value */
    ARGUMENT_SCRATCH,  /* used between launches; never compared */
    ARGUMENT_CONSTANT, /* a device variable: no kernel argument, but written before the launches */
    ARGUMENT_TEXTURE   /* read through a texture object */
} ArgumentRole;

typedef enum ContentsKind {
    CONTENTS_ZERO,
    CONTENTS_CONSTANT,
    CONTENTS_UNIFORM,
    CONTENTS_NORMAL,
    CONTENTS_FORMULA,
    CONTENTS_SORTED,
    CONTENTS_COPY,
    CONTENTS_LANE,
    CONTENTS_LANES,
    CONTENTS_FILE,
    CONTENTS_KEPT,     /* zero before the first launch, then what the launches left */
    CONTENTS_UNDEFINED /* not specified, of an output or scratch */
} ContentsKind;

/* The contents of a buffer before a launch. */
typedef struct Contents {
    ContentsKind kind;
    Span at;
    /* constant: value; uniform: low, high, seed; normal: mean, deviation, seed (NULL: none); formula: the
     * expression; lane: its index. */
    Expr *numbers[3];
    struct Contents *inner; /* sorted: of these contents */
    const char *from;       /* copy, lane, lanes: the buffer */
    size_t from_argument;   /* its index */
    const char *file;       /* as the spec names it */
    const char *path;       /* the same, to be opened */
} Contents;

/* "compare C relative 1e-5 of max absolute 1e-7". */
typedef struct Comparison {
    Span at;
    bool stated;           /* it says `exact`, or which errors are allowed */
    TaskTolerance allowed; /* without `except` */
    Expr *first;           /* elements compared; NULL: all */
    Expr *except;          /* elements that may be wrong; NULL: none */
} Comparison;

enum { TEXTURE_DIMENSIONS = TASK_TEXTURE_DIMENSIONS };

/* A scalar member of a struct: "struct(int, float4)" has five. */
typedef struct Field {
    TaskScalar scalar;
    size_t offset; /* bytes from the struct's start */
} Field;

/* "in A : float[M * K] = uniform(-1, 1)" or "arg N : int = N" */
typedef struct Argument {
    const char *name;
    Span at;
    ArgumentRole role;
    /* For a struct of one scalar type without gaps: that type, with its members as lanes; for other
     * structs: bytes. */
    TaskType element;
    Field *fields; /* of a struct; else NULL */
    int field_count;
    size_t alignment; /* of a struct, bytes */
    Expr *count;      /* elements of a buffer; NULL of a scalar or texture */
    Expr *value;      /* of a scalar: a number, or a list with one per lane */
    Contents contents;
    Contents *expected;             /* expected contents of an output; NULL: not given */
    Comparison comparison;          /* of an output */
    Expr *size[TEXTURE_DIMENSIONS]; /* of a texture; NULL past the last dimension */
    TaskTexture texture;            /* its modes */
} Argument;

/* The number of scalars of an element (of a vector its lanes, of a struct its fields), and scalar `i`. */
int argument_numbers(const Argument *g);
Field argument_number(const Argument *g, int i);

bool argument_is_buffer(const Argument *g);

/* True for a struct of several scalar types, or with gaps: its element is bytes. */
bool argument_is_mixed(const Argument *g);

/* The alignment in bytes of an argument passed by value (CUDA C++ Programming Guide, table "Alignment
 * Requirements"). */
size_t argument_alignment(const Argument *g);

/* The type in the spec's syntax: "float4", "struct(int32, float)". */
const char *argument_type_text(Arena *a, const Argument *g);

/* --- launches --------------------------------------------------------------------------------- */

/* One item of an args line. */
typedef struct LaunchItem {
    Span at;
    Expr *choice;  /* evaluates to the name of an argument */
    Argument *own; /* or, if `choice` is NULL, a scalar of this launch only */
    bool joined;   /* in the same struct as the preceding item */
} LaunchItem;

/* One kernel of a configuration, launched once or several times in a row. */
typedef struct Launch {
    Span at;
    const char *file;  /* the source as the spec names it, or the command that prints it */
    const char *path;  /* the same, to be opened; for a command: its working folder */
    const char *entry; /* kernel name as in the spec */
    bool expression;   /* the name is a C++ name expression, parsed into `name` */
    Text name;
    bool command; /* the source is printed by a command */
    Text command_text;
    Expr *grid[3]; /* NULL: 1 */
    Expr *block[3];
    Expr *shared; /* dynamic shared memory in bytes; NULL: 0 */

    bool has_items; /* it has an args line; else it takes all arguments in order */
    LaunchItem *items;
    size_t item_count;

    /* number of launches in a row; NULL: one, or one for each value of … */
    Expr *repeat;
    const char *repeat_name; /* … this name; NULL: none */
    Expr **repeat_values;    /* integers, or lists of them */
    size_t repeat_value_count;
    size_t repeat_slot; /* of the name */
    bool
        together; /* for each value it is launched after the launch before it, whose name and values it has */

    bool cooperative; /* its blocks run at the same time, or it is not launched */
    bool in_double;   /* of a reference: float and half are passed as double */
    unsigned lines;   /* lines seen while it is read, also those with mistakes (LaunchWord bits) */
} Launch;

/* The type of an argument: a reference in double precision gets floating-point numbers as double, except in
 * structs. */
TaskType launch_argument_type(const Launch *l, const Argument *g);

/* "rival cublas gemm args C, A, B, M, N, K": a library call that does the same work, for `bench`. */
typedef struct Rival {
    const char *library; /* "cublas", or the plugin's file as the spec names it */
    const char *path;    /* the same, to be opened; NULL: a library found by name */
    const char *call;    /* "gemm" */
    bool bound;          /* does only part of the work: a lower bound on the time, never compared */
    Launch takes;        /* only its items are used */
} Rival;

/* "option "-maxrregcount={R}" if R > 0" */
typedef struct CompileOption {
    Text text;
    Expr *condition; /* NULL: always */
    bool varies;     /* with the configuration */
} CompileOption;

/* "trips 42 = NNZ / ROWS": the trip count of a loop whose count depends on data. */
typedef struct SpecTrips {
    Span at;
    int64_t
        line; /* of its `for`, `while` or `do` in the kernel's file, or of its first statement */
    int64_t last;     /* where the loop of the keyword in this line ends; 0: none stands there */
    const char *text; /* text that occurs in the loop's line only; NULL: the line is given */
    Expr *rounds;
} SpecTrips;

/* What configurations are compared by. */
typedef enum Objective {
    OBJECTIVE_TIME,
    OBJECTIVE_FLOP, /* work of that kind ÷ time */
    OBJECTIVE_BYTES,
    OBJECTIVE_ITEMS,
    OBJECTIVE_ENERGY, /* of a run, less is better */
    OBJECTIVES
} Objective;

extern const char *const spec_objectives[OBJECTIVES]; /* "time" */

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
    int direction; /* +1 higher, -1 lower, 0 as the metric defines */
} CarveCriterion;

typedef struct CarveStage {
    CarveKind kind;
    Span at;         /* the whole statement */
    Expr *condition; /* threshold; bound to metrics when configurations are carved */
    CarveCriterion *criteria;
    size_t criterion_count;
    double percent; /* within: from the best; front: width of a band around it, 0: none */
    int64_t count;  /* best: number kept; front: budget, 0: none */
    bool fill;      /* front: add layers until the budget is full */
    bool keep_ties; /* front: drop only what is worse in every criterion */
} CarveStage;

typedef struct Spec {
    const Source *source;
    const char *name; /* file name without folder and .spec */
    Span *statements; /* each from its keyword to its end */
    size_t statement_count;

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
    const char **options;        /* compiler options besides -D and -arch, as written */
    CompileOption *option_parts; /* the same, parsed */
    size_t option_count;
    const char **includes; /* folders for #include, to be opened */
    size_t include_count;

    Launch *reference; /* reference kernels in order; NULL: none */
    size_t reference_count;
    bool reference_first; /* the first configuration is the reference */
    Rival *rivals;        /* what `bench` compares a configuration with */
    size_t rival_count;
    double tolerance;       /* relative error of outputs whose `compare` gives none */
    Expr *work[OBJECTIVES]; /* of that kind; NULL: not given, as always of time and energy */
    SpecTrips *trips;
    size_t trip_count;
    /* what a configuration's time is proportional to across problem sizes; NULL: not given */
    Expr *scale;
    Objective objective;

    const Source **metric_lines; /* "metric …" statements, read by the metrics room */
    size_t metric_line_count;
    CarveStage *carving;
    size_t carving_count;
    int64_t polish; /* neighbours of the best to time; 0: none */
} Spec;

/* Reads and checks a spec.  NULL after messages. */
Spec *spec_read(Arena *a, const char *path, Diag *d);

/* The same from a text; files are relative to `source->name`'s folder. */
Spec *spec_parse(Arena *a, const Source *source, Diag *d);

/* Carve and polish statements outside a spec. */
typedef struct SpecCarving {
    CarveStage *stages;
    size_t count;   /* 0: use the default */
    int64_t polish; /* 0: not given */
} SpecCarving;

/* Reads `carve` and `polish` statements, one per line or separated by ";"; the word `carve` is optional.
 * False after messages. */
bool spec_parse_carving(Arena *a, const Source *source, SpecCarving *out, Diag *d);

/* True if results are compared with anything. */
bool spec_is_verified(const Spec *s);

/* True if a parameter is passed as a macro, and not as a template argument. */
bool spec_parameter_is_macro(const Spec *s, size_t parameter);

/* True if an expression uses a parameter or derived name. */
bool spec_varies(const Spec *s, const Expr *e);

/* A text with its values, in the arena of `ev`. NULL: arithmetic failed, see `ev`. */
const char *spec_text_fill(const Text *t, const Value *slots, Evaluation *ev);

/* Slots: problem names, parameters, derived names; then names with a limited scope: those of `repeat`
 * lines, `i` and `lane` of formulas, and the arguments' names (as texts) for `args`. */
size_t spec_slot_count(const Spec *s);
size_t spec_parameter_slot(const Spec *s, size_t parameter);
size_t spec_derived_slot(const Spec *s, size_t derived);
/* references are numbered after the kernels */
size_t spec_repeat_slot(const Spec *s, size_t launch);
size_t spec_index_slot(const Spec *s); /* of `i`; `lane` has the next */
size_t spec_argument_slot(const Spec *s, size_t argument);

/* Sets the arguments' names, for `args`. */
void spec_set_arguments(const Spec *s, Value *slots);

/* Evaluates the fixed derived names of a problem that has its values; false: `ev` says why. */
bool spec_set_lets(const Spec *s, Problem *p, Evaluation *ev);

/* Sets the slots that depend on the problem alone, of an array of spec_slot_count. */
void spec_set_problem(const Spec *s, size_t problem, Value *slots);

/* "M=4096 N=64" from values of the problem names, restricted to those marked in `only` (NULL: all). */
const char *spec_problem_text(Arena *a, const Spec *s, const Value *values, const bool *only);

/* Adds a problem size, "M=100,N=200": problem names with numbers of the first problem's kinds; a missing
 * name gets the first problem's expression of the names to its left. False, and nothing added: not such a
 * text. */
bool spec_add_problem(Arena *a, Spec *s, const char *text);

/* The distinct values of a parameter for a problem, in the order of the spec. A dependent parameter has all
 * values that it takes for any combination of the parameters it depends on. False after a message. */
bool spec_parameter_values(Arena *a, const Spec *s, size_t parameter, size_t problem,
                           ValueList *out, Diag *d);

/* Sets `*out` if the earlier slots allow a dependent parameter's value. False: arithmetic failed, see
 * `ev`. */
bool spec_parameter_allows(Arena *scratch, const Spec *s, size_t parameter, const Value *slots,
                           Evaluation *ev, bool *out);

/* Prints the statements as read, with the kinds of the parameters' values, for -d S. */
void spec_print(const Spec *s, Buf *out);
