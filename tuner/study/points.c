#include "tuner/study/points.h"

#include "metrics/base/file.h"
#include "tuner/choose/cluster.h"
#include "tuner/choose/random.h"
#include "tuner/measure/stats.h"
#include "tuner/record/device.h"
#include "tuner/record/profile_take.h"

#include <math.h>
#include <string.h>

/* --- what follows from the rest ------------------------------------------------------------------
 */

static void find_same(Arena *a, PointSet *s, const char *const *codes)
{
    bool *alive = ARENA_ARRAY(a, bool, s->count);
    for (size_t i = 0; i < s->count; i++)
        alive[i] = true;
    s->same_as = cluster_same(a, codes, alive, s->count);
}

static void count_points(PointSet *s)
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
}

static void sort_times(Arena *a, PointSet *s)
{
    double *times = ARENA_ARRAY(a, double, s->count);
    size_t count;
    for (size_t i = 0; i < s->count; i++)
        times[i] = s->same_as[i] == i ? s->ms[i] : NAN;
    s->sorted = random_sorted(a, times, s->count, &count);
}

static void evaluate_metrics(Arena *a, PointSet *s, const MetricSet *metrics)
{
    size_t n = metrics->metrics.count;
    s->metrics = metrics;
    s->metric = ARENA_ARRAY(a, double *, n);
    for (size_t m = 0; m < n; m++)
        s->metric[m] = ARENA_ARRAY(a, double, s->count);
    Arena *scratch = arena_new();
    for (size_t i = 0; i < s->count; i++) {
        MetricValue *values = ARENA_ARRAY(scratch, MetricValue, n);
        if (s->profiles[i])
            metricset_evaluate_shares(scratch, metrics, s->shares[i], s->share_count[i], s->device,
                                      values);
        for (size_t m = 0; m < n; m++)
            s->metric[m][i] = s->profiles[i] ? values[m].value : NAN;
        arena_reset(scratch);
    }
    arena_free(scratch);
}

void points_finish(Arena *a, PointSet *s, const char *const *codes, const MetricSet *metrics)
{
    find_same(a, s, codes);
    count_points(s);
    sort_times(a, s);
    evaluate_metrics(a, s, metrics);
}

/* --- from recordings
 * ------------------------------------------------------------------------------
 */

const char *points_value(Arena *a, const RecordValue *v)
{
    return v->text ? v->text : arena_printf(a, "%lld", (long long)v->number);
}

static const ProfileRecording *read_profiles(Arena *a, const char *times, Diag *d)
{
    const char *path = record_profile_path(a, times);
    if (!path || !file_exists(path)) {
        diag_warn(d, (Span){0}, "there is no '%s': nothing static is known of this space",
                  path ? path : times);
        return NULL;
    }
    return profiles_read(a, path, d);
}

static void allocate(Arena *a, PointSet *s, size_t n)
{
    s->values = ARENA_ARRAY(a, const RecordValue *, n);
    s->names = ARENA_ARRAY(a, const char *, n);
    s->status = ARENA_ARRAY(a, RecordStatus, n);
    s->ms = ARENA_ARRAY(a, double, n);
    s->samples = ARENA_ARRAY(a, const double *, n);
    s->sample_count = ARENA_ARRAY(a, size_t, n);
    s->shares = ARENA_ARRAY(a, const ProfileShare *, n);
    s->share_count = ARENA_ARRAY(a, size_t, n);
    s->profiles = ARENA_ARRAY(a, const Profile *, n);
}

static void take_row(PointSet *s, const RecordRow *row)
{
    size_t i = s->count++;
    s->values[i] = row->values;
    s->names[i] = row->key;
    s->status[i] = row->status;
    s->samples[i] = row->times_ms;
    s->sample_count[i] = row->time_count;
    s->ms[i] = row->status == RECORD_OK ? stats_median(row->times_ms, row->time_count) : NAN;
}

static void take_shares(Arena *a, PointSet *s, size_t i, const ProfileRecording *profiles,
                        const RecordRow *row)
{
    size_t n = profiles_take_shares(a, profiles, row->code, row->launch, &s->shares[i]);
    if (n == 0)
        return;
    Profile *together = ARENA_NEW(a, Profile);
    *together = shares_join(s->shares[i], n);
    s->share_count[i] = n;
    s->profiles[i] = together;
}

PointSet *points_read(Arena *a, const char *path, const MetricSet *metrics, Diag *d)
{
    const TimesRecording *times = times_read(a, path, d);
    if (!times)
        return NULL;
    const RecordHeader *h = &times->header;
    PointSet *s = ARENA_NEW(a, PointSet);
    *s = (PointSet){.name = h->space,
                    .origin = path,
                    .problem = record_problem_text(a, h),
                    .sizes = h->problem,
                    .size_count = h->problem_count,
                    .gpu = h->device,
                    .date = h->date,
                    .imported = h->imported,
                    .device = record_device(a, h),
                    .parameters = h->parameters,
                    .parameter_count = h->parameter_count};
    allocate(a, s, times->rows.count);
    const ProfileRecording *profiles = read_profiles(a, path, d);
    const char **codes = ARENA_ARRAY(a, const char *, times->rows.count);
    for (size_t k = 0; k < times->rows.count; k++) {
        const RecordRow *row = &times->rows.at[k];
        if (times_find(times, row->key) != row) /* timed again further on */
            continue;
        size_t i = s->count;
        take_row(s, row);
        if (row->code)
            codes[i] = arena_printf(a, "%s %s", row->code, row->launch ? row->launch : "");
        if (profiles && row->code && row->launch)
            take_shares(a, s, i, profiles, row);
    }
    points_finish(a, s, codes, metrics);
    return s;
}
