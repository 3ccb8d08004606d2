/* One GPU for a test that has nothing to do meanwhile. */
#pragma once

#include "tuner/gpu/gpu.h"

/* Starts it and waits until it is usable.  NULL with the reason in `d`. */
Gpu *open_gpu(const GpuOptions *o, Diag *d);

/* Sets the problem and waits until the reference has run.  False with the reason in `d`. */
bool set_gpu_problem(Gpu *g, const TaskProblem *p, Diag *d);

/* gpu_next that waits so many seconds. */
bool next_result(Gpu *g, Arena *a, TrialResult *r, double seconds);
