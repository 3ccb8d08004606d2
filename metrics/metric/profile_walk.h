/* The fields of a profile that come from following warps through the PTX.  Internal to
 * metrics/metric. */
#ifndef APTUNE_METRIC_PROFILE_WALK_H
#define APTUNE_METRIC_PROFILE_WALK_H

#include "metrics/flow/memory.h"
#include "metrics/metric/profile.h"

/* What all accesses of one kind of memory come to for one warp. */
typedef struct ProfileTraffic {
    double shared_loads, shared_load_wavefronts; /* loads merged as ptxas merges them */
    double shared_others, shared_other_wavefronts;
    double shared_wavefronts_min;
    double shared_traffic;
    double global_sectors, global_sectors_min, global_lines, global_lines_min;
    double global_requests, global_bytes, global_bytes_unique;
    double local_sectors;
    double constant_loads, constant_passes;
    double unknown;
} ProfileTraffic;

/* Counts and regions.  They live in `a`. */
void profile_set_walk(Arena *a, Profile *p, const Memory *m);

ProfileTraffic profile_set_memory(Profile *p, const Memory *m);

/* Why something is not known.  `unmatched`: the doubt of the join with the machine code, or NULL.
 */
void profile_set_note(Arena *a, Profile *p, const Memory *m, const char *unmatched);

#endif
