/* How often one warp executes each block of the machine code.
 *
 * The PTX says what happens (walk.h), the machine code with which instructions; in between, ptxas has
 * moved, merged, unrolled and duplicated blocks.  So blocks are not matched with blocks.  The visits are a
 * flow through the machine code's graph, with one warp entering, that
 *
 *  1. conserves itself: what goes into a block goes out;
 *  2. executes what the PTX executes: landmarks (sass_anchor.def) in the same numbers, and loops as often
 *     as those they are paired with (sass_pair.h);
 *  3. and of all such flows executes the fewest instructions (an unrolled loop rather than its remainder,
 *     the way past a slow path rather than through it).
 *
 * This is a linear program with three objectives (sass_program.h); fractional values of its answer are
 * rounded by branch and bound.  Guarded instructions may count up to as often as they are visited.  A warp
 * whose lanes diverge at a branch goes both ways, and its groups come to the BSYNC behind it one by one.
 * No loop iterates more often per entry than the longest one of the PTX.
 *
 * Where landmarks still differ, `unmatched` says which; the visits are then the nearest fit.  It also says
 * where loops could be paired in several ways. */
#pragma once

#include "metrics/cubin/sass_anchor.h"
#include "metrics/cubin/sass_flow.h"

typedef struct SassJoin {
    const SassFlow *flow;
    double *visits;                     /* by block */
    double **edges;                     /* by block and successor */
    SassLandmarks walked;               /* those of the PTX, which the code should have */
    double in_code_least[SASS_ANCHORS]; /* without guarded instructions */
    double in_code_most[SASS_ANCHORS];  /* with all of them */
    /* By loop of the code: its pair in the PTX's entry function, or CFG_NONE.  NULL: no pairs were sought. */
    const int *paired;
    const char *unmatched; /* why the visits are uncertain; NULL: they are not */
    double deviation;      /* relative error of the visits in that case */
    double open;    /* instructions that may be executed in addition, for all that landmarks tell */
    double missing; /* largest share of a landmark that the code lacks; 1 without a solution */
} SassJoin;

/* Always gives a result: without a solution every reachable block counts as visited once. */
SassJoin *sass_join(Arena *a, const SassFlow *f, const Walk *w);
