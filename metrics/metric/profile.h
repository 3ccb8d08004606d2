/* The static profile of one launch: a row of numbers that formulas are made of.
 *
 * A field that nobody has set is not 0 but NaN, "not known", and a metric that uses it is not known
 * either.  The fields stand in profile.def. */
#ifndef APTUNE_METRIC_PROFILE_H
#define APTUNE_METRIC_PROFILE_H

#include "metrics/cubin/cubin.h"
#include "metrics/device/occupancy.h"

typedef enum ProfileField {
#define FIELD(constant, name, unit, per, meaning) PROFILE_##constant,
#include "metrics/metric/profile.def"
#undef FIELD
    PROFILE_FIELDS
} ProfileField;

typedef struct Profile {
    double value[PROFILE_FIELDS]; /* NaN: not known */
} Profile;

typedef struct ProfileInfo {
    const char *name;    /* in formulas and reports: "blocks_per_sm" */
    const char *unit;    /* "1" for a ratio */
    const char *per;     /* "thread", "warp", "block", "SM", "kernel", "launch" */
    const char *meaning; /* one sentence */
} ProfileInfo;

/* Constant. */
const ProfileInfo *profile_info(ProfileField f);

/* The field of that name, -1 when there is none. */
int profile_find(const char *name);

/* With nothing known. */
Profile profile_new(void);

/* Takes code and stack of a kernel from its cubin.  `local_array_bytes`: the local arrays that the
 * PTX declares.  Without any, the spills are exact; with some, they are 0 when the stack has no
 * room for more than those, else an upper bound, as accesses of arrays and of spilled registers
 * look the same. */
void profile_set_code(Profile *p, const CubinKernel *k, int64_t local_array_bytes);

/* What a block of this kernel takes when launched so. */
BlockUse profile_block_use(const CubinKernel *k, int64_t dynamic_shared, int threads_per_block);

/* Takes the resources of a block and computes everything that follows from them, the device and the
 * number of blocks: threads, warps, residency, waves. */
void profile_set_launch(Profile *p, const Device *d, const BlockUse *use, int64_t blocks);

/* "name = value unit per what", one line per field that is known. */
void profile_print(const Profile *p, Buf *out);

#endif
