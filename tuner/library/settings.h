/* The options of a run, for the command line and, by the same names, for aptune_set. */
#pragma once

#include "tuner/run/run.h"

enum { RUN_OPTIONS = 8, COMPILE_OPTIONS = 8, TUNE_OPTIONS = 26 };
extern const Option run_options[RUN_OPTIONS], compile_options[COMPILE_OPTIONS],
    tune_options[TUNE_OPTIONS];
void run_defaults(void *run);
void compile_defaults(void *run);
void tune_defaults(void *run);

/* Option groups for a RunOptions *: of commands that run the tuner, that compile, that tune. */
#define OPTIONS_RUN(run)     OPTION_GROUP_FROM(run_options, run, run_defaults)
#define OPTIONS_COMPILE(run) OPTION_GROUP_FROM(compile_options, run, compile_defaults)
#define OPTIONS_TUNE(run)    OPTION_GROUP_FROM(tune_options, run, tune_defaults)

/* For an option table: takes a C identifier into a const char *. */
bool option_identifier(const Option *o, const char *text, void *field, Diag *d);

/* Checks that the options are consistent and name a space.  False after a message. */
bool options_agree(const RunOptions *o, Diag *d);

/* A run that knows where our own files are and has done nothing yet; `prefix` as in where.h.  Arena and
 * messages must outlive it; run_close ends it. */
Run run_begin(Arena *a, const RunOptions *options, const char *prefix, Diag *d);

/* Looks for the environment variables of Open MPI, then of PMI (MPICH and others), then of Slurm's srun.
 * True if one started several processes; `o` then has the part of this one and its rank on the machine. */
bool shard_ask(RunOptions *o);

/* Checks the launchers' variables.  False after a message: taking the whole space would be a wrong guess. */
bool shard_check(Diag *d);

/* Reads "1/4", "none", or "auto" for what shard_ask finds.  False after a message if `text` is none of
 * these, or "auto" finds nothing. */
bool shard_read(const char *text, RunOptions *o, Diag *d);
