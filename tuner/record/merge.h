/* Merges recordings of parts of a space.
 *
 * The parts must agree in space, problem, source, device model, compiler and aptune version, and
 * must not contradict each other. Of equal rows one is kept; a configuration that one part skipped
 * is taken from a part that has it. The result is an ordinary recording: it can be replayed and
 * carved, and names the device of each row. */
#pragma once

#include "tuner/record/profile.h"
#include "tuner/record/times.h"

typedef struct MergeCounts {
    size_t rows;    /* written */
    size_t equal;   /* left out: another part has the same */
    size_t again;   /* written although another part measured the configuration, too */
    size_t skipped; /* written rows without an outcome */
} MergeCounts;

/* Merges recordings of times, compressed or not, into a new file, which appears when it is
 * complete. False after a message if they do not belong together, one is damaged or `to` exists. */
bool merge_times(const char *to, const char *const *from, size_t count, MergeCounts *counts,
                 Diag *d);

/* The same for profiles. */
bool merge_profiles(const char *to, const char *const *from, size_t count, Diag *d);
