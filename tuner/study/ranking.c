#include "tuner/study/ranking.h"

#include "tuner/choose/random.h"

static void sort_times(Table *t)
{
    Arena *scratch = arena_new();
    double *times = ARENA_ARRAY(scratch, double, t->count);
    size_t count;
    for (size_t i = 0; i < t->count; i++)
        times[i] = t->same_as[i] == i ? t->ms[i] : NAN;
    t->sorted = random_sorted(t->arena, times, t->count, &count);
    arena_free(scratch);
}

void ranking_set(Table *t)
{
    t->timed = t->distinct = t->profiled = 0;
    t->best = SIZE_MAX;
    for (size_t i = 0; i < t->count; i++) {
        t->profiled += table_profile(t, i) != NULL;
        if (isnan(t->ms[i]))
            continue;
        t->timed++;
        if (t->same_as[i] != i)
            continue;
        t->distinct++;
        if (t->best == SIZE_MAX || t->ms[i] < t->ms[t->best])
            t->best = i;
    }
    sort_times(t);
    for (size_t m = 0; t->metric && m < t->metrics->metrics.count; m++) {
        t->gaps[m].points = 0;
        for (size_t i = 0; i < t->count; i++)
            t->gaps[m].points += table_profile(t, i) && isnan(t->metric[m][i]);
    }
}

void ranking_tell_gaps(const Table *t, const Source *source, Diag *d)
{
    for (size_t m = 0; m < t->metrics->metrics.count; m++) {
        const Metric *metric = &t->metrics->metrics.at[m];
        const MetricGap *gap = &t->gaps[m];
        if (metric->at.source != source || gap->points == 0)
            continue;
        Span at = gap->at.source ? gap->at : metric->at;
        diag_warn(d, at, "'%s' is not known for %zu of %zu configurations of %s: %s", metric->name,
                  gap->points, t->profiled, t->name, gap->reason);
    }
}
