/* The static profile of one launch: a row of numbers that formulas are made of.
 *
 * A field that nobody has set is not 0 but NaN, "not known", and a metric that uses it is not known
 * either.  The fields stand in profile.def. */
#pragma once

#include "metrics/cubin/cubin.h"
#include "metrics/metric/occupancy.h"

typedef enum ProfileField {
#define FIELD(constant, name, unit, per, launches, meaning) PROFILE_##constant,
#include "metrics/metric/profile.def"
#undef FIELD
    PROFILE_FIELDS
} ProfileField;

typedef enum RegionColumn {
#define REGION(constant, name, unit, meaning) REGION_##constant,
#include "metrics/metric/region.def"
#undef REGION
    REGION_COLUMNS
} RegionColumn;

typedef struct ProfileRegion {
    double value[REGION_COLUMNS];
} ProfileRegion;

/* More regions are summed up in the last one. */
enum { PROFILE_REGION_ROOM = 24 };

typedef struct Profile {
    double value[PROFILE_FIELDS]; /* NaN: not known */
    const ProfileRegion *regions; /* stall regions; those of a synchronization region together */
    size_t region_count;          /* 0: not known */
    const ProfileRegion *syncs;   /* synchronization regions: sums over their stall regions */
    size_t sync_count;
    const char *note; /* what is not known and why; NULL for nothing */
} Profile;

typedef struct ProfileInfo {
    const char *name;    /* in formulas and reports: "blocks_per_sm" */
    const char *unit;    /* "1" for a ratio */
    const char *per;     /* "thread", "warp", "block", "SM", "kernel", "launch" */
    const char *meaning; /* one sentence */
} ProfileInfo;

/* Constant. */
const ProfileInfo *profile_info(ProfileField f);
const ProfileInfo *profile_region_info(RegionColumn c);

/* Names of all columns of regions. */
const char *const *profile_region_names(void);

/* Gives the profile these stall regions, and the synchronization regions that they make, copied to
 * `a`. */
void profile_set_regions(Arena *a, Profile *p, const ProfileRegion *regions, size_t count);

/* Copies what a profile points to into `a`. */
void profile_keep(Arena *a, Profile *p);

/* Launches of a run that are all alike to a profile. */
typedef struct LaunchProfile {
    const Profile *profile;
    double times; /* that it is launched */
} LaunchProfile;

/* The one that executes most instructions. */
size_t profile_main_launch(const LaunchProfile *launches, size_t count);

/* One profile for all launches: each field as its line in profile.def says. */
Profile profile_of_launches(const LaunchProfile *launches, size_t count);

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
