/* How many timings other strategies need on a space whose times are all known.
 *
 * What other tuners do, in their plainest form, played on the recording: nothing is compiled or
 * run, a timing is a look into the table.  A strategy starts blind, never pays twice for the same
 * configuration, and is asked after how many timings it first had one within some percentage of the
 * best.  Many seeds, for the spread is the point. */
#ifndef APTUNE_STUDY_SEARCH_H
#define APTUNE_STUDY_SEARCH_H

#include "tuner/study/ranking.h"

typedef enum SearchKind {
    SEARCH_RANDOM,    /* without replacement */
    SEARCH_GREEDY,    /* first improvement among neighbours in random order; restarts at random */
    SEARCH_ANNEALING, /* neighbours at random, worse ones accepted ever more seldom */
    SEARCH_GENETIC,   /* uniform crossover, tournaments of two, one parameter mutated */
    SEARCH_KINDS
} SearchKind;

/* "random", "greedy" …, and one sentence on how it was played. */
const char *search_name(SearchKind k);
const char *search_meaning(SearchKind k);

/* Points of a set that differ in one parameter, any two values of it counting as one step.  Points
 * without a time are places a search can go to and pay for. */
typedef struct Neighbourhood {
    size_t count; /* points; fewer than 2^32 / parameters */
    size_t parameter_count;
    const uint32_t *number; /* the table's values */
    const uint32_t *slots;  /* hash table of points + 1 by their numbers */
    size_t slot_count;      /* a power of two */
    const uint32_t *group;  /* [point * parameter_count + parameter]: number of the group of points
                               that agree in all other parameters */
    const uint32_t *start;  /* per group: where its members begin in `members` */
    const uint32_t *size;   /* per group */
    const uint32_t *members;
} Neighbourhood;

/* O(parameters * points), four numbers of 32 bits for each; the table must outlive it. */
Neighbourhood neighbourhood_build(Arena *a, const Table *s);

/* The point with the values of these numbers, one per parameter; SIZE_MAX when there is none. */
size_t neighbourhood_find(const Neighbourhood *n, const uint32_t *numbers);

/* A neighbour of point `i` chosen by `random`, a number in [0, all neighbours); and how many
 * neighbours there are. */
size_t neighbourhood_size(const Neighbourhood *n, size_t i);
size_t neighbourhood_at(const Neighbourhood *n, size_t i, size_t random);

typedef struct SearchResult {
    size_t seeds;
    double limit;             /* 0.05: within 5 % of the best */
    double median, low, high; /* timings needed; low and high hold the middle nine tenths */
} SearchResult;

/* Plays the strategy with `seeds` seeds (1, 2, …) until it is within each of the `limits`, given
 * from wide to narrow; `out` has a place for each. */
void search_play(const Table *s, const Neighbourhood *n, SearchKind kind, size_t seeds,
                 const double *limits, size_t limit_count, SearchResult *out);

#endif
