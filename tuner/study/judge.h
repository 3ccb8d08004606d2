/* Judges a choice of configurations on a space whose times are all known.
 *
 * The measures are the thesis's (tables 6.2 and 6.3): how much the space shrank, how much timing that saves,
 * and how the best of the choice compares with the best of all and with the expected best of a random sample
 * of the same size (appendix A). */
#pragma once

#include "tuner/space/table.h"

typedef struct Judgement {
    size_t chosen;          /* points chosen that have a time */
    size_t best;            /* the fastest of them; SIZE_MAX: none */
    double best_ms;         /* its time; NaN: none */
    double regret;          /* slowdown against the best of all: 0.02 is 2 %; NaN: none chosen */
    size_t rank;            /* of `best` among all points, 1 the fastest; 0: none */
    bool found;             /* the best of all, or one with the same code, was chosen */
    double recall;          /* share of the points within JUDGE_NEAR of the best that was chosen */
    double space_reduction; /* 1 - chosen / distinct; NaN: none chosen */
    double time_reduction;  /* 1 - time of the chosen / time of all, one launch each; NaN: none */
    double random_regret;   /* expected regret of a random sample of the same size */
    double random_performance; /* … and the part of the best performance that this reaches */
    size_t unknown;            /* chosen points that failed and have no time */
} Judgement;

/* Points this close to the best count in Judgement.recall. */
#define JUDGE_NEAR 0.01

/* Only distinct points count; copies of the same code are ignored. */
Judgement judge(const Table *s, const bool *chosen);

/* Expected regret of a random sample of `sample` distinct points with a time; NaN: there is none. */
double judge_random_regret(const Table *s, size_t sample);

/* Times of the distinct points, NaN for points without a time and for copies; in `a`. */
double *judge_times(Arena *a, const Table *s);

/* The smallest sample without replacement whose expected best reaches `performance` (0.9) of the best of all;
 * 0: no times.  `sorted` as in Table.sorted. */
size_t judge_sample_for(const double *sorted, size_t count, double performance);

/* The same with replacement (A.4), at most `limit`. */
size_t judge_draws_for(const double *sorted, size_t count, double performance, size_t limit);

/* Spearman's rank correlation of two columns over the points that have both; NaN for fewer than three. */
double judge_rank_correlation(Arena *scratch, const double *x, const double *y, size_t n);

/* Place of point `i`, from 1, when the points with a value are sorted by it, best first; ties count as before
 * it, so that they do not flatter.  0: it has no value. */
size_t judge_place(const double *values, size_t n, bool up, size_t i);

/* --- the first n by a value ------------------------------------------------------------------- */

/* The first n points by a value.
 *
 * Many points may share the value at the cut: a metric that counts an unused unit is zero for all.  Any fixed
 * order among them would be a choice that the value did not make; the order of a recording is not random
 * either, since promising configurations were timed first.  So ties at the cut are drawn by lot, and the
 * regret is an expectation: a value without information is worth as much as a random sample. */
typedef struct FirstBy {
    bool *sure; /* per point: among the first, whatever the draw */
    bool *tied; /* per point: tied at the cut; `drawn` of these are among the first */
    size_t tied_count, drawn;
} FirstBy;

/* The first `most` distinct points by `values` (NaN: excluded), ascending or, if `higher`, descending.  In
 * `a`. */
FirstBy first_by(Arena *a, const Table *s, const double *values, bool higher, size_t most);

/* Expected time of the fastest; `ms` per point, `sure_ms` the fastest of the sure ones (infinite: none).
 * NaN: there is no time. */
double first_best(Arena *scratch, const FirstBy *f, const double *ms, double sure_ms);

/* Expected regret against the best of all: 0.02 is 2 %; NaN: there is no time. */
double first_regret(const Table *s, const FirstBy *f);

/* --- prediction of the time ------------------------------------------------------------------- */

/* How well a metric predicts the time: what its order finds with few timings, and how far its values are from
 * the measured times. */
enum { GUESS_SIZES = 3 };

typedef struct StudyGuess {
    const char *metric;
    size_t known;                    /* distinct points with a time and a prediction */
    double performance[GUESS_SIZES]; /* best time over the expected time of the fastest of the
                                      * first 1, 8, 16 by the metric */
    double correlation;              /* Spearman's, with the time */
    double error, error_90; /* median and 90th percentile of |predicted / measured - 1|; NaN: the
                             * metric is no time */
    double within_5;        /* share of the points with an error of at most 5 % */
} StudyGuess;

/* Sets the table's counts, best row, sorted times and gaps of metrics from its times and `same_as`.  Call it
 * once all rows are known. */
void ranking_set(Table *t);

/* Warns of each metric from this source that lacks a value for rows with a profile: for how many, and where
 * in its formula. */
void ranking_tell_gaps(const Table *t, const Source *source, Diag *d);

/* Ranks of `values` from 1; ties share their mean rank (for Spearman's correlation).  `ranks` may be
 * `values`. */
void order_ranks(Arena *scratch, const double *values, size_t count, double *ranks);
