#include "metrics/ptx/memory_reuser.h"

#include <math.h>

/* --- passes of different warps --------------------------------------------------------------- */

static Place *place_of(Reuser *r, const WalkFunction *f)
{
    for (size_t i = 0; i < r->places.count; i++)
        if (r->places.at[i].function->function == f->function)
            return &r->places.at[i];
    const size_t groups = f->accesses->groups.count;
    Place *p = VEC_ADD(r->arena, &r->places);
    *p = (Place){.function = f,
                 .passes = ARENA_ARRAY(r->arena, Passes, groups + 1),
                 .cursor = ARENA_ARRAY(r->arena, size_t, groups + 1),
                 .counts = ARENA_ARRAY(r->arena, Count, f->accesses->sites.count + 1)};
    return p;
}

static void list_passes(Reuser *r)
{
    for (size_t i = 0; i < r->middle->passes.count; i++) {
        const WalkPass *p = &r->middle->passes.at[i];
        VEC_PUSH(r->arena, &place_of(r, p->function)->passes[p->group], (int)i);
    }
}

/* For each pass of a walk, the matching one of the middle warp: passes of a group are matched in order,
 * extra ones with the last. CFG_NONE where that warp never came. */
static int *match(Reuser *r, const Walk *w)
{
    int *like = ARENA_ARRAY(r->arena, int, w->passes.count + 1);
    VEC_EACH (const Place, p, r->places)
        memset(p->cursor, 0, p->function->accesses->groups.count * sizeof *p->cursor);
    for (size_t i = 0; i < w->passes.count; i++) {
        const WalkPass *p = &w->passes.at[i];
        const Place *place = place_of(r, p->function);
        const Passes *of = &place->passes[p->group];
        size_t *cursor = &place->cursor[p->group];
        like[i] = of->count ? of->at[*cursor] : CFG_NONE;
        *cursor += *cursor + 1 < of->count;
    }
    return like;
}

/* Distance of a warp's addresses from the middle warp's, by pass of the latter; 0 where it never came. */
static int64_t *shifts(Reuser *r, const Walk *w)
{
    int64_t *shift = ARENA_ARRAY(r->arena, int64_t, r->middle->passes.count + 1);
    bool *seen = ARENA_ARRAY(r->arena, bool, r->middle->passes.count + 1);
    const int *like = match(r, w);
    for (size_t i = 0; i < w->passes.count; i++) {
        if (like[i] == CFG_NONE || seen[like[i]])
            continue;
        const WalkPass *p = &w->passes.at[i], *q = &r->middle->passes.at[like[i]];
        const uint32_t both = p->lanes & q->lanes ? p->lanes & q->lanes : 1;
        const int lane = __builtin_ctz(both);
        seen[like[i]] = true;
        shift[like[i]] = (int64_t)(p->base[lane] - q->base[lane]);
    }
    return shift;
}

/* --- touching -------------------------------------------------------------------------------- */

/* A warp being followed. `shift` and `block_shift` are by pass of the middle warp; `like` maps passes to
 * those, NULL: the walk is the middle warp's own. */
typedef struct Turn {
    const Walk *walk;
    const int *like;
    const int64_t *shift, *block_shift;
    int block; /* bit in the set */
    double weight;
    double among;  /* weight among the SM's blocks */
    uint64_t most; /* total touches at which it stops */
} Turn;

static void count_touch(Count *c, const Turn *t, const TouchedSector *before, unsigned warp,
                        double lines, Sector s, double weight)
{
    const uint32_t self = UINT32_C(1) << t->block, sm = (UINT32_C(1) << REUSE_BLOCKS) - 1;
    const bool mine = before->warp == warp + 1;
    if (t->block >= AXIS_BLOCKS) {
        const int axis = t->block - AXIS_BLOCKS;
        c->beside[axis] += before->blocks & self ? 0 : weight;
        c->anew[axis] += before->blocks & (self | 1) ? 0 : weight;
        c->later[axis] += (before->blocks & (self | 1)) == 1 ? weight * (lines - before->at) : 0;
        return;
    }
    if (t->block > 0) {
        c->others += before->blocks & sm ? 0 : weight * t->among;
        return;
    }
    c->touched += weight;
    c->warp += mine ? 0 : weight;
    c->block += before->blocks & self ? 0 : weight;
    const bool was_open = mine && before->bytes != UINT32_MAX;
    const bool is_open = (s.bytes | (mine ? before->bytes : 0)) != UINT32_MAX;
    c->open += weight * (is_open - was_open);
}

/* Warps of an SM progress equally fast: between two touches each loads about as much as this one between
 * its places of both. What exceeds the L1's room is evicted; at twice the room all of it, as under LRU with
 * cyclic data. */
static void count_loss(const Reuser *r, Count *c, const Turn *t, const TouchedSector *before,
                       double weight)
{
    const unsigned sm = (1U << REUSE_BLOCKS) - 1;
    const double lost =
        r->room > 0 ? fmax(0, fmin(fabs(r->lines - before->at) / r->room - 1, 1)) : 0;
    if (t->block == 0 && before->warp == r->warps + 1) {
        c->lost += weight * lost;
    } else if (t->block < AXIS_BLOCKS && before->blocks & sm) {
        c->shared += weight;
        c->shared_lost += weight * lost;
    }
}

/* Loads of what the warp has loaded or stored before. */
static void count_again(const Reuser *r, Count *c, const Turn *t, const TouchedSector *before,
                        uint64_t sector, double weight)
{
    const TouchedSector stored =
        before->warp == r->warps + 1 ? *before : touched_find(&r->touched, sector, ACCESS_STORE);
    const double between = fmax(1, fabs(r->lines - stored.at));
    if (t->block == 0 && stored.warp == r->warps + 1)
        c->again[(int)fmin(AGAIN - 1, OCTAVE * log2(between))] += weight;
}

static void widen(Count *c, const Sector *ascending, int count)
{
    if (count == 0)
        return;
    c->first = c->end && c->first < ascending[0].number ? c->first : ascending[0].number;
    c->end = c->end > ascending[count - 1].number ? c->end : ascending[count - 1].number + 1;
}

static void touch_pass(Reuser *r, const Turn *t, size_t number, int64_t shift, double weight)
{
    const WalkPass *p = &t->walk->passes.at[number];
    const Place *place = place_of(r, p->function);
    const AccessGroup *group = &place->function->accesses->groups.at[p->group];
    for (size_t i = 0; i < group->sites.count; i++) {
        const AccessSite *site = &place->function->accesses->sites.at[group->sites.at[i]];
        uint64_t address[PTX_LANES];
        Sector sectors[SECTORS_MAX];
        if (site->kind > ACCESS_COUNT)
            continue;
        const unsigned kind = site->kind < ACCESS_ATOMIC ? site->kind : ACCESS_ATOMIC;
        for (int lane = 0; lane < PTX_LANES; lane++)
            address[lane] = p->base[lane] + (uint64_t)(shift + site->offset);
        const int count = sectors_list(address, p->lanes, site->bytes, sectors);
        Count *c = &place->counts[group->sites.at[i]];
        widen(c, sectors, count);
        int lines = 0, fresh = 0;
        bool new = false;
        for (int k = 0; k < count; k++) {
            const TouchedSector before =
                touched_add(&r->touched, sectors[k], kind, r->warps, t->block, r->lines);
            new |= before.warp != r->warps + 1;
            count_touch(c, t, &before, r->warps, r->lines, sectors[k], weight);
            count_loss(r, c, t, &before, weight);
            if (kind == ACCESS_LOAD)
                count_again(r, c, t, &before, sectors[k].number, weight);
            const bool line =
                k == 0 || sectors[k].number / LINE_SECTORS != sectors[k - 1].number / LINE_SECTORS;
            lines += line;
            fresh += line && before.warp != r->warps + 1;
        }
        c->passes += t->block == 0 ? weight : 0;
        c->passes_new += t->block == 0 && new ? weight : 0;
        r->lines += kind == ACCESS_LOAD ? lines : 0;
        r->fresh += kind == ACCESS_LOAD ? fresh : 0;
        r->touches += (uint64_t)count;
    }
}

/* Where the middle warp never comes, other blocks are assumed to be far away. */
static int64_t shift_of(const Turn *t, size_t number)
{
    const int like = t->like ? t->like[number] : (int)number;
    if (like == CFG_NONE)
        return t->block * (INT64_C(1) << 48);
    return (t->shift ? t->shift[like] : 0) + (t->block_shift ? t->block_shift[like] : 0);
}

/* End of the passes from `first` on that repeat together. */
static size_t stretch_end(const Walk *w, size_t first)
{
    size_t end = first + 1;
    while (w->passes.at[first].stretch && end < w->passes.count &&
           w->passes.at[end].stretch == w->passes.at[first].stretch)
        end++;
    return end;
}

/* Repetitions, with the first, after which all passes have twice visited all their places in a sector. */
static uint64_t window(const Walk *w, size_t first, size_t end)
{
    uint64_t cycle = CYCLE;
    for (size_t i = first; i < end; i++) {
        const uint64_t step = (uint64_t)w->passes.at[i].step & (SECTOR_BYTES - 1);
        const uint64_t own = step ? SECTOR_BYTES >> __builtin_ctzll(step) : 1;
        cycle = own > cycle ? own : cycle;
    }
    const uint64_t all = w->passes.at[first].times + 1;
    return all < 2 * cycle ? all : 2 * cycle;
}

/* Weight of number `i` if `followed` of `all` are followed: the later half stands for the rest. */
static double weight_of(uint64_t i, uint64_t followed, uint64_t all)
{
    const uint64_t half = followed > 1 ? followed / 2 : 1, rest = followed - half;
    return i < rest ? 1 : (double)(all - rest) / (double)half;
}

static void end_warp(Reuser *r, const Turn *t)
{
    r->warps++;
    r->loaded += t->block == 0 ? r->fresh : 0;
    r->followed += t->block == 0;
}

static void follow_warp(Reuser *r, const Turn *t)
{
    r->lines = r->fresh = 0;
    for (size_t first = 0, end; first < t->walk->passes.count; first = end) {
        end = stretch_end(t->walk, first);
        const uint64_t times = window(t->walk, first, end);
        double before = r->lines, before_fresh = r->fresh;
        for (uint64_t k = 0; k < times; k++) {
            before = r->lines;
            before_fresh = r->fresh;
            for (size_t i = first; i < end; i++) {
                if (r->touches > t->most) {
                    r->out->cut = true;
                    end_warp(r, t);
                    return;
                }
                const WalkPass *p = &t->walk->passes.at[i];
                touch_pass(r, t, i, shift_of(t, i) + (int64_t)k * p->step,
                           t->weight * weight_of(k, times, p->times + 1));
            }
        }
        const double more = (double)(t->walk->passes.at[first].times + 1 - times);
        r->lines += more * (r->lines - before);
        r->fresh += more * (r->fresh - before_fresh);
    }
    end_warp(r, t);
}

/* Estimated touches of a warp. */
static uint64_t touches_of(const Walk *w)
{
    uint64_t touches = 1;
    for (size_t first = 0, end; first < w->passes.count; first = end) {
        end = stretch_end(w, first);
        const uint64_t times = window(w, first, end);
        for (size_t i = first; i < end; i++) {
            const WalkPass *p = &w->passes.at[i];
            const AccessGroup *group = &p->function->accesses->groups.at[p->group];
            touches += times * SITE_TOUCHES * group->sites.count;
        }
    }
    return touches;
}

/* NULL if the steps do not suffice. */
static const Walk *walk_at(Reuser *r, PtxPlace place)
{
    const Walk *known = memory_walked(r->samples, place);
    if (known || r->steps >= REUSE_STEPS)
        return known;
    r->walk.place = place;
    r->walk.max_steps = REUSE_STEPS - r->steps;
    const Walk *w = walk_warp(r->arena, r->entry, &r->walk);
    r->steps += w->steps;
    r->out->cut |= w->capped;
    return w->capped ? NULL : w;
}

/* --- the warps of a block -------------------------------------------------------------------- */

typedef struct BlockWarps {
    uint32_t all, followed;
    const Walk *walks[REUSE_WARPS]; /* NULL: the middle one, shifted */
    const int *like[REUSE_WARPS];
    const int64_t *shift[REUSE_WARPS];
} BlockWarps;

static PtxPlace warp_of_middle(const Reuser *r, uint32_t warp)
{
    return (PtxPlace){r->samples->at[0].place.block, warp};
}

/* Distances of warps from the middle one: that of warp 0, and what each bit of the number adds. */
typedef struct WarpBits {
    const int64_t *first;
    const int64_t *bit[WARP_BITS]; /* distance of the warp with only this bit */
} WarpBits;

static int64_t bits_shift(const WarpBits *b, uint32_t warp, size_t pass)
{
    int64_t shift = b->first[pass];
    for (int i = 0; warp >> i; i++)
        if (warp >> i & 1)
            shift += b->bit[i][pass] - b->first[pass];
    return shift;
}

/* True if distances are linear in the warp number. */
static bool find_line(Reuser *r, WarpBits *b, const int64_t *last, uint32_t warps)
{
    const size_t count = r->middle->passes.count;
    const int64_t m = r->samples->at[0].place.warp, rest = warps - 1 - m;
    for (size_t i = 0; i < count; i++)
        if (m > 0 && (b->first[i] % m != 0 || last[i] != -b->first[i] / m * rest))
            return false;
    for (int k = 0; (warps - 1) >> k; k++) {
        int64_t *bit = ARENA_ARRAY(r->arena, int64_t, count + 1);
        for (size_t i = 0; i < count; i++)
            bit[i] = b->first[i] + (m > 0 ? -b->first[i] / m * (INT64_C(1) << k) : 0);
        b->bit[k] = bit;
    }
    return true;
}

/* Walks the warps with one bit; true if the middle and the last one are the sums of their bits. */
static bool find_bits(Reuser *r, WarpBits *b, const int64_t *last, uint32_t warps)
{
    for (int k = 0; (warps - 1) >> k; k++) {
        const Walk *w = walk_at(r, warp_of_middle(r, UINT32_C(1) << k));
        if (!w)
            return false;
        b->bit[k] = shifts(r, w);
    }
    for (size_t i = 0; i < r->middle->passes.count; i++)
        if (bits_shift(b, warps - 1, i) != last[i] ||
            bits_shift(b, r->samples->at[0].place.warp, i) != 0)
            return false;
    return true;
}

static bool find_shifts(Reuser *r, WarpBits *b, uint32_t warps)
{
    const Walk *first = walk_at(r, warp_of_middle(r, 0));
    const Walk *last = walk_at(r, warp_of_middle(r, warps - 1));
    if (!first || !last || warps > 1 << WARP_BITS)
        return false;
    const int64_t *end = shifts(r, last);
    b->first = shifts(r, first);
    return find_line(r, b, end, warps) || find_bits(r, b, end, warps);
}

static const int64_t *warp_shift(Reuser *r, const WarpBits *b, uint32_t warp)
{
    const size_t count = r->middle->passes.count;
    int64_t *shift = ARENA_ARRAY(r->arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++)
        shift[i] = bits_shift(b, warp, i);
    return shift;
}

static BlockWarps warps_of(Reuser *r, uint32_t warps)
{
    const uint64_t room = REUSE_TOUCHES / 4 / touches_of(r->middle);
    const uint32_t most = room < 1 ? 1 : room < REUSE_WARPS ? (uint32_t)room : REUSE_WARPS;
    BlockWarps b = {.all = warps, .followed = warps < most ? warps : most};
    WarpBits bits = {0};
    const bool found = find_shifts(r, &bits, warps);
    r->out->cut |= most < REUSE_WARPS && most < warps;
    for (uint32_t i = 0; i < b.followed; i++) {
        const bool shifted = found && i > 0 && i < warps - 1;
        b.shift[i] = shifted ? warp_shift(r, &bits, i) : NULL;
        b.walks[i] = shifted ? NULL : walk_at(r, warp_of_middle(r, i));
        if (!shifted && !b.walks[i]) { /* those so far stand for all */
            b.followed = i > 0 ? i : 1;
            break;
        }
        b.like[i] = shifted ? NULL : match(r, b.walks[i]);
    }
    return b;
}

/* True if a warp goes where the middle one never does, such as the one that finishes a block's sum. */
static bool goes_elsewhere(const BlockWarps *b, uint32_t i)
{
    const size_t count = b->walks[i] ? b->walks[i]->passes.count : 0;
    for (size_t k = 0; k < count; k++)
        if (b->like[i][k] == CFG_NONE)
            return true;
    return false;
}

/* `shift`: of the block, by pass of the middle warp; it and `place` are NULL for the middle block. */
static void follow_block(Reuser *r, const BlockWarps *b, int block, const PtxDim *place,
                         const int64_t *shift, double among)
{
    for (uint32_t i = 0; i < b->followed; i++) {
        const Walk *own = place && goes_elsewhere(b, i) ? walk_at(r, (PtxPlace){*place, i}) : NULL;
        const Turn t = {.walk = own           ? own
                                : b->walks[i] ? b->walks[i]
                                              : r->middle,
                        .like = own ? NULL : b->like[i],
                        .shift = own ? NULL : b->shift[i],
                        .block_shift = own ? NULL : shift,
                        .block = block,
                        .weight = weight_of(i, b->followed, b->all),
                        .among = among,
                        .most = REUSE_TOUCHES};
        follow_warp(r, &t);
        r->whole = block == 0 ? fmax(r->whole, r->lines) : r->whole;
    }
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* Resident blocks per SM. */
static uint64_t held(const Reuser *r)
{
    const ReuseDevice d = r->device;
    const uint64_t blocks = ptx_block_count(r->walk.launch.grid);
    if (d.sms <= 0 || d.blocks_per_sm <= 0)
        return 1;
    const uint64_t spread = (blocks + (uint64_t)d.sms - 1) / (uint64_t)d.sms;
    return spread < (uint64_t)d.blocks_per_sm ? spread : (uint64_t)d.blocks_per_sm;
}

/* False if steps or touches do not suffice for one more. */
static bool follow_other(Reuser *r, const BlockWarps *b, PtxDim block, int bit, double among,
                         uint64_t touches)
{
    const PtxPlace place = {block, r->samples->at[0].place.warp};
    const Walk *w = r->touches + touches <= REUSE_TOUCHES ? walk_at(r, place) : NULL;
    r->out->cut |= !w;
    if (w)
        follow_block(r, b, bit, &block, shifts(r, w), among);
    return w != NULL;
}

/* Follows other of the `all` blocks of the SM, each of some `touches`. Returns the divisor of their counts. */
static double follow_sm(Reuser *r, const BlockWarps *b, uint64_t all, uint64_t touches)
{
    const PtxDim grid = r->walk.launch.grid, middle = r->samples->at[0].place.block;
    const uint64_t number = ptx_block_number(grid, middle);
    const uint64_t most = all < REUSE_BLOCKS ? all : REUSE_BLOCKS;
    double followed = 0;
    for (uint64_t i = 1; i < most; i++) {
        const double among = i + 1 < most ? 1 : (double)(all - most + 1);
        const uint64_t other = (number + i * (uint64_t)r->device.sms) % ptx_block_count(grid);
        if (!follow_other(r, b, ptx_block_at(grid, other), (int)i, among, touches))
            break;
        followed += among;
    }
    return followed;
}

static void follow_axes(Reuser *r, const BlockWarps *b, uint64_t touches)
{
    const PtxDim middle = r->samples->at[0].place.block;
    for (int axis = 0; axis < AXES; axis++) {
        const uint32_t size = *ptx_along((PtxDim[]){r->walk.launch.grid}, axis),
                       at = *ptx_along((PtxDim[]){middle}, axis);
        PtxDim beside = middle;
        if (size < 2)
            continue;
        r->toward[axis] = at + 1 < size ? 1 : -1;
        *ptx_along(&beside, axis) = at + (uint32_t)r->toward[axis];
        follow_other(r, b, beside, AXIS_BLOCKS + axis, 0, touches);
    }
}

/* Contiguous bytes that concurrent blocks touch: a row of blocks if the next one continues the middle one. */
static double run_bytes(const Reuser *r, unsigned kind)
{
    const PtxDim grid = r->walk.launch.grid;
    const int axis = grid.x > 1 ? 0 : 1;
    const double next = *ptx_along((PtxDim[]){grid}, axis), grown = 1.5;
    const double alone = touched_run(&r->touched, kind, 1),
                 both = touched_run(&r->touched, kind, 1 | 1U << (AXIS_BLOCKS + axis));
    return SECTOR_BYTES * alone * (both > grown * alone ? next : 1);
}

/* Returns the divisor for first touches of the SM's other blocks. */
static double follow_neighbours(Reuser *r, uint32_t warps)
{
    const BlockWarps b = warps_of(r, warps);
    follow_block(r, &b, 0, NULL, NULL, 1);
    const uint64_t touches = r->touches;
    follow_axes(r, &b, touches);
    r->out->run_load = run_bytes(r, ACCESS_LOAD);
    r->out->run_store = run_bytes(r, ACCESS_STORE);
    return follow_sm(r, &b, held(r), touches);
}

/* The n for which n independent sectors explain what was seen: one is new with 1 - (1 - p)^n. */
static double apart_of(const Count *c)
{
    const double sectors = c->touched / c->passes, part = c->warp / c->touched,
                 any = c->passes_new / c->passes;
    if (sectors <= 1 || part <= 0 || part >= 1)
        return 0;
    const double alone = any < 1 ? log(1 - any) / log(1 - part) : sectors;
    return fmax(0, fmin((alone - 1) / (sectors - 1), 1));
}

static ReuseSite site_of(const Reuser *r, const Count *c, double others)
{
    const double sm = (c->block + c->others) / (1 + others);
    return (ReuseSite){.first = {c->warp / c->touched, c->block / c->touched, sm / c->touched,
                                 c->block * reuse_launch_part(r, c) / c->touched}};
}

/* The share of sectors that a warp of the SM loaded before but the L1 has evicted. */
static double lost_part(const Reuser *r, const Count *c, const ReuseSite *s)
{
    const double shared = c->shared > 0 && !r->samples->even ? c->shared_lost / c->shared : 1;
    return c->lost / c->touched + fmax(0, s->first[REUSE_WARP] - s->first[REUSE_SM]) * shared;
}

/* --- a spread sample ------------------------------------------------------------------------- */

/* Notes after a warp who came where, and what was touched by then if it is of the first half. */
static void note_warp(Reuser *r, bool first_half)
{
    VEC_EACH (Place, p, r->places)
        EACH (Count, c, p->counts, p->function->accesses->sites.count) {
            c->came += c->touched > c->before;
            c->before = c->touched;
            c->half = first_half ? c->block : c->half;
            c->half_warp = first_half ? c->warp : c->half_warp;
        }
}

enum { SPREAD_MOST = 2 * SAMPLE_SPREAD /* most warps followed */ };

/* Every so many samples one is followed. */
static int spread_step(const MemorySamples *s)
{
    return (s->even + SPREAD_MOST - 1) / SPREAD_MOST;
}

static void follow_spread(Reuser *r)
{
    const MemorySamples *s = r->samples;
    const int step = spread_step(s);
    for (int half = 0; half < 2; half++)
        for (int i = half * step; i < s->even; i += 2 * step) {
            const Walk *w = s->at[i].walk;
            const Turn t = {.walk = w,
                            .like = match(r, w),
                            .weight = 1,
                            .most = r->touches + REUSE_TOUCHES / (uint64_t)(s->even / step)};
            follow_warp(r, &t);
            note_warp(r, half == 0);
        }
}

static ReuseSite spread_site(const Reuser *r, const Count *c, const double warps[REUSE_SCOPES])
{
    ReuseSite s = {.first = {1, 1, 1, 1}};
    for (int i = 0; i < REUSE_SCOPES; i++)
        s.first[i] = c->warp / c->touched * reuse_spread_part(r, c, warps[i]);
    return s;
}

/* --- everything ------------------------------------------------------------------------------ */

/* Accesses that bypass the L1 cannot hit it. */
static void pass_by(const AccessSite *site, const PtxFunction *f, ReuseSite *s)
{
    const PtxForm *form = f->instrs.at[site->instr].form;
    if (form->flags & PTX_FLAG_PAST_L1) {
        s->first[REUSE_WARP] = s->first[REUSE_BLOCK] = s->first[REUSE_SM] = 1;
        s->lost = 0;
    }
}

static void list_sites(Reuser *r, const double warps[REUSE_SCOPES], double others)
{
    reuse_find_l2(r, (double)held(r) * fmax(r->device.sms, 1), warps);
    for (size_t i = 0; i < r->places.count; i++) {
        const WalkFunction *f = r->places.at[i].function;
        const size_t count = f->accesses->sites.count;
        ReuseSite *sites = ARENA_ARRAY(r->arena, ReuseSite, count + 1);
        for (size_t k = 0; k < count; k++) {
            const Count *c = &r->places.at[i].counts[k];
            sites[k] = (ReuseSite){{1, 1, 1, 1}, .open = 1};
            if (c->touched > 0) {
                sites[k] = r->samples->even ? spread_site(r, c, warps) : site_of(r, c, others);
                sites[k].apart = apart_of(c);
                sites[k].open = c->open / c->touched;
                sites[k].lost = lost_part(r, c, &sites[k]);
                sites[k].gone = reuse_gone_part(r, c);
                sites[k].span = (c->end - c->first) * SECTOR_BYTES;
            }
            pass_by(&f->accesses->sites.at[k], f->function, &sites[k]);
        }
        VEC_PUSH(r->arena, &r->out->functions, ((ReuseFunction){f->function, sites}));
    }
}

const Reuse *memory_reuse(Arena *a, const PtxFunction *entry, const WalkOptions *o,
                          const MemorySamples *samples, ReuseDevice device)
{
    Reuser r = {.arena = a,
                .entry = entry,
                .walk = *o,
                .samples = samples,
                .middle = samples->at[0].walk,
                .device = device,
                .touched = {.numbers.arena = a},
                .out = ARENA_NEW(a, Reuse)};
    const uint32_t in_block = ptx_warps_in_block(&o->launch);
    const double block = in_block,
                 warps[REUSE_SCOPES] = {1, block, block * (double)held(&r),
                                        block * (double)ptx_block_count(o->launch.grid)};
    double others = 0;
    r.room = device.l1_bytes / (LINE_SECTORS * SECTOR_BYTES) / fmax(warps[REUSE_SM], 1);
    list_passes(&r);
    if (samples->even)
        follow_spread(&r);
    else if (in_block > 0 && o->launch.has_geometry)
        others = follow_neighbours(&r, in_block);
    for (int i = 0; i < samples->count; i++)
        r.out->cut |= samples->at[i].walk->passes_cut;
    list_sites(&r, warps, others);
    return r.out;
}
