#include "metrics/ptx/touched.h"

/* Sector numbers are below 2^59. */
static uint64_t key_of(uint64_t sector, unsigned kind)
{
    return sector << 3 | (uint64_t)kind << 1 | 1;
}

TouchedSector touched_add(Touched *t, Sector s, unsigned kind, unsigned warp, int block, double at)
{
    const uint64_t key = key_of(s.number, kind);
    size_t number = numbers_get(&t->numbers, key);
    if (number == SIZE_MAX) {
        number = t->sectors.count;
        numbers_put(&t->numbers, key, number);
        VEC_PUSH(t->numbers.arena, &t->sectors, ((TouchedSector){.key = key}));
    }
    TouchedSector *x = &t->sectors.at[number];
    const TouchedSector before = *x;
    x->at = at;
    x->bytes = before.warp == warp + 1 ? before.bytes | s.bytes : s.bytes;
    x->warp = (uint16_t)(warp + 1);
    x->blocks = (uint8_t)(before.blocks | 1U << block);
    return before;
}

TouchedSector touched_find(const Touched *t, uint64_t number, unsigned kind)
{
    const size_t at = numbers_get(&t->numbers, key_of(number, kind));
    return at == SIZE_MAX ? (TouchedSector){0} : t->sectors.at[at];
}

double touched_run(const Touched *t, unsigned kind, unsigned blocks)
{
    double sectors = 0, starts = 0;
    VEC_EACH (const TouchedSector, x, t->sectors) {
        if ((x->key >> 1 & (TOUCHED_KINDS - 1)) != kind || !(x->blocks & blocks))
            continue;
        const size_t before = numbers_get(&t->numbers, key_of((x->key >> 3) - 1, kind));
        sectors++;
        starts += before == SIZE_MAX || !(t->sectors.at[before].blocks & blocks);
    }
    return starts > 0 ? sectors / starts : 0;
}
