/* The source of times: the GPU here, or a recording.
 *
 * Both have the same interface, so run_time.c, which decides what to time, need not know the
 * source. A timer belongs to one run, which closes it. */
#pragma once

#include "tuner/run/run_parts.h"

typedef struct Timer {
    void *state;
    /* Adds a configuration, whose outcome is left in Run.table. NULL: nothing is timed. */
    void (*add)(void *state, size_t config);
    /* How many were added and have no outcome yet; NULL: none, ever. Then `service` proceeds without
     * waiting, and `await` adds what to wait for in between. Failing configurations are outcomes;
     * false after a message only if the timer fails. */
    size_t (*busy)(const void *state);
    bool (*service)(void *state);
    void (*await)(void *state, Waits *w);
    /* For a search: `wants` tells if there is room for another configuration, `take` yields one
     * with an outcome, `known` lists rows with outcomes of an earlier run; NULL: none. */
    bool (*wants)(const void *state);
    bool (*take)(void *state, size_t *config);
    const size_t *(*known)(void *state, size_t *count);
    /* Times the finalists in up to `rounds` rounds; their times are in the run's arena. Sets `rounds`
     * to the number done, 0: none. False after a message if the timer fails. NULL: not supported. */
    bool (*final)(void *state, RunFinal *f);
    /* Records the outcome of a configuration again. NULL: nothing is recorded. */
    bool (*record)(void *state, size_t config);
    bool (*close)(void *state);
} Timer;

/* Compiles reference and comparison, sets the problem and opens the run's recording; outcomes that
 * an earlier run left there are taken, not measured again. */
bool timer_gpu_open(Run *r, Timer *out);

/* Looks up outcomes in the run's recording; accepts them only for the recorded code. */
bool timer_replay_open(Run *r, Timer *out);

/* Finds the outcomes of the listed configurations, and of all added before. False when stopped, or
 * after a message if the timer fails. */
bool timer_time(const Run *r, const Timer *t, const size_t *list, size_t count);

/* --- for both --------------------------------------------------------------------------------- */

/* Sets the raw times (ms) of configuration `i` in a column of the table, rounded as in recordings. */
void timer_take_times(Run *r, size_t i, TableTimes *out, const double *times, size_t count);

/* Appends a row for everything that compiled, or failed to, and was not timed. */
bool timer_append_rest(Run *r, TimesWriter *w, const RecordHeader *h,
                       const TimesRecording *existing);

/* Takes a recorded outcome. */
void timer_take_row(Run *r, size_t i, const RecordRow *row);

/* Rounds times as in recordings, so that a replay decides as the run did. */
const double *timer_rounded(Arena *a, const double *times, size_t count);
