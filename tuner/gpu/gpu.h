/* A GPU that runs trials and survives whatever their kernels do.
 *
 * A helper process, aptune-gpu, owns the CUDA context.  Trials are queued here and sent to it one at a time,
 * so that a failure belongs to exactly one trial: after its time limit the helper is killed; when a kernel
 * faults or the helper dies, another helper is started, gets the problem again, and the queue goes on.  The
 * device is given up after several failed starts in a row; queued trials are then answered with
 * OUTCOME_SKIPPED.
 *
 * All progress happens in gpu_next, which a poll loop calls after the waits of gpu_await.  A Gpu belongs to
 * one thread. */
#pragma once

#include "metrics/base/waits.h"
#include "tuner/gpu/message.h"

typedef struct Gpu Gpu;

typedef struct GpuOptions {
    const char *helper; /* path of aptune-gpu */
    /* Program to run the helper under, such as compute-sanitizer, with options that end with NULL; or NULL.
     * Its output comes with the results, and it may end by itself after a fault. */
    const char *wrapper, *const *wrapper_options;
    int device;             /* index of the GPU in the machine */
    bool wrap;              /* take `device` modulo the number of GPUs */
    double start_limit_s;   /* for the helper to start and open the device */
    double problem_limit_s; /* for filling the buffers and running the reference */
    double kill_limit_s;    /* for a killed helper to be gone */
    int tries;              /* failed starts in a row before the device is given up */
    double retry_delay_s;   /* before the second try; doubled before each further one */
} GpuOptions;

GpuOptions gpu_options(const char *helper, int device);

/* gpu_start starts the helper, which opens the device, without waiting.  gpu_settle waits until each of
 * several is usable or has failed; false if `stop_fd` (< 0: none) became readable first.  gpu_usable tells
 * which, with the reason in `d` (no driver, no GPU, no such device …).  gpu_close ends each. */
enum { GPU_LIMIT = 64 }; /* of one machine */
Gpu *gpu_start(const GpuOptions *o);
bool gpu_settle(Gpu *const *gpus, size_t count, int stop_fd);
bool gpu_usable(const Gpu *g, Diag *d);
void gpu_close(Gpu *g);

/* The device in use, and what the driver says about it; valid until gpu_close. */
const Device *gpu_device(const Gpu *g);
const GpuFacts *gpu_facts(const Gpu *g);

/* Its index in the machine, after `wrap`. */
int gpu_ordinal(const Gpu *g);

/* Number of GPUs of the machine. */
size_t gpu_device_count(const Gpu *g);

/* Sets the problem of the following trials: fills the buffers, runs the reference.  `p` is not kept.  Does
 * not wait; gpu_settle and gpu_usable tell how it ended.  A later problem may succeed after one that failed.
 * No trial may be pending. */
void gpu_start_problem(Gpu *g, const TaskProblem *p);

/* Facts about the reference's outputs; valid until the next problem. */
const TaskOutput *gpu_outputs(const Gpu *g, size_t *count);

/* Queues a trial, which is not kept.  A problem must be set. */
void gpu_submit(Gpu *g, const Trial *t);

/* Trials submitted and not yet answered. */
size_t gpu_pending(const Gpu *g);

/* Adds to the waits of a poll loop what gpu_next may have to do: something to read, or a time that is over.
 * To be asked before each poll, since the helper may be replaced. */
void gpu_await(const Gpu *g, Waits *w);

/* True if there is an answer to the oldest trial, which becomes *r and lives in `a`.  Does not wait.  Every
 * trial is answered once, in order. */
bool gpu_next(Gpu *g, Arena *a, TrialResult *r);

/* True if the device was given up, so that every trial is answered with OUTCOME_SKIPPED. */
bool gpu_lost(const Gpu *g);

/* Helpers started so far: 1 if nothing went wrong. */
int gpu_starts(const Gpu *g);
