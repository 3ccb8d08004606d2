/* Helper processes: starting, watching, ending them.
 *
 * A helper is started with posix_spawn, never with a bare fork: the host program may already use CUDA, whose
 * state does not survive a fork.  One socket connects the two; it is descriptor 0 of the helper, and closing
 * it tells the helper to exit.  Descriptors 1 and 2 go to a file in memory, so that output of a library, a
 * compiler or a kernel cannot be taken for a message; its end is quoted when the helper dies.  No other
 * descriptor is inherited.
 *
 * The helper leads its own process group: Ctrl-C at the terminal reaches only the host, which decides about
 * its helpers, and killing a helper kills everything it started. */
#pragma once

#include "metrics/base/diag.h"

#include <sys/types.h>

/* The helper's end of the socket, in the helper. */
enum { PROCESS_WIRE = 0 };

/* A zeroed one has no process either. */
typedef struct Process {
    pid_t pid;  /* also its process group; 0 if there is none, or it ended */
    int fd;     /* the host's end of the socket, non-blocking, closed on exec; -1 if none */
    int words;  /* the file of its output; -1 if none */
    int status; /* as of waitpid, once it ended */
} Process;

/* Starts `path` (searched along PATH if it has no slash) with the arguments `args`: a list without the
 * program's name that ends with NULL, or NULL for none.  False with a message; *p then has no process. */
bool process_start(Process *p, const char *path, const char *const *args, Diag *d);

/* Limits the memory of a started process, 0: no limit; its allocations beyond it fail.  Has no effect with
 * AddressSanitizer, whose own tables would count. */
void process_limit_memory(const Process *p, uint64_t bytes);

/* Discards its output so far: at the start of a task, so that what is quoted later is about that task, and
 * so that a kernel that prints in every run cannot fill the memory. */
void process_forget_words(Process *p);

/* Waits at most `seconds` for the process to exit by itself.  True if it did: it is then reaped, p->status
 * is set, and everything it started is killed. */
bool process_wait(Process *p, double seconds);

/* True if it was stopped by a signal or continued since the last call (SIGSTOP; a batch system that suspends
 * a job).  Its elapsed time then says nothing about its task. */
bool process_was_stopped(Process *p);

/* Kills the process (signal 9) and everything it started, unless it ended already, and reaps it.  False if
 * a kernel that cannot be stopped holds it in the driver for `seconds`.  Harmless without a process. */
bool process_kill(Process *p, double seconds);

/* Appends how it ended and its last output: "was killed by signal 11 (Segmentation fault): ...". */
void process_describe(const Process *p, Buf *out);

/* Appends a colon and its last output; nothing if there is none. */
void process_quote_words(const Process *p, Buf *out);

/* Appends at most `most` bytes of its output, from the last process_forget_words on. */
void process_read_words(const Process *p, size_t most, Buf *out);

/* process_kill, then closes the socket and the output file; only p->status is kept. */
bool process_stop(Process *p, double seconds);

/* Processors that this process may run on. */
int process_processors(void);

/* Called first in a helper's main: exit when the host does (a thread watches it, since the helper may be
 * stuck in a kernel or a compiler), ignore SIGPIPE, and make stdout line-buffered.  It does not matter which
 * thread of the host started the helper or whether that thread still runs. */
void process_become_helper(void);
