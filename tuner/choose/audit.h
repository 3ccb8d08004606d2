/* What a random sample of dropped configurations says of all that were dropped.
 *
 * Carving claims that nothing it dropped is better than what it found.  A sample drawn at random
 * tests that claim: it cannot show that no single configuration was missed, but it bounds how many
 * were, whatever their times look like.  All bounds are one-sided, with AUDIT_CONFIDENCE; they hold
 * before the sample is looked at, so who draws until he likes the answer has none. */
#pragma once

#include "metrics/base/arena.h"

#include <stddef.h>
#include <stdint.h>

#define AUDIT_CONFIDENCE 0.95

/* Draws `count` of the `n` numbers at random without replacement and puts their places in `out` (room for
 * as many), in the order drawn.  Which ones depends on the seed and the numbers alone: the same ones again
 * after a stop, and a larger sample holds the smaller ones.  Gives how many: n where that is fewer. */
size_t audit_draw(uint64_t seed, const uint64_t *numbers, size_t n, size_t count, size_t *out);

/* The largest share of good ones in a population that is not refuted by `good` of `sample` drawn
 * from it: Clopper and Pearson's upper limit (Biometrika 26, 1934), which holds for any population,
 * however large.  1 for an empty sample. */
double audit_share_high(size_t sample, size_t good);

/* The same as a number of the `all` there are, of which the sample was drawn without replacement:
 * exact (hypergeometric), so it is `good` once the sample is all of them, and below the share where
 * it is much of them. */
size_t audit_count_high(size_t all, size_t sample, size_t good);
