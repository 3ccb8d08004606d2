/* Parts that reports and explanations share.
 *
 * Functions that return a json_t return a new reference, owned by the caller. */
#pragma once

#include "metrics/base/json.h"
#include "tuner/run/run.h"

/* Significant digits of reals in JSON. */
enum { REPORT_DIGITS = 10 };

/* Begins a line: a label in its own column, then the text. */
void report_say(Buf *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A count with thousands separators, 4,665,600, at least `width` wide. */
void report_count(Buf *out, uint64_t n, int width);

/* A constraint as the spec has it, without comments and line ends; and the line where it begins. */
const char *report_constraint(Arena *a, const Span *at, size_t *line);

/* " (median of 9; 1.2000 to 1.3000 with 95 %)", if there are enough times for an interval. */
void report_interval(const TableTimes *t, Buf *out);

/* The beginning of every object: program, space, problem, device. */
json_t *report_object(const Run *r);

/* The parameters of configuration `i` by name. */
json_t *report_parameters(const Run *r, size_t i);

/* All metrics of configuration `i` by name; an empty object if they are not known. */
json_t *report_metrics(const Run *r, size_t i);

/* What became of configuration `i` and why, one or more lines. */
void report_why(const Run *r, size_t i, Buf *out);

/* The text of report_why. */
json_t *report_why_text(const Run *r, size_t i);

/* The device's health during timing. */
json_t *report_health(const Run *r);

/* GPU seconds of a run by use. */
typedef struct GpuSeconds {
    double timed, verify, idle;
} GpuSeconds;

/* The sum over all its GPUs. */
GpuSeconds report_gpu_seconds(const Run *r);

/* "construct", "compile" … */
const char *report_stage_name(LedgerStage stage);

/* Where the time of the run went and what carving saved. */
void report_ledger(const Run *r, Buf *out);

/* Adds the seconds by stage and the ledger. */
void report_ledger_json(const Run *r, json_t *o);

/* The Pareto front of time and energy, fastest first; empty if no energy was measured. */
size_t *report_energy_front(Arena *a, const Run *r, size_t *count);

/* Null without an audit. */
json_t *report_audit_json(const Run *r);

/* Adds what a run without times chose (parameters, predicted_ms, limiter), and the first dropped one with its
 * reason. */
void report_selected_json(const Run *r, json_t *o);
