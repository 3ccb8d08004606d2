/* Recordings of parts of a space joined to one.
 *
 * The parts must be of one space, problem, source, kind of device, compiler and version of this
 * program; what one says of a configuration must not contradict what another says.  One of several
 * equal rows is kept; a configuration that one part skipped is taken from a part that has it. The
 * result is a recording as any other: it replays and carves, and names for each row the device it
 * ran on. */
#pragma once

#include "tuner/record/profile.h"
#include "tuner/record/times.h"

typedef struct MergeCounts {
    size_t rows;    /* written */
    size_t equal;   /* left out, because another part has the same */
    size_t again;   /* written although another part measured the configuration, too */
    size_t skipped; /* of the rows written: without an outcome */
} MergeCounts;

/* Joins recordings of times, packed or not, to a new file, which appears when it is whole.  False
 * with a message when they do not belong together, when one is damaged, or when `to` is there
 * already. */
bool merge_times(const char *to, const char *const *from, size_t count, MergeCounts *counts,
                 Diag *d);

/* The same for profiles. */
bool merge_profiles(const char *to, const char *const *from, size_t count, Diag *d);
