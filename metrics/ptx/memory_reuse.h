/* First and repeated touches of global memory: of the sectors that an access touches, the share that no
 * access of its warp, its block, the blocks of its SM or the launch touched before. What a block of the SM
 * touches again may hit the L1 cache; what the launch touches first must come from memory.
 *
 * The warps of the middle block are walked one after the other, with their sectors kept in a set. If the
 * addresses of its first, middle and last warp lie on a line, or are sums of what the bits of the warp
 * numbers contribute, so are those of the other warps; else up to REUSE_WARPS are walked. Of other blocks
 * the middle warp is walked: all its warps are shifted like it relative to the middle block. Those blocks
 * are, for the SM, the ones whose numbers differ by multiples of the number of SMs (blocks are dealt to SMs
 * in turn), at most REUSE_BLOCKS; for the launch, the next block along each grid axis: the share of its
 * sectors that the middle block lacks is new in all others along the axis too.
 *
 * Atomics are followed like stores, but separately: of words that all blocks add to, the launch touches few
 * sectors first.
 *
 * What is too much to follow is extrapolated: of skipped iterations, warps and blocks the first few are
 * followed, and the later half of these stands for the rest.
 *
 * The L1 has evicted a line that blocks of the SM load again if too many other lines came between: warps of
 * an SM are assumed to progress equally fast, so that each loads as much between two touches as the warp
 * being followed.
 *
 * The L2 has evicted what a block and the next one along an axis both load if more than its capacity passes
 * through it between the two touches: the blocks started meanwhile, and the part of their work by which the
 * touches are apart (a plane that one block loads last and the next one first). In a launch that traverses
 * a grid row by row, blocks of one row run together, and those of the next row in the same wave or the one
 * after it.
 *
 * If the sample is spread over the launch because the work depends on data, there are no neighbours:
 * distinct sectors are assumed to grow as a power of the number of warps (Heaps' law), fitted between half
 * of the sample and all of it. This misses that neighbours share more, and that the L1 may still hold what
 * another warp loaded. */
#pragma once

#include "metrics/ptx/memory_sample.h"

typedef enum ReuseScope {
    REUSE_WARP,
    REUSE_BLOCK,
    REUSE_SM, /* the blocks resident at a time */
    REUSE_LAUNCH,
    REUSE_SCOPES
} ReuseScope;

/* Limits of the work, which takes at most about 1.5 ms: warps and blocks followed, steps of their walks
 * (walk.h), sectors put into the set. */
#ifdef APTUNE_FUZZ
enum { REUSE_STEPS = 1000, REUSE_TOUCHES = 2000 };
#else
enum { REUSE_STEPS = 60000, REUSE_TOUCHES = 48000 };
#endif
enum { REUSE_WARPS = 8, REUSE_BLOCKS = 3 };

/* For one site: shares of the sectors it touches; 1 if nothing was followed. */
typedef struct ReuseSite {
    double first[REUSE_SCOPES];
    /* Of loads: sectors that blocks of the SM loaded before, but the L1 has evicted. */
    double lost;
    /* Of loads: sectors that other blocks loaded before, but the L2 has evicted. */
    double gone;
    double gathered; /* of loads: single sectors at irregular places that the L2 misses */
    /* Of an execution's sectors after the first: the share that is touched first, or not, independently of
     * the others; 0: all of them are or none. */
    double apart;
    uint64_t span; /* bytes from the first sector to the last that were seen; 0: unknown */
    double open;   /* of a store's sectors: those the warp does not fill */
} ReuseSite;

typedef struct ReuseFunction {
    const PtxFunction *function;
    ReuseSite *sites; /* by site */
} ReuseFunction;

typedef struct Reuse {
    VEC(ReuseFunction) functions;
    /* Contiguous bytes that neighbouring blocks touch; 0: unknown. */
    double run_load, run_store;
    bool cut; /* a limit was reached: the rest is extrapolated */
} Reuse;

/* Where the launch's blocks run; zero: the SM holds one block. */
typedef struct ReuseDevice {
    int sms;
    int blocks_per_sm;
    /* Capacity of an SM's L1 beside its blocks' shared memory, and of the L2; 0: nothing is evicted. */
    double l1_bytes;
    double l2_bytes;
    double filled; /* bytes of the buffers that have contents to load; 0: unknown */
} ReuseDevice;

/* `o` as for the samples, which must have kept their passes. */
const Reuse *memory_reuse(Arena *a, const PtxFunction *entry, const WalkOptions *o,
                          const MemorySamples *samples, ReuseDevice device);
