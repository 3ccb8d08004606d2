/* A rival: a library call that runs in place of a configuration's launches.
 *
 * cuBLAS and the driver's copy are built in, every other library is a plugin (tuner/gpu/rival.h).  All are
 * AptuneRivals. */
#pragma once

#include "launch.h"
#include "tuner/gpu/rival.h"

/* Opens the library and prepares the call, in `a`.  OUTCOME_LOAD_FAILED: there is no such library, or it
 * cannot be used; OUTCOME_LAUNCH_FAILED: it rejects the call; the reason is in `words`. */
Outcome rival_open(Arena *a, Driver *v, const TaskRival *task, const Places *places,
                   AptuneRival **out, Buf *words);
void rival_end(AptuneRival *r);

/* Submits one call, without waiting. */
DriverStatus rival_run(Driver *v, AptuneRival *r);

/* Like aptune_rival, for the calls of cuBLAS.  *found is false if there is no cuBLAS. */
int rival_cublas(Arena *a, const AptuneRivalCall *call, AptuneRival *out, bool *found);
