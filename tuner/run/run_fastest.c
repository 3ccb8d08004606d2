/* What one problem teaches the next. */
#include "tuner/run/run.h"

#include <math.h>

static bool is_apart(const Table *t, size_t x, size_t y)
{
    size_t n = t->parameter_count, differing = 0;
    for (size_t p = 0; p < n; p++)
        differing += t->values[x * n + p] != t->values[y * n + p];
    return differing > 1;
}

/* The fastest of those that are apart from the ones chosen; SIZE_MAX: there is none. */
static size_t next_fastest(const Table *t, const size_t *chosen, size_t count)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < t->count; i++) {
        bool apart = table_is_right(t, i);
        for (size_t k = 0; apart && k < count; k++)
            apart = is_apart(t, i, chosen[k]);
        if (apart && (best == SIZE_MAX || table_ms(t, i) < table_ms(t, best)))
            best = i;
    }
    return best;
}

size_t run_fastest(Arena *a, const Run *r, const char **out, size_t most)
{
    size_t *chosen = ARENA_ARRAY(a, size_t, most + 1), count = 0;
    if (r->best != SIZE_MAX && most > 0)
        chosen[count++] = r->best;
    while (count < most && (chosen[count] = next_fastest(r->table, chosen, count)) != SIZE_MAX)
        count++;
    for (size_t k = 0; k < count; k++)
        out[k] = table_name(a, r->table, chosen[k]);
    return count;
}
