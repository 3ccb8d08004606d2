/* A unit that is being made, and the step that compiles its variants. */
#ifndef APTUNE_EMIT_UNIT_CODE_H
#define APTUNE_EMIT_UNIT_CODE_H

#include "metrics/base/vec.h"
#include "tuner/emit/inline.h"
#include "tuner/emit/unit.h"
#include "tuner/run/run.h"
#include "tuner/run/run_parts.h"

/* What the user asked for. */
typedef struct EmitOptions {
    const char *name;   /* of the files; NULL: unit_default_name */
    const char *prefix; /* of symbols; NULL: the name and "_" */
    EmitFlavour flavour;
    size_t default_entry; /* number of the entry that is the default, from 1; 0: the first */
    bool accept_stale;
    bool fall_back; /* where something cannot be compiled, make an EMIT_RUNTIME unit instead */
} EmitOptions;

/* What one run says: on this device, for this problem, that configuration. */
typedef struct Claim {
    Run *run;
    size_t config;
    bool general;            /* beside a winner that serves its own size alone */
    EmitEntry entry;         /* its variant is known once the table is made */
    const char *recorded_as; /* its path; NULL: measured by this run */
} Claim;

typedef struct UnitMaker {
    Arena *arena;
    EmitOptions options;
    Diag *diag;
    VEC(Claim) claims; /* one per entry, in their order */
    VEC(Run *) runs;   /* all that were added */
    VEC(Run *) own;    /* those of them that were opened here */
    EmitUnit *unit;
    size_t *shown;          /* of each variant: the claim that it is made from */
    const char *uncompiled; /* see unit_uncompiled */
} UnitMaker;

/* Specialises the sources of all variants and compiles them, compares with what was measured. False
 * after a message. */
bool unit_make_code(UnitMaker *m);

/* Files that the source of launch `l` is read from, the template first; none where a command prints
 * it, but for those among the command's words. */
const char *const *tuned_files(Arena *a, const Run *r, size_t l, size_t *count);

#endif
