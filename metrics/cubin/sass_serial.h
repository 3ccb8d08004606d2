/* How long one warp takes by itself.
 *
 * A multiprocessor issues a warp's instructions in order.  Each says how long the next one has to stay
 * behind (its stall count), and those whose time is not fixed set a scoreboard that a later instruction
 * waits for.  So the code with its control fields, walked along the visits that sass_join found, gives the
 * cycles of a warp that has the machine to itself, given how long loads, barriers and the rest take.
 *
 * A loop is walked until two iterations take as long as the two before them, or LOOP_WALKED times; the
 * other iterations but the last take what the last two did.  Where a loop's iterations differ, the walk
 * takes the branches in the proportion of their visits.  Cycles of issue are those of all visits of
 * sass_join; waits are those of the walk, which goes down one side only where lanes diverge. */
#pragma once

#include "metrics/cubin/sass_loads.h"

/* Cycles from issue to result. */
typedef struct SassLatency {
    double shared; /* load from shared memory */
    double
        global; /* load, atomic or texture access: from memory, where it is known what comes from there … */
    double l1, l2;          /* … and from the caches */
    double memory_places;   /* more for each doubling of the lines that a load asks of memory … */
    double memory_loads;    /* … and of the loads that are waited for together */
    double l2_places;       /* more for each doubling of the sectors that it asks of the L2 */
    double l2_sector;       /* that each of them holds up the next load */
    const SassLoads *loads; /* NULL: all take `global` */
    double local;           /* load of the stack, by the L1 cache */
    double constant;        /* indexed load of constants */
    double special;         /* special functions and conversions */
    double shuffle;         /* shuffles and votes */
    double shared_atomic;
    double barrier;       /* of a block whose warps all come at once */
    double fence;         /* until stores are seen by other multiprocessors */
    double other;         /* anything else that sets a scoreboard: S2R, tensor */
    double operands;      /* until a store or load has read its registers */
    double load_spacing;  /* from one load from shared memory to the next access of it */
    double store_spacing; /* from one store to shared memory to the next access of it */
    double
        special_spacing; /* from one special function or conversion to the next: the unit is busy */
    double issue_spacing; /* from one instruction to the next at least; 1 for a warp alone */
} SassLatency;

/* What a warp shares its multiprocessor with. */
typedef struct SassLoad {
    double warps;            /* resident on the multiprocessor, this one included */
    double load_wavefronts;  /* of an access of shared memory as the code has it, on average */
    double store_wavefronts; /* likewise */
} SassLoad;

enum {
    SASS_SCHEDULERS = 4
}; /* of a multiprocessor since Volta: each issues for a quarter of the warps */

/* The latencies of a warp whose equals all do the same at the same time, as between two barriers
 * they do: of every scheduler's turns it gets its share, and its accesses of shared memory queue
 * with theirs, one wavefront a cycle. */
SassLatency sass_latency_among(const SassLatency *alone, const SassLoad *load);

/* H200 where measured: shared 29 (Luo et al. arXiv:2402.13499, table IV, and others 28.6 to 30); L1 33.6,
 * barrier 13 with one warp (pointer chase and empty barriers, measured); special functions 18 to 24,
 * shuffles 24 (published, for the H100 and the B300), one every 8 cycles for a quarter of the
 * multiprocessor; constants 34 (spaces/platform/near.spec); fences behind a store 597 beyond the store
 * itself, alone 283 (spaces/platform/fence.spec): two ways to the L2, which other devices are given, and
 * one; several places at a time spaces/platform/together.spec.  Global 500 lies between L2 (281 measured)
 * and memory (571 to 834 published).  Operands, atomics and others are estimates. */
extern const SassLatency SASS_LATENCY;

typedef enum SassWait {
    SASS_WAIT_SHARED,
    SASS_WAIT_GLOBAL,
    SASS_WAIT_LOCAL,
    SASS_WAIT_BARRIER,
    SASS_WAIT_FENCE,
    SASS_WAIT_OTHER,
    SASS_WAITS
} SassWait;

/* Steps: instructions walked and branches weighed. */
enum { LOOP_WALKED = 12, SASS_SERIAL_STEPS = 1 << 18 };

typedef struct SassSerial {
    double cycles;
    double issue;             /* of these: instructions and their stall counts */
    double waits[SASS_WAITS]; /* … and waiting, by what for; cycles = issue + sum of waits */
    double
        memory; /* what each cycle that memory takes longer than `global` adds to waits for global memory */
    double
        ends; /* of these: before the first load of global memory, and after the last wait for one */
    double long_waits; /* times it came to need a global load issued since the last such time, or
                        * had to wait for one; the first kind may cost nothing */
    double loads_in_flight; /* global loads under way then, those included that had arrived since
                             * the last such time; on average, 0 without one */
    bool capped; /* left after SASS_SERIAL_STEPS; waits are then in proportion to issue */
} SassSerial;

SassSerial sass_serial(Arena *a, const SassJoin *j, const SassLatency *l);
