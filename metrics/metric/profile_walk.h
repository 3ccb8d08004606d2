/* The fields of a profile that come from following warps through the PTX.  Internal to
 * metrics/metric. */
#pragma once

#include "metrics/cubin/sass_profile.h"
#include "metrics/metric/profile.h"
#include "metrics/ptx/memory.h"

/* What all accesses of one kind of memory come to for one warp. */
typedef struct ProfileShared {
    double accesses, wavefronts, wavefronts_min;
} ProfileShared;

typedef struct ProfileTraffic {
    ProfileShared loads, plain_loads; /* merged as ptxas may merge them, and as the text has them */
    ProfileShared stores, plain_stores; /* likewise */
    ProfileShared others;               /* of shared memory: atomics, matrices */
    double load_width, store_width;     /* of shared memory: bytes of a lane, summed */
    double local_width;                 /* likewise, of local memory */
    double constant_loads, constant_passes, constant_bytes;
    double *value; /* the profile's fields, where all else is summed up */
} ProfileTraffic;

/* Counts and regions.  They live in `a`. */
void profile_set_walk(Arena *a, Profile *p, const Memory *m);

/* Multiply-adds that one warp executes with one instruction, in units of dense half-precision ones;
 * 0 where the name tells no shape. */
double profile_tensor_shape(const PtxForm *f);

ProfileTraffic profile_set_memory(Profile *p, const Memory *m);

/* Corrects the traffic by what the code makes of the accesses of the text: which are merged, which
 * of local memory are left, how many were added as spills, which constants are operands. */
void profile_settle_memory(Profile *p, ProfileTraffic *t, const SassProfile *s);

/* How much is not known, and what doubt that makes; after all else but the note. */
void profile_set_doubt(Arena *a, Profile *p, const Memory *m, const SassProfile *s);

/* What was assumed or is not known of any warp that was followed: the first place of each kind, and
 * how many there are.  `unmatched`: the doubt of the join with the machine code, or NULL. */
void profile_set_note(Arena *a, Profile *p, const Memory *m, const char *unmatched);
