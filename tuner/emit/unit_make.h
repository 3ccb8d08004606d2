/* Makes the data of an emitted unit from runs and their winners.
 *
 * Runs are added one by one: replays of recordings, or one that has just measured.  Each claims its device
 * and problem for its winner; of two claims for the same, the newer one counts.  Then the table is made:
 * winners with the same parameters for the same architecture share a variant, unless their code depends on
 * the problem.  Finally the variants' sources are specialised and compiled, and the code is compared with
 * the measured code.
 *
 * A recording is stale if its winner compiles to different code here than was measured, because the sources
 * or the compiler differ.  Without a compiler only the sources can be compared.
 *
 * The maker, the unit and its inputs live in one arena; an added run stays open until unit_end. */
#pragma once

#include "tuner/emit/unit.h"
#include "tuner/run/run_parts.h"

/* The user's options. */
typedef struct EmitOptions {
    const char *name;   /* of the files; NULL: unit_default_name */
    const char *prefix; /* of symbols; NULL: the name and "_" */
    EmitFlavour flavour;
    size_t default_entry; /* number of the default entry, from 1; 0: the first */
    bool accept_stale;
    bool fall_back; /* if something cannot be compiled, make an EMIT_RUNTIME unit instead */
} EmitOptions;

/* The result of one run: on this device, for this problem, that configuration. */
typedef struct Claim {
    Run *run;
    size_t config;
    bool general;            /* an addition to a winner that serves only its own size */
    EmitEntry entry;         /* its variant is set when the table is made */
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
    size_t *origin; /* by variant: the claim that it is made from */
    /* Why there is no compiled code, mostly because there is no compiler; NULL: there is. */
    const char *uncompiled;
} UnitMaker;

/* Specialises and compiles the sources of all variants, and compares the code with the measured code.
 * False after a message. */
bool unit_make_code(UnitMaker *m);

/* Never NULL.  Messages go to `d` until the end. */
UnitMaker *unit_begin(Arena *a, const EmitOptions *o, Diag *d);

/* Adds the winner of a run, r->best.  All runs must be of the same spec.  False after a message. */
bool unit_add_run(UnitMaker *m, Run *r);

/* The same from a recording, which is replayed with the options and paths of `like`.  Its problem need not
 * be one of the spec's. */
bool unit_add_recording(UnitMaker *m, const Run *like, const char *path);

/* Adds all of these; if there are none, those of the spec's space in like->options.recordings or beside the
 * spec. */
bool unit_add_recordings(UnitMaker *m, const Run *like, Texts paths);

/* The table and its variants without sources and code, enough for files_list.  NULL after a message. */
const EmitUnit *unit_outline(UnitMaker *m);

/* The whole unit.  NULL after a message: a stale recording, code that cannot be compiled … */
const EmitUnit *unit_finish(UnitMaker *m);

/* By problem name: true if the code of a configuration depends on it, through an option, the name of a
 * kernel or a command.  `slots` are the configuration's (spec_slot_count).  In `a`. */
const bool *unit_fixed_names(Arena *a, const Spec *s, const Value *slots);

/* The files that the runs' specs, sources and recordings were read from, each once, in `a`. */
Texts unit_inputs(Arena *a, const UnitMaker *m);

/* Closes the runs that were opened to replay recordings.  NULL is allowed. */
void unit_end(UnitMaker *m);

/* --- the end of a run ------------------------------------------------------------------------- */

/* A run's winner, written as a unit.
 *
 * A missing compiler must not lose a result: without one, or if the code differs from what was measured,
 * the unit is written as sources only (EMIT_RUNTIME), with a warning. */
typedef struct EmitWritten {
    Texts names;            /* of the files, without the folder, in the run's arena */
    const char *uncompiled; /* why there are only sources if more was asked for, else NULL */
} EmitWritten;

EmitOptions emit_options_of(const RunOptions *o);

/* Writes the unit of r->best into a folder, which is created if missing.  False after a message, also if
 * there is no winner. */
bool emit_winner(Run *r, const char *folder, EmitWritten *out, Diag *d);
