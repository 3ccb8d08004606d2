/* Runs a configuration or an emitted kernel on this machine, against the libraries that the spec names as
 * rivals.
 *
 * Each entry is first verified against the spec's reference.  The correct ones are then timed in turn, round
 * after round in one process, so that drift affects all alike, and are compared round by round.  Nothing is
 * recorded.  The caller opens the run (run_open); everything lives in the run's arena. */
#pragma once

#include "tuner/run/run_parts.h"

typedef struct BenchOptions {
    const char *config;    /* "BM=64 …"; NULL: the winner of … */
    const char *recording; /* … this recording; NULL: the one that the run found */
    const char *emitted;   /* the manifest of emitted code to run unchanged; NULL: none */
    bool variants;         /* … compared with its other variants instead of rivals */
    const char *against;   /* a library, a call, or the file of a plugin; NULL: all rivals */
    Texts plugin_folders;
    int rounds;       /* 0: as many as fit into a few seconds */
    double sustain_s; /* how long each then runs back to back; 0: two seconds; below 0: skip this */
} BenchOptions;

/* One kernel or library call that is timed, and its results. */
typedef struct BenchEntry {
    const Rival *rival; /* of the spec; NULL: the kernel, or another variant of an emitted unit */
    const char *title;  /* "cuBLAS SGEMM"; for the kernel, its configuration */
    const char *details;
    TaskRun run;
    bool verified; /* its result was compared; `status` says whether it was right */
    Outcome status;
    const char *words;   /* why the status is not OUTCOME_OK */
    double max_error;    /* of its result, relative to the output's scale; NaN: not known */
    const double *times; /* ms, one for each round; NULL: not timed */
    double median;       /* of the times; NaN: none */
    StatsInterval interval;
    /* A rival's time over the kernel's: above 1 the kernel is faster.  Median and interval over the
     * rounds. */
    double ratio;
    StatsInterval ratio_interval;
    TrialSustained sustained; /* back-to-back runs; no runs: skipped */
    double sustained_ratio;   /* the same ratio of those; NaN: not known */
} BenchEntry;

typedef struct Bench {
    size_t config;       /* the configuration that is run */
    const char *origin;  /* where it comes from, for people: "the winner of …" */
    bool stale;          /* its code differs from the recorded code */
    bool variants;       /* the entries are variants of one emitted unit, not rivals */
    BenchEntry *entries; /* the kernel first */
    size_t count;
    int rounds; /* 0: nothing was timed */
} Bench;

/* Takes over the problem of the recording that `o` names; call it before the run is opened.  False after a
 * message. */
bool bench_take_problem(Run *r, const BenchOptions *o);

/* Chooses what is run and against what; the run must be open.  False after a message: the options, the
 * recording or the manifest do not fit. */
bool bench_choose(Run *r, const BenchOptions *o, Bench *out);

/* Verifies and times what was chosen; the run must be one that measures.  False after a message: nothing
 * could be run, or the run was stopped.  Failures of single entries are in the entries. */
bool bench_run(Run *r, const BenchOptions *o, Bench *b);

/* True if the kernel is correct, and each rival is correct or not available. */
bool bench_is_sound(const Bench *b);

/* How much longer the kernel takes than the fastest entry: 0.02 is 2 %, 0: it is the fastest; NaN: no times. */
double bench_loss(const Bench *b);

/* Computes median, interval and ratios of the correct entries, the kernel among them, from their times one
 * after the other, `rounds` each; those of the others become NaN.  Exported for tests. */
void bench_decide(Bench *b, const double *times);

/* An entry without results; `rival` NULL: the kernel. */
BenchEntry bench_entry(const Rival *rival, const char *title);

/* The configuration that a manifest has for the run's problem and device, or that of the variant `config`.
 * SIZE_MAX after a message. */
size_t bench_emitted_config(Run *r, const char *manifest, const char *config, const char **origin);

/* The launches of configuration `i` with the cubins beside the manifest; false after a message. */
bool bench_emitted_code(Run *r, const char *manifest, size_t i, TaskRun *out);

/* Appends the other variants that can serve the run's problem as entries.  False after a message. */
bool bench_emitted_variants(Run *r, const char *manifest, Bench *b);

/* Times and rates, and a line for each rival: "97.4 % (97.1 to 97.8) of cuBLAS SGEMM". */
void bench_print(const Run *r, const Bench *b, Buf *out);

/* One JSON object. */
void bench_print_json(const Run *r, const Bench *b, Buf *out);
