/* A set that is too large, cut by a stated order.
 *
 * When more points survive than may be timed, the order (second-busiest unit,
 * latency, code size …) says which go first.  Points alike in all of it are taken
 * by number, so that two runs cut alike. */
#ifndef APTUNE_CHOOSE_BUDGET_H
#define APTUNE_CHOOSE_BUDGET_H

#include "tuner/choose/front.h"

/* Sorts `points` (their numbers, `count` of them) in place, best first, by the first criterion
 * of `order`, then the second …; a value that is not known comes last. */
void budget_order(size_t *points, size_t count, const Criterion *order, size_t order_count);

#endif
