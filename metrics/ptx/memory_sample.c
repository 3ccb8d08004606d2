#include "metrics/ptx/memory_sampler.h"

#include <math.h>

/* --- following ------------------------------------------------------------------------------- */

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

/* NULL when there is no room or no steps for it. */
MemorySample *sampler_follow(Sampler *s, PtxDim block, uint32_t warp)
{
    const PtxPlace place = {block, warp};
    if (s->out->count == SAMPLES_MAX)
        return NULL;
    for (size_t i = 0; i < s->out->walked.count; i++)
        if (ptx_same_place(s->out->walked.at[i].place, place))
            return keep(s, place, s->out->walked.at[i].walk);
    const bool last = s->steps < s->each && s->each < s->all;
    const Walk *w = sampler_walk(s, place, s->each);
    const bool starved = last && (!w || w->untold),
               cut = starved || !w || sampler_is_cut(w) || (w->capped && last);
    s->out->cut += cut;
    if (cut && (!w || starved || (!s->evenly && w->instr <= s->out->at[0].walk->instr)))
        return NULL;
    MemorySample *x = keep(s, place, w);
    VEC_PUSH(s->arena, &s->out->walked, *x);
    return x;
}

/* The one that stands for all that are like it; what is spent on it is missing for others. */
void sampler_follow_middle(Sampler *s, PtxDim block, uint32_t warp)
{
    const PtxPlace place = {block, warp};
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

/* Where the middle one was followed further than others may be, it is followed again, no further than they are to be:
 * as little as says what it does. */
void sampler_limit_others(Sampler *s)
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

/* What others are compared with. */
const Walk *sampler_comparable(const Sampler *s, const MemorySample *x)
{
    return x->walk == s->out->at[0].walk ? s->like : x->walk;
}

const Walk *sampler_walked(const Sampler *s, PtxPlace place)
{
    for (size_t i = 0; i < s->out->walked.count; i++)
        if (ptx_same_place(s->out->walked.at[i].place, place))
            return sampler_comparable(s, &s->out->walked.at[i]);
    return NULL;
}

/* --- the same? ---------------------------------------------------------------------------- */

static bool same_visits(const WalkFunction *f, const WalkFunction *g)
{
    if (f->function != g->function)
        return false;
    for (int i = 0; i < f->flow->cfg->count; i++)
        if (f->blocks[i].visits != g->blocks[i].visits)
            return false;
    return true;
}

static bool same_lanes(const WalkFunction *f, const WalkFunction *g)
{
    for (int i = 0; i < f->flow->cfg->count; i++)
        if (f->blocks[i].lanes != g->blocks[i].lanes)
            return false;
    return true;
}

static bool same_costs(const WalkFunction *f, const WalkFunction *g)
{
    return !f->accesses ||
           memcmp(f->costs, g->costs, f->accesses->costs.count * sizeof *f->costs) == 0;
}

bool memory_same_counts(const Walk *a, const Walk *b)
{
    if (a->functions.count != b->functions.count)
        return false;
    for (int k = 0; k < WALK_ROUTINES; k++)
        if (a->routines[k].called != b->routines[k].called ||
            a->routines[k].scaled != b->routines[k].scaled)
            return false;
    for (size_t i = 0; i < a->functions.count; i++)
        if (!same_visits(a->functions.at[i], b->functions.at[i]))
            return false;
    return true;
}

/* Did two warps of one launch do the same, at addresses that cost the same? */
bool memory_same_walk(const Walk *a, const Walk *b)
{
    if (!memory_same_counts(a, b))
        return false;
    for (size_t i = 0; i < a->functions.count; i++)
        if (!same_lanes(a->functions.at[i], b->functions.at[i]) ||
            !same_costs(a->functions.at[i], b->functions.at[i]))
            return false;
    return true;
}

bool memory_does_other(const Walk *a, const Walk *b)
{
    if (!memory_same_counts(a, b))
        return true;
    for (size_t i = 0; i < a->functions.count; i++)
        if (!same_lanes(a->functions.at[i], b->functions.at[i]))
            return true;
    return false;
}

/* --- the sample ------------------------------------------------------------------------------ */

bool sampler_comes_to_memory(const Walk *w)
{
    return w->loads[PTX_GLOBAL] + w->stores[PTX_GLOBAL] + w->loads[PTX_GENERIC] +
               w->stores[PTX_GENERIC] >
           0;
}

/* Where the middle block has nothing to do, beyond the end of the data, one nearer to the first stands for it. */
static void find_middle(Sampler *s, uint32_t warps)
{
    const PtxDim grid = s->walk.launch.grid;
    const uint64_t all = s->steps;
    sampler_follow_middle(s, (PtxDim){grid.x / 2, grid.y / 2, grid.z / 2}, warps / 2);
    if (sampler_comes_to_memory(s->out->at[0].walk))
        return;
    for (uint32_t part = 4; part <= MIDDLE_PARTS; part *= 2) {
        const PtxDim block = {grid.x / part, grid.y / part, grid.z / part};
        s->steps = all;
        const Walk *w = sampler_walk(s, (PtxPlace){block, warps / 2}, all / SAMPLE_PARTS);
        s->steps = all;
        if (w && sampler_comes_to_memory(w)) {
            sampler_follow_middle(s, block, warps / 2);
            return;
        }
    }
}

MemorySamples *memory_sample(Arena *a, const PtxFunction *entry, const WalkOptions *o,
                             bool one_warp)
{
    const uint64_t all = o->max_steps ? o->max_steps : SAMPLE_STEPS;
    Sampler s = {.arena = a,
                 .entry = entry,
                 .walk = *o,
                 .out = ARENA_NEW(a, MemorySamples),
                 .axes = {{0, o->launch.grid.x}, {0, o->launch.grid.y}, {0, o->launch.grid.z}},
                 .all = all,
                 .steps = all};
    const PtxDim grid = o->launch.grid;
    const uint32_t warps = o->launch.has_geometry ? ptx_warps_in_block(&o->launch) : 1;
    find_middle(&s, warps);
    if (one_warp || !o->launch.has_geometry || warps == 0 || grid.x == 0 || grid.y == 0 ||
        grid.z == 0)
        return s.out;
    sampler_limit_others(&s);
    if (s.out->at[0].walk->data_loads > 0) {
        sampler_data(&s, warps);
        return s.out;
    }
    s.narrowed = sampler_leave_out_idle(&s, warps);
    if (!sampler_axes(&s, warps))
        sampler_picture(&s, warps);
    if (s.narrowed)
        sampler_add_idle(&s, warps);
    sampler_whole(&s, warps);
    return s.out;
}
