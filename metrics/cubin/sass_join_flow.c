#include "metrics/cubin/sass_join_flow.h"

#include <math.h>

static SassSum plus(Program *p, SassSum a, SassSum b, double factor)
{
    if (p->terms > TERMS_MOST)
        return a;
    p->terms += a.count + b.count;
    return sass_sum(p->lp.arena, &a, &b, factor);
}

/* Lanes leave a loop at different times only if those of the PTX do. */
static bool may_diverge(const Program *p, int b)
{
    const SassFlow *f = p->join->flow;
    return block_at(p, b)->succ_count > 1 && !is_call(p, b) && sass_flow_apart(f, b) == CFG_NONE &&
           (p->leaving > 0 || !leaves_loop(f->loops, f->cfg, b));
}

/* Groups that diverged on the way to a BSYNC and did not reconverge before. */
static SassSum diverged_within(Program *p, const SassReconvergence *m)
{
    SassSum sum = {0};
    for (int b = 0; b < p->cfg->count; b++) {
        if (m->within[b] && p->diverged[b] != CFG_NONE)
            sum = plus(p, sum, sass_program_sum(&p->lp, p->diverged[b]), 1);
        if (m->within[b] && b != m->block)
            sum = plus(p, sum, p->reconverged[b], -1);
    }
    return sum;
}

/* Adds the row s <= most. */
static void limit(Program *p, const SassSum *s, const SassSum *most)
{
    sass_program_row(&p->lp, 0);
    sass_program_term_sum(&p->lp, s, 1);
    sass_program_term_sum(&p->lp, most, -1);
}

/* The walk goes both ways at a branch with an unknown outcome.  Where ptxas knows the branch to be uniform
 * it puts no BSYNC, so the two ways merge at the immediate post-dominator. */
static void merge_unknown(Program *p)
{
    const SassFlow *f = p->join->flow;
    p->merged = ARENA_ARRAY(p->lp.arena, SassSum, (size_t)f->cfg->count);
    for (int b = 0; p->walk->unknown_branches > 0 && b < f->cfg->count; b++) {
        const int behind = f->post->parent[b];
        bool waits = p->diverged[b] == CFG_NONE || behind == CFG_NONE || behind == f->cfg->count;
        for (size_t i = 0; i < p->points.count && !waits; i++)
            waits = p->points.at[i].within[b];
        if (!waits)
            p->merged[behind] =
                plus(p, p->merged[behind], sass_program_sum(&p->lp, p->diverged[b]), 1);
    }
}

/* Behind a BSYNC that all lanes come to, all groups have reconverged; else at most those that diverged.
 * Points are sorted with inner ones first. */
void join_allow_divergence(Program *p)
{
    const SassFlow *f = p->join->flow;
    p->reconverged = ARENA_ARRAY(p->lp.arena, SassSum, (size_t)f->cfg->count);
    p->diverged = ARENA_ARRAY(p->lp.arena, int, (size_t)f->cfg->count);
    for (int b = 0; b < f->cfg->count; b++) {
        p->diverged[b] = CFG_NONE;
        if (p->diverges && reached(p, b) && may_diverge(p, b))
            p->diverged[b] = sass_program_column(&p->lp);
    }
    if (!p->diverges)
        return;
    p->points = sass_flow_reconvergences(p->lp.arena, f);
    merge_unknown(p);
    VEC_EACH (const SassReconvergence, m, p->points)
        if (!m->closed && reached(p, m->block))
            p->reconverged[m->block] = sass_program_sum(&p->lp, sass_program_column(&p->lp));
    VEC_EACH (const SassReconvergence, m, p->points) {
        const SassSum diverged = diverged_within(p, m);
        if (m->closed)
            p->reconverged[m->block] = diverged;
        else if (reached(p, m->block))
            limit(p, &p->reconverged[m->block], &diverged);
    }
}

/* True if the edge goes back in reverse post-order, so that its flow is a column of its own. */
static bool leads_back(const Program *p, int b, int k)
{
    return block_at(p, block_at(p, b)->succs[k])->order <= block_at(p, b)->order;
}

static SassSum integer_column(Program *p)
{
    const int column = sass_program_column(&p->lp);
    VEC_PUSH(p->lp.arena, &p->lp.integers, column);
    return sass_program_sum(&p->lp, column);
}

/* The flow of an edge as a free integer. */
static SassSum free_edge(Program *p, int b, int k)
{
    if (leads_back(p, b, k))
        VEC_PUSH(p->lp.arena, &p->lp.integers, p->edges[b][k].terms[0].column);
    else
        p->edges[b][k] = integer_column(p);
    return p->edges[b][k];
}

/* Sets the flow of an edge, which follows from others. */
static void set_edge(Program *p, int b, int k, SassSum rest)
{
    if (!leads_back(p, b, k)) {
        p->edges[b][k] = rest;
        return;
    }
    VEC_PUSH(p->lp.arena, &p->lp.integers, p->edges[b][k].terms[0].column);
    sass_program_cost(&p->lp, AIM_FLOW, sass_program_row(&p->lp, 0), 1);
    sass_program_term_sum(&p->lp, &p->edges[b][k], 1);
    sass_program_term_sum(&p->lp, &rest, -1);
}

/* A subroutine returns behind the call. */
static void leave_call(Program *p, int b)
{
    const int behind = block_at(p, b)->succ_count - 1;
    set_edge(p, b, behind, p->visits[b]);
    if (behind == 0)
        return;
    if (!sass_conditional(sass_flow_last(p->join->flow, b))) {
        set_edge(p, b, 0, p->visits[b]);
        return;
    }
    const SassSum called = free_edge(p, b, 0);
    limit(p, &called, &p->visits[b]);
}

/* Of a block, as a share of the code. */
static double position(const Cfg *c, int b)
{
    return (double)c->blocks[b].order / c->reachable;
}

/* The distance of a branch to the nearest position where lanes of the PTX diverge. */
static double distance_in_ptx(const Program *p, int b)
{
    double least = 1;
    for (size_t i = 0; i < p->walk->functions.count; i++) {
        const WalkFunction *f = p->walk->functions.at[i];
        for (int k = 0; k < f->flow->cfg->count; k++)
            if (f->blocks[k].diverged && !leaves_loop(f->flow->loops, f->flow->cfg, k))
                least = fmin(least, fabs(position(f->flow->cfg, k) - position(p->cfg, b)));
    }
    return least;
}

/* Divergence has a cost, so that it is no more than the landmarks require and near that of the PTX. */
static const double DIVERGENCE_COST = 0.5, DISTANCE_COST = 0.25;

/* No edge is taken more often than the block is visited; `chosen`: the sum of all edges but the last. */
static void limit_divergence(Program *p, int b, int last, const SassSum *chosen)
{
    const SassSum diverged = sass_program_sum(&p->lp, p->diverged[b]);
    sass_program_cost(&p->lp, AIM_INSTRUCTIONS, p->diverged[b],
                      DIVERGENCE_COST + DISTANCE_COST * distance_in_ptx(p, b));
    limit(p, &diverged, chosen);
    for (int k = 0; k < block_at(p, b)->succ_count; k++)
        if (k != last)
            limit(p, &p->edges[b][k], &p->visits[b]);
}

/* The last forward edge, if any, else the last edge: its flow follows from the others. */
static int last_edge(const Program *p, int b)
{
    const int count = block_at(p, b)->succ_count;
    for (int k = count - 1; k >= 0; k--)
        if (!leads_back(p, b, k))
            return k;
    return count - 1;
}

/* Flow out = flow in, plus groups that diverge, less those that have reconverged. */
static void leave_block(Program *p, int b)
{
    const CfgBlock *block = block_at(p, b);
    SassSum rest = p->visits[b], chosen = {0};
    if (block->succ_count == 0)
        return;
    if (is_call(p, b)) {
        leave_call(p, b);
        return;
    }
    rest = plus(p, rest, p->reconverged[b], -1);
    if (p->diverged[b] != CFG_NONE)
        rest = plus(p, rest, sass_program_sum(&p->lp, p->diverged[b]), 1);
    const int last = last_edge(p, b);
    if (block->ends_thread)
        chosen = integer_column(p);
    for (int k = 0; k < block->succ_count; k++)
        if (k != last)
            chosen = plus(p, chosen, free_edge(p, b, k), 1);
    if (block->ends_thread || block->succ_count > 1 + (p->diverged[b] != CFG_NONE))
        limit(p, &chosen, &rest);
    if (p->diverged[b] != CFG_NONE)
        limit_divergence(p, b, last, &chosen);
    set_edge(p, b, last, plus(p, rest, chosen, -1));
}

/* Expresses visits and edges as sums of as few columns as there are choices. */
void join_conserve_flow(Program *p)
{
    const Cfg *c = p->cfg;
    p->visits = ARENA_ARRAY(p->lp.arena, SassSum, (size_t)c->count);
    p->edges = ARENA_ARRAY(p->lp.arena, SassSum *, (size_t)c->count);
    for (int b = 0; b < c->count; b++) {
        p->edges[b] = ARENA_ARRAY(p->lp.arena, SassSum, (size_t)c->blocks[b].succ_count + 1);
        for (int k = 0; reached(p, b) && k < c->blocks[b].succ_count; k++)
            if (leads_back(p, b, k))
                p->edges[b][k] = sass_program_sum(&p->lp, sass_program_column(&p->lp));
    }
    p->visits[0].constant = 1;
    for (int i = 0; i < c->reachable; i++) {
        const int b = c->order[i];
        for (int k = 0; k < c->blocks[b].pred_count; k++)
            if (reached(p, c->blocks[b].preds[k]))
                p->visits[b] = plus(p, p->visits[b], *edge(p, c->blocks[b].preds[k], b), 1);
        if (p->diverges)
            p->visits[b] = plus(p, p->visits[b], p->merged[b], -1);
        leave_block(p, b);
    }
    VEC_EACH (const SassReconvergence, m, p->points)
        if (!m->closed && reached(p, m->block))
            limit(p, &p->reconverged[m->block], &p->visits[m->block]);
}
