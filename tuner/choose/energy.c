#include "tuner/choose/energy.h"

#include "tuner/choose/front.h"

size_t *energy_front(Arena *a, const double *ms, const double *joules, size_t points, size_t *count)
{
    const Criterion criteria[] = {{.values = ms}, {.values = joules}};
    const FrontInput in = {.criteria = criteria, .criteria_count = 2, .points = points};
    Front f = front_build(a, &in, 1);
    size_t *list = ARENA_ARRAY(a, size_t, f.count), n = 0;
    for (size_t i = 0; i < points; i++) {
        size_t k = n;
        if (f.layer[i] != 0)
            continue;
        for (; k > 0 && ms[list[k - 1]] > ms[i]; k--)
            list[k] = list[k - 1];
        list[k] = i;
        n++;
    }
    *count = 0;
    for (size_t k = 0; k < n; k++) /* equal in both: one stands for all */
        if (k == 0 || ms[list[k]] > ms[list[*count - 1]])
            list[(*count)++] = list[k];
    return list;
}
