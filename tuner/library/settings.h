/* The options of a run: which space, for which device, from where, how it is timed.
 *
 * The commands that run the tuner show these on the command line, and aptune_set takes them by the
 * same names. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/run/option.h"
#include "tuner/run/run.h"

/* --space, --arch, --device, --problem, --no-gpu, --compile, --recordings: of every command that
 * runs the tuner, with those of options_compile.  Their values go to `target`, which gets what
 * holds without them first. */
OptionGroup options_run(RunOptions *target);

/* Of every command that compiles: --run-commands, --jobs, --compile-limit,
 * --compile-memory, --cache-dir, --cache-limit, --trust-cache. */
OptionGroup options_compile(RunOptions *target);

/* Those of tuning alone: --output, --exhaustive, --cache, --final, --time-limit, --sanitize,
 * --devices, --mixed, --audit, --shard, --dry-run, --why, --emit and its name and prefix. */
OptionGroup options_tune(RunOptions *target);

/* For an option table: a const char *, an identifier of C. */
bool option_identifier(const Option *o, const char *text, void *field, Diag *d);

/* Do they go together, and is there a space to work on?  False after a message. */
bool options_agree(const RunOptions *o, Diag *d);

/* A run that knows where our own files are and has done nothing yet.  `prefix` as in where.h.
 * Arena and messages are the caller's and must outlive it; run_close ends it. */
Run run_begin(Arena *a, const RunOptions *options, const char *prefix, Diag *d);

/* The environment is asked for Open MPI's variables, then PMI's (MPICH and others), then those of
 * Slurm's srun.  True when one of them started several processes: the run then has this one's part
 * and its rank on this machine. */
bool shard_ask(RunOptions *o);

/* Do the launchers' variables make sense, those that are there?  False after a message: all of the
 * space would be a wrong guess. */
bool shard_check(Diag *d);

/* "1/4", "none", or "auto" for what shard_ask finds.  False after a message when `text` is none of
 * these, or "auto" finds nothing. */
bool shard_read(const char *text, RunOptions *o, Diag *d);
