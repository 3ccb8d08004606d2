/* A made-up space whose times are known: five parameters of six values each. */
#pragma once

#include "tuner/choose/replay.h"

enum { PARAMETERS = 5, VALUES = 6, POINTS = 7776 };

/* The number of values of each parameter, of up to eight. */
extern const size_t made_values[8];

/* The time of a point, the numbers of its `n` values, as kernels have it: each parameter has its best value,
 * two of them depend on each other, and everything has a few percent of its own. */
double made_up_ms(const uint16_t *v, size_t n);

/* Its rows are in `arena`, which the caller frees. */
typedef struct MadeSpace {
    Arena *arena;
    ReplayRows rows;
    ReplayRow *at; /* of the rows */
    double best;
} MadeSpace;

/* All its points, as they are numbered, predicted by their times to the power of `lie`. */
MadeSpace made_space(double lie);
