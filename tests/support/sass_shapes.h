/* The kernels of tests/data/sass/shapes.cu, as the tests of machine code use them. */
#pragma once

#include "metrics/cubin/sass_profile.h"

typedef struct Shape {
    const CubinKernel *kernel;
    const Walk *walk;
    const SassFlow *flow;
    const SassJoin *join;
    SassProfile profile;
} Shape;

/* One kernel compiled for sm_`arch` (80, 90 or 100), 32 threads a block, `n` as its number
 * (pointers are 0). */
Shape sass_shape(Arena *a, const char *kernel, int arch, int n);

/* Executed instructions of an opcode. */
double sass_shape_executed(const Shape *s, int opcode);
