/* How good a guess at the time is: what its order finds with few timings, and how far its values are
 * from what was measured. */
#ifndef APTUNE_STUDY_GUESS_H
#define APTUNE_STUDY_GUESS_H

#include "tuner/space/table.h"

enum { GUESS_SIZES = 3 };

/* Timings that are allowed: none but the one that is taken, 8, 16. */
extern const size_t GUESS_TIMED[GUESS_SIZES];

typedef struct StudyGuess {
    const char *metric;
    size_t known;                    /* distinct points with a time and a guess */
    double performance[GUESS_SIZES]; /* the best time over that of the fastest of the first
                                      * GUESS_TIMED by the guess, ties drawn by lot (expected) */
    double correlation;              /* Spearman's, with the time */
    double error, error_90; /* median and 90th percentile of |guess / measured - 1|; NaN where the
                             * guess is no time */
    double within_5;        /* share of the points whose error is at most 5 % */
} StudyGuess;

/* The metric's value as milliseconds: its unit is a time, or cycles at the device's clock.  NaN
 * where it is neither, or not known. */
double guess_ms(const Table *t, size_t metric, size_t row);

/* Judges metric number `metric` of the table's set. */
StudyGuess study_guess(const Table *t, size_t metric);

#endif
