/* Races the search of the default run against other strategies on one recorded space: how far each is from
 * the best over time, by the clock of the cost model (tuner/choose/replay.h). */
#pragma once

#include "tuner/study/rivals.h"

enum { RACE_TIMES = 31 };

/* Times at which the curves are sampled, in seconds: 0.1 to 562, eight per decade. */
double race_seconds(int k);

/* Distribution over the seeds; INFINITY: never reached. */
typedef struct RaceSpread {
    double median, p90, worst; /* p90: 90th percentile */
} RaceSpread;

/* One strategy with `cores` compiling cores and one GPU. */
typedef struct Race {
    const char *name, *meaning; /* "search" is aptune's own */
    size_t cores;
    RaceSpread seconds_1;      /* seconds until within 1 % of the best */
    RaceSpread seconds_02;     /* … within 0.2 % */
    RaceSpread timings;        /* configurations timed until within 1 % */
    double regret[RACE_TIMES]; /* median at each time; INFINITY: nothing is timed yet */
    double regret_low[RACE_TIMES], regret_high[RACE_TIMES]; /* 10th and 90th percentile */
} Race;

/* The numbers of cores. */
enum { RACE_CORES = 4 };
extern const size_t race_cores[RACE_CORES];

/* Plays every strategy with every number of cores, `seeds` times each; `guess` is the metric that predicts
 * the time.  At least one point must have a time. */
Race *race_all(Arena *a, const Table *s, const char *guess, size_t seeds, size_t *count);

/* All rows of a recording's table (table_read.h) with the parameters that vary, and `guess` as the predicted
 * time (NULL: none).  `rows`, unless NULL, becomes the table's row of each place.  Rows with the same code
 * share their least time: which of them a search meets first is chance. */
ReplayRows played_rows(Arena *a, const Table *t, const char *guess, size_t **rows);
