/* The code of configurations that are about to be timed, fetched ahead.
 *
 * What the compile cache has is read from there, the rest compiled again by several workers, while
 * the GPUs are busy with earlier configurations: no GPU waits for code that could have been there.
 * A few places bound the memory. */
#ifndef APTUNE_RUN_TIMER_FETCH_H
#define APTUNE_RUN_TIMER_FETCH_H

#include "tuner/run/run_parts.h"

/* A configuration with its code, or with the reason why there is none. */
typedef struct Fetched {
    size_t config;
    TaskRun run;             /* points into the place's memory */
    const int64_t *compared; /* elements of each buffer that are compared */
    size_t compared_count;
    const char *failure; /* NULL: the code is there */
} Fetched;

/* The same, living in `a`. */
Fetched fetched_copy(Arena *a, const Fetched *x);

typedef struct Fetcher Fetcher;

/* The run's data must be made.  fetcher_close ends it. */
Fetcher *fetcher_open(Run *r, size_t places);
void fetcher_close(Fetcher *f);

/* Is there a free place? */
bool fetcher_has_room(const Fetcher *f);

/* Configurations added and not yet released. */
size_t fetcher_count(const Fetcher *f);

/* Starts to fetch a configuration; there must be room. */
void fetcher_add(Fetcher *f, size_t config);

/* Goes on without waiting.  False, with a message, when nothing can be compiled any more. */
bool fetcher_service(Fetcher *f);

/* Of those that are whole, the one added first; NULL when none is.  It stays until it is
 * released. */
const Fetched *fetcher_first(const Fetcher *f);
void fetcher_release(Fetcher *f, const Fetched *x);

/* Descriptors to wait for, and how long: as farm_poll_fds. */
size_t fetcher_fd_limit(const Fetcher *f);
size_t fetcher_poll_fds(const Fetcher *f, struct pollfd *fds, int *timeout_ms);

/* Fetches one configuration now.  It lives in `a`.  False when the run was stopped or, with a
 * message, when nothing can be compiled.  Nothing may be under way. */
bool fetcher_get(Fetcher *f, Arena *a, size_t config, Fetched *out);

#endif
