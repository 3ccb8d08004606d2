/* The driver of the static analysis: from a compiled kernel and its launch to a profile.
 *
 * PTX gives structure and execution counts; the cubin registers, memory and code identity; the device
 * residency. */
#pragma once

#include "metrics/metric/profile.h"
#include "metrics/ptx/memory.h"

/* Incremented whenever the same code would get other numbers: cached profiles of another version are made
 * again.  Recorded ones are accepted, with a warning, from PROFILER_SINCE on, whose fields have the same
 * meaning: from 18 to 19 the instructions issued differ by more than 0.5 % in 12 of mm-core's 10,661 rows
 * and in a third of heat's, and the stated uncertainty is smaller. */
enum { PROFILER_VERSION = 33, PROFILER_SINCE = 18 };

/* Incremented instead if no recorded launch gets other numbers: cached profiles are made again, recorded ones
 * stay. */
enum { PROFILER_REVISION = 1 };

/* A buffer that a launch is given. */
typedef struct ProfileBuffer {
    uint64_t address;
    double bytes;
    bool filled;     /* has contents to read */
    bool written;    /* may be written */
    bool fresh;      /* no earlier launch had it: its contents are those of the spec */
    bool restored;   /* before each timed run, since launches may change its contents */
    double launches; /* of the run, with different arguments, that have it */
} ProfileBuffer;

/* A launch, as the analysis knows it. */
typedef struct ProfileLaunch {
    int64_t grid[3];
    int64_t block[3];
    int64_t shared;                  /* dynamic, bytes */
    const unsigned char *parameters; /* their bytes in memory; NULL: not known */
    size_t parameter_bytes;
    const ProfileBuffer *buffers; /* none: not known */
    size_t buffer_count;
    const WalkTrips *trips; /* trip counts of loops that depend on data */
    size_t trip_count;
} ProfileLaunch;

typedef struct ProfileInput {
    const char *ptx; /* text, ends with a zero byte */
    size_t ptx_size;
    const void *cubin;
    size_t cubin_size;
    const char *kernel; /* name of the entry */
    const Device *device;
    ProfileLaunch launch;
    const WalkData *data; /* contents of memory; NULL: not known */
} ProfileInput;

/* False with a message if PTX or cubin cannot be read or lack the kernel. */
bool profile_build(Arena *a, const ProfileInput *in, Profile *out, Hash *code, Diag *d);

/* The same without the walks: only resources and what follows from them. */
bool profile_code(Arena *a, const ProfileInput *in, Profile *out, Hash *code, Diag *d);

/* The walks behind a profile, access by access; needs only the PTX.  `module` is what was parsed.  NULL with
 * a message if it cannot be read or lacks the kernel.  Both live in `a` and point into the PTX. */
const Memory *profile_follow(Arena *a, const ProfileInput *in, const PtxModule **module, Diag *d);

typedef enum ProfileStage {
    PROFILE_FLOW,  /* blocks and loops of the PTX */
    PROFILE_WALK,  /* what the followed warps execute, wait for and access */
    PROFILE_PAIRS, /* which loop of the machine code belongs to which of the PTX */
    PROFILE_JOIN   /* execution counts of its blocks, and what they were derived from */
} ProfileStage;

/* Prints the result of a stage of profile_build.  False with a message, as profile_build. */
bool profile_dump(Arena *a, const ProfileInput *in, ProfileStage stage, Buf *out, Diag *d);

/* Reports every access of the walks of a profile to `touch` (WalkTouch).  True if no loop was guessed. */
bool profile_touch(Arena *a, const ProfileInput *in, const PtxFunction *entry,
                   const WalkTouch *touch);
