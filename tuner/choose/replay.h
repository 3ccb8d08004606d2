/* Plays a search on a space whose outcomes are all known: nothing is compiled or run, and a cost model gives
 * the clock.
 *
 * Workers compile and GPUs time in parallel from second 0; set-up (device, reference, inputs) and the time of
 * decisions are not counted.  A compile with its profile takes the recorded time where there is one, else
 *
 *     base (0.25 + 0.75 code bytes / their mean)
 *
 * where base is the seconds of a mean compile, if known, else 0.04 s and 16 us for each byte of the mean:
 * that is what mm-core takes on a core of an H200 machine, and up to twice what 15 other spaces take; two of
 * several launches take twice as long.  It is 1.1 times that when 8 workers share a machine and 1.3 times
 * with 16 (measured 2026-11-21).  A trial takes 30 ms and ten runs, or three where the time is more than 1.1
 * times the best so far; for energies it takes what is recorded. */
#pragma once

#include "tuner/choose/search.h"

/* What is known of a listed point. */
typedef struct ReplayRow {
    SearchCompiled code; /* `same_as`: the first place with the same code, or its own */
    double compile_s;    /* compile and profile; NaN, 0: not recorded */
    double code_bytes;   /* NaN, 0: unknown */
    double ms;           /* NaN: it fails, or is wrong */
    double trial_s;      /* GPU seconds; 0: not recorded */
    double work;         /* that a run does */
} ReplayRow;

/* The listed points, by their place in the list of SearchSpace. */
typedef struct ReplayRows {
    SearchSpace space;
    ReplayRow *at;
    bool by_energy; /* `ms` are no times: trials take what is recorded of them */
} ReplayRows;

typedef struct ReplayOptions {
    SearchOptions search; /* with the number of compile workers */
    size_t gpus;          /* at least 1 */
    double base;          /* seconds of a mean compile; 0: not known */
    double enough;        /* stops once a time of this at most is held; 0: goes on */
} ReplayOptions;

/* A new best time. */
typedef struct ReplayStep {
    double seconds; /* when it was known */
    double ms;      /* divided by its work */
    size_t place;
    size_t compiled, timed; /* by then */
} ReplayStep;

typedef struct ReplayResult {
    ReplayStep *steps; /* in the arena */
    size_t step_count;
    size_t *timed; /* places in the order in which trials ended */
    size_t timed_count;
    size_t *compiled; /* places in the order in which compiles ended, failed ones included */
    size_t compiled_count;
    double seconds; /* until the search ended */
    double compile_core_s, gpu_s;
    SearchEnd end;
    SearchState state;
    double expected; /* search_expected at the end; NaN: it stopped before */
} ReplayResult;

ReplayResult replay_search(Arena *a, const ReplayRows *rows, const ReplayOptions *o);

/* The best time known after some seconds; INFINITY before there is one. */
double replay_best_at(const ReplayResult *r, double seconds);

/* When a time of `ms` at most was first known; INFINITY: never. */
double replay_seconds_to(const ReplayResult *r, double ms);

/* The cost model for other simulations: seconds of each place's compile with `workers` in parallel, and of a
 * trial while the best time is `best` (INFINITY: none yet). */
const double *replay_compile_seconds(Arena *a, const ReplayRows *rows, double base, size_t workers);
double replay_trial_seconds(const ReplayRows *rows, size_t place, double best);
