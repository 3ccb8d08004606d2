/* The samples that a process over a space is fitted to: the best of all that is known, and some of the
 * rest. */
#pragma once

#include "tuner/choose/process.h"

typedef struct Sample {
    size_t row;
    double y;
    double variance; /* of y, in addition to the model's noise */
} Sample;

/* Ascending by y, then by row. */
int sample_compare(const void *a, const void *b);

/* Sorts, then keeps the `best` least and `spread` evenly spaced ones of the rest; returns how many. */
size_t samples_thin(Sample *all, size_t count, size_t best, size_t spread);

/* The sample's own variance and `blur` times the squared distance from the least, since values far from
 * the least need not be fitted exactly. */
double sample_variance(const Sample *s, double least, double blur);

/* Shapes to try for a process with `inputs` (0 or 1) beside the parameters; returns how many. */
enum { SPACE_SHAPES = 128, SPACE_BEST = 150, SPACE_SPREAD = 70 };
size_t samples_shapes(ProcessShape *out, size_t inputs);
extern const double space_blur;
