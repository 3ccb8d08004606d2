/* How long the code's loads of global memory take: where their sectors come from.
 *
 * The PTX's loads are followed (memory.h): parts of their sectors come from the L1, the L2 or from memory.
 * A load of the code is taken for one of the text that lies in the paired loop (sass_pair.h), moves as many
 * bytes a lane and stands behind as many loads: an index that is loaded is one before what it is an index
 * of.  Of several of these, that of the same place in the order; where their numbers differ, for their
 * mean. */
#pragma once

#include "metrics/cubin/sass_join.h"
#include "metrics/ptx/memory.h"

/* Parts of what a load waits for, 0 to 1. */
typedef struct SassSource {
    double l2;      /* past the L1: in the L2 or in memory */
    double memory;  /* of it all: from memory */
    double places;  /* lines that it asks for, those beside each other as one … */
    double sectors; /* … and sectors: the last of them is waited for */
} SassSource;

/* A load of the text. */
typedef struct SassLoadText {
    int loop; /* of the entry function, CFG_NONE for none; SASS_ELSEWHERE in another function */
    int bytes;
    int depth;
    double times; /* that a warp comes there */
    SassSource from;
} SassLoadText;

enum { SASS_ELSEWHERE = -2 };

typedef struct SassLoads {
    VEC(SassLoadText) text;
    SassSource mean;
} SassLoads;

/* Those that a walk of `m` came to. */
const SassLoads *sass_loads_of(Arena *a, const Memory *m, const Walk *w);

/* By instruction of the code: of loads, atomics and copies from global memory. */
SassSource *sass_loads_find(Arena *a, const SassJoin *j, const SassLoads *loads);
