/* Decides which configuration to compile next, which to time next, and when to stop.
 *
 * A search knows nothing of compilers, GPUs and clocks.  Its driver (a live run, a replay of a
 * recording, a study) asks what to do when a compile worker or a GPU is free, and reports outcomes in
 * any order.  The same seed and the same outcomes give the same decisions.
 *
 * Beliefs come from Gaussian processes (process.h) over the parameters' values.  The time model covers
 * compiled candidates: the prediction from the code is its prior mean, times overrule it.  The blind model
 * covers the same but uses times alone, so it finds what the prediction wrongly takes for slow.  The space
 * model covers what is not compiled: it learns from times, and from what the time model believes of the
 * rest.  A part of all decisions is local search and a part is random, so that a wrong model costs a factor
 * and not the winner.  If only a few trials are budgeted, all are chosen by a model that knows each unit's
 * share of a predicted time: few times show that a unit is slower than predicted sooner than they show
 * effects of parameters.  A space too large to look at all of it is searched from several starts, which know
 * nothing of each other until the last has ended.
 *
 * What recordings of similar spaces teach (learned.h) is a second mean of the time model and the only one of
 * the space model, as far as times support it, and some of their fastest are compiled first.
 *
 * Where nothing can be timed, the driver reports the prediction as the time: the search then looks
 * for the best prediction. */
#pragma once

#include "tuner/choose/candidates.h"
#include "tuner/choose/learned.h"

typedef struct SearchOptions {
    unsigned long seed;
    size_t workers; /* concurrent compiles; at least 1 */
    bool endless;   /* stop only at a budget or the end of the space */
    double seconds; /* budgets; 0: none */
    size_t trials;
    size_t compiles;
    const Learned *learned; /* about the space's parameters; NULL: nothing */
} SearchOptions;

/* The outcome of a compile. */
typedef struct SearchCompiled {
    bool failed;          /* or ruled out: not to be timed */
    bool unasked;         /* ruled out before it was compiled: does not count as a compile */
    double predicted;     /* time, in any unit; NaN: unknown */
    double variance;      /* of the prediction's logarithm, beyond what is usual */
    const double *shares; /* of the predicted time, TABLE_PARTS (table_shares); NULL: unknown */
    size_t same_as;       /* earlier number with the same code; SIZE_MAX: none */
} SearchCompiled;

typedef enum SearchEnd {
    SEARCH_GOES_ON,
    SEARCH_EXHAUSTED,    /* everything was compiled and timed */
    SEARCH_NO_GAIN,      /* the last trials did not improve the best time */
    SEARCH_NOT_EXPECTED, /* nothing better is expected, after half as many trials without a gain */
    SEARCH_SECONDS,
    SEARCH_TRIALS,
    SEARCH_COMPILES,
    SEARCH_ENDS
} SearchEnd;

/* Errors of a model, in percent of the time: |time / predicted - 1|. */
typedef struct SearchErrors {
    size_t count;
    double median, p90; /* percentiles; NaN without any */
} SearchErrors;

typedef struct SearchState {
    size_t compiled; /* compiles that ended, failed ones included */
    size_t failed;
    size_t same;          /* with the same code as another */
    size_t timed;         /* trials that ended, wrong ones included */
    size_t best;          /* number; SIZE_MAX: none yet */
    double best_time;     /* NaN: none yet */
    size_t since_gain;    /* trials since the best time last fell by 0.2 % */
    double left;          /* candidates never asked for */
    SearchErrors before;  /* of the space model, before the compile */
    SearchErrors after;   /* of the time model, which knows the code */
    size_t random;        /* timed candidates that were chosen at random, … */
    size_t random_better; /* … of which were 1 % faster than all before */
} SearchState;

typedef struct Search Search;

Search *search_new(const SearchSpace *space, const SearchOptions *o);
void search_free(Search *s);

/* The next candidate to compile; numbers count up from 0 in the order of asking.  False: nothing is
 * left. */
bool search_next_compile(Search *s, size_t *number);

/* The next candidate to time.  False: no compiled one waits, or only a few trials are budgeted and there is
 * not enough to choose from yet or one has not ended. */
bool search_next_trial(Search *s, size_t *number);

/* The value numbers of a candidate, one per parameter. */
const uint16_t *search_point(const Search *s, size_t number);

void search_compiled(Search *s, size_t number, const SearchCompiled *c);

/* `time` is for equal work, always in the same unit; NaN: it failed or was wrong. */
void search_timed(Search *s, size_t number, double time);

/* The driver times this one without having been told to. */
void search_trying(Search *s, size_t number);

/* Adds a candidate of the driver, for example from an earlier run, as if the search had asked for it.  False
 * when it was given out before or is not valid. */
bool search_add(Search *s, const uint16_t *point, size_t *number);

/* `seconds`: since the start. */
SearchEnd search_end(Search *s, double seconds);
const char *search_end_text(SearchEnd e);

SearchState search_state(const Search *s);

/* The expected number of candidates that are 1 % faster than the best, among those not timed: the sum of
 * their probabilities under the models, whose deviations are calibrated by their errors so far, with heavier
 * tails for what is compiled.  It is no bound: models err in ways that they do not know of.  NaN: not known
 * yet. */
double search_expected(Search *s);
