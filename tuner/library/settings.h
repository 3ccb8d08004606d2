/* The options of a run: which space, for which device, from where, how it is timed.
 *
 * The commands that run the tuner show these on the command line, and aptune_set takes them by the
 * same names. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/run/option.h"
#include "tuner/run/run.h"

enum { RUN_OPTIONS = 8, COMPILE_OPTIONS = 8, TUNE_OPTIONS = 26 };
extern const Option run_options[RUN_OPTIONS], compile_options[COMPILE_OPTIONS],
    tune_options[TUNE_OPTIONS];
void run_defaults(void *run);
void compile_defaults(void *run);
void tune_defaults(void *run);

/* Groups of a table, whose target is a RunOptions *.
 *
 * --space, --arch, --device, --problem, --no-gpu, --compile, --recordings: of every command that
 * runs the tuner, with those of OPTIONS_COMPILE. */
#define OPTIONS_RUN(run) OPTION_GROUP_FROM(run_options, run, run_defaults)

/* Of every command that compiles: --run-commands, --jobs, --compile-limit,
 * --compile-memory, --cache-dir, --cache-limit, --trust-cache. */
#define OPTIONS_COMPILE(run) OPTION_GROUP_FROM(compile_options, run, compile_defaults)

/* Those of tuning alone: --output, --exhaustive, --cache, --final, --time-limit, --sanitize,
 * --devices, --mixed, --audit, --shard, --dry-run, --why, --emit and its name and prefix. */
#define OPTIONS_TUNE(run) OPTION_GROUP_FROM(tune_options, run, tune_defaults)

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
