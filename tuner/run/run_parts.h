/* Shared by the stages of a run and by users of a finished run: emitting a unit, the library's
 * answers about code, bench, imports that attach profiles. */
#pragma once

#include "metrics/metric/metricset.h"
#include "tuner/compile/data.h"
#include "tuner/run/run.h"
#include "tuner/spec/contents.h"

struct Timer; /* timer.h */

/* --- arguments -------------------------------------------------------------------------------- */

/* A kernel's parameters as laid out in memory; addresses are placeholders. */
typedef struct ArgumentBytes {
    const unsigned char *bytes;
    size_t size;
} ArgumentBytes;

enum { RUN_ADDRESS_BITS = 40 };

/* A buffer's placeholder address for the profile. Nothing reads there, but kernels test the
 * alignment of cudaMalloc (256 bytes), and distinct buffers must be far apart. */
uint64_t run_pretended_address(size_t argument);

/* Slots of the problem, the arguments and, unless `i` is SIZE_MAX, of a configuration that fits the
 * device; those of launches can be added. */
Value *run_slots(Arena *a, const Run *r, size_t i);

/* One item of a launch's argument list. */
typedef struct RunTaken {
    const Argument *argument;
    size_t index; /* index in the spec's arguments; SIZE_MAX: defined by the launch itself */
    bool joined;  /* in the same struct as the item before */
} RunTaken;

typedef VEC(RunTaken) RunTakenList;

/* Reports why an expression could not be evaluated; returns false. */
bool run_refuse(const Run *r, const Evaluation *ev);

/* Evaluates an expression. False after a message. */
bool run_evaluate(const Run *r, const Expr *e, const Value *slots, Value *out);

/* The whole argument list, in order. False if it cannot be computed; `ev` says why. */
bool run_launch_takes(Arena *a, const Spec *s, const Launch *l, const Value *slots, Evaluation *ev,
                      RunTakenList *out);

/* The same as bytes; the slot of the launch's repeat name must be set. */
bool run_launch_bytes(Arena *a, const Run *r, const Launch *l, const Value *slots, Evaluation *ev,
                      ArgumentBytes *out);

/* The problem's buffers as sent to the GPU process, and the index of each argument's. */
typedef struct RunData {
    VEC(TaskBuffer) buffers;
    VEC(TaskTexture) textures;
    VEC(TaskSymbol) symbols;        /* for kernels */
    VEC(TaskSymbol) double_symbols; /* for a reference */
    int *buffer;                    /* per argument of the spec; −1: none */
    int *double_copy;               /* used instead by a reference in double precision */
    int *texture;                   /* −1: none */
} RunData;

/* Makes the data once, in the run's arena. NULL after a message. */
const RunData *run_data(Run *r);

/* The largest number of elements that any configuration gives a buffer. False after a message. */
bool run_argument_count(Run *r, size_t argument, int64_t *out);

/* Describes the contents of buffers that no launch writes, for tuner/compile/data.h, in the run's
 * arena. */
const char *run_describe_data(Run *r);

/* A launch as a task, its arguments in `a`; changes `slots`. False if it cannot be computed. */
bool run_task_launch(Arena *a, const Run *r, const Step *step, const Launch *l, Value *slots,
                     Evaluation *ev, TaskLaunch *out);

/* A task without its code. */
typedef struct RunTask {
    TaskRun run;
    TaskModule *modules;  /* of `run`, one per launch of the spec; still empty */
    TaskLaunch *launches; /* of `run`; kernel names that are expressions are not yet set */
} RunTask;

/* All launches of configuration `i`, in `a`; a launch's module has the launch's index. */
bool run_task(Arena *a, const Run *r, size_t i, RunTask *out, Evaluation *ev);

/* Adds notes to a compiler's log: names that are parameters, and what the spec can do about missing headers. */
void run_explain_log(const Spec *s, const CompileSource *source, const char *log,
                     const Texts *missing, Diag *d);

/* How many elements of each buffer are compared for configuration `i`. False after a message. */
bool run_compared(Arena *a, Run *r, size_t i, const int64_t **out, size_t *count);

/* Compiles the reference and comparison kernels and sets the problem on the GPUs. False after a
 * message. */
bool run_set_problem(Run *r);

/* --- configurations --------------------------------------------------------------------------- */

/* Adds rows for all configurations of the space, with their steps and tier-0 outcomes. False after
 * a message: there are too many launches. */
bool run_make_configs(Run *r);

/* Draws configurations uniformly from a space that is not listed. */
void run_draw_ranks(const Run *r, unsigned long seed, uint64_t *ranks, size_t count);

/* The row of a configuration, added if the table lacks it. */
size_t run_add_config(Run *r, uint64_t rank);

/* The rank of a recorded configuration; false if the space does not have it. */
bool run_rank_of(const Run *r, const RecordHeader *h, const RecordRow *row, uint64_t *rank);

/* The row of a recorded configuration, added if the space is not listed; SIZE_MAX: none. */
size_t run_row_of(Run *r, const RecordHeader *h, const RecordRow *row);

/* Lists an unlisted space: the configurations of the recording. */
void run_list_recorded(Run *r);

/* Indices of the parameters with several values, in the arena. */
const size_t *run_varying(const Run *r, size_t *count);

/* --- several launches ------------------------------------------------------------------------- */

/* Makes the steps of configuration `i` and checks them against the device. Of OUTCOME_ARITHMETIC,
 * `ev` says where and why. */
Outcome run_make_steps(Arena *scratch, Run *r, size_t i, Evaluation *ev);

/* Prints a step as in recordings: grid, block, shared memory, arguments. */
void run_print_step(const Step *s, Buf *out);

/* Steps that share a profile. */
typedef struct StepGroup {
    const Step *step; /* one of them */
    double times;     /* number of launches */
} StepGroup;

typedef VEC(StepGroup) StepGroups;

typedef VEC(const Step *) StepsOf;

/* The steps of one launch, in `a`. */
StepsOf run_steps_of(Arena *a, const TableLaunch *c, size_t launch);

/* The groups of one launch, and of all launches in order. */
StepGroups run_step_groups(Arena *a, const TableLaunch *c, size_t launch);
StepGroups run_all_step_groups(Arena *a, const Run *r, size_t i);

/* If an SM cannot hold a single block of a step of a configuration, or the device not all blocks of a cooperative
 * launch, sets the configuration's outcome and reason and returns true. */
bool run_drop_unlaunchable(Run *r, size_t i, const Step *step, const Profile *p);

/* Counts a configuration that compiled or failed to. */
void run_count_code(Run *r, Outcome o);

/* Sets the profiles of a configuration's groups of steps; they live in the run's arena. */
void run_take_profiles(Run *r, size_t i, const StepGroups *groups, const Profile *const *profiles);

/* Sets the problem on one GPU, with buffers allocated to the byte. */
bool run_set_bare_problem(Run *r, Gpu *gpu);

/* --- devices ---------------------------------------------------------------------------------- */

/* Opens the GPUs of the options. False if there is none to measure on, with why_not_measured set;
 * it is an error if a requested one cannot be used. */
bool run_open_devices(Run *r);
void run_close_devices(Run *r);

/* The part of run_claim for GPUs. */
bool run_claim_gpus(Run *r);

/* --- stopping --------------------------------------------------------------------------------- */

/* True if the run is to stop: stages then return false without a message. */
bool run_stopped(Run *r);

/* Waits for `w` or a request to stop. */
void run_wait(const Run *r, Waits *w);

/* What the progress shows while a result is waited for. */
typedef struct RunAwaited {
    const char *stage;
    size_t done, all;
    const char *note;
} RunAwaited;

/* farm_next that shows progress and can be stopped. */
bool run_next_result(Run *r, Farm *f, const RunAwaited *what, CompileResult *out, Diag *d);

/* gpu_settle that can be stopped. */
bool run_gpus_settle(Run *r, Gpu *const *gpus, size_t count);

/* gpu_next that can be stopped; a trial must be pending. */
bool run_gpu_next(Run *r, Gpu *g, Arena *a, TrialResult *out);

/* --- carving ---------------------------------------------------------------------------------- */

/* Reads the metrics and resolves names in the spec's carving. False after messages. */
bool run_open_carving(Run *r);

/* --- code ------------------------------------------------------------------------------------- */

/* Reads the sources of the spec's launches once; launches of one file share a source. */
bool run_open_sources(Run *r);

/* False after messages about parameters that nothing uses: with a misspelt macro, the launch would follow the
 * parameter but the code would not. One value does no harm: it may be a limit for constraints, or what a tuner
 * fixes of a longer list. */
bool run_parameters_are_used(Run *r);

/* Makes the compile job of launch `l` of configuration `i`, with another option (NULL: none). False
 * after a message. */
bool run_make_job(Arena *a, Run *r, size_t i, size_t l, const char *option, CompileJob *out);

/* The first configuration that the device can run; SIZE_MAX: none. */
size_t run_first_config(const Run *r);

/* Like run_make_job, for a kernel of the reference. In the kernels' file it gets the macros of
 * configuration `i` (SIZE_MAX: the first that the device can run). */
bool run_reference_job(Run *r, const Launch *l, size_t i, CompileJob *out);

/* Checks the prediction of a row with metrics against the rows so far. Returns the factor by which
 * its times were raised, 1 if it is plausible. */
double run_suspect_row(Run *r, size_t row);

/* Checks all predictions, each against rows that differ in one parameter. */
void run_suspects_find(Run *r);

/* "sm_90" */
const char *run_architecture(Arena *a, const Run *r);

/* A configuration with its code, or the reason why there is none. */
typedef struct Fetched {
    size_t config;
    TaskRun run;
    const char **ptx;        /* per module */
    const int64_t *compared; /* per buffer, elements to compare */
    size_t compared_count;
    const char *failure; /* NULL: code is available */
} Fetched;

/* Fetches the code of configurations into `a`, from the cache or by compiling; the run's data must
 * be made. False when stopped, or after a message if nothing can be compiled. */
bool run_fetch_all(Run *r, Arena *a, const size_t *configs, size_t count, Fetched *out);

/* The same for one configuration; its failure is an error, too. */
bool run_fetch(Run *r, Arena *a, size_t config, Fetched *out);

/* A launch's kernel name in compiled code. */
const char *run_kernel_name(const Launch *l, const CompileResult *res);

/* Makes the input of a step's profile, in `a`; it points into the arguments. False if the step's
 * arguments cannot be computed. */
bool run_profile_input(Arena *a, Run *r, size_t i, const Step *step, const CompileResult *res,
                       ProfileInput *out);

/* True if a source of the launches (when open), or what it includes, mentions a name. A configuration
 * may still lack a variable: excluded by #if, or unused and dropped by the compiler. */
bool run_source_names(const Run *r, const char *name);

/* Hash of everything that code depends on except parameter values: sources with includes, options,
 * architecture. */
Hash run_source_hash(const Run *r);

/* Reports that nothing compiled; returns true if that is acceptable. */
bool run_nothing_compiled(const Run *r);

/* Opens a farm with the run's options and cache; end it with farm_close. */
Farm *run_open_farm(Run *r);

/* --- recordings ------------------------------------------------------------------------------- */

/* The part of a header that the spec gives: space, parameters, problem. */
RecordHeader run_record_about(Run *r);

/* The row of configuration `i`; NULL: none, or no recording. */
const RecordRow *run_recorded_row(const Run *r, const TimesRecording *t, size_t i);

/* The recorded value by which configuration `i` compares (as table_ms); NaN: it failed. */
double run_recorded_value(const Run *r, size_t i);

/* The same for the whole space; NULL: some outcomes are missing. */
const double *run_recorded_times(Run *r);

/* True if a recorded outcome is of the code and launch geometry that the configuration has here. */
bool run_same_code(const Run *r, size_t i, const RecordRow *row);

/* Sets the code of configuration `i`: "hash+hash", which must outlive the run, and its launch
 * geometry. */
void run_set_code(Run *r, size_t i, const char *hashes);

/* Code and launch geometry as one key in `a`; NULL: the code is not known. */
const char *run_code_key(Arena *a, const TableCode *c);

/* True if the text has a hash for each of the spec's launches. */
bool run_is_code(const Run *r, const char *hashes);

/* The code hash of one launch; "" if not known. */
Hash run_code_hash(const Run *r, size_t i, size_t launch);

RecordHeader run_record_header(Run *r);

/* The values of configuration `i` in the header's order; NULL: its parameters differ. */
const Value *run_record_values(Arena *a, const Run *r, const RecordHeader *h, size_t i);

/* Opens the run's recording in the output folder; `existing` gets what an earlier run left there,
 * or NULL. NULL after a message. */
TimesWriter *run_open_recording(Run *r, const RecordHeader *h, const TimesRecording **existing);

/* Appends the outcome of configuration `i`. */
bool run_append_row(Run *r, TimesWriter *w, const RecordHeader *h, size_t i);

/* Writes the profile beside the run's times: each distinct code once. */
bool run_write_profiles(Run *r, const RecordHeader *h);

/* Takes codes and profiles of all configurations from the replayed recording. False, with nothing
 * taken, if some are missing. */
bool run_take_recorded(Run *r);

/* Takes the recorded profiles of these configurations, whose codes are known; missing ones stay
 * unknown. */
void run_take_profiles_of(Run *r, const size_t *list, size_t count);

/* --- trials ----------------------------------------------------------------------------------- */

/* Sets r->l2, the L2 state of timed runs: as the user asks; else cold if the data of one launch
 * exceeds the L2, since what is cached would then be a matter of chance. False after a message. */
bool run_choose_l2(Run *r);

/* Sets what all trials have in common: sampling, L2 state, time limit. */
void run_shape_trial(const Run *r, Trial *t);

/* Largest error of the outputs, relative to their scales; NaN: not known. */
double run_worst_error(const TrialResult *t);

/* Records the energy of one run of a successful configuration if the objective is energy. `work`
 * becomes time over energy in mJ, so that configurations compare by energy. False after a message
 * if the energy is not known (0, NaN). */
bool run_take_joules(Run *r, size_t i, double joules);

/* Updates the watch by the result of any trial. */
void run_note_trial(Run *r, const TrialResult *t);

/* Updates the watch by an outcome of this run or an earlier one. */
void run_note_time(Run *r, size_t i);

/* Updates the watch by another timing of the sentinel. */
void run_note_sentinel(Run *r, const TrialResult *t);

/* Length of a sample, also in finals. */
extern const double run_sample_ms;

/* --- audit ------------------------------------------------------------------------------------ */

/* Times a random sample of the dropped configurations; does nothing without a winner. False after a
 * message if the timer fails. */
bool run_audit(Run *r, const struct Timer *t);

/* Compares the sample with r->best: fills r->audit. */
void run_audit_judge(Run *r);

/* --- ledger ----------------------------------------------------------------------------------- */

/* Charges a stage with the wall time since `*since` and the CPU time since the last charge, and
 * restarts the clock. Helpers count once they have ended. */
void run_charge(Run *r, LedgerStage stage, double *since);

/* The same for a stage in which workers compile and profile side by side: split by their times. */
void run_charge_compiling(Run *r, double *since);

/* --- the final -------------------------------------------------------------------------------- */

/* Finalists are too close to the best to be distinguished by times taken one after the other.
 *
 * They are timed again in turn, in rounds within one process, so that drift affects all alike. A
 * finalist is tied with the fastest unless the interval of the median ratio of their times lies
 * above 1 by more than times vary between processes. Ties are broken by a fixed rule: among those
 * within a smaller margin of the fastest, fewer registers win, then less shared memory, then the
 * parameter order. So two runs name the same winner, or one that the other names as tied. */

/* Relative time differences below this do not count, however significant. */
extern const double run_tie_margin;

/* Chooses the finalists, times them again if the timer can, and decides: fills r->final. False
 * after a message if the timer fails. */
bool run_final(Run *r, const struct Timer *t);

/* Computes medians, ratios and ties from the times in `f`, or from the finalists' own times if
 * there are no rounds. There must be finalists. */
void run_final_decide(const Run *r, RunFinal *f);

/* True if a configuration is tied with the fastest. */
bool run_final_is_tied(const RunFinal *f, size_t config);

/* NULL: the configuration is no finalist. */
const Finalist *run_finalist(const RunFinal *f, size_t config);

/* Number of a recording's latest final; 0: none. */
int run_final_latest(const TimesRecording *t);

/* The latest final of a recording, decided; without finalists if there is none. */
RunFinal run_final_recorded(const Run *r, const TimesRecording *t);

/* --- compute-sanitizer ------------------------------------------------------------------------ */

/* Runs the survivors again under compute-sanitizer; findings become their outcomes.
 *
 * A kernel that reads past a buffer's end, or uninitialised memory, may happen to compute the right
 * result. compute-sanitizer's memcheck watches every access but slows kernels down many times, so
 * it only gets the survivors, with one verified run each and no timing. Their buffers are allocated
 * to the byte, without guards that would hide a small overrun. */

/* The path of compute-sanitizer; NULL after a message if it is not installed. */
const char *run_sanitizer(Run *r);

/* Checks every correct timed configuration, if requested. Findings replace outcomes, in the
 * recording too. False after a message if it cannot be done. */
bool run_sanitize(Run *r, const struct Timer *t);

/* The first finding in compute-sanitizer's output, in one line; NULL: none. */
const char *run_sanitizer_finding(Arena *a, const char *printed);

/* --- explaining ------------------------------------------------------------------------------- */

/* Takes the recorded outcome of configuration `i`, if it has the same code and geometry. */
void run_take_outcome(Run *r, size_t i);

/* The launch that the profile of configuration `i` describes. */
size_t run_profiled_launch(const Run *r, size_t i);

/* The input of the profile of configuration `i`, compiled again, with another option (NULL: none), or
 * taken from the cache, in the run's arena. False after a message. */
bool run_profiled_input(Run *r, size_t i, const char *option, ProfileInput *out, Diag *d);

/* The accesses of a launch with their source locations. */
typedef struct RunLines {
    const Memory *memory;    /* NULL: not known */
    const PtxModule *module; /* has the names of source files */
    const char *why_not;     /* NULL: known */
} RunLines;

/* Compiles configuration `i` again with line numbers, or takes it from the cache, and walks its
 * warps. Lives in the run's arena. If it fails, `why_not` says why. */
RunLines run_follow_lines(Run *r, size_t i);

/* --- failures --------------------------------------------------------------------------------- */

/* Similar compile failures, grouped: "21 × static assertion: tile too large". */

typedef struct FailureGroup {
    const char *text; /* of the first */
    size_t count;
    size_t example; /* the first row */
} FailureGroup;

/* Groups the failures of rows that did not compile, in `a`, most frequent first; returns their
 * number. Messages that differ only in numbers, or in the template arguments of a mangled kernel
 * name, are grouped. */
size_t run_failures(Arena *a, const Run *r, const FailureGroup **out);

/* "21 × text, e.g. TX=32 TY=32" */
void run_failure_print(const Run *r, const FailureGroup *g, Buf *out);

/* --- checking --------------------------------------------------------------------------------- */

/* Checks a spec without running anything on a GPU.
 *
 * In addition to what reading a spec checks: contents can be made and files fit; the first
 * configuration and the reference compile; kernel parameters match the spec (by the PTX entry);
 * variables exist and have the right size; no access that the static walk can follow lies outside
 * its buffer; each parameter is used; outputs are written and inputs are not; buffers have the
 * types of the kernel's declaration. Configurations with the extreme values of each parameter are
 * also compiled: those that fail or need too much are counted, but are no error. */

typedef struct RunCheck {
    size_t kernels;         /* compiled and compared with the spec */
    size_t accesses;        /* warp accesses of buffers with known addresses */
    size_t extremes;        /* configurations with an extreme value of a parameter */
    size_t failed;          /* of them, those that do not compile */
    size_t unlaunchable;    /* … and those that compile, but an SM cannot hold one block */
    const char *uncompiled; /* why nothing could be compiled; may be NULL */
} RunCheck;

/* Checks an open run. False after messages. */
bool run_check(Run *r, RunCheck *out);

/* Per argument, the elements that the walk of the first configuration reaches if its buffer has
 * fewer, else 0; NULL after messages. */
const int64_t *run_check_reach(Run *r);
