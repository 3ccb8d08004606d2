/* Which part of a space a process works on: said by --shard, or by the batch system that started
 * it. */
#ifndef APTUNE_COMMAND_SHARD_H
#define APTUNE_COMMAND_SHARD_H

#include "tuner/run/run.h"

/* Sets the shard of a run and its rank on this machine.  `text` is "1/4", "none", "auto" or NULL.
 * With the last two the environment is asked: Open MPI's, PMI's (MPICH and others), then that of
 * Slurm's srun; where one of them started several processes, each takes its part.  False after a
 * message when `text` is none of these, or "auto" finds nothing. */
bool shard_choose(const char *text, RunOptions *o);

#endif
