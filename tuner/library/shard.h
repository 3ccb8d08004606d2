/* Which part of a space a process works on: said by the user, or by the batch system that started
 * it. */
#ifndef APTUNE_LIBRARY_SHARD_H
#define APTUNE_LIBRARY_SHARD_H

#include "metrics/base/diag.h"
#include "tuner/run/run.h"

/* The environment is asked for Open MPI's variables, then PMI's (MPICH and others), then those of
 * Slurm's srun.  True when one of them started several processes: the run then has this one's part
 * and its rank on this machine. */
bool shard_ask(RunOptions *o);

/* Do the launchers' variables make sense, those that are there?  False after a message: all of the
 * space would be a wrong guess. */
bool shard_check(Diag *d);

/* The rank on this machine alone: processes of a job that share one measure on a GPU each. */
void shard_ask_rank(RunOptions *o);

/* "1/4", "none", or "auto" for what shard_ask finds.  False after a message when `text` is none of
 * these, or "auto" finds nothing. */
bool shard_read(const char *text, RunOptions *o, Diag *d);

#endif
