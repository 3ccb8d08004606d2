#include "metrics/ptx/loop.h"

bool loop_contains(const LoopTree *t, int loop, int block)
{
    for (int l = t->loop_of[block]; l != CFG_NONE; l = t->loops.at[l].parent)
        if (l == loop)
            return true;
    return false;
}

/* Headers in reverse post-order, with their latches: outer loops come first. */
static void find_headers(Arena *a, LoopTree *t, const Cfg *c, const DomTree *dom)
{
    for (int i = 0; i < c->reachable; i++) {
        const CfgBlock *b = &c->blocks[c->order[i]];
        Loop loop = {.header = c->order[i], .parent = CFG_NONE};
        for (int k = 0; k < b->pred_count; k++) {
            const int from = b->preds[k];
            if (c->blocks[from].order == CFG_NONE || c->blocks[from].order < i)
                continue;
            if (dom_dominates(dom, loop.header, from))
                VEC_PUSH(a, &loop.latches, from);
            else
                t->irreducible++;
        }
        if (loop.latches.count)
            VEC_PUSH(a, &t->loops, loop);
    }
}

/* The outermost loop found so far around a block. */
static int outermost(const LoopTree *t, int block)
{
    int l = t->loop_of[block];
    while (l != CFG_NONE && t->loops.at[l].parent != CFG_NONE)
        l = t->loops.at[l].parent;
    return l;
}

/* Walks backwards from the latches; inner loops are there already and are taken whole. */
static void collect(LoopTree *t, const Cfg *c, int index, int *stack)
{
    Loop *loop = &t->loops.at[index];
    int depth = 0;
    t->loop_of[loop->header] =
        t->loop_of[loop->header] == CFG_NONE ? index : t->loop_of[loop->header];
    for (size_t i = 0; i < loop->latches.count; i++) {
        stack[depth++] = loop->latches.at[i];
        while (depth > 0) {
            int b = stack[--depth];
            const int l = outermost(t, b);
            if (l == index || c->blocks[b].order == CFG_NONE)
                continue;
            if (l == CFG_NONE) {
                t->loop_of[b] = index;
            } else {
                t->loops.at[l].parent = index;
                b = t->loops.at[l].header;
            }
            for (int k = 0; k < c->blocks[b].pred_count; k++)
                stack[depth++] = c->blocks[b].preds[k];
        }
    }
}

static void list_members(Arena *a, LoopTree *t, const Cfg *c)
{
    for (size_t i = 0; i < t->loops.count; i++) {
        Loop *l = &t->loops.at[i];
        l->depth = l->parent == CFG_NONE ? 1 : t->loops.at[l->parent].depth + 1;
    }
    for (int i = 0; i < c->reachable; i++) {
        const int b = c->order[i];
        for (int l = t->loop_of[b]; l != CFG_NONE; l = t->loops.at[l].parent) {
            VEC_PUSH(a, &t->loops.at[l].blocks, b);
            for (int k = 0; k < c->blocks[b].succ_count; k++) {
                const LoopEdge e = {b, c->blocks[b].succs[k]};
                if (!loop_contains(t, l, e.to))
                    VEC_PUSH(a, &t->loops.at[l].exits, e);
            }
        }
    }
}

LoopTree *loop_build(Arena *a, const Cfg *c, const DomTree *dom)
{
    LoopTree *t = ARENA_NEW(a, LoopTree);
    size_t edges = 1;
    t->loop_of = ARENA_ARRAY(a, int, (size_t)c->count);
    for (int i = 0; i < c->count; i++) {
        t->loop_of[i] = CFG_NONE;
        edges += (size_t)c->blocks[i].pred_count;
    }
    find_headers(a, t, c, dom);
    int *stack = ARENA_ARRAY(a, int, edges + t->loops.count + (size_t)c->count);
    for (size_t i = t->loops.count; i-- > 0;)
        collect(t, c, (int)i, stack);
    list_members(a, t, c);
    return t;
}
