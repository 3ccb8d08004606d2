/* The points that a search may ask for: all of a list, or draws from a space too large for one.
 *
 * A point is a row of value numbers, one for each parameter; its rank is its place in the full
 * product, the last parameter turning fastest (as in tuner/space).  A point is given out once. */
#pragma once

#include "metrics/base/arena.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is searched.  Lives as long as the search. */
typedef struct SearchSpace {
    size_t parameters;
    const size_t *values; /* of each parameter, how many; below 65536 */
    /* A list of all valid ranks … */
    const uint64_t *ranks;
    size_t count;
    /* … or, where `ranks` is NULL, draws: a valid point at random, and is this one valid? */
    bool (*draw)(void *context, gsl_rng *random, uint16_t *point);
    bool (*valid)(void *context, const uint16_t *point);
    void *context;
    double size; /* valid points; with draws, as far as known, else NaN */
} SearchSpace;

typedef struct Candidates Candidates;

/* The list is permuted by `random`: nothing may follow the order of enumeration. */
Candidates *candidates_new(Arena *a, const SearchSpace *s, gsl_rng *random);
void candidates_free(Candidates *c);

/* Takes a point out: it is not offered any more.  False when it is not there. */
bool candidates_take(Candidates *c, const uint16_t *point);

/* Points still to be had; with draws an estimate, NaN where the size is not known. */
double candidates_left(const Candidates *c);

/* A random one into `point`; false when there is none (with draws: none was found). */
bool candidates_random(Candidates *c, uint16_t *point);

/* A random one that differs from `from` in `distance` parameters, 1 or 2.  Where more than a hundred
 * thousand do, some are drawn instead of all being looked at: here and below. */
bool candidates_neighbour(Candidates *c, const uint16_t *from, int distance, uint16_t *point);

/* Points to choose from, in no order: all that are left where they are listed and at most `most`,
 * else a draw: `*random` of them are random, `drawn` / 2 where there are so many, and behind them as
 * many at most within two parameters of `around` (rows of points).
 * The array is the candidates' own and good until the next call. */
const uint16_t *candidates_choice(Candidates *c, size_t most, size_t drawn, const uint16_t *around,
                                  size_t around_count, size_t *count, size_t *random);
