/* Addresses: where variables lie, and what the accesses of a walk cost. */
#include "metrics/ptx/banks.h"
#include "metrics/ptx/sectors.h"
#include "metrics/ptx/walk_frame.h"
#include "metrics/ptx/walk_skip.h"

/* Generic addresses of this model are those of the space, so that the spaces lie apart.  Pointers
 * that are parameters are given addresses beyond all of them (memory.h). */
static const uint64_t local_start = UINT64_C(1) << 24;
static const uint64_t const_start = UINT64_C(1) << 26;
static const uint64_t global_start = UINT64_C(1) << 36;

enum { WORD = 4, LINE = 128, PLACES_MAX = 4096 };

static uint64_t start_of(PtxSpace s)
{
    switch (s) {
    case PTX_LOCAL:
        return local_start;
    case PTX_CONST:
        return const_start;
    case PTX_GLOBAL:
        return global_start;
    default:
        return 0;
    }
}

PtxSpace walk_access_space(PtxSpace written, uint64_t address)
{
    if (written != PTX_GENERIC)
        return written;
    if (address >= global_start)
        return PTX_GLOBAL;
    if (address >= const_start)
        return PTX_CONST;
    return address >= local_start ? PTX_LOCAL : PTX_SHARED;
}

/* Variables are put one behind the other as they are met, each on its alignment, from an address
 * that is a multiple of 256.  Their distances are not those that ptxas chooses; what a single
 * access costs does not depend on them. */
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
    *address = start_of(v->space) + at;
    VEC_PUSH(w->arena, &w->places, ((WalkPlace){v, *address}));
    return true;
}

/* --- prices ------------------------------------------------------------------------------ */

static void price_shared(WalkAccess *a, const AccessCost *c, const uint64_t *address,
                         uint32_t lanes)
{
    int least = 0;
    switch (c->kind) {
    case ACCESS_ATOMIC:
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

static void price_sectors(WalkAccess *a, const uint64_t *address, uint32_t lanes, int bytes)
{
    const Sectors s = sectors_count(address, lanes, bytes);
    a->sectors += (uint64_t)s.sectors;
    a->sectors_min += (uint64_t)sectors_min(s.unique_bytes);
    a->lines += (uint64_t)s.lines;
    a->lines_min += (uint64_t)((s.unique_bytes + LINE - 1) / LINE);
    a->bytes += (uint64_t)s.bytes;
    a->unique_bytes += (uint64_t)s.unique_bytes;
}

/* Local memory is interleaved: a word of all lanes fills a line (CUDA C++ Programming Guide, device
 * memory accesses, local memory). */
static void price_local(WalkAccess *a, const uint64_t *address, uint32_t lanes, int bytes)
{
    uint64_t place[PTX_LANES];
    for (int word = 0; word < (bytes + WORD - 1) / WORD; word++) {
        for (uint64_t i = 0; i < PTX_LANES; i++) {
            const uint64_t at = address[i] + (uint64_t)(word * WORD);
            place[i] = at / WORD * LINE + i * WORD + at % WORD;
        }
        price_sectors(a, place, lanes, bytes < WORD ? bytes : WORD);
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
        price_sectors(a, address, lanes, c->bytes);
    }
}

static void place_lanes(const AccessCost *c, const Lanes *base, uint64_t *address)
{
    const uint64_t narrow =
        c->space == PTX_SHARED || c->space == PTX_LOCAL ? UINT32_MAX : UINT64_MAX;
    const uint64_t round = c->aligned ? ~(uint64_t)(c->bytes - 1) : UINT64_MAX;
    for (int i = 0; i < PTX_LANES; i++)
        address[i] = (lanes_at(base, i) + (uint64_t)c->offset) & narrow & round;
}

static void note_alignment(WalkAlign *a, const Lanes *base, uint32_t lanes)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint32_t v = (uint32_t)lanes_at(base, __builtin_ctz(left)) & 15;
        if (!a->seen)
            a->residue = v;
        a->seen = true;
        a->varying |= v ^ a->residue;
        if (base->uniform)
            return;
    }
}

/* What one access moves, to the regions of all that cost the same. */
static void share_out(Frame *x, int cost, uint64_t sectors, uint64_t bytes)
{
    const WalkPlan *p = x->known->plan;
    for (int i = p->first_share[cost]; i < p->first_share[cost + 1]; i++) {
        const WalkShare *s = &p->shares.at[i];
        WalkTraffic *t = &x->traffic[s->segment * WALK_PHASES + s->phase];
        t->sectors += (double)s->sites * (double)sectors;
        t->bytes += (double)s->sites * (double)bytes;
    }
}

static void pass_cost(Frame *x, int cost, const Lanes *base, uint32_t lanes, bool known)
{
    WalkAccess *a = &x->known->result->costs[cost];
    const AccessCost *c = &x->known->plan->accesses->costs.at[cost];
    uint64_t address[PTX_LANES];
    a->executions++;
    a->lanes += (unsigned)__builtin_popcount(lanes);
    a->unknown += !known;
    if (!known || lanes == 0)
        return;
    place_lanes(c, base, address);
    if (a->executions - a->unknown == 1)
        a->space = walk_access_space(c->space, address[__builtin_ctz(lanes)]);
    const uint64_t sectors = a->sectors, bytes = a->unique_bytes;
    walk_access_price(a, c, address, lanes);
    if (a->space == PTX_GLOBAL)
        share_out(x, cost, a->sectors - sectors, a->unique_bytes - bytes);
    walk_skip_access(x, cost, address, lanes);
}

/* Costs stand for several places; who asks wants each. */
static void tell_touches(const Frame *x, size_t group, const Lanes *base, uint32_t lanes)
{
    const WalkTouch *t = x->walker->options->touch;
    const Accesses *all = x->known->plan->accesses;
    for (size_t i = 0; t && i < all->sites.count; i++) {
        const AccessSite *s = &all->sites.at[i];
        uint64_t address[PTX_LANES];
        if (s->group != (int)group || (s->space != PTX_GLOBAL && s->space != PTX_GENERIC))
            continue;
        for (int lane = 0; lane < PTX_LANES; lane++)
            address[lane] = lanes_at(base, lane) + (uint64_t)s->offset;
        t->touch(t->context, address, lanes, s->bytes);
    }
}

static void keep_pass(Frame *x, size_t group, const Lanes *base, uint32_t lanes)
{
    Walk *w = x->walker->walk;
    const AccessGroup *g = &x->known->plan->accesses->groups.at[group];
    const uint64_t first = lanes_at(base, __builtin_ctz(lanes));
    if (!x->walker->options->passes || walk_access_space(g->space, first) != PTX_GLOBAL)
        return;
    if (w->passes.count == WALK_PASSES) {
        w->passes_cut = true;
        return;
    }
    WalkPass *p = VEC_ADD(x->walker->arena, &w->passes);
    *p = (WalkPass){.function = x->known->result,
                    .group = (int)group,
                    .lanes = lanes,
                    .step = walk_skip_step(x, g, lanes)};
    for (int i = 0; i < PTX_LANES; i++)
        p->base[i] = lanes_at(base, i);
}

void walk_access_group(Frame *x, size_t group, uint32_t mask)
{
    const AccessGroup *g = &x->known->plan->accesses->groups.at[group];
    uint32_t yes = 0, maybe = 0;
    guard_lanes(x, g->first, mask, &yes, &maybe);
    walk_skip_group(x, g, mask, yes);
    if ((yes | maybe) == 0)
        return;
    Lanes base;
    const PtxState s = state_of(x);
    ptx_eval_operand(&s, g->base, PTX_U64, &base);
    const bool known = maybe == 0 && (yes & ~base.known) == 0;
    if (known)
        note_alignment(&x->known->result->aligns[group], &base, yes);
    if (known && yes) {
        tell_touches(x, group, &base, yes);
        keep_pass(x, group, &base, yes);
    }
    for (int i = 0; i < g->cost_count; i++)
        pass_cost(x, g->first_cost + i, &base, yes, known);
}
