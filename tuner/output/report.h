/* What a run found, as text for a person and as JSON for a program. */
#pragma once

#include "tuner/output/report_parts.h"

/* The first lines: what is tuned, for which device, and where times come from.  Printed
 * before the work begins, so that a replay is never taken for a measurement. */
void report_heading(const Run *r, Buf *out);

/* Counts of the space and of what tier 0 and every constraint took, and how long compiling the
 * rest would take: the answer of --dry-run. */
void report_dry_run(const Run *r, Buf *out);
void report_dry_run_json(const Run *r, Buf *out);

/* Everything after the work: survivors, the best, times of the stages. */
void report_result(const Run *r, Buf *out);

/* What remains of a run that was stopped by a signal. */
void report_stopped(const Run *r, int signal, Buf *out);

/* The result where nothing was timed: the fastest of those selected by prediction, what limits each,
 * and why the next was dropped. */
void report_selected(const Run *r, Buf *out);

/* One JSON object; with report_why's words of r->why. */
void report_json(const Run *r, Buf *out);

/* One line per configuration: parameters, state, metrics, time, reason. */
void report_csv(const Run *r, Buf *out);
