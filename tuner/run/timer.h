/* Where times come from: the GPU here, or a recording.
 *
 * Both answer the same question, so that what decides which configurations to time (run_time.c)
 * does not know which one it talks to.  A timer belongs to one run and is closed by it. */
#pragma once

#include "tuner/run/run_parts.h"

typedef struct Timer {
    void *state;
    /* One by one, for a caller that decides by what was found so far.  Is there room for another?
     * `add` takes it, `service` goes on without waiting (false as below), `take` tells which one
     * has got its outcome in Run.table.  In between one waits for what `await` adds; NULL: nothing.
     */
    const size_t *(*known)(void *state, size_t *count); /* rows that an earlier run left an outcome
                                                           of; NULL: there are none */
    bool (*wants)(const void *state);
    void (*add)(void *state, size_t config);
    bool (*service)(void *state);
    bool (*take)(void *state, size_t *config);
    void (*await)(void *state, Waits *w);
    /* Finds the outcome of each listed configuration and leaves it in Run.table.  Configurations
     * that fail are outcomes; false, with a message, only when the timer itself cannot go on. */
    bool (*time)(void *state, const size_t *list, size_t count);
    /* Times of the listed configurations against each other, in rounds: times[k × rounds + round],
     * in `r`'s arena, for `rounds` of them or for as many as there are; *rounds becomes 0 where
     * there are none.  False, with a message, only when the timer itself cannot go on.  NULL where
     * the timer has nothing of the kind. */
    bool (*final)(void *state, const size_t *list, size_t count, int *rounds, const double **times);
    /* Records the outcome of a configuration anew.  NULL where nothing is recorded. */
    bool (*record)(void *state, size_t config);
    bool (*close)(void *state);
} Timer;

/* Compiles reference and comparison, sets the problem, opens the run's recording: what an earlier
 * run left there is taken, not measured again. */
bool timer_gpu_open(Run *r, Timer *out);

/* Looks outcomes up in the run's recording, and believes them only for the very code recorded. */
bool timer_replay_open(Run *r, Timer *out);

/* --- for both --------------------------------------------------------------------------------- */

/* The outcome of configuration `i` with these raw times (ms), rounded as recordings are. */
void timer_take_times(Run *r, size_t i, const double *times, size_t count);

/* The same with a warm L2, of a configuration whose times are those with a cold one. */
void timer_take_warm_times(Run *r, size_t i, const double *times, size_t count);

/* Adds a row for everything that compiled, or did not, and was not timed. */
bool timer_append_rest(Run *r, TimesWriter *w, const RecordHeader *h,
                       const TimesRecording *existing);

/* The outcome a recording has. */
void timer_take_row(Run *r, size_t i, const RecordRow *row);

/* Times as they are recorded, so that a replay decides as the run did. */
const double *timer_rounded(Arena *a, const double *times, size_t count);
