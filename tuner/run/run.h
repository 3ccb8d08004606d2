/* One run of the tuner: takes a spec's configurations from the space to the winner.
 *
 * Each stage has a file or several (run_STAGE.c) and fills in its part of the Run: open (spec,
 * space, device, tier 0); then compile (code and profiles), carve and time, or search, which does
 * all three in turn; then final and result. tuner/library calls them in order. Nothing here prints:
 * messages go to the diagnostics, and callers ask the Run for results. */
#pragma once

#include "tuner/choose/carve.h"
#include "tuner/choose/search.h"
#include "tuner/compile/farm.h"
#include "tuner/gpu/gpu.h"
#include "tuner/record/find.h"
#include "tuner/record/profile.h"
#include "tuner/record/times.h"
#include "tuner/run/option.h"
#include "tuner/space/space.h"

/* Where times come from; stated in every report. */
typedef enum RunSource {
    RUN_MEASURED, /* on this machine's device, now */
    RUN_REPLAYED,
    RUN_STATIC /* no times, only carving */
} RunSource;

/* Stages to which wall and CPU time are charged. */
typedef enum LedgerStage {
    LEDGER_CONSTRUCT,
    LEDGER_COMPILE,
    LEDGER_PROFILE,
    LEDGER_CARVE,
    LEDGER_TIME,
    LEDGER_STAGES
} LedgerStage;

typedef struct RunOptions {
    const char *space;       /* path of the spec */
    const char *space_text;  /* its text; NULL: read from the path */
    const char *arch;        /* device or architecture by name; NULL: the one here or recorded */
    const char *device_file; /* describes the device; NULL: the shipped file */
    OptionTexts includes;    /* header folders besides the spec's */
    const char *recordings;  /* folder of shipped recordings; NULL: "recordings" beside the spec */
    const char *recording;   /* to replay; NULL: the best fit in the folder */
    const char *output;      /* folder for results */
    const char *emit;        /* flavour of the emitted kernel, or "none"; NULL: "driver" */
    const char *emit_name;   /* of its files; NULL: the space's */
    const char *emit_prefix; /* of its symbols; NULL: the name and "_" */
    const char *cache;       /* folder of compiled code */
    double compile_memory;   /* GB per compile worker; 0: its share */
    double cache_limit;      /* GB to keep after compiling */
    bool trust_cache;        /* even if others can write to it */
    int jobs;                /* compile workers; 0: one per core */
    double compile_limit;    /* seconds per compile */
    bool compile;            /* compile even if a recording has the profiles */
    bool search;            /* let a search choose what to compile and time, unless one of these: */
    bool exhaustive;        /* time everything */
    bool carve;             /* compile everything, time what carving selects, … */
    const char *carve_text; /* … by these statements; NULL: the spec's, or the default */
    bool some;              /* only named or recorded configurations: a large space is not listed */
    bool drawn;             /* a random sample represents a large space */
    bool no_times;          /* compile everything, or what a budget allows; time nothing */
    OptionTexts learn;      /* recordings that a search learns from, or "none"; if empty, … */
    const char *const *earlier; /* … those that fit; in any case these, of problems tuned before */
    size_t earlier_count;
    double seconds; /* budgets of a search: since the run was opened; 0: none */
    int trials, compiles;
    int seed;                 /* of the search */
    const char *guess;        /* metric that predicts the time; NULL: "predicted_cycles" */
    const char *metrics;      /* file of further metrics; may be NULL */
    bool run_commands;        /* allow commands of the spec */
    const char *problem_text; /* one of the spec's problems, "N=8192"; NULL: … */
    size_t problem;           /* … the one with this index */
    bool any_device;          /* without GPU and recording take device_usual(), as no_times does */
    bool may_lack;            /* having neither a GPU nor a recording is no error */
    bool dry_run;             /* only count; needs no device and may find no configuration */
    bool no_gpu;              /* ignore GPUs */
    const char *l2;           /* "warm", "cold" or "both"; NULL: depends on the problem */
    double trial_limit;       /* seconds per trial; 0: derived from earlier trials */
    int samples;              /* minimum per configuration; 0: two for clearly slower ones */
    int finalists;            /* how many of the best to time again; 0: as many as are close */
    bool sanitize;            /* run the survivors under compute-sanitizer, too */
    int audit;                /* dropped configurations to time, drawn at random; 0: none */
    int audit_seed;
    int ordinal;            /* index of the GPU; < 0: that of `local_rank` */
    const char *devices;    /* several GPUs: "all" or "0,2"; NULL: one */
    bool mixed;             /* they may be of different models */
    int local_rank;         /* rank of this process in a job on this machine */
    int shard, shards;      /* part of the space, from 0; shards < 2: the whole space */
    const char *why;        /* configuration that reports explain; may be NULL */
    const char *shard_from; /* origin of the shard options: "--shard", "Slurm", "MPI" */
} RunOptions;

enum { RUN_DEVICE_LIMIT = 1024 }; /* exclusive limit of GPU indices */

/* A GPU that a run measures on. */
typedef struct RunGpu {
    Gpu *gpu;
    int ordinal;     /* index in its machine */
    double opened;   /* clock_seconds() when requested; held from then on */
    double busy_s;   /* running trials, overhead included */
    double timed_s;  /* of that, in timed launches */
    size_t outcomes; /* number of configurations with an outcome */
} RunGpu;

/* Receives the progress of a stage, for the progress bar. */
typedef struct RunProgress {
    void *context;
    void (*step)(void *context, const char *stage, size_t done, size_t all, const char *note);
} RunProgress;

/* Callbacks of a search; each may be NULL. */
typedef struct RunHooks {
    void *context;
    /* Called when the run is to stop (stop_fd is readable): returns true to name a winner first,
     * and then resets the request so that the descriptor reports the next one. */
    bool (*end_early)(void *context);
    /* Called for a new best, which is r->best during the call. */
    void (*found)(void *context);
} RunHooks;

/* A recording that a search learned from. */
typedef struct RunLesson {
    const char *path, *problem, *gpu;
    size_t times; /* of configurations that differ in the parameters shared by both spaces: … */
    size_t parameters; /* … this many, … */
    size_t of;         /* … of so many */
} RunLesson;

/* A best time, and when it was known. */
typedef struct RunBest {
    double seconds, ms;
} RunBest;

/* The result of a search; see tuner/choose/search.h. */
typedef struct RunSearch {
    const Learned *learned; /* prior knowledge; NULL: none */
    const RunLesson *lessons;
    size_t lesson_count;
    bool done;
    bool asked;        /* the user asked to end early */
    size_t candidates; /* valid configurations within the device's limits */
    SearchEnd end;
    SearchState state;
    double expected;
    double seconds;     /* duration; of a replay by its cost model */
    double held_since;  /* when its best was first known, likewise; NaN: no best */
    size_t front;       /* compiled configurations on the front, … */
    size_t front_timed; /* … and those of them that were timed */
    bool best_on_front;
    VEC(RunBest) held; /* each best time in turn */
} RunSearch;

/* What the trials so far have shown. */
typedef struct RunWatch {
    double best_high_ms; /* upper bound of the best time; 0: none known */
    double best_ms;      /* lowest median for equal work; 0: none known */
    size_t best;
    VEC(double) seconds; /* durations of successful trials */
    size_t median_of;    /* median_s is over the first so many */
    double median_s;
    HealthLog health;
    size_t sentinels; /* timings of the sentinel: … */
    double sentinel_first_ms, sentinel_low_ms, sentinel_high_ms;
    size_t lost; /* configurations not timed because the device was lost */
    const char *lost_why;
} RunWatch;

/* One of the best configurations, which are timed again against each other. */
typedef struct Finalist {
    size_t config;
    const double *times_ms; /* one per round */
    double median_ms;       /* over the rounds or the earlier times */
    double ratio;           /* median ratio to the fastest, … */
    StatsInterval interval; /* … and its confidence interval */
} Finalist;

/* Their comparison; see run_final.c. */
typedef struct RunFinal {
    Finalist *list; /* fastest first by their earlier times */
    size_t count;
    int rounds;   /* 0: not timed again; the rest is derived from earlier times */
    size_t *ties; /* configurations tied with the fastest and that itself, in tie-breaking order:
                     the first wins */
    size_t tie_count;
    double within;  /* relative differences below this do not count */
    size_t fastest; /* configuration with the lowest median; SIZE_MAX: none */
} RunFinal;

/* The audit: a random sample of what carving and polish dropped is timed once the winner is known.
 *
 * It tests the pruning in this run, where no recording of the whole space tells what pruning cost.
 * Audited configurations are recorded like others but never win. tuner/choose/audit.h explains what
 * a sample can and cannot tell. Winner and audited configurations are compared by times taken one
 * after the other in the same way, for the same work; the times of finals are not used. */
#define RUN_AUDIT_NEAR 0.01 /* "near" the winner, as in the recall of studies */

typedef struct RunAudit {
    size_t *list; /* sample */
    size_t count;
    size_t dropped;     /* distinct codes that neither carving nor polish selected */
    size_t outcomes;    /* samples with an outcome; the rest is about these */
    size_t failed;      /* wrong or without a time, so never better */
    size_t better;      /* faster than the winner by more than `margin` */
    double margin;      /* 0.005: a difference of 0.5 % does not count */
    size_t fastest;     /* of the sample; SIZE_MAX: none has a time */
    double ratio;       /* its time / the winner's; NaN */
    double share_high;  /* upper bound of the dropped that are better, as a share … */
    size_t better_high; /* … and as a number */
    size_t beyond_high; /* upper bound of the dropped that are faster than `fastest` */
    size_t near_timed;  /* selected ones near the winner or better, itself included */
    size_t near;        /* the same of the sample */
    double recall;      /* share of all such configurations that were selected: estimate … */
    double recall_low;  /* … and lower bound */
} RunAudit;

/* Paths of the program's own files. */
typedef struct RunHome {
    const char *compile_helper;      /* the program aptune-compile */
    const char *gpu_helper;          /* the program aptune-gpu */
    const char *cuda_folder;         /* private toolkit; need not exist */
    const char *compare_source;      /* kernels that compare outputs */
    const char *const *metric_files; /* shipped metrics, in order */
    size_t metric_file_count;
} RunHome;

/* Sources and data of the configurations. */
typedef struct RunCode {
    const CompileSource **sources; /* per launch; NULL: printed by a command */
    struct RunSources *made;       /* output of commands; NULL: none yet */
    const struct RunData *data;    /* buffers of the problem; NULL: not made yet */
    struct Data *walk_data;        /* the same for walks in this process; NULL: not made yet */
    Cache *cache;                  /* NULL: no caching */
    const char *compiler;          /* "NVRTC 13.0"; from the recording if nothing was compiled */
} RunCode;

/* The recording that is replayed or compared with. */
typedef struct RunRecorded {
    const TimesRecording *times; /* NULL: none */
    const char *path;
    const RecordMatch *others; /* of the folder: those that fit less well */
    size_t other_count;
    bool complete;          /* has an outcome for every configuration of the space */
    bool profiles;          /* profiles were taken from it */
    double best_ms;         /* if complete; NaN: unknown */
    const double *ms;       /* if complete, per row of the table, for equal work; NaN: failed; else
                               NULL */
    double relative;        /* best known time / the winner's, both recorded; NaN: unknown */
    double random_relative; /* the same for a random sample of the same size */
    RunFinal final;
} RunRecorded;

/* Numbers of configurations, unless stated otherwise. */
typedef struct RunCounts {
    size_t tier0_dropped[OUTCOMES]; /* by the limit that they exceed */
    size_t compiled, failed, distinct;
    size_t unlaunchable; /* compiled, but an SM cannot hold one block */
    size_t selected;
    size_t polished;            /* timed by polish; also in `selected` */
    size_t stale;               /* code differs from the recorded one */
    size_t resumed;             /* outcomes taken from an earlier run in the output folder */
    size_t sanitized, unclean;  /* run under compute-sanitizer; with findings */
    size_t launches_from_cache; /* launches found in the cache */
    size_t workers_started;     /* compile workers started */
} RunCounts;

/* Implausibly fast predictions (run_suspect.c). */
typedef struct RunSuspects {
    size_t found;
    size_t judged, next; /* rows judged so far; when `mix` is due to be updated */
    size_t fast;         /* rows predicted to be faster than their work allows */
    double mix;          /* median of the rows so far */
} RunSuspects;

typedef struct RunLedger {
    double seconds[LEDGER_STAGES];      /* wall time */
    double core_seconds[LEDGER_STAGES]; /* CPU time, helper programs included */
    double core_charged;                /* CPU time already charged */
    double compile_s, walk_s;           /* wall seconds of workers compiling and walking */
    double walk_core_s;                 /* CPU seconds of workers walking */
} RunLedger;

typedef struct Run {
    Arena *arena; /* lives as long as the run */
    RunOptions options;
    RunProgress progress;
    Diag *diag;   /* warnings of the whole run; errors end it */
    RunHome home; /* set by the caller */

    Spec *spec;
    Space space;
    const Device *named_device; /* by --arch or --device-file; may be NULL */
    const Device *device;       /* NULL: not known; only in a dry run */
    const char *device_origin;  /* "named by --arch" */
    RunSource source;
    const char *why_not_measured; /* NULL: measured */
    RunGpu *gpus;                 /* open while measuring */
    size_t gpu_count;
    Gpu *gpu;        /* the first of them; may be NULL */
    VEC(int) claims; /* lock descriptors that keep other runs away */
    int stop_fd;     /* readable when the run is to stop; 0: none */
    bool stopped;
    bool lacks; /* there is nothing to tune by, but options.may_lack */
    RunHooks hooks;
    double opened; /* clock_seconds() at run_open */
    RunSearch search;
    struct RunUnasked *unasked; /* in a replayed search, what the search has not asked for yet */

    Table *table; /* a row per configuration, with all that is known of it */
    RunCode code;
    CarvePlan plan; /* the spec's carving, or the default */
    Carving carving;
    RunRecorded recorded;
    size_t best;    /* row of the winner; SIZE_MAX: none */
    size_t why;     /* row that options.why names; SIZE_MAX: none */
    TaskCache l2;   /* L2 state of timed runs */
    RunWatch watch; /* while measuring */
    RunFinal final;
    RunAudit audit; /* without a list if not requested */
    RunSuspects suspects;
    RunCounts counts;
    RunLedger ledger;
} Run;

/* --- stages, in order ------------------------------------------------------------------------- */

/* Opens spec, space and device, applies tier 0 and resolves names in the carving. False after
 * messages. */
bool run_open(Run *r);

/* Locks the output folder and the GPUs until run_close. False after a message that names the other
 * process, if the system tells it. */
bool run_claim(Run *r);

/* Finds the code hash and profile of every configuration that tier 0 left: from the recording if
 * its sources are the same, else by compiling. */
bool run_compile(Run *r);

/* The same for these configurations only. */
bool run_compile_these(Run *r, const size_t *configs, size_t count);

/* Computes the metrics of every profile, then carves. */
void run_carve(Run *r);

/* Times what is selected: measures it, or takes times from the recording. */
bool run_time(Run *r);

/* Names the winner and compares it with what is recorded. */
void run_judge(Run *r);

/* Replaces the stages from run_compile on for a replay: takes the winner from the recording alone.
 * Outcomes are assumed to be of the recorded code, so nothing is compiled and no source read. Ties
 * are broken as usual if profiles are recorded, else by order. False after a message, also if no
 * configuration ran right. */
bool run_take_winner(Run *r);

void run_close(Run *r);

/* Excludes the CPU time since the last stage from the ledger: for callers that did other work or
 * continue in another thread. */
void run_charge_anew(Run *r);

/* The cost of timing a part of the space compared with timing all, by configurations of distinct
 * code. */
typedef struct RunWorth {
    size_t timed;      /* by this run or an earlier one that it continues */
    size_t recorded;   /* others timed by a recording or the audit; the rest is estimated */
    size_t all;        /* that could be timed */
    double gpu_s;      /* of those timed */
    double all_gpu_s;  /* of all */
    double wall_s;     /* of the run */
    double all_wall_s; /* of a run that times all and carves nothing */
} RunWorth;

RunWorth run_worth(const Run *r);

/* Estimated cost of compiling everything. */
typedef struct RunEstimate {
    size_t compiles;
    double seconds; /* wall time with all jobs */
    double each_s;  /* mean CPU seconds of a compile and profile, over … */
    size_t count;   /* … so many earlier ones; 0: a guess */
    const char *of; /* the recording that has them; may be NULL */
} RunEstimate;

/* Based on the run's own earlier outcomes, else on the recording, else on a typical kernel. */
RunEstimate run_estimate(const Run *r);

/* --- what several stages need ----------------------------------------------------------------- */

/* True if another tuner measured the times of the run's recording. */
bool run_is_imported(const Run *r);

/* True if the search was played on a recording, with a cost model as its clock. */
bool run_is_played(const Run *r);

/* Number of configurations that tier 0 dropped. */
size_t run_tier0_total(const Run *r);

/* The configuration named by "BM=64 BN=64 …", parameters in any order. SIZE_MAX after a message
 * that says what is wrong and names the most similar configuration. */
size_t run_find_config(const Run *r, const char *text, Diag *d);

/* The same for spaces that are not listed: a valid configuration gets a row. */
size_t run_name_config(Run *r, const char *text, Diag *d);

/* True if configuration `i` is in this run's part of the space. */
bool run_is_in_shard(const Run *r, size_t i);

/* True if this run searches; others compile everything in their part. */
bool run_searches(const Run *r);

/* Work that configuration `i` does; NaN: unknown. */
double run_work(const Run *r, size_t i, const Expr *amount);

/* The work for which times are compared; NULL: plain times. */
const Expr *run_objective(const Spec *s);

void run_progress(const Run *r, const char *stage, size_t done, size_t all, const char *note);
