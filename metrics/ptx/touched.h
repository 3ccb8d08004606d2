/* A set of the 32-byte sectors that some warps touched, and by whom: which of them are touched for
 * the first time in a warp, a block, several blocks.  Internal to metrics/ptx. */
#ifndef APTUNE_PTX_TOUCHED_H
#define APTUNE_PTX_TOUCHED_H

#include "metrics/ptx/sectors.h"

#include <stdbool.h>
#include <stddef.h>

enum { TOUCHED_BLOCKS = 8, TOUCHED_KINDS = 4, TOUCHED_WARPS = UINT16_MAX - 1 };

/* What is known of one sector: the last warp that came by, the blocks that did, and which bytes that
 * warp touched. */
typedef struct TouchedSector {
    uint64_t key; /* 0: free */
    uint32_t bytes;
    uint16_t warp;  /* its number + 1 */
    uint8_t blocks; /* bits */
} TouchedSector;

/* Start with zero. */
typedef struct Touched {
    TouchedSector *at;
    size_t count, capacity;
} Touched;

/* The entry of a sector as it was before this touch; the touch by a warp (a number less than
 * TOUCHED_WARPS) of a block (less than TOUCHED_BLOCKS) is added.  Kinds (less than TOUCHED_KINDS) are
 * kept apart. */
TouchedSector touched_add(Touched *t, Sector s, unsigned kind, unsigned warp, int block);

/* Sectors in a row, on average, that these blocks (bits) touched in this way; 0 where there are none. */
double touched_run(const Touched *t, unsigned kind, unsigned blocks);

void touched_free(Touched *t);

#endif
