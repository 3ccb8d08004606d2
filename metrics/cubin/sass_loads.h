/* Where the sectors of the code's global loads come from, and so how long the loads take.
 *
 * Reuse is analysed for the PTX's loads (memory.h): shares of their sectors come from the L1, the L2 or
 * memory.  A load of the code is mapped to loads of the PTX in the paired loop (sass_pair.h) with the same
 * bytes per lane and the same depth of dependent loads (an index that is loaded is one before what it
 * indexes).  If several fit, the order decides; if their numbers differ, their mean is taken. */
#pragma once

#include "metrics/cubin/sass_join.h"
#include "metrics/ptx/memory.h"

/* What a load waits for. */
typedef struct SassSource {
    double l2;      /* probability that it misses the L1 */
    double memory;  /* probability that it misses the L2, too */
    double places;  /* lines that it requests, adjacent ones as one … */
    double sectors; /* … and sectors; it waits for the last of them */
} SassSource;

/* A load of the PTX. */
typedef struct SassLoadText {
    int loop; /* of the entry function, CFG_NONE for none; SASS_ELSEWHERE in another function */
    int bytes;
    int depth;
    double times; /* executions by a warp */
    SassSource from;
} SassLoadText;

enum { SASS_ELSEWHERE = -2 };

typedef struct SassLoads {
    VEC(SassLoadText) text;
    SassSource mean;
} SassLoads;

/* The loads that a walk executed. */
const SassLoads *sass_loads_of(Arena *a, const Memory *m, const Walk *w);

/* By instruction of the code, for loads, atomics and copies from global memory. */
SassSource *sass_loads_find(Arena *a, const SassJoin *j, const SassLoads *loads);
