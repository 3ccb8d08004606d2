/* The GPU as the program sees it: trials in, results out, whatever the kernels do.
 *
 * The work is done by a helper process, aptune-gpu, which owns the CUDA context. Trials queue here
 * and go to it one at a time, so that whatever happens is the fault of that one trial: when its
 * time passes, the helper is killed; when a kernel faults or the helper dies, another one is
 * started, given the problem again, and the queue goes on.  The device is given up when helpers
 * fail to start several times in a row; trials still queued are then answered with OUTCOME_SKIPPED.
 *
 * Everything advances inside gpu_next, which a poll loop calls when gpu_fd is readable
 * or gpu_patience has passed; a caller with nothing else to do just calls it with a
 * timeout.  One thread per Gpu. */
#pragma once

#include "metrics/base/diag.h"
#include "metrics/base/waits.h"
#include "tuner/gpu/facts.h"
#include "tuner/spec/task.h"

typedef struct Gpu Gpu;

typedef struct GpuOptions {
    const char *helper;  /* path of aptune-gpu */
    const char *wrapper; /* a program that the helper runs under, such as compute-sanitizer, with
                            options that end with NULL; or NULL.  What it prints comes with the
                            results, and it may end by itself after a fault. */
    const char *const *wrapper_options;
    int device;             /* which of the machine's GPUs, counted from 0 */
    bool wrap;              /* where there are fewer: `device` modulo their number */
    double start_limit_s;   /* for the helper to start and open the device */
    double problem_limit_s; /* for filling the buffers and running the reference */
    double kill_limit_s;    /* for a killed helper to be gone */
    int tries;              /* starts in a row that may fail before the device is given up */
    double retry_delay_s;   /* before the second try; doubled before each further one */
} GpuOptions;

GpuOptions gpu_options(const char *helper, int device);

/* Starts the helper, which opens the device, without waiting for it.  gpu_settle waits until each
 * of several is usable or has failed; false when `stop_fd` (< 0: none) became readable before.
 * gpu_usable says which, with the reason in `d` (no driver, no GPU, no such device …).  gpu_close
 * ends each. */
enum { GPU_LIMIT = 64 }; /* of one machine */
Gpu *gpu_start(const GpuOptions *o);
bool gpu_settle(Gpu *const *gpus, size_t count, int stop_fd);
bool gpu_usable(const Gpu *g, Diag *d);
void gpu_close(Gpu *g);

/* The device in use, and more that the driver says about it; valid until gpu_close. */
const Device *gpu_device(const Gpu *g);
const GpuFacts *gpu_facts(const Gpu *g);

/* Its number in the machine: as in the options, or what `wrap` made of that. */
int gpu_ordinal(const Gpu *g);

/* All devices of the machine. */
size_t gpu_device_count(const Gpu *g);

/* Sets the problem of the trials that follow: fills the buffers, runs the reference.  Nothing of
 * `p` is needed afterwards.  Does not wait, as gpu_start; gpu_settle and gpu_usable tell of its
 * end. After a problem that failed the next may succeed.  No trial may be pending. */
void gpu_start_problem(Gpu *g, const TaskProblem *p);

/* What the reference made of the outputs; valid until the next problem. */
const TaskOutput *gpu_outputs(const Gpu *g, size_t *count);

/* Queues a trial; nothing of it is needed afterwards.  A problem must be set. */
void gpu_submit(Gpu *g, const Trial *t);

/* Trials submitted and not yet answered. */
size_t gpu_pending(const Gpu *g);

/* Readable when there may be something for gpu_next; −1 while no helper runs.  Changes when the
 * helper is replaced, so ask before each poll. */
int gpu_fd(const Gpu *g);

/* Seconds after which gpu_next has to be called even when gpu_fd is silent; < 0: never. */
double gpu_patience(const Gpu *g);

/* Adds both to what a poll loop waits for. */
void gpu_await(const Gpu *g, Waits *w);

typedef enum GpuNext {
    GPU_RESULT, /* *r holds the answer to the trial submitted first */
    GPU_LATER,  /* none within the time */
    GPU_IDLE    /* no trial is pending */
} GpuNext;

/* Waits at most `timeout_s` (0: not at all, < 0: for ever) for the next result, whose parts live
 * in `a`.  Every trial submitted is answered once, in order. */
GpuNext gpu_next(Gpu *g, Arena *a, TrialResult *r, double timeout_s);

/* It was given up: every trial is answered with OUTCOME_SKIPPED. */
bool gpu_lost(const Gpu *g);

/* Helpers started so far: 1 when nothing went wrong. */
int gpu_starts(const Gpu *g);
