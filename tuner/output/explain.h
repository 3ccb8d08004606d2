/* Why one configuration takes as long as it does, as text for a person; or two of them side by
 * side.
 *
 * Everything comes from the static profile and the metrics in cycles; times appear only where a
 * recording has them, beside the prediction.  A pattern that costs something is named with what it
 * costs by the same formulas (the profile without it), and a remedy: after J. Cornelis's patterns
 * that keep a GPU from working in parallel. */
#pragma once

#include "metrics/base/vec.h"
#include "metrics/metric/occupancy.h"
#include "tuner/run/run_parts.h"

/* One configuration to be explained; its run must outlive it. */
typedef struct Subject {
    const Run *run;
    size_t config;
    const Profile *profile;
    const Geometry *geometry; /* of the launch that the profile is about */
    Occupancy occupancy;
    RunLines lines;
    bool carved; /* the whole space was carved, so its fate is known */
} Subject;

/* A configuration that has a profile; `lines` as run_follow_lines gave them. */
Subject explain_subject(const Run *r, size_t config, RunLines lines, bool carved);

/* The value of a metric; NaN when not known. */
double explain_metric(const Subject *s, const char *name);

/* All about one or two configurations. */
void explain_print(const Subject *s, int count, Buf *out);

/* The same as one JSON object. */
void explain_print_json(const Subject *s, int count, Buf *out);

/* --- lines of the source ---------------------------------------------------------------------- */

/* All accesses of one kind on one line, by one warp. */
typedef struct SourceAccess {
    const char *file; /* without folder */
    uint32_t line;
    bool shared;        /* of shared memory, else of global */
    const char *kind;   /* "load" */
    double executions;  /* of known address */
    double cost, least; /* wavefronts of shared memory or sectors of global memory, in all */
    int bytes;          /* of one lane, the widest */
    bool sampled;       /* a mean of sampled warps */
} SourceAccess;

typedef struct SourceCode {
    const char *file;
    uint32_t line;
    double share; /* of all instructions of a warp, 0 to 1 */
} SourceCode;

typedef struct SourceLines {
    VEC(SourceAccess) accesses; /* those that lose the most first */
    VEC(SourceCode) code;       /* most executed first */
    const char *why_not;        /* NULL when known */
} SourceLines;

/* What a configuration's warp does on which line; in the arena, names too. */
SourceLines explain_lines(Arena *a, const Subject *s);

/* "matmul.cu:57: shared store takes 16 wavefronts instead of 1" */
const char *explain_access(Arena *a, const SourceAccess *x);

/* --- patterns --------------------------------------------------------------------------------- */

/* Something that keeps the configuration from being faster. */
typedef struct Finding {
    const char *name;   /* "bank conflicts" */
    const char *kind;   /* "branching", "data access", "synchronization" or "partitioning" */
    const char *what;   /* what was found */
    const char *where;  /* the line that has most of it; NULL when not known */
    double cycles;      /* that it costs; NaN: not known */
    double share;       /* that is of all of them, 0 to 1 */
    const char *unit;   /* whose cycles: "shared memory and L1" */
    const char *effect; /* what goes with the cost, or why it is not known; NULL: nothing to add */
    const char *remedy;
} Finding;

typedef struct Findings {
    VEC(Finding) all;
} Findings;

/* The patterns found in a configuration.  `lines` say where. */
Findings explain_find(Arena *a, const Subject *s, const SourceLines *lines);

/* --- parts of it ------------------------------------------------------------------------------ */

/* The unit that has most to do, as a metric ("l2_cycles"); NULL when the rates are not known. */
const char *explain_busiest(const Subject *s);

/* 1234567 as "1,234,567"; "not known" for NaN. */
const char *explain_number_text(Arena *a, double n);
