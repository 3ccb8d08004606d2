/* The default run: compiling, profiling and timing side by side, one search deciding about all.
 *
 * From the first second on workers compile what the search asks for, and GPUs time what it chooses
 * of that (tuner/choose); both tell it what came of it.  Where a recording is replayed whose
 * profiles are there, the search is played on it, with a clock that is a cost model. */
#pragma once

#include "tuner/run/timer.h"

/* Finds out about configurations until the search ends: they are compiled and timed, or not, in the
 * run's table; what was timed is selected, what was compiled is carved.  The timer is opened here.
 * False when the run was stopped or, with a message, when it cannot go on. */
bool run_search(Run *r, Timer *t);

/* Takes what a recording knows of all configurations aside, to be told one by one. */
bool run_search_take_recorded(Run *r);

/* Code and profiles of rows that the search did not ask for.  False when the run was stopped or,
 * with a message, when nothing can be compiled. */
bool run_search_compile(Run *r, const size_t *rows, size_t count);

/* What of a run is searched, and what is known of it before: the same for a live search and for one
 * that is played on a recording.  Apart for tests. */
typedef struct Searched {
    Run *run;
    Timer *timer;          /* NULL: nothing is timed, the prediction is the time */
    const size_t *varying; /* parameters of the space that have several values: */
    size_t varying_count;
    size_t *values;  /* … how many */
    uint16_t *full;  /* all parameters of a candidate */
    uint64_t *ranks; /* that are searched; NULL: they are drawn */
    size_t rank_count;
    SearchSpace space;
    int guess, bound, latency; /* metrics; < 0: there is none */
    Arena *scratch;
} Searched;

void searched_open(Searched *q, Run *r, Timer *t);
