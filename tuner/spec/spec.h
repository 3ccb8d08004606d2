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
#pragma once

#include "metrics/base/expr.h"
#include "tuner/spec/task.h"

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

/* A string of the spec in which "{expr}" stands for a value. */
typedef struct TextPiece {
    const char *text; /* as it is */
    Expr *value;      /* printed behind it; NULL in the last piece */
} TextPiece;

typedef struct Text {
    Span at;
    const char *written; /* as it stands in the spec */
    TextPiece *pieces;
    size_t piece_count;
} Text;

/* --- data ------------------------------------------------------------------------------------- */

typedef enum ArgumentRole {
    ARGUMENT_IN,
    ARGUMENT_OUT,      /* compared with the reference */
    ARGUMENT_INOUT,    /* restored before each verified launch, and compared */
    ARGUMENT_SCALAR,   /* a number passed by value */
    ARGUMENT_SCRATCH,  /* between launches; never compared */
    ARGUMENT_CONSTANT, /* a variable of the device: no argument, but written before the launches */
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
    CONTENTS_UNDEFINED /* nothing was said of an output or scratch */
} ContentsKind;

/* What a buffer holds before a launch. */
typedef struct Contents {
    ContentsKind kind;
    Span at;
    /* constant: value; uniform: low, high, seed; normal: mean, deviation, seed (NULL: none);
     * formula: the expression; lane: which. */
    Expr *numbers[3];
    struct Contents *inner; /* sorted: of what */
    const char *from;       /* copy, lane, lanes: the buffer */
    size_t from_argument;   /* its number */
    const char *file;       /* as the spec names it */
    const char *path;       /* the same, to be opened */
} Contents;

/* "compare C relative 1e-5 of max absolute 1e-7": how an output is judged. */
typedef struct Comparison {
    Span at;
    bool exact;
    bool has_relative, has_absolute;
    double relative, absolute;
    TaskScale scale; /* what the relative error is relative to */
    Expr *first;     /* elements compared; NULL: all */
    Expr *except;    /* elements that may be wrong; NULL: none */
    bool sum;        /* the sums of the elements are compared */
} Comparison;

enum { TEXTURE_DIMENSIONS = TASK_TEXTURE_DIMENSIONS };

/* One number of a struct: "struct(int, float4)" has five. */
typedef struct Field {
    TaskScalar scalar;
    size_t offset; /* bytes from the struct's start */
} Field;

/* "in A : float[M * K] = uniform(-1, 1)" or "arg N : int = N" */
typedef struct Argument {
    const char *name;
    Span at;
    ArgumentRole role;
    /* Of a struct of one scalar type and without gaps that type, its numbers as lanes; of any other
     * its bytes. */
    TaskType element;
    Field *fields; /* of a struct; else NULL */
    int field_count;
    size_t alignment; /* of a struct, bytes */
    Expr *count;      /* elements of a buffer; NULL of a scalar and of a texture */
    Expr *value;      /* of a scalar: a number, or a list of one for each lane */
    Contents contents;
    Contents *expected;             /* what the reference says of it; NULL: nothing */
    Comparison comparison;          /* of an output */
    Expr *size[TEXTURE_DIMENSIONS]; /* of a texture; NULL past the last dimension */
    TaskEdge edge;
    bool linear, normalized, fetch;
} Argument;

/* The numbers that one element has, a scalar's one, a vector's lanes, a struct's fields; and which
 * one `i` of them is. */
int argument_numbers(const Argument *g);
Field argument_number(const Argument *g, int i);

/* A struct whose numbers are not all of one type, or that has gaps: its element is bytes. */
bool argument_is_mixed(const Argument *g);

/* Bytes that an argument passed by value is aligned to (CUDA C++ Programming Guide, table
 * "Alignment Requirements"). */
size_t argument_alignment(const Argument *g);

/* The type as a spec has it: "float4", "struct(int32, float)". */
void argument_type_print(const Argument *g, Buf *out);
const char *argument_type_text(Arena *a, const Argument *g);

/* --- launches --------------------------------------------------------------------------------- */

/* What a kernel takes at one place. */
typedef struct LaunchItem {
    Span at;
    Expr *choice;  /* gives the name of an argument */
    Argument *own; /* or, when `choice` is NULL, a scalar of this launch alone */
    bool joined;   /* in the same struct as the item before */
} LaunchItem;

/* One kernel of a configuration, launched once or several times in a row. */
typedef struct Launch {
    Span at;
    const char *file;  /* source as the spec names it, or the command that prints it */
    const char *path;  /* the same, to be opened; of a command the folder to run it in */
    const char *entry; /* name of the kernel, as the spec has it */
    bool expression;   /* the name is a C++ name expression with `name` as its parts */
    Text name;
    bool command; /* the source is what a command prints */
    Text command_text;
    Expr *grid[3]; /* NULL: 1 */
    Expr *block[3];
    Expr *shared; /* dynamic shared memory in bytes; NULL: 0 */

    bool has_items;    /* an args line was there; else it takes all arguments in order */
    LaunchItem *items; /* what it takes */
    size_t item_count;

    Expr *repeat;            /* how often in a row; NULL: once, or for each value of … */
    const char *repeat_name; /* … this name, NULL when there is none */
    Expr **repeat_values;    /* whole numbers, or lists of them */
    size_t repeat_value_count;
    size_t repeat_slot; /* of the name */

    bool in_double; /* of a reference: it gets float and half as double */
    unsigned lines; /* those that were met, with or without mistakes, while it is read */
} Launch;

/* "rival cublas gemm args C, A, B, M, N, K": a library's call that does the same, for `bench`. */
typedef struct Rival {
    Span at;
    const char *library; /* "cublas", or the plugin's file as the spec names it */
    const char *path;    /* the same, to be opened; NULL: it is named, and found elsewhere */
    const char *call;    /* "gemm" */
    bool bound;          /* does only part of the work: how fast it could be, never compared */
    Launch takes;        /* nothing but its items */
} Rival;

/* "option "-maxrregcount={R}" if R > 0" */
typedef struct CompileOption {
    Text text;
    Expr *condition; /* NULL: always */
    bool varies;     /* from configuration to configuration */
} CompileOption;

/* "trips 42 = NNZ / ROWS": how often a loop goes round whose count is data. */
typedef struct SpecTrips {
    Span at;
    int64_t line;     /* of its `for` or `while` in the kernel's file */
    const char *text; /* that stands in this line alone; NULL: the line was given */
    Expr *rounds;
} SpecTrips;

/* What configurations are compared by. */
typedef enum Objective {
    OBJECTIVE_TIME,
    OBJECTIVE_FLOP, /* work of that kind ÷ time */
    OBJECTIVE_BYTES,
    OBJECTIVE_ITEMS,
    OBJECTIVE_ENERGY /* of a run, less is better */
} Objective;

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
    Span at;         /* the whole statement */
    Expr *condition; /* threshold; bound to metrics when configurations are carved */
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
    Span *statements; /* each from its word to its end */
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
    const char **options;        /* for the compiler, besides -D and -arch: as they are written */
    CompileOption *option_parts; /* as many: what they mean */
    size_t option_count;
    const char **includes; /* folders for #include, to be opened */
    size_t include_count;

    Launch *reference; /* kernels that say what is right, in order; NULL: none */
    size_t reference_count;
    bool reference_first; /* the first configuration says what is right */
    Rival *rivals;        /* what `bench` runs beside a configuration */
    size_t rival_count;
    double tolerance; /* relative error of outputs whose `compare` says none */
    Expr *work_flop;  /* NULL when not said */
    Expr *work_bytes;
    Expr *work_items;
    SpecTrips *trips;
    size_t trip_count;
    Expr *scale; /* what a configuration's time is proportional to from size to size; NULL: not said
                  */
    Objective objective;

    const Source **metric_lines; /* "metric …" statements, which the metrics room reads */
    size_t metric_line_count;
    CarveStage *carving;
    size_t carving_count;
    int64_t polish; /* neighbours of the best to time; 0 none */
} Spec;

/* Reads and checks a spec.  NULL after messages. */
Spec *spec_read(Arena *a, const char *path, Diag *d);

/* The same from a text; files are looked for from `source->name`'s folder. */
Spec *spec_parse(Arena *a, const Source *source, Diag *d);

/* What is kept, without a kernel around it. */
typedef struct SpecCarving {
    CarveStage *stages;
    size_t count;   /* 0: the default is meant */
    int64_t polish; /* 0: not said */
} SpecCarving;

/* Reads `carve` and `polish` statements alone, each on a line of its own or parted by ";"; the word
 * `carve` may be left out.  False after messages. */
bool spec_parse_carving(Arena *a, const Source *source, SpecCarving *out, Diag *d);

/* Are results compared with anything? */
bool spec_is_verified(const Spec *s);

/* Does a parameter reach the compiler as a macro?  Not when it is a template argument. */
bool spec_parameter_is_macro(const Spec *s, size_t parameter);

/* Does an expression use a parameter or a derived name? */
bool spec_varies(const Spec *s, const Expr *e);

/* A text with its values filled in.  False when arithmetic fails: `ev` says why. */
bool spec_text_fill(const Text *t, const Value *slots, Evaluation *ev, Buf *out);

/* Slots: problem names, parameters, derived names; then the names that stand only in one place:
 * those of `repeat` lines, `i` and `lane` of formulas, and the arguments' as texts for `args`. */
size_t spec_slot_count(const Spec *s);
size_t spec_parameter_slot(const Spec *s, size_t parameter);
size_t spec_derived_slot(const Spec *s, size_t derived);
size_t spec_repeat_slot(const Spec *s, size_t launch); /* references counted behind the kernels */
size_t spec_index_slot(const Spec *s);                 /* of `i`; that of `lane` is the next */
size_t spec_argument_slot(const Spec *s, size_t argument);

/* Fills in the arguments' names, for `args`. */
void spec_set_arguments(const Spec *s, Value *slots);

/* Values for the problem slots of an array of spec_slot_count. */
void spec_set_problem(const Spec *s, size_t problem, Value *slots);

/* "M=4096 N=64" of values for the problem names, of those that `only` (NULL: all) marks. */
const char *spec_problem_text(Arena *a, const Spec *s, const Value *values, const bool *only);

/* Adds a size that the spec does not list, "M=100,N=200": problem names with numbers of the first
 * problem's kinds; a name that is left out is what the first problem makes of those to its left.
 * False, and nothing added, when the text is none. */
bool spec_add_problem(Arena *a, Spec *s, const char *text);

/* The values of a parameter for a problem, without doubles and in the order they are written.  A
 * dependent parameter gives all values it has for any combination of the parameters it depends
 * on.  False after a message. */
bool spec_parameter_values(Arena *a, const Spec *s, size_t parameter, size_t problem,
                           ValueList *out, Diag *d);

/* Is the value in slot `parameter` one that the slots before it allow?  Only for dependent ones. */
bool spec_parameter_allows(Arena *scratch, const Spec *s, size_t parameter, const Value *slots,
                           Evaluation *ev, bool *out);

/* The statements as they were read, and of each parameter what its values are: for -d S. */
void spec_print(const Spec *s, Buf *out);
