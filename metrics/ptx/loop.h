/* Loops of a control-flow graph.
 *
 * A natural loop is a header block and the blocks that can reach it again without leaving
 * through it; back edges to one header make one loop.  Loops nest: `parent` is the next one
 * out.  A cycle that is entered at two places has no header and is only counted.
 *
 * Needs: cfg.h, dom.h. */
#ifndef APTUNE_PTX_LOOP_H
#define APTUNE_PTX_LOOP_H

#include "metrics/ptx/dom.h"

typedef struct LoopEdge {
    int from;
    int to;
} LoopEdge;

typedef struct Loop {
    int header;
    int parent;       /* loop, or CFG_NONE */
    int depth;        /* 1 for an outermost one */
    VEC(int) latches; /* blocks with an edge back to the header */
    VEC(int) blocks;  /* in reverse post-order; those of inner loops too */
    VEC(LoopEdge) exits;
} Loop;

typedef struct LoopTree {
    VEC(Loop) loops; /* an outer one stands before its inner ones */
    int *loop_of;    /* innermost loop of each block, or CFG_NONE */
    int irreducible; /* back edges into the middle of a cycle */
} LoopTree;

LoopTree *loop_build(Arena *a, const Cfg *c, const DomTree *dom);

bool loop_contains(const LoopTree *t, int loop, int block);

#endif
