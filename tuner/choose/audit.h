/* What a random sample of dropped configurations says about all that were dropped.
 *
 * Carving claims that nothing it dropped is better than what it found.  A random sample tests that claim: it
 * cannot show that nothing was missed, but it bounds how many were, whatever the distribution of their times.
 * All bounds are one-sided, with AUDIT_CONFIDENCE, and only valid for a sample whose size was fixed
 * beforehand: drawing until the answer is pleasing voids them. */
#pragma once

#include "metrics/base/arena.h"

#include <stdint.h>

#define AUDIT_CONFIDENCE 0.95

/* Draws `count` of the `n` numbers at random without replacement and writes their places to `out` (room for
 * as many), in the order drawn.  They depend on the seed and the numbers alone, so that an interrupted
 * audit draws the same again, and a larger sample contains the smaller ones.  Returns how many: n if that
 * is fewer. */
size_t audit_draw(uint64_t seed, const uint64_t *numbers, size_t n, size_t count, size_t *out);

/* Upper bound of the share of good ones in a population of any size, given `good` in a `sample` from it
 * (Clopper and Pearson, Biometrika 26, 1934).  1 for an empty sample. */
double audit_share_high(size_t sample, size_t good);

/* Upper bound of the number of good ones among `all`, from which the sample was drawn without replacement.
 * It is exact (hypergeometric): `good` if the sample is all of them, and tighter than the share if the sample
 * is a large part. */
size_t audit_count_high(size_t all, size_t sample, size_t good);
