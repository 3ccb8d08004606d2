/* What every command that runs the tuner begins with. */
#ifndef APTUNE_COMMAND_START_H
#define APTUNE_COMMAND_START_H

#include "tuner/command/progress.h"
#include "tuner/library/settings.h"

/* run_begin with a progress bar, which must outlive it, too. */
Run start_run(Arena *a, const RunOptions *options, ProgressBar *bar, Diag *d);

#endif
