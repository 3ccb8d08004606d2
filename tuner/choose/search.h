/* Which configuration to compile next, which to time next, and when to stop.
 *
 * A search knows nothing of compilers, GPUs and clocks: whoever drives it (a live run, a replay of
 * a recording, a study) asks what to do when a compile worker or a GPU is free, and tells what came
 * of it, in any order.  With the same seed and the same answers it asks the same.
 *
 * Gaussian processes (process.h) over the parameters' values.  The time model is of what is
 * compiled: its prediction from the code is the mean, times overrule it.  The blind model is of
 * the same, but goes by times alone: it finds what the prediction takes for slow.  The space model
 * is of what is not compiled: it learns from times, and from what the time model believes of the
 * rest.  Beside them a part of all decisions is local search and a part chance, so that a model
 * that is wrong costs a factor and not the winner.  The first trials that models choose are of the
 * Pareto front of what was compiled, by bound and latency.  Where no more than a few trials are
 * budgeted, all are chosen by a model that knows how much of a predicted time is each unit's: few
 * times tell a unit that is slower than said sooner than they tell parameters.  A space too large to
 * be looked at whole is searched from several starts, which know nothing of each other until the
 * last has ended.
 *
 * What recordings of like spaces teach (learned.h) is a second mean of the time model and the first
 * of the space model, as far as times bear it out, and some of their fastest are asked for first.
 *
 * Where nothing can be timed, the driver tells the prediction as the time: the search then looks
 * for the best predicted. */
#pragma once

#include "tuner/choose/candidates.h"
#include "tuner/choose/learned.h"

typedef struct SearchOptions {
    unsigned long seed;
    size_t workers; /* compiles that run at a time; at least 1 */
    bool endless;   /* only budgets and the end of the space stop it */
    double seconds; /* budgets; 0: none */
    size_t trials;
    size_t compiles;
    const Learned *learned; /* of the space's parameters; NULL: nothing was */
} SearchOptions;

/* What a compile said. */
typedef struct SearchCompiled {
    bool failed;      /* or ruled out: it is not to be timed */
    bool unasked;     /* ruled out before it was compiled: does not count as a compile */
    double predicted; /* time, in any unit; NaN: unknown */
    double variance;  /* of the prediction's logarithm, beyond what is usual */
    double bound;     /* what the front is of; NaN: unknown, then it is on none */
    double latency;
    const double *shares; /* of the predicted time, TABLE_PARTS (table_shares); NULL: unknown */
    size_t same_as;       /* earlier number with the same code; SIZE_MAX: none */
} SearchCompiled;

typedef enum SearchEnd {
    SEARCH_GOES_ON,
    SEARCH_EXHAUSTED,    /* everything was compiled and timed */
    SEARCH_NO_GAIN,      /* the last trials brought none */
    SEARCH_NOT_EXPECTED, /* nothing better is expected, and half as many trials brought none */
    SEARCH_SECONDS,
    SEARCH_TRIALS,
    SEARCH_COMPILES,
    SEARCH_ENDS
} SearchEnd;

/* How far the models' predictions were off, in percent of the time: |time / predicted - 1|. */
typedef struct SearchErrors {
    size_t count;
    double median, ninth; /* 50th and 90th percentile; NaN without any */
} SearchErrors;

typedef struct SearchState {
    size_t compiled; /* compiles that ended, failed ones included */
    size_t failed;
    size_t same;          /* of the same code as another */
    size_t timed;         /* trials that ended, wrong ones included */
    size_t best;          /* number; SIZE_MAX: none yet */
    double best_time;     /* NaN: none yet */
    size_t since_gain;    /* trials since the best time last fell by 0.2 % */
    double left;          /* candidates never asked for */
    SearchErrors before;  /* of the space model, which said a time before the compile */
    SearchErrors after;   /* of the time model, which knew the code */
    size_t random;        /* compiled and timed candidates that chance chose, … */
    size_t random_better; /* … and of those: faster than all before by 1 % */
} SearchState;

typedef struct Search Search;

Search *search_new(const SearchSpace *space, const SearchOptions *o);
void search_free(Search *s);

/* The next candidate to compile, as its number: they count up from 0 in the order of asking.
 * False: nothing is left. */
bool search_next_compile(Search *s, size_t *number);

/* The next one to time; false: nothing that is compiled waits for it, or a few trials are all that
 * is budgeted, and there is not enough to choose from yet, or one has not ended. */
bool search_next_trial(Search *s, size_t *number);

/* The values of a candidate, one number per parameter. */
const uint16_t *search_point(const Search *s, size_t number);

void search_compiled(Search *s, size_t number, const SearchCompiled *c);

/* `time` in any unit but one, for equal work; NaN: it failed or was wrong. */
void search_timed(Search *s, size_t number, double time);

/* The driver times this one of its own accord. */
void search_trying(Search *s, size_t number);

/* A candidate that the driver brings, from an earlier run say: as if it had been asked for, except
 * that it was nobody's turn.  False when it was given out before, or is no valid one. */
bool search_add(Search *s, const uint16_t *point, size_t *number);

/* `seconds` since the start. */
SearchEnd search_end(Search *s, double seconds);
const char *search_end_text(SearchEnd e);

SearchState search_state(const Search *s);

/* How many of the candidates that are not timed are expected to be 1 % faster than the best: the
 * sum of their chances as normal deviates of the models' means and deviations, these scaled by how
 * many of them the models were off so far, with heavier tails for what is compiled.  An
 * expectation, no bound: models err in ways that they do not know of.  NaN: not known yet. */
double search_expected(Search *s);
