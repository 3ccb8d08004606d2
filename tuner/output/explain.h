/* Why one configuration takes as long as it does, as text for a person; or two of them side by
 * side.
 *
 * Everything comes from the static profile and the metrics in cycles; times appear only where a
 * recording has them, beside the prediction.  A pattern that costs something is named with what it
 * costs by the same formulas (the profile without it), and a remedy: after J. Cornelis's patterns
 * that keep a GPU from working in parallel. */
#ifndef APTUNE_OUTPUT_EXPLAIN_H
#define APTUNE_OUTPUT_EXPLAIN_H

#include "metrics/device/occupancy.h"
#include "tuner/run/run_explain.h"

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

/* --- parts of it ------------------------------------------------------------------------------ */

/* The table: geometry, occupancy, units, warp, mix, memory; a column for each subject. */
void explain_table(const Subject *s, int count, Buf *out);

/* Patterns found, each with cost and remedy; says so when there are none. */
void explain_patterns(const Subject *s, Buf *out);

/* The worst accesses and the most executed lines of the source, or why they are not known. */
void explain_lines(const Subject *s, Buf *out);

/* 1234567 as "1,234,567"; "not known" for NaN. */
void explain_number(double n, Buf *out);

#endif
