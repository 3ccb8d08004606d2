#include "metrics/ptx/dependence.h"
#include "metrics/ptx/memory_sampler.h"

#include "metrics/ptx/walk_slice.h"

#include <math.h>

/* --- walking --------------------------------------------------------------------------------- */

const Walk *sampler_walk(Sampler *s, PtxPlace place, uint64_t most)
{
    s->walk.place = place;
    s->walk.max_steps = most < s->steps ? most : s->steps;
    s->walk.estimate = s->each && s->each < s->all ? 2 * s->walk.max_steps : s->walk.max_steps / 2;
    const Walk *w = s->steps > 0 ? walk_warp(s->arena, s->entry, &s->walk) : NULL;
    if (w)
        s->steps -= w->steps < s->steps ? w->steps : s->steps;
    return w;
}

const Walk *memory_walked(const MemorySamples *s, PtxPlace place)
{
    for (size_t i = 0; i < s->walked.count; i++)
        if (ptx_same_place(s->walked.at[i].place, place))
            return s->walked.at[i].walk;
    return NULL;
}

static MemorySample *keep(Sampler *s, PtxPlace place, const Walk *w)
{
    MemorySample *x = &s->out->at[s->out->count++];
    *x = (MemorySample){.place = place, .walk = w};
    return x;
}

bool sampler_is_cut(const Walk *w)
{
    return w->capped && !w->ended;
}

MemorySample *sampler_follow(Sampler *s, PtxPlace place)
{
    if (s->out->count == SAMPLES_MAX)
        return NULL;
    const Walk *known = memory_walked(s->out, place);
    if (known)
        return keep(s, place, known);
    const bool last = s->steps < s->each && s->each < s->all;
    const Walk *w = sampler_walk(s, place, s->each);
    const bool starved = last && (!w || w->sibling_cut),
               cut = starved || !w || sampler_is_cut(w) || (w->capped && last);
    s->out->cut += cut;
    if (cut && (!w || starved || (!s->evenly && w->instr <= s->out->at[0].walk->instr)))
        return NULL;
    MemorySample *x = keep(s, place, w);
    VEC_PUSH(s->arena, &s->out->walked, *x);
    return x;
}

/* Walks the warp that stands for all like it; what it spends is missing for others. */
static void follow_middle(Sampler *s, PtxDim block)
{
    const PtxPlace place = {block, s->warps / 2};
    const uint64_t most = s->steps - s->steps / 8;
    s->out->count = 0;
    s->out->walked.count = 0;
    const Walk *w = sampler_walk(s, place, most);
    if (w->capped && !w->ended && w->fine && s->walk.plans) {
        *s->walk.plans = (WalkPlans){.rough = s->out->rough = true};
        s->steps = most;
        w = sampler_walk(s, place, most);
    }
    s->out->cut = w->capped && !w->ended;
    s->like = w;
    keep(s, place, w)->weight = 1;
    VEC_PUSH(s->arena, &s->out->walked, s->out->at[0]);
}

/* If the middle one was walked further than others may be, walks it again, no further than they will be:
 * with as few steps as reveal its work. */
static void limit_others(Sampler *s)
{
    const uint64_t all = s->all;
    const double far_off = 0.1, work = walk_work(s->out->at[0].walk);
    if (s->steps < all / 2)
        s->steps = all / 2;
    s->each = all / SAMPLE_SHARE;
    if (s->out->at[0].walk->steps <= s->each)
        return;
    for (uint64_t share = SAMPLE_PARTS; share >= SAMPLE_SHARE; share /= 4) {
        s->each = all / share;
        const Walk *w = sampler_walk(s, s->out->at[0].place, s->each);
        s->out->limit_error = w && work > 0 ? fabs(walk_work(w) / work - 1) : 0;
        if (w && !(w->capped && !w->ended) && s->out->limit_error < far_off) {
            s->like = w;
            return;
        }
    }
    s->each = all;
}

/* The walk that others are compared with. */
static const Walk *comparable(const Sampler *s, const Walk *w)
{
    return w == s->out->at[0].walk ? s->like : w;
}

/* The walk of a place, as far as others; NULL if none. */
static const Walk *sampler_walked(const Sampler *s, PtxPlace place)
{
    const Walk *w = memory_walked(s->out, place);
    return w ? comparable(s, w) : NULL;
}

/* --- comparison ------------------------------------------------------------------------------ */

/* In what two walks must agree, and in all before it. */
typedef enum Likeness { VISITS, ACTIVE_LANES, COSTS } Likeness;

static bool same_in_function(const WalkFunction *f, const WalkFunction *g, Likeness how)
{
    bool same = f->function == g->function;
    for (int i = 0; same && i < f->flow->cfg->count; i++)
        same = f->blocks[i].visits == g->blocks[i].visits &&
               f->blocks[i].diverged == g->blocks[i].diverged &&
               (how < ACTIVE_LANES || f->blocks[i].lanes == g->blocks[i].lanes);
    return same && (how < COSTS || !f->accesses ||
                    memcmp(f->costs, g->costs, f->accesses->costs.count * sizeof *f->costs) == 0);
}

static bool are_alike(const Walk *a, const Walk *b, Likeness how)
{
    bool same = a->functions.count == b->functions.count;
    for (int k = 0; k < WALK_ROUTINES; k++) {
#define WALK_ROUTINE(name, meaning) same &= a->routines[k].name == b->routines[k].name;
#include "metrics/ptx/walk_counters.def"
    }
    for (size_t i = 0; same && i < a->functions.count; i++)
        same = same_in_function(a->functions.at[i], b->functions.at[i], how);
    return same;
}

bool memory_same_counts(const Walk *a, const Walk *b)
{
    return are_alike(a, b, VISITS);
}

/* True if they execute different blocks or lanes; addresses may have other alignments. */
static bool does_other(const Walk *a, const Walk *b)
{
    return !are_alike(a, b, ACTIVE_LANES);
}

/* True if two warps of one launch execute the same, at addresses of equal cost. */
static bool same_walk(const Walk *a, const Walk *b)
{
    return are_alike(a, b, COSTS);
}

static bool comes_to_memory(const Walk *w)
{
    return w->loads[PTX_GLOBAL] + w->stores[PTX_GLOBAL] + w->loads[PTX_GENERIC] +
               w->stores[PTX_GENERIC] >
           0;
}

/* Moves a share from the middle warp to one that differs. */
static void give(Sampler *s, MemorySample *to, double share)
{
    if (!to)
        return;
    to->weight += share;
    s->out->at[0].weight -= share;
}

/* --- warps of a block ------------------------------------------------------------------------ */

/* The i-th of `count` warps spread over the block from the first to the last. */
static uint32_t spread_warp(const Sampler *s, uint32_t i, uint32_t count)
{
    return (uint32_t)((uint64_t)i * (s->warps - 1) / (count - 1));
}

/* The same warp of the middle block if sampled, else the middle warp, which stands for it. */
static MemorySample *in_middle_block(Sampler *s, uint32_t warp)
{
    const PtxPlace place = {s->out->at[0].place.block, warp};
    for (int i = 1; i < s->out->count; i++)
        if (ptx_same_place(s->out->at[i].place, place))
            return &s->out->at[i];
    return &s->out->at[0];
}

/* Adds the difference of a warp from `base`, of its block, minus that counted in the middle block. */
static void compare(Sampler *s, MemorySample *base, MemorySample *x, double share)
{
    MemorySample *middle = &s->out->at[0];
    if (!x)
        return;
    x->weight += share;
    base->weight -= share;
    if (base == middle)
        return;
    middle->weight += share;
    in_middle_block(s, x->place.warp)->weight -= share;
}

/* How many warps of the block of `base` are walked: SAMPLE_WARPS if those between the first and the last do as
 * it does. Else all, if the steps suffice: what a warp does may depend on the bits of its number, of which evenly
 * spread ones have the same. */
static uint32_t warps_to_walk(Sampler *s, const MemorySample *base)
{
    const Walk *own = comparable(s, base->walk);
    bool differ = false;
    if (s->warps <= SAMPLE_WARPS)
        return s->warps;
    for (uint32_t i = 1; i + 1 < SAMPLE_WARPS && !differ; i++) {
        const uint32_t warp = spread_warp(s, i, SAMPLE_WARPS);
        const MemorySample *x = warp == base->place.warp
                                    ? NULL
                                    : sampler_follow(s, (PtxPlace){base->place.block, warp});
        differ = x && does_other(own, x->walk);
    }
    return differ && own->steps * s->warps <= s->all / WARPS_SHARE ? s->warps : SAMPLE_WARPS;
}

/* Samples warps of the block of `base` that differ from it; it stands for the others. Such blocks are
 * `share` of all. Those between the first and the last are shared out evenly among the walked ones. */
static void sample_warps(Sampler *s, MemorySample *base, double share)
{
    const PtxPlace at = base->place;
    MemorySample *first = at.warp > 0 ? sampler_follow(s, (PtxPlace){at.block, 0}) : NULL;
    MemorySample *last =
        at.warp < s->warps - 1 ? sampler_follow(s, (PtxPlace){at.block, s->warps - 1}) : NULL;
    compare(s, base, first, share / s->warps);
    compare(s, base, last, share / s->warps);
    const Walk *own = comparable(s, base->walk);
    if (s->warps <= 3 ||
        ((!first || same_walk(own, first->walk)) && (!last || same_walk(own, last->walk))))
        return;
    const uint32_t count = warps_to_walk(s, base);
    uint32_t inner = 1; /* `base` */
    for (uint32_t i = 1; i + 1 < count; i++)
        inner += spread_warp(s, i, count) != at.warp;
    for (uint32_t i = 1; i + 1 < count; i++) {
        const uint32_t warp = spread_warp(s, i, count);
        if (warp != at.warp)
            compare(s, base, sampler_follow(s, (PtxPlace){at.block, warp}),
                    share * (1 - 2.0 / s->warps) / inner);
    }
}

/* --- what depends on the block index --------------------------------------------------------- */

/* Axes with too many blocks to walk all along which the block index matters. */
static void decided_axes(Sampler *s, bool decided[3])
{
    static const PtxSpecial coordinates[] = {PTX_CTAID_X, PTX_CTAID_Y, PTX_CTAID_Z};
    for (int axis = 0; axis < 3; axis++) {
        const Dependence how = range_length(s->axes[axis]) > SAMPLE_AXIS
                                   ? dependence_of(s->arena, s->entry, coordinates[axis])
                                   : DEPENDENCE_LINEAR;
        decided[axis] = how != DEPENDENCE_LINEAR;
        s->freely |= how == DEPENDENCE_ANY;
    }
}

/* --- blocks along an axis -------------------------------------------------------------------- */

static MemorySample *follow_block(Sampler *s, int axis, uint32_t at)
{
    PtxPlace place = s->out->at[0].place;
    *ptx_along(&place.block, axis) = at;
    return sampler_follow(s, place);
}

/* Samples blocks after the middle one until one is like it; false if none is, out of enough. */
static bool sample_cycle(Sampler *s, int axis, uint32_t middle, uint32_t end, double share)
{
    MemorySample *cycle[SAMPLE_CYCLE];
    int count = 0;
    bool again = false;
    while (count < SAMPLE_CYCLE && middle + (uint32_t)count + 2 < end) {
        MemorySample *next = follow_block(s, axis, middle + (uint32_t)count + 1);
        if (!next)
            break;
        if (same_walk(s->like, next->walk)) {
            s->out->count--; /* represented by the middle one */
            again = true;
            break;
        }
        cycle[count++] = next;
    }
    for (int i = 0; i < count; i++)
        give(s, cycle[i], share / (count + 1));
    return again || count < SAMPLE_UNLIKE;
}

static const Walk *walked_in_middle(const Sampler *s, uint32_t warp)
{
    const Walk *w = sampler_walked(s, (PtxPlace){s->out->at[0].place.block, warp});
    return w ? w : s->like;
}

/* True if the first or the last block of the grid differs from the middle one, in its middle warp or that
 * at its end; else no edge does. */
static bool corners_differ(Sampler *s, const bool decided[3])
{
    const MemorySample *middle = &s->out->at[0];
    PtxDim first = middle->place.block, last = first;
    for (int axis = 0; axis < 3; axis++)
        if (decided[axis]) {
            *ptx_along(&first, axis) = s->axes[axis].from;
            *ptx_along(&last, axis) = s->axes[axis].end - 1;
        }
    bool differ = false;
    const PtxDim corners[] = {first, last};
    for (int i = 0; i < 2 && !differ; i++) {
        const uint32_t ends[] = {middle->place.warp, i ? s->warps - 1 : 0};
        for (int k = 0; k < 2 && !differ; k++) {
            const MemorySample *x = sampler_follow(s, (PtxPlace){corners[i], ends[k]});
            differ = x && !same_walk(walked_in_middle(s, ends[k]), x->walk);
            s->out->count -= x != NULL; /* the axes have their own samples */
        }
    }
    return differ;
}

/* True if the middle warp of a block executes something else than the middle block's. */
static bool is_unlike(Sampler *s, int axis, uint32_t at)
{
    const MemorySample *x = follow_block(s, axis, at);
    const bool unlike = x && does_other(s->like, x->walk);
    s->out->count -= x != NULL;
    return unlike;
}

/* Bisects between a block of an axis that is not so and one that is. Returns the one that is, next to the
 * former; *other is the last that is not. */
static uint32_t find_border(Sampler *s, int axis, uint32_t not_so, uint32_t so, uint32_t *other,
                            bool (*is_so)(Sampler *, int, uint32_t))
{
    while (so > not_so + 1 || not_so > so + 1) {
        const uint32_t between = so > not_so ? not_so + (so - not_so) / 2 : so + (not_so - so) / 2;
        *(is_so(s, axis, between) ? &so : &not_so) = between;
    }
    *other = not_so;
    return so;
}

/* The block nearest the middle of those at this end that differ from the middle one. Often it is the end
 * itself, where data end within a block; many differ if the grid is larger than the data. */
static uint32_t first_unlike(Sampler *s, int axis, uint32_t middle, uint32_t end)
{
    uint32_t like;
    return is_unlike(s, axis, end < middle ? end + 1 : end - 1)
               ? find_border(s, axis, middle, end, &like, is_unlike)
               : end;
}

/* Samples blocks at an end of an axis: one for all unlike the middle one, and all warps of the border. */
static void sample_end(Sampler *s, int axis, uint32_t at, uint32_t size)
{
    PtxPlace place = s->out->at[0].place;
    const uint32_t middle = *ptx_along(&place.block, axis);
    MemorySample *end = follow_block(s, axis, at);
    const bool other = end && does_other(s->like, end->walk);
    const uint32_t border = other ? first_unlike(s, axis, middle, at) : at;
    *(at > middle ? &s->inner[axis].end : &s->inner[axis].from) = at > middle ? border : border + 1;
    if (border != at) {
        const double beyond = at > border ? at - border : border - at;
        s->ends[axis] += (beyond + 1) / size;
        give(s, end, beyond / size);
        end = follow_block(s, axis, border);
    }
    give(s, end, 1.0 / size);
    if (end)
        sample_warps(s, end, 1.0 / size);
}

/* False if blocks along the axis are unlike each other. */
static bool along_axis(Sampler *s, int axis, bool edges)
{
    PtxDim block = s->out->at[0].place.block;
    const BlockRange all = s->axes[axis];
    const uint32_t middle = *ptx_along(&block, axis), size = range_length(all);
    if (size <= SAMPLE_AXIS) {
        for (uint32_t i = all.from; i < all.end; i++) {
            MemorySample *x = i == middle ? NULL : follow_block(s, axis, i);
            give(s, x, 1.0 / size);
            if (x && s->narrowed) /* one may lie across the border */
                sample_warps(s, x, 1.0 / size);
        }
        return true;
    }
    if (!sample_cycle(s, axis, middle, all.end, edges ? 1 - 2.0 / size : 1))
        return false;
    if (edges) {
        sample_end(s, axis, all.from, size);
        sample_end(s, axis, all.end - 1, size);
    }
    return true;
}

/* The block 1 / part of the way from an end of the grid to the middle one, along decided axes. */
static PtxDim block_towards(const Sampler *s, const bool decided[3], bool last, uint32_t part)
{
    PtxDim block = s->out->at[0].place.block;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t *at = ptx_along(&block, axis);
        const uint32_t from = s->axes[axis].from, end = s->axes[axis].end - 1;
        if (decided[axis])
            *at = last ? end - (end - *at) / part : from + (*at - from) / part;
    }
    return block;
}

/* Walks a warp without keeping a sample; NULL if no steps are left. */
static const Walk *look_at(Sampler *s, PtxDim block)
{
    MemorySample *x = sampler_follow(s, (PtxPlace){block, s->out->at[0].place.warp});
    s->out->count -= x != NULL;
    return x ? comparable(s, x->walk) : NULL;
}

/* True if work depends on the position, as in a picture: a block at an end differs from the middle one, and
 * one halfway from both, so there is no border between two kinds. */
static bool is_picture(Sampler *s, const bool decided[3])
{
    for (int last = 0; last < 2; last++) {
        const Walk *end = look_at(s, block_towards(s, decided, last, UINT32_MAX));
        if (!end || !does_other(s->like, end))
            continue;
        const Walk *between = look_at(s, block_towards(s, decided, last, 2));
        if (!between || (does_other(s->like, between) && does_other(end, between)))
            return true;
    }
    return false;
}

/* True if it stands for blocks between the ends, not for those at an end. */
static bool is_inner(const Sampler *s, const MemorySample *x)
{
    PtxDim block = x->place.block;
    bool inner = true;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t at = *ptx_along(&block, axis);
        inner &= range_length(s->axes[axis]) <= SAMPLE_AXIS ||
                 (at >= s->inner[axis].from && at < s->inner[axis].end);
    }
    return inner;
}

/* True if a sample between the ends executes the same, in its warp. */
static bool is_sampled(const Sampler *s, const MemorySample *x)
{
    for (int i = 0; i < s->out->count; i++)
        if (&s->out->at[i] != x && s->out->at[i].place.warp == x->place.warp &&
            is_inner(s, &s->out->at[i]) &&
            !does_other(comparable(s, s->out->at[i].walk), comparable(s, x->walk)))
            return true;
    return false;
}

/* True if the warp is like no sample of its number, however its steps are limited. */
static bool is_other(Sampler *s, PtxPlace place)
{
    s->steps = s->each;
    MemorySample *x = sampler_follow(s, place);
    const bool other = x && !is_sampled(s, x);
    s->out->count -= x != NULL;
    return other;
}

/* True if a sample calls a routine for some operands, which the block index may decide. */
static bool calls_routines(const MemorySamples *m)
{
    for (int i = 0; i < m->count; i++)
        for (int k = 0; k < WALK_ROUTINES; k++)
            if (m->at[i].walk->routines[k].called > 0)
                return true;
    return false;
}

/* True if a block between the ends, of a few that are spread over the decided axes, is like no sample: the work has a
 * period that is longer than a cycle of neighbours, or the middle block is like no other.  Their steps are not charged;
 * those that are cut tell nothing. */
static bool hides_others(Sampler *s, const bool decided[3], bool calls)
{
    static const double steps[] = {GOLDEN, SILVER, PLASTIC};
    const uint64_t left = s->steps;
    const int cut = s->out->cut;
    bool other = false;
    for (int k = 1; k <= SAMPLE_UNLIKE && !other; k++) {
        PtxPlace place = s->out->at[0].place;
        for (int axis = 0; axis < 3; axis++)
            if (decided[axis] || calls)
                *ptx_along(&place.block, axis) = sampler_fill(k, steps[axis], s->inner[axis]);
        other = is_other(s, place);
        place.warp = k % 2 ? 0 : s->warps - 1;
        other = other || (calls && is_other(s, place));
    }
    s->steps = left;
    s->out->cut = cut;
    return other;
}

/* False if blocks are unlike each other, apart from edges, or do not add up. */
static bool sample_blocks(Sampler *s, const bool decided[3])
{
    const double few = 1.0 / 16;
    const bool any = decided[0] || decided[1] || decided[2];
    const bool edges = any && corners_differ(s, decided);
    memcpy(s->inner, s->axes, sizeof s->inner);
    for (int axis = 0; axis < 3; axis++)
        if (!along_axis(s, axis, edges && decided[axis]))
            return false;
    const double *e = s->ends; /* blocks in corners are counted for two axes */
    const bool calls = calls_routines(s->out);
    return (1 - e[0]) * (1 - e[1]) * (1 - e[2]) - (1 - e[0] - e[1] - e[2]) < few &&
           !((edges || s->freely || calls) && hides_others(s, decided, calls));
}

/* Adds differences along axes and between warps; false if they do not add up, as in a picture. */
static bool sample_axes(Sampler *s)
{
    bool decided[3];
    decided_axes(s, decided);
    if (is_picture(s, decided))
        return false;
    sample_warps(s, &s->out->at[0], 1);
    return sample_blocks(s, decided);
}

/* --- blocks beyond the data ------------------------------------------------------------------ */

/* True if the warp does nothing visible to others. */
static bool does_nothing(const Walk *w)
{
    return !sampler_is_cut(w) && !comes_to_memory(w) && w->by_class[PTX_CLASS_ATOMIC] == 0 &&
           w->by_class[PTX_CLASS_ASYNC] == 0 && w->by_class[PTX_CLASS_TEXTURE] == 0;
}

/* True if the block's first, middle and last warps do nothing and end soon. These steps are not charged. */
static bool is_idle(Sampler *s, PtxDim block)
{
    enum { SOON = 1024 };
    const uint32_t chosen[] = {0, s->out->at[0].place.warp, s->warps - 1};
    const uint64_t left = s->steps;
    bool idle = true;
    for (int i = 0; i < 3 && idle; i++) {
        s->steps = s->all;
        idle = does_nothing(sampler_walk(s, (PtxPlace){block, chosen[i]}, SOON));
    }
    s->steps = left;
    return idle;
}

static bool is_idle_along(Sampler *s, int axis, uint32_t at)
{
    PtxDim block = s->out->at[0].place.block;
    *ptx_along(&block, axis) = at;
    return is_idle(s, block);
}

/* The busy block nearest to the end of an axis. */
static uint32_t last_busy(Sampler *s, int axis, uint32_t end)
{
    uint32_t busy = end;
    if (is_idle_along(s, axis, end))
        find_border(s, axis, *ptx_along(&s->out->at[0].place.block, axis), end, &busy,
                    is_idle_along);
    return busy;
}

/* Makes the middle of the remaining blocks the middle one. */
static void follow_centre(Sampler *s)
{
    PtxDim block;
    for (int axis = 0; axis < 3; axis++)
        *ptx_along(&block, axis) = s->axes[axis].from + range_length(s->axes[axis]) / 2;
    s->steps = s->all;
    s->each = 0;
    follow_middle(s, block);
    limit_others(s);
}

/* Leaves out idle blocks at the ends of the grid; false if there are none. */
static bool leave_out_idle(Sampler *s)
{
    const PtxDim grid = s->walk.launch.grid, last = {grid.x - 1, grid.y - 1, grid.z - 1};
    if (!comes_to_memory(s->out->at[0].walk))
        return false;
    const bool before = is_idle(s, (PtxDim){0, 0, 0}), after = is_idle(s, last);
    bool found = false;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t size = s->axes[axis].end;
        if (before)
            s->axes[axis].from = last_busy(s, axis, 0);
        if (after)
            s->axes[axis].end = last_busy(s, axis, size - 1) + 1;
        found |= range_length(s->axes[axis]) < size;
    }
    if (found)
        follow_centre(s);
    return found;
}

enum { SIDES = 3, ALL_SIDES = SIDES * SIDES * SIDES, AMONG = ALL_SIDES / 2 };

/* A block before, among or behind the others along each axis, and the share of the grid there. */
static double side_of(const Sampler *s, int side, PtxDim *block)
{
    double part = 1;
    *block = s->out->at[0].place.block;
    for (int axis = 0; axis < 3; axis++, side /= SIDES) {
        const uint32_t size = *ptx_along((PtxDim[]){s->walk.launch.grid}, axis);
        const BlockRange x = s->axes[axis];
        const uint32_t at[SIDES] = {0, *ptx_along(block, axis), size - 1},
                       blocks[SIDES] = {x.from, range_length(x), size - x.end};
        *ptx_along(block, axis) = at[side % SIDES];
        part *= (double)blocks[side % SIDES] / size;
    }
    return part;
}

/* Adds the idle blocks, one for all on a side of the others. */
static void add_idle(Sampler *s)
{
    const uint32_t count = s->warps < SAMPLE_WARPS ? s->warps : SAMPLE_WARPS;
    PtxDim block;
    const double among = side_of(s, AMONG, &block);
    for (int i = 0; i < s->out->count; i++)
        s->out->at[i].weight *= among;
    for (int side = 0; side < ALL_SIDES; side++) {
        const double part = side_of(s, side, &block);
        for (uint32_t i = 0; i < count && side != AMONG && part > 0; i++) {
            s->steps = s->each = s->all / SAMPLE_PARTS;
            const PtxPlace place = {block, count > 1 ? spread_warp(s, i, count) : 0};
            MemorySample *x = sampler_follow(s, place);
            (x ? x : &s->out->at[0])->weight += part / count;
        }
    }
}

/* --- every warp of a small launch ------------------------------------------------------------ */

/* Mean work of a launch's warps, in numbers that reveal whether a sample is right. */
enum { WORK, DIVERGENT, LANES, SECTORS, LINES, WAVEFRONTS, BYTES, SUMS };

typedef struct Sums {
    double of[SUMS];
} Sums;

static void add_walk(Sums *x, const Walk *w, double weight)
{
    x->of[WORK] += weight * walk_work(w);
    x->of[DIVERGENT] += weight * w->divergent;
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        for (size_t k = 0; k < f->accesses->sites.count; k++) {
            const WalkAccess *a = &f->costs[f->accesses->sites.at[k].cost];
            x->of[LANES] += weight * (double)a->lanes;
            x->of[SECTORS] += weight * (double)a->sectors;
            x->of[LINES] += weight * (double)a->lines;
            x->of[WAVEFRONTS] += weight * (double)a->wavefronts;
            x->of[BYTES] += weight * (double)a->unique_bytes;
        }
    }
}

static Sums sums_of(const MemorySamples *m)
{
    Sums x = {0};
    for (int i = 0; i < m->count; i++)
        add_walk(&x, m->at[i].walk, m->at[i].weight);
    return x;
}

/* Equal up to rounding. */
static bool are_equal(const Sums *x, const Sums *y)
{
    const double rounding = 1e-9;
    for (int i = 0; i < SUMS; i++)
        if (fabs(x->of[i] - y->of[i]) > rounding * fabs(y->of[i]))
            return false;
    return true;
}

/* Counts a warp with an equal sample, or as a new one. */
static bool count_walk(MemorySamples *m, PtxPlace place, const Walk *w)
{
    for (int i = 0; i < m->count; i++)
        if (same_walk(m->at[i].walk, w)) {
            m->at[i].weight++;
            return true;
        }
    if (m->count == SAMPLES_MAX)
        return false;
    m->at[m->count++] = (MemorySample){.place = place, .weight = 1, .walk = w};
    return true;
}

/* False if one of them is not walked to its end. */
static bool count_all(Sampler *s, MemorySamples *m, uint64_t all)
{
    for (uint64_t i = 0; i < all; i++) {
        const PtxPlace place = sampler_place(s, i);
        const Walk *w = sampler_walked(s, place);
        w = w ? w : sampler_walk(s, place, s->steps);
        if (!w || w->capped || !count_walk(m, place, w))
            return false;
    }
    for (int i = 0; i < m->count; i++)
        m->at[i].weight /= (double)all;
    return true;
}

/* Walks every warp of a small launch; if their sums differ from the sample's, they replace it. */
static void sample_whole(Sampler *s)
{
    const uint64_t all = ptx_block_count(s->walk.launch.grid) * s->warps;
    const MemorySample middle = s->out->at[0];
    if (all > WHOLE_MOST || middle.walk->capped || all * middle.walk->steps > s->all)
        return;
    MemorySamples *whole = ARENA_NEW(s->arena, MemorySamples);
    *whole = *s->out;
    whole->count = 1;
    whole->at[0].weight = 0;
    whole->even = 0;
    whole->cut = 0;
    s->steps = s->all;
    s->walk.passes = false; /* reuse only needs those of the middle block */
    if (!count_all(s, whole, all))
        return;
    const Sums few = sums_of(s->out), are = sums_of(whole);
    if (!are_equal(&few, &are))
        s->out = whole;
}

/* --- the sample ------------------------------------------------------------------------------ */

/* If the middle block has nothing to do, beyond the end of the data, one nearer to the first replaces it. */
static void find_middle(Sampler *s)
{
    const PtxDim grid = s->walk.launch.grid;
    const uint64_t all = s->steps;
    follow_middle(s, (PtxDim){grid.x / 2, grid.y / 2, grid.z / 2});
    if (comes_to_memory(s->out->at[0].walk))
        return;
    for (uint32_t part = 4; part <= MIDDLE_PARTS; part *= 2) {
        const PtxDim block = {grid.x / part, grid.y / part, grid.z / part};
        s->steps = all;
        const Walk *w = sampler_walk(s, (PtxPlace){block, s->warps / 2}, all / SAMPLE_PARTS);
        s->steps = all;
        if (w && comes_to_memory(w)) {
            follow_middle(s, block);
            return;
        }
    }
}

MemorySamples *memory_sample(Arena *a, const PtxFunction *entry, const WalkOptions *o)
{
    const uint64_t all = o->max_steps ? o->max_steps : SAMPLE_STEPS;
    Sampler s = {.arena = a,
                 .entry = entry,
                 .walk = *o,
                 .out = ARENA_NEW(a, MemorySamples),
                 .warps = o->launch.has_geometry ? ptx_warps_in_block(&o->launch) : 1,
                 .axes = {{0, o->launch.grid.x}, {0, o->launch.grid.y}, {0, o->launch.grid.z}},
                 .all = all,
                 .steps = all};
    const PtxDim grid = o->launch.grid;
    find_middle(&s);
    if (!o->launch.has_geometry || s.warps == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0)
        return s.out;
    limit_others(&s);
    if (s.out->at[0].walk->data_loads > 0) {
        sampler_data(&s);
        return s.out;
    }
    s.narrowed = leave_out_idle(&s);
    if (!sample_axes(&s))
        sampler_picture(&s);
    if (s.narrowed)
        add_idle(&s);
    sample_whole(&s);
    return s.out;
}
