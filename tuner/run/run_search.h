/* The default run: a search decides what to compile, profile and time, all at the same time.
 *
 * From the first second on, workers compile what the search asks for and GPUs time what it chooses
 * (tuner/choose); both report results to it. If a recording with profiles is replayed, the search
 * is played on it with a cost model as its clock. */
#pragma once

#include "tuner/run/timer.h"

/* Compiles and times configurations in the run's table until the search ends: timed ones are
 * selected, compiled ones carved. Opens the timer. False when stopped, or after a message if it
 * cannot go on. */
bool run_search(Run *r, Timer *t);

/* Sets aside what a recording knows of all configurations, to be revealed one by one. */
bool run_search_take_recorded(Run *r);

/* Compiles rows that the search did not ask for. False when stopped, or after a message if nothing
 * can be compiled. */
bool run_search_compile(Run *r, const size_t *rows, size_t count);

/* What is searched and what is known before, for live and replayed searches. Exported for tests. */
typedef struct Searched {
    Run *run;
    Timer *timer;          /* NULL: nothing is timed; predictions serve as times */
    const size_t *varying; /* parameters with several values, … */
    size_t varying_count;
    size_t *values;  /* … and their numbers of values */
    uint16_t *full;  /* scratch: all parameters of a candidate */
    uint64_t *ranks; /* candidates; NULL: they are drawn */
    size_t rank_count;
    SearchSpace space;
    int guess; /* metric; < 0: none */
    Arena *scratch;
} Searched;

void searched_open(Searched *q, Run *r, Timer *t);
