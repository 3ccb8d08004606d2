/* How many blocks of a kernel one SM holds, and what keeps it from holding one more.
 *
 * An SM admits blocks until one of its resources is used up: warps, block slots, registers, shared
 * memory, barriers.  Resources are given out in units, so the count is a staircase: one register
 * more can cost a whole block.  The rules are NVIDIA's (occupancy calculator, cuda_occupancy.h) and
 * for compute capability 1.x those of the CUDA Programming Guide before 5.0, where registers were
 * given to whole blocks.
 *
 * Plain arithmetic: nothing here allocates or fails. */
#pragma once

#include "metrics/metric/device.h"

enum { WARP_THREADS = 32 };

/* What one block of a launch takes. */
typedef struct BlockUse {
    int registers;          /* per thread */
    int64_t static_shared;  /* bytes */
    int64_t dynamic_shared; /* bytes */
    int threads;
    int barriers; /* as the cubin records them; 0 when it uses none */
} BlockUse;

typedef enum OccupancyLimit {
    OCCUPANCY_WARPS = 1,
    OCCUPANCY_REGISTERS = 2,
    OCCUPANCY_SHARED = 4,
    OCCUPANCY_BLOCKS = 8,
    OCCUPANCY_BARRIERS = 16
} OccupancyLimit;

enum { OCCUPANCY_UNLIMITED = INT32_MAX };

typedef struct Occupancy {
    int blocks_per_sm; /* 0: cannot be launched */
    unsigned limits; /* OccupancyLimit bits: every resource that allows no more blocks than that */

    /* Blocks that each resource alone would allow; OCCUPANCY_UNLIMITED when none of it is used. */
    int by_warps, by_registers, by_shared, by_blocks, by_barriers;

    int warps_per_block;
    int warps_per_sm; /* resident */
    double fraction;  /* of the warps an SM can hold, 0 to 1 */

    /* The way to the next step of the staircase, each resource by itself: how much less of it gives
     * at least one block more; 0 when no amount does. */
    int fewer_registers;        /* per thread */
    int64_t fewer_shared_bytes; /* per block, static and dynamic together */
} Occupancy;

/* A block that no device could have (no threads, negative sizes) gives 0 blocks and no limits.  A
 * device newer than any we know is taken to follow the newest rules we know. */
Occupancy occupancy_compute(const Device *d, const BlockUse *use);

/* "registers, shared memory"; "" for none.  At most 64 bytes are written to `out`. */
const char *occupancy_limits_text(unsigned limits, char out[64]);
