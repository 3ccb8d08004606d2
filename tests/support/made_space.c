#include "tests/support/made_space.h"

#include <math.h>

const size_t made_values[8] = {VALUES, VALUES, VALUES, VALUES, VALUES, VALUES, VALUES, VALUES};

double made_up_ms(const uint16_t *v, size_t n)
{
    double ms = 1;
    uint32_t own = 17;
    for (size_t p = 0; p < n; p++) {
        double off = (double)v[p] - (double)(p % VALUES);
        ms *= 1 + 0.06 * off * off / (double)(p + 1);
        own = own * 31 + v[p];
    }
    ms *= 1 + 0.05 * fabs((double)v[0] - (double)v[1]);
    return ms * (1 + 0.0004 * (double)(own * 2654435761u >> 27));
}

MadeSpace made_space(double lie)
{
    Arena *a = arena_new();
    MadeSpace m = {.arena = a, .best = INFINITY};
    uint64_t *ranks = ARENA_ARRAY(a, uint64_t, POINTS);
    m.at = ARENA_ARRAY(a, ReplayRow, POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        uint16_t v[PARAMETERS];
        size_t rest = ranks[i] = i;
        for (size_t p = PARAMETERS; p-- > 0; rest /= VALUES)
            v[p] = (uint16_t)(rest % VALUES);
        const double ms = made_up_ms(v, PARAMETERS), predicted = pow(ms, lie) * 1e6;
        m.at[i] = (ReplayRow){.code = {.predicted = predicted, .same_as = i}, .ms = ms, .work = 1};
        m.best = fmin(m.best, ms);
    }
    m.rows = (ReplayRows){.space = {.parameters = PARAMETERS,
                                    .values = made_values,
                                    .ranks = ranks,
                                    .count = POINTS,
                                    .size = POINTS},
                          .at = m.at};
    return m;
}
