#include "tuner/study/fit.h"

#include "tuner/study/judge.h"
#include "tuner/study/study.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <math.h>

/* Which metrics are fitted to which sets. */
typedef struct Fit {
    const PointSet *const *sets;
    size_t set_count, left_out; /* SIZE_MAX: none is */
    const int *metrics;
    size_t metric_count;
} Fit;

/* A distinct point with a time and all metrics. */
static bool usable(const Fit *f, const PointSet *s, size_t i)
{
    bool all = s->same_as[i] == i && s->ms[i] > 0;
    for (size_t m = 0; m < f->metric_count && all; m++)
        all = isfinite(s->metric[f->metrics[m]][i]);
    return all;
}

static size_t count_usable(const Fit *f, const PointSet *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        n += usable(f, s, i);
    return n;
}

static size_t count_all(const Fit *f)
{
    size_t n = 0;
    for (size_t k = 0; k < f->set_count; k++)
        n += k == f->left_out ? 0 : count_usable(f, f->sets[k]);
    return n;
}

/* A row per point: metrics over time, to be 1 in sum; weighted so that spaces count alike. */
static void fill_rows(const Fit *f, gsl_matrix *x, gsl_vector *y, gsl_vector *w)
{
    size_t row = 0;
    for (size_t k = 0; k < f->set_count; k++) {
        const PointSet *s = f->sets[k];
        size_t n = k == f->left_out ? 0 : count_usable(f, s);
        for (size_t i = 0; i < s->count && n > 0; i++) {
            if (!usable(f, s, i))
                continue;
            for (size_t m = 0; m < f->metric_count; m++)
                gsl_matrix_set(x, row, m, s->metric[f->metrics[m]][i] / s->ms[i]);
            gsl_vector_set(y, row, 1);
            gsl_vector_set(w, row++, 1 / (double)n);
        }
    }
}

static bool solve(Arena *a, const Fit *f, FitResult *out, Diag *d)
{
    size_t n = count_all(f), m = f->metric_count;
    if (n <= m)
        return diag_fail(d, "%zu points have a time and all %zu metrics: too few to fit", n, m);
    gsl_matrix *x = gsl_matrix_alloc(n, m), *covariance = gsl_matrix_alloc(m, m);
    gsl_vector *y = gsl_vector_alloc(n), *w = gsl_vector_alloc(n), *c = gsl_vector_alloc(m);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(n, m);
    double squares;
    fill_rows(f, x, y, w);
    int status = gsl_multifit_wlinear(x, w, y, c, covariance, &squares, work);
    double *weights = ARENA_ARRAY(a, double, m), sum = 0;
    for (size_t k = 0; k < m; k++)
        weights[k] = gsl_vector_get(c, k);
    for (size_t k = 0; k < n; k++)
        sum += gsl_vector_get(w, k);
    out->weights = weights;
    out->points = n;
    out->error = sqrt(squares / sum);
    gsl_multifit_linear_free(work);
    gsl_vector_free(c);
    gsl_vector_free(w);
    gsl_vector_free(y);
    gsl_matrix_free(covariance);
    gsl_matrix_free(x);
    return status == GSL_SUCCESS ||
           diag_fail(d, "the metrics cannot be fitted: %s", gsl_strerror(status));
}

double *fit_values(Arena *a, const PointSet *s, const int *metrics, size_t metric_count,
                   const double *weights)
{
    double *values = ARENA_ARRAY(a, double, s->count);
    for (size_t i = 0; i < s->count; i++)
        for (size_t m = 0; m < metric_count; m++)
            values[i] += weights[m] * s->metric[metrics[m]][i];
    return values;
}

/* On the space that the weights have not seen. */
static void judge_left_out(const Fit *f, size_t budget, FitResult *out)
{
    const PointSet *s = f->sets[f->left_out];
    Arena *scratch = arena_new();
    double *values = fit_values(scratch, s, f->metrics, f->metric_count, out->weights);
    for (size_t i = 0; i < s->count; i++)
        values[i] = usable(f, s, i) ? values[i] : NAN;
    out->left_out = s;
    out->correlation = judge_rank_correlation(scratch, values, s->ms, s->count);
    out->place = s->best == SIZE_MAX ? 0 : judge_place(values, s->count, false, s->best);
    bool *chosen = ARENA_ARRAY(scratch, bool, s->count);
    study_best_by(s, values, false, budget, chosen);
    out->regret = judge(s, chosen).regret;
    arena_free(scratch);
}

const FitResult *fit_metrics(Arena *a, const PointSet *const *sets, size_t set_count,
                             const int *metrics, size_t metric_count, const size_t *budgets,
                             size_t *count, Diag *d)
{
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    FitResult *all = ARENA_ARRAY(a, FitResult, set_count + 1);
    bool ok = true;
    *count = 0;
    for (size_t k = set_count > 1 ? 0 : set_count; k <= set_count && ok; k++) {
        Fit f = {sets, set_count, k < set_count ? k : SIZE_MAX, metrics, metric_count};
        FitResult *r = &all[(*count)++];
        *r = (FitResult){.correlation = NAN, .regret = NAN};
        ok = solve(a, &f, r, d);
        if (ok && k < set_count)
            judge_left_out(&f, budgets[k], r);
    }
    gsl_set_error_handler(before);
    return ok ? all : NULL;
}
