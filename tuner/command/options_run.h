/* Options that every command which runs the tuner has: which space, for which device, from where.
 *
 * A command adds its own behind them (options.h). */
#ifndef APTUNE_COMMAND_OPTIONS_RUN_H
#define APTUNE_COMMAND_OPTIONS_RUN_H

#include "tuner/command/options.h"
#include "tuner/run/run.h"

/* --space, --arch, --device, --no-gpu, --compile, --jobs, --compile-limit, --cache-dir,
 * --recordings. Their values go to `target`, which gets what holds without them first. */
OptionGroup options_run(RunOptions *target);

/* Is there a space to work on?  False after a message. */
bool options_run_check(const RunOptions *o);

#endif
