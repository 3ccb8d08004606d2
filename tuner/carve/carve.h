/* Statements at work: from `carve` and `polish` lines, or none, to the configurations that are
 * left.
 *
 * It happens in two steps.  Opening a plan resolves every name, so that a mistake in the last line
 * is told before an hour of compiling and not after it; applying it fills in what is known of each
 * point by then.  Where points come from (a run, a recording) is told by a few functions, so that
 * both are carved by the same code.
 *
 * Where nothing is said, the default is the best by a metric that stands for the time, spread over
 * what that does not tell apart (tuner/choose/belief.h), with a third of the budget for polish. */
#ifndef APTUNE_CARVE_H
#define APTUNE_CARVE_H

#include "metrics/device/device.h"
#include "metrics/metric/metricset.h"
#include "tuner/choose/belief.h"
#include "tuner/choose/carving.h"
#include "tuner/spec/spec.h"

/* What is asked for. */
typedef struct CarveRequest {
    const CarveStage *stages; /* their conditions become bound: a request is opened once */
    size_t count;             /* 0: the default */
    size_t polish;            /* 0: none, or that of the default */
    const char *guess;        /* the metric that stands for the time: "predicted_cycles" */
    size_t parts; /* the points are one of so many parts of a space, which share all budgets */
} CarveRequest;

/* The names that statements may use. */
typedef struct CarveNames {
    MetricSet *metrics; /* its metrics, fields of profile and device */
    Scope own;          /* behind them others, by slots from 0; `names` may be NULL */
    size_t own_slots;
} CarveNames;

/* The points that are carved. */
typedef struct CarvePoints {
    void *context; /* of the functions */
    size_t count;
    const Device *device;
    const Profile *(*profile)(void *context, size_t point); /* NULL: not known */
    /* Of a point with a profile; NaN: not known. */
    double (*metric)(void *context, size_t metric, size_t point);
    /* Values of the own names, in scratch memory; NULL where they cannot be computed. */
    const Value *(*own)(void *context, Arena *scratch, size_t point);
    const char *const *names; /* per point, for reasons; NULL: "#12" */
    const uint16_t *values;   /* per point and parameter: which value it has, by number */
    size_t parameters;
} CarvePoints;

typedef struct CarvePlan {
    Arena *arena; /* of all that is made */
    CarveRequest request;
    CarveNames names;
    Stage *stages;
    size_t stage_count;
    struct {
        Column *at;
        size_t count;
        size_t capacity;
    } columns;     /* what the stages look at; values come with carve_apply */
    size_t polish; /* most configurations that polish may time; of the default after carve_apply */
    CarvingTable table;
} CarvePlan;

/* Resolves the names of a request.  The plan lives in `a`; statements and names must outlive it.
 * False after messages. */
bool carve_open(Arena *a, const CarveRequest *request, const CarveNames *names, CarvePlan *out,
                Diag *d);

/* Carves the points that are `alive`.  What an expression cannot be computed for is dropped as not
 * known, with a warning that says for how many.  The result lives with the plan. */
Carving carve_apply(CarvePlan *plan, const CarvePoints *points, const bool *alive, Diag *d);

/* What polish goes by after that carving, and what it may time: of the points that are `alive`,
 * those that no expression of the carving forbids.  What a metric thought little of may be timed.
 * `points` and `alive` must outlive it. */
BeliefInput carve_polish_input(const CarvePlan *plan, const CarvePoints *points,
                               const Carving *carving, const bool *alive);

/* The values of a metric or, when there is none of that name, of a profile field for every point;
 * NaN where they are not known. */
const double *carve_values(Arena *a, const MetricSet *metrics, const CarvePoints *points,
                           const char *name);

/* A part's share of a number of configurations to time. */
size_t carve_share(const CarveRequest *request, size_t count);

/* Finds a name as conditions do: among the metrics' names, then the own ones. */
Scope carve_scope(CarvePlan *plan);

#endif
