/* What a blind choice would have found: the yardstick of every carving.
 *
 * Of n configurations with known times, a random sample of s is drawn and its
 * fastest taken; how fast is that one on average?  Appendix A of the thesis does
 * this for the maximum of a sample; these are the same formulas for the minimum. */
#pragma once

#include "metrics/base/arena.h"

#include <stdint.h>

/* Spreads all bits of a number over all bits, one to one: splitmix64's output function (Steele,
 * Lea, Flood, OOPSLA 2014). */
uint64_t random_mix(uint64_t z);

/* The times that are not NaN or infinite (those are failed configurations), ascending, in `a`. */
double *random_sorted(Arena *a, const double *times, size_t n, size_t *count);

/* Expected smallest of `sample` times that random_sorted has put in order, drawn without
 * replacement (A.8) and with it (A.4). */
double random_sorted_without(const double *sorted, size_t count, size_t sample);
double random_sorted_with(const double *sorted, size_t count, size_t sample);

/* The least time that the smallest of such a sample, drawn without replacement, has or beats with
 * this probability. */
double random_sorted_quantile(const double *sorted, size_t count, size_t sample,
                              double probability);

/* Expected smallest of `sample` times drawn without replacement (A.8).  Times that are NaN or
 * infinite (failed configurations) are left out of the n; a sample larger than n is n.  NaN when
 * there is no time or the sample is empty. */
double random_best_without(Arena *scratch, const double *times, size_t n, size_t sample);
