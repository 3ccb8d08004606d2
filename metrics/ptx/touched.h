/* The set of the sectors that warps touched, by the kind of the access. */
#pragma once

#include "metrics/base/map.h"
#include "metrics/base/vec.h"
#include "metrics/ptx/sectors.h"

enum { TOUCHED_KINDS = 4 };

/* A touched sector: the last warp, the blocks, and the bytes that the last warp touched. */
typedef struct TouchedSector {
    uint64_t key;
    double at; /* progress of that warp */
    uint32_t bytes;
    uint16_t warp;  /* number + 1 */
    uint8_t blocks; /* bits */
} TouchedSector;

/* Empty with an arena alone. */
typedef struct Touched {
    NumberMap numbers; /* index in `sectors` by key */
    VEC(TouchedSector) sectors;
} Touched;

/* Adds a touch by a warp (below UINT16_MAX) of a block (below 8: a bit) and returns the sector's entry
 * before it. Kinds (below TOUCHED_KINDS) are kept apart. */
TouchedSector touched_add(Touched *t, Sector s, unsigned kind, unsigned warp, int block, double at);

/* The sector's entry for this kind; zero if there is none. */
TouchedSector touched_find(const Touched *t, uint64_t number, unsigned kind);

/* Mean run length of sectors that these blocks (bits) touched in this way; 0 without any. */
double touched_run(const Touched *t, unsigned kind, unsigned blocks);
