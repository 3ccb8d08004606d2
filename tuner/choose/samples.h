/* What a process over a space is fitted to: of all that is known the best, and some of the rest. */
#pragma once

#include "tuner/choose/process.h"

typedef struct Sample {
    size_t row;
    double y;
    double variance; /* of y, beside the model's noise */
} Sample;

/* Rising by y, then by row. */
int sample_compare(const void *a, const void *b);

/* The `best` least, and `spread` of the rest, evenly, at the front; how many these are. */
size_t samples_thin(Sample *all, size_t count, size_t best, size_t spread);

/* What is far from the least need not be exact: variance that grows by `blur` with the square of
 * the distance, beside the sample's own. */
double sample_variance(const Sample *s, double least, double blur);

/* Shapes for what is known by its parameters alone, and by `inputs` of a mean (0 or 1). */
enum { SPACE_SHAPES = 128, SPACE_BEST = 150, SPACE_SPREAD = 70 };
size_t samples_shapes(ProcessShape *out, size_t inputs);
extern const double space_blur;
