/* What a warp's accesses of memory come to: the sum over all places of a walk made with `memory`.
 *
 * ptxas makes one load of shared memory out of several neighbouring ones where their alignment is proven
 * (128-bit accesses take other wavefronts than four of 32 bits), so loads that only offsets of one base
 * tell apart are merged here as it does: within a stretch of a block without barrier, call or write to
 * shared memory, to the widest aligned access. */
#ifndef APTUNE_FLOW_TRAFFIC_H
#define APTUNE_FLOW_TRAFFIC_H

#include "metrics/flow/walk.h"

typedef struct Traffic {
    double shared_accesses;       /* per warp, merged */
    double shared_wavefronts;     /* per warp */
    double shared_wavefronts_min; /* likewise, were the same words spread evenly over the banks */
    double global_accesses;       /* per warp */
    double global_sectors;        /* of 32 bytes, per warp */
    double global_sectors_min;    /* likewise, were the bytes packed */
    double global_lines;          /* of 128 bytes, per warp */
    double unknown;               /* accesses whose addresses were not known, per warp */
} Traffic;

/* Scratch memory comes from `a`. */
Traffic traffic_of(Arena *a, const Walk *w);

#endif
