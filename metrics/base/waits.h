/* What a poll loop waits for: descriptors of several parties, and the time when one of them is due.
 *
 *     Waits w = waits_new(seconds);
 *     waits_add(&w, fd, POLLIN);  waits_lower(&w, patience);  ...
 *     waits_end(&w); */
#pragma once

#include "metrics/base/vec.h"

#include <poll.h>

typedef struct Waits {
    Arena *arena;
    VEC(struct pollfd) fds;
    int timeout_ms; /* below 0: for ever */
} Waits;

/* For at most so many seconds; below 0: for ever.  waits_end ends it. */
Waits waits_new(double seconds);

/* Waits for these events of a descriptor, too; one below 0 has none. */
void waits_add(Waits *w, int fd, short events);

/* Waits no longer than so many seconds; below 0: as before. */
void waits_lower(Waits *w, double seconds);

/* Waits. */
void waits_end(Waits *w);
