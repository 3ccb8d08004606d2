#include "tuner/study/search.h"

#include <stdlib.h>
#include <string.h>

/* Sorts points so that those equal in all parameters but one stand together. */
typedef struct Order {
    const PointSet *set;
    size_t but;
} Order;

static int compare_values(const RecordValue *a, const RecordValue *b)
{
    if (a->text && b->text)
        return strcmp(a->text, b->text);
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_but(const void *pa, const void *pb, void *context)
{
    const Order *o = context;
    size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    for (size_t p = 0; p < o->set->parameter_count; p++) {
        int c = p == o->but ? 0 : compare_values(&o->set->values[a][p], &o->set->values[b][p]);
        if (c != 0)
            return c;
    }
    return 0;
}

Neighbourhood neighbourhood_build(Arena *a, const PointSet *s)
{
    size_t n = s->count, all = n * s->parameter_count;
    size_t *group = ARENA_ARRAY(a, size_t, all), *start = ARENA_ARRAY(a, size_t, all);
    size_t *size = ARENA_ARRAY(a, size_t, all), *members = ARENA_ARRAY(a, size_t, all);
    size_t groups = 0;
    for (size_t p = 0; p < s->parameter_count; p++) {
        Order order = {s, p};
        size_t *sorted = members + p * n;
        for (size_t i = 0; i < n; i++)
            sorted[i] = i;
        if (n > 1)
            qsort_r(sorted, n, sizeof *sorted, compare_but, &order);
        for (size_t i = 0; i < n; i++) {
            if (i == 0 || compare_but(&sorted[i - 1], &sorted[i], &order) != 0)
                start[groups++] = p * n + i;
            size[groups - 1]++;
            group[sorted[i] * s->parameter_count + p] = groups - 1;
        }
    }
    return (Neighbourhood){n, s->parameter_count, group, start, size, members};
}

size_t neighbourhood_size(const Neighbourhood *n, size_t i)
{
    size_t sum = 0;
    for (size_t p = 0; p < n->parameter_count; p++)
        sum += n->size[n->group[i * n->parameter_count + p]] - 1;
    return sum;
}

size_t neighbourhood_at(const Neighbourhood *n, size_t i, size_t random)
{
    for (size_t p = 0; p < n->parameter_count; p++) {
        size_t g = n->group[i * n->parameter_count + p];
        const size_t *members = n->members + n->start[g];
        if (random >= n->size[g] - 1) {
            random -= n->size[g] - 1;
            continue;
        }
        size_t self = 0;
        while (members[self] != i)
            self++;
        return members[random + (random >= self)]; /* all of the group but itself */
    }
    return i;
}
