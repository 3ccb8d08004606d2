/* What times of like spaces say of this one: the mean that a search's models begin with.
 *
 * A kernel at another size, on another device, or before its template changed is no result here;
 * but what was slow there hardly is the best here.  Of each recording a point gets the logarithm of
 * its time there over the best there.  Parameters are known by their names: those that only this
 * space has say nothing, and of those that only the recording has the fastest value counts.  What
 * was not timed there gets what a Gaussian process (process.h) over the shared parameters believes.
 * Of several recordings it is the mean. */
#pragma once

#include "tuner/space/table.h"

typedef struct Learned Learned;

/* Nothing is learned yet.  `searched`: those of the parameters, by number, that a search's points
 * have a value of, in their order.  Both live as long as what is made here, which is in the arena. */
Learned *learned_new(Arena *a, const TableParameter *parameters, const size_t *searched,
                     size_t count);

/* Learns the times (`ms`) of another table; how many, 0 when it has none or shares no parameter.
 * `*shared`: how many it shares. */
size_t learned_add(Learned *l, const Table *t, size_t *shared);

/* How much slower than the best the points are believed to be: a logarithm for each of `count`; 0
 * where nothing was learned. */
void learned_means(const Learned *l, const uint16_t *points, size_t count, double *means);

/* The fastest ones of each table that are points here, valid or not, the fastest first and apart in
 * more than one parameter: a search begins with them.  Points in the arena. */
enum { LEARNED_STARTERS = 4 };
const uint16_t *learned_starters(const Learned *l, size_t *count);
