/* Ctrl-C, a closed terminal and the batch system's wish to end, as something a run can wait for.
 *
 * Once caught, the first of SIGINT, SIGTERM and SIGHUP makes the descriptor readable instead of
 * ending the program, and is given its old meaning again: a second one ends it at once, which loses
 * nothing that is recorded either.  Signals that were ignored from the start (nohup) stay so. */
#pragma once

#include <stdbool.h>
#include <signal.h>

typedef struct Interrupt {
    int fd;          /* readable when a signal came; 0: none can be caught */
    sigset_t caught; /* the signals */
} Interrupt;

Interrupt interrupt_catch(void);

/* The signal that came, after which the next one ends the program; 0: none. */
int interrupt_take(Interrupt *i);
