#include "tuner/study/rivals.h"

#include <string.h>

/* Spreads all bits of a number over all bits (splitmix64's finisher: Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static size_t table_size(size_t count)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    return size;
}

/* --- points by their numbers ------------------------------------------------------------------ */

/* Of one value; those of a point add up, so that one can be left out. */
static uint64_t hash_number(size_t p, uint32_t number)
{
    return mix((uint64_t)p << 32 | number);
}

static uint64_t hash_numbers(const Neighbourhood *n, const uint32_t *numbers)
{
    uint64_t h = 0;
    for (size_t p = 0; p < n->parameter_count; p++)
        h += hash_number(p, numbers[p]);
    return h;
}

static void index_points(Neighbourhood *n, uint32_t *slots)
{
    for (size_t i = 0; i < n->count; i++) {
        size_t k = (size_t)hash_numbers(n, n->number + i * n->parameter_count);
        while (slots[k & (n->slot_count - 1)])
            k++;
        slots[k & (n->slot_count - 1)] = (uint32_t)i + 1;
    }
}

size_t neighbourhood_find(const Neighbourhood *n, const uint32_t *numbers)
{
    size_t size = n->parameter_count * sizeof *numbers;
    for (size_t k = (size_t)hash_numbers(n, numbers);; k++) {
        uint32_t slot = n->slots[k & (n->slot_count - 1)];
        if (slot == 0)
            return SIZE_MAX;
        if (memcmp(n->number + (slot - 1) * n->parameter_count, numbers, size) == 0)
            return slot - 1;
    }
}

/* --- groups ----------------------------------------------------------------------------------- */

static bool equal_but(const Neighbourhood *n, size_t i, size_t j, size_t but)
{
    const uint32_t *a = n->number + i * n->parameter_count, *b = n->number + j * n->parameter_count;
    for (size_t p = 0; p < n->parameter_count; p++)
        if (p != but && a[p] != b[p])
            return false;
    return true;
}

/* What is being built. */
typedef struct Groups {
    uint32_t *group, *start, *size, *members;
    size_t count;
    uint32_t *slots; /* scratch: first point of a group + 1 */
} Groups;

/* The groups of points that differ in parameter `p` alone; members in the order of their numbers.
 */
static void group_by(const Neighbourhood *n, size_t p, Groups *g)
{
    size_t first = g->count;
    memset(g->slots, 0, n->slot_count * sizeof *g->slots);
    for (size_t i = 0; i < n->count; i++) {
        const uint32_t *numbers = n->number + i * n->parameter_count;
        size_t k = (size_t)(hash_numbers(n, numbers) - hash_number(p, numbers[p]));
        for (k &= n->slot_count - 1; g->slots[k]; k = (k + 1) & (n->slot_count - 1))
            if (equal_but(n, g->slots[k] - 1, i, p))
                break;
        uint32_t of = (uint32_t)g->count;
        if (g->slots[k]) {
            of = g->group[(g->slots[k] - 1) * n->parameter_count + p];
        } else {
            g->slots[k] = (uint32_t)i + 1;
            g->count++;
        }
        g->group[i * n->parameter_count + p] = of;
        g->size[of]++;
    }
    uint32_t next = (uint32_t)(p * n->count);
    for (size_t k = first; k < g->count; k++) {
        g->start[k] = next;
        next += g->size[k];
        g->size[k] = 0;
    }
    for (size_t i = 0; i < n->count; i++) {
        uint32_t of = g->group[i * n->parameter_count + p];
        g->members[g->start[of] + g->size[of]++] = (uint32_t)i;
    }
}

Neighbourhood neighbourhood_build(Arena *a, const Table *s)
{
    size_t n = s->count, all = n * s->parameter_count;
    Neighbourhood near = {.count = n,
                          .number = s->values,
                          .parameter_count = s->parameter_count,
                          .slot_count = table_size(n)};
    uint32_t *slots = ARENA_ARRAY(a, uint32_t, near.slot_count);
    Arena *scratch = arena_new();
    Groups g = {.group = ARENA_ARRAY(a, uint32_t, all),
                .start = ARENA_ARRAY(a, uint32_t, all),
                .size = ARENA_ARRAY(a, uint32_t, all),
                .members = ARENA_ARRAY(a, uint32_t, all),
                .slots = ARENA_ARRAY(scratch, uint32_t, near.slot_count)};
    index_points(&near, slots);
    for (size_t p = 0; p < s->parameter_count; p++)
        group_by(&near, p, &g);
    arena_free(scratch);
    near.slots = slots;
    near.group = g.group;
    near.start = g.start;
    near.size = g.size;
    near.members = g.members;
    return near;
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
        uint32_t g = n->group[i * n->parameter_count + p];
        const uint32_t *members = n->members + n->start[g];
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
