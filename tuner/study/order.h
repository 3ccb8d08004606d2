/* Points in the order of a value.
 *
 * A study sorts every metric of every space, and a table of metrics for a hundred thousand points
 * is little else than sorting.  So this is a radix sort of the bits of the doubles: O(points), and
 * equal ones stay in the order of their numbers without being compared. */
#ifndef APTUNE_STUDY_ORDER_H
#define APTUNE_STUDY_ORDER_H

#include "tuner/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Sorts `points`, which name places in `values` and stand in ascending order: by value, descending
 * where `down`; equal ones by number.  No value may be NaN. */
void order_by(Arena *scratch, const double *values, bool down, uint32_t *points, size_t count);

/* Ranks of `values` from 1, equal ones sharing the mean of theirs (as Spearman's correlation wants
 * them); `ranks` may be `values`. */
void order_ranks(Arena *scratch, const double *values, size_t count, double *ranks);

#endif
