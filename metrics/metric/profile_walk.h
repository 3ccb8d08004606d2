/* Profile fields that come from following warps through the PTX.  Internal to metrics/metric. */
#pragma once

#include "metrics/cubin/sass_profile.h"
#include "metrics/metric/profile.h"

/* Accesses of one kind, summed over one warp. */
typedef struct ProfileShared {
    double accesses, wavefronts, wavefronts_min;
} ProfileShared;

/* Of local memory. */
typedef struct ProfileLocal {
    double sectors;
    double width; /* bytes of a lane, summed */
} ProfileLocal;

typedef struct ProfileTraffic {
    ProfileShared loads, plain_loads;   /* merged as ptxas may merge them; as in the PTX */
    ProfileShared stores, plain_stores; /* likewise */
    ProfileShared matrices;
    ProfileShared others;           /* of shared memory: atomics, and at generic addresses */
    double load_width, store_width; /* of shared memory: bytes of a lane, summed */
    ProfileLocal local[2];          /* loads and stores of local memory */
    double constant_loads, constant_passes, constant_bytes;
    double *value; /* the profile's fields, where everything else is summed */
} ProfileTraffic;

/* Sets counts and regions, which live in `a`. */
void profile_set_walk(Arena *a, Profile *p, const Memory *m);

/* Multiply-adds of an instruction of a warp, in dense half-precision ones; 0 if its name has no shape. */
double profile_tensor_shape(const PtxForm *f);

ProfileTraffic profile_set_memory(Profile *p, const Memory *m);

/* Adjusts the traffic to the machine code: which accesses of the PTX were merged, which of local memory
 * remain, how many spills were added, which constants became operands. */
void profile_settle_memory(Profile *p, ProfileTraffic *t, const SassProfile *s);

/* Sets how much is not known and the resulting uncertainty; needs all other fields. */
void profile_set_doubt(Arena *a, Profile *p, const Memory *m, const SassProfile *s);

/* Sets the note on what was assumed or is not known of the warps followed: the first place of each kind, and
 * how many there are.  `s` tells whether the join with the machine code is in doubt. */
void profile_set_note(Arena *a, Profile *p, const Memory *m, const SassProfile *s,
                      const WalkData *data);
