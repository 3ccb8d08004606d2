/* Finds the recordings in a folder that answer a request, and why others do not.
 *
 * Lists every `*.times` and `*.times.zst` of a folder with how well it fits a space, problem and
 * device, best first, so that a user sees what exists and what a replay would be based on. */
#pragma once

#include "tuner/record/header.h"

/* From best to worst; if several things differ, the worst counts. */
typedef enum RecordFit {
    FIT_EXACT,         /* the same device, or none was asked for */
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

/* How well `have` fits `want`. Compares the space, parameters and problem (if any), arch, device
 * and uuid of `want` that are not NULL or "". An imported recording without problem sizes fits any.
 * Differences are appended to `why`. */
RecordFit record_fit(const RecordHeader *have, const RecordHeader *want, Buf *why);

/* Reads the header of a recording of times; other lines are only checked for damage. */
bool record_header_read(Arena *a, const char *path, RecordHeader *h, Diag *d);

/* In a replay's output folder, this file holds the path of the recording that was replayed. */
#define RECORD_PLAYED "replayed"

/* For a folder, such as a run's output, the recording of times in it, or the one that a replay
 * played; other paths are returned as they are. NULL after a message if a folder holds none or
 * several. */
const char *record_in(Arena *a, const char *path, Diag *d);

/* All recordings of times in a folder, by fit, then by path. NULL after a message if the folder
 * cannot be read. */
RecordMatch *record_find(Arena *a, const char *folder, const RecordHeader *want, size_t *count,
                         Diag *d);
