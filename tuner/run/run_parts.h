/* What the stages of a run share with each other and with nobody else. */
#ifndef APTUNE_RUN_PARTS_H
#define APTUNE_RUN_PARTS_H

#include "tuner/measure/contents.h"
#include "tuner/run/run.h"

/* --- arguments ---------------------------------------------------------------------------------- */

/* The kernel's parameters as they lie in memory; addresses are pretended ones. */
typedef struct ArgumentBytes {
    const unsigned char *bytes;
    size_t size;
} ArgumentBytes;

bool run_argument_bytes(const Run *r, ArgumentBytes *out);

/* The spec's buffers and arguments for the GPU process; they live in the run's arena. */
bool run_task_buffers(const Run *r, const TaskBuffer **out, size_t *count);
bool run_task_arguments(const Run *r, const TaskArgument **out);
void run_task_launch(const Launch *l, const Geometry *g, const TaskArgument *arguments,
                     size_t argument_count, TaskLaunch *out);

/* --- code --------------------------------------------------------------------------------------- */

/* Sources of the spec's launches, read once; launches of one file share a source. */
bool run_open_sources(Run *r);

/* What launch `l` of configuration `i` is compiled from. */
CompileJob run_job(Arena *a, const Run *r, size_t i, size_t l);

/* Identity of everything code depends on but the parameters' values: sources with includes,
 * options, architecture. */
Hash run_source_hash(const Run *r);

/* --- ledger ------------------------------------------------------------------------------------- */

/* Adds the time since `*since` to a stage and starts the clock anew. */
void run_charge(Run *r, LedgerStage stage, double *since);

#endif
