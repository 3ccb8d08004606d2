/* Bulk copies: what a lane that starts one moves from or to global memory, by the copy engine.  Each
 * byte is touched once; addresses are not followed. */
#ifndef APTUNE_PTX_BULK_H
#define APTUNE_PTX_BULK_H

#include "metrics/ptx/flow.h"

typedef struct BulkCopy {
    bool known;             /* how much it moves, and that all active lanes start one */
    uint32_t loads, stores; /* bytes of global memory */
} BulkCopy;

/* Is it one of them?  Prefetches are none: what they bring, loads ask for again. */
bool is_bulk_copy(const PtxInstr *in);

/* Known where the size is a constant, of plain copies without a guard: not of tensors, whose size is
 * in a map that the host makes, nor of reductions. */
BulkCopy bulk_copy(const Flow *flow, const PtxInstr *in);

#endif
