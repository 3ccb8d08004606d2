#include "metrics/ptx/touched.h"

#include "metrics/base/arena.h"

#include <stdlib.h>

static TouchedSector *find(const Touched *t, uint64_t key)
{
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (t->capacity - 1);
    while (t->at[i].key != 0 && t->at[i].key != key)
        i = (i + 1) & (t->capacity - 1);
    return &t->at[i];
}

static void make_room(Touched *t)
{
    if (2 * t->count < t->capacity)
        return;
    const Touched old = *t;
    t->capacity = old.capacity ? 2 * old.capacity : FIRST_SIZE(1024, 2);
    t->at = memory_zeroed(t->capacity, sizeof *t->at);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.at[i].key)
            *find(t, old.at[i].key) = old.at[i];
    free(old.at);
}

TouchedSector touched_add(Touched *t, Sector s, bool store, unsigned warp, int block)
{
    make_room(t);
    const uint64_t key = (s.number << 2) | ((uint64_t)store << 1) | 1;
    TouchedSector *x = find(t, key);
    const TouchedSector before = *x;
    t->count += before.key == 0;
    x->key = key;
    x->bytes = before.warp == warp + 1 ? before.bytes | s.bytes : s.bytes;
    x->warp = (uint16_t)(warp + 1);
    x->blocks = (uint8_t)(before.blocks | 1U << block);
    return before;
}

void touched_free(Touched *t)
{
    free(t->at);
    *t = (Touched){0};
}
