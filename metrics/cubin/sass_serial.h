/* How long one warp takes by itself.
 *
 * A multiprocessor issues a warp's instructions in order.  Each has a stall count, after which the next may
 * issue; those of variable latency set a scoreboard that a later instruction waits for.  Given the
 * latencies of loads, barriers and the rest, walking the code with its control fields along the visits of
 * sass_join gives the cycles of a warp that has the machine to itself.
 *
 * A loop is walked until two iterations take as long as the two before them, or LOOP_WALKED times; all
 * others but the last take what the last two did.  Where iterations differ, the walk takes branches in the
 * proportion of their visits.  Cycles of issue are those of all visits of sass_join; waits are those of the
 * walk, which follows only one side where lanes diverge. */
#pragma once

#include "metrics/cubin/sass_loads.h"

/* Cycles from issue to result. */
typedef struct SassLatency {
    double shared; /* load from shared memory */
    double global; /* load, atomic or texture access that comes from memory or an unknown place */
    double l1, l2; /* the same from a cache */
    double memory_places;   /* added for each doubling of the lines requested from memory … */
    double memory_loads;    /* … and of the loads that are waited for together */
    double l2_places;       /* added for each doubling of the sectors that a load requests */
    double l2_sector;       /* by which each sector delays the next load */
    const SassLoads *loads; /* NULL: all take `global` */
    double local;           /* load of the stack, from the L1 */
    double constant;        /* indexed load of constants */
    double special;         /* special functions and conversions */
    double shuffle;         /* shuffles and votes */
    double shared_atomic;
    double barrier;         /* of a block whose warps all arrive at once */
    double fence;           /* until other multiprocessors see stores */
    double other;           /* anything else that sets a scoreboard: S2R, tensor */
    double operands;        /* until a store or load has read its registers */
    double bulk_operands;   /* … until a bulk copy has */
    double load_spacing;    /* from a load from shared memory to the next access of it */
    double store_spacing;   /* from a store to shared memory to the next access of it */
    double special_spacing; /* from a special function or conversion to the next */
    double issue_spacing;   /* least distance of instructions; 1 for a warp alone */
} SassLatency;

/* What a warp shares its multiprocessor with. */
typedef struct SassLoad {
    double warps;            /* resident on the multiprocessor, this one included */
    double load_wavefronts;  /* mean of a shared load in the code */
    double store_wavefronts; /* the same of a store */
} SassLoad;

/* Of a multiprocessor since Volta; each issues for a quarter of the warps. */
enum { SASS_SCHEDULERS = 4 };

/* The latencies of a warp among others that do the same at the same time, as between two barriers: it gets
 * its share of a scheduler's turns, and its shared memory accesses queue with theirs, one wavefront a
 * cycle. */
SassLatency sass_latency_among(const SassLatency *alone, const SassLoad *load);

/* H200 where measured.  Shared 29 (Luo et al. arXiv:2402.13499, table IV, and others 28.6 to 30); L1 33.6,
 * barrier 13 with one warp (pointer chase and empty barriers, measured); special functions 18 to 24,
 * shuffles 24 (published, for the H100 and the B300), one every 8 cycles for a quarter of the
 * multiprocessor; constants 34 (spaces/platform/near.spec); fences behind a store 597 beyond the store
 * itself, alone 283 (spaces/platform/fence.spec): two ways to the L2, which other devices are given, and
 * one; several places at a time spaces/platform/together.spec.  Global 500 lies between L2 (281 measured)
 * and memory (571 to 834 published).  Operands, atomics and others are estimates;
 * those of bulk copies are what a copy of 512 bytes takes (62.8, fit bulk_fetch of platform.models) beyond
 * the rest of its loop (SASS_BULK_ROUND). */
extern const SassLatency SASS_LATENCY;

/* What a bulk copy of 512 bytes takes in the walk beside its operands: the loop over lanes, with its stall counts.
 * `aptune explain spaces/platform/bulk.spec "STORE=0 BYTES=512 BLOCKS=1 TIMES=3" --arch h200`, less the same with
 * TIMES=1: serial_cycles for each of 1,024 copies; 62.1 with 19 for the operands, 61.5 measured. */
static const double SASS_BULK_ROUND = 44;

typedef enum SassWait {
    SASS_WAIT_SHARED,
    SASS_WAIT_GLOBAL,
    SASS_WAIT_LOCAL,
    SASS_WAIT_BARRIER,
    SASS_WAIT_FENCE,
    SASS_WAIT_OTHER,
    SASS_WAITS
} SassWait;

/* SASS_SERIAL_STEPS: most instructions walked and branches weighed. */
enum { LOOP_WALKED = 12, SASS_SERIAL_STEPS = 1 << 18 };

typedef struct SassSerial {
    double cycles;
    double issue;             /* of these: instructions and their stall counts */
    double waits[SASS_WAITS]; /* … and waits by cause; cycles = issue + sum of waits */
    double memory; /* global wait added by each cycle that memory takes longer than `global` */
    /* Of the cycles: before the first global load and after the last wait; 0 without a load. */
    double ends;
    double loading; /* 1: it loads from global memory; of several warps their share */
    /* Times that it needed a global load issued since the last such time, which may cost nothing, or had to
     * wait for one; and the mean number of global loads in flight then, those included that arrived since the
     * last such time (0 without one). */
    double long_waits, loads_in_flight;
    bool capped; /* stopped after SASS_SERIAL_STEPS; waits are then in proportion to issue */
} SassSerial;

SassSerial sass_serial(Arena *a, const SassJoin *j, const SassLatency *l);

/* Adds `weight` times another warp's. */
void sass_serial_add(SassSerial *sum, const SassSerial *s, double weight);

/* Warps that do the same, and their share of all. */
typedef struct SassKind {
    SassSerial serial;
    double share;
} SassKind;

/* The mean over blocks of `warps` of the longest warp.  Those of a kind are dealt to as many blocks as there
 * are, as if they had one role.  Sorts the kinds. */
SassSerial sass_serial_longest(SassKind *kinds, size_t count, double warps);

/* The same where data decides: a part `apart` of the blocks, 0 to 1, draws each of its warps from all, the others'
 * warps are equals.  The shares add up to 1. */
SassSerial sass_serial_drawn(SassKind *kinds, size_t count, double warps, double apart);
