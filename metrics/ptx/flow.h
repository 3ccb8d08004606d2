/* Control flow of a function: basic blocks, dominators, loops.
 *
 * Blocks and successors come from PTX (flow_build) or from machine code (sass_flow.h); order, dominators
 * and loops are computed the same way for both. Everything lives in the arena. */
#pragma once

#include "metrics/ptx/ptx.h"

/* --- the control-flow graph ------------------------------------------------------------------ */

enum { CFG_NONE = -1 };

/* A basic block. */
typedef struct CfgBlock {
    size_t first; /* instructions [first, end) */
    size_t end;
    int fall;   /* fall-through block, or CFG_NONE */
    int taken;  /* branch target, or CFG_NONE */
    int *succs; /* distinct successors: taken or table targets, then fall */
    int succ_count;
    int *preds;
    int pred_count;
    int order;        /* in reverse post-order; CFG_NONE: unreachable */
    bool ends_thread; /* by ret, exit or trap, guarded or not, or the end of the code */
} CfgBlock;

typedef struct Cfg {
    const PtxFunction *function; /* NULL for machine code (sass_flow.h) */
    CfgBlock *blocks;            /* in text order; block 0 is the entry */
    int count;                   /* at least 1 */
    int *block_of;               /* by instruction */
    int *order;                  /* blocks in reverse post-order */
    int reachable;               /* entries in `order` */
} Cfg;

/* Cuts `count` instructions into blocks that begin at each `leads`; without instructions, one empty block.
 * With `at_end`, leads[count] is looked at too and gives an empty block there. */
void cfg_cut(Arena *a, Cfg *c, const bool *leads, size_t count, bool at_end);

/* Ignores duplicates and CFG_NONE. */
void cfg_add_successor(CfgBlock *b, int to);

/* Computes predecessors and order; all successors must be known. */
void cfg_finish(Arena *a, Cfg *c);

/* Marks what is reachable through unmarked blocks. `skip` (may be NULL): by block, a successor to ignore. */
void cfg_reach(Arena *a, const Cfg *c, int from, const int *skip, bool *marked);

/* Marks the blocks between a branch and its reconvergence point (a block, the end or CFG_NONE), exclusive. */
void cfg_between(Arena *a, const Cfg *c, int block, int reconvergence, bool *in);

/* True if a successor only ends the thread: machine code may use a guarded EXIT instead of the branch. */
bool cfg_ends_at_once(const Cfg *c, int block);

/* The branch that ends a block of PTX, or NULL. */
const PtxInstr *cfg_branch(const Cfg *c, int block);

/* --- dominators ------------------------------------------------------------------------------ */

/* Block a dominates b if every path from the entry to b passes through a; a post-dominates b if every path
 * from b to the end does. The end is an extra block with number `count`; blocks that never reach it have no
 * post-dominator.
 *
 * Method: K. D. Cooper, T. J. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", Rice University
 * 2001. */
typedef struct DomTree {
    int root;
    int *parent; /* immediate dominator; CFG_NONE: the root, or not in the tree */
} DomTree;

DomTree *dom_build(Arena *a, const Cfg *c);
DomTree *dom_build_post(Arena *a, const Cfg *c);

/* True if a dominates b; every block in the tree dominates itself. */
bool dom_dominates(const DomTree *t, int a, int b);

/* --- loops ----------------------------------------------------------------------------------- */

/* A natural loop: a header and the blocks that reach it again without leaving through it; back edges to one
 * header make one loop. A cycle with two entries has no header and is only counted. */
typedef struct LoopEdge {
    int from;
    int to;
} LoopEdge;

typedef struct Loop {
    int header;
    int parent;       /* enclosing loop, or CFG_NONE */
    int depth;        /* 1: outermost */
    VEC(int) latches; /* sources of back edges */
    VEC(int) blocks;  /* in reverse post-order, inner loops included */
    VEC(LoopEdge) exits;
} Loop;

typedef struct LoopTree {
    VEC(Loop) loops; /* outer loops before inner ones */
    int *loop_of;    /* innermost loop of each block, or CFG_NONE */
    int irreducible; /* back edges to a block that is no header */
} LoopTree;

LoopTree *loop_build(Arena *a, const Cfg *c, const DomTree *dom);

bool loop_contains(const LoopTree *t, int loop, int block);

/* True if every iteration of the loop executes the block. */
bool loop_always(const DomTree *dom, const Loop *l, int block);

/* --- everything ------------------------------------------------------------------------------ */

/* Instructions that write a register, in text order. */
typedef VEC(size_t) FlowWrites;

typedef struct Flow {
    const PtxFunction *function;
    Cfg *cfg;
    DomTree *dom;
    DomTree *post;
    LoopTree *loops;
    FlowWrites *writes; /* by register */
} Flow;

Flow *flow_build(Arena *a, const PtxFunction *f);

/* The number of instructions in the loop that write a register; *last (may be NULL) is the last of them. */
size_t flow_writes_in_loop(const Flow *w, int reg, int loop, size_t *last);

/* True if a register has its value, through any of a limited number of instructions of the loop, from one
 * that `is` such. */
bool flow_comes_from(const Flow *w, int reg, int loop, bool (*is)(const PtxForm *f));

/* Early reconvergence points: where lanes of a branch meet before its immediate post-dominator, by block;
 * CFG_NONE: none.
 *
 * Every path from the branch either passes through that block, which the branch dominates, or bypasses
 * everything behind it: `if (a || b) both(); rest();`, switch cases that fall through, the rest of an
 * iteration that `break` or `return` skips. ptxas also reconverges lanes there; those that bypass it have
 * left by a BREAK. */
int *flow_meets(Arena *a, const Flow *f);
