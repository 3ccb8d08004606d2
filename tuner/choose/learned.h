/* What times of similar spaces say about this one: a mean that a search's models start from.
 *
 * The time of a kernel at another size, on another device, or before its template changed is no result here,
 * but what was slow there is rarely the best here.  For each recording a point gets the logarithm of its time
 * there over the best there.  Parameters are matched by name.  Those that only this space has have no
 * influence; of those that only the recording has, the fastest value counts.  Points that were not timed
 * there get what a Gaussian process (process.h) over the shared parameters believes.  Several recordings are
 * averaged. */
#pragma once

#include "tuner/space/table.h"

typedef struct Learned Learned;

/* An empty one, in the arena.  `searched`: the numbers of the parameters that a search's points have values
 * of, in their order.  It and `parameters` must live as long. */
Learned *learned_new(Arena *a, const TableParameter *parameters, const size_t *searched,
                     size_t count);

/* Learns the times (`ms`) of another table and returns how many; 0 when it has none or shares no parameter.
 * `*shared`: the number of shared parameters. */
size_t learned_add(Learned *l, const Table *t, size_t *shared);

/* The logarithms of how much slower than the best the points are believed to be; 0 where nothing was
 * learned. */
void learned_means(const Learned *l, const uint16_t *points, size_t count, double *means);

/* The points that a search starts with, in the arena: of each table the fastest that are points here, valid
 * or not, fastest first, each differing from the others in more than one parameter. */
enum { LEARNED_STARTERS = 4 };
const uint16_t *learned_starters(const Learned *l, size_t *count);
