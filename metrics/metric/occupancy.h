/* Occupancy: how many blocks of a kernel an SM holds, and which resources limit them.
 *
 * An SM admits blocks until it runs out of warps, block slots, registers, shared memory or barriers.
 * Resources are allocated in units, so the count is a step function: one more register can cost a whole
 * block.  The rules are NVIDIA's (occupancy calculator, cuda_occupancy.h); for compute capability 1.x, where
 * registers were allocated to whole blocks, those of the CUDA Programming Guide before 5.0. */
#pragma once

#include "metrics/metric/device.h"

enum { WARP_THREADS = 32 };

/* The resources of one block of a launch. */
typedef struct BlockUse {
    int registers;          /* per thread */
    int64_t static_shared;  /* bytes */
    int64_t dynamic_shared; /* bytes */
    int threads;
    int barriers; /* as recorded in the cubin */
} BlockUse;

typedef enum OccupancyResource {
    OCCUPANCY_WARPS,
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SHARED,
    OCCUPANCY_BLOCKS, /* block slots */
    OCCUPANCY_BARRIERS,
    OCCUPANCY_RESOURCES
} OccupancyResource;

enum { OCCUPANCY_UNLIMITED = INT32_MAX };

typedef struct Occupancy {
    int blocks_per_sm;           /* 0: cannot be launched */
    unsigned limits;             /* bits 1 << resource: those that allow no more blocks */
    int by[OCCUPANCY_RESOURCES]; /* blocks that each alone would allow, or OCCUPANCY_UNLIMITED */

    int warps_per_block;
    int warps_per_sm; /* resident */
    double fraction;  /* of the warps an SM can hold, 0 to 1 */

    /* Smallest reduction of one resource that admits another block; 0 if none does. */
    int fewer_registers;        /* per thread */
    int64_t fewer_shared_bytes; /* per block, static and dynamic together */
} Occupancy;

/* An impossible block (no threads, negative sizes) gives 0 blocks and no limits.  Newer devices follow the
 * newest known rules. */
Occupancy occupancy_compute(const Device *d, const BlockUse *use);

/* Names the resources of `limits`: "registers, shared memory"; "" for none. */
const char *occupancy_limits_text(unsigned limits, char out[64]);
