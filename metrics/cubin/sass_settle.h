/* Branches of machine code that the launch settles: their conditions follow from the kernel's parameters, the
 * sizes of block and grid, the number of a block, and numbers in the code.
 *
 * Constants are propagated along the edges that can be taken (Wegman and Zadeck, Constant Propagation with
 * Conditional Branches, 1991): registers and predicates have a value or vary.  Only moves and integer
 * arithmetic of 32 bits are evaluated; what any other instruction writes varies, as does everything behind a call.
 * The fields were compared with nvdisasm 13.0 for sm_75, 80, 90, 100 and 120. */
#pragma once

#include "metrics/cubin/sass_flow.h"

/* What constant bank 0 holds. */
typedef struct SassLaunch {
    uint32_t block[3], grid[3];
    const uint32_t *at; /* number of the block, by axis; NULL: any */
    const void *params; /* NULL: not known */
    size_t param_bytes;
    int64_t params_at; /* their offset in the bank */
} SassLaunch;

/* Leaves such branches one successor; false if there are none. */
bool sass_settle(Arena *a, SassFlow *f, const SassLaunch *launch);
