/* The results of a run as text, JSON and CSV. */
#pragma once

#include "tuner/output/report_parts.h"

/* The first lines: the space, the device, and the source of times.  Printed before the work begins, so that a
 * replay is never mistaken for a measurement. */
void report_heading(const Run *r, Buf *out);

/* The answer of --dry-run: the size of the space, what each constraint and tier 0 reject, and an estimate of
 * the time to compile the rest. */
void report_dry_run(const Run *r, Buf *out);
void report_dry_run_json(const Run *r, Buf *out);

/* The report after the work: survivors, the best, times of the stages. */
void report_result(const Run *r, Buf *out);

/* What a run that was stopped by a signal leaves. */
void report_stopped(const Run *r, int signal, Buf *out);

/* The result if nothing was timed: the fastest selected ones by prediction, what limits each, and why the
 * next one was dropped. */
void report_selected(const Run *r, Buf *out);

/* One JSON object, with report_why of r->why. */
void report_json(const Run *r, Buf *out);

/* One line per configuration: parameters, outcome, metrics, time, reason. */
void report_csv(const Run *r, Buf *out);
