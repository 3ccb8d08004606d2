/* What of a run is searched, and what is known of it before: the same for a live search and for one
 * that is played on a recording. */
#ifndef APTUNE_RUN_SEARCHED_H
#define APTUNE_RUN_SEARCHED_H

#include "tuner/run/run_search.h"

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

SearchOptions searched_options(const Run *r);

/* NaN: there is none. */
double searched_metric(const Searched *q, int metric, size_t row);

/* Variance of the logarithm of a time predicted from the profile; 0: nothing is in doubt, or
 * nothing known. */
double searched_doubt(const Profile *p);

#endif
