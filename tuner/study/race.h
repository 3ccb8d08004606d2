/* The search of the default run beside other strategies, on one recorded space: how far each is
 * from the best after so many seconds, by the clock of the cost model (tuner/choose/replay.h). */
#pragma once

#include "tuner/choose/replay.h"
#include "tuner/space/table.h"
#include "tuner/study/rivals.h"

enum { RACE_TIMES = 31 };

/* Seconds that curves are drawn at: 0.1 to 562, eight in a power of ten. */
double race_seconds(int k);

/* Of the seeds; INFINITY: they never got there. */
typedef struct RaceSpread {
    double median, ninth, worst; /* ninth: 90th percentile */
} RaceSpread;

/* One strategy with so many cores that compile, beside one GPU. */
typedef struct Race {
    const char *name, *meaning; /* "search" is aptune's own */
    size_t cores;
    RaceSpread percent;        /* seconds to 1 % of the best */
    RaceSpread fifth;          /* … to 0.2 % */
    RaceSpread timings;        /* configurations timed until 1 % */
    double regret[RACE_TIMES]; /* median at each time; INFINITY: nothing is known yet */
    double regret_low[RACE_TIMES], regret_high[RACE_TIMES]; /* 10th and 90th percentile */
} Race;

/* Cores that are raced with. */
enum { RACE_CORES = 4 };
extern const size_t race_cores[RACE_CORES];

/* Every strategy with every number of cores, `seeds` times; `guess` is the metric that stands for
 * the time.  Some point must have a time. */
Race *race_all(Arena *a, const Table *s, const char *guess, size_t seeds, size_t *count);

/* All rows of a recording's table (table_read.h), their parameters that vary, and `guess` as what
 * predicts the time (NULL: nothing does).  `rows`, unless NULL, gets the table's row of each
 * place.  Equal code has one time, the least: which row of it a search meets first is chance. */
ReplayRows played_rows(Arena *a, const Table *t, const char *guess, size_t **rows);
