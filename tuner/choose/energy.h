/* Time against energy: the configurations that no other one beats in both. */
#ifndef APTUNE_CHOOSE_ENERGY_H
#define APTUNE_CHOOSE_ENERGY_H

#include "tuner/base/arena.h"

#include <stddef.h>

/* Numbers of the points of the front, the fastest first, in `a`; a point without a time or an
 * energy (NaN) takes no part.  Of equal ones the first. */
size_t *energy_front(Arena *a, const double *ms, const double *joules, size_t points,
                     size_t *count);

#endif
