#include "tuner/study/fit.h"

#include "tuner/study/bootstrap.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>

/* Which metrics are fitted to which sets. */
typedef struct Fit {
    const Table *const *sets;
    size_t set_count, left_out; /* left_out SIZE_MAX: none */
    const int *metrics;
    size_t metric_count;
    size_t bootstraps;
} Fit;

/* True for a distinct point with a time and all metrics. */
static bool usable(const Fit *f, const Table *s, size_t i)
{
    bool all = s->same_as[i] == i && s->ms[i] > 0;
    for (size_t m = 0; m < f->metric_count && all; m++)
        all = isfinite(s->metric[f->metrics[m]][i] / s->ms[i]);
    return all;
}

static size_t count_usable(const Fit *f, const Table *s)
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

/* One row per point, metrics over time with target 1, weighted so that all spaces count the same. */
static void fill_rows(const Fit *f, gsl_matrix *x, gsl_vector *y, gsl_vector *w)
{
    size_t row = 0;
    for (size_t k = 0; k < f->set_count; k++) {
        const Table *s = f->sets[k];
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

/* --- least squares ---------------------------------------------------------------------------- */

typedef struct System {
    size_t rows, columns;
    gsl_matrix *x, *covariance;
    gsl_vector *y, *weight, *solution;
    gsl_multifit_linear_workspace *work;
} System;

static System system_new(size_t rows, size_t columns)
{
    return (System){.rows = rows,
                    .columns = columns,
                    .x = gsl_matrix_alloc(rows, columns),
                    .covariance = gsl_matrix_alloc(columns, columns),
                    .y = gsl_vector_alloc(rows),
                    .weight = gsl_vector_alloc(rows),
                    .solution = gsl_vector_alloc(columns),
                    .work = gsl_multifit_linear_alloc(rows, columns)};
}

static void system_free(System *s)
{
    gsl_multifit_linear_free(s->work);
    gsl_vector_free(s->solution);
    gsl_vector_free(s->weight);
    gsl_vector_free(s->y);
    gsl_matrix_free(s->covariance);
    gsl_matrix_free(s->x);
}

/* Relative tolerance of the singular values: a column whose residual on the others is smaller counts as
 * dependent.  Metrics are sums of a few dozen numbers, whose rounding errors are smaller. */
static const double tolerance = 1e-9;

/* Solves for the first `columns`; of all solutions, the one of minimum norm.  Returns GSL's status. */
static int solve_first(System *s, size_t columns, double *squares, size_t *rank)
{
    gsl_matrix_view x = gsl_matrix_submatrix(s->x, 0, 0, s->rows, columns);
    gsl_matrix_view covariance = gsl_matrix_submatrix(s->covariance, 0, 0, columns, columns);
    gsl_vector_view solution = gsl_vector_subvector(s->solution, 0, columns);
    return gsl_multifit_wlinear_tsvd(&x.matrix, s->weight, s->y, tolerance, &solution.vector,
                                     &covariance.matrix, squares, rank, s->work);
}

/* Marks columns that depend linearly on those before them. */
static void find_dependent(System *s, bool *follows)
{
    double squares;
    size_t before = 0, rank;
    for (size_t k = 0; k < s->columns; k++) {
        gsl_vector_view column = gsl_matrix_column(s->x, k);
        bool zero = gsl_blas_dasum(&column.vector) <= 0;
        if (!zero && solve_first(s, k + 1, &squares, &rank) != GSL_SUCCESS)
            continue;
        follows[k] = zero || rank == before;
        before = zero ? before : rank;
    }
}

static bool solve(Arena *a, const Fit *f, FitResult *out, Diag *d)
{
    size_t n = count_all(f), m = f->metric_count, rank;
    double *weights = ARENA_ARRAY(a, double, m), squares, sum = 0;
    bool *follows = ARENA_ARRAY(a, bool, m);
    out->points = n;
    out->follows = follows;
    if (n <= m)
        return true;
    System s = system_new(n, m);
    fill_rows(f, s.x, s.y, s.weight);
    int status = solve_first(&s, m, &squares, &rank);
    for (size_t k = 0; k < m; k++)
        weights[k] = gsl_vector_get(s.solution, k);
    for (size_t k = 0; k < n; k++)
        sum += gsl_vector_get(s.weight, k);
    out->weights = weights;
    out->error = sqrt(squares / sum);
    if (status == GSL_SUCCESS && rank < m)
        find_dependent(&s, follows);
    system_free(&s);
    return status == GSL_SUCCESS ||
           diag_fail(d, "the metrics cannot be fitted: %s", gsl_strerror(status));
}

/* Judges the weights on the space that they were not fitted to. */
static void judge_left_out(const Fit *f, size_t budget, FitResult *out)
{
    const Table *s = f->sets[f->left_out];
    SCOPED_ARENA *scratch = arena_new();
    double *values = ARENA_ARRAY(scratch, double, s->count);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t m = 0; m < f->metric_count; m++)
            values[i] += out->weights[m] * s->metric[f->metrics[m]][i];
        values[i] = usable(f, s, i) ? values[i] : NAN;
    }
    out->correlation = judge_rank_correlation(scratch, values, s->ms, s->count);
    out->place = s->best == SIZE_MAX ? 0 : judge_place(values, s->count, false, s->best);
    FirstBy first = first_by(scratch, s, values, false, budget);
    out->regret = first_regret(s, &first);
    if (f->bootstraps > 0)
        bootstrap_first(s, &first, f->bootstraps, &out->regret_low, &out->regret_high);
}

const FitResult *fit_metrics(Arena *a, const Table *const *sets, size_t set_count,
                             const int *metrics, size_t metric_count, const size_t *budgets,
                             size_t bootstraps, size_t *count, Diag *d)
{
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    FitResult *all = ARENA_ARRAY(a, FitResult, set_count + 1);
    bool ok = true;
    *count = 0;
    for (size_t k = set_count > 1 ? 0 : set_count; k <= set_count && ok; k++) {
        Fit f = {sets, set_count, k < set_count ? k : SIZE_MAX, metrics, metric_count, bootstraps};
        FitResult *r = &all[(*count)++];
        *r = (FitResult){.left_out = k < set_count ? sets[k] : NULL,
                         .error = NAN,
                         .correlation = NAN,
                         .regret = NAN,
                         .regret_low = NAN,
                         .regret_high = NAN};
        ok = solve(a, &f, r, d);
        if (ok && r->weights && r->left_out)
            judge_left_out(&f, budgets[k], r);
        if (ok && !r->weights && !r->left_out)
            ok = diag_fail(d, "%zu configurations have a time and all %zu metrics: too few to fit",
                           r->points, metric_count);
    }
    gsl_set_error_handler(before);
    return ok ? all : NULL;
}
