#include "tuner/study/guess.h"

#include "tuner/study/first.h"
#include "tuner/study/judge.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

const size_t GUESS_TIMED[GUESS_SIZES] = {1, 8, 16};

/* Milliseconds that one of the unit is; NaN: it is no time. */
static double ms_of_unit(const char *unit, const Device *d)
{
    static const struct {
        const char *unit;
        double ms;
    } times[] = {{"seconds", 1e3}, {"ms", 1}, {"us", 1e-3}, {"ns", 1e-6}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (strcmp(unit, times[i].unit) == 0)
            return times[i].ms;
    return strcmp(unit, "cycles") == 0 && d && d->clock_hz > 0 ? 1e3 / d->clock_hz : NAN;
}

double guess_ms(const Table *t, size_t metric, size_t row)
{
    return t->metric[metric][row] * ms_of_unit(t->metrics->metrics.at[metric].unit, t->device);
}

static void set_errors(Arena *scratch, const Table *t, size_t metric, StudyGuess *g)
{
    double *error = ARENA_ARRAY(scratch, double, t->count);
    size_t n = 0, near = 0;
    for (size_t i = 0; i < t->count; i++) {
        const double e = fabs(guess_ms(t, metric, i) / t->times[i].median - 1);
        if (t->same_as[i] != i || isnan(e))
            continue;
        error[n++] = e;
        near += e <= 0.05;
    }
    if (n == 0)
        return;
    gsl_sort(error, 1, n);
    g->error = gsl_stats_median_from_sorted_data(error, 1, n);
    g->error_90 = gsl_stats_quantile_from_sorted_data(error, 1, n, 0.9);
    g->within_5 = (double)near / (double)n;
}

StudyGuess study_guess(const Table *t, size_t metric)
{
    const Metric *m = &t->metrics->metrics.at[metric];
    StudyGuess g = {.metric = m->name, .error = NAN, .error_90 = NAN, .within_5 = NAN};
    Arena *scratch = arena_new();
    double *values = ARENA_ARRAY(scratch, double, t->count);
    for (size_t i = 0; i < t->count; i++) {
        const bool counts = t->same_as[i] == i && !isnan(t->ms[i]);
        values[i] = counts ? t->metric[metric][i] : NAN;
        g.known += isnan(values[i]) ? 0 : 1;
    }
    for (size_t k = 0; k < GUESS_SIZES; k++) {
        FirstBy first = first_by(scratch, t, values, m->higher, GUESS_TIMED[k]);
        g.performance[k] = 1 / (1 + first_regret(t, &first));
    }
    g.correlation = judge_rank_correlation(scratch, values, judge_times(scratch, t), t->count);
    set_errors(scratch, t, metric, &g);
    arena_free(scratch);
    return g;
}
