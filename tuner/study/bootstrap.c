#include "tuner/study/bootstrap.h"

#include "tuner/measure/stats.h"
#include "tuner/study/judge.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

/* The median of samples drawn again. */
static double median_again(gsl_rng *random, const double *samples, size_t n, double *again)
{
    for (size_t k = 0; k < n; k++)
        again[k] = samples[gsl_rng_uniform_int(random, (unsigned long)n)];
    return stats_median(again, n);
}

/* Points that can be the best of all or of the sure ones in some round: those whose fastest sample
 * is no slower than the slowest sample of the best by median.  The others only cost time.  Of the
 * tied ones all count in what is expected. */
static size_t list_contenders(const PointSet *s, const FirstBy *f, size_t *out)
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
            limit[k] = gsl_stats_max(s->samples[best[k]], 1, s->sample_count[best[k]]);
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->same_as[i] != i || isnan(s->ms[i]))
            continue;
        double least = gsl_stats_min(s->samples[i], 1, s->sample_count[i]);
        if (least <= limit[1] || f->tied[i] || (chosen[i] && least <= limit[0]))
            out[n++] = i;
    }
    return n;
}

/* Sorts `values` and gives what holds the middle 95 % of them. */
static void middle(double *values, size_t count, double *low, double *high)
{
    gsl_sort(values, 1, count);
    *low = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.025);
    *high = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.975);
}

void bootstrap_first(const PointSet *s, const FirstBy *first, size_t rounds, double *low,
                     double *high)
{
    *low = *high = NAN;
    Arena *a = arena_new();
    size_t *list = ARENA_ARRAY(a, size_t, s->count), most = 0;
    size_t n = s->best == SIZE_MAX ? 0 : list_contenders(s, first, list);
    for (size_t k = 0; k < n; k++)
        if (s->sample_count[list[k]] > most)
            most = s->sample_count[list[k]];
    double *again = ARENA_ARRAY(a, double, most), *regret = ARENA_ARRAY(a, double, rounds);
    double *ms = ARENA_ARRAY(a, double, s->count);
    Arena *scratch = arena_new();
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 1);
    for (size_t r = 0; r < rounds && n > 0; r++) {
        double all = INFINITY, ours = INFINITY;
        for (size_t k = 0; k < n; k++) {
            size_t i = list[k];
            ms[i] = median_again(random, s->samples[i], s->sample_count[i], again);
            all = fmin(all, ms[i]);
            ours = first->sure[i] ? fmin(ours, ms[i]) : ours;
        }
        regret[r] = fmax(first_best(scratch, first, ms, ours) / all - 1, 0);
        arena_reset(scratch);
    }
    arena_free(scratch);
    gsl_rng_free(random);
    if (n > 0 && rounds > 0) {
        middle(regret, rounds, low, high);
    }
    arena_free(a);
}

void bootstrap_regret(const PointSet *s, const bool *chosen, size_t rounds, double *low,
                      double *high)
{
    Arena *a = arena_new();
    FirstBy all = {.sure = ARENA_ARRAY(a, bool, s->count), .tied = ARENA_ARRAY(a, bool, s->count)};
    for (size_t i = 0; i < s->count; i++)
        all.sure[i] = chosen[i];
    bootstrap_first(s, &all, rounds, low, high);
    arena_free(a);
}

/* The times of all distinct points, each drawn again; the fastest first. */
static void times_again(gsl_rng *random, const PointSet *s, double *again, double *times)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->same_as[i] == i && !isnan(s->ms[i]))
            times[n++] = median_again(random, s->samples[i], s->sample_count[i], again);
    gsl_sort(times, 1, n);
}

void bootstrap_samples(const PointSet *s, const double *performances, size_t count, size_t rounds,
                       double *low, double *high)
{
    Arena *a = arena_new();
    size_t most = 0;
    for (size_t i = 0; i < s->count; i++)
        most = s->sample_count[i] > most ? s->sample_count[i] : most;
    double *again = ARENA_ARRAY(a, double, most), *times = ARENA_ARRAY(a, double, s->distinct);
    double *sizes = ARENA_ARRAY(a, double, rounds *count);
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 1);
    for (size_t r = 0; r < rounds; r++) {
        times_again(random, s, again, times);
        for (size_t k = 0; k < count; k++)
            sizes[k * rounds + r] = (double)judge_sample_for(times, s->distinct, performances[k]);
    }
    gsl_rng_free(random);
    for (size_t k = 0; k < count; k++) {
        low[k] = high[k] = NAN;
        if (rounds > 0 && s->distinct > 0)
            middle(sizes + k * rounds, rounds, &low[k], &high[k]);
    }
    arena_free(a);
}
