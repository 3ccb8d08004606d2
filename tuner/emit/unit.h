/* What is emitted: the winners of one or several recordings of a spec, as one unit of C.
 *
 * A variant is a configuration as it was compiled for an architecture.  An entry is a row of the
 * table that the emitted unit chooses from: for this size on this device, that variant.  Several
 * entries may share a variant.  unit_make.c fills this in from runs; what writes texts from it
 * (header, loader, launcher, table) asks neither recordings nor compilers.
 *
 * Everything lives in the arena the unit was made in. */
#ifndef APTUNE_EMIT_UNIT_H
#define APTUNE_EMIT_UNIT_H

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

#endif
