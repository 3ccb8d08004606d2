/* A trial on the device: verified, warmed up, timed; and the finalists against each other. */
#ifndef APTUNE_GPU_WORKER_TRIAL_H
#define APTUNE_GPU_WORKER_TRIAL_H

#include "sample.h"

/* Runs it; the result's arrays live in `a`.  False when this process must not be used any more:
 * the context is broken, or something was written that every later trial relies on. */
bool trial_run(Arena *a, Bench *b, const Trial *t, TrialResult *r);

/* Rounds of one sample of each finalist; times[round × run_count + i] in `r` is that of run i.  All
 * rounds or none: one that fails ends it with its status and words.  False likewise. */
bool final_run(Arena *a, Bench *b, const TrialFinal *f, TrialResult *r);

#endif
