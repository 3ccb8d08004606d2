#include "tuner/study/bootstrap.h"

#include "metrics/base/stats.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

/* The divisor that makes a row's times comparable: its work or, when comparing by energy, time over
 * energy. */
static double work_of(const Table *s, size_t i)
{
    if (table_is_by_energy(s))
        return s->times[i].median / s->ms[i];
    return s->work ? s->work[i] : 1;
}

/* The median of a row's resampled times, per work. */
static double median_again(gsl_rng *random, const Table *s, size_t i, double *again)
{
    size_t n = s->times[i].count;
    for (size_t k = 0; k < n; k++)
        again[k] = s->times[i].ms[gsl_rng_uniform_int(random, (unsigned long)n)] / work_of(s, i);
    return stats_median(again, n);
}

/* A buffer for the samples of any row. */
static double *room_for_samples(Arena *a, const Table *s)
{
    size_t most = 0;
    for (size_t i = 0; i < s->count; i++)
        most = s->times[i].count > most ? s->times[i].count : most;
    return ARENA_ARRAY(a, double, most);
}

/* All bootstraps draw the same numbers. */
static gsl_rng *random_new(void)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 1);
    return random;
}

static size_t list_distinct(const Table *s, size_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->same_as[i] == i && !isnan(s->ms[i]))
            out[n++] = i;
    return n;
}

/* Lists the points that can be the best of all, or of the sure ones, in some round: those whose fastest
 * sample is no slower than the slowest sample of the best by median.  Tied points all enter the
 * expectation. */
static size_t list_contenders(const Table *s, const FirstBy *f, size_t *out)
{
    const bool *chosen = f->sure;
    double limit[2] = {INFINITY, INFINITY}; /* of the chosen, of all */
    size_t best[2] = {SIZE_MAX, s->best};
    for (size_t i = 0; i < s->count; i++)
        if (chosen[i] && s->same_as[i] == i && !isnan(s->ms[i]) &&
            (best[0] == SIZE_MAX || s->ms[i] < s->ms[best[0]]))
            best[0] = i;
    if (best[0] == SIZE_MAX && f->drawn == 0)
        return 0;
    for (int k = 0; k < 2; k++)
        if (best[k] != SIZE_MAX)
            limit[k] = gsl_stats_max(s->times[best[k]].ms, 1, s->times[best[k]].count) /
                       work_of(s, best[k]);
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->same_as[i] != i || isnan(s->ms[i]))
            continue;
        double least = gsl_stats_min(s->times[i].ms, 1, s->times[i].count) / work_of(s, i);
        if (least <= limit[1] || f->tied[i] || (chosen[i] && least <= limit[0]))
            out[n++] = i;
    }
    return n;
}

/* Sorts `values` and returns the bounds of their middle 95 %. */
static void middle(double *values, size_t count, double *low, double *high)
{
    gsl_sort(values, 1, count);
    *low = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.025);
    *high = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.975);
}

void bootstrap_first(const Table *s, const FirstBy *first, size_t rounds, double *low, double *high)
{
    *low = *high = NAN;
    SCOPED_ARENA *a = arena_new();
    size_t *list = ARENA_ARRAY(a, size_t, s->count);
    size_t n = s->best == SIZE_MAX ? 0 : list_contenders(s, first, list);
    double *again = room_for_samples(a, s), *regret = ARENA_ARRAY(a, double, rounds);
    double *ms = ARENA_ARRAY(a, double, s->count);
    SCOPED_ARENA *scratch = arena_new();
    gsl_rng *random = random_new();
    for (size_t r = 0; r < rounds && n > 0; r++) {
        double all = INFINITY, ours = INFINITY;
        for (size_t k = 0; k < n; k++) {
            size_t i = list[k];
            ms[i] = median_again(random, s, i, again);
            all = fmin(all, ms[i]);
            ours = first->sure[i] ? fmin(ours, ms[i]) : ours;
        }
        regret[r] = fmax(first_best(scratch, first, ms, ours) / all - 1, 0);
        arena_reset(scratch);
    }
    gsl_rng_free(random);
    if (n > 0 && rounds > 0)
        middle(regret, rounds, low, high);
}

void bootstrap_regret(const Table *s, const bool *chosen, size_t rounds, double *low, double *high)
{
    SCOPED_ARENA *a = arena_new();
    FirstBy all = {.sure = ARENA_ARRAY(a, bool, s->count), .tied = ARENA_ARRAY(a, bool, s->count)};
    for (size_t i = 0; i < s->count; i++)
        all.sure[i] = chosen[i];
    bootstrap_first(s, &all, rounds, low, high);
}

void bootstrap_samples(const Table *s, const double *performances, size_t count, size_t rounds,
                       double *low, double *high)
{
    SCOPED_ARENA *a = arena_new();
    size_t *list = ARENA_ARRAY(a, size_t, s->count);
    size_t n = list_distinct(s, list);
    double *again = room_for_samples(a, s), *times = ARENA_ARRAY(a, double, n);
    double *sizes = ARENA_ARRAY(a, double, rounds *count);
    gsl_rng *random = random_new();
    for (size_t r = 0; r < rounds; r++) {
        for (size_t k = 0; k < n; k++)
            times[k] = median_again(random, s, list[k], again);
        gsl_sort(times, 1, n);
        for (size_t k = 0; k < count; k++)
            sizes[k * rounds + r] = (double)judge_sample_for(times, s->distinct, performances[k]);
    }
    gsl_rng_free(random);
    for (size_t k = 0; k < count; k++) {
        low[k] = high[k] = NAN;
        if (rounds > 0 && s->distinct > 0)
            middle(sizes + k * rounds, rounds, &low[k], &high[k]);
    }
}

/* --- correlations ----------------------------------------------------------------------------- */

/* One metric of the resampled points. */
typedef struct RankedMetric {
    double *values;
    double *ranks; /* NULL: some points lack the metric, so ranks depend on the rest */
} RankedMetric;

static RankedMetric rank_metric(Arena *a, const double *metric, const size_t *list, size_t n)
{
    RankedMetric r = {.values = ARENA_ARRAY(a, double, n)};
    bool known = true;
    for (size_t k = 0; k < n; k++) {
        r.values[k] = metric[list[k]];
        known = known && isfinite(r.values[k]);
    }
    if (!known)
        return r;
    SCOPED_ARENA *scratch = arena_new();
    r.ranks = ARENA_ARRAY(a, double, n);
    order_ranks(scratch, r.values, n, r.ranks);
    return r;
}

static double correlate(Arena *scratch, const RankedMetric *m, const double *ms,
                        const double *ranks, size_t n)
{
    return m->ranks && n > 2 ? gsl_stats_correlation(m->ranks, 1, ranks, 1, n)
                             : judge_rank_correlation(scratch, m->values, ms, n);
}

void bootstrap_correlations(const Table *s, size_t rounds, double *low, double *high)
{
    SCOPED_ARENA *a = arena_new(), *scratch = arena_new();
    size_t *list = ARENA_ARRAY(a, size_t, s->count);
    size_t n = list_distinct(s, list), metrics = s->metrics->metrics.count;
    RankedMetric *ranked = ARENA_ARRAY(a, RankedMetric, metrics);
    for (size_t m = 0; m < metrics; m++)
        ranked[m] = rank_metric(a, s->metric[m], list, n);
    double *ms = ARENA_ARRAY(a, double, n), *ranks = ARENA_ARRAY(a, double, n);
    double *again = room_for_samples(a, s);
    double *rho = ARENA_ARRAY(a, double, metrics *rounds);
    gsl_rng *random = random_new();
    for (size_t r = 0; r < rounds; r++) {
        for (size_t k = 0; k < n; k++)
            ms[k] = median_again(random, s, list[k], again);
        order_ranks(scratch, ms, n, ranks);
        for (size_t m = 0; m < metrics; m++)
            rho[m * rounds + r] = correlate(scratch, &ranked[m], ms, ranks, n);
        arena_reset(scratch);
    }
    gsl_rng_free(random);
    for (size_t m = 0; m < metrics; m++) {
        low[m] = high[m] = NAN;
        if (rounds > 0 && !isnan(rho[m * rounds]))
            middle(rho + m * rounds, rounds, &low[m], &high[m]);
    }
}
