/* A run ready to launch: cubins loaded, kernels found, arguments laid out. */
#pragma once

#include "driver.h"
#include "tuner/gpu/rival.h"

typedef struct ReadyLaunch {
    const TaskLaunch *task;
    DriverFunction *function;
    void **arguments; /* addresses of the argument values, as the driver takes them */
} ReadyLaunch;

typedef struct ReadyRun {
    DriverModule **modules;
    size_t module_count;
    ReadyLaunch *launches;
    size_t launch_count;
    AptuneRival *rival; /* runs instead of the launches, or NULL */
} ReadyRun;

/* What indices in arguments and variables refer to. */
typedef struct Places {
    const DriverAddress *buffers;
    const uint64_t *textures; /* handles */
    const TaskBuffer *buffer; /* the buffers' types and sizes */
} Places;

/* Prepares `task` and fills the variables of its modules.  Returns OUTCOME_OK, or the failure with an
 * explanation in `words`.  The caller calls ready_end in either case. */
Outcome ready_run(Arena *a, Driver *v, const TaskRun *task, const Places *places, ReadyRun *r,
                  Buf *words);
void ready_end(Driver *v, ReadyRun *r);

/* Submits the launches, in order, without waiting. */
DriverStatus ready_launch(Driver *v, const ReadyRun *r);

/* The driver's status as the outcome of a trial, with its description in `words`.  Clears it if the context
 * is sound. */
Outcome launch_status(Driver *v, Buf *words);

/* True if the context is usable after a trial with this outcome. */
bool launch_context_is_sound(Outcome s);

/* --- rival.c: library calls that run in place of launches -------------------------------------
 *
 * cuBLAS and the driver's copy are built in, every other library is a plugin (tuner/gpu/rival.h).  All are
 * AptuneRivals. */

/* Opens the library and prepares the call, in `a`.  OUTCOME_LOAD_FAILED: there is no such library, or it
 * cannot be used; OUTCOME_LAUNCH_FAILED: it rejects the call; the reason is in `words`. */
Outcome rival_open(Arena *a, Driver *v, const TaskRival *task, const Places *places,
                   AptuneRival **out, Buf *words);
void rival_end(AptuneRival *r);

/* Submits one call, without waiting. */
DriverStatus rival_run(Driver *v, AptuneRival *r);

/* Like aptune_rival, for the calls of cuBLAS.  *found is false if there is no cuBLAS. */
int rival_cublas(Arena *a, const AptuneRivalCall *call, AptuneRival *out, bool *found);

/* Sets the error of a rival; always returns 1. */
int rival_refuse(AptuneRival *r, const char *why, ...) __attribute__((format(printf, 2, 3)));
