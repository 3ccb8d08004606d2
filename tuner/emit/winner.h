/* The end of a run: its winner as an emitted unit of one entry.
 *
 * Nothing that a run found may be lost for the lack of a compiler: where there is none, the unit is
 * written as source alone (EMIT_RUNTIME), and so it is where other code than was measured comes
 * out, with a warning. */
#ifndef APTUNE_EMIT_WINNER_H
#define APTUNE_EMIT_WINNER_H

#include "tuner/emit/unit_make.h"
#include "tuner/run/run.h"

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

#endif
