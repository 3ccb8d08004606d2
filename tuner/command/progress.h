/* One line on a terminal that says how far the run is and how long it will take. */
#pragma once

#include "tuner/command/options.h"
#include "tuner/library/settings.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ProgressBar {
    bool shown;        /* standard error is a terminal */
    const char *stage; /* that is being shown */
    double started;    /* clock at the start of the stage, seconds */
    double drawn;      /* clock of the last drawing */
} ProgressBar;

/* Shows nothing unless standard error is a terminal. */
ProgressBar progress_new(void);

/* `done` of `all` steps of a stage; draws at most ten times a second.  `bar` is a ProgressBar; the
 * type is that of RunProgress.step. */
void progress_step(void *bar, const char *stage, size_t done, size_t all, const char *note);

/* Clears the line. */
void progress_end(ProgressBar *bar);

/* Is there a space to work on?  A first word that is a spec's file is one.  False after a message. */
bool options_run_check(Call *call, RunOptions *o);

/* run_begin with a progress bar, which must outlive it, too. */
Run start_run(Arena *a, const RunOptions *options, ProgressBar *bar, Diag *d);
