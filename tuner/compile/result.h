/* Requests to compile workers, their results, and how these are cached.
 *
 * A worker's reply and a cache entry have the same form, so that a cached result is a result like any
 * other.
 *
 * A profile depends on the code, on the kernel's launch and arguments and on the device: all of that is in
 * its cache key, with the profiler's version, so that a changed profiler walks again but compiles nothing. */
#pragma once

#include "metrics/base/outcome.h"
#include "metrics/metric/profile_build.h"
#include "tuner/compile/cache.h"
#include "tuner/compile/source.h"

/* --- profiles --------------------------------------------------------------------------------- */

typedef struct ProfileJob {
    const char *kernel; /* its name in the code; NULL: that of the first name expression */
    const Device *device;
    const char *data;              /* contents of memory (data.h); NULL: unknown */
    const ProfileLaunch *launches; /* each gets a profile */
    size_t launch_count;
} ProfileJob;

typedef struct ProfileAnswer {
    const char *error; /* why there is no profile; NULL: there is one */
    Hash code;         /* of the kernel */
    const Profile *profiles;
    size_t count;
    double seconds;     /* wall time of the walks */
    double cpu_seconds; /* processor time of the worker */
} ProfileAnswer;

/* The key of everything that an answer depends on; `code` is the key of what is compiled. */
Hash profile_job_key(const Hash *code, const ProfileJob *p);

/* An answer as a header, to which more may be added, and a blob of numbers. */
json_t *profile_answer_json(const ProfileAnswer *x, Buf *numbers);

/* --- results ---------------------------------------------------------------------------------- */

/* The state of a job's profiles. */
typedef enum ProfileStatus {
    PROFILE_NONE, /* not asked for, or no code */
    PROFILE_OK,
    PROFILE_ERROR, /* the code cannot be profiled; the log says why */
    PROFILE_LOST   /* following its warps took too long or crashed the worker */
} ProfileStatus;

/* Texts and bytes live in the arena that the result was taken into. */
typedef struct CompileResult {
    uint64_t id; /* as given to farm_add */
    Outcome status;
    const char *log; /* the compiler's, or ours after a timeout or crash */
    const char *ptx; /* zero-terminated; NULL: none */
    size_t ptx_size;
    const char *cubin; /* NULL: none */
    size_t cubin_size;
    Texts lowered;      /* one for each name expression, if compiled */
    double seconds;     /* of the compile itself, when first done; of a job given up: until then */
    double cpu_seconds; /* processor time of the compile; 0: unknown */
    bool from_cache;    /* the code */
    ProfileStatus profiled;
    bool profile_from_cache; /* then there may be neither PTX nor cubin */
    const char *lost;        /* why there is no profile; else NULL */
    ProfileAnswer profile;   /* if PROFILE_OK; its seconds are those of the original walk */
} CompileResult;

/* The first error line of a compiler's log, in `a`: "k.cu(3): error: …" of the front end, "ptxas error : …"
 * of the assembler. "" without a log. */
const char *result_first_error(Arena *a, const char *log);

/* A log reduced to its first few errors; the whole log if it has none; in `a`. */
const char *result_errors(Arena *a, const char *log);

/* A result as a header, to which more may be added, and its blob. */
json_t *result_json(const CompileResult *r, Buf *blob);

/* Reads such a message, all copied to `a`; the id is left to the caller. False: malformed. */
bool result_read(Arena *a, const WireMessage *reply, CompileResult *out);

/* The key of everything that a job's result depends on: source and includes, options, names, the compiler.
 * Where the files are does not count, so that checkouts and machines share a cache, unless an option writes
 * the includes' folders into the code. */
Hash result_key(const char *compiler, const CompileJob *job);

/* Reads a result from the cache into `a`; false: not there. */
bool result_recall(const Cache *c, Arena *a, const Hash *key, CompileResult *out);

/* Reads the profiles of so many launches, which have their own key, without log and code. False: not
 * there. */
bool result_recall_profile(const Cache *c, Arena *a, const Hash *key, size_t launches,
                           CompileResult *out);

/* Adds a worker's reply to a result with code: the profiles of `launches` launches, or why there are none;
 * all copied to `a`. False: malformed. */
bool result_read_profile(Arena *a, const WireMessage *reply, size_t launches, CompileResult *r);

/* --- requests: the messages are described in tuner/compile/worker/main.c ----------------------- */

/* Raised when a message changes. (Options that the helper adds belong to the cache's keys: KEY_VERSION in
 * result.c.) */
enum { COMPILE_PROTOCOL = 5 };

typedef struct CompileRequest {
    uint64_t id;
    const char *name;   /* of the source, in messages */
    const char *source; /* its text */
    Texts options;
    Texts names;             /* name expressions; if the code is given, their lowered names */
    Texts headers;           /* name and text alternate */
    const char *ptx, *cubin; /* the code, if known: nothing is compiled then */
    size_t cubin_size;
    const ProfileJob *profile; /* NULL: none is wanted */
} CompileRequest;

json_t *request_json(const CompileRequest *q, Buf *blob);

/* Reads a request, which points into `a` and the message. False with a message: malformed. */
bool request_read(Arena *a, const WireMessage *m, CompileRequest *out, Diag *d);
