/* Lanes that part: loops under way, branches. */
#include "metrics/ptx/walk_skip.h"
#include "metrics/ptx/walk_stated.h"
#include "metrics/ptx/walk_stored.h"

#include <stdlib.h>

/* --- lanes that part --------------------------------------------------------------------- */

Entry *walk_push(Frame *x)
{
    if (x->stack_count == x->stack_capacity) {
        x->stack_capacity = x->stack_capacity ? x->stack_capacity * 2 : 16;
        x->stack = memory_resize(x->stack, x->stack_capacity, sizeof *x->stack);
    }
    Entry *e = &x->stack[x->stack_count++];
    *e = (Entry){0};
    return e;
}

/* --- loops ------------------------------------------------------------------------------- */

static void forget_loop(Frame *x, int loop, uint32_t lanes)
{
    const WalkPlan *p = x->known->plan;
    x->walker->walk->steps += p->state.count / 4;
    walk_stored_forget(x->walker, lanes);
    for (size_t i = 0; i < p->state.count; i++) {
        const int reg = p->state.at[i];
        if ((size_t)reg >= x->known->function->registers.count ||
            !flow_defined_in_loop(p->flow, reg, loop))
            continue;
        lanes_spread(&x->values[reg]);
        x->values[reg].known &= ~lanes;
    }
}

/* Keeps the books of loops when lanes go from one block to another. */
static void cross_edge(Frame *x, int from, int to, uint32_t mask)
{
    const LoopTree *t = flow_of(x)->loops;
    for (int l = t->loop_of[from]; l != CFG_NONE; l = t->loops.at[l].parent) {
        if (to != flow_of(x)->cfg->count && loop_contains(t, l, to))
            break;
        if (x->loops[l].unsure & mask)
            forget_loop(x, l, x->loops[l].unsure & mask);
        x->loops[l].unsure &= ~mask;
    }
    if (to == flow_of(x)->cfg->count)
        return;
    const int l = t->loop_of[to];
    if (l == CFG_NONE || t->loops.at[l].header != to)
        return;
    if (loop_contains(t, l, from))
        return;
    x->loops[l] = (LoopState){0};
    walk_skip_enter(x, l);
    x->known->result->loops[l].entries++;
}

void walk_count_header(Frame *x, int block)
{
    const LoopTree *t = flow_of(x)->loops;
    const int l = t->loop_of[block];
    if (l == CFG_NONE || t->loops.at[l].header != block)
        return;
    x->known->result->loops[l].headers++;
    x->loops[l].iterations++;
}

/* Does the branch's predicate follow from something that the loop changes in a known way? */
static bool decided_by_loop(const Frame *x, int loop, const PtxInstr *branch)
{
    if (branch->guard == PTX_NO_GUARD)
        return false;
    const DefUseList *defs = &flow_of(x)->uses->defs[branch->guard];
    for (size_t i = 0; i < defs->count; i++) {
        if (!loop_contains(flow_of(x)->loops, loop, flow_of(x)->cfg->block_of[defs->at[i]]))
            continue;
        const PtxInstr *in = &x->known->function->instrs.at[defs->at[i]];
        for (int k = in->form->writes; k < in->count; k++)
            if (in->operands[k].kind == PTX_OPERAND_REGISTER &&
                flow_defined_in_loop(flow_of(x), in->operands[k].index, loop))
                return true;
    }
    return false;
}

/* --- branches ---------------------------------------------------------------------------- */

/* Where the lanes of a visit go: certain ones to each successor, undecided ones to all. */
typedef struct Parting {
    int *to; /* room for as many as the function's blocks have successors, and the end */
    uint32_t *lanes;
    int count;
    uint32_t undecided;
} Parting;

static void part(Parting *p, int to, uint32_t lanes)
{
    for (int i = 0; i < p->count; i++)
        if (p->to[i] == to) {
            p->lanes[i] |= lanes;
            return;
        }
    p->to[p->count] = to;
    p->lanes[p->count++] = lanes;
}

static void part_by_table(const Frame *x, int block, const PtxInstr *in, uint32_t yes, Parting *p)
{
    const CfgBlock *b = &flow_of(x)->cfg->blocks[block];
    const PtxTable *table = in->operands[1].kind == PTX_OPERAND_TABLE
                                ? &x->known->function->tables.at[in->operands[1].index]
                                : NULL;
    const PtxState s = state_of(x);
    Lanes index;
    ptx_eval_operand(&s, &in->operands[0], PTX_U32, &index);
    for (int i = 0; table && i < PTX_LANES; i++) {
        const uint64_t k = ptx_value_truncate(lanes_at(&index, i), 32);
        if (!(yes & index.known & (UINT32_C(1) << i)))
            continue;
        if (k < table->count && table->targets[k].kind == PTX_OPERAND_LABEL) {
            const PtxLabel *label = &x->known->function->labels.at[table->targets[k].index];
            part(p, flow_of(x)->cfg->block_of[label->instr], UINT32_C(1) << i);
        }
    }
    p->undecided |= yes & ~index.known;
    for (int i = 0; p->undecided && i < b->succ_count; i++)
        part(p, b->succs[i], 0);
}

static Parting part_lanes(Frame *x, int block, uint32_t mask)
{
    const CfgBlock *b = &flow_of(x)->cfg->blocks[block];
    const PtxInstr *in = cfg_branch(flow_of(x)->cfg, block);
    const int end = flow_of(x)->cfg->count;
    Parting p = {.to = x->ways, .lanes = x->way_lanes};
    uint32_t yes = mask, maybe = 0;
    if (in)
        guard_lanes(x, in, mask, &yes, &maybe);
    if (!in) {
        part(&p, b->fall == CFG_NONE ? end : b->fall, mask);
        return p;
    }
    const bool leaves =
        in->form->op == PTX_RET || in->form->op == PTX_EXIT || in->form->op == PTX_TRAP;
    if (leaves)
        part(&p, end, yes);
    else if (in->form->op == PTX_BRX_IDX && in->count > 1)
        part_by_table(x, block, in, yes, &p);
    else
        part(&p, b->taken != CFG_NONE ? b->taken : b->fall != CFG_NONE ? b->fall : end, yes);
    if (in->guard != PTX_NO_GUARD)
        part(&p, b->fall == CFG_NONE ? end : b->fall, mask & ~yes & ~maybe);
    p.undecided |= maybe;
    return p;
}

static bool stays_in(const Frame *x, int loop, int to)
{
    return to != flow_of(x)->cfg->count && loop_contains(flow_of(x)->loops, loop, to);
}

/* An undecided exit of a loop: all undecided lanes stay, or all leave.  True when that is foreseen: the loop
 * waits, or its count was said. */
static bool decide_exit(Frame *x, int block, const PtxInstr *in, Parting *p)
{
    const int l = flow_of(x)->loops->loop_of[block];
    int stay = CFG_NONE, leave = CFG_NONE;
    for (int i = 0; l != CFG_NONE && i < p->count; i++) {
        if (stays_in(x, l, p->to[i]))
            stay = stay == CFG_NONE ? i : stay;
        else
            leave = leave == CFG_NONE ? i : leave;
    }
    if (stay == CFG_NONE || leave == CFG_NONE)
        return false;
    LoopState *s = &x->loops[l];
    if (p->undecided == 0) {
        if (!s->counted)
            s->counted = decided_by_loop(x, l, in);
        return false;
    }
    WalkLoop *result = &x->known->result->loops[l];
    if (x->known->plan->waits[l]) {
        p->lanes[leave] |= p->undecided;
        p->undecided = 0;
        return result->waited = true;
    }
    s->unsure |= p->undecided;
    const double rounds = x->known->plan->rounds[l];
    if (rounds >= 0) {
        const bool at_header = block == flow_of(x)->loops->loops.at[l].header;
        const bool tests_first = at_header && flow_of(x)->loops->loops.at[l].blocks.count > 1;
        p->lanes[s->iterations < rounds + tests_first ? stay : leave] |= p->undecided;
        p->undecided = 0;
        return result->stated = true;
    }
    /* A test at the top is made once more than the body runs. */
    const Loop *loop = &flow_of(x)->loops->loops.at[l];
    const bool at_top = block == loop->header && loop->blocks.count > 1;
    const bool more = s->counted || s->iterations < x->walker->default_trips + at_top;
    p->lanes[more ? stay : leave] |= p->undecided;
    p->undecided = 0;
    result->early_ignored |= s->counted && more;
    result->defaulted |= !more;
    return false;
}

/* Undecided lanes go where a count that was said sends them. */
static bool steer(const Frame *x, int block, Parting *p)
{
    int way;
    if (p->undecided == 0 || x->walker->options->trip_count == 0 ||
        !walk_stated_steer(x, block, p->to, p->count, &way))
        return false;
    p->lanes[way] |= p->undecided;
    p->undecided = 0;
    return true;
}

/* Lanes that are undecided, dealt out to the ways in turn. */
static void deal_out(Frame *x, int block, Parting *p)
{
    uint64_t turn = x->known->result->blocks[block].visits;
    for (int i = 0; i < PTX_LANES && p->count > 0; i++)
        if (p->undecided >> i & 1)
            p->lanes[turn++ % (uint64_t)p->count] |= UINT32_C(1) << i;
    p->undecided = 0;
    x->walker->walk->dealt = true;
}

static void mark_undecided(Frame *x, int block)
{
    WalkBlock *b = &x->known->result->blocks[block];
    x->walker->walk->unknown_branches += !b->unknown_branch;
    b->unknown_branch = true;
}

static int sides(const Parting *p)
{
    int n = 0;
    for (int i = 0; i < p->count; i++)
        n += (p->lanes[i] | p->undecided) != 0;
    return n;
}

static int meeting_point(const Frame *x, int block, int stop)
{
    const int p = flow_of(x)->post->parent[block];
    return p == CFG_NONE ? stop : p;
}

/* Every side as an entry of its own, the first on top; the entry below waits where they meet. */
static void split(Frame *x, int block, int stop, const Parting *p)
{
    const int meeting = meeting_point(x, block, stop);
    Fork *fork = p->undecided ? walk_fork(x, block, meeting, p->undecided) : NULL;
    bool last = true;
    for (int i = p->count - 1; i >= 0; i--) {
        const uint32_t lanes = p->lanes[i] | p->undecided;
        if (lanes == 0)
            continue;
        if (fork) {
            Entry *done = walk_push(x);
            done->kind = last ? ENTRY_LAST_SIDE_DONE : ENTRY_SIDE_DONE;
            done->fork = fork;
        }
        *walk_push(x) = (Entry){ENTRY_RUN, p->to[i], meeting, lanes, NULL};
        last = false;
    }
}

/* Moves the entry on top over the end of its block. */
void walk_leave_block(Frame *x, uint32_t mask)
{
    Entry *e = &x->stack[x->stack_count - 1];
    const int block = e->block, stop = e->stop;
    Parting p = part_lanes(x, block, mask);
    const PtxInstr *in = cfg_branch(flow_of(x)->cfg, block);
    if (in)
        walk_skip_branch(x, in, mask);
    const bool undecided = p.undecided != 0;
    if (undecided)
        walk_skip_abort(x);
    const bool foreseen =
        in && p.count > 1 && (decide_exit(x, block, in, &p) || steer(x, block, &p));
    if (undecided && !foreseen)
        mark_undecided(x, block);
    if (p.undecided && !walk_may_fork(x->walker))
        deal_out(x, block, &p);
    for (int i = 0; i < p.count; i++)
        if (p.lanes[i] | p.undecided)
            cross_edge(x, block, p.to[i], p.lanes[i] | p.undecided);
    const int n = sides(&p);
    if (in &&
        flow_of(x)->cfg->blocks[block].succ_count + flow_of(x)->cfg->blocks[block].ends_thread > 1)
        x->known->result->blocks[block].paths += (uint64_t)n;
    if (n == 1 && p.undecided == 0) {
        for (int i = 0; i < p.count; i++)
            e->block = p.lanes[i] ? p.to[i] : e->block;
        return;
    }
    x->walker->walk->divergent += n > 1;
    x->known->result->blocks[block].parted += n > 1 ? (uint64_t)n - 1 : 0;
    e->block = meeting_point(x, block, stop);
    if (n > 0)
        split(x, block, stop, &p);
    else
        x->stack_count--;
}
