#include "metrics/cubin/sass_reconverge.h"

#include <stdlib.h>

/* The point of reconvergence of a BSYNC, a new one when it is the first BSSY that names it; NULL when there are
 * too many. */
static SassReconvergence *point_at(Arena *a, SassReconvergences *all, const SassFlow *f, int block)
{
    for (size_t i = 0; i < all->points.count; i++)
        if (all->points.at[i].block == block)
            return &all->points.at[i];
    if (all->points.count == SASS_RECONVERGENCES_MOST)
        return NULL;
    SassReconvergence *m = VEC_ADD(a, &all->points);
    *m = (SassReconvergence){.block = block, .within = ARENA_ARRAY(a, bool, (size_t)f->cfg->count)};
    return m;
}

/* Marks what can be come to from a block, up to the BSYNC; what diverges in a subroutine reconverges there. */
static void mark_within(SassReconvergence *m, const SassFlow *f, int from, int *stack)
{
    int depth = 0;
    if (!m->within[from] && from != m->block)
        stack[depth++] = from;
    m->within[from] = m->within[from] || from != m->block;
    while (depth > 0) {
        const int block = stack[--depth];
        const CfgBlock *b = &f->cfg->blocks[block];
        for (int k = 0; k < b->succ_count; k++) {
            const int to = b->succs[k];
            if (to == m->block || m->within[to] || to == f->callee[block])
                continue;
            m->within[to] = true;
            stack[depth++] = to;
        }
    }
}

static void close_point(SassReconvergence *m, const SassFlow *f)
{
    m->closed = true;
    for (int b = 0; b < f->cfg->count; b++) {
        const CfgBlock *block = &f->cfg->blocks[b];
        m->size += m->within[b];
        for (int k = 0; m->within[b] && k < block->succ_count; k++)
            m->closed &= m->within[block->succs[k]] || block->succs[k] == m->block ||
                         block->succs[k] == f->callee[b];
        m->closed &= !m->within[b] || (block->succ_count > 0 && !block->ends_thread);
    }
}

static int fewer_within(const void *x, const void *y)
{
    const SassReconvergence *a = x, *b = y;
    return a->size != b->size ? a->size - b->size : a->block - b->block;
}

SassReconvergences sass_reconvergences_find(Arena *a, const SassFlow *f)
{
    SassReconvergences all = {.points = {0}};
    int *stack = ARENA_ARRAY(a, int, (size_t)f->cfg->count);
    for (size_t i = 0; i < f->count; i++) {
        size_t behind;
        if (!sass_reconvergence(f->instrs[i], i, f->count, &behind) || behind == 0)
            continue;
        const int block = f->cfg->block_of[behind - 1];
        if (!f->reconverges[block] || f->cfg->blocks[block].end != behind)
            continue;
        SassReconvergence *m = point_at(a, &all, f, block);
        if (m)
            mark_within(m, f, f->cfg->block_of[i], stack);
    }
    for (size_t i = 0; i < all.points.count; i++)
        close_point(&all.points.at[i], f);
    if (all.points.count)
        qsort(all.points.at, all.points.count, sizeof *all.points.at, fewer_within);
    for (size_t i = 0; i < all.points.count; i++)
        for (size_t k = i + 1; k < all.points.count; k++)
            all.points.at[i].closed &= !all.points.at[i].within[all.points.at[k].block];
    return all;
}
