/* What is emitted: the winners of one or several recordings of a spec, as one unit of C.
 *
 * A variant is a configuration as it was compiled for an architecture.  An entry is a row of the
 * table that the emitted unit chooses from: for this size on this device, that variant.  Several
 * entries may share a variant.  unit_make.c fills this in from runs; what writes texts from it
 * (header, loader, launcher, table) asks neither recordings nor compilers.
 *
 * Everything lives in the arena the unit was made in. */
#pragma once

#include "tuner/spec/spec.h"

/* How the emitted unit reaches the device. */
typedef enum EmitFlavour {
    EMIT_DRIVER,        /* NAME.c: CUDA driver API, opened at run time */
    EMIT_DRIVER_LINKED, /* NAME.c: CUDA driver API, linked with -lcuda */
    EMIT_RUNTIME        /* NAME.cu: CUDA runtime API and <<<>>>, compiled by nvcc */
} EmitFlavour;

/* One launch of a variant. */
typedef struct EmitCode {
    const char *source; /* CUDA source: the parameters as constants, the template's own includes in
                           place; needs neither spec nor -D */
    const char *const *includes; /* headers of the toolkit that it includes, as it has them:
                                    "<cuda_fp16.h>" */
    size_t include_count;
    const char *const *macros; /* names that it defines, parameters and include guards among them:
                                  to be undefined before another source follows */
    size_t macro_count;
    const char
        *options;       /* what else nvcc would have to be told: "-use_fast_math"; "" for nothing */
    const char *kernel; /* as the source calls it: "matmul", "peers::axpy<float, 2>" */
    bool expression;    /* that is a C++ name expression; else the kernel is extern "C" */
    /* What was compiled; NULL where nothing was, which only EMIT_RUNTIME can do with. */
    const char *entry; /* name of the function in cubin and PTX */
    const void *cubin; /* for exactly the variant's architecture */
    size_t cubin_size;
    const char *ptx; /* for that architecture and later ones */
    size_t shares;   /* launch whose code this is, the first with the same; else its own number */
} EmitCode;

typedef struct EmitVariant {
    const Value *slots; /* spec_slot_count of them: the problem of the first entry, parameters,
                           derived names */
    const char *name;   /* "BM=64 BN=128 …" */
    int arch;           /* 90 */
    const bool *fixed;  /* by problem name: its code depends on it, so the variant serves sizes with
                           the same number alone */
    EmitCode *codes;    /* one per launch of the spec; named by their place, unit_code_name */
} EmitVariant;

typedef struct EmitEntry {
    const Value *problem; /* one per problem name */
    size_t variant;
    const char *device; /* "NVIDIA H200" */
    int arch;           /* of the device */
    double time_ms;     /* median */
    double regret;      /* against the best of the whole space; NaN: not known */
    /* Where it comes from, as texts; "" where not known. */
    const char *recording, *recorded, *driver, *compiler, *version, *how;
    bool stale; /* what was measured was other code than the variant's, and the user said that it
                   may be */
    bool is_default; /* for sizes and devices that nothing else fits: exactly one entry */
} EmitEntry;

typedef struct EmitUnit {
    const Spec *spec;
    const char *name;   /* of the files: NAME.h, NAME.c … */
    const char *prefix; /* of every symbol: "mm_" */
    EmitFlavour flavour;
    EmitVariant *variants;
    size_t variant_count;
    EmitEntry *entries; /* in the order of the recordings */
    size_t entry_count;
} EmitUnit;

/* Does the code depend on every number of the problem, so that the variant serves one size alone?
 */
bool unit_variant_is_fixed(const EmitUnit *u, const EmitVariant *v);

/* Codes that a variant has for the launches before `launch`; those that share one count once. */
size_t unit_count_codes(const EmitVariant *v, size_t launch);

/* "1", or "1_2" of a variant's second code; both count from 1. */
const char *unit_code_name(Arena *a, const EmitUnit *u, size_t variant, size_t launch);

/* "mm_1.cu", "mm_1_sm90.cubin", "mm_1_2.ptx": the file of a launch's code, in `a`.  Launches that
 * share code share files. */
const char *unit_file_name(Arena *a, const EmitUnit *u, size_t variant, size_t launch,
                           const char *suffix);

/* The spec's name as an identifier of C: "mm-thesis" becomes "mm_thesis". */
const char *unit_default_name(Arena *a, const char *space);

/* Is it one? */
bool unit_is_identifier(const char *name);

/* "driver", "driver-linked", "runtime". */
const char *unit_flavour_name(EmitFlavour f);
bool unit_flavour_find(const char *name, EmitFlavour *f);

/* The texts of an emitted unit: what somebody checks into his project.
 *
 * NAME.h is the interface: problem, arguments, choice, functions, and where every entry comes from.
 * NAME.c (driver flavours) or NAME.cu (runtime flavour) is the unit itself: which sizes each
 * variant is valid for, how it is launched there, the table that is chosen from, and what loads and
 * launches. NAME_code.h has cubins and PTX as arrays, for the driver flavours.
 *
 * All of it follows from the EmitUnit alone.  Expressions of the spec become C once the variant's
 * parameters are filled in (c_expr.h); a variant of which something has no C, or whose
 * code depends on the problem, serves the size it was tuned for and no other.  Nothing emitted
 * needs aptune; C texts are C11 and C++17. */

/* Each adds a whole text to `out`.  False after a message; warnings say which variants serve their
 * tuned size alone for want of words in C. */
bool emit_text_header(const EmitUnit *u, Buf *out, Diag *d);
bool emit_text_unit(const EmitUnit *u, Buf *out, Diag *d);
bool emit_text_code(const EmitUnit *u, Buf *out, Diag *d);

/* An emitted unit as files in a folder.
 *
 *     NAME.h            header               NAME_K.cu           source of variant K, from 1
 *     NAME.c, NAME.cu   the unit             NAME_K_sm90.cubin   its code
 *     NAME_code.h       code as C arrays     NAME_K.ptx
 *     NAME.json         the manifest         NAME_K_2.cu …       of further launches
 *
 * A unit of EMIT_RUNTIME has source alone.  All files or none: they are written under other names
 * beside their places and renamed when the last one is there.  Files of an earlier unit of the same
 * name that this one does not have, which its manifest tells, are removed. */

/* Their names, without the folder, in `a`: the header first, the unit second, the manifest last. An
 * outline (unit_outline) is enough. */
const char *const *files_list(Arena *a, const EmitUnit *u, size_t *count);

/* Writes them to a folder, which is made if need be.  False after a message. */
bool files_write(const EmitUnit *u, const char *folder, Diag *d);

/* The text of the manifest: what there is, from where, in which files. */
void files_print_manifest(const EmitUnit *u, Buf *out);

/* What the header and the unit, in a folder, are made from, as a rule of Make:
 * "out/mm.h out/mm.c: mm.spec …".  False, with a message, where a rule cannot have a name. */
bool files_print_depend(const EmitUnit *u, const char *folder, const char *const *inputs,
                        size_t count, Buf *out, Diag *d);
