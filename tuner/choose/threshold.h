/* Threshold carving (thesis 5.2.1): a limit that every point is held against by itself.
 *
 * An absolute limit is an expression, and whoever knows expressions evaluates it and
 * brings the answers as a column of flags.  A relative one, `within 20%`, is measured
 * from the best point that is still alive. */
#ifndef APTUNE_CHOOSE_THRESHOLD_H
#define APTUNE_CHOOSE_THRESHOLD_H

#include "tuner/choose/front.h"

/* The best value among the alive points, NaN when none has a value. */
double threshold_best(const Criterion *c, const bool *alive, size_t points);

/* The worst value still `percent` within `best`: 100 and 20 % give 120 where smaller is better, 80
 * where larger is.  NaN stays NaN. */
double threshold_limit(double best, bool up, double percent);

/* Is `value` no worse than `limit`?  False where either is not known. */
bool threshold_holds(double value, bool up, double limit);

#endif
