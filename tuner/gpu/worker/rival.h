/* A rival made ready: a library's call that runs in place of a configuration's launches.
 *
 * cuBLAS and the driver's own copy are known here, every other library is a plugin
 * (tuner/gpu/rival.h).  Either way it is an AptuneRival, so nobody else tells them apart. */
#pragma once

#include "launch.h"
#include "tuner/gpu/rival.h"

/* Opens the library and gets the call ready.  OUTCOME_LOAD_FAILED: there is no such library, or it
 * cannot be used; OUTCOME_LAUNCH_FAILED: it refuses what it is given; the reason is in `words`.
 * Lives in `a`; rival_end ends it. */
Outcome rival_open(Arena *a, Driver *v, const TaskRival *task, const Places *places,
                   AptuneRival **out, Buf *words);
void rival_end(AptuneRival *r);

/* Gives one call to the device, without waiting. */
DriverStatus rival_run(Driver *v, AptuneRival *r);

/* "cublas", like aptune_rival: gemm and transpose.  *found is false when there is no cuBLAS. */
int rival_cublas(Arena *a, const AptuneRivalCall *call, AptuneRival *out, bool *found);
