#include "metrics/ptx/walk_state.h"

#include "metrics/ptx/banks.h"
#include "metrics/ptx/sectors.h"

#include <math.h>

/* --- addresses of variables ------------------------------------------------------------------ */

/* Generic addresses equal those of the space, so the spaces are disjoint here. Pointer parameters get
 * addresses beyond all of them (memory.h). */
static const uint64_t starts[PTX_SPACE_COUNT] = {[PTX_LOCAL] = UINT64_C(1) << 24,
                                                 [PTX_CONST] = UINT64_C(1) << 26,
                                                 [PTX_GLOBAL] = UINT64_C(1) << 36};

enum { WORD = 4, SECTOR = 32, LINE = 128, LINE_TWOS = 7, PLACES_MAX = 4096 };

PtxSpace walk_access_space(PtxSpace written, uint64_t address)
{
    if (written != PTX_GENERIC)
        return written;
    if (address >= starts[PTX_GLOBAL])
        return PTX_GLOBAL;
    if (address >= starts[PTX_CONST])
        return PTX_CONST;
    return address >= starts[PTX_LOCAL] ? PTX_LOCAL : PTX_SHARED;
}

/* Variables are laid out consecutively in order of first use, aligned, from a multiple of 256. Distances
 * differ from ptxas's; the cost of a single access does not depend on them. */
bool walk_address(void *walker, const PtxVariable *v, uint64_t *address)
{
    Walker *w = walker;
    if (v->space != PTX_SHARED && v->space != PTX_LOCAL && v->space != PTX_GLOBAL &&
        v->space != PTX_CONST)
        return false;
    for (size_t i = 0; i < w->places.count; i++)
        if (w->places.at[i].variable == v) {
            *address = w->places.at[i].address;
            return true;
        }
    const uint64_t align = v->align ? v->align : 1, limit = UINT64_C(1) << 23;
    uint64_t *end = &w->place_end[v->space];
    const uint64_t at = (*end + align - 1) / align * align;
    if (w->places.count >= PLACES_MAX || v->size > limit || at > limit)
        return false;
    *end = at + v->size;
    *address = starts[v->space] + at;
    VEC_PUSH(w->arena, &w->places, ((WalkPlace){v, *address}));
    return true;
}

/* --- prices ---------------------------------------------------------------------------------- */

static void price_shared(WalkAccess *a, const AccessCost *c, const uint64_t *address,
                         uint32_t lanes)
{
    int least = 0;
    switch (c->kind) {
    case ACCESS_ATOMIC:
    case ACCESS_ATOMIC_EACH:
        banks_wavefronts(address, lanes, c->bytes, false, &least);
        a->wavefronts += (uint64_t)banks_wavefronts_atomic(address, lanes, c->bytes);
        break;
    case ACCESS_MATRIX_LOAD:
    case ACCESS_MATRIX_STORE:
        a->wavefronts += (uint64_t)banks_wavefronts_matrix(address, lanes, c->matrices);
        least = c->matrices;
        break;
    default:
        a->wavefronts +=
            (uint64_t)banks_wavefronts(address, lanes, c->bytes, c->kind == ACCESS_LOAD, &least);
    }
    a->wavefronts_min += (uint64_t)least;
}

static bool is_one_address(const uint64_t *address, uint32_t lanes)
{
    for (uint32_t left = lanes; left; left &= left - 1)
        if (address[__builtin_ctz(left)] != address[__builtin_ctz(lanes)])
            return false;
    return true;
}

static void price_sectors(WalkAccess *a, AccessKind kind, const uint64_t *address, uint32_t lanes,
                          int bytes)
{
    Sectors s = sectors_count(address, lanes, bytes);
    if (kind == ACCESS_ATOMIC_EACH || (kind == ACCESS_ATOMIC && !is_one_address(address, lanes)))
        s.sectors = sectors_in_turns(address, lanes);
    a->sectors += (uint64_t)s.sectors;
    a->doublings += s.sectors > 1 ? (uint64_t)lround(DOUBLING * log2(s.sectors)) : 0;
    a->sectors_min += (uint64_t)sectors_min(s.unique_bytes);
    a->lines += (uint64_t)s.lines;
    a->scattered += (uint64_t)s.scattered;
    a->lines_min += (uint64_t)((s.unique_bytes + LINE - 1) / LINE);
    a->bytes += (uint64_t)s.bytes;
    a->unique_bytes += (uint64_t)s.unique_bytes;
}

/* Local memory is interleaved: one word of all lanes fills a line (CUDA C++ Programming Guide, device
 * memory accesses, local memory). */
static void price_local(WalkAccess *a, const uint64_t *address, uint32_t lanes, int bytes)
{
    uint64_t place[PTX_LANES];
    for (int word = 0; word < (bytes + WORD - 1) / WORD; word++) {
        for (uint64_t i = 0; i < PTX_LANES; i++) {
            const uint64_t at = address[i] + (uint64_t)(word * WORD);
            place[i] = at / WORD * LINE + i * WORD + at % WORD;
        }
        price_sectors(a, ACCESS_LOAD, place, lanes, bytes < WORD ? bytes : WORD);
    }
}

void walk_access_price(WalkAccess *a, const AccessCost *c, const uint64_t *address, uint32_t lanes)
{
    switch (a->space) {
    case PTX_SHARED:
        price_shared(a, c, address, lanes);
        break;
    case PTX_CONST:
        a->wavefronts += (uint64_t)banks_distinct_words(address, lanes);
        a->wavefronts_min++;
        break;
    case PTX_LOCAL:
        price_local(a, address, lanes, c->bytes);
        break;
    default:
        price_sectors(a, c->kind, address, lanes, c->bytes);
        a->wavefronts += (uint64_t)banks_wavefronts(address, lanes, c->bytes < 16 ? c->bytes : 16,
                                                    c->kind == ACCESS_LOAD, NULL);
    }
}

/* Passes for as many words at random addresses, the mean load of the fullest of 32 banks, times WALK_PLACES: 3.53 for
 * 32 of them. Of lanes that are not known to take part nothing is known. */
static const uint8_t spread_wavefronts[PTX_LANES + 1] = {
    28, 8,  8,  9,  9,  10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 19, 19,
    20, 20, 21, 22, 22, 23, 23, 24, 24, 25, 26, 26, 27, 27, 28, 28};

/* The mean of wavefronts over random numbers of lanes, times WALK_PLACES. */
static uint64_t spread_over_banks(const AccessCost *c, const uint64_t *address, uint32_t lanes,
                                  const Lanes *base)
{
    WalkAccess sum = {.space = PTX_SHARED};
    uint32_t random = 1;
    for (int k = 0; k < WALK_PLACES; k++) {
        uint64_t at[PTX_LANES];
        for (int i = 0; i < PTX_LANES; i++) {
            random = random * 1664525 + 1013904223; /* Numerical Recipes */
            at[i] = address[i];
            if (base->common >> i & 1)
                at[i] += (uint64_t)(random >> 16) << base->twos;
        }
        walk_access_price(&sum, c, at, lanes);
    }
    return sum.wavefronts;
}

static void guess_apart(WalkAccess *a, const AccessCost *c, const uint64_t *address, uint32_t lanes,
                        const Lanes *base)
{
    const uint64_t count = (uint64_t)__builtin_popcount(lanes), all = WALK_PLACES * count;
    const bool some = lanes && !(lanes & ~(base->known | base->common)) && lanes & base->common;
    a->unknown_sectors += all * (uint64_t)((c->bytes + SECTOR - 1) / SECTOR);
    a->unknown_lines += all;
    a->unknown_bytes += all * (uint64_t)c->bytes;
    a->unknown_wavefronts += some && c->space == PTX_SHARED
                                 ? spread_over_banks(c, address, lanes, base)
                                 : spread_wavefronts[count];
}

void walk_access_guess(WalkAccess *a, const AccessCost *c, const uint64_t *address, uint32_t lanes,
                       const Lanes *base)
{
    if (!lanes || base->own || lanes & ~base->common) {
        guess_apart(a, c, address, lanes, base);
        return;
    }
    const int twos = base->twos;
    /* Addresses are multiples of the width. Every ninth place: of many, eight that differ modulo a sector. */
    const uint64_t width = (uint64_t)c->bytes,
                   two = UINT64_C(1) << (twos < LINE_TWOS ? twos : LINE_TWOS),
                   step = two < width ? width : two,
                   first = two < width ? (0 - address[__builtin_ctz(lanes)]) & (width - 1) : 0;
    WalkAccess sum = {.space = c->space == PTX_GENERIC ? PTX_GLOBAL : c->space};
    for (uint64_t k = 0; k < WALK_PLACES; k++) {
        uint64_t at[PTX_LANES];
        for (int i = 0; i < PTX_LANES; i++)
            at[i] = address[i] + first + 9 * k * step % LINE;
        walk_access_price(&sum, c, at, lanes);
    }
    a->unknown_sectors += sum.sectors;
    a->unknown_lines += sum.lines;
    a->unknown_bytes += sum.unique_bytes;
    a->unknown_wavefronts += sum.wavefronts;
}
