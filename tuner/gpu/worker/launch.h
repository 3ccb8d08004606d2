/* A run made ready: its cubins loaded, its kernels found, its arguments laid out. */
#pragma once

#include "driver.h"
#include "tuner/spec/task.h"

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
    struct AptuneRival *rival; /* what runs instead; NULL: nothing */
} ReadyRun;

/* Where on the device what arguments and variables name is. */
typedef struct Places {
    const DriverAddress *buffers;
    const uint64_t *textures; /* their handles */
    const TaskBuffer *buffer; /* what they are, for their sizes */
} Places;

/* Makes `task` ready, with the variables of its modules filled.  OUTCOME_OK, or why not, with an
 * explanation in `words`.  ready_end is called in either case. */
Outcome ready_run(Arena *a, Driver *v, const TaskRun *task, const Places *places, ReadyRun *r,
                  Buf *words);
void ready_end(Driver *v, ReadyRun *r);

/* Gives the launches to the device, in order, without waiting. */
DriverStatus ready_launch(Driver *v, const ReadyRun *r);

/* What the driver says of the calls so far as the status of a trial; its words go to `words`, and
 * where the context is sound it goes on. */
Outcome launch_status(Driver *v, Buf *words);

/* Can the context still be used after a trial that came out so? */
bool launch_context_is_sound(Outcome s);
