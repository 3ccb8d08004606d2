/* All that is known of a function's shape before anything is run: one call builds it.
 *
 * Blocks and successors are of PTX (flow_build) or of machine code (sass_flow.h); order, dominators and
 * loops are found alike.  Everything lives in the arena. */
#pragma once

#include "metrics/ptx/ptx.h"

/* --- the control-flow graph ---------------------------------------------------------------------- */

enum { CFG_NONE = -1 };

/* A stretch of instructions that is entered at its first and left at its last. */
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

/* Cuts `count` instructions into blocks, of which one begins wherever `leads` says so; with none there is
 * one empty block.  `count` + 1 of `leads` are looked at where `at_end` asks for an empty block there. */
void cfg_cut(Arena *a, Cfg *c, const bool *leads, size_t count, bool at_end);

/* Unless it is there already or CFG_NONE. */
void cfg_add_successor(CfgBlock *b, int to);

/* Predecessors and order, once all successors are known. */
void cfg_finish(Arena *a, Cfg *c);

/* Marks what can be come to from a block, by ways through blocks that are not marked yet; by block of `not`,
 * unless it is NULL, a successor that no way goes to. */
void cfg_reach(Arena *a, const Cfg *c, int from, const int * not, bool *marked);

/* Marks the blocks between a branch and where its ways meet (a block, the end or CFG_NONE), without that one. */
void cfg_between(Arena *a, const Cfg *c, int block, int reconvergence, bool *in);

/* Does one way from a block do nothing but end?  In machine code an EXIT with a guard may stand for such a branch,
 * which is none. */
bool cfg_ends_at_once(const Cfg *c, int block);

/* The last instruction of a block of PTX when it is a branch of any kind, else NULL. */
const PtxInstr *cfg_branch(const Cfg *c, int block);

/* --- dominators ------------------------------------------------------------------------------------ */

/* Block a dominates b when every way from the entry to b leads through a; a post-dominates b
 * when every way from b to the end does.  The end is one block more than the graph has, number
 * `count` of the graph; blocks that never reach it have no post-dominator.
 *
 * Method: K. D. Cooper, T. J. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm",
 * Rice University 2001. */
typedef struct DomTree {
    int root;
    int *parent; /* immediate dominator; CFG_NONE for the root and what is not in the tree */
} DomTree;

DomTree *dom_build(Arena *a, const Cfg *c);
DomTree *dom_build_post(Arena *a, const Cfg *c);

/* Does a dominate b?  Every block in the tree dominates itself. */
bool dom_dominates(const DomTree *t, int a, int b);

/* --- loops ------------------------------------------------------------------------------------------ */

/* A natural loop is a header block and the blocks that can reach it again without leaving
 * through it; back edges to one header make one loop.  Loops nest: `parent` is the next one
 * out.  A cycle that is entered at two places has no header and is only counted. */
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

/* Does every round of a loop come to a block of it? */
bool loop_always(const DomTree *dom, const Loop *l, int block);

/* --- all of a function ------------------------------------------------------------------------------- */

/* Instructions that write a register, in the order of the text. */
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

/* How many instructions of the loop write a register, and the last of them, unless `last` is NULL. */
size_t flow_writes_in_loop(const Flow *w, int reg, int loop, size_t *last);

/* Where lanes of a branch meet before its immediate post-dominator, by block; CFG_NONE: nowhere.
 *
 * Every way from the branch leads through that block, which only the branch leads to, or else goes past all that is
 * behind it: `if (a || b) both(); rest();`, the cases of a switch that fall through, what is left out of the
 * rest of a round by `break` or `return`.  ptxas lets lanes wait for each other there, too; those that go past
 * have left by a BREAK. */
int *flow_meets(Arena *a, const Flow *f);
