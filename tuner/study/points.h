/* A space as research sees it: points with parameters, metrics and times.
 *
 * It comes from a recording of times and the profile beside it, or from a run that has just ended;
 * what looks at it (judging, sampling, searching, drawing) does not ask which.  Neither spec nor
 * kernel is needed.  Everything lives in the arena it was made in. */
#ifndef APTUNE_STUDY_POINTS_H
#define APTUNE_STUDY_POINTS_H

#include "metrics/device/device.h"
#include "metrics/metric/shares.h"
#include "tuner/record/profile.h"
#include "tuner/record/times.h"

/* Points that have a profile and yet no value of a metric. */
typedef struct MetricGap {
    size_t points;
    const char *reason; /* of the first: "division by zero"; NULL when there is none */
    Span at;            /* where in the formula */
} MetricGap;

typedef struct PointSet {
    const char *name;           /* of the space: "mm" */
    const char *origin;         /* path of the recording; "this run" */
    const char *problem;        /* "M=4096,N=4096,K=4096" */
    const RecordProblem *sizes; /* the same as numbers */
    size_t size_count;
    const char *gpu;      /* name of the device the times come from */
    const char *date;     /* when they were measured, ISO 8601 */
    const char *imported; /* from where, when not by aptune; "" or NULL: by aptune */
    const Device *device;
    const char *objective; /* "items": times are for the same work; "" or NULL: as measured */

    const RecordParameter *parameters;
    size_t parameter_count;

    size_t count; /* points: configurations that could be compiled or not, each once */
    const RecordValue **values; /* per point, one per parameter */
    const char **names;         /* per point: "BM=64,BN=32" */
    Outcome *status;            /* per point */
    double *work;               /* per point: over the least of all; NULL: all do the same */
    double *ms;                 /* per point: median time over its work; NaN: it failed */
    const double **samples;     /* per point: raw times in milliseconds over its work */
    size_t *sample_count;
    const ProfileShare **shares; /* per point: its launches; NULL: not kept */
    size_t *share_count;         /* per point; NULL as `shares` */
    const Profile **profiles; /* per point: of its launches together; NULL: not known.  Those of a
                                 recording are without the rows of their regions */
    size_t *same_as;          /* per point: the first one with the same code and launch; itself */

    size_t no_time;       /* points that ran right, with times that are none: not above 0 */
    size_t timed;         /* points with a time */
    size_t distinct;      /* points that stand for themselves and have a time */
    const double *sorted; /* times of the distinct points, fastest first */
    size_t best;          /* the fastest of these; SIZE_MAX: there is none */

    const MetricSet *metrics;
    double **metric; /* per metric, per point; NaN: not known */
    MetricGap *gaps; /* per metric */
    size_t profiled; /* points with a profile */
} PointSet;

/* Reads a recording and the profile beside it (NAME.times[.zst], NAME.profile[.zst]) and evaluates
 * `metrics`.  Where the recording has an objective, times and metrics that add up are for as much
 * work as the configuration does that does least.  Without a profile the metrics are not known,
 * which is a warning.  NULL after a message when the times cannot be read. */
PointSet *points_read(Arena *a, const char *path, const MetricSet *metrics, Diag *d);

/* Room for `n` points that whoever makes a set fills in: values, names, outcomes, profiles; the
 * rest is NULL. */
void points_allocate(Arena *a, PointSet *s, size_t n);

/* Fills in what follows from the rest: same points, counts, the best, metrics.  For those who make
 * a set themselves; `codes` are texts that are equal for equal code and launch, NULL where
 * unknown. */
void points_finish(Arena *a, PointSet *s, const char *const *codes, const MetricSet *metrics);

/* --- the parts of that, for a set that is read piece by piece --------------------------------- */

/* Which points are the same. */
void points_set_same(Arena *a, PointSet *s, const char *const *codes);

/* Room for metrics, none of them known. */
void points_set_metrics(Arena *a, PointSet *s, const MetricSet *metrics);

/* The metrics of point `i`, whose launches these are; `scratch` is reset by the caller. */
void points_evaluate(Arena *a, Arena *scratch, PointSet *s, size_t i, const ProfileShare *shares,
                     size_t count);

/* Counts, the best, and the sorted times; last of all. */
void points_set_counts(Arena *a, PointSet *s);

/* Warns of each metric of this source that some points with a profile have no value of: of how
 * many, and where in its formula. */
void points_tell_gaps(const PointSet *s, const Source *source, Diag *d);

/* A value as text. */
const char *points_value(Arena *a, const RecordValue *v);

#endif
