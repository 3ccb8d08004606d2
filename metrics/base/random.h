/* What random choice would have found: the baseline of every carving.
 *
 * The expected time of the fastest of a random sample of s from n configurations with known times.  These are
 * the formulas that appendix A of the thesis derives for the maximum of a sample, for the minimum. */
#pragma once

#include "metrics/base/arena.h"

#include <stdint.h>

/* A bijective mix of all 64 bits: the output function of splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
uint64_t random_mix(uint64_t z);

/* The finite times, ascending, in `a`; failed configurations have NaN or infinity. */
double *random_sorted(Arena *a, const double *times, size_t n, size_t *count);

/* Expected minimum of `sample` of the times that random_sorted returned, drawn without replacement (A.8) and
 * with it (A.4).  A sample larger than the population is all of it; NaN if either is empty. */
double random_sorted_without(const double *sorted, size_t count, size_t sample);
double random_sorted_with(const double *sorted, size_t count, size_t sample);

/* Quantile of that minimum: the least time that a sample reaches or beats with this probability (without
 * replacement). */
double random_sorted_quantile(const double *sorted, size_t count, size_t sample,
                              double probability);

/* random_sorted_without of unsorted times, of which only the finite ones count. */
double random_best_without(Arena *scratch, const double *times, size_t n, size_t sample);
