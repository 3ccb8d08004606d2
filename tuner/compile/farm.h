/* Compiles many configurations in parallel, in worker processes.
 *
 * Jobs go in; results come out in the order of completion. Cached results need no worker, and workers start
 * only when there is work. A job that takes too long or crashes its worker costs only itself: the worker is
 * killed and replaced.
 *
 * A job that asks for profiles has its warps followed by the worker that compiled it, or by any worker if
 * the cache has the code but no such profile. If that takes too long or crashes the worker, the code comes
 * without a profile.
 *
 * Nothing runs in the background. Either farm_next waits for a result, or a poll loop that also serves
 * others calls
 *
 *     farm_await(f, &waits);   waits_end(&waits);
 *     farm_service(f, d);   while (farm_take(f, a, &result)) ...
 */
#pragma once

#include "metrics/base/waits.h"
#include "tuner/compile/result.h"

typedef struct FarmOptions {
    const char *helper;      /* the program aptune-compile */
    const char *cuda_folder; /* a toolkit to search first; may be NULL */
    int jobs;                /* most workers; 0: one per available processor */
    double limit_seconds;    /* for one compile; 0: 60 */
    double start_seconds;    /* for a worker's start; 0: 30 */
    double limit_gb;         /* memory limit of a worker; 0: its share of the machine's, 1 to 4 */
    Cache *cache;            /* NULL: none.  Must outlive the farm */
} FarmOptions;

typedef struct Farm Farm;

/* Starts no worker yet. Never NULL. */
Farm *farm_open(const FarmOptions *options);

/* Kills the workers and drops unfinished jobs. NULL is allowed. */
void farm_close(Farm *f);

/* Queues a job, which must live until its result is taken. */
void farm_add(Farm *f, uint64_t id, const CompileJob *job);

/* Number of jobs whose results are not taken yet. */
size_t farm_pending(const Farm *f);

/* Waits for a result. False: no job is pending, or, with a message, the farm cannot go on: there is no
 * compiler, or workers die at their start. */
bool farm_next(Farm *f, Arena *a, CompileResult *out, Diag *d);

/* Adds the descriptors to wait for, and how long, until farm_service is due. */
void farm_await(const Farm *f, Waits *w);

/* Does all that needs no waiting: reads, starts, sends, kills. Warnings (an unwritable cache) go to `d`;
 * false with an error: the farm cannot go on. */
bool farm_service(Farm *f, Diag *d);

/* Takes a finished result; false: none now. */
bool farm_take(Farm *f, Arena *a, CompileResult *out);

/* The compiler, "NVRTC 13.0", in `a`; NULL: not known yet. */
const char *farm_compiler(Farm *f, Arena *a);

/* Number of workers started so far; 0: all came from the cache. */
size_t farm_started(const Farm *f);

/* Memory limit in GB of each of `jobs` workers: three quarters of the machine's memory, shared, but 1 to 4. */
double farm_memory_share(double machine_gb, int jobs);

/* The compiler that the helper finds, "NVRTC 13.0, /usr/lib/libnvrtc.so.13", or why there is none; in `a`. */
const char *farm_ask_compiler(Arena *a, const char *helper, const char *cuda_folder);
