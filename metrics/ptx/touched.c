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

/* Numbers of sectors are below 2^59. */
static uint64_t key_of(uint64_t sector, unsigned kind)
{
    return sector << 3 | (uint64_t)kind << 1 | 1;
}

TouchedSector touched_add(Touched *t, Sector s, unsigned kind, unsigned warp, int block)
{
    make_room(t);
    const uint64_t key = key_of(s.number, kind);
    TouchedSector *x = find(t, key);
    const TouchedSector before = *x;
    t->count += before.key == 0;
    x->key = key;
    x->bytes = before.warp == warp + 1 ? before.bytes | s.bytes : s.bytes;
    x->warp = (uint16_t)(warp + 1);
    x->blocks = (uint8_t)(before.blocks | 1U << block);
    return before;
}

double touched_run(const Touched *t, unsigned kind, unsigned blocks)
{
    double sectors = 0, starts = 0;
    for (size_t i = 0; i < t->capacity; i++) {
        const TouchedSector *x = &t->at[i];
        if (!x->key || (x->key >> 1 & (TOUCHED_KINDS - 1)) != kind || !(x->blocks & blocks))
            continue;
        sectors++;
        starts += !(find(t, key_of((x->key >> 3) - 1, kind))->blocks & blocks);
    }
    return starts > 0 ? sectors / starts : 0;
}

void touched_free(Touched *t)
{
    free(t->at);
    *t = (Touched){0};
}
