/* One worker of the farm: a process of aptune-compile and what it is doing. */
#ifndef APTUNE_COMPILE_WORKER_H
#define APTUNE_COMPILE_WORKER_H

#include "metrics/base/process.h"
#include "metrics/base/wire.h"
#include "tuner/compile/result.h"

#include <stdint.h>

typedef enum WorkerState {
    WORKER_NONE,     /* there is no process */
    WORKER_STARTING, /* it has not said hello yet */
    WORKER_IDLE,
    WORKER_BUSY,
    WORKER_WALKING /* busy, too: the code is there, its profile is to come */
} WorkerState;

typedef struct Worker {
    WorkerState state;
    Process process;
    WireReader in;
    WireWriter out;
    uint64_t id;           /* of the job, when busy */
    const CompileJob *job; /* when busy */
    double since_seconds;  /* when it became what it is */
    double due_seconds;    /* when a starting or busy one is given up */
} Worker;

/* Starts the process of a worker that has none.  It may have `limit_bytes` of memory, 0: any. False
 * with a message. */
bool worker_start(Worker *w, const char *helper, const char *cuda_folder, double limit_seconds,
                  uint64_t limit_bytes, Diag *d);

/* Kills the process if there is one. */
void worker_stop(Worker *w);

/* The end of a worker that closed its socket: it is given a moment to end by itself.  Says in `a`
 * how it ended and what it last printed. */
const char *worker_end(Worker *w, Arena *a);

/* Makes an idle worker busy.  `code`: what the job compiles to, where that is known and only the
 * profile is wanted; else NULL.  False with a message when the request cannot be a message. */
bool worker_send(Worker *w, uint64_t id, const CompileJob *job, const CompileResult *code,
                 double limit_seconds, Diag *d);

/* A busy worker has compiled and begins with the profile. */
void worker_set_walking(Worker *w, double limit_seconds);

void worker_set_idle(Worker *w);

/* Writes what can be and takes a message if there is one, without waiting. */
WireStatus worker_receive(Worker *w, WireMessage *m);

/* What to poll the process's descriptor for. */
short worker_events(const Worker *w);

#endif
