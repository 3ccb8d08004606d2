/* What the writers of emitted texts share: a unit with its expressions worked out, and functions of
 * it as they are written. */
#pragma once

#include "metrics/metric/device.h"
#include "tuner/emit/c_expr.h"
#include "tuner/emit/unit.h"
#include "metrics/base/diag.h"

/* What a launch takes at one place. */
typedef struct CodeItem {
    const LaunchItem *item; /* NULL: an argument of the spec in its turn */
    size_t argument;        /* of the spec's; SIZE_MAX: the launch's own, or one that is chosen */
    const Expr *choice;     /* of arguments, when it is not decided; else NULL */
    const Expr *value;      /* of the launch's own, folded */
} CodeItem;

/* A launch of a variant with the parameters filled in. */
typedef struct CodeLaunch {
    const Launch *launch;
    const Expr *grid[3], *block[3], *shared; /* never NULL */
    const Expr *repeat;                      /* how often; NULL: by name, or once */
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
    bool tuned_size_only; /* everything is a constant */
    const char *why;      /* because of this text of the spec; NULL: its code depends on it */
    Value *slots;         /* what is known … */
    bool *known;          /* … by slot */
    const Expr **meaning; /* of derived names that depend on the problem; NULL of others */
    CName *names;         /* in C, by slot */
    CodeLaunch *launches; /* one for each of the spec's */
    const Expr **counts;  /* elements of each argument; NULL of numbers and textures */
    const Expr **values;  /* of each number; NULL of others */
    const Expr *scale;    /* of its time; NULL without one */
    bool *taken;          /* whether a launch may take the argument; constants always are */
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
    bool has_scale;   /* all entries have a time, and their variants a scale that C has words for */
    bool has_scratch; /* some variant takes a buffer that is made from `scratch` */
    bool has_constants; /* there are variables of the device to write */
} Code;

/* Works out a unit, in `a`.  NULL after a message. */
Code *code_open(Arena *a, const EmitUnit *u, Diag *d);

/* What a writer writes, in the arena of `c`. */
const char *code_text(const Code *c, void (*write)(const Code *, Buf *));

/* Is a problem's number a real one? */
bool code_problem_is_real(const Code *c, size_t name);

/* Is the argument a buffer that is cut from `scratch`? */
bool code_is_scratch(const Argument *g);

/* A number as a constant of a type; false when it is none of the type's. */
bool code_literal(TaskScalar type, Value v, Buf *out);

/* Bytes of one of a variant's buffers. */
const Expr *code_bytes(const Code *c, const CodeVariant *v, size_t argument);

/* The statements of a function that is being written. */
typedef struct CodeLines {
    const Code *code;
    const CodeVariant *variant; /* NULL: of all variants */
    Buf text;
    bool unsaid; /* C has no words for something that was to be added */
} CodeLines;

/* Adds a text in which stand for
 *
 *     @          the prefix of the unit
 *     %e %x      an expression and its CPlace; of %x a remainder of "/" is a failure
 *     %s %c %q   a text; inside of a comment; as a string
 *     %v %z      a Value; a size_t */
void lines_say(CodeLines *l, const char *pattern, ...);

/* The writer behind it, for c_member and the like. */
CWriter lines_writer(CodeLines *l, bool exact);

/* Adds the whole function to `out`, and lets go of the lines.  It has a parameter `p`, perhaps `a`,
 * and gives `result`; NULL: `ok`, where something in it may fail, else 1. */
void lines_end(CodeLines *l, const char *result, Buf *out, const char *head, ...)
    __attribute__((format(printf, 4, 5)));

/* --- code_size.c: functions of a size --------------------------------------------------------- */

/* Can C express all of a variant that depends on the size?  Else `*why` is what it cannot. */
bool code_is_expressible(const Code *c, const CodeVariant *v, const char **why);

/* Has C words for how a variant's time changes with the size? */
bool code_scale_is_expressible(const Code *c, const CodeVariant *v);

/* Is it a buffer of the caller's whose size is a matter of the variant, too? */
bool code_counts_by_variant(const Code *c, size_t argument);

/* Is an amount of work a matter of the size alone, and C has words for it? */
bool code_work_is_expressible(const Code *c, const Expr *e);

/* What every size is asked, and then of each variant what it is asked, its launches, its scale. */
void code_sizes(const Code *c, Buf *out);

/* Functions of the interface that not every unit has: elements of buffers, work. */
void code_more(const Code *c, Buf *out);

/* --- code_walk.c ------------------------------------------------------------------------------ */

/* The function that goes over a variant's launches.  False when C has no words for `*why`. */
bool code_walk(const Code *c, const CodeVariant *v, Buf *out, const char **why);

/* Bytes and alignment of what a kernel takes at one place. */
size_t code_item_size(const Code *c, const CodeItem *item, size_t *alignment);

/* Is it a member of a struct that begins with the item before? */
bool code_is_joined(const CodeLaunch *k, size_t item);

/* Patterns of emitted texts: the files of tuner/emit/unit, which are C themselves and part of the
 * program.
 *
 * Their names that begin with unit_ or UNIT_ get the prefix of the unit.  A sample stands between a
 * mark with a name and one without; the text of that name replaces it. An #include of another file
 * of the folder becomes that file.  Functions of the patterns that nothing behind them mentions are
 * left out, so that compilers have nothing to warn of. */

/* What takes the place of a sample; ends with a whole line. */
typedef struct PatternText {
    const char *name;
    const char *text; /* NULL: nothing */
    const char *file; /* a pattern instead, or NULL */
} PatternText;

/* Adds the pattern `file` with this prefix to `out`.  Each mark must have one of the texts. */
void pattern_fill(const char *file, const char *prefix, const PatternText *texts, size_t count,
                  Buf *out);

/* The files, as the build writes them into the program. */
extern const Source unit_files[];
extern const size_t unit_file_count;
