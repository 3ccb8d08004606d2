/* The points that a search may ask for: all of a list, or draws from a space too large for one.
 *
 * A point is a row of value numbers, one for each parameter; its rank is its place in the full product, with
 * the last parameter varying fastest (as in tuner/space).  Each point is given out once. */
#pragma once

#include "metrics/base/arena.h"

#include <gsl/gsl_rng.h>
#include <stdint.h>

/* The space to search.  Must outlive the search. */
typedef struct SearchSpace {
    size_t parameters;
    const size_t *values; /* their count, per parameter; below 65536 */
    /* A list of all valid ranks … */
    const uint64_t *ranks;
    size_t count;
    /* … or, where `ranks` is NULL, functions that draw a valid point and test a point. */
    bool (*draw)(void *context, gsl_rng *random, uint16_t *point);
    bool (*valid)(void *context, const uint16_t *point);
    void *context;
    double size; /* valid points; with draws NaN where not known */
} SearchSpace;

uint64_t search_rank(const SearchSpace *s, const uint16_t *point);

typedef struct Candidates Candidates;

/* Shuffles the list with `random`, so that nothing depends on the order of enumeration. */
Candidates *candidates_new(Arena *a, const SearchSpace *s, gsl_rng *random);
void candidates_free(Candidates *c);

/* Takes a point out; it is not offered any more.  False when it is not left. */
bool candidates_take(Candidates *c, const uint16_t *point);

/* Points left; with draws an estimate, NaN where the size is not known. */
double candidates_left(const Candidates *c);

/* Writes a random one to `point`; false when there is none (with draws: none was found). */
bool candidates_random(Candidates *c, uint16_t *point);

/* A random one that differs from `from` in `distance` parameters, 1 or 2.  Here and below, neighbourhoods of
 * more than a hundred thousand points are sampled. */
bool candidates_neighbour(Candidates *c, const uint16_t *from, int distance, uint16_t *point);

/* Points to choose from, in no order: all that are left if they are listed and at most `most`.  Else a
 * sample: first `*random` random ones, `drawn` / 2 where there are that many, then at most as many within
 * two parameters of the points `around`.  The array belongs to `c` and is valid until the next call. */
const uint16_t *candidates_choice(Candidates *c, size_t most, size_t drawn, const uint16_t *around,
                                  size_t around_count, size_t *count, size_t *random);
