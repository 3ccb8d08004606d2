/* A Gaussian process over configurations: what is believed of a logarithm of time, and how surely.
 *
 * Likeness of two configurations: the sum over the parameters of 1 where they are equal, 1/2 where
 * their values are neighbours in the order of the space, else 0.  In halves it is a whole number,
 * so a covariance is a look into a table.  With S their likeness of np,
 *
 *     y_i = mean + sum of slope_k x_ik + f(i) + noise_i
 *     cov f(i,j) = sum of spread_k^2 x_ik x_jk + linear^2 S/np + local^2 decay^(np - S)
 *
 * Triangles in the rank of a value are positive definite, and so are sums and products of them.
 * The mean is estimated by generalized least squares (Rasmussen, Williams, "Gaussian Processes for
 * Machine Learning", 2006, 2.7). */
#pragma once

#include "metrics/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROCESS_PARAMETERS = 64, PROCESS_INPUTS = 16 };

/* All standard deviations of y. */
typedef struct ProcessShape {
    double slope[PROCESS_INPUTS];  /* of each x */
    double spread[PROCESS_INPUTS]; /* of the slope */
    double linear;                 /* of what parameters do each by itself */
    double local;                  /* of what their combination does */
    double decay;                  /* of that, with every parameter that differs */
    double noise;                  /* of one value of y */
    double cost;                   /* nats that this shape must be more likely than others */
} ProcessShape;

/* Points as value numbers, one row of `parameters` for each. */
typedef struct ProcessData {
    size_t count;
    size_t parameters; /* at most PROCESS_PARAMETERS */
    const uint16_t *points;
    size_t inputs;   /* at most PROCESS_INPUTS */
    const double *x; /* so many of each point */
    const double *y;
    const double *variance; /* of each y, beside the shape's noise */
} ProcessData;

typedef struct Process Process;

/* Likeness of two points, in halves: 0 to 2 * parameters. */
unsigned process_likeness(const uint16_t *a, const uint16_t *b, size_t parameters);

/* What is believed of the data, with that of the `shapes` that makes it the most likely.  Lives in
 * the arena; the data are copied.  NULL when no shape can be fitted: the data are not finite. */
Process *process_fit(Arena *a, const ProcessData *data, const ProcessShape *shapes, size_t count);

/* The shape that was the most likely. */
const ProcessShape *process_shape(const Process *p);

/* Believed means of `count` points, of which `x` has as many inputs as the data had. */
void process_means(const Process *p, const uint16_t *points, const double *x, size_t count,
                   double *means);

/* Standard deviation of y without its noise at one point, and where nothing is near: it is never
 * above that.  Scratch is kept in `p`. */
double process_deviation(Process *p, const uint16_t *point, const double *x);
double process_prior(const Process *p, const double *x);
