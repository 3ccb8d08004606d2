/* Statistics of repeated times. */
#ifndef APTUNE_MEASURE_STATS_H
#define APTUNE_MEASURE_STATS_H

#include <stddef.h>

/* The median of `count` numbers, the mean of the middle two for an even count; NaN for none.
 * `values` is left as it is. */
double stats_median(const double *values, size_t count);

#endif
