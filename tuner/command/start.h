/* What every command that runs the tuner begins with: its options are those of settings.h
 * (options_run: which space, for which device, from where) and its own behind them. */
#ifndef APTUNE_COMMAND_START_H
#define APTUNE_COMMAND_START_H

#include "tuner/command/options.h"
#include "tuner/command/progress.h"
#include "tuner/library/settings.h"

/* Is there a space to work on?  False after a message. */
bool options_run_check(const RunOptions *o);

/* run_begin with a progress bar, which must outlive it, too. */
Run start_run(Arena *a, const RunOptions *options, ProgressBar *bar, Diag *d);

#endif
