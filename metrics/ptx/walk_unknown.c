#include "metrics/ptx/walk.h"
#include "metrics/ptx/walk_branch.h"

static uint64_t counted_instrs(const Flow *f, int block)
{
    uint64_t count = 0;
    for (size_t i = f->cfg->blocks[block].first; i < f->cfg->blocks[block].end; i++)
        count += ptx_issues(&f->function->instrs.at[i]);
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
        walk_mark_between(a, c, b, f->flow->post->parent[b], between);
        for (int i = 0; i < c->count; i++)
            in[i] |= between[i];
    }
    return in;
}

double walk_unknown_instr(Arena *a, const Walk *w)
{
    const bool cut = w->capped && !w->ended;
    double sum = 0;
    for (size_t i = 0; i < w->functions.count && !cut; i++) {
        const WalkFunction *f = w->functions.at[i];
        const bool *in = unknown_blocks(a, f);
        for (int b = 0; b < f->flow->cfg->count; b++)
            if (in[b])
                sum += (double)f->blocks[b].visits * (double)counted_instrs(f->flow, b);
    }
    return cut ? w->instr : sum;
}
