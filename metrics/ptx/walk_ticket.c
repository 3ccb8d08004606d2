#include "metrics/ptx/walk_ticket.h"

#include "metrics/ptx/walk_told.h"

#include <string.h>

/* Known in all these lanes, and the same. */
static bool is_one(const Lanes *l, uint32_t lanes, uint64_t *value)
{
    *value = lanes_at(l, __builtin_ctz(lanes));
    for (uint32_t left = lanes; left; left &= left - 1)
        if (lanes_at(l, __builtin_ctz(left)) != *value)
            return false;
    return (lanes & ~l->known) == 0;
}

static bool has_asked(const WalkTold *t, const PtxInstr *in)
{
    for (size_t i = 0; i < t->asked.count; i++)
        if (t->asked.at[i].by == in)
            return true;
    return false;
}

/* Does another warp of the block ask, too?  Kept, as it is the same in all blocks. */
static bool each_asks(Frame *x, const PtxInstr *in)
{
    Walker *w = x->walker;
    WalkPlan *p = x->known->plan;
    const uint32_t last = walk_last_warp(w), own = w->options->place.warp;
    if (last == 0)
        return false;
    if (p->asked_by == in)
        return p->each_asks;
    const WalkTold *t = w->sibling ? w->sibling(w, own == 0 ? last : 0) : NULL;
    if (!t)
        return false; /* this one is followed for another: it asks alone, as most do */
    p->asked_by = in;
    return p->each_asks = has_asked(t, in);
}

/* How often this warp has asked this counter before, by whichever instruction. */
static uint64_t rounds_before(Walker *w, const PtxInstr *in, uint64_t counter)
{
    WalkAsked *own = NULL;
    uint64_t rounds = 0;
    for (size_t i = 0; i < w->told.asked.count; i++) {
        WalkAsked *a = &w->told.asked.at[i];
        rounds += a->counter == counter ? a->times : 0;
        own = a->counter == counter && a->by == in ? a : own;
    }
    if (own)
        own->times++;
    else
        VEC_PUSH(w->arena, &w->told.asked, ((WalkAsked){in, counter, 1}));
    return rounds;
}

/* How many ask before the first lane that asks now. */
static uint64_t asked_before(Frame *x, const PtxInstr *in, uint64_t counter, uint64_t lanes)
{
    const PtxLaunch *l = &x->walker->options->launch;
    const PtxPlace *p = &x->walker->options->place;
    const uint64_t round = rounds_before(x->walker, in, counter),
                   warps = each_asks(x, in) ? walk_last_warp(x->walker) + UINT64_C(1) : 1,
                   blocks = ptx_block_count(l->grid),
                   block = x->walker->options->last
                               ? blocks - 1
                               : ((uint64_t)p->block.z * l->grid.y + p->block.y) * l->grid.x +
                                     p->block.x,
                   all = blocks * warps;
    return (round * all + block * warps + (warps > 1 ? p->warp : 0)) * lanes;
}

int walk_ticket_take(Frame *x, const PtxInstr *in, uint32_t yes, uint32_t maybe, Lanes *results)
{
    Walker *w = x->walker;
    const PtxState s = state_of(x);
    const int count = ptx_eval_instr(&s, in, results), bits = ptx_type_bits(in->form->types[0]);
    const bool wraps = strstr(in->form->text, ".inc.");
    Lanes of[PTX_SOURCES];
    uint64_t address, by, first;
    if (maybe || !yes || w->forks > 0 || count != 1 || ptx_eval_operands(&s, in, of) != 2 ||
        !w->options->launch.has_geometry || !is_one(&of[0], yes, &address) ||
        !is_one(&of[1], yes, &by) || !walk_values_first(w, in->form, address, &first))
        return count;
    uint64_t turn = asked_before(x, in, address, (uint64_t)__builtin_popcount(yes));
    for (uint32_t left = yes; left; left &= left - 1, turn++) {
        const int i = __builtin_ctz(left);
        const uint64_t v =
            wraps ? (first + turn) % (by + 1 ? by + 1 : UINT64_MAX) : first + turn * by;
        results[0].v[i] = ptx_value_truncate(v, bits);
        results[0].known |= UINT32_C(1) << i;
    }
    return count;
}
