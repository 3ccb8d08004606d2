/* One trial on the device: verified, warmed up, timed. */
#ifndef APTUNE_GPU_WORKER_TRIAL_H
#define APTUNE_GPU_WORKER_TRIAL_H

#include "sample.h"

/* Runs it; the result's arrays live in `a`.  False when this process must not be used any more:
 * the context is broken, or something was written that every later trial relies on. */
bool trial_run(Arena *a, Bench *b, const Trial *t, TrialResult *r);

#endif
