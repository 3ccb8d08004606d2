/* Nonlinear least squares by GSL.
 *
 * Errors are relative: each measured value y has the weight 1/σ², σ² = (within · y)² + (its standard error)².
 * The standard errors of the parameters are scaled by the reduced χ² (χ²/degrees of freedom), so that they do
 * not depend on `within`; the goodness-of-fit test asks whether the residuals exceed what `within` and the
 * measurement explain. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { LEASTSQ_PARAMETERS = 8 };

typedef struct LeastsqProblem {
    size_t points, parameters;
    const double *measured;       /* per point, not 0 */
    const double *standard_error; /* per point, of `measured` */
    const double *start;          /* per parameter, not 0 */
    double within;                /* relative */
    bool robust;                  /* bisquare weights */
    /* The model's value for a point; not finite: it has none. */
    double (*model)(void *context, const double *parameters, size_t point);
    void *context;
} LeastsqProblem;

typedef struct LeastsqFit {
    double value[LEASTSQ_PARAMETERS];
    double covariance[LEASTSQ_PARAMETERS][LEASTSQ_PARAMETERS];
    bool idle[LEASTSQ_PARAMETERS]; /* no point depends on it: it keeps its start value */
    size_t freedom;                /* points - parameters */
    double rms, largest;           /* of measured / fitted - 1; `largest` by magnitude */
    size_t worst;                  /* the point with the largest error */
    double probability;            /* p-value of the residuals under the model; 1 without freedom */
} LeastsqFit;

/* False with the reason in `why`: fewer points than parameters, or no convergence. */
bool leastsq(const LeastsqProblem *p, LeastsqFit *out, const char **why);
