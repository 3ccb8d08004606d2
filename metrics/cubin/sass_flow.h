/* The control flow of a kernel's machine code.
 *
 * The graph is that of metrics/ptx/flow.h, so dominators and loops come from there; instructions are
 * numbered from 0, 16 bytes each, the padding behind the last one left out.
 *
 *  - A BRA goes on to the next block too where a predicate guards it or stands in it.
 *  - An EXIT ends the thread, under a guard only for some.
 *  - A CALL to a subroutine inside the code (division, square root, remainders) leads to the
 *    subroutine and to the block behind; a RET leads nowhere.  Calls of other functions only lead
 *    behind.  A CALL of what comes to no RET is a jump: before sm_90 ptxas leaves large loops so.
 *  - A BRX goes through a table to the targets that the cubin lists; where it lists none, to every
 *    block that nothing else leads to.
 *  - A BSYNC ends its block: lanes that diverged since its BSSY come there group after group, each
 *    issues it, and behind it they go on together.
 *  - BSSY, BREAK and WARPSYNC lead nowhere.
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
} SassFlow;

/* Of the code and the jump tables of a kernel; any bytes give a graph of at least one block. */
SassFlow *sass_flow_build(Arena *a, int arch, const CubinKernel *k);

/* The block's last instruction; only for a block that has one (`first` < `end`). */
SassInstr sass_flow_last(const SassFlow *f, int block);

/* Does the branch that alone leads to a block settle whether a guarded instruction in it is executed?  ptxas
 * makes the comparison of a branch a second time, as the guard of a round that is never made. */
typedef enum SassSettled { SASS_OPEN, SASS_NEVER, SASS_EACH_TIME } SassSettled;

SassSettled sass_flow_settled(const SassFlow *f, int block, size_t instr);

/* The comparison that decides alone which way a branch at the end of a block goes, and whether it is taken
 * where that does not hold; false without one.  It may stand in another block. */
bool sass_flow_decision(Arena *a, const SassFlow *f, int block, SassInstr *comparison,
                        bool *negated);

/* Where lanes that diverge reconverge.
 *
 * ptxas puts a BSSY before a branch at which lanes may diverge and a BSYNC where they wait for each
 * other.  Between the two lies what they may do apart; branches in there are the only ones whose
 * lanes this BSYNC can join. */
typedef struct SassReconvergence {
    int block;    /* ends with the BSYNC */
    bool *within; /* by block: can be come to from the BSSY without passing the BSYNC */
    int size;     /* blocks within */
    bool closed;  /* no thread ends within, and there is no other way out than the BSYNC */
} SassReconvergence;

typedef VEC(SassReconvergence) SassReconvergences;

/* One for each BSYNC that a BSSY names, those with fewer blocks within first. */
SassReconvergences sass_flow_reconvergences(Arena *a, const SassFlow *f);

/* Does some BSYNC join lanes that others go past? */
bool sass_flow_meets(Arena *a, const SassFlow *f);
