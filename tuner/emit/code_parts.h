/* What the writers of emitted texts share: a unit with its expressions worked out. */
#ifndef APTUNE_EMIT_CODE_PARTS_H
#define APTUNE_EMIT_CODE_PARTS_H

#include "metrics/device/device.h"
#include "tuner/emit/c_expr.h"
#include "tuner/emit/c_text.h"
#include "tuner/emit/unit.h"

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
    const char *prefix;
    Diag *d;
    CName *names;                /* of the problem, by slot */
    const char **problem_fields; /* C names in the problem struct */
    const char **fields;         /* … in the arguments struct; NULL: not there */
    CodeVariant *variants;
    bool has_scale;    /* all entries have a time, and their variants a scale that C has words for */
    bool has_scratch;  /* some variant takes a buffer that is made from `scratch` */
    unsigned helpers;  /* that were used so far */
    const char *calls; /* what driver functions are written with: "k->cu." or "cu" */
} Code;

/* Works out a unit, in `a`.  NULL after a message. */
Code *code_open(Arena *a, const EmitUnit *u, Diag *d);

/* A text with '@' for the prefix, '^' for it in capitals and '$' for c->calls. */
void code_puts(const Code *c, Buf *out, const char *text);
void code_printf(const Code *c, Buf *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Is a problem's number a real one? */
bool code_problem_is_real(const Code *c, size_t name);

/* Is the argument a field of its own, a buffer that is cut from `scratch`, one that is set to zero
 * before the launches? */
bool code_is_buffer(const Argument *g);
bool code_is_field(const Argument *g);
bool code_is_scratch(const Argument *g);
bool code_is_zeroed(const Argument *g);

/* Lines of functions whose use of `ok` is known only once they are written. */
typedef struct CodeLines {
    Code *code;
    const CodeVariant *variant; /* NULL: of all variants */
    Buf text;
    bool uses_ok, uses_problem;
} CodeLines;

/* Adds an expression of the variant to the text.  False when C has no words for it. */
bool lines_expr(CodeLines *l, const Expr *e, bool exact, CPlace place);

/* The writer behind it, for c_member and the like; whether `ok` was used is then to be noted. */
CWriter lines_writer(CodeLines *l, bool exact);

/* A number as a constant of a type; false when it is none of the type's. */
bool code_literal(TaskScalar type, Value v, Buf *out);

/* --- code_size.c: which sizes variants are valid for ------------------------------------------ */

/* Functions that tell of a size whether it is sound at all, and of each variant whether it serves
 * it and how it is launched.  (With code_shape.c, code_ask.c.) */
void code_sizes(Code *c, Buf *out);

/* Whether everything of a variant has words in C; else `*why` is the text that has none. */
bool code_is_sayable(Code *c, const CodeVariant *v, const char **why);

/* "1", or "1_2" where the spec has several launches: what names of functions end in. */
const char *code_suffix(const Code *c, const CodeVariant *v, size_t launch);

/* An expression in problem names alone, folded. */
const Expr *code_of_size(const Code *c, const Expr *e);

/* Is an amount of work a matter of the size alone, and C has words for it? */
bool code_work_is_sayable(Code *c, const Expr *e);

/* Has C words for how a variant's time changes with the size? */
bool code_scale_is_sayable(Code *c, const CodeVariant *v);

/* Is it a buffer of the caller's whose size is a matter of the variant, too? */
bool code_counts_by_variant(const Code *c, size_t argument);

/* Bytes of one of a variant's buffers. */
const Expr *code_bytes(const Code *c, const CodeVariant *v, size_t argument);

/* --- code_steps.c ----------------------------------------------------------------------------- */

/* Loops over the steps of a launch that repeats by name: `body` is a statement with the name in it.
 * False when C has no words for it. */
bool code_steps(CodeLines *l, const CodeLaunch *k, const char *body);

/* --- code_choose.c: the table ----------------------------------------------------------------- */
void code_choice(Code *c, Buf *out);

/* --- code_run.c: arguments and launches of each variant --------------------------------------- */

/* A variant's own.  False when C has no words for `*why`. */
bool code_run(Code *c, const CodeVariant *v, Buf *out, const char **why);

/* Those of all variants, and the function that takes one by its number. */
void code_runs(Code *c, Buf *out);

/* "v1", or "v1_2" for the second source of a variant that has several: the namespace that the code
 * of a launch is in. */
const char *code_namespace(const Code *c, const CodeVariant *v, size_t launch);

/* --- code_driver.c, code_runtime.c: NAME.c and NAME.cu ---------------------------------------- */
void code_driver(Code *c, Buf *out);
void code_runtime(Code *c, Buf *out);

/* --- code_common.c ---------------------------------------------------------------------------- */

/* Has the unit variables of the device to write, buffers to set to zero, dynamic shared memory to
 * ask for: at all, or for a launch of the spec? */
bool code_has_constants(const Code *c);
bool code_has_zeros(const Code *c);
bool code_has_shared(const Code *c);
bool code_launch_has_shared(const Code *c, size_t launch);

/* The comment that opens NAME.c and NAME.cu. */
void code_top(const Code *c, Buf *out);

/* Types that the functions above share. */
void code_common(const Code *c, Buf *out);

/* Functions of the interface that are the same in all flavours. */
void code_interface(Code *c, Buf *out);

#endif
