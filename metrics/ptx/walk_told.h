/* Words of shared memory that one lane stores and others load, behind a barrier where they are of another warp: of
 * the first and the last warp of the block, which are followed beside the walk once something is wanted of them.
 * Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_state.h"

/* Stored by a lane of this warp: to be kept for others.  `known`: its value is; the address is. */
void walk_told_store(Walker *w, const PtxInstr *by, uint64_t address, int bytes, uint64_t value,
                     bool known);

/* Does the block's first or last warp, followed to its end, come by that store? */
bool walk_told_has(Walker *w, const PtxInstr *by);

/* Nothing is kept any more: an address is not known, or what is stored changes in iterations that are skipped. */
void walk_told_give_up(Walker *w);

/* What was stored last of what this warp can see. */
typedef struct Told {
    bool known;
    bool moving; /* another warp stores there more than once */
    uint64_t value;
} Told;

Told walk_told_load(Walker *w, uint64_t address, int bytes);

/* The number of the block's last warp. */
static inline uint32_t walk_last_warp(const Walker *w)
{
    const PtxDim b = w->options->launch.block;
    return (b.x * b.y * b.z + PTX_LANES - 1) / PTX_LANES - 1;
}
