/* A search played on a space whose outcomes are all known: nothing is compiled or run, and the
 * clock is a cost model.
 *
 * Workers compile and GPUs time side by side from second 0; set-up (device, reference, inputs) and
 * the time of decisions are not in it.  Where a recording says what a compile and its profile took,
 * that is its time; else
 *
 *     base (0.25 + 0.75 code bytes / their mean)
 *
 * with base the seconds of a mean compile, where they are known, else 0.04 s and 16 us for each of
 * the mean's bytes: that is what mm-core takes on a core of an H200 machine, and up to twice what
 * 15 other spaces do; two of several launches take twice as long.  1.1 times that when 8 workers
 * share a machine and 1.3 times when 16 do (measured 2026-11-21).  A trial takes 30 ms and ten
 * runs, or three where the time is more than 1.1 times the best so far; of energies what is recorded. */
#pragma once

#include "tuner/choose/search.h"

/* What is known of the listed points, by their place in the list; see SearchSpace. */
typedef struct ReplayRows {
    SearchSpace space;
    const double *compile_s;  /* compile and profile; NaN: not recorded.  NULL: none are */
    const double *code_bytes; /* NaN: unknown */
    const double *ms;         /* NaN: it fails, or is wrong */
    const double *trial_s; /* of a GPU; 0: not recorded.  NULL: `ms` says it, as it is no energy */
    const double *work;    /* times count for so much work; NULL: the same for all */
    const bool *broken;    /* it does not compile, or is ruled out after that */
    const double *predicted, *bound, *latency, *variance; /* as in SearchCompiled; NULL: unknown */
    const double *shares;                                 /* TABLE_PARTS of each; NULL: unknown */
    const size_t *same_as; /* first place with the same code; itself */
} ReplayRows;

typedef struct ReplayOptions {
    SearchOptions search; /* its workers compile */
    size_t gpus;          /* at least 1 */
    double base;          /* seconds of a mean compile; 0: not known */
} ReplayOptions;

/* A time that is the best so far. */
typedef struct ReplayStep {
    double seconds; /* when it was known */
    double ms;      /* over its work */
    size_t place;
    size_t compiled, timed; /* until then */
} ReplayStep;

typedef struct ReplayResult {
    ReplayStep *steps; /* in the arena */
    size_t step_count;
    size_t *timed; /* places in the order of their outcomes */
    size_t timed_count;
    size_t *compiled; /* places in the order of their compiles, failed ones included */
    size_t compiled_count;
    double seconds; /* until the search ended */
    double compile_core_s, gpu_s;
    SearchEnd end;
    SearchState state;
    double expected; /* better ones, at the end; NaN: unknown */
} ReplayResult;

ReplayResult replay_search(Arena *a, const ReplayRows *rows, const ReplayOptions *o);

/* The best time known after so many seconds; INFINITY before there is one. */
double replay_best_at(const ReplayResult *r, double seconds);

/* When a time of `ms` at most was first known; INFINITY: never. */
double replay_seconds_to(const ReplayResult *r, double ms);

/* The cost model's parts, for others who play: seconds of each place's compile with `workers` at
 * work, and of a trial while the best is `best` (INFINITY: none yet). */
const double *replay_compile_seconds(Arena *a, const ReplayRows *rows, double base, size_t workers);
double replay_trial_seconds(const ReplayRows *rows, size_t place, double best);
