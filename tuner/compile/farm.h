/* Compiles many configurations at once, in worker processes.
 *
 * Jobs go in, results come out in the order they are ready.  A job whose result is in the cache
 * reaches no worker, and workers start only when there is work: a run that finds all in the cache
 * starts none.  A job that takes too long or brings its worker down costs only itself: its
 * worker is killed and replaced.
 *
 * A job that asks for profiles has its warps followed by the worker that compiled it, or by any
 * worker where the cache has the code and no such profile.  When that takes too long or brings the
 * worker down, the code comes without.
 *
 * Nothing runs behind the caller's back.  Either farm_next waits for a result, or a poll loop that
 * also serves others does
 *
 *     farm_await(f, &waits);   waits_end(&waits);
 *     farm_service(f, d);   while (farm_take(f, a, &result)) ...
 */
#pragma once

#include "metrics/base/diag.h"
#include "metrics/base/waits.h"
#include "tuner/compile/cache.h"
#include "tuner/compile/result.h"
#include "tuner/compile/source.h"

#include <stdint.h>

typedef struct FarmOptions {
    const char *helper;      /* the program aptune-compile */
    const char *cuda_folder; /* a toolkit to look into first; may be NULL */
    int jobs;                /* workers at most; 0: one for each processor we may run on */
    double limit_seconds;    /* for one compile; 0: 60 */
    double start_seconds;    /* for a worker's start; 0: 30 */
    double limit_gb;         /* memory of a worker; 0: its share of the machine's, 1 to 4 */
    Cache *cache;            /* NULL: none.  Must outlive the farm */
} FarmOptions;

typedef struct Farm Farm;

/* Starts nothing yet.  Never NULL. */
Farm *farm_open(const FarmOptions *options);

/* Kills the workers, forgets what is not done.  NULL is allowed. */
void farm_close(Farm *f);

/* Queues a job, which must stay until its result is taken. */
void farm_add(Farm *f, uint64_t id, const CompileJob *job);

/* Jobs added whose results are not taken yet. */
size_t farm_pending(const Farm *f);

/* Waits for a result.  False when none is pending, or, with a message, when the farm cannot go on:
 * there is no compiler, or workers die as they start. */
bool farm_next(Farm *f, Arena *a, CompileResult *out, Diag *d);

/* Adds what to wait for, and how long, before farm_service is due. */
void farm_await(const Farm *f, Waits *w);

/* Does what can be done without waiting: reads, starts, sends, kills.  Warnings (the cache cannot
 * be written) go to `d`; false with an error when the farm cannot go on. */
bool farm_service(Farm *f, Diag *d);

/* Takes a result that is ready; false when none is now. */
bool farm_take(Farm *f, Arena *a, CompileResult *out);

/* The compiler, "NVRTC 13.0", in `a`; NULL while nobody knows. */
const char *farm_compiler(Farm *f, Arena *a);

/* Workers started so far; 0 when all came from the cache. */
size_t farm_started(const Farm *f);

/* GB that each of so many workers may take: three quarters of the machine's, but 1 to 4. */
double farm_memory_share(double machine_gb, int jobs);

/* Which compiler the helper finds, "NVRTC 13.0, /usr/lib/libnvrtc.so.13", or why there is none; in
 * `a`. */
const char *farm_ask_compiler(Arena *a, const char *helper, const char *cuda_folder);
