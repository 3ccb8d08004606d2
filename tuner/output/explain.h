/* Explains why a configuration takes as long as it does, or compares two.
 *
 * Everything comes from the static profile and the metrics in cycles; recorded times are shown beside the
 * prediction.  Each pattern found has its cost by the same formulas (against the profile without it) and a
 * remedy.  The patterns follow J. Cornelis's anti-parallel patterns. */
#pragma once

#include "metrics/metric/occupancy.h"
#include "tuner/run/run_parts.h"

/* One configuration to be explained; its run must outlive it. */
typedef struct Subject {
    const Run *run;
    size_t config;
    const Profile *profile;
    const Geometry *geometry; /* of the profiled launch */
    Occupancy occupancy;
    RunLines lines;
    bool carved; /* the whole space was carved, so the configuration's fate is known */
} Subject;

/* A configuration with a profile; `lines` come from run_follow_lines. */
Subject explain_subject(const Run *r, size_t config, RunLines lines, bool carved);

/* The value of a metric; NaN: not known. */
double explain_metric(const Subject *s, const char *name);

/* Prints the explanation of one configuration, or of two with a comparison. */
void explain_print(const Subject *s, int count, Buf *out);

/* The same as one JSON object. */
void explain_print_json(const Subject *s, int count, Buf *out);

/* --- lines of the source ---------------------------------------------------------------------- */

/* All accesses of one kind on one line, by one warp. */
typedef struct SourceAccess {
    const char *file; /* without folder */
    uint32_t line;
    bool shared;        /* shared memory, else global */
    const char *kind;   /* "load" */
    double executions;  /* with known addresses */
    double cost, least; /* shared wavefronts or global sectors, in total; the least possible */
    int bytes;          /* per lane, of the widest */
    bool sampled;       /* a mean over sampled warps */
} SourceAccess;

typedef struct SourceCode {
    const char *file;
    uint32_t line;
    double share; /* of a warp's instructions, 0 to 1 */
} SourceCode;

typedef struct SourceLines {
    VEC(SourceAccess) accesses; /* largest loss first */
    VEC(SourceCode) code;       /* most executed first */
    const char *why_not;        /* why nothing is known; NULL: known */
} SourceLines;

/* What a warp does on each source line; everything is in `a`. */
SourceLines explain_lines(Arena *a, const Subject *s);

/* "matmul.cu:57: shared store takes 16 wavefronts instead of 1" */
const char *explain_access(Arena *a, const SourceAccess *x);

/* --- patterns --------------------------------------------------------------------------------- */

/* A pattern that slows the configuration. */
typedef struct Finding {
    const char *name;   /* "bank conflicts" */
    const char *kind;   /* "branching", "data access", "synchronization" or "partitioning" */
    const char *what;   /* description */
    const char *where;  /* the worst line; NULL: not known */
    double cycles;      /* its cost; NaN: not known */
    double share;       /* of the unit's cycles, 0 to 1 */
    const char *unit;   /* whose cycles: "shared memory and L1" */
    const char *effect; /* a consequence, or why the cost is not known; NULL: nothing to add */
    const char *remedy;
} Finding;

typedef VEC(Finding) Findings;

/* The patterns found in a configuration, located by `lines`. */
Findings explain_find(Arena *a, const Subject *s, const SourceLines *lines);

/* --- helpers ---------------------------------------------------------------------------------- */

/* The busiest unit, as a metric ("l2_cycles"); NULL: rates are not known. */
const char *explain_busiest(const Subject *s);

/* 1234567 as "1,234,567"; "not known" for NaN. */
const char *explain_number_text(Arena *a, double n);
