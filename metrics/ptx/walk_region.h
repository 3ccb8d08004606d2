/* The regions of a walk: execution between two stalls.
 *
 * A stall region ends where the warp waits for memory or at a barrier; a synchronization region, from one
 * barrier to the next, consists of stall regions (S. Ryoo, "Program Optimization Strategies for
 * Data-Parallel Many-Core Processors", Illinois 2008, 5.3.2 and 6.3). A region is identified by its start,
 * its end and its synchronization region; its counts are summed over its executions. Loads count where they
 * issue, which is as early as their block allows (walk.h).
 *
 * The regions of a walk add up: instructions to Walk.instr, sectors to those of all accesses. If the cost
 * of an access varies over iterations, skipped iterations scale the regions' sectors to the true sum, as if
 * all had changed alike. Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk.h"

enum { WALK_COPY_GROUPS = 16 };

typedef struct WalkTraffic {
    double sectors, bytes;
} WalkTraffic;

/* Regions in progress. */
typedef struct WalkRegions {
    Arena *arena;
    Walk *walk; /* receives finished regions */
    /* Regions ended since the last barrier; their `sync` is not set yet. */
    WalkRegionList open;
    WalkRegion now;
    WalkSpot sync_from;              /* the last barrier */
    double clock;                    /* instructions since the start */
    double copied[WALK_COPY_GROUPS]; /* clocks at which the last copy groups were closed */
    uint64_t copies;
    uint64_t closed; /* regions ended */
    uint64_t synced; /* barriers */
} WalkRegions;

/* A snapshot of the regions for detecting later changes. Start with zero. */
typedef struct WalkRegionMark {
    WalkRegions then;             /* without its lists … */
    WalkRegionList regions, open; /* … which are copied here */
} WalkRegionMark;

/* Adds the traffic of phases up to `phase` to the current region. */
void walk_region_flush(WalkRegions *r, WalkTraffic *phases, int phase);

void walk_region_work(WalkRegions *r, double instrs);
/* The warp waits for memory, `covered` instructions after the load was issued. */
void walk_region_wait(WalkRegions *r, WalkSpot at, WalkStop stop, double covered);
void walk_region_barrier(WalkRegions *r, WalkSpot at);

/* Closes a group of asynchronous copies; waits for all but the newest `left`. */
void walk_region_copy(WalkRegions *r);
void walk_region_wait_copies(WalkRegions *r, WalkSpot at, uint32_t left);

/* Ends the walk and scales the regions' traffic. */
void walk_region_end(WalkRegions *r);

/* For skipped iterations (walk_skip.h): true if what has happened since the mark would happen again. */
bool walk_region_repeats(const WalkRegions *r, const WalkRegionMark *m);
