/* What the loads of a launch ask for anew, and what they ask for again: of the sectors of global
 * memory that an access touches, those which nobody of a warp, a block, the blocks of an SM or of the
 * launch touched before.  What a block of an SM touches again can come from its L1 cache; what the
 * launch touches first has to come from memory.
 *
 * Warps are followed one after the other in the middle block, their sectors kept in a set
 *.  Where the addresses of its first, middle and last warp lie on a line, or are what
 * the bits of their numbers add up to, so are those of the others; else up to REUSE_WARPS are walked.  Of other blocks the middle warp is walked: what its
 * addresses are away from those of the middle block, all its warps are.  These blocks are, for an SM,
 * those whose numbers are a number of SMs apart (blocks are dealt to SMs in turn), REUSE_BLOCKS at
 * most; for the launch, the next one along each axis of the grid: the part of a block's sectors that
 * this one has not, all others along the axis have not either.
 *
 * Atomics are followed like stores, apart from them: of words that all blocks add to, the launch touches few
 * sectors first.
 *
 * What is too much to follow is extrapolated: of iterations that were skipped, of warps and of
 * blocks the first few are followed, and the later half of these stands for the rest.
 *
 * Of what blocks of the SM load again the L1 has lost what came before too many other lines: the warps of an SM are taken to
 * come on as fast as each other, so that each loads as much between two touches as the warp does that is followed.
 *
 * The L2 has lost what a block and the next one along an axis both load when more passes through it between the two touches
 * than it holds.  That are the blocks started meanwhile and the part of their work by which the touches lie apart: a plane
 * that one block loads last and the next one first.  A launch that goes round a grid row by row has blocks of a row at
 * work together, those of the next row in the same wave or in the one after it.
 *
 * Where the sample is spread over the launch since its work depends on data, there are no neighbours:
 * distinct sectors are taken to grow as a power of the number of warps (Heaps' law), which is that
 * between half of the sample and all of it.  That neighbours share more is not seen then,
 * and that the L1 still has what another warp loaded. */
#pragma once

#include "metrics/ptx/memory_sample.h"

typedef enum ReuseScope {
    REUSE_WARP,
    REUSE_BLOCK,
    REUSE_SM, /* the blocks that it holds at a time */
    REUSE_LAUNCH,
    REUSE_SCOPES
} ReuseScope;

/* Bounds of the work, which takes some 1.5 ms at most: warps and blocks followed, steps of their walks
 * (walk.h), sectors put into the set. */
#ifdef APTUNE_FUZZ
enum { REUSE_STEPS = 1000, REUSE_TOUCHES = 2000 };
#else
enum { REUSE_STEPS = 60000, REUSE_TOUCHES = 48000 };
#endif
enum { REUSE_WARPS = 8, REUSE_BLOCKS = 3 };

/* Of one site: parts of the sectors it touches; 1 where nothing was followed. */
typedef struct ReuseSite {
    double first[REUSE_SCOPES];
    double
        lost; /* of loads: those that blocks of the SM loaded before, when the L1 no longer has them */
    double
        gone; /* of loads: those that other blocks loaded before, when the L2 no longer has them */
    double
        apart; /* of an execution's sectors beyond the first one: the part that is touched first, or not, whatever the
                   * others are; 0: all of them are or none */
    double open; /* of a store's sectors: those of which the warp leaves bytes unwritten */
} ReuseSite;

typedef struct ReuseFunction {
    const PtxFunction *function;
    ReuseSite *sites; /* by number of the site */
} ReuseFunction;

typedef struct Reuse {
    VEC(ReuseFunction) functions;
    double run_load,
        run_store; /* bytes in a row that blocks beside each other touch; 0: not known */
    bool cut;      /* the bounds were reached: what is beyond them counts like what is within */
} Reuse;

/* Where the launch's blocks go; zero: the SM holds one block. */
typedef struct ReuseDevice {
    int sms;
    int blocks_per_sm;
    double
        l1_bytes; /* of an SM's L1 cache beside the shared memory of its blocks; 0: nothing is lost */
    double l2_bytes; /* likewise */
} ReuseDevice;

/* `o` as for the samples, whose passes must have been kept. */
const Reuse *memory_reuse(Arena *a, const PtxFunction *entry, const WalkOptions *o,
                          const MemorySamples *samples, ReuseDevice device);

/* Of a site of a function; NULL when no warp came there. */
const ReuseSite *reuse_find(const Reuse *r, const PtxFunction *f, size_t site);
