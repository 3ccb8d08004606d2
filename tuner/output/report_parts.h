/* What the files of the report, and explanations, share with each other.
 *
 * Whatever gives a json_t gives a new reference, to be handed on or ended by the caller. */
#pragma once

#include "metrics/base/json.h"
#include "tuner/run/run.h"

/* Significant digits of reals in JSON. */
enum { REPORT_DIGITS = 10 };

/* The beginning of a line: a label in a column of its own, and what stands behind it. */
void report_say(Buf *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A count with commas, 4,665,600, at least `width` wide. */
void report_count(Buf *out, uint64_t n, int width);

/* " (median of 9; 1.2000 to 1.3000 with 95 %)", where there are times enough for an interval. */
void report_interval(const TableTimes *t, Buf *out);

/* What every object begins with: program, space, problem, device. */
json_t *report_object(const Run *r);

/* The parameters of configuration `i` by name. */
json_t *report_parameters(const Run *r, size_t i);

/* All metrics of configuration `i` by name; an empty object when they are not known. */
json_t *report_metrics(const Run *r, size_t i);

/* What became of configuration `i`, and why. */
void report_why(const Run *r, size_t i, Buf *out);

/* report_why's words. */
json_t *report_why_text(const Run *r, size_t i);

/* How the device fared while it was timed. */
json_t *report_health(const Run *r);

/* Seconds by the name of their stage. */
json_t *report_stage_seconds(const double *seconds);

/* GPU seconds of a run by what they went into. */
typedef struct GpuSeconds {
    double timed, verify, idle;
} GpuSeconds;

/* Of all its GPUs together. */
GpuSeconds report_gpu_seconds(const Run *r);

/* "construct", "compile" … */
const char *report_stage_name(LedgerStage stage);

/* Where the time of the run went and what carving saved: lines of the report, and an object. */
void report_ledger(const Run *r, Buf *out);
json_t *report_ledger_json(const Run *r);

/* Configurations that no other one beats in time and energy, the fastest first; none where no
 * energy was measured. */
size_t *report_energy_front(Arena *a, const Run *r, size_t *count);
json_t *report_search_json(const Run *r);
json_t *report_audit_json(const Run *r);

/* All that a run without times chose (parameters, predicted_ms, limiter), and the first that was
 * dropped, with the reason. */
void report_selected_json(const Run *r, json_t *o);
