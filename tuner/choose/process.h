/* A Gaussian process over configurations: a posterior of the logarithm of a time.
 *
 * The similarity of two configurations is the sum over the parameters of 1 where they are equal, 1/2 where
 * their values are neighbours in the order of the space, else 0.  Counted in halves it is an integer, so a
 * covariance is a table look-up.  With S the similarity and np parameters,
 *
 *     y_i = mean + sum of slope_k x_ik + f(i) + noise_i
 *     cov f(i,j) = sum of spread_k^2 x_ik x_jk + linear^2 S/np + local^2 decay^(np - S)
 *
 * Triangles in the rank of a value are positive definite, and so are sums and products of them.
 * The mean is estimated by generalized least squares (Rasmussen, Williams, "Gaussian Processes for
 * Machine Learning", 2006, 2.7). */
#pragma once

#include "metrics/base/arena.h"

#include <stdint.h>

enum { PROCESS_PARAMETERS = 64, PROCESS_INPUTS = 16 };

/* Hyperparameters; all but decay and cost are standard deviations of y, or slopes. */
typedef struct ProcessShape {
    double slope[PROCESS_INPUTS];  /* mean coefficient of each x */
    double spread[PROCESS_INPUTS]; /* deviation of the coefficient */
    double linear;                 /* of the parameters' separate effects */
    double local;                  /* of the effect of their combination */
    double decay;                  /* of the local covariance, for each parameter that differs */
    double noise;                  /* of a single y */
    double cost; /* log-likelihood in nats by which this shape must exceed others */
} ProcessShape;

/* A point is a row of `parameters` value numbers. */
typedef struct ProcessData {
    size_t count;
    size_t parameters; /* at most PROCESS_PARAMETERS */
    const uint16_t *points;
    size_t inputs;   /* at most PROCESS_INPUTS */
    const double *x; /* `inputs` for each point */
    const double *y;
    const double *variance; /* of each y, in addition to the shape's noise */
} ProcessData;

typedef struct Process Process;

/* Similarity of two points, in halves: 0 to 2 * parameters. */
unsigned process_similarity(const uint16_t *a, const uint16_t *b, size_t parameters);

/* The posterior given the data, under the shape of the highest likelihood.  Lives in the arena; the data are
 * copied.  NULL when no shape can be fitted: the data are not finite. */
Process *process_fit(Arena *a, const ProcessData *data, const ProcessShape *shapes, size_t count);

/* The shape of the highest likelihood. */
const ProcessShape *process_shape(const Process *p);

/* Posterior means of `count` points; `x` has as many inputs for each as the data had. */
void process_means(const Process *p, const uint16_t *points, const double *x, size_t count,
                   double *means);

/* Posterior standard deviation of y, without noise, at one point.  Uses scratch memory in `p`. */
double process_deviation(Process *p, const uint16_t *point, const double *x);
