#include "tuner/study/leastsq.h"

#include "metrics/base/arena.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include <string.h>

/* Parameters are searched in units of their start values, since one formula may mix seconds and hertz. */
typedef struct Search {
    const LeastsqProblem *problem;
    double scaled[LEASTSQ_PARAMETERS];
} Search;

static int residuals(const gsl_vector *x, void *context, gsl_vector *f)
{
    Search *s = context;
    const LeastsqProblem *p = s->problem;
    for (size_t k = 0; k < p->parameters; k++)
        s->scaled[k] = gsl_vector_get(x, k) * p->start[k];
    for (size_t i = 0; i < p->points; i++) {
        const double said = p->model(p->context, s->scaled, i);
        /* A large residual keeps the search away from where the model has no value. */
        const double off = isfinite(said) ? said - p->measured[i] : 1e6 * p->measured[i];
        gsl_vector_set(f, i, off);
    }
    return GSL_SUCCESS;
}

static double sigma_of(const LeastsqProblem *p, size_t i)
{
    return hypot(p->within * p->measured[i], p->standard_error[i]);
}

static void plain_weights(const LeastsqProblem *p, gsl_vector *w)
{
    for (size_t i = 0; i < p->points; i++) {
        const double sigma = sigma_of(p, i);
        gsl_vector_set(w, i, 1 / (sigma * sigma));
    }
}

/* Tukey's bisquare: residuals over 4.685 times their scale, the median absolute deviation / 0.6745. */
static void robust_weights(const LeastsqProblem *p, const gsl_vector *f, gsl_vector *w)
{
    SCOPED_ARENA *a = arena_new();
    double *size = ARENA_ARRAY(a, double, p->points), *sorted = ARENA_ARRAY(a, double, p->points);
    for (size_t i = 0; i < p->points; i++)
        sorted[i] = size[i] = fabs(gsl_vector_get(f, i)) / sigma_of(p, i);
    gsl_sort(sorted, 1, p->points);
    const double scale = gsl_stats_median_from_sorted_data(sorted, 1, p->points) / 0.6745 + 1e-12;
    for (size_t i = 0; i < p->points; i++) {
        const double u = size[i] / (4.685 * scale), sigma = sigma_of(p, i);
        /* Not 0: points without weight could leave parameters undetermined. */
        const double bisquare = u < 1 ? (1 - u * u) * (1 - u * u) : 0;
        gsl_vector_set(w, i, fmax(bisquare, 1e-6) / (sigma * sigma));
    }
}

typedef struct Solver {
    gsl_multifit_nlinear_workspace *work;
    gsl_multifit_nlinear_fdf fdf;
    gsl_vector *x, *w;
    gsl_matrix *covariance;
} Solver;

static Solver solver_new(const LeastsqProblem *p, Search *s)
{
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    how.trs = gsl_multifit_nlinear_trs_lm;
    how.fdtype = GSL_MULTIFIT_NLINEAR_CTRDIFF;
    how.solver = gsl_multifit_nlinear_solver_svd;
    Solver v = {.work = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, p->points,
                                                   p->parameters),
                .fdf = {.f = residuals, .n = p->points, .p = p->parameters, .params = s},
                .x = gsl_vector_alloc(p->parameters),
                .w = gsl_vector_alloc(p->points),
                .covariance = gsl_matrix_alloc(p->parameters, p->parameters)};
    gsl_vector_set_all(v.x, 1);
    plain_weights(p, v.w);
    return v;
}

/* Solves from the start v->x, which becomes the result. */
static bool solve(Solver *v)
{
    int info = 0;
    if (gsl_multifit_nlinear_winit(v->x, v->w, &v->fdf, v->work) != GSL_SUCCESS)
        return false;
    const int status =
        gsl_multifit_nlinear_driver(300, 1e-10, 1e-10, 0, NULL, NULL, &info, v->work);
    gsl_vector_memcpy(v->x, gsl_multifit_nlinear_position(v->work));
    return status == GSL_SUCCESS || info == GSL_ENOPROG; /* the start is already the best */
}

static bool search(const LeastsqProblem *p, LeastsqFit *out)
{
    enum { ROBUST_ROUNDS = 12 };
    Search s = {.problem = p};
    Solver v = solver_new(p, &s);
    bool ok = solve(&v);
    for (int round = 0; ok && p->robust && round < ROBUST_ROUNDS; round++) {
        gsl_vector *f = gsl_vector_alloc(p->points);
        residuals(v.x, &s, f); /* those of the workspace are weighted */
        robust_weights(p, f, v.w);
        gsl_vector_free(f);
        ok = solve(&v);
    }
    if (ok) {
        gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(v.work), 0, v.covariance);
        const gsl_vector *f = gsl_multifit_nlinear_residual(v.work);
        double squares;
        gsl_blas_ddot(f, f, &squares);
        const double scale = out->freedom > 0 ? squares / (double)out->freedom : 0;
        for (size_t k = 0; k < p->parameters; k++) {
            out->value[k] = gsl_vector_get(v.x, k) * p->start[k];
            for (size_t m = 0; m < p->parameters; m++)
                out->covariance[k][m] =
                    gsl_matrix_get(v.covariance, k, m) * scale * p->start[k] * p->start[m];
        }
    }
    gsl_multifit_nlinear_free(v.work);
    gsl_vector_free(v.x);
    gsl_vector_free(v.w);
    gsl_matrix_free(v.covariance);
    return ok;
}

/* Computes the residual statistics; false if the model has no value for a point. */
static bool judge(const LeastsqProblem *p, LeastsqFit *out)
{
    double squares = 0, relative = 0;
    for (size_t i = 0; i < p->points; i++) {
        const double said = p->model(p->context, out->value, i);
        if (!isfinite(said))
            return false;
        const double left = p->measured[i] - said, off = p->measured[i] / said - 1;
        squares += left * left / (sigma_of(p, i) * sigma_of(p, i));
        relative += off * off;
        if (fabs(off) > fabs(out->largest)) {
            out->largest = off;
            out->worst = i;
        }
    }
    out->rms = sqrt(relative / (double)p->points);
    out->probability = out->freedom > 0 ? gsl_cdf_chisq_Q(squares, (double)out->freedom) : 1;
    return true;
}

/* Marks parameters that no point depends on. */
static void find_idle(const LeastsqProblem *p, LeastsqFit *out)
{
    double at[LEASTSQ_PARAMETERS];
    memcpy(at, out->value, sizeof at);
    for (size_t k = 0; k < p->parameters; k++) {
        double most = 0;
        for (size_t i = 0; i < p->points; i++) {
            at[k] = out->value[k];
            const double said = p->model(p->context, at, i);
            at[k] = 1.001 * out->value[k];
            most = fmax(most, fabs(p->model(p->context, at, i) / said - 1));
        }
        at[k] = out->value[k];
        out->idle[k] = most < 1e-9;
    }
}

bool leastsq(const LeastsqProblem *p, LeastsqFit *out, const char **why)
{
    *out = (LeastsqFit){0};
    if (p->points < p->parameters || p->points == 0) {
        *why = "there are fewer points than parameters";
        return false;
    }
    out->freedom = p->points - p->parameters;
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    bool ok = p->parameters == 0 || search(p, out);
    ok = ok && judge(p, out);
    if (ok)
        find_idle(p, out);
    gsl_set_error_handler(before);
    *why = ok ? NULL : "the search for its parameters does not converge";
    return ok;
}
