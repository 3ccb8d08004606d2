/* The data of an emitted unit: the winners of one or more recordings of a spec.
 *
 * A variant is a configuration compiled for an architecture.  An entry is a row of the table that the
 * emitted unit chooses from: for this size on this device, that variant.  Entries may share a variant.
 * unit_make.c fills this in from runs; the writers of texts need neither recordings nor compilers.
 *
 * Everything lives in the arena the unit was made in. */
#pragma once

#include "metrics/base/vec.h"
#include "tuner/spec/spec.h"

/* How the emitted unit reaches the device. */
typedef enum EmitFlavour {
    EMIT_DRIVER,        /* NAME.c: CUDA driver API, opened at run time */
    EMIT_DRIVER_LINKED, /* NAME.c: CUDA driver API, linked with -lcuda */
    EMIT_RUNTIME        /* NAME.cu: CUDA runtime API and <<<>>>, compiled by nvcc */
} EmitFlavour;

/* One launch of a variant. */
typedef struct EmitCode {
    const char *source;  /* CUDA source, parameters as constants, includes inlined; needs no -D */
    Texts includes;      /* toolkit headers that it includes: "<cuda_fp16.h>" */
    Texts macros;        /* names it defines, to be undefined before another source */
    const char *options; /* that nvcc needs besides: "-use_fast_math"; "" for none */
    const char *kernel;  /* as the source calls it: "matmul", "peers::axpy<float, 2>" */
    bool expression;     /* that is a C++ name expression; else the kernel is extern "C" */
    /* Compiled code; NULL if there is none, which only EMIT_RUNTIME allows. */
    const char *entry; /* name of the function in cubin and PTX */
    const void *cubin; /* for exactly the variant's architecture */
    size_t cubin_size;
    const char *ptx; /* for that architecture and later ones */
    size_t shares;   /* the first launch that has the same code, possibly this one */
} EmitCode;

typedef struct EmitVariant {
    const Value *slots; /* spec_slot_count of them; the problem is the first entry's */
    const char *name;   /* "BM=64 BN=128 …" */
    int arch;           /* 90 */
    const bool *fixed;  /* by problem name: its code depends on the value, so it serves only that */
    EmitCode *codes;    /* one per launch of the spec */
} EmitVariant;

typedef struct EmitEntry {
    const Value *problem; /* one per problem name */
    size_t variant;
    const char *device; /* "NVIDIA H200" */
    int arch;           /* of the device */
    double time_ms;     /* median */
    double regret;      /* against the best of the whole space; NaN: not known */
    /* Its origin, as texts; "" if not known. */
    const char *recording, *recorded, *driver, *compiler, *version, *how;
    bool stale;      /* the measured code was not the variant's, and the user accepted that */
    bool is_default; /* for sizes and devices that no other entry fits; true for exactly one */
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

/* True if the code depends on every number of the problem, so that the variant serves only one size. */
bool unit_variant_is_fixed(const EmitUnit *u, const EmitVariant *v);

/* Number of different codes of the launches before `launch`. */
size_t unit_count_codes(const EmitVariant *v, size_t launch);

/* "1", or "1_2" for a variant's second code; both count from 1. */
const char *unit_code_name(Arena *a, const EmitUnit *u, size_t variant, size_t launch);

/* "mm_1.cu", "mm_1_sm90.cubin", "mm_1_2.ptx": the file of a launch's code, in `a`.  Launches that
 * share code share files. */
const char *unit_file_name(Arena *a, const EmitUnit *u, size_t variant, size_t launch,
                           const char *suffix);

/* The spec's name as a C identifier: "mm-thesis" becomes "mm_thesis". */
const char *unit_default_name(Arena *a, const char *space);

bool unit_is_identifier(const char *name);

/* "driver", "driver-linked", "runtime". */
const char *unit_flavour_name(EmitFlavour f);
bool unit_flavour_find(const char *name, EmitFlavour *f);

/* The texts of an emitted unit, which users add to their projects.
 *
 * NAME.h is the interface: problem, arguments, choice, functions, and the origin of every entry.  NAME.c
 * (driver flavours) or NAME.cu (runtime flavour) is the unit itself: the sizes each variant is valid for,
 * its launches, the table to choose from, loading and launching.  NAME_code.h has cubins and PTX as arrays,
 * for the driver flavours.
 *
 * All of it follows from the EmitUnit.  Expressions of the spec become C after the variant's parameters are
 * substituted (c_expr.h); a variant that C cannot express, or whose code depends on the problem, serves only
 * the size it was tuned for.  Nothing emitted needs aptune; C texts are both C11 and C++17. */

/* Each adds a whole text to `out`.  False after a message; warnings name the variants that serve only their
 * tuned size because C cannot express them. */
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
 * A unit of EMIT_RUNTIME has sources only.  All files are written or none: they get temporary names beside
 * their final ones and are renamed at the end.  Files of an earlier unit of this name that its manifest
 * lists and this one lacks are removed. */

/* Their names, without the folder, in `a`: the header first, the unit second, the manifest last.  Works for
 * an outline (unit_outline), too. */
Texts files_list(Arena *a, const EmitUnit *u);

/* Writes them to a folder, which is created if missing.  False after a message. */
bool files_write(const EmitUnit *u, const char *folder, Diag *d);

/* The manifest, as JSON: variants, entries with their origin, files. */
void files_print_manifest(const EmitUnit *u, Buf *out);

/* A Make rule for the header and the unit in a folder: "out/mm.h out/mm.c: mm.spec …".  False, with a
 * message, if a rule cannot contain a name. */
bool files_print_depend(const EmitUnit *u, const char *folder, const Texts *inputs, Buf *out,
                        Diag *d);
