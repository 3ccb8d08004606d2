/* All that is known of a function's shape before anything is run: one call builds it. */
#ifndef APTUNE_PTX_FLOW_H
#define APTUNE_PTX_FLOW_H

#include "metrics/ptx/loop.h"
#include "metrics/ptx/ptx.h"

typedef struct DefUseList {
    size_t *at;
    size_t count;
} DefUseList;

typedef struct DefUse {
    DefUseList *defs; /* by register */
    DefUseList *uses;
} DefUse;

typedef struct Flow {
    const PtxFunction *function;
    Cfg *cfg;
    DomTree *dom;
    DomTree *post;
    LoopTree *loops;
    DefUse *uses;
} Flow;

Flow *flow_build(Arena *a, const PtxFunction *f);

/* Is the register written by some instruction of the loop? */
bool flow_defined_in_loop(const Flow *w, int reg, int loop);

#endif
