#include "tuner/study/study.h"

#include "tuner/study/bootstrap.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

/* --- the metric as a prediction of the time --------------------------------------------------- */

/* Numbers of timings. */
static const size_t GUESS_TIMED[GUESS_SIZES] = {1, 8, 16};

/* Milliseconds in a unit; NaN: it is no unit of time. */
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

/* The metric's value in milliseconds, if its unit is a time or cycles of the device; NaN otherwise. */
static double guess_ms(const Table *t, size_t metric, size_t row)
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

/* The metric of each distinct point with a time, NaN for other points; *known becomes the number of
 * values. */
static double *metric_values(Arena *a, const Table *t, size_t metric, size_t *known)
{
    double *values = ARENA_ARRAY(a, double, t->count);
    *known = 0;
    for (size_t i = 0; i < t->count; i++) {
        const bool counts = t->same_as[i] == i && !isnan(t->ms[i]);
        values[i] = counts ? t->metric[metric][i] : NAN;
        *known += isnan(values[i]) ? 0 : 1;
    }
    return values;
}

/* Judges how well metric number `metric` predicts the time. */
static StudyGuess study_guess(const Table *t, size_t metric)
{
    const Metric *m = &t->metrics->metrics.at[metric];
    StudyGuess g = {.metric = m->name, .error = NAN, .error_90 = NAN, .within_5 = NAN};
    SCOPED_ARENA *scratch = arena_new();
    const double *values = metric_values(scratch, t, metric, &g.known);
    for (size_t k = 0; k < GUESS_SIZES; k++) {
        FirstBy first = first_by(scratch, t, values, m->higher, GUESS_TIMED[k]);
        g.performance[k] = 1 / (1 + first_regret(t, &first));
    }
    g.correlation = judge_rank_correlation(scratch, values, judge_times(scratch, t), t->count);
    set_errors(scratch, t, metric, &g);
    return g;
}

/* --- carvings and metrics --------------------------------------------------------------------- */

static void study_carvings(Arena *a, Study *y, const StudyChoice *choices, size_t n,
                           const StudyOptions *o)
{
    y->carvings = ARENA_ARRAY(a, StudyCarving, n);
    y->carving_count = n;
    for (size_t k = 0; k < n; k++) {
        StudyCarving *c = &y->carvings[k];
        *c = (StudyCarving){choices[k].name, judge(y->points, choices[k].chosen), NAN, NAN,
                            &choices[k]};
        if (o->bootstraps > 0)
            bootstrap_regret(y->points, choices[k].chosen, o->bootstraps, &c->regret_low,
                             &c->regret_high);
    }
    y->budget = n > 0 ? y->carvings[0].judgement.chosen : 0;
}

static StudyMetric study_metric(const Table *s, size_t m, size_t budget, size_t bootstraps)
{
    const Metric *metric = &s->metrics->metrics.at[m];
    StudyMetric out = {.name = metric->name,
                       .reason = "",
                       .correlation_low = NAN,
                       .correlation_high = NAN,
                       .regret = NAN,
                       .regret_low = NAN,
                       .regret_high = NAN};
    SCOPED_ARENA *scratch = arena_new();
    const double *values = metric_values(scratch, s, m, &out.known);
    const double *times = judge_times(scratch, s);
    out.unknown = s->distinct - out.known;
    if (out.unknown > 0)
        out.reason = s->gaps[m].reason ? s->gaps[m].reason : "there is no profile";
    double rho = judge_rank_correlation(scratch, values, times, s->count);
    out.correlation = metric->higher ? -rho : rho;
    if (s->best != SIZE_MAX)
        out.place = judge_place(values, s->count, metric->higher, s->best);
    FirstBy first = first_by(scratch, s, values, metric->higher, budget);
    out.regret = first_regret(s, &first);
    if (bootstraps > 0)
        bootstrap_first(s, &first, bootstraps, &out.regret_low, &out.regret_high);
    return out;
}

/* Correlations are positive if better means faster: those of higher-is-better metrics change sign. */
static void find_correlation_intervals(Study *y, size_t bootstraps)
{
    SCOPED_ARENA *scratch = arena_new();
    double *low = ARENA_ARRAY(scratch, double, y->metric_count);
    double *high = ARENA_ARRAY(scratch, double, y->metric_count);
    bootstrap_correlations(y->points, bootstraps, low, high);
    for (size_t m = 0; m < y->metric_count; m++) {
        bool higher = y->points->metrics->metrics.at[m].higher;
        y->metrics[m].correlation_low = higher ? -high[m] : low[m];
        y->metrics[m].correlation_high = higher ? -low[m] : high[m];
    }
}

static void study_metrics(Arena *a, Study *y, size_t bootstraps)
{
    y->metric_count = y->points->metrics->metrics.count;
    y->metrics = ARENA_ARRAY(a, StudyMetric, y->metric_count);
    for (size_t m = 0; m < y->metric_count; m++)
        y->metrics[m] = study_metric(y->points, m, y->budget, bootstraps);
    if (bootstraps > 0)
        find_correlation_intervals(y, bootstraps);
}

/* --- samples and budgets ---------------------------------------------------------------------- */

static void study_samples(Study *y, size_t bootstraps)
{
    static const double performances[] = {0.90, 0.95};
    const Table *s = y->points;
    size_t most = 100 * (s->distinct + 1); /* with replacement, some may never be drawn */
    y->sample_90 = judge_sample_for(s->sorted, s->distinct, 0.90);
    y->sample_95 = judge_sample_for(s->sorted, s->distinct, 0.95);
    y->draws_90 = judge_draws_for(s->sorted, s->distinct, 0.90, most);
    y->draws_95 = judge_draws_for(s->sorted, s->distinct, 0.95, most);
    for (int k = 0; k < 2; k++)
        y->sample_low[k] = y->sample_high[k] = NAN;
    if (bootstraps > 0)
        bootstrap_samples(s, performances, 2, bootstraps, y->sample_low, y->sample_high);
}

/* 1, 2, 5, 10, 20 … and the whole space. */
static void study_budgets(Arena *a, Study *y, const char *time_metric, size_t bootstraps)
{
    static const size_t leads[] = {1, 2, 5};
    const Table *s = y->points;
    int m = metricset_find(s->metrics, time_metric);
    if (m < 0 || s->best == SIZE_MAX || s->profiled == 0)
        return;
    VEC(StudyBudget) v = {0};
    SCOPED_ARENA *scratch = arena_new();
    size_t known;
    const double *values = metric_values(scratch, s, (size_t)m, &known);
    for (size_t power = 1, size = 1; size < s->distinct; power *= 10)
        for (size_t k = 0; k < 3 && size < s->distinct; k++) {
            size = power * leads[k] < s->distinct ? power * leads[k] : s->distinct;
            bool higher = s->metrics->metrics.at[m].higher;
            FirstBy first = first_by(scratch, s, values, higher, size);
            StudyBudget b = {size, first_regret(s, &first), judge_random_regret(s, size), NAN, NAN};
            if (bootstraps > 0)
                bootstrap_first(s, &first, bootstraps, &b.regret_low, &b.regret_high);
            VEC_PUSH(a, &v, b);
        }
    y->budgets = v.at;
    y->budget_count = v.count;
}

static void study_races(Arena *a, Study *y, const StudyOptions *o)
{
    if (y->points->best == SIZE_MAX || o->seeds == 0)
        return;
    y->race_seeds = o->seeds;
    y->races = race_all(a, y->points, o->time_metric, o->seeds, &y->race_count);
}

Study study_space(Arena *a, const Table *s, const StudyChoice *choices, size_t choice_count,
                  const StudyOptions *o)
{
    Study y = {.points = s, .objective = s->objective};
    if (!s->objective || !*s->objective)
        y.objective = "time";
    else if (!table_is_by_energy(s))
        y.objective = arena_printf(a, "time per %s", s->objective);
    study_carvings(a, &y, choices, choice_count, o);
    study_metrics(a, &y, o->bootstraps);
    study_samples(&y, o->bootstraps);
    const int guess = metricset_find(s->metrics, o->time_metric);
    if (guess >= 0 && s->best != SIZE_MAX && s->profiled > 0)
        y.guess = study_guess(s, (size_t)guess);
    study_budgets(a, &y, o->time_metric, o->bootstraps);
    study_races(a, &y, o);
    return y;
}
