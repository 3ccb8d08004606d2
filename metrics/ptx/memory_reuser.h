/* What follows who touches a sector first, and what the L2 loses of it. Internal to memory_reuse.c and memory_l2.c. */
#pragma once

#include "metrics/ptx/memory_reuse.h"
#include "metrics/ptx/touched.h"

enum {
    AXES = 3,
    AXIS_BLOCKS = REUSE_BLOCKS, /* first bit after the SM's blocks: neighbours along each axis */
    WARP_BITS = 5,
    CYCLE = 2, /* repetitions followed, twice, of what moves by whole sectors */
    SECTOR_BYTES = 32,
    LINE_SECTORS = 4,
    SITE_TOUCHES = 8, /* assumed sectors per access, for the budget */
    AGAIN = 64,       /* distances in lines: quarters of octaves */
    OCTAVE = 4
};

/* Sums over what is followed of one site, in sectors. */
typedef struct Count {
    /* By the middle block; first touches by its warps, and by it. */
    double touched, warp, block;
    /* Of the middle block: executions, and those with a sector new to the warp. */
    double passes, passes_new;
    double others;       /* first touches by other blocks of the SM */
    double beside[AXES]; /* first touches by the next block along an axis … */
    double anew[AXES];   /* … and those that the middle block lacks */
    /* Sum over sectors that both touch: how many more lines this block had loaded than the middle one. */
    double later[AXES];
    double half, half_warp; /* of a spread sample: first touches by half of it, and by its warps */
    double came, before;    /* warps that came here; `touched` before the last one */
    double open;            /* not filled by a warp's stores */
    uint64_t first, end;    /* where they lie: numbers of the first and after the last */
    double lost;            /* loaded again by a warp of the middle block, but evicted from L1 */
    /* Loaded before by another warp of the SM's blocks; evicted of these. */
    double shared, shared_lost;
    double
        again[AGAIN]; /* sectors that a warp loaded or stored before, by the lines loaded since */
} Count;

typedef VEC(int) Passes;

/* A function that warps execute. */
typedef struct Place {
    const WalkFunction *function;
    Passes *passes; /* by group: the middle warp's */
    size_t *cursor; /* by group: the next of them */
    Count *counts;  /* by site */
} Place;

typedef struct L2 {
    double bytes;      /* capacity; 0: nothing is evicted */
    double all;        /* blocks of the launch */
    double resident;   /* blocks resident at a time */
    double wave_bytes; /* distinct bytes these touch … */
    double wave_loads; /* … and load */
} L2;

typedef struct Reuser {
    Arena *arena;
    const PtxFunction *entry;
    WalkOptions walk;
    const MemorySamples *samples;
    const Walk *middle;
    ReuseDevice device;
    L2 l2;
    VEC(Place) places;
    Touched touched;
    uint64_t steps, touches; /* spent */
    unsigned warps;          /* followed so far */
    double lines;            /* 128-byte lines that the warp has loaded, with repetition … */
    double fresh;            /* … and without; */
    double loaded, followed; /* the latter of all warps of the middle block, and their number */
    double room;             /* lines that the L1 can keep per resident warp */
    double whole;            /* lines that a warp of the middle block loads in all */
    double distinct;         /* share of distinct ones of the sectors that warps load */
    /* By axis: 1 if the neighbour starts after the middle block, -1 if before. */
    int toward[AXES];
    Reuse *out;
} Reuser;

/* The share of blocks' first touches of a site that are the launch's first. */
double reuse_launch_part(const Reuser *r, const Count *c);

/* Of a spread sample: the share of distinct ones of the sectors that so many warps are first to touch. */
double reuse_spread_part(const Reuser *r, const Count *c, double warps);

/* Sets what passes through the L2 while so many blocks are resident; warps: of a block, and so on. */
void reuse_find_l2(Reuser *r, double resident, const double warps[REUSE_SCOPES]);

/* The share of a site's sectors that were touched before, but that the L2 has lost since. */
double reuse_gone_part(const Reuser *r, const Count *c);
