/* Where each register is written and read, by instruction number in text order.
 *
 * Needs nothing but the function; a guard counts as read. */
#ifndef APTUNE_PTX_DEFUSE_H
#define APTUNE_PTX_DEFUSE_H

#include "metrics/ptx/ptx.h"

typedef struct DefUseList {
    size_t *at;
    size_t count;
} DefUseList;

typedef struct DefUse {
    DefUseList *defs; /* by register */
    DefUseList *uses;
} DefUse;

DefUse *defuse_build(Arena *a, const PtxFunction *f);

#endif
