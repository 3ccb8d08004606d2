/* Helper programs: started, watched, ended.
 *
 * A helper is started with posix_spawn, never fork alone: the host program may
 * already use CUDA, whose state does not survive a fork.  One socket joins the two:
 * descriptor 0 of the helper, for reading and writing.  Descriptor 1 of the helper
 * is the host's standard error, so that whatever a library or a kernel prints cannot
 * be taken for a message.  No other descriptor is passed on.
 *
 * The helper has its own process group: Ctrl-C at the terminal reaches the host
 * alone, which decides what becomes of its helpers. */
#ifndef APTUNE_WIRE_PROCESS_H
#define APTUNE_WIRE_PROCESS_H

#include "metrics/base/diag.h"

#include <stdbool.h>
#include <sys/types.h>

/* The helper's end of the socket, in the helper. */
enum { PROCESS_WIRE = 0 };

typedef struct Process {
    pid_t pid;  /* 0 when there is none */
    int fd;     /* the host's end of the socket, non-blocking, closed on exec; -1 when none */
    int status; /* as of waitpid, once it ended */
} Process;

/* Starts `path` (looked for along PATH when it has no slash) with the arguments `args`, a list
 * that ends with NULL and does not hold the program's name; NULL for none. */
bool process_start(Process *p, const char *path, const char *const *args, Diag *d);

/* True when the process ended by itself; its status is then in p->status and it is reaped.
 * Waits at most `seconds`. */
bool process_wait(Process *p, double seconds);

/* Closes the socket, kills the process (signal 9) unless it ended already, reaps it and leaves
 * *p as if none had been started, but for its status.  False when it was not gone within
 * `seconds`: a kernel that cannot be stopped holds it in the driver.  Harmless without a process.
 */
bool process_stop(Process *p, double seconds);

/* How it ended, for messages: "was killed by signal 11 (Segmentation fault)". */
void process_describe(int status, Buf *out);

/* In a helper's main: ask to be killed when the host's thread that started it ends, and ignore
 * a closed socket's signal.  A helper also ends by itself when its socket is closed; this is for
 * one that is stuck in a kernel or a compiler. */
void process_become_helper(void);

#endif
