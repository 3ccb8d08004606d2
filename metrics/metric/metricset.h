/* Metrics: named formulas over a launch's profile and the device, from .metrics files and `metric` lines of
 * a spec:
 *
 *     statement = "metric" NAME ( "higher" | "lower" ) [ "run" | [ "not" ] "additive" ] STRING
 *                 STRING "=" ternary
 *
 *     # Source of the formula.
 *     metric efficiency higher "1/instructions" "What it means, in one sentence." = 1 / (instr * threads)
 *
 * The word after the name says which values are better; the strings are unit and meaning.  For a run of
 * several launches an additive metric is summed over the launches, a metric of the `run` is computed once,
 * from the sums, and others have the value of the launch that executes most.  By default a metric is
 * additive if its unit is cycles, seconds, ms, us, ns, bytes, sectors, flop, wavefronts, accesses, launches
 * or joules.
 *
 * The formula (expr.h, real arithmetic) may use profile fields, device fields as `device_sms`, rates as
 * `rate_issue`, latencies as `latency_dram` (device.def), and metrics defined before.
 * `sum(stall_regions, …)` and `sum(sync_regions, …)` sum over the regions of the profile, whose columns
 * (region.def) are names inside.
 *
 * A formula that divides by zero or uses something unknown gives NaN and a reason, never a made-up value. */
#pragma once

#include "metrics/base/expr.h"
#include "metrics/metric/profile.h"

typedef struct Metric {
    const char *name;
    bool higher;   /* higher values are better */
    bool additive; /* over the launches of a run; grows with its work */
    bool of_run;   /* computed once for a run, not for each of its launches */
    const char *unit;
    const char *meaning; /* one sentence */
    Expr *formula;       /* bound */
    Span at;             /* the name, where it is defined */
} Metric;

typedef struct MetricSet {
    Arena *arena;        /* holds everything */
    VEC(Metric) metrics; /* in the order of definition */
} MetricSet;

typedef struct MetricValue {
    double value;       /* NaN: not known */
    const char *reason; /* why it is not known: "division by zero"; NULL if it is */
    Span at;            /* the place in the formula, if any */
} MetricValue;

/* An empty set in `a`. */
MetricSet *metricset_new(Arena *a);

/* Adds the metrics of a text, which must outlive the set.  Continues after mistakes; false if any. */
bool metricset_read(MetricSet *set, const Source *s, Diag *d);

/* The same for a file; returns its text, NULL after a mistake. */
const Source *metricset_read_file(MetricSet *set, const char *path, Diag *d);

/* The index of the metric of that name, -1 if there is none. */
int metricset_find(const MetricSet *set, const char *name);

/* Evaluates all metrics for the launches of a run into `values`, one per metric of the set; reasons live in
 * `a`.  Without a `device` (NULL), metrics that depend on it are unknown. */
void metricset_evaluate(Arena *a, const MetricSet *set, const LaunchProfile *launches, size_t count,
                        const Device *device, MetricValue *values);

/* A scope in `a` with all profile and device fields and all metrics of the set, for formulas over them.  Its
 * slots are those of metricset_slots. */
Scope metricset_scope(Arena *a, const MetricSet *set);

size_t metricset_slot_count(const MetricSet *set);

/* Fills `slots` from a profile, a device and evaluated metrics; NaN: not known. */
void metricset_slots(const MetricSet *set, const Profile *p, const Device *device,
                     const MetricValue *values, Value *slots);

/* The name of a slot; lives as long as the set. */
const char *metricset_slot_name(const MetricSet *set, int slot);
