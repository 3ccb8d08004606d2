/* The static profile of one launch: the numbers that metrics are computed from (profile.def).
 *
 * A field that was not set is NaN, "not known", and so is every metric that uses it. */
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

/* Further regions are merged into the last one. */
enum { PROFILE_REGION_ROOM = 24 };

typedef struct Profile {
    double value[PROFILE_FIELDS]; /* NaN: not known */
    const ProfileRegion *regions; /* stall regions, grouped by synchronization region */
    size_t region_count;          /* 0: not known */
    const ProfileRegion *syncs;   /* synchronization regions: sums over their stall regions */
    size_t sync_count;
    const char *note; /* what is not known and why; NULL if nothing */
} Profile;

typedef struct ProfileInfo {
    const char *name;    /* in formulas and reports: "blocks_per_sm" */
    const char *unit;    /* "1" for a ratio */
    const char *per;     /* "thread", "warp", "block", "SM", "kernel", "launch" */
    const char *meaning; /* one sentence */
} ProfileInfo;

extern const ProfileInfo profile_fields[PROFILE_FIELDS];

/* The columns of regions. */
extern const ProfileInfo profile_columns[REGION_COLUMNS];
extern const char *const profile_column_names[REGION_COLUMNS];

/* Sets the stall regions, and the synchronization regions summed from them, copied to `a`. */
void profile_set_regions(Arena *a, Profile *p, const ProfileRegion *regions, size_t count);

/* Copies what a profile points to into `a`. */
void profile_keep(Arena *a, Profile *p);

/* Identical launches of a run. */
typedef struct LaunchProfile {
    const Profile *profile;
    double times; /* how many */
} LaunchProfile;

/* The index of the one that executes most instructions. */
size_t profile_main_launch(const LaunchProfile *launches, size_t count);

/* Combines the launches into one profile, each field as its line in profile.def says. */
Profile profile_of_launches(const LaunchProfile *launches, size_t count);

/* The field of that name, -1 if there is none. */
int profile_find(const char *name);

/* A profile with nothing known. */
Profile profile_new(void);

/* Sets the fields of code and stack from a kernel of a cubin.  `local_array_bytes` is the size of the local
 * arrays in the PTX.  Without arrays, spills are exact; with some, they are 0 if the stack holds no more than
 * these, else an upper bound, since accesses of arrays and of spilled registers look the same. */
void profile_set_code(Profile *p, const CubinKernel *k, int64_t local_array_bytes);

/* The resources of a block of this kernel. */
BlockUse profile_block_use(const CubinKernel *k, int64_t dynamic_shared, int threads_per_block);

/* Sets the resources of a block and what follows for the launch: threads, warps, residency, waves. */
void profile_set_launch(Profile *p, const Device *d, const BlockUse *use, int64_t blocks);

/* "name = value unit per what", one line per known field. */
void profile_print(const Profile *p, Buf *out);
