/* Runs with their winners become the data of an emitted unit.
 *
 * Runs are added one by one: replays of recordings, or one that has just measured.  Each claims its
 * device and problem for its winner; of two that claim the same, the newer one counts.  Then the
 * table is made: winners with the same parameters for the same architecture share a variant, unless
 * their code depends on the problem.  Finally the variants' sources are specialised and compiled,
 * and the code is compared with the measured code.
 *
 * A recording is stale when its winner compiles to other code here than was measured, because the
 * sources or the compiler are others.  Without a compiler only the sources can be compared.
 *
 * The maker, the unit and what it is made from live in one arena; a run that was added stays open
 * until unit_end. */
#pragma once

#include "metrics/base/vec.h"
#include "tuner/emit/inline.h"
#include "tuner/emit/unit.h"
#include "tuner/run/run.h"
#include "tuner/run/run_parts.h"

/* A unit that is being made, and the step that compiles its variants. */

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

/* Never NULL.  Messages go to `d` until the end. */
UnitMaker *unit_begin(Arena *a, const EmitOptions *o, Diag *d);

/* The winner of a run, r->best, in `a` as the maker.  All runs must be of the same spec.  False
 * after a message. */
bool unit_add_run(UnitMaker *m, Run *r);

/* The same from a recording: replays it as `like` says where things are, and for which options.
 * Its problem may be any size of the spec's. */
bool unit_add_recording(UnitMaker *m, const Run *like, const char *path);

/* All of these; without any (count 0) those of the spec's space beside it, or in
 * like->options.recordings. */
bool unit_add_recordings(UnitMaker *m, const Run *like, const char *const *paths, size_t count);

/* The table and its variants, without sources and code: all that the files' names need.  NULL after
 * a message. */
const EmitUnit *unit_outline(UnitMaker *m);

/* The whole unit.  NULL after a message: a stale recording, code that cannot be compiled … */
const EmitUnit *unit_finish(UnitMaker *m);

/* Why the code is not there, so that the unit is source alone: mostly because there is no compiler.
 * NULL: it is. */
const char *unit_uncompiled(const UnitMaker *m);

/* By problem name: does the code of a configuration depend on it, by an option, the name of a
 * kernel or a command?  `slots` are the configuration's (spec_slot_count), in `a`. */
const bool *unit_fixed_names(Arena *a, const Spec *s, const Value *slots);

/* Files that the runs' specs, sources and recordings were read from, each once, in `a`. */
const char *const *unit_inputs(Arena *a, const UnitMaker *m, size_t *count);

/* Closes the runs that recordings were replayed by.  NULL is allowed. */
void unit_end(UnitMaker *m);

/* --- the end of a run ------------------------------------------------------------------------- */

/* Its winner as an emitted unit of one entry.
 *
 * Nothing that a run found may be lost for the lack of a compiler: where there is none, the unit is
 * written as source alone (EMIT_RUNTIME), and so it is where other code than was measured comes
 * out, with a warning. */
typedef struct EmitWritten {
    const char *const *names; /* of the files, without the folder, in the run's arena */
    size_t count;
    const char
        *uncompiled; /* why it is source alone, against what was asked for; NULL: it is not */
} EmitWritten;

/* What a run was asked for by its options. */
EmitOptions emit_options_of(const RunOptions *o);

/* Writes the unit of r->best into a folder, which is made if need be.  False after a message, also
 * when there is no winner. */
bool emit_winner(Run *r, const char *folder, EmitWritten *out, Diag *d);
