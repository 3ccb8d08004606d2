/* One run of the tuner: a spec's configurations on their way from the space to the winner.
 *
 * Each stage is one file or several (run_STAGE.c) and fills in its part of the Run: open (spec,
 * space, device, tier 0), then either compile (code and profiles), carve and time, or search, which
 * does the three in turn; final, result.  tuner/library calls them in order.  Nothing here prints:
 * what is to be said goes to the diagnostics or is asked of the Run. */
#pragma once

#include "metrics/base/hash.h"
#include "metrics/base/vec.h"
#include "metrics/metric/device.h"
#include "metrics/metric/metricset.h"
#include "metrics/metric/profile.h"
#include "tuner/choose/carve.h"
#include "tuner/choose/search.h"
#include "tuner/compile/cache.h"
#include "tuner/compile/farm.h"
#include "tuner/compile/source.h"
#include "tuner/gpu/gpu.h"
#include "tuner/record/find.h"
#include "tuner/record/profile.h"
#include "tuner/record/times.h"
#include "tuner/run/option.h"
#include "tuner/space/geometry.h"
#include "tuner/space/space.h"
#include "tuner/space/table.h"

/* Where times come from; said in every report. */
typedef enum RunSource {
    RUN_MEASURED, /* on the device in this machine, now */
    RUN_REPLAYED, /* from a recording */
    RUN_STATIC    /* no times: carved only */
} RunSource;

/* The stages that a run's wall time and processor time are charged to. */
typedef enum LedgerStage {
    LEDGER_CONSTRUCT,
    LEDGER_COMPILE,
    LEDGER_PROFILE,
    LEDGER_CARVE,
    LEDGER_TIME,
    LEDGER_STAGES
} LedgerStage;

/* What the user asked for. */
typedef struct RunOptions {
    const char *space;       /* the spec's path */
    const char *space_text;  /* what it says; NULL: what stands there */
    const char *arch;        /* device or architecture by name; NULL: the one here or recorded */
    const char *device_file; /* of the device; NULL: what is shipped of it */
    OptionTexts includes;    /* folders of headers beyond the spec's */
    const char *recordings;  /* folder of shipped recordings; NULL: "recordings" beside the spec */
    const char *recording;   /* the one to replay; NULL: the one of the folder that fits best */
    const char *output;      /* folder for results */
    const char *emit;        /* flavour of the kernel a run ends with, or "none"; NULL: "driver" */
    const char *emit_name;   /* of its files; NULL: the space's */
    const char *emit_prefix; /* of its symbols; NULL: the name and "_" */
    const char *cache;       /* folder of compiled code */
    double compile_memory;   /* GB of a compile worker; 0: its share */
    double cache_limit;      /* GB of it that are kept after compiling */
    bool trust_cache;        /* also when others can write it */
    int jobs;                /* compile workers; 0: one per core */
    double compile_limit;    /* seconds for one compile */
    bool compile;            /* compile here even where a recording has the profiles */
    bool search;             /* compile and time what a search asks for, unless one of these: */
    bool exhaustive;         /* time everything */
    bool carve;              /* compile everything, time what carving leaves, … */
    const char *carve_text;  /* … by these statements; NULL: the spec's, or the default */
    bool some;               /* only named or recorded configurations: millions are not listed */
    bool drawn;              /* of millions, some that are drawn stand for all */
    bool no_times;           /* compile everything, or what a budget allows; time nothing */
    OptionTexts learn;       /* recordings that a search begins with, or "none"; without any, … */
    const char *const *earlier; /* … those that fit, and these in any case: of problems before */
    size_t earlier_count;
    double seconds; /* budgets of a search: since the run was opened; 0: none */
    int trials, compiles;
    int seed;                 /* of the search */
    const char *guess;        /* metric that predicts the time; NULL: "predicted_cycles" */
    const char *metrics;      /* file of further metrics; NULL: none */
    bool run_commands;        /* commands of the spec may be run */
    const char *problem_text; /* "N=8192": which of the spec's problems; NULL: that of … */
    size_t problem;           /* … this number */
    bool may_lack;            /* without a GPU and a recording the run ends, and it is no error */
    bool dry_run;             /* only count: needs no device, and may find no configuration */
    bool no_gpu;              /* do as if there were none */
    const char *l2;           /* "warm", "cold" or "both"; NULL: as suits the problem */
    double trial_limit;       /* seconds one trial may take; 0: from those before it */
    int samples;              /* of every configuration at least; 0: of those clearly slower two */
    int finalists;            /* the best so many are timed again; 0: as many as are close */
    bool sanitize;            /* run the survivors under compute-sanitizer, too */
    int audit;                /* dropped configurations to time, drawn at random; 0: none */
    int audit_seed;           /* of the draw */
    int ordinal;              /* which GPU; < 0: not said, the one of `local_rank` */
    const char *devices;      /* several GPUs: "all" or "0,2"; NULL: one */
    bool mixed;               /* they may be of different kinds */
    int local_rank;           /* which of the processes of a job on this machine this is */
    int shard, shards;        /* this part of so many, from 0; shards < 2: the whole space */
    const char *why;          /* a configuration that reports are to explain; NULL: none */
    const char *shard_from;   /* who says so: "--shard", "Slurm", "MPI" */
} RunOptions;

enum { RUN_DEVICE_LIMIT = 1024 }; /* GPUs of a machine are numbered below this */

/* One of the GPUs that a run measures on. */
typedef struct RunGpu {
    Gpu *gpu;
    int ordinal;     /* in its machine */
    double opened;   /* clock_seconds() when it was asked for; it is kept from then on */
    double busy_s;   /* with a trial, everything included */
    double timed_s;  /* of that, in launches that were timed */
    size_t outcomes; /* of configurations */
} RunGpu;

/* Told now and then how far a stage is; for the progress bar. */
typedef struct RunProgress {
    void *context;
    void (*step)(void *context, const char *stage, size_t done, size_t all, const char *note);
} RunProgress;

/* What a search asks the caller of the run; each may be NULL. */
typedef struct RunHooks {
    void *context;
    /* The run shall end (stop_fd is readable): shall it still name a winner?  Then takes the wish
     * back, so that the descriptor tells of the next one. */
    bool (*end_early)(void *context);
    /* There is a new best, which is r->best for so long. */
    void (*found)(void *context);
} RunHooks;

/* A recording that a search began with. */
typedef struct RunLesson {
    const char *path, *problem, *gpu;
    size_t times;      /* of configurations that differ in what both spaces have: */
    size_t parameters; /* so many, … */
    size_t of;         /* … of these */
} RunLesson;

/* What a search did; see tuner/choose/search.h. */
typedef struct RunSearch {
    const Learned *learned; /* what it begins with; NULL: nothing was learned */
    const RunLesson *lessons;
    size_t lesson_count;
    bool done;
    bool asked;        /* to end early */
    size_t candidates; /* valid, and not more than the device has */
    SearchEnd end;
    SearchState state;
    double expected;
    double seconds;     /* that it took; of a replay by its cost model */
    double held_since;  /* when its best was first known, likewise; NaN: there is none */
    double compile_s;   /* processor seconds of compiling and profiling by the cost model; NaN */
    size_t front;       /* of what was compiled: how many lie on it, … */
    size_t front_timed; /* … and of those were timed */
    bool best_on_front;
    double *held_s, *held_ms; /* each best time and since when */
    size_t held_count;
} RunSearch;

/* What was learned from the trials so far. */
typedef struct RunWatch {
    double best_high_ms; /* the best time is surely not above this; 0: none known */
    double best_ms;      /* the least median for equal work; 0: none known */
    size_t best;         /* its row */
    VEC(double) seconds; /* that good trials took */
    size_t median_of;    /* of so many of them: */
    double median_s;
    HealthLog health;
    size_t sentinels; /* of one configuration: */
    double sentinel_first_ms, sentinel_low_ms, sentinel_high_ms;
    size_t lost; /* configurations not timed because the device was gone */
    const char *lost_why;
} RunWatch;

/* The best, timed again against each other; see run_final.c. */
typedef struct RunFinal {
    size_t *list; /* finalists, the fastest first as they were known before */
    size_t count;
    int rounds;          /* 0: not timed again, so what follows is from their own times */
    const double *times; /* ms; times[k × rounds + round] */
    double *medians;     /* ms, of each; over the rounds, or its own */
    double *ratios;      /* of each to the fastest: the median ratio */
    double *ratio_low;   /* of each to the fastest: the interval of the median ratio */
    double *ratio_high;
    size_t *ties; /* configurations not told from the fastest, it among them, in the order in
                     which ties are broken: the first one wins */
    size_t tie_count;
    double within;  /* a difference below this part does not count, however sure */
    size_t fastest; /* configuration with the lowest median; SIZE_MAX: none */
} RunFinal;

/* The audit: some of what carving and polish dropped is timed all the same, drawn at random, once
 * the winner is known.
 *
 * It tests the pruning on the very run, where no recording of the whole space says what it cost.
 * Audited configurations are recorded as others are, but they never win: the winner stays what
 * carving found, and the audit says what that missed.  What a sample can say and what it cannot is
 * in tuner/choose/audit.h.  Winner and audited ones are compared by the times that were taken one
 * after the other, for the same work, of all in the same way; finals are not among them. */
#define RUN_AUDIT_NEAR 0.01 /* what is near the winner: as in the recall of studies */

typedef struct RunAudit {
    size_t *list; /* configurations drawn */
    size_t count;
    size_t dropped;     /* of distinct code, that neither carving nor polish chose */
    size_t outcomes;    /* drawn ones that have one: what follows is about these */
    size_t failed;      /* of them: wrong, or without a time; never better */
    size_t better;      /* faster than the winner by more than `margin` */
    double margin;      /* 0.005: a difference of 0.5 % does not count */
    size_t fastest;     /* of them; SIZE_MAX: none gave a time */
    double ratio;       /* its time over the winner's; NaN */
    double share_high;  /* of the dropped, how many are better at most: as a share … */
    size_t better_high; /* … and as a number */
    size_t beyond_high; /* how many of the dropped are faster than `fastest` at most */
    size_t near_timed;  /* chosen ones within `near` of the winner, itself among them, or better */
    size_t near;        /* the same of those drawn */
    double recall;      /* share of all such configurations that was chosen: estimated … */
    double recall_low;  /* … and at least */
} RunAudit;

/* Where the program's own files are. */
typedef struct RunHome {
    const char *compile_helper;      /* the program aptune-compile */
    const char *gpu_helper;          /* the program aptune-gpu */
    const char *cuda_folder;         /* a toolkit of our own; need not exist */
    const char *compare_source;      /* the kernels that compare outputs */
    const char *const *metric_files; /* the shipped metrics, in order */
    size_t metric_file_count;
} RunHome;

/* What code is made from, and what the runs of it need. */
typedef struct RunCode {
    const CompileSource **sources; /* of each launch; NULL where a command prints it */
    struct RunSources *made;       /* what commands printed; NULL: nothing yet */
    const struct RunData *data;    /* the buffers of the problem; NULL: not made yet */
    struct Data *walk_data;        /* the same for walks in this process; NULL: not made yet */
    Cache *cache;                  /* NULL: nothing is cached */
    const char *compiler;          /* "NVRTC 13.0"; of the recording when nothing was compiled */
} RunCode;

/* What is replayed or compared with. */
typedef struct RunRecorded {
    const TimesRecording *times; /* NULL: none */
    const char *path;
    const RecordMatch *others; /* of the folder: those that fit less */
    size_t other_count;
    bool complete;          /* it has an outcome for every configuration of the space */
    bool profiles;          /* profiles came from it */
    double best_ms;         /* of a complete one; NaN when unknown */
    const double *ms;       /* of a complete one, per row of the table, for equal work; NaN where it
                               failed; NULL: there is none */
    double relative;        /* best known time / the winner's, both recorded; or NaN */
    double random_relative; /* the same for a random sample of the same size */
    RunFinal final;
} RunRecorded;

/* Configurations, where not said otherwise. */
typedef struct RunCounts {
    size_t tier0_dropped[OUTCOMES]; /* by the limit that each breaks */
    size_t compiled, failed, distinct;
    size_t unlaunchable; /* that compile, and no multiprocessor holds a block of */
    size_t selected;
    size_t polished;            /* that polish timed; among the selected */
    size_t stale;               /* whose code differs from the recorded one */
    size_t resumed;             /* outcomes that an earlier run of the same output folder left */
    size_t sanitized, unclean;  /* run under compute-sanitizer; with findings */
    size_t launches_from_cache; /* launches whose code or failure the cache had */
    size_t workers_started;     /* compilers that had to be started */
} RunCounts;

/* Predictions that are too good to be true (run_suspect.c). */
typedef struct RunSuspects {
    size_t found;
    size_t judged, next; /* rows, one after the other; when `mix` is found anew */
    size_t fast;         /* of these: predicted to be faster than their work can be done */
    double mix;          /* of those so far */
} RunSuspects;

typedef struct RunLedger {
    double seconds[LEDGER_STAGES];      /* wall time */
    double core_seconds[LEDGER_STAGES]; /* of processors, helper programs included */
    double core_charged;                /* of them, already with a stage */
    double compile_s, walk_s;           /* that workers compiled and followed warps, by the clock */
    double walk_core_s;                 /* … the latter by their processors */
} RunLedger;

typedef struct Run {
    Arena *arena; /* of everything that lives as long as the run */
    RunOptions options;
    RunProgress progress;
    Diag *diag;   /* warnings of the whole run; errors end it */
    RunHome home; /* set by the caller */

    /* Of each configuration: is its code wanted?  Set while run_compile_these runs; NULL: of all.
     */
    const bool *only;

    Spec *spec;
    Space space;
    const Device *named_device; /* by --arch or --device-file; NULL: none */
    const Device *device;       /* NULL: none is known, which only a dry run can do with */
    RunSource source;
    const char *why_not_measured; /* NULL when measured */
    RunGpu *gpus;                 /* open while measuring */
    size_t gpu_count;
    Gpu *gpu;        /* the first of them; NULL: none */
    VEC(int) claims; /* descriptors whose locks keep other runs away */
    int stop_fd;     /* readable when the run shall end; 0: nothing stops it */
    bool stopped;
    bool lacks; /* a recording and all else to tune by, which it may */
    RunHooks hooks;
    double opened; /* clock_seconds() when it was */
    RunSearch search;
    struct RunUnasked *unasked; /* what a replay knows of configurations not yet asked for */

    Table *table; /* a row for each configuration, and all that is known of it */
    RunCode code;
    CarvePlan plan; /* of the spec's carving, or the default */
    Carving carving;
    RunRecorded recorded;
    size_t best;    /* row of the winner; SIZE_MAX: none */
    size_t why;     /* row that options.why names; SIZE_MAX: none */
    TaskCache l2;   /* what the L2 held when runs were timed */
    RunWatch watch; /* while measuring */
    RunFinal final;
    RunAudit audit; /* without a list where none was asked for */
    RunSuspects suspects;
    RunCounts counts;
    RunLedger ledger;
} Run;

/* --- stages, in order ------------------------------------------------------------------------- */

/* Spec, space, device, tier 0 and the names in the carving.  False after messages. */
bool run_open(Run *r);

/* Keeps other runs away from the output folder and the GPUs until run_close.  False, with a message
 * that names the other process where the system tells, when one is there already. */
bool run_claim(Run *r);

/* Code hash and profile of every configuration that tier 0 left: from the recording when its
 * sources are ours, else compiled here. */
bool run_compile(Run *r);

/* The same for these configurations alone. */
bool run_compile_these(Run *r, const size_t *configs, size_t count);

/* Metrics of every profile, then the spec's carving stages. */
void run_carve(Run *r);

/* Times of what is selected: measured here, or taken from the recording. */
bool run_time(Run *r);

/* Names the winner and what it is worth. */
void run_judge(Run *r);

/* In place of the stages from run_compile on, of a run that replays: the winner that the recording
 * has by itself.  Every outcome is believed to be of the code that the recording names, so nothing
 * is compiled and no source read; ties are broken as everywhere where there is a recording of
 * profiles, else by order.  False after a message, also when no configuration came out right. */
bool run_take_winner(Run *r);

void run_close(Run *r);

/* Leaves out of the ledger what processors have done since the stage before: for whoever does other
 * work in between, or goes on in another thread. */
void run_charge_anew(Run *r);

/* What timing only a part cost, against timing all: configurations of distinct code. */
typedef struct RunWorth {
    size_t timed;      /* by this run, or taken over from an earlier one */
    size_t recorded;   /* others whose time a recording has, or the audit; the rest is estimated */
    size_t all;        /* that could be timed */
    double gpu_s;      /* of those timed */
    double all_gpu_s;  /* of all */
    double wall_s;     /* of the run */
    double all_wall_s; /* of one that times all and carves nothing */
} RunWorth;

RunWorth run_worth(const Run *r);

/* What compiling everything would take. */
typedef struct RunEstimate {
    size_t compiles;
    double seconds; /* wall time with all jobs */
    double each_s;  /* of a processor, compile and profile, in the mean of … */
    size_t count;   /* … so many that were compiled before; 0: a guess */
    const char *of; /* the recording that has them; NULL: none */
} RunEstimate;

/* By the run's own earlier outcomes, else by the recording at hand, else by a usual kernel. */
RunEstimate run_estimate(const Run *r);

/* --- what several stages need ----------------------------------------------------------------- */

/* Were the times of the run's recording measured by another tuner? */
bool run_is_imported(const Run *r);

/* Was the search played on a recording, its clock a cost model? */
bool run_is_played(const Run *r);

/* Configurations that tier 0 dropped. */
size_t run_tier0_total(const Run *r);

/* The configuration that a text of the form "BM=64 BN=64 …" names, parameters in any order.
 * SIZE_MAX after a message that says what is wrong with it and which configuration is the most like
 * it. */
size_t run_find_config(const Run *r, const char *text, Diag *d);

/* The same where not all of the space may be listed: a valid one gets its row. */
size_t run_name_config(Run *r, const char *text, Diag *d);

/* Slots of configuration `i` in scratch memory; NULL when they cannot be computed. */
const Value *run_slots(Arena *scratch, const Run *r, size_t i);

/* Is configuration `i` in the part of the space that this run is about? */
bool run_is_in_shard(const Run *r, size_t i);

/* Is this run one that searches?  Others compile all of what they are about. */
bool run_searches(const Run *r);

/* Work that configuration `i` does; NaN when it is not said. */
double run_work(const Run *r, size_t i, const Expr *amount);

/* The work that configurations are compared by; NULL: their times alone. */
const Expr *run_objective(const Spec *s);

void run_progress(const Run *r, const char *stage, size_t done, size_t all, const char *note);
