/* What every command that runs the tuner begins with. */
#ifndef APTUNE_COMMAND_START_H
#define APTUNE_COMMAND_START_H

#include "tuner/command/progress.h"
#include "tuner/run/run.h"

/* Processors that this process may run on; at least 1. */
int start_core_count(void);

/* A run that knows where the program's own files are and has done nothing yet.  Arena, bar and
 * messages are the caller's and must outlive it; run_close ends it. */
Run start_run(Arena *a, const RunOptions *options, ProgressBar *bar, Diag *d);

#endif
