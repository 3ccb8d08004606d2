#include "tuner/study/points.h"

#include "tuner/choose/cluster.h"
#include "tuner/choose/random.h"

#include <math.h>

void points_set_same(Arena *a, PointSet *s, const char *const *codes)
{
    Arena *scratch = arena_new();
    s->same_as = ARENA_ARRAY(a, size_t, s->count);
    const size_t *same = cluster_same(scratch, codes, NULL, s->count);
    for (size_t i = 0; i < s->count; i++)
        s->same_as[i] = same[i];
    arena_free(scratch);
}

static void sort_times(Arena *a, PointSet *s)
{
    Arena *scratch = arena_new();
    double *times = ARENA_ARRAY(scratch, double, s->count);
    size_t count;
    for (size_t i = 0; i < s->count; i++)
        times[i] = s->same_as[i] == i ? s->ms[i] : NAN;
    s->sorted = random_sorted(a, times, s->count, &count);
    arena_free(scratch);
}

void points_set_counts(Arena *a, PointSet *s)
{
    s->timed = s->distinct = s->profiled = 0;
    s->best = SIZE_MAX;
    for (size_t i = 0; i < s->count; i++) {
        s->profiled += s->profiles[i] != NULL;
        if (isnan(s->ms[i]))
            continue;
        s->timed++;
        if (s->same_as[i] != i)
            continue;
        s->distinct++;
        if (s->best == SIZE_MAX || s->ms[i] < s->ms[s->best])
            s->best = i;
    }
    sort_times(a, s);
    for (size_t m = 0; m < s->metrics->metrics.count; m++) {
        s->gaps[m].points = 0;
        for (size_t i = 0; i < s->count; i++)
            s->gaps[m].points += s->profiles[i] && isnan(s->metric[m][i]);
    }
}

void points_set_metrics(Arena *a, PointSet *s, const MetricSet *metrics)
{
    size_t n = metrics->metrics.count;
    s->metrics = metrics;
    s->metric = ARENA_ARRAY(a, double *, n);
    s->gaps = ARENA_ARRAY(a, MetricGap, n);
    for (size_t m = 0; m < n; m++) {
        s->metric[m] = ARENA_ARRAY(a, double, s->count);
        for (size_t i = 0; i < s->count; i++)
            s->metric[m][i] = NAN;
    }
}

static void note_gap(Arena *a, MetricGap *gap, const MetricValue *v)
{
    if (gap->reason)
        return;
    gap->reason = arena_string(a, v->reason ? v->reason : "not a number");
    gap->at = v->at;
}

void points_evaluate(Arena *a, Arena *scratch, PointSet *s, size_t i, const ProfileShare *shares,
                     size_t count)
{
    size_t n = s->metrics->metrics.count;
    MetricValue *values = ARENA_ARRAY(scratch, MetricValue, n);
    metricset_evaluate_shares(scratch, s->metrics, shares, count, s->device, values);
    for (size_t m = 0; m < n; m++) {
        bool per_work = s->work && metric_adds(&s->metrics->metrics.at[m]);
        s->metric[m][i] = per_work ? values[m].value / s->work[i] : values[m].value;
        if (isnan(values[m].value))
            note_gap(a, &s->gaps[m], &values[m]);
    }
}

void points_allocate(Arena *a, PointSet *s, size_t n)
{
    s->values = ARENA_ARRAY(a, const RecordValue *, n);
    s->names = ARENA_ARRAY(a, const char *, n);
    s->status = ARENA_ARRAY(a, Outcome, n);
    s->ms = ARENA_ARRAY(a, double, n);
    s->samples = ARENA_ARRAY(a, const double *, n);
    s->sample_count = ARENA_ARRAY(a, size_t, n);
    s->profiles = ARENA_ARRAY(a, const Profile *, n);
}

void points_finish(Arena *a, PointSet *s, const char *const *codes, const MetricSet *metrics)
{
    points_set_same(a, s, codes);
    points_set_metrics(a, s, metrics);
    Arena *scratch = arena_new();
    for (size_t i = 0; i < s->count; i++) {
        if (s->profiles[i])
            points_evaluate(a, scratch, s, i, s->shares[i], s->share_count[i]);
        arena_reset(scratch);
    }
    arena_free(scratch);
    points_set_counts(a, s);
}

void points_tell_gaps(const PointSet *s, const Source *source, Diag *d)
{
    for (size_t m = 0; m < s->metrics->metrics.count; m++) {
        const Metric *metric = &s->metrics->metrics.at[m];
        const MetricGap *gap = &s->gaps[m];
        if (metric->at.source != source || gap->points == 0)
            continue;
        Span at = gap->at.source ? gap->at : metric->at;
        diag_warn(d, at, "'%s' is not known for %zu of %zu configurations of %s: %s", metric->name,
                  gap->points, s->profiled, s->name, gap->reason);
    }
}

const char *points_value(Arena *a, const RecordValue *v)
{
    return v->text ? v->text : arena_printf(a, "%lld", (long long)v->number);
}
