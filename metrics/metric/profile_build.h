/* From a compiled kernel and its launch to a profile: the driver of the static analysis.
 *
 * PTX gives the structure and how often each part is executed, the cubin gives registers, memory
 * and the code's identity, the device gives residency. */
#pragma once

#include "metrics/metric/profile.h"
#include "metrics/ptx/memory.h"

/* Counted up whenever the same code would get other numbers: cached profiles of another version are made
 * anew.  Recorded ones are taken, with a warning, from PROFILER_SINCE on, whose fields mean the same: from 18 to 19
 * instructions issued differ by more than 0.5 % in 12 of mm-core's 10,661 rows and in a third of heat's, and less
 * uncertainty is stated. */
enum { PROFILER_VERSION = 24, PROFILER_SINCE = 18 };

/* Counted up instead where no recorded launch gets other numbers, or those that do are made anew at once: cached profiles
 * are made anew, recorded ones stay.  2: what passes through the L2 in a wave.  All but mm's were made anew; of 51 rows of
 * mm, drawn evenly, load_gone differs in four, whose serial_cycles differ by 0.006 % at most. */
enum { PROFILER_REVISION = 2 };

/* Memory that a launch is given. */
typedef struct ProfileBuffer {
    uint64_t address;
    double bytes;
    bool filled;  /* has something that could be read */
    bool written; /* may be written */
    bool fresh;   /* no launch before this one had it: its contents are those of the spec */
} ProfileBuffer;

typedef struct ProfileInput {
    const char *ptx; /* text, ends with a zero byte */
    size_t ptx_size;
    const void *cubin;
    size_t cubin_size;
    const char *kernel; /* name of the entry */
    const Device *device;
    int64_t grid[3];
    int64_t block[3];
    int64_t dynamic_shared;          /* bytes */
    const unsigned char *parameters; /* as they lie in memory; NULL: none is known */
    size_t parameter_bytes;
    const ProfileBuffer *buffers; /* that it is given; none: not known */
    size_t buffer_count;
    const WalkTrips *trips; /* counts of loops that follow from data */
    size_t trip_count;
    const WalkData *data; /* what stands in memory; NULL: not known */
} ProfileInput;

/* False with a message when PTX or cubin cannot be read or lack the kernel. */
bool profile_build(Arena *a, const ProfileInput *in, Profile *out, Hash *code, Diag *d);

/* The same without the walks: resources and what follows from them alone. */
bool profile_code(Arena *a, const ProfileInput *in, Profile *out, Hash *code, Diag *d);

/* The walks behind a profile, access by access, for whoever wants to know where its figures come
 * from: needs the PTX alone.  `module` is what was read.  NULL with a message when it cannot be
 * read or lacks the kernel.  Both live in `a` and point into the PTX. */
const Memory *profile_follow(Arena *a, const ProfileInput *in, const PtxModule **module, Diag *d);

/* What a stage on the way to a profile left behind, as text. */
typedef enum ProfileStage {
    PROFILE_FLOW,  /* blocks and loops of the PTX */
    PROFILE_WALK,  /* what the warps that were followed execute, wait for and access */
    PROFILE_PAIRS, /* which loop of the machine code is which of the PTX */
    PROFILE_JOIN   /* how often its blocks are executed, and by what that was found */
} ProfileStage;

/* False with a message, as profile_build. */
bool profile_dump(Arena *a, const ProfileInput *in, ProfileStage stage, Buf *out, Diag *d);

/* Tells every access of the walks behind a profile.  True when they are certain: no branch and no
 * loop had to be guessed. */
bool profile_touch(Arena *a, const ProfileInput *in, const PtxFunction *entry,
                   const WalkTouch *touch);
