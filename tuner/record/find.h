/* Which recording in a folder answers a question, and why another one does not.
 *
 * Asked for a space, a problem and a device, every `*.times` and `*.times.zst` of the
 * folder is listed with how well it fits, best first, so that a user sees what there
 * is and what a replay would stand on. */
#pragma once

#include "tuner/record/header.h"

/* From best to worst; where several things differ, the worst counts. */
typedef enum RecordFit {
    FIT_EXACT,         /* this very device, or no device was asked for */
    FIT_SAME_MODEL,    /* another device of the same name */
    FIT_OTHER_DEVICE,  /* another device of the same architecture */
    FIT_OTHER_PROBLEM, /* other problem sizes */
    FIT_OTHER_ARCH,    /* another architecture: other code was compiled */
    FIT_NONE           /* another space, or not readable */
} RecordFit;

typedef struct RecordMatch {
    const char *path;
    RecordFit fit;
    const char *why;     /* what differs, one or more short sentences; "" for FIT_EXACT */
    RecordHeader header; /* zero when not readable */
} RecordMatch;

/* How well `have` answers `want`, of which space, parameters (when there are any), problem (when
 * there is any), arch, device and uuid are looked at, each unless NULL or "".  An imported
 * recording without problem sizes fits any.  Adds to `why`. */
RecordFit record_fit(const RecordHeader *have, const RecordHeader *want, Buf *why);

/* Reads the header of a recording of times; its other lines are only looked at for damage. */
bool record_header_read(Arena *a, const char *path, RecordHeader *h, Diag *d);

/* The file of an output folder in which a replay notes the path of the recording that it played. */
#define RECORD_PLAYED "replayed"

/* The path itself, or the recording of times in it where it is a folder, such as a run's output; of
 * a replay's the one that it played.  NULL after a message when the folder holds none or several.
 */
const char *record_in(Arena *a, const char *path, Diag *d);

/* All recordings of times in the folder, best fit first, then by path.  NULL with a message when
 * the folder cannot be read. */
RecordMatch *record_find(Arena *a, const char *folder, const RecordHeader *want, size_t *count,
                         Diag *d);
