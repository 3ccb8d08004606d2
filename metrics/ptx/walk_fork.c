/* Lanes that go both ways at a branch that is not decided.
 *
 * Each side starts from the state before the branch, and what the sides make of it is joined where
 * they meet.  Only what is written on the way there is saved: that is known of each branch once.
 *
 * Where one way leaves a loop or the function, sides meet late, and each undecided branch in
 * between doubles what is walked.  So forks nest FORK_DEPTH deep at most, and what is walked
 * between them is at most one part in FORK_SHARE of the walk's steps: beyond that lanes are dealt
 * out to the ways in turn, and each goes one way. */
#include "metrics/ptx/walk_skip.h"

#include <stdlib.h>

enum { FORK_DEPTH = 6, FORK_SHARE = 2, FORK_STEPS = 4 /* that saving a register counts as */ };

/* --- what is written between a branch and where its sides meet ----------------------------------
 */

/* Marks the blocks that lie between; `meeting` is not one of them. */
static void mark_between(Arena *a, const Cfg *c, int block, int meeting, bool *in)
{
    int *todo = ARENA_ARRAY(a, int, (size_t)c->count + 1);
    int count = 0;
    todo[count++] = block; /* without being one itself, unless it is met again */
    while (count > 0) {
        const CfgBlock *b = &c->blocks[todo[--count]];
        for (int i = 0; i < b->succ_count; i++) {
            const int next = b->succs[i];
            if (next == meeting || next == c->count || in[next])
                continue;
            in[next] = true;
            todo[count++] = next;
        }
    }
}

static bool is_written(const Flow *f, int reg, const bool *in)
{
    const DefUseList *defs = &f->uses->defs[reg];
    for (size_t i = 0; i < defs->count; i++)
        if (in[f->cfg->block_of[defs->at[i]]])
            return true;
    return false;
}

/* Lanes that leave a loop there may lose what it has written (cross_edge in walk_part.c): then all
 * of it counts as written there. */
static void add_loops_left(Arena *a, const Flow *f, int block, bool *in)
{
    bool *left = ARENA_ARRAY(a, bool, f->loops->loops.count + 1);
    for (size_t l = 0; l < f->loops->loops.count; l++) {
        const Loop *loop = &f->loops->loops.at[l];
        for (size_t i = 0; i < loop->exits.count; i++)
            left[l] |= in[loop->exits.at[i].from] || loop->exits.at[i].from == block;
    }
    for (size_t l = 0; l < f->loops->loops.count; l++)
        for (size_t i = 0; left[l] && i < f->loops->loops.at[l].blocks.count; i++)
            in[f->loops->loops.at[l].blocks.at[i]] = true;
}

/* The cells of calls' parameters are few, and taken as written everywhere. */
static WalkWritten *find_written(Arena *a, const WalkPlan *p, int block, int meeting)
{
    WalkWritten *w = ARENA_NEW(a, WalkWritten);
    bool *in = ARENA_ARRAY(a, bool, (size_t)p->flow->cfg->count);
    mark_between(a, p->flow->cfg, block, meeting, in);
    add_loops_left(a, p->flow, block, in);
    w->meeting = meeting;
    for (size_t i = 0; i < p->state.count; i++) {
        const int reg = p->state.at[i];
        if ((size_t)reg >= p->flow->function->registers.count || is_written(p->flow, reg, in))
            VEC_PUSH(a, &w->registers, reg);
    }
    return w;
}

static const WalkWritten *written_by(Frame *x, int block, int meeting)
{
    WalkWritten **known = &x->known->plan->written[block];
    if (!*known || (*known)->meeting != meeting)
        *known = find_written(x->walker->arena, x->known->plan, block, meeting);
    return *known;
}

/* --- saved states -------------------------------------------------------------------------------
 */

/* The values before, and behind them room for those after. */
static Lanes *save(const Frame *x, const WalkWritten *written)
{
    const size_t count = written->registers.count;
    Lanes *saved = memory_new((2 * count + 1) * sizeof *saved);
    for (size_t i = 0; i < count; i++)
        saved[i] = x->values[written->registers.at[i]];
    return saved;
}

bool walk_may_fork(const Walker *w)
{
    const uint64_t now = w->forks > 0 ? w->walk->steps - w->fork_start : 0;
    return w->forks < FORK_DEPTH && w->forked + now < w->max_steps / FORK_SHARE;
}

Fork *walk_fork(Frame *x, int block, int meeting, uint32_t lanes)
{
    Walker *w = x->walker;
    Fork *f = memory_zeroed(1, sizeof *f);
    f->lanes = lanes;
    f->gone_before = x->gone;
    f->gone_after = UINT32_MAX;
    f->written = written_by(x, block, meeting);
    f->saved = save(x, f->written);
    if (w->forks++ == 0)
        w->fork_start = w->walk->steps;
    w->walk->steps += FORK_STEPS * f->written->registers.count;
    return f;
}

void walk_free_fork(Frame *x, Fork *f)
{
    Walker *w = x->walker;
    if (--w->forks == 0)
        w->forked += w->walk->steps - w->fork_start;
    free(f->saved);
    free(f);
}

/* What differs between two sides is not known behind them. */
static void merge_lanes(Lanes *to, const Lanes *from, uint32_t lanes)
{
    if (to->uniform && from->uniform && to->v[0] == from->v[0])
        return;
    lanes_spread(to);
    for (int i = 0; i < PTX_LANES; i++) {
        const uint32_t bit = UINT32_C(1) << i;
        if (lanes & bit && !(from->known & bit && lanes_at(from, i) == to->v[i]))
            to->known &= ~bit;
    }
}

/* After a side: its outcome joins that of the sides before; the state before comes back. */
void walk_finish_side(Frame *x, Fork *f)
{
    const size_t count = f->written->registers.count;
    f->gone_after &= x->gone;
    x->gone = (x->gone & ~f->lanes) | (f->gone_before & f->lanes);
    for (size_t i = 0; i < count; i++) {
        Lanes *now = &x->values[f->written->registers.at[i]], *after = &f->saved[count + i];
        if (f->has_after)
            merge_lanes(after, now, f->lanes);
        else
            *after = *now;
        lanes_assign(now, &f->saved[i], f->lanes);
    }
    f->has_after = true;
}

void walk_finish_fork(Frame *x, Fork *f)
{
    const size_t count = f->written->registers.count;
    walk_finish_side(x, f);
    x->gone |= f->gone_after & f->lanes;
    for (size_t i = 0; i < count; i++)
        lanes_assign(&x->values[f->written->registers.at[i]], &f->saved[count + i], f->lanes);
    walk_free_fork(x, f);
}

/* --- what is not known ---------------------------------------------------------------------- */

static uint64_t counted_instrs(const Flow *f, int block)
{
    uint64_t count = 0;
    for (size_t i = f->cfg->blocks[block].first; i < f->cfg->blocks[block].end; i++)
        count += walk_counts(&f->function->instrs.at[i]);
    return count;
}

static bool *unknown_blocks(Arena *a, const WalkFunction *f)
{
    const Cfg *c = f->flow->cfg;
    bool *in = ARENA_ARRAY(a, bool, (size_t)c->count);
    for (size_t l = 0; l < f->flow->loops->loops.count; l++) {
        const Loop *loop = &f->flow->loops->loops.at[l];
        const bool guessed = f->loops[l].defaulted || f->loops[l].early_ignored;
        for (size_t i = 0; guessed && i < loop->blocks.count; i++)
            in[loop->blocks.at[i]] = true;
    }
    for (int b = 0; b < c->count; b++) {
        if (!f->blocks[b].unknown_branch)
            continue;
        bool *between = ARENA_ARRAY(a, bool, (size_t)c->count);
        mark_between(a, c, b, f->flow->post->parent[b], between);
        for (int i = 0; i < c->count; i++)
            in[i] |= between[i];
    }
    return in;
}

double walk_unknown_instr(Arena *a, const Walk *w)
{
    double sum = 0;
    for (size_t i = 0; i < w->functions.count && !w->capped; i++) {
        const WalkFunction *f = w->functions.at[i];
        const bool *in = unknown_blocks(a, f);
        for (int b = 0; b < f->flow->cfg->count; b++)
            if (in[b])
                sum += (double)f->blocks[b].visits * (double)counted_instrs(f->flow, b);
    }
    return w->capped ? w->instr : sum;
}
