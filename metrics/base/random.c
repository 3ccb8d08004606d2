#include "metrics/base/random.h"

#include <gsl/gsl_sort.h>
#include <math.h>

uint64_t random_mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double *random_sorted(Arena *a, const double *times, size_t n, size_t *count)
{
    double *t = ARENA_ARRAY(a, double, n);
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(times[i]))
            t[(*count)++] = times[i];
    }
    gsl_sort(t, 1, *count);
    return t;
}

/* With t ascending, t[i] is the fastest of C(n-1-i, s-1) of the C(n, s) samples: the other s-1 are among the
 * n-1-i slower ones.  The probability starts at s/n and changes from i to i+1 by (n-i-s) / (n-1-i),
 * so no factorial is formed, and the relative error stays below about 3 n machine epsilons. */
double random_sorted_without(const double *t, size_t count, size_t sample)
{
    if (count == 0 || sample == 0)
        return NAN;
    size_t s = sample < count ? sample : count;
    double probability = (double)s / (double)count, mean = 0;
    for (size_t i = 0; i + s <= count; i++) {
        mean += probability * t[i];
        if (i + s < count)
            probability *= (double)(count - i - s) / (double)(count - 1 - i);
    }
    return mean;
}

/* Accumulates the probabilities of random_sorted_without. */
double random_sorted_quantile(const double *t, size_t count, size_t sample, double wanted)
{
    if (count == 0 || sample == 0)
        return NAN;
    size_t s = sample < count ? sample : count, i = 0;
    double probability = (double)s / (double)count, sum = probability;
    for (; i + s < count && sum < wanted; i++) {
        probability *= (double)(count - i - s) / (double)(count - 1 - i);
        sum += probability;
    }
    return t[i];
}

/* The fastest of the sample is t[i] or slower with probability ((n-i)/n)^s. */
double random_sorted_with(const double *t, size_t count, size_t sample)
{
    if (count == 0 || sample == 0)
        return NAN;
    double mean = 0, no_faster = 1;
    for (size_t i = 0; i < count; i++) {
        double slower = pow((double)(count - 1 - i) / (double)count, (double)sample);
        mean += (no_faster - slower) * t[i];
        no_faster = slower;
    }
    return mean;
}

double random_best_without(Arena *scratch, const double *times, size_t n, size_t sample)
{
    size_t count;
    const double *sorted = random_sorted(scratch, times, n, &count);
    return random_sorted_without(sorted, count, sample);
}
