/* The regions of a walk: stretches of execution between two stalls, and what happens in each.
 *
 * A stall region ends where the warp waits for memory or at a barrier; a synchronization region,
 * from one barrier to the next, is made of them (S. Ryoo, "Program Optimization Strategies for
 * Data-Parallel Many-Core Processors", Illinois 2008, 5.3.2 and 6.3).  A region is known by where
 * it begins and ends, and by the synchronization region that it is part of; what happens in it is
 * summed over the times that it is executed.  Loads count where they are issued, which is as early
 * as their block allows (walk.h).
 *
 * The regions of a walk add up: their instructions to Walk.instr, their sectors to those of all
 * accesses.  Where an access's cost changes from iteration to iteration, iterations that are
 * skipped give each region its part of the true sum, as if all had changed alike.  Internal to
 * metrics/ptx. */
#pragma once

#include "metrics/ptx/walk.h"

enum { WALK_COPY_GROUPS = 16 };

typedef struct WalkTraffic {
    double sectors, bytes;
} WalkTraffic;

/* What is under way. */
typedef struct WalkRegions {
    Arena *arena;
    Walk *walk;          /* whose regions they become */
    WalkRegionList open; /* those that have ended since the last barrier; their `sync` is not set */
    WalkRegion now;
    WalkSpot sync_from;              /* the last barrier */
    double clock;                    /* instructions since the start */
    double copied[WALK_COPY_GROUPS]; /* when the last groups of asynchronous copies were closed */
    uint64_t copies;                 /* groups closed so far */
    uint64_t closed;                 /* regions ended so far */
    uint64_t synced;                 /* barriers so far */
} WalkRegions;

/* A state of the regions, to see later what has changed.  Start with zero; free it. */
typedef struct WalkRegionMark {
    WalkRegion *regions, *open;
    size_t region_count, open_count, region_capacity, open_capacity;
    WalkRegion now;
    WalkSpot sync_from;
    double clock;
    uint64_t copies, closed, synced;
} WalkRegionMark;

/* Traffic that has been worked out counts where it happens: that of the phases up to `phase`. */
void walk_region_flush(WalkRegions *r, WalkTraffic *phases, int phase);

void walk_region_work(WalkRegions *r, double instrs);
void walk_region_load(WalkRegions *r);
/* The warp waits for memory, `covered` instructions after the load was issued. */
void walk_region_wait(WalkRegions *r, WalkSpot at, WalkStop stop, double covered);
void walk_region_barrier(WalkRegions *r, WalkSpot at);

/* A group of asynchronous copies is closed; all but the newest `left` are waited for. */
void walk_region_copy(WalkRegions *r);
void walk_region_wait_copies(WalkRegions *r, WalkSpot at, uint32_t left);

/* The end of the walk: the regions add up. */
void walk_region_end(WalkRegions *r);

/* Iterations that are skipped (walk_skip.h): would what has happened since happen again? */
bool walk_region_repeats(const WalkRegions *r, const WalkRegionMark *m);
