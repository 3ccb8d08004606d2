/* What the stages of a run share with each other and with nobody else. */
#ifndef APTUNE_RUN_PARTS_H
#define APTUNE_RUN_PARTS_H

#include "metrics/metric/profile_build.h"
#include "tuner/measure/contents.h"
#include "tuner/record/find.h"
#include "tuner/run/run.h"

#include <poll.h>

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

/* Compiles the reference and the comparison kernels and gives the problem to the GPUs.  False after
 * a message. */
bool run_set_problem(Run *r, const TaskArgument *arguments);

/* Gives it to one GPU, its buffers allocated to the byte. */
bool run_set_bare_problem(Run *r, const TaskArgument *arguments, Gpu *gpu);

/* --- devices ------------------------------------------------------------------------------------
 */

/* Opens the GPUs that the options name.  False when there is none to measure on: why_not_measured
 * says why; what was asked for and cannot be had is an error. */
bool run_open_devices(Run *r);
void run_close_devices(Run *r);

/* Gives the problem to all GPUs; those that cannot take it are left out.  False after a message
 * when none can. */
bool run_give_problem(Run *r, const TaskProblem *problem);

/* --- stopping -----------------------------------------------------------------------------------
 */

/* Shall the run end?  Stages then return false, without a message. */
bool run_stopped(Run *r);

/* Waits for one of the descriptors, the time, or the wish to stop.  There is room for one more in
 * `fds`. */
void run_wait(const Run *r, struct pollfd *fds, size_t count, int timeout_ms);

/* farm_next that can be stopped. */
bool run_farm_next(Run *r, Farm *f, Arena *a, CompileResult *out);

/* --- carving ------------------------------------------------------------------------------------
 */

/* Reads the metrics and resolves the names in the spec's carving.  False after messages. */
bool run_open_carving(Run *r);

/* Which value each parameter has, by its number in the parameter's list, for every configuration:
 * as tuner/choose wants them.  In the run's arena. */
uint16_t *run_value_numbers(const Run *r);

/* The values of a metric or, when there is none of that name, of a profile field for every
 * configuration; NaN where they are not known.  Metrics have values once run_carve was here. */
const double *run_column_values(Run *r, const char *name);

/* This run's share of a number of configurations to time: all of it, unless it is about a part of
 * the space. */
size_t run_share(const Run *r, size_t count);

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

/* --- trials -------------------------------------------------------------------------------------
 */

/* What the L2 holds when runs are timed: as the user asks; else cold where the data of one launch
 * exceeds the L2, since it cannot all be there then, and what is there is a matter of chance.  Sets
 * r->l2; false after a message. */
bool run_choose_l2(Run *r);

/* Says where two runs of the reference differ: what agrees with one need not agree with the
 * other. */
void run_judge_reference(Run *r, const TaskProblem *p, const Gpu *gpu);

/* What every trial has in common: how it is sampled, what the L2 holds, how long it may take. */
void run_shape_trial(const Run *r, Trial *t);

/* Learns from any result of a trial. */
void run_note_trial(Run *r, const TrialResult *t);

/* Learns from an outcome, measured now or by an earlier run. */
void run_note_time(Run *r, const Config *c);

/* Learns from another timing of the same configuration. */
void run_note_sentinel(Run *r, const TrialResult *t);

/* Sampling of a final. */
extern const double run_sample_ms;

/* --- ledger -------------------------------------------------------------------------------------
 */

/* Adds the wall time since `*since`, and the processor time since the last charge, to a stage;
 * starts the clock anew.  Helpers count once they have ended. */
void run_charge(Run *r, LedgerStage stage, double *since);

#endif
