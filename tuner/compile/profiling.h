/* What is profiled of a compiled kernel, on its way to a compile worker and back.
 *
 * A profile depends on the code, on how the kernel is launched, on what it is given and on the
 * device: all of that goes into the key that it is cached under, with the profiler's version, so
 * that a changed profiler walks again and compiles nothing. */
#ifndef APTUNE_COMPILE_PROFILING_H
#define APTUNE_COMPILE_PROFILING_H

#include "metrics/base/hash.h"
#include "metrics/base/json_struct.h"
#include "metrics/metric/profile_build.h"

/* One launch of the kernel. */
typedef struct ProfileLaunch {
    int64_t grid[3];
    int64_t block[3];
    int64_t shared;                  /* dynamic, bytes */
    const unsigned char *parameters; /* as they lie in memory */
    size_t parameter_bytes;
    const ProfileBuffer *buffers; /* that it is given */
    size_t buffer_count;
    const WalkTrips *trips; /* counts of loops that the spec says */
    size_t trip_count;
} ProfileLaunch;

typedef struct ProfileJob {
    const char *kernel; /* its name in the code; NULL: what the first name expression became */
    const Device *device;
    const char *data; /* what stands in memory that is not written (data.h); NULL: not known */
    const ProfileLaunch *launches; /* each gets a profile */
    size_t launch_count;
} ProfileJob;

/* What a worker found. */
typedef struct ProfileAnswer {
    const char *error; /* why there is no profile; NULL: there is */
    Hash code;         /* of the kernel */
    const Profile *profiles;
    size_t count;
    double seconds;     /* wall time of the walks */
    double cpu_seconds; /* of the worker's processor */
} ProfileAnswer;

/* A job as part of a request; what was read is to be asked whether it is whole. */
extern const JsonStruct PROFILE_JOB_JSON;
bool profile_job_is_whole(const ProfileJob *p);

/* Does the job. `code` lacks what the launches say. */
ProfileAnswer profile_job_do(Arena *a, const ProfileJob *p, const ProfileInput *code);

/* What profile_build takes for one launch of a kernel with this code. */
ProfileInput profile_job_input(const ProfileJob *p, size_t launch, const ProfileInput *code);

/* Everything an answer depends on; `code` is the key of what is compiled. */
Hash profile_job_key(const Hash *code, const ProfileJob *p);

/* An answer as a header, which may hold more, and a blob of numbers. */
json_t *profile_answer_json(const ProfileAnswer *x, Buf *numbers);

/* Read into `a`; false when it is none, or of other fields than this program's. */
bool profile_answer_read(Arena *a, const json_t *head, Blob numbers, ProfileAnswer *out);

#endif
