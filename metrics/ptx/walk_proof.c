/* Beginning a proof, and whether it holds at the end of the stretch. */
#include "metrics/ptx/walk_proof.h"

#include "metrics/ptx/ptx_affine.h"

#include <stdlib.h>
#include <string.h>

/* --- life -------------------------------------------------------------------------------- */

static WalkProof *proof_new(const Frame *x)
{
    WalkProof *p = memory_zeroed(1, sizeof *p);
    const size_t late = walk_plan_of(x)->late.count;
    /* Set for the state when a proof begins; of other registers no change is ever known. */
    const size_t registers = x->known->function->registers.count + 1;
    p->changes = memory_new(registers * sizeof *p->changes);
    for (size_t i = 0; i < registers; i++)
        lanes_unknown(&p->changes[i]);
    p->totals.blocks = memory_zeroed((size_t)flow_of(x)->cfg->count, sizeof *p->totals.blocks);
    p->totals.loops = memory_zeroed(walk_loop_count(x), sizeof *p->totals.loops);
    p->totals.costs = memory_zeroed(walk_cost_count(x), sizeof *p->totals.costs);
    p->pending = memory_zeroed(late * WALK_LATENCY_COUNT, sizeof *p->pending);
    p->loops = memory_zeroed(walk_loop_count(x), sizeof *p->loops);
    return p;
}

void walk_proof_free(WalkProof *p)
{
    if (!p)
        return;
    free(p->changes);
    free(p->start);
    free(p->totals.blocks);
    free(p->totals.loops);
    free(p->totals.costs);
    free(p->pending);
    free(p->loops);
    free(p->drifts.at);
    walk_region_mark_free(&p->regions);
    free(p);
}

/* --- proving a stretch ------------------------------------------------------------------- */

static bool pending_at(const Frame *x, size_t i, int latency)
{
    return x->pending[walk_plan_of(x)->late.at[i]][latency] == x->walker->epoch[latency];
}

static void note_state(Frame *x, WalkProof *p)
{
    const WalkFunction *r = x->known->result;
    const Walk *w = x->walker->walk;
    p->totals.barriers = w->barriers;
    p->totals.waits_long = w->waits_long;
    p->totals.waits_local = w->waits_local;
    p->totals.waits_sfu = w->waits_sfu;
    p->totals.divergent = w->divergent;
    memcpy(p->totals.routines, w->routines, sizeof w->routines);
    memcpy(p->totals.blocks, r->blocks, (size_t)flow_of(x)->cfg->count * sizeof *r->blocks);
    memcpy(p->totals.loops, r->loops, walk_loop_count(x) * sizeof *r->loops);
    if (walk_cost_count(x))
        memcpy(p->totals.costs, r->costs, walk_cost_count(x) * sizeof *r->costs);
    memcpy(p->loops, x->loops, walk_loop_count(x) * sizeof *x->loops);
    memcpy(p->stack, x->stack, x->stack_count * sizeof *x->stack);
    for (size_t i = 0; i < walk_plan_of(x)->late.count; i++)
        for (int l = 0; l < WALK_LATENCY_COUNT; l++)
            p->pending[i * WALK_LATENCY_COUNT + (size_t)l] = pending_at(x, i, l);
    walk_region_mark(x->walker, &p->regions);
    p->groups = x->walker->groups;
    p->gone = x->gone;
}

static bool same_state(const Frame *x, const WalkProof *p)
{
    if (p->groups != x->walker->groups || p->gone != x->gone ||
        !walk_region_repeats(x->walker, &p->regions))
        return false;
    for (size_t i = 0; i < walk_plan_of(x)->late.count; i++)
        for (int l = 0; l < WALK_LATENCY_COUNT; l++)
            if (p->pending[i * WALK_LATENCY_COUNT + (size_t)l] != pending_at(x, i, l))
                return false;
    for (size_t i = 0; i < walk_loop_count(x); i++)
        if (p->loops[i].counted != x->loops[i].counted || p->loops[i].unsure != x->loops[i].unsure)
            return false;
    for (size_t i = 0; i < x->stack_count; i++) {
        const Entry *a = &p->stack[i], *b = &x->stack[i];
        if (a->kind != b->kind || a->block != b->block || a->stop != b->stop ||
            a->mask != b->mask || a->fork != b->fork)
            return false;
    }
    return true;
}

/* Takes the changes of the stretch that ends here as those to be proven; false when a register that
 * the loop needs has none. */
static bool set_changes(Frame *x, int loop, WalkProof *p)
{
    const WalkPlan *plan = walk_plan_of(x);
    const WalkLive *live = &plan->live[loop];
    const size_t registers = x->known->function->registers.count;
    if (p->start_capacity < live->count) {
        p->start = memory_resize(p->start, live->count, sizeof *p->start);
        p->start_capacity = live->count;
    }
    for (size_t i = 0; i < live->count; i++)
        if (!walk_register_change(&x->tracks[loop].values[i], &x->values[live->at[i]],
                                  walk_register_bits(x, live->at[i]), &p->start[i]))
            return false;
    for (size_t i = 0; i < plan->state.count; i++)
        if ((size_t)plan->state.at[i] < registers)
            lanes_unknown(&p->changes[plan->state.at[i]]);
    for (size_t i = 0; i < live->count; i++) {
        p->changes[live->at[i]] = p->start[i];
        x->tracks[loop].values[i] = x->values[live->at[i]];
    }
    return true;
}

/* The registers have moved by the same as over the stretch before, and would again if they had
 * started further on. */
static bool changes_again(const Frame *x, const WalkProof *p)
{
    const WalkLive *live = &walk_plan_of(x)->live[p->loop];
    for (size_t i = 0; i < live->count; i++) {
        const int reg = live->at[i],
                  bits = walk_register_bits(x, reg) ? walk_register_bits(x, reg) : 64;
        Lanes moved;
        if (!walk_register_change(&x->tracks[p->loop].values[i], &x->values[reg], bits, &moved) ||
            !walk_same_lanes(&moved, &p->start[i], bits) ||
            !walk_same_lanes(&p->changes[reg], &p->start[i], bits))
            return false;
    }
    return true;
}

bool walk_proof_begin(Frame *x, int loop)
{
    if (!x->proof)
        x->proof = proof_new(x);
    WalkProof *p = x->proof;
    if (x->stack_count > WALK_STACK_MAX || !set_changes(x, loop, p))
        return false;
    note_state(x, p);
    p->active = true;
    p->number = ++x->walker->proofs;
    p->loop = loop;
    p->limit = PTX_FOREVER;
    p->steps = x->walker->walk->steps;
    p->passes = x->walker->walk->passes.count;
    p->drifts.count = 0;
    x->walker->walk->steps += (walk_plan_of(x)->state.count + walk_plan_of(x)->late.count) / 8;
    return true;
}

bool walk_proof_holds(const Frame *x)
{
    return same_state(x, x->proof) && changes_again(x, x->proof) && x->proof->limit >= 2;
}
