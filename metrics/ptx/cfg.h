/* The control-flow graph of one function.
 *
 * A block is a stretch of instructions that is entered at its first and left at its last.
 * Successors: where a branch goes (`taken`, or the targets of a table), and the block behind it
 * (`fall`) when the branch has a guard or there is none.  A block that ends the thread
 * has neither.  Everything lives in the arena given to cfg_build. */
#ifndef APTUNE_PTX_CFG_H
#define APTUNE_PTX_CFG_H

#include "metrics/ptx/ptx.h"

enum { CFG_NONE = -1 };

typedef struct CfgBlock {
    size_t first; /* instructions [first, end) */
    size_t end;
    int fall;   /* block behind, or CFG_NONE */
    int taken;  /* target of a branch, or CFG_NONE */
    int *succs; /* all successors, each once: taken or table targets, then fall */
    int succ_count;
    int *preds;
    int pred_count;
    int order;        /* position in reverse post-order; CFG_NONE when it cannot be reached */
    bool ends_thread; /* ret, exit or trap, guarded or not, or the end of the text */
} CfgBlock;

typedef struct Cfg {
    const PtxFunction *function; /* NULL when made of machine code (sass_flow.h) */
    CfgBlock *blocks;            /* in the order of the text; block 0 is the entry */
    int count;                   /* at least 1 */
    int *block_of;               /* by instruction */
    int *order;                  /* blocks in reverse post-order */
    int reachable;               /* entries in `order` */
} Cfg;

Cfg *cfg_build(Arena *a, const PtxFunction *f);

/* Predecessors and order from the successors, for a graph that is not made of PTX: its maker has
 * filled in all else and left `function` NULL. */
void cfg_finish(Arena *a, Cfg *c);

/* The last instruction of a block when it is a branch of any kind, else NULL. */
const PtxInstr *cfg_branch(const Cfg *c, int block);

#endif
