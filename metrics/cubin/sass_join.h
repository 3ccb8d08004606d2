/* How often one warp executes each block of the machine code.
 *
 * The PTX says what happens (walk.h), the machine code says with which instructions; between them
 * ptxas has moved, merged, unrolled and duplicated blocks.  So blocks are not matched with blocks:
 * the visits are the flow through the machine code's graph, one warp entering, that
 *
 *  1. conserves itself: what goes into a block goes out;
 *  2. executes what the PTX executes: landmarks (sass_anchor.def) in the same numbers, and loops as
 *     often as those they are paired with (sass_pair.h);
 *  3. and of all such flows takes the fewest instructions (an unrolled loop rather than the rest of
 *     it, the way past a slow path rather than through it).
 *
 * That is a linear program with three aims (sass_program.h); where its answer has broken numbers
 * they are made whole one after the other.  Guarded instructions may count for nothing or for as
 * much as they are visited; a warp whose lanes diverge at a branch goes both ways, and its groups come
 * to the BSYNC behind it one by one.  No loop goes round more often per entry than
 * the longest one of the PTX.
 *
 * Where landmarks differ all the same, `unmatched` says which; the visits are then the nearest.  It
 * also says where loops could be paired in several ways. */
#pragma once

#include "metrics/cubin/sass_anchor.h"
#include "metrics/cubin/sass_flow.h"
#include "metrics/ptx/walk.h"

typedef struct SassJoin {
    const SassFlow *flow;
    double *visits;                     /* by block: times the warp comes through */
    double **edges;                     /* by block and successor: times it leaves that way */
    SassLandmarks walked;               /* what the code should have */
    double in_code_least[SASS_ANCHORS]; /* without guarded instructions */
    double in_code_most[SASS_ANCHORS];  /* with all of them */
    const int *
        paired; /* by loop of the code: that of the PTX's entry function, or CFG_NONE; NULL: none */
    bool loops_match;      /* all loops of PTX and code are paired */
    const char *unmatched; /* why the visits are not certain; NULL: they are */
    double deviation;      /* relative, that they may be off by then */
    double missing; /* the largest share of a landmark that the code lacks; 1 without an answer */
} SassJoin;

/* Always gives a result; without a solution every block that is no part of a loop, and every
 * loop once, counts as visited once. */
SassJoin *sass_join(Arena *a, const SassFlow *f, const Walk *w);
