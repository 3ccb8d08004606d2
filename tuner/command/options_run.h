/* Options that every command which runs the tuner has: which space, for which device, from where
 * (options_run).  A command adds its own behind them (options.h). */
#ifndef APTUNE_COMMAND_OPTIONS_RUN_H
#define APTUNE_COMMAND_OPTIONS_RUN_H

#include "tuner/command/options.h"
#include "tuner/library/settings.h"

/* Is there a space to work on?  False after a message. */
bool options_run_check(const RunOptions *o);

#endif
