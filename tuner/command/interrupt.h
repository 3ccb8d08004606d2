/* SIGINT, SIGTERM and SIGHUP as a descriptor that a run can wait on.
 *
 * The first signal makes the descriptor readable instead of ending the program; interrupt_take restores the
 * default action, so that a second one ends the program at once.  What is recorded is kept either way.
 * Signals ignored at the start (nohup) stay ignored. */
#pragma once

#include <signal.h>

typedef struct Interrupt {
    int fd;          /* readable once a signal arrived; 0: none can be caught */
    sigset_t caught; /* the signals */
} Interrupt;

Interrupt interrupt_catch(void);

/* The signal that arrived; 0: none.  The next one ends the program. */
int interrupt_take(Interrupt *i);
