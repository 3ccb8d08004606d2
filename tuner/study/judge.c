#include "tuner/study/judge.h"

#include "metrics/base/random.h"
#include "metrics/base/stats.h"

#include <gsl/gsl_statistics_double.h>

/* --- ranking ---------------------------------------------------------------------------------- */

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
    SCOPED_ARENA *scratch = arena_new();
    size_t count;
    t->sorted = random_sorted(t->arena, judge_times(scratch, t), t->count, &count);
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
        diag_warn(d, at, "'%s' has no value for %zu of %zu configurations of %s: %s", metric->name,
                  gap->points, t->profiled, t->name, gap->reason);
    }
}

/* --- ranks ------------------------------------------------------------------------------------ */

void order_ranks(Arena *scratch, const double *values, size_t count, double *ranks)
{
    Ranked *order = ARENA_ARRAY(scratch, Ranked, count);
    for (size_t i = 0; i < count; i++)
        order[i] = (Ranked){values[i], i};
    stats_rank(order, count);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && order[to].key <= order[from].key; to++)
            continue;
        double mean = (double)(from + 1 + to) / 2;
        for (size_t k = from; k < to; k++)
            ranks[order[k].at] = mean;
    }
}

double *judge_times(Arena *a, const Table *s)
{
    double *times = ARENA_ARRAY(a, double, s->count);
    for (size_t i = 0; i < s->count; i++)
        times[i] = s->same_as[i] == i ? s->ms[i] : NAN;
    return times;
}

/* Sums over all distinct points and over the chosen ones. */
typedef struct Sums {
    size_t near, near_chosen;
    double ms, ms_chosen;
} Sums;

static Sums add_up(const Table *s, const bool *chosen, Judgement *j)
{
    Sums sums = {0};
    double limit = s->ms[s->best] * (1 + JUDGE_NEAR);
    for (size_t i = 0; i < s->count; i++) {
        if (s->same_as[i] != i)
            continue;
        if (isnan(s->ms[i])) {
            j->unknown += chosen[i];
            continue;
        }
        bool near = s->ms[i] <= limit;
        sums.near += near;
        sums.ms += s->ms[i];
        if (!chosen[i])
            continue;
        sums.near_chosen += near;
        sums.ms_chosen += s->ms[i];
        j->chosen++;
        if (j->best == SIZE_MAX || s->ms[i] < s->ms[j->best])
            j->best = i;
    }
    return sums;
}

static size_t rank_of(const Table *s, double ms)
{
    size_t rank = 1;
    for (size_t i = 0; i < s->count; i++)
        rank += s->same_as[i] == i && s->ms[i] < ms;
    return rank;
}

static double regret_of(const Table *s, double ms)
{
    const double regret = ms / s->ms[s->best] - 1;
    return regret > 0 || isnan(regret) ? regret
                                       : 0; /* rounding may put an expected best below the best */
}

double judge_random_regret(const Table *s, size_t sample)
{
    return regret_of(s, random_sorted_without(s->sorted, s->distinct, sample));
}

Judgement judge(const Table *s, const bool *chosen)
{
    Judgement j = {.best = SIZE_MAX,
                   .best_ms = NAN,
                   .regret = NAN,
                   .space_reduction = NAN,
                   .time_reduction = NAN,
                   .random_regret = NAN,
                   .random_performance = NAN};
    if (s->best == SIZE_MAX)
        return j;
    Sums sums = add_up(s, chosen, &j);
    j.recall = (double)sums.near_chosen / (double)sums.near;
    if (j.best == SIZE_MAX)
        return j;
    j.space_reduction = 1 - (double)j.chosen / (double)s->distinct;
    j.time_reduction = 1 - sums.ms_chosen / sums.ms;
    const double best = s->ms[j.best];
    j.best_ms = table_is_by_energy(s) ? s->times[j.best].median : best;
    j.regret = best / s->ms[s->best] - 1;
    j.found = !(best > s->ms[s->best]);
    j.rank = rank_of(s, best);
    j.random_regret = judge_random_regret(s, j.chosen);
    j.random_performance = 1 / (1 + j.random_regret);
    return j;
}

/* --- samples ---------------------------------------------------------------------------------- */

typedef double ExpectedBest(const double *sorted, size_t count, size_t sample);

/* Bisection: the expected best only falls as the sample grows. */
static size_t sample_for(ExpectedBest *expected, const double *sorted, size_t count,
                         double performance, size_t most)
{
    if (count == 0)
        return 0;
    if (!(sorted[0] / expected(sorted, count, most) >= performance))
        return most;
    size_t low = 1, high = most;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[0] / expected(sorted, count, middle) >= performance)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

size_t judge_sample_for(const double *sorted, size_t count, double performance)
{
    return sample_for(random_sorted_without, sorted, count, performance, count);
}

size_t judge_draws_for(const double *sorted, size_t count, double performance, size_t limit)
{
    return sample_for(random_sorted_with, sorted, count, performance, limit);
}

/* --- metrics ---------------------------------------------------------------------------------- */

double judge_rank_correlation(Arena *scratch, const double *x, const double *y, size_t n)
{
    double *p = ARENA_ARRAY(scratch, double, n), *q = ARENA_ARRAY(scratch, double, n);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]))
            continue;
        p[count] = x[i];
        q[count++] = y[i];
    }
    if (count < 3)
        return NAN;
    order_ranks(scratch, p, count, p);
    order_ranks(scratch, q, count, q);
    return gsl_stats_correlation(p, 1, q, 1, count);
}

size_t judge_place(const double *values, size_t n, bool up, size_t i)
{
    if (isnan(values[i]))
        return 0;
    size_t place = 0;
    for (size_t k = 0; k < n; k++)
        place += up ? values[k] >= values[i] : values[k] <= values[i];
    return place;
}

/* --- the first by a value --------------------------------------------------------------------- */

static bool is_equal(double x, double y)
{
    return !(x < y) && !(x > y);
}

FirstBy first_by(Arena *a, const Table *s, const double *values, bool higher, size_t most)
{
    FirstBy f = {.sure = ARENA_ARRAY(a, bool, s->count), .tied = ARENA_ARRAY(a, bool, s->count)};
    SCOPED_ARENA *scratch = arena_new();
    size_t *points = ARENA_ARRAY(scratch, size_t, s->count), n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->same_as[i] == i && !isnan(values[i]))
            points[n++] = i;
    stats_order(points, n, &(Criterion){values, higher}, 1);
    bool splits = most > 0 && most < n && is_equal(values[points[most - 1]], values[points[most]]);
    double cut = splits ? values[points[most]] : NAN;
    for (size_t k = 0; k < n; k++) {
        bool equal = splits && is_equal(values[points[k]], cut);
        f.tied[points[k]] = equal;
        f.tied_count += equal;
        f.drawn += equal && k < most;
        f.sure[points[k]] = k < most && !equal;
    }
    return f;
}

double first_best(Arena *scratch, const FirstBy *f, const double *ms, double sure_ms)
{
    double *best = ARENA_ARRAY(scratch, double, f->tied_count);
    if (f->drawn == 0)
        return isfinite(sure_ms) ? sure_ms : NAN;
    for (size_t i = 0, n = 0; n < f->tied_count; i++)
        if (f->tied[i])
            best[n++] = fmin(ms[i], sure_ms);
    return random_best_without(scratch, best, f->tied_count, f->drawn);
}

double first_regret(const Table *s, const FirstBy *f)
{
    if (s->best == SIZE_MAX)
        return NAN;
    SCOPED_ARENA *scratch = arena_new();
    double sure_ms = INFINITY;
    for (size_t i = 0; i < s->count; i++)
        if (f->sure[i] && s->ms[i] < sure_ms)
            sure_ms = s->ms[i];
    return regret_of(s, first_best(scratch, f, s->ms, sure_ms));
}
