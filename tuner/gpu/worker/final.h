/* The finalists against each other, on the device: rounds of one sample each. */
#ifndef APTUNE_GPU_WORKER_FINAL_H
#define APTUNE_GPU_WORKER_FINAL_H

#include "sample.h"

/* Runs it; times[round × run_count + i] in `r` is that of run i.  All rounds or none: one that
 * fails ends it with its status and words.  False when this process must not be used any more. */
bool final_run(Arena *a, Bench *b, const TrialFinal *f, TrialResult *r);

#endif
