/* Shared by the writers of emitted texts: a unit with its expressions folded, and functions being written. */
#pragma once

#include "metrics/metric/device.h"
#include "tuner/emit/c_expr.h"
#include "tuner/emit/unit.h"

/* One item of a launch's argument list. */
typedef struct CodeItem {
    const LaunchItem *item; /* NULL: the launch takes the spec's arguments in order */
    size_t argument;        /* of the spec; SIZE_MAX: a value of the launch, or a choice */
    const Expr *choice;     /* between arguments, if it depends on the size; else NULL */
    const Expr *value;      /* of the launch's own number, folded */
} CodeItem;

/* A launch of a variant with the parameters filled in. */
typedef struct CodeLaunch {
    const Launch *launch;
    const Expr *grid[3], *block[3], *shared; /* never NULL */
    const Expr *repeat;                      /* a count; NULL: by name, or once */
    const Expr **values;                     /* of the repeat name */
    size_t value_count;
    const char *name; /* the repeat name in C; NULL without one */
    CRange range;     /* of its values */
    CodeItem *items;
    size_t item_count;
} CodeLaunch;

/* A variant with the parameters filled in. */
typedef struct CodeVariant {
    const EmitVariant *variant;
    size_t number;        /* from 1 */
    bool tuned_size_only; /* all expressions are constants */
    const char *why;      /* what C cannot express; NULL: the code depends on the size */
    Value *slots;         /* by slot: its value … */
    bool *known;          /* … where it has one */
    const Expr **meaning; /* of derived names that depend on the problem, else NULL */
    CName *names;         /* in C, by slot */
    CodeLaunch *launches; /* one per launch of the spec */
    const Expr **counts;  /* by argument: elements; NULL for numbers and textures */
    const Expr **values;  /* by argument: the number; NULL for others */
    const Expr *scale;    /* of its time, or NULL */
    bool *taken;          /* by argument: a launch may take it; true for constants */
} CodeVariant;

typedef struct Code {
    Arena *arena;
    const EmitUnit *unit;
    const Spec *spec;
    const char *prefix, *capitals; /* "mm_", "MM_" */
    Diag *d;
    CName *names;                /* of the problem, by slot */
    const char **problem_fields; /* C names in the problem struct */
    const char **fields;         /* … in the arguments struct; NULL: not there */
    CodeVariant *variants;
    bool has_scale;     /* all entries have a time, and their variants a scale that C can express */
    bool has_scratch;   /* some variant takes part of `scratch` */
    bool has_constants; /* there are device variables to write */
} Code;

/* Folds the expressions of a unit, in `a`.  NULL after a message. */
Code *code_open(Arena *a, const EmitUnit *u, Diag *d);

/* The output of `write`, in the arena of `c`. */
const char *code_text(const Code *c, void (*write)(const Code *, Buf *));

/* True if a number of the problem is real. */
bool code_problem_is_real(const Code *c, size_t name);

/* True if the argument is a buffer that the unit takes from `scratch`. */
bool code_is_scratch(const Argument *g);

/* A value as a constant of a type; false if the type has no such value. */
bool code_literal(TaskScalar type, Value v, Buf *out);

/* Bytes of one of a variant's buffers. */
const Expr *code_bytes(const Code *c, const CodeVariant *v, size_t argument);

/* The statements of a function that is being written. */
typedef struct CodeLines {
    const Code *code;
    const CodeVariant *variant; /* NULL: for all variants */
    Buf text;
    bool failed; /* C cannot express something that was to be added */
} CodeLines;

/* Adds a text in which are replaced:
 *
 *     @          by the prefix of the unit
 *     %e %x      by an expression, given with its CPrecedence; in %x a remainder of "/" is a failure
 *     %s %c %q   by a text, as it is, for a comment, as a string literal
 *     %v %z      by a Value, a size_t */
void lines_emit(CodeLines *l, const char *pattern, ...);

/* The writer that lines_emit uses, for c_member and the like. */
CWriter lines_writer(CodeLines *l, bool exact);

/* Adds the whole function to `out` and frees the lines.  It has a parameter `p`, perhaps `a`, and returns
 * `result`; NULL: `ok` if something in it may fail, else 1. */
void lines_end(CodeLines *l, const char *result, Buf *out, const char *head, ...)
    __attribute__((format(printf, 4, 5)));

/* --- functions of a size ---------------------------------------------------------------------- */

/* True for a buffer of the caller whose size depends on the variant. */
bool code_counts_by_variant(const Code *c, size_t argument);

/* True if an amount of work depends on the size only and C can express it. */
bool code_work_is_expressible(const Code *c, const Expr *e);

/* The checks for every size, then each variant's checks, launches and scale. */
void code_sizes(const Code *c, Buf *out);

/* Functions of the interface that not every unit has: elements of buffers, work. */
void code_more(const Code *c, Buf *out);

/* --- code_walk.c ------------------------------------------------------------------------------ */

/* The function that visits a variant's launches.  False if C cannot express `*why`. */
bool code_walk(const Code *c, const CodeVariant *v, Buf *out, const char **why);

/* Names that the function uses itself. */
enum { CODE_WALK_NAMES = 9 };
extern const char *const code_walk_names[CODE_WALK_NAMES];

/* Bytes and alignment of an item. */
size_t code_item_size(const Code *c, const CodeItem *item, size_t *alignment);

/* True if an item is a member of the struct that the item before belongs to. */
bool code_is_joined(const CodeLaunch *k, size_t item);

/* Bytes of the parameter that begins with item *i, which is advanced past it. */
size_t code_parameter_size(const Code *c, const CodeLaunch *k, size_t *i);

/* --- pattern.c --------------------------------------------------------------------------------
 *
 * Patterns of emitted texts: the files of tuner/emit/unit, which are C themselves and are embedded in the
 * program.  Names that begin with unit_ or UNIT_ get the prefix of the unit.  The text between a mark with
 * a name and a mark without one is a sample; the text of that name replaces it.  An #include of another
 * file of the folder is replaced by that file.  Functions of the patterns that no later text mentions are
 * left out, since compilers would warn of them. */

/* The replacement of a sample; ends with a whole line. */
typedef struct PatternText {
    const char *name;
    const char *text; /* NULL: nothing */
    const char *file; /* a pattern instead, or NULL */
} PatternText;

/* Adds the pattern `file` with this prefix to `out`.  There must be a text for each mark. */
void pattern_fill(const char *file, const char *prefix, const PatternText *texts, size_t count,
                  Buf *out);

/* The files, embedded by the build. */
extern const Source unit_files[];
extern const size_t unit_file_count;
