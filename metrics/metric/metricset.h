/* Metrics: named formulas over the profile of a launch and the device.
 *
 * A set is filled from .metrics files and from `metric` lines of a spec:
 *
 *     statement = "metric" NAME ( "higher" | "lower" ) [ [ "not" ] "additive" ] STRING STRING "="
 *                 ternary
 *
 *     # Source of the formula.
 *     metric efficiency higher "1/instructions" "What it means, in one sentence." = 1 / (instr * threads)
 *
 * The word after the name says which values are better; the strings are unit and meaning.  A run of
 * several launches has the sum of an additive metric over its launches; of others, the value of the
 * launch that executes most.  Where the statement says neither, a metric is additive when its unit is
 * cycles, seconds, ms, us, ns, bytes, sectors, flop, wavefronts, accesses, launches or joules.  The
 * formula (expr.h, real arithmetic) may use profile fields by name, fields of the device as
 * `device_sms` and so on, its rates as `rate_issue` and latencies as `latency_dram` (device.def), and
 * metrics defined before it.  `sum(stall_regions, …)` and `sum(sync_regions, …)` add up over the
 * regions of the profile, whose columns (region.def) are names inside.
 *
 * A value is never made up: where a formula divides by zero or uses something that is not known, it
 * is NaN and says why. */
#pragma once

#include "metrics/base/expr.h"
#include "metrics/metric/profile.h"

typedef struct Metric {
    const char *name;
    bool higher;   /* higher values are better */
    bool additive; /* over the launches of a run */
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
    double value;       /* NaN when not known */
    const char *reason; /* why it is not: "division by zero"; NULL when it is */
    Span at;            /* where in the formula, when there is a place */
} MetricValue;

/* An empty set in `a`. */
MetricSet *metricset_new(Arena *a);

/* Adds the metrics of a text.  Goes on after a mistake; false when there was one.  The source must
 * outlive the set. */
bool metricset_read(MetricSet *set, const Source *s, Diag *d);

/* The same of a file: its text; NULL after a mistake. */
const Source *metricset_read_file(MetricSet *set, const char *path, Diag *d);

/* The number of the metric of that name, -1 when there is none. */
int metricset_find(const MetricSet *set, const char *name);

/* Values of all metrics for the launches of a run, in `values` (as many as the set has); reasons live
 * in `a`.  `device` may be NULL: then what depends on it is not known. */
void metricset_evaluate(Arena *a, const MetricSet *set, const LaunchProfile *launches, size_t count,
                        const Device *device, MetricValue *values);

/* A scope with every profile and device field and every metric of the set, for other formulas over
 * them (carving).  It only reads the set.  Its slots are those of metricset_slots. */
Scope metricset_scope(MetricSet *set);

/* How many slots the scope has. */
size_t metricset_slot_count(const MetricSet *set);

/* Fills `slots` from a profile, a device and evaluated metrics; NaN stands for not known. */
void metricset_slots(const MetricSet *set, const Profile *p, const Device *device,
                     const MetricValue *values, Value *slots);

/* The name that a slot stands for.  A constant, or as old as the set. */
const char *metricset_slot_name(const MetricSet *set, int slot);
