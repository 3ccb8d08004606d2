/* The control flow of a kernel's machine code.
 *
 * The graph is that of metrics/ptx/flow.h, which also provides dominators and loops; instructions of 16
 * bytes are numbered from 0, without the padding behind the last one.
 *
 *  - A BRA also falls through where a predicate guards it or is its operand.
 *  - An EXIT ends the thread, with a guard only some.
 *  - A CALL of a subroutine inside the code (division, square root, remainders) leads to the subroutine and
 *    to the next block; a RET has no successor.  Calls of other functions only lead to the next block.  A
 *    CALL of what never reaches a RET is a jump: before sm_90 ptxas leaves large loops this way.
 *  - A BRX goes through a table to the targets that the cubin lists; if it lists none, to every block that
 *    nothing else leads to.
 *  - A BSYNC ends its block: lanes that diverged since its BSSY arrive there group by group, each issues
 *    it, and behind it they continue together.
 *  - BSSY, BREAK and WARPSYNC do not branch.
 *
 * Everything lives in the arena. */
#pragma once

#include "metrics/cubin/cubin.h"
#include "metrics/cubin/sass.h"
#include "metrics/ptx/flow.h"

typedef struct SassFlow {
    int arch; /* 90 for sm_90 */
    const SassInstr *instrs;
    size_t count; /* of them */
    Cfg *cfg;
    DomTree *dom, *post;
    LoopTree *loops;
    int *callee;       /* by block: the subroutine that the CALL at its end goes to, or CFG_NONE */
    bool *returns;     /* by block: ends with a RET */
    bool *reconverges; /* by block: ends with a BSYNC */
    int tables;        /* BRX whose targets were guessed */
    const struct SassFlow *whole; /* before branches were settled; NULL: none were */
} SassFlow;

/* From the code and the jump tables of a kernel; any bytes give a graph of at least one block. */
SassFlow *sass_flow_build(Arena *a, int arch, const CubinKernel *k);

/* Order, dominators and loops anew, after successors of blocks have changed. */
void sass_flow_finish(Arena *a, SassFlow *f);

/* The block's last instruction; only for a block that has one (`first` < `end`). */
SassInstr sass_flow_last(const SassFlow *f, int block);

/* Whether the only branch to a block decides if a guarded instruction in it is executed.  ptxas repeats the
 * comparison of a branch as the guard of an iteration that is never executed. */
typedef enum SassSettled { SASS_OPEN, SASS_NEVER, SASS_EACH_TIME } SassSettled;

SassSettled sass_flow_settled(const SassFlow *f, int block, size_t instr);

/* True if an instruction may write a predicate, not of the scalar unit. */
bool sass_flow_may_write(SassInstr w, int predicate);

/* The comparison that alone decides the branch at the end of a block; it may be in another block.
 * `negated`: the branch is taken where it does not hold.  False without one. */
bool sass_flow_decision(Arena *a, const SassFlow *f, int block, SassInstr *comparison,
                        bool *negated);

/* The successor of a block that the warp goes to only where its lanes are not together (BRA.DIV, BRA.CONV); CFG_NONE for
 * other blocks.  ptxas has such branches before instructions that lanes execute together, such as shuffles. */
int sass_flow_apart(const SassFlow *f, int block);

/* A point where diverged lanes reconverge.
 *
 * ptxas puts a BSSY before a branch at which lanes may diverge and a BSYNC where they wait for each other.
 * Only branches between the two have lanes that this BSYNC can join. */
typedef struct SassReconvergence {
    int block;    /* ends with the BSYNC */
    bool *within; /* by block: reachable from the BSSY without passing the BSYNC */
    int size;     /* number of blocks within */
    bool closed;  /* no thread ends within, and the BSYNC is the only way out */
} SassReconvergence;

typedef VEC(SassReconvergence) SassReconvergences;

/* One for each BSYNC that a BSSY names, by ascending size. */
SassReconvergences sass_flow_reconvergences(Arena *a, const SassFlow *f);

/* True if lanes may bypass some BSYNC at which others join. */
bool sass_flow_meets(Arena *a, const SassFlow *f);
