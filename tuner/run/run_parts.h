/* What the stages of a run share with each other and with nobody else. */
#ifndef APTUNE_RUN_PARTS_H
#define APTUNE_RUN_PARTS_H

#include "metrics/metric/profile_build.h"
#include "tuner/measure/contents.h"
#include "tuner/record/find.h"
#include "tuner/run/run.h"

/* --- arguments ----------------------------------------------------------------------------------
 */

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

/* Compiles the reference and the comparison kernels and gives the problem to a GPU.  False after a
 * message. */
bool run_set_problem(Run *r, const TaskArgument *arguments, Gpu *gpu);

/* --- carving ------------------------------------------------------------------------------------
 */

/* Reads the metrics and resolves the names in the spec's carving.  False after messages. */
bool run_open_carving(Run *r);

/* --- code ---------------------------------------------------------------------------------------
 */

/* Sources of the spec's launches, read once; launches of one file share a source. */
bool run_open_sources(Run *r);

/* What launch `l` of configuration `i` is compiled from, with options of its own. */
CompileJob run_job(Arena *a, const Run *r, size_t i, size_t l, const char *const *options,
                   size_t option_count);

/* What the profile of launch `l` of configuration `i` is made from; points into what is given. */
ProfileInput run_profile_input(const Run *r, size_t i, size_t l, const CompileResult *res,
                               const ArgumentBytes *arguments);

/* Identity of everything code depends on but the parameters' values: sources with includes,
 * options, architecture. */
Hash run_source_hash(const Run *r);

/* A farm with the run's options and cache; farm_close ends it. */
Farm *run_open_farm(Run *r);

/* --- recordings ------------------------------------------------------------------------------- */

RecordValue run_record_value(Arena *a, Value v);

/* The spec's parameters as headers have them. */
const RecordParameter *run_record_parameters(Run *r);

/* The row of configuration `i`, NULL when there is none. */
const RecordRow *run_recorded_row(const Run *r, const TimesRecording *t, size_t i);

/* Is the recorded outcome that of the code and launch geometry that the configuration has here? */
bool run_same_code(const Run *r, const Config *c, const RecordRow *row);

/* Code hashes and geometry of all launches, as rows name them; and hashes back. */
const char *run_code_text(Arena *a, const Run *r, const Config *c);
const char *run_launch_text(Arena *a, const Run *r, const Config *c);
bool run_take_code_text(const Run *r, const char *text, Config *c);

TrialStatus run_trial_status(RecordStatus s);

/* The header of this run's own recordings. */
RecordHeader run_record_header(Run *r);

/* The values of configuration `i` in the header's order; NULL when it has other parameters. */
const RecordValue *run_record_values(Arena *a, const Run *r, const RecordHeader *h, size_t i);

/* Adds the outcome of configuration `i`. */
bool run_append_row(Run *r, TimesWriter *w, const RecordHeader *h, size_t i);

/* The profile recording beside the run's own times: every distinct code once. */
bool run_write_profiles(Run *r, const RecordHeader *h);

/* Takes codes and profiles of all configurations from the recording that is replayed.  False, and
 * nothing taken, when it lacks some. */
bool run_take_recorded(Run *r);

/* --- ledger -------------------------------------------------------------------------------------
 */

/* Adds the time since `*since` to a stage and starts the clock anew. */
void run_charge(Run *r, LedgerStage stage, double *since);

#endif
