/* What the halves of a search share: the live one and the one that is played on a recording. */
#ifndef APTUNE_RUN_SEARCH_PARTS_H
#define APTUNE_RUN_SEARCH_PARTS_H

#include "tuner/run/run_search.h"

/* What of a run is searched, and what is known of it. */
typedef struct Searched {
    Run *run;
    Timer *timer;    /* NULL: nothing is timed, the prediction is the time */
    size_t *varying; /* parameters of the space that have several values: */
    size_t varying_count;
    size_t *values;  /* … how many */
    uint16_t *full;  /* all parameters of a candidate */
    uint64_t *ranks; /* that are searched; NULL: they are drawn */
    size_t rank_count;
    SearchSpace space;
    int guess, bound, latency; /* metrics; < 0: there is none */
    Arena *scratch;
} Searched;

SearchOptions searched_options(const Run *r);

/* NaN: there is none. */
double searched_metric(const Searched *q, int metric, size_t row);

/* Variance of the logarithm of a time predicted from the profile; 0: nothing is in doubt, or
 * nothing known. */
double searched_doubt(const Profile *p);

/* The search itself.  False when the run was stopped or, with a message, cannot go on. */
bool search_live(Searched *q);
bool search_played(Searched *q);

/* What a recording knows of a row that was not asked for: it is known from now on. */
void search_reveal(Run *r, size_t row);

#endif
