/* What the stages of a run share with each other, and with those who take up a finished run: the
 * unit that is emitted, the library's answers about code, bench, imports that attach profiles. */
#pragma once

#include "metrics/metric/profile_build.h"
#include "metrics/metric/metricset.h"
#include "metrics/ptx/memory.h"
#include "tuner/compile/data.h"
#include "tuner/record/find.h"
#include "tuner/run/run.h"
#include "tuner/spec/contents.h"

struct Timer; /* timer.h */

/* --- arguments -------------------------------------------------------------------------------- */

/* The kernel's parameters as they lie in memory; addresses are pretended ones. */
typedef struct ArgumentBytes {
    const unsigned char *bytes;
    size_t size;
} ArgumentBytes;

enum { RUN_ADDRESS_BITS = 40 };

/* A buffer's address as the profile sees it: nobody reads there, but cudaMalloc's alignment of 256
 * bytes is a fact that kernels test, and distinct buffers are far apart. */
uint64_t run_pretended_address(size_t argument);

/* Slots of configuration `i`, or with SIZE_MAX of the problem alone, to which a launch's own name
 * and those of arguments can be added; NULL when they cannot be computed. */
Value *run_launch_slots(Arena *a, const Run *r, size_t i);

/* What a launch takes at one place. */
typedef struct RunTaken {
    const Argument *argument;
    size_t index; /* of the spec's arguments; SIZE_MAX: the launch's own */
    bool joined;  /* in the same struct as the one before */
} RunTaken;

/* All of it, in order.  False when it cannot be computed: `ev` says why. */
bool run_launch_takes(Arena *a, const Spec *s, const Launch *l, const Value *slots, Evaluation *ev,
                      const RunTaken **out, size_t *count);

/* The same as bytes; the slot of the launch's repeat name is set. */
bool run_launch_bytes(Arena *a, const Run *r, const Launch *l, const Value *slots, Evaluation *ev,
                      ArgumentBytes *out);

/* The problem's buffers as the GPU process gets them, and which argument each one is. */
typedef struct RunData {
    const TaskBuffer *buffers;
    size_t buffer_count;
    const TaskTexture *textures;
    size_t texture_count;
    const TaskSymbol *symbols;        /* of kernels */
    const TaskSymbol *double_symbols; /* of a reference */
    size_t symbol_count;
    int *buffer;      /* of each of the spec's arguments; −1: none */
    int *double_copy; /* what a reference in double precision gets instead */
    int *texture;     /* −1: none */
} RunData;

/* Makes it once; it lives in the run's arena.  NULL after a message. */
const RunData *run_data(Run *r);

/* Elements of a buffer, in the largest size that any configuration gives it.  False after a
 * message. */
bool run_argument_count(Run *r, size_t argument, int64_t *out);

/* What stands in buffers that no launch writes, as tuner/compile/data.h wants it; in the run's
 * arena. / */
const char *run_describe_data(Run *r);

/* One launch as a task, its arguments in `a`; `slots` is written to.  False when it cannot be
 * computed. */
bool run_task_launch(Arena *a, const Run *r, const Step *step, const Launch *l, Value *slots,
                     Evaluation *ev, TaskLaunch *out);

/* A run whose code is still to come. */
typedef struct RunTask {
    TaskRun run;
    TaskModule *modules;  /* the run's: one for each of the spec's launches, empty */
    TaskLaunch *launches; /* the run's: names of kernels that are expressions are still to come */
} RunTask;

/* All launches of configuration `i`, each naming the module of its number, in `a`. */
bool run_task(Arena *a, const Run *r, size_t i, RunTask *out, Evaluation *ev);

/* Elements of each buffer that are compared of configuration `i`.  False after a message. */
bool run_compared(Arena *a, Run *r, size_t i, const int64_t **out, size_t *count);

/* Compiles the reference and the comparison kernels and gives the problem to the GPUs.  False after
 * a message. */
bool run_set_problem(Run *r);

/* --- configurations --------------------------------------------------------------------------- */

/* Rows for all configurations of the space, with their steps and what of them the device cannot
 * run. False after a message: there are too many launches. */
bool run_make_configs(Run *r);

/* Configurations of a space without a list, each as likely as any other, in `ranks`. */
void run_draw_ranks(const Run *r, unsigned long seed, uint64_t *ranks, size_t count);

/* The row of a configuration that the table does not have yet. */
size_t run_add_config(Run *r, uint64_t rank);

/* The row that a recorded one is of, added where the space has no list; SIZE_MAX: none. */
size_t run_row_of(Run *r, const RecordHeader *h, const RecordRow *row);

/* Makes the list of a space that has none: the configurations that the recording has. */
void run_list_recorded(Run *r);

/* The parameters that a search has to choose values of, by number, in the arena. */
const size_t *run_varying(const Run *r, size_t *count);

/* --- several launches ------------------------------------------------------------------------- */

/* The steps of configuration `i`, and what of them the device cannot run. */
Outcome run_make_steps(Arena *scratch, Run *r, size_t i);

/* A step as recordings name it: grid, block, shared memory, arguments. */
void run_print_step(const Step *s, Buf *out);

/* Steps that are all alike to a profile. */
typedef struct StepGroup {
    const Step *step; /* one of them */
    double times;     /* that it is launched */
} StepGroup;

/* Of one launch, and of all launches in order. */
size_t run_step_groups(Arena *a, const TableLaunch *c, size_t launch, const StepGroup **out);
size_t run_all_step_groups(Arena *a, const Run *r, size_t i, const StepGroup **out);

/* Gives a configuration of which no multiprocessor holds a block its outcome and reason.  False,
 * and nothing done, where one does. */
bool run_drop_unlaunchable(Run *r, size_t i, const Profile *p);

/* Counts a configuration whose code, or failure, is known. */
void run_count_code(Run *r, Outcome o);

/* Gives a configuration the profiles of its shares, which live in the run's arena. */
void run_take_profiles(Run *r, size_t i, const StepGroup *shares, const Profile *const *profiles,
                       size_t count);

/* Gives it to one GPU, its buffers allocated to the byte. */
bool run_set_bare_problem(Run *r, Gpu *gpu);

/* --- devices ---------------------------------------------------------------------------------- */

/* Opens the GPUs that the options name.  False when there is none to measure on: why_not_measured
 * says why; what was asked for and cannot be had is an error. */
bool run_open_devices(Run *r);
void run_close_devices(Run *r);

/* The part of run_claim that is about the GPUs. */
bool run_claim_gpus(Run *r);

/* --- stopping --------------------------------------------------------------------------------- */

/* Shall the run end?  Stages then return false, without a message. */
bool run_stopped(Run *r);

/* Waits for these, or the wish to stop. */
void run_wait(const Run *r, Waits *w);

/* gpu_settle that can be stopped. */
bool run_gpus_settle(Run *r, Gpu *const *gpus, size_t count);

/* gpu_next that can be stopped; a trial must be pending. */
bool run_gpu_next(Run *r, Gpu *g, Arena *a, TrialResult *out);

/* --- carving ---------------------------------------------------------------------------------- */

/* Reads the metrics and resolves the names in the spec's carving.  False after messages. */
bool run_open_carving(Run *r);

/* --- code ------------------------------------------------------------------------------------- */

/* Sources of the spec's launches, read once; launches of one file share a source. */
bool run_open_sources(Run *r);

/* What launch `l` of configuration `i` is compiled from, with options of its own.  False after a
 * message. */
bool run_make_job(Arena *a, Run *r, size_t i, size_t l, const char *const *options,
                  size_t option_count, CompileJob *out);

/* The first configuration that the device can run; SIZE_MAX: none. */
size_t run_first_config(const Run *r);

/* run_make_job for a kernel of the reference, which gets the macros of configuration `i` where it
 * stands in the kernels' file; SIZE_MAX: of the first that the device can run. */
bool run_reference_job(Run *r, const Launch *l, size_t i, CompileJob *out);

/* Judges the prediction of a row by the rows so far, once its metrics are known; returns by how
 * much its times were raised, 1 where nothing speaks against them. */
double run_suspect_row(Run *r, size_t row);

/* Judges all of them, each by those that differ from it in one parameter alone. */
void run_suspects_find(Run *r);

/* "sm_90" */
const char *run_architecture(Arena *a, const Run *r);

/* A configuration with its code, or with the reason why there is none. */
typedef struct Fetched {
    size_t config;
    TaskRun run;
    const char **ptx;        /* of each module */
    const int64_t *compared; /* elements of each buffer that are compared */
    size_t compared_count;
    const char *failure; /* NULL: the code is there */
} Fetched;

/* Fetches configurations with all their launches into `a`, from the cache or compiled now; the
 * run's data is made.  False when the run was stopped or after a message: nothing can be compiled.
 */
bool run_fetch_all(Run *r, Arena *a, const size_t *configs, size_t count, Fetched *out);

/* The same of one; its failure is a message, too. */
bool run_fetch(Run *r, Arena *a, size_t config, Fetched *out);

/* The kernel of launch `l` in compiled code. */
const char *run_kernel_name(const Run *r, size_t l, const CompileResult *res);

/* What the profile of a step of configuration `i` is made from, in `a`; points into what is given.
 * False when its arguments cannot be computed. */
bool run_profile_input(Arena *a, Run *r, size_t i, const Step *step, const CompileResult *res,
                       ProfileInput *out);

/* Whether a source of the launches names a variable (only where they are open).  Then a
 * configuration may be without it: an #if has left it out, or nothing reads it and the compiler has
 * dropped it. */
bool run_source_names(const Run *r, const char *name);

/* Identity of everything code depends on but the parameters' values: sources with includes,
 * options, architecture. */
Hash run_source_hash(const Run *r);

/* False, with a message, when nothing at all has compiled. */
bool run_nothing_compiled(const Run *r);

/* A farm with the run's options and cache; farm_close ends it. */
Farm *run_open_farm(Run *r);

/* --- recordings ------------------------------------------------------------------------------- */

/* The spec's parameters as headers have them. */
const RecordParameter *run_record_parameters(Run *r);
const RecordProblem *run_record_problem(Run *r);

/* The row of configuration `i`, NULL when there is none. */
const RecordRow *run_recorded_row(const Run *r, const TimesRecording *t, size_t i);

/* What the recording has of configuration `i`, as configurations compare (table_ms); NaN where it
 * failed. */
double run_recorded_value(const Run *r, size_t i);

/* The same of the whole space, for equal work; NULL when the recording lacks an outcome of some
 * configuration. */
const double *run_recorded_times(Run *r);

/* Is the recorded outcome that of the code and launch geometry that the configuration has here? */
bool run_same_code(const Run *r, size_t i, const RecordRow *row);

/* What configuration `i` compiles to: "hash+hash", which must live as long as the run; how it is
 * launched follows. */
void run_set_code(Run *r, size_t i, const char *hashes);

/* Code, launch geometry and so everything that can run differently, as one text in `a`; NULL: the
 * code is not known. */
const char *run_code_key(Arena *a, const TableCode *c);

/* Is that a hash for each of the spec's launches? */
bool run_is_code(const Run *r, const char *hashes);

/* The hash of one of its launches; "" where the code is not known. */
Hash run_code_hash(const Run *r, size_t i, size_t launch);

/* The header of this run's own recordings. */
RecordHeader run_record_header(Run *r);

/* The values of configuration `i` in the header's order; NULL when it has other parameters. */
const RecordValue *run_record_values(Arena *a, const Run *r, const RecordHeader *h, size_t i);

/* The run's own recording, of this header, to be gone on with in its folder; `existing`: what an
 * earlier run left in it, or NULL.  NULL after a message. */
TimesWriter *run_open_recording(Run *r, const RecordHeader *h, const TimesRecording **existing);

/* Adds the outcome of configuration `i`. */
bool run_append_row(Run *r, TimesWriter *w, const RecordHeader *h, size_t i);

/* The profile recording beside the run's own times: every distinct code once. */
bool run_write_profiles(Run *r, const RecordHeader *h);

/* Takes codes and profiles of all configurations from the recording that is replayed.  False, and
 * nothing taken, when it lacks some. */
bool run_take_recorded(Run *r);

/* The profiles that the recording has of these configurations, whose codes are known; those that it
 * lacks stay without. */
void run_take_profiles_of(Run *r, const size_t *list, size_t count);

/* --- trials ----------------------------------------------------------------------------------- */

/* What the L2 holds when runs are timed: as the user asks; else cold where the data of one launch
 * exceeds the L2, since it cannot all be there then, and what is there is a matter of chance.  Sets
 * r->l2; false after a message. */
bool run_choose_l2(Run *r);

/* What every trial has in common: how it is sampled, what the L2 holds, how long it may take. */
void run_shape_trial(const Run *r, Trial *t);

/* Largest error of the outputs, relative to their sizes; NaN: none is known. */
double run_worst_error(const TrialResult *t);

/* What a run of a configuration that ran right uses, where the objective is energy: configurations
 * then compare by it, as `work` becomes the time over the energy in mJ.  False after a message: it
 * is not known (0, NaN). */
bool run_take_joules(Run *r, size_t i, double joules);

/* Learns from any result of a trial. */
void run_note_trial(Run *r, const TrialResult *t);

/* Learns from an outcome, measured now or by an earlier run. */
void run_note_time(Run *r, size_t i);

/* Learns from another timing of the same configuration. */
void run_note_sentinel(Run *r, const TrialResult *t);

/* Sampling of a final. */
extern const double run_sample_ms;

/* --- audit ------------------------------------------------------------------------------------ */

/* Draws as many dropped configurations as the options say and times them; does nothing where there
 * is no winner to compare them with.  False, with a message, only when the timer cannot go on. */
bool run_audit(Run *r, const struct Timer *t);

/* Says what their times mean for r->best: fills r->audit. */
void run_audit_judge(Run *r);

/* --- ledger ----------------------------------------------------------------------------------- */

/* Adds the wall time since `*since`, and the processor time since the last charge, to a stage;
 * starts the clock anew.  Helpers count once they have ended. */
void run_charge(Run *r, LedgerStage stage, double *since);

/* --- the final -------------------------------------------------------------------------------- */

/* The finalists: those too close to the best to be told from it by times taken one after the other.
 *
 * They are timed again in turn, round after round, in one process, so that what drifts drifts for
 * all.  Who cannot be told from the fastest then (the interval of the median ratio of their times
 * reaches down to 1, or to what changes from one process to the next) is tied with it.  Ties are
 * broken by a fixed rule: of those within half as much of the fastest, the one with fewer
 * registers, less shared memory, the earlier in the order of parameters.  So two runs name the same
 * winner, or one that the other names as tied. */

/* A difference in time below this part of it does not count, however sure. */
extern const double run_same_within;

/* Chooses the finalists, times them again where the timer can, decides: fills r->final.  False,
 * with a message, only when the timer cannot go on. */
bool run_final(Run *r, const struct Timer *t);

/* Medians, ratios and ties from the times in `f`, or from the finalists' own where it has no
 * rounds. Nothing but the fields from `medians` on is changed. */
void run_final_decide(const Run *r, RunFinal *f);

/* Is this configuration tied with the fastest? */
bool run_final_is_tied(const RunFinal *f, size_t config);

/* The place of a configuration among the finalists; SIZE_MAX: it is none. */
size_t run_final_place(const RunFinal *f, size_t config);

/* The number of a recording's latest final; 0: it has none. */
int run_final_latest(const TimesRecording *t);

/* The latest final of a recording, decided; without finalists when it has none. */
RunFinal run_final_recorded(const Run *r, const TimesRecording *t);

/* --- compute-sanitizer ------------------------------------------------------------------------ */

/* The survivors once more, under compute-sanitizer: what it finds becomes their outcome.
 *
 * A kernel that reads past a buffer's end, or from memory it never wrote, may still compute the
 * right result here and today.  compute-sanitizer's memcheck watches every access; it slows kernels
 * down many times, so it gets only what survived, one verified run each and no timing.  The buffers
 * are allocated to the byte for it, without the guards that would hide a small overrun. */

/* The path of compute-sanitizer; NULL, after a message, where it is not installed. */
const char *run_sanitizer(Run *r);

/* Runs every timed configuration that is right, if that was asked for.  Findings replace outcomes,
 * in the recording too.  False after a message when it cannot be done. */
bool run_sanitize(Run *r, const struct Timer *t);

/* What compute-sanitizer's output says, in one line: its first finding.  NULL when it has none. */
const char *run_sanitizer_finding(Arena *a, const char *printed);

/* --- explaining ------------------------------------------------------------------------------- */

/* What explaining one configuration needs beyond the stages of a run. */

/* Takes the recorded outcome of configuration `i` into the run, if there is one of its very code
 * and geometry. */
void run_take_outcome(Run *r, size_t i);

/* The launch that the profile of configuration `i` is about. */
size_t run_profiled_launch(const Run *r, size_t i);

/* What the profile of configuration `i` is made from, its code compiled once more (from the cache
 * where that was done before).  Lives in the run's arena.  False with a message. */
bool run_profiled_input(Run *r, size_t i, ProfileInput *out, Diag *d);

/* The accesses of a launch with their places in the source. */
typedef struct RunLines {
    const Memory *memory;    /* NULL when not known */
    const PtxModule *module; /* names the source's files */
    const char *why_not;     /* NULL when known */
} RunLines;

/* Compiles configuration `i` once more, with line numbers (from the cache where that was done
 * before), and follows its warps.  Lives in the run's arena.  Never fails: says why it cannot. */
RunLines run_follow_lines(Run *r, size_t i);

/* --- failures --------------------------------------------------------------------------------- */

/* Why configurations failed, alike ones together: "21 × static assertion: tile too large". */

typedef struct FailureGroup {
    const char *text; /* of the first */
    size_t count;
    size_t example; /* the first row */
} FailureGroup;

/* Those of rows that did not compile, in `a`, the most frequent first; how many there are. Messages
 * that differ in numbers alone are alike. */
size_t run_failures(Arena *a, const Run *r, const FailureGroup **out);

/* "21 × text, e.g. TX=32 TY=32" */
void run_failure_print(const Run *r, const FailureGroup *g, Buf *out);

/* --- checking --------------------------------------------------------------------------------- */

/* Is a spec sound?  Found out without running anything on a GPU.
 *
 * Beyond what reading finds: contents can be made and files fit, the first configuration and the
 * reference compile, every kernel's parameters are what the spec gives it (by the PTX entry),
 * variables exist and have the right size, and no access that the static walk could follow lies
 * outside the buffer it begins in; each parameter is used, outputs are written and inputs are not,
 * buffers have the types of the kernel's declaration.  The configurations at the ends of each
 * parameter are compiled, too: that some fail or need too much is counted and no mistake. */

/* What was looked at. */
typedef struct RunCheck {
    size_t kernels;         /* compiled and compared with the spec */
    size_t accesses;        /* warp accesses of buffers that were followed to their addresses */
    size_t extremes;        /* configurations with the least or the most of a parameter */
    size_t failed;          /* of them, those that do not compile */
    size_t unlaunchable;    /* … and that compile, and no multiprocessor holds a block of */
    const char *uncompiled; /* why nothing could be compiled; NULL: it could */
} RunCheck;

/* Checks a run that is open.  False after messages. */
bool run_check(Run *r, RunCheck *out);

/* Of each argument the elements that the walk through the first configuration reaches, where its
 * buffer has fewer, else 0; NULL after messages. */
const int64_t *run_check_reach(Run *r);
