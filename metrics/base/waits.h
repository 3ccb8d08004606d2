/* One round of a poll loop: descriptors of several parties, and the earliest of their deadlines.
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
    int timeout_ms; /* negative: no limit */
} Waits;

/* Will wait at most `seconds`; negative: no limit.  Must be ended with waits_end. */
Waits waits_new(double seconds);

/* Adds events of a descriptor; a negative descriptor has none. */
void waits_add(Waits *w, int fd, short events);

/* Lowers the limit to `seconds`; negative: unchanged. */
void waits_lower(Waits *w, double seconds);

/* Waits, and frees `w`. */
void waits_end(Waits *w);
