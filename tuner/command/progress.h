/* A progress bar: one line on a terminal with the stage, what is done and the time left. */
#pragma once

#include "tuner/library/settings.h"

typedef struct ProgressBar {
    bool shown;        /* standard error is a terminal */
    const char *stage; /* the one shown; NULL: none */
    double started;    /* clock at the start of the stage, seconds */
    double drawn;      /* clock of the last drawing */
} ProgressBar;

/* Shows nothing unless standard error is a terminal. */
ProgressBar progress_new(void);

/* Shows `done` of `all` steps of a stage and the time left, or, before the first is done, the time
 * so far; at most ten times a second.  A RunProgress.step; `bar` is a
 * ProgressBar. */
void progress_step(void *bar, const char *stage, size_t done, size_t all, const char *note);

/* Clears the line. */
void progress_end(ProgressBar *bar);

/* run_begin with a progress bar, which must outlive the run. */
Run start_run(Arena *a, const RunOptions *options, ProgressBar *bar, Diag *d);
