/* Least squares of a formula that need not be linear in its parameters, by GSL.
 *
 * Errors are relative: each measured value y has the weight 1/σ², σ² = (within · y)² + (its own
 * standard error)².  The standard errors of the parameters are scaled by what was left over
 * (χ²/degrees of freedom), so that they do not depend on `within`; the test of fit asks whether
 * what was left over is more than `within` and the measurement explain. */
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
    /* What the parameters say of a point; not finite: they say nothing. */
    double (*model)(void *context, const double *parameters, size_t point);
    void *context;
} LeastsqProblem;

typedef struct LeastsqFit {
    double value[LEASTSQ_PARAMETERS];
    double covariance[LEASTSQ_PARAMETERS][LEASTSQ_PARAMETERS];
    bool idle[LEASTSQ_PARAMETERS]; /* no point depends on it there: it is where it started */
    size_t freedom;                /* points - parameters */
    double rms, largest;           /* of measured / fitted - 1; the largest by magnitude */
    size_t worst;                  /* which point that is of */
    double probability; /* of residuals this large if the model describes; 1 without freedom */
} LeastsqFit;

/* False: fewer points than parameters, or the search does not end; `why` says which. */
bool leastsq(const LeastsqProblem *p, LeastsqFit *out, const char **why);
