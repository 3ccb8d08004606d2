/* What is asked of a compile worker, what it gives, and how that is kept in the cache.
 *
 * A worker's reply and a cache entry say the same in the same form, so that a result from the cache
 * is a result like any other.
 *
 * A profile depends on the code, on how the kernel is launched, on what it is given and on the
 * device: all of that goes into the key that it is cached under, with the profiler's version, so
 * that a changed profiler walks again and compiles nothing. */
#pragma once

#include "metrics/base/hash.h"
#include "metrics/base/outcome.h"
#include "metrics/metric/profile_build.h"
#include "tuner/compile/cache.h"
#include "tuner/compile/source.h"

#include <stdint.h>

/* --- profiles --------------------------------------------------------------------------------- */

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

/* What profile_build takes for one launch of a kernel with this code. */
ProfileInput profile_job_input(const ProfileJob *p, size_t launch, const ProfileInput *code);

/* Everything an answer depends on; `code` is the key of what is compiled. */
Hash profile_job_key(const Hash *code, const ProfileJob *p);

/* An answer as a header, which may hold more, and a blob of numbers. */
json_t *profile_answer_json(const ProfileAnswer *x, Buf *numbers);

/* --- results ---------------------------------------------------------------------------------- */

/* Of a job that asks for profiles and whose code compiled. */
typedef enum ProfileStatus {
    PROFILE_NONE, /* not asked for, or there is no code */
    PROFILE_OK,
    PROFILE_ERROR, /* the code is not what is to be profiled; the log says why */
    PROFILE_LOST   /* following its warps took too long or brought the worker down */
} ProfileStatus;

/* Texts and bytes live in the arena the result was taken into. */
typedef struct CompileResult {
    uint64_t id; /* as given to farm_add */
    Outcome status;
    const char *log; /* the compiler's words, or ours after a timeout or crash */
    const char *ptx; /* zero-terminated; NULL without */
    size_t ptx_size;
    const char *cubin; /* NULL without */
    size_t cubin_size;
    const char *const *lowered; /* one for each name expression, when ok */
    size_t lowered_count;
    double seconds; /* of the compile itself, the first time; until it was given up, otherwise */
    double cpu_seconds; /* of a processor, the first time; 0: not known */
    bool from_cache;    /* the code */
    ProfileStatus profiled;
    bool profile_from_cache; /* then there may be neither PTX nor cubin */
    const char *lost;        /* why the profile is lost, or is none; NULL otherwise */
    ProfileAnswer profile;   /* when PROFILE_OK; its seconds are those of the first time */
} CompileResult;

/* The line of a compiler's log that says what is wrong first, in `a`: "k.cu(3): error: …" of the
 * front end, "ptxas error   : …" of the assembler.  "" without a log. */
const char *result_first_error(Arena *a, const char *log);

/* A log without warnings and remarks where it has errors, of which the first few tell what is
 * wrong; in `a`. */
const char *result_errors(Arena *a, const char *log);

/* A result as a header, which may hold more, and its blob. */
json_t *result_json(const CompileResult *r, Buf *blob);

/* Such a message, all of it copied to `a`; the id is left to the caller.  False when it is none. */
bool result_read(Arena *a, const WireMessage *reply, CompileResult *out);

/* Everything the result of a job depends on: source and includes, options, names, the compiler.
 * Where the files lie does not count, so that two checkouts and two machines share a cache; only
 * with options that write the included files' folders into the code it does. */
Hash result_key(const char *compiler, const CompileJob *job);

/* Reads a result from the cache into `a`; false when it is not there. */
bool result_recall(const Cache *c, Arena *a, const Hash *key, CompileResult *out);

/* The profiles that belong to a result, of so many launches, found under a key of their own:
 * without log and code.  False when they are not there. */
bool result_recall_profile(const Cache *c, Arena *a, const Hash *key, size_t launches,
                           CompileResult *out);

/* Adds a worker's reply with the profiles of so many launches, or why there are none, to a result
 * with code; all of it is copied to `a`.  False when it is no such reply. */
bool result_read_profile(Arena *a, const WireMessage *reply, size_t launches, CompileResult *r);

/* Keeps a reply that one of these took, unless compiling again might give something else.  False
 * with a message when the cache cannot be written. */
bool result_keep(const Cache *c, const Hash *key, const WireMessage *reply, Diag *d);

/* What the farm and aptune-compile agree on; the messages are in tuner/compile/worker/main.c. */

/* Counted up when a message changes.  (What the helper adds to the options is part of the cache's
 * keys: KEY_VERSION in result.c.) */
enum { COMPILE_PROTOCOL = 5 };

/* What a worker is asked for. */
typedef struct CompileRequest {
    uint64_t id;
    const char *name;   /* of the source, in messages */
    const char *source; /* its text */
    const char *const *options;
    size_t option_count;
    const char *const *names; /* name expressions; where the code is known, what became of them */
    size_t name_count;
    const char *const *headers; /* name and text of each in turn */
    size_t header_count;        /* texts */
    const char *ptx, *cubin;    /* the code, where it is known: nothing is compiled then */
    size_t cubin_size;
    const ProfileJob *profile; /* NULL: none is wanted */
} CompileRequest;

json_t *request_json(const CompileRequest *q, Buf *blob);

/* What it points to is in `a` or in the message.  False with a message when it is none. */
bool request_read(Arena *a, const WireMessage *m, CompileRequest *out, Diag *d);
