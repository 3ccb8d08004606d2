#include "tuner/choose/audit.h"

#include "metrics/base/random.h"
#include "metrics/base/stats.h"

#include <gsl/gsl_cdf.h>
#include <limits.h>

size_t audit_draw(uint64_t seed, const uint64_t *numbers, size_t n, size_t count, size_t *out)
{
    SCOPED_ARENA *a = arena_new();
    Numbered *tickets = ARENA_ARRAY(a, Numbered, n);
    size_t drawn = count < n ? count : n;
    for (size_t i = 0; i < n; i++)
        tickets[i] = (Numbered){random_mix(random_mix(seed) ^ numbers[i]), i};
    stats_number(tickets, n);
    for (size_t k = 0; k < drawn; k++)
        out[k] = tickets[k].at;
    return drawn;
}

double audit_share_high(size_t sample, size_t good)
{
    if (good >= sample)
        return 1;
    return gsl_cdf_beta_Pinv(AUDIT_CONFIDENCE, (double)good + 1, (double)(sample - good));
}

/* True unless so few good ones in the sample would refute that there are `many` in all. */
static bool is_possible(size_t all, size_t sample, size_t good, size_t many)
{
    double p = gsl_cdf_hypergeometric_P((unsigned)good, (unsigned)many, (unsigned)(all - many),
                                        (unsigned)sample);
    return p > 1 - AUDIT_CONFIDENCE;
}

size_t audit_count_high(size_t all, size_t sample, size_t good)
{
    if (all > UINT_MAX / 2 || sample > all || good > sample)
        return all;
    /* is_possible is monotonic in `many`. */
    size_t low = good, high = all - (sample - good);
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (is_possible(all, sample, good, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
