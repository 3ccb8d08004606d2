/* One run of the tuner: a spec's configurations on their way from the space to the winner.
 *
 * Each stage is a file of its own and fills in its part of the Run: open (spec, space,
 * device, tier 0), compile (code and profiles), carve, time, result.  tuner/command
 * calls them in order and prints; nothing here prints. */
#ifndef APTUNE_RUN_H
#define APTUNE_RUN_H

#include "metrics/base/hash.h"
#include "metrics/device/device.h"
#include "metrics/metric/metricset.h"
#include "metrics/metric/profile.h"
#include "tuner/choose/carving.h"
#include "tuner/compile/cache.h"
#include "tuner/compile/farm.h"
#include "tuner/compile/source.h"
#include "tuner/measure/gpu.h"
#include "tuner/record/profile.h"
#include "tuner/record/times.h"
#include "tuner/space/geometry.h"
#include "tuner/space/space.h"

/* Where times come from; said in every report. */
typedef enum RunSource {
    RUN_MEASURED, /* on the device in this machine, now */
    RUN_REPLAYED, /* from a recording */
    RUN_STATIC    /* no times: carved only */
} RunSource;

typedef enum CodeState {
    CODE_NONE,    /* not compiled, not known */
    CODE_OK,      /* profile and code hash are known */
    CODE_ERROR,   /* the compiler refused it */
    CODE_TIMEOUT, /* the compiler took too long */
    CODE_CRASH    /* the compiler died of it */
} CodeState;

/* One configuration and all that is known of it. */
typedef struct Config {
    size_t number;       /* in the space */
    Tier0 tier0;         /* why it was dropped before compiling */
    Geometry *geometry;  /* of each launch */
    const char *options; /* the -D list, for messages and recordings */

    CodeState code;
    const char *failure;    /* first line of what the compiler said */
    Hash *hash;             /* of each launch's code; launches of equal configurations match */
    const Profile *profile; /* NULL when unknown */
    const double *metrics;  /* as in Run.metrics; NULL when unknown */
    size_t same_as;         /* first configuration with the same code and geometry; itself */

    bool timed;          /* there is an outcome */
    TrialStatus status;  /* of the outcome */
    const double *times; /* milliseconds, every launch timed */
    size_t time_count;
    double median;     /* milliseconds; NaN unless ok */
    double max_error;  /* relative to the output's size, of the verified launch */
    const char *words; /* what went wrong */
} Config;

/* Seconds of wall time by stage. */
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
    const char *space;      /* the spec's path */
    const char *arch;       /* device or architecture by name; NULL: the one here or recorded */
    const char *recordings; /* folder of shipped recordings; NULL: "recordings" beside the spec */
    const char *output;     /* folder for results */
    const char *cache;      /* folder of compiled code */
    int jobs;               /* compile workers; 0: one per core */
    double compile_limit;   /* seconds for one compile */
    bool compile;           /* compile here even where a recording has the profiles */
    bool exhaustive;        /* time everything */
    bool dry_run;           /* only count: needs no device, and may find no configuration */
    bool no_gpu;            /* do as if there were none */
    int ordinal;            /* which GPU */
} RunOptions;

/* Told now and then how far a stage is; for the progress bar. */
typedef struct RunProgress {
    void *context;
    void (*step)(void *context, const char *stage, size_t done, size_t all, const char *note);
} RunProgress;

typedef struct Run {
    Arena *arena; /* of everything that lives as long as the run */
    RunOptions options;
    RunProgress progress;
    Diag *diag; /* warnings of the whole run; errors end it */

    /* Where the program's own files are; set by the caller. */
    const char *compile_helper;      /* the program aptune-compile */
    const char *gpu_helper;          /* the program aptune-gpu */
    const char *cuda_folder;         /* a toolkit of our own; need not exist */
    const char *compare_source;      /* the kernels that compare outputs */
    const char *const *metric_files; /* the shipped metrics, in order */
    size_t metric_file_count;

    /* Configurations whose code is all that is wanted; set by the caller after run_open.  Without a
     * recording that has all, only these are compiled.  NULL: every configuration is. */
    const size_t *only;
    size_t only_count;

    Spec *spec;
    Space space;
    const Device *device; /* NULL: none is known, which only a dry run can do with */
    RunSource source;
    const char *why_not_measured; /* NULL when measured */
    Gpu *gpu;                     /* open while measuring, else NULL */

    Config *configs; /* one for each configuration of the space */
    size_t config_count;
    size_t tier0_dropped[TIER0_KINDS];

    const CompileSource **sources; /* of each launch */
    Cache *cache;                  /* NULL: nothing is cached */
    const char *compiler;          /* "NVRTC 13.0"; of the recording when nothing was compiled */

    MetricSet *metrics;
    Stage *stages; /* of the spec's carving */
    struct {
        Column *at;
        size_t count;
        size_t capacity;
    } columns; /* what the stages look at; values come with run_carve */
    Carving carving;
    bool *selected; /* to be timed */
    size_t selected_count;

    const TimesRecording *recording; /* what is replayed or compared with; NULL: none */
    const char *recording_path;
    bool recording_complete; /* it has an outcome for every configuration of the space */
    bool profiles_recorded;  /* profiles came from the recording */
    size_t stale;            /* configurations whose code differs from the recorded one */

    size_t best;               /* number of the winner; SIZE_MAX: none */
    double exhaustive_best_ms; /* of the recording; NaN when unknown */
    double relative;           /* best known time / the winner's, both of the recording; or NaN */
    double random_relative;    /* the same for a random sample of the same size */
    double seconds[LEDGER_STAGES];
    size_t compiled, failed, distinct; /* configurations */
    size_t launches_from_cache;        /* launches whose code or failure the cache had */
    size_t workers_started;            /* compilers that had to be started */
    size_t polished; /* configurations timed as neighbours of the best; among the selected */
    size_t resumed;  /* outcomes that an earlier run of the same output folder left */
} Run;

/* --- stages, in order ------------------------------------------------------------------------- */

/* Spec, space, device, tier 0 and the names in the carving.  False after messages. */
bool run_open(Run *r);

/* Code hash and profile of every configuration that tier 0 left: from the recording when its
 * sources are ours, else compiled here. */
bool run_compile(Run *r);

/* Metrics of every profile, then the spec's carving stages. */
void run_carve(Run *r);

/* Times of what is selected: measured here, or taken from the recording. */
bool run_time(Run *r);

/* Names the winner and what it is worth. */
void run_judge(Run *r);

void run_close(Run *r);

/* --- what several stages need ----------------------------------------------------------------- */

/* Configurations that tier 0 dropped. */
size_t run_tier0_total(const Run *r);

/* The configuration that a text of the form "BM=64 BN=64 …" names, parameters in any order.
 * SIZE_MAX after a message that says what is wrong with it and which configuration is the most like
 * it. */
size_t run_find_config(const Run *r, const char *text, Diag *d);

/* "BM=64 BN=64 …" */
const char *run_config_name(Arena *a, const Run *r, size_t i);

/* Slots of configuration `i` in scratch memory; NULL when they cannot be computed. */
const Value *run_slots(Arena *scratch, const Run *r, size_t i);

void run_progress(const Run *r, const char *stage, size_t done, size_t all, const char *note);

#endif
