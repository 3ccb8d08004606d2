/* What a choice of configurations is worth on a space whose times are all known.
 *
 * The yardsticks are the thesis's (tables 6.2 and 6.3): how much smaller the space became, how much
 * timing that saves, and how the best of the choice compares with the best there is and with what
 * a random sample of the same size finds on average (appendix A). */
#pragma once

#include "metrics/base/arena.h"
#include "tuner/space/table.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Judgement {
    size_t chosen;  /* points chosen that have a time */
    size_t best;    /* the fastest of them; SIZE_MAX: none */
    double best_ms; /* its time; NaN */
    double regret;  /* how much slower than the best of all: 0.02 is 2 %; NaN: none chosen */
    size_t rank;    /* place of `best` among all points, 1 the fastest; 0: none */
    bool found;     /* the best of all, or one of the same code, is among the chosen */
    double recall;  /* share of the points within `near` of the best that was chosen */
    double space_reduction;    /* 1 - chosen / distinct; NaN: none chosen */
    double time_reduction;     /* 1 - time of the chosen / time of all, one launch of each; NaN */
    double random_regret;      /* of a random sample of as many; expected */
    double random_performance; /* … and the part of the best performance that it reaches */
    size_t unknown;            /* chosen points without a time: they failed */
} Judgement;

/* Points within this of the best count as good ones in Judgement.recall. */
#define JUDGE_NEAR 0.01

/* Only points that stand for themselves count: copies of the same code are neither chosen nor
 * known. */
Judgement judge(const Table *s, const bool *chosen);

/* Expected regret of a random sample of that many of the distinct points that have a time; NaN when
 * there is none. */
double judge_random_regret(const Table *s, size_t sample);

/* Times of the distinct points of a set, NaN where there is none or it is a copy; in `a`. */
double *judge_times(Arena *a, const Table *s);

/* The smallest sample drawn without replacement whose expected best reaches `performance` (0.9)
 * of the best of all; 0 when there is no time.  Times as in Table.sorted. */
size_t judge_sample_for(const double *sorted, size_t count, double performance);

/* The same with replacement (A.4), at most `limit`. */
size_t judge_draws_for(const double *sorted, size_t count, double performance, size_t limit);

/* Spearman's rank correlation of two columns over the points that have both; NaN for fewer than
 * three. */
double judge_rank_correlation(Arena *scratch, const double *x, const double *y, size_t n);

/* Place of point `i` when the points with a value are sorted by it, best first, 1 the first; points
 * as good as it count as before it, so that a tie flatters nobody.  0: it has no value. */
size_t judge_place(const double *values, size_t n, bool up, size_t i);

/* --- the first by a value --------------------------------------------------------------------- */

/* The first n points by a value, and what they are worth.
 *
 * Many points may have the value at which the n end: a metric that counts a unit nobody uses is
 * zero for all.  Any order among equals would be a choice that the value did not make; the
 * order of a recording is not random either, since promising ones were timed first.  So the equals are
 * drawn by lot, and the regret is what is to be expected of it; a value that says nothing is then
 * worth as much as a random sample. */
typedef struct FirstBy {
    bool *sure; /* per point: among the first, whatever the lot says */
    bool *tied; /* per point: one of the equals of which only `drawn` are */
    size_t tied_count, drawn;
} FirstBy;

/* The first `most` of the distinct points by `values` (NaN: not among them; less is first, or more
 * where `higher`).  Lives in `a`. */
FirstBy first_by(Arena *a, const Table *s, const double *values, bool higher, size_t most);

/* Expected time of the fastest; `ms` per point, `sure_ms` the fastest of the sure ones (infinite:
 * there is none).  NaN when there is no time. */
double first_best(Arena *scratch, const FirstBy *f, const double *ms, double sure_ms);

/* Expected regret against the best of all: 0.02 is 2 %; NaN when there is no time. */
double first_regret(const Table *s, const FirstBy *f);

/* --- a guess at the time ---------------------------------------------------------------------- */

/* How good a guess at the time is: what its order finds with few timings, and how far its values are
 * from what was measured. */
enum { GUESS_SIZES = 3 };

typedef struct StudyGuess {
    const char *metric;
    size_t known;                    /* distinct points with a time and a guess */
    double performance[GUESS_SIZES]; /* the best time over that of the fastest of the first
                                      * 1, 8, 16 by the guess, ties drawn by lot (expected) */
    double correlation;              /* Spearman's, with the time */
    double error, error_90; /* median and 90th percentile of |guess / measured - 1|; NaN where the
                             * guess is no time */
    double within_5;        /* share of the points whose error is at most 5 % */
} StudyGuess;

/* Counts, the best, the sorted times and the gaps of metrics, by the column TABLE_MS and `same_as`:
 * last of all, when the rows are known. */
void ranking_set(Table *t);

/* Warns of each metric of this source that some rows with a profile have no value of: of how many,
 * and where in its formula. */
void ranking_tell_gaps(const Table *t, const Source *source, Diag *d);

/* Sorts `points`, which name places in `values` and stand in ascending order: by value, descending
 * where `down`; equal ones by number.  No value may be NaN. */
void order_by(Arena *scratch, const double *values, bool down, uint32_t *points, size_t count);

/* Ranks of `values` from 1, equal ones sharing the mean of theirs (as Spearman's correlation wants
 * them); `ranks` may be `values`. */
void order_ranks(Arena *scratch, const double *values, size_t count, double *ranks);
