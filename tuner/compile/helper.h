/* A helper program: a process of its own that speaks wire.h on its standard input and output.
 *
 * Both ends are one socket, so that a helper that has died is an error to the writer and not
 * a SIGPIPE, and closing it is the sign to end.  The helper leads a process group of its own,
 * which is killed as a whole.  What it prints to its standard error is kept, for the message
 * when it dies.  Started with posix_spawn: forking a program that uses CUDA is unsafe. */
#ifndef APTUNE_COMPILE_HELPER_H
#define APTUNE_COMPILE_HELPER_H

#include "metrics/base/diag.h"

#include <sys/types.h>

typedef struct Helper {
    pid_t pid;  /* also its process group; 0 when there is none */
    int fd;     /* our end, non-blocking */
    int errors; /* what it printed to its standard error */
} Helper;

/* Starts `path` with the arguments after the program's name, a NULL-terminated list.  False with a
 * message when it cannot be started. */
bool helper_start(Helper *h, const char *path, const char *const *arguments, Diag *d);

/* Kills the process group, waits for the process, closes.  The text says how it ended ("was
 * killed by signal 11 (Segmentation fault)") and what it last printed; it lives in `a`, which
 * may be NULL when nobody asks. */
const char *helper_end(Helper *h, Arena *a);

/* The helper's own side: ends it when the program that started it dies, whatever it is doing
 * then.  For the first line of a helper's main. */
void helper_die_with_parent(void);

#endif
