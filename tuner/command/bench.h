/* A configuration, or an emitted kernel, again, here and now, against the libraries that the spec
 * names as its rivals.
 *
 * All are verified first, each against the spec's reference; then all that are right are timed in
 * turn, round after round in one process, so that what drifts drifts for all, and compared round by
 * round.  Nothing is recorded.  The caller opens the run (run_open); everything lives in the run's
 * arena. */
#pragma once

#include "metrics/base/stats.h"
#include "tuner/run/run.h"
#include "tuner/run/run_parts.h"

typedef struct BenchOptions {
    const char *config;    /* "BM=64 …"; NULL: the winner of … */
    const char *recording; /* … this recording; NULL: the one that the run found */
    const char *emitted;   /* the manifest of emitted code to run as it lies there; NULL: none */
    bool variants;         /* … against its other variants instead of rivals */
    const char *against;   /* a library, a call, or a plugin's file; NULL: all rivals */
    const char *const *plugin_folders;
    size_t plugin_folder_count;
    int rounds;       /* 0: as many as fit into a few seconds */
    double sustain_s; /* how long each runs over and over by itself; 0: two seconds; below 0: not */
} BenchOptions;

/* Who is timed, and how it fared. */
typedef struct BenchEntry {
    const Rival *rival; /* of the spec; NULL: the kernel, or another variant of an emitted unit */
    const char *title;  /* "cuBLAS SGEMM"; of the kernel its configuration */
    const char *details;
    TaskRun run;
    bool verified; /* its result was compared, and was right if the status says so */
    Outcome status;
    const char *words;   /* why it is not OUTCOME_OK */
    double max_error;    /* of its result, relative to the output's size; NaN: not known */
    const double *times; /* ms, one for each round; NULL: not timed */
    double median;       /* of them; NaN: none */
    StatsInterval interval;
    /* Of a rival: its time over the kernel's, so above 1 the kernel is the faster; median and
     * interval over the rounds. */
    double ratio;
    StatsInterval ratio_interval;
    TrialSustained sustained; /* no runs: it was not run so */
    double sustained_ratio;   /* of a rival, likewise; NaN: not known */
} BenchEntry;

typedef struct Bench {
    size_t config;       /* what is run */
    const char *origin;  /* where it comes from: "the winner of …", for people */
    bool stale;          /* the code is not what the recording has of it */
    bool variants;       /* the entries are variants of one emitted unit, none is a rival */
    BenchEntry *entries; /* the kernel first */
    size_t count;
    int rounds; /* 0: nothing was timed */
} Bench;

/* Takes the problem of a recording that is named, before the run is opened.  False after a
 * message. */
bool bench_take_problem(Run *r, const BenchOptions *o);

/* Chooses what is run and against what; the run must have been opened.  False after a message: the
 * options, the recording or the manifest do not fit. */
bool bench_choose(Run *r, const BenchOptions *o, Bench *out);

/* Verifies and times what was chosen; the run must be one that measures.  False after a message:
 * nothing could be run, or the run was stopped.  What fails of the entries is in them. */
bool bench_run(Run *r, const BenchOptions *o, Bench *b);

/* Is the kernel right, and each rival right or not to be had? */
bool bench_is_sound(const Bench *b);

/* How much more time the kernel takes than the fastest of all, 0 where it is that; NaN without
 * times. */
double bench_loss(const Bench *b);

/* Median, interval and ratios of all entries from times[k × rounds + round]; those of entries
 * that were not timed (`places` < 0) stay NaN.  Apart for tests. */
void bench_decide(Bench *b, const double *times, const int *places);

/* An entry that nothing is known of yet; `rival` NULL: the kernel. */
BenchEntry bench_entry(const Rival *rival, const char *title);

/* The configuration that a manifest has for the run's problem and device, or the one of its
 * variants that `config` names.  SIZE_MAX after a message. */
size_t bench_emitted_config(Run *r, const char *manifest, const char *config, const char **origin);

/* The launches of configuration `i` with the cubins that lie beside the manifest. */
bool bench_emitted_code(Run *r, const char *manifest, size_t i, TaskRun *out);

/* The other variants that serve the run's problem, as entries behind the kernel's.  False after a
 * message. */
bool bench_emitted_variants(Run *r, const char *manifest, Bench *b);

/* A table of times and rates, and a line for each rival: "97.4 % (97.1 to 97.8) of cuBLAS SGEMM".
 */
void bench_print(const Run *r, const Bench *b, Buf *out);

/* One JSON object. */
void bench_print_json(const Run *r, const Bench *b, Buf *out);
