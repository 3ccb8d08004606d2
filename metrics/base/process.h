/* Helper programs: started, watched, ended.
 *
 * A helper is started with posix_spawn, never fork alone: the host program may already use CUDA,
 * whose state does not survive a fork.  One socket joins the two: descriptor 0 of the helper, for
 * reading and writing; closing it is the sign to end.  What a library, a compiler or a kernel
 * prints on descriptors 1 and 2 cannot be taken for a message: these go to a file in memory, whose
 * end is quoted when the helper dies.  No other descriptor is passed on.
 *
 * The helper leads a process group of its own: Ctrl-C at the terminal reaches the host alone, which
 * decides what becomes of its helpers, and a helper is killed with all that it started. */
#pragma once

#include "metrics/base/diag.h"

#include <sys/types.h>

/* The helper's end of the socket, in the helper. */
enum { PROCESS_WIRE = 0 };

/* A zeroed one has no process, too. */
typedef struct Process {
    pid_t pid;  /* also its process group; 0 when there is none, or it ended */
    int fd;     /* the host's end of the socket, non-blocking, closed on exec; -1 when none */
    int words;  /* the file of what it prints; -1 when none */
    int status; /* as of waitpid, once it ended */
} Process;

/* Starts `path` (looked for along PATH when it has no slash) with the arguments `args`, a list
 * that ends with NULL and does not hold the program's name; NULL for none.  False with a message;
 * *p then has no process. */
bool process_start(Process *p, const char *path, const char *const *args, Diag *d);

/* What a started process may take of memory, 0: any; beyond it fails in the process, as it would on
 * a smaller machine.  Not with AddressSanitizer, whose own tables would count. */
void process_limit_memory(const Process *p, uint64_t bytes);

/* Forgets what it printed so far: at the start of a task, so that the words quoted when it dies are
 * about that task, and so that a kernel that prints in every run cannot fill the memory. */
void process_forget_words(Process *p);

/* True when the process ended by itself: it is reaped, its status is in p->status, and what it
 * started is killed.  Waits at most `seconds`. */
bool process_wait(Process *p, double seconds);

/* Was it stopped by a signal (SIGSTOP; a batch system that lets another job go first), or did it go
 * on after one, since this was last asked?  Then how long it took says nothing about its task. */
bool process_was_stopped(Process *p);

/* Kills the process (signal 9) and what it started, unless it ended already, and reaps it.  False
 * when it was not gone within `seconds`: a kernel that cannot be stopped holds it in the driver.
 * Harmless without a process. */
bool process_kill(Process *p, double seconds);

/* How it ended and what it last printed: "was killed by signal 11 (Segmentation fault): ...". */
void process_describe(const Process *p, Buf *out);

/* What it last printed, after a colon; nothing when it printed nothing. */
void process_quote_words(const Process *p, Buf *out);

/* What it first printed since its words were forgotten, at most `most` bytes, added to `out`. */
void process_read_words(const Process *p, size_t most, Buf *out);

/* process_kill, then closes the socket and forgets the words; leaves *p as if none had been
 * started, but for its status. */
bool process_stop(Process *p, double seconds);

/* Processors that this process may run on. */
int process_processors(void);

/* In a helper's main, before it prints: end when the host does (a thread of its own watches, since
 * a helper may be stuck in a kernel or a compiler), ignore a closed socket's signal, and write what
 * is printed line by line.  Which of the host's threads started the helper, and whether that one
 * still runs, does not matter. */
void process_become_helper(void);
