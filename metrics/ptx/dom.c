#include "metrics/ptx/dom.h"

/* A graph to build over: predecessors in the direction of the walk. */
typedef struct Graph {
    const Cfg *cfg;
    bool backward;
    int root;
    int count;
    int *order;    /* nodes in reverse post-order of this direction */
    int *position; /* in `order`; CFG_NONE when not reached */
    int reached;
} Graph;

/* Edge k out of node b in the graph's direction; CFG_NONE behind the last. */
static int edge_out(const Graph *g, int b, int k)
{
    if (!g->backward)
        return k < g->cfg->blocks[b].succ_count ? g->cfg->blocks[b].succs[k] : CFG_NONE;
    if (b != g->root)
        return k < g->cfg->blocks[b].pred_count ? g->cfg->blocks[b].preds[k] : CFG_NONE;
    for (int i = k; i < g->cfg->count; i++)
        if (g->cfg->blocks[i].ends_thread)
            return i;
    return CFG_NONE;
}

/* Where to go on after edge k of a node: the root of the backward graph skips blocks. */
static int edge_after(const Graph *g, int b, int k)
{
    return g->backward && b == g->root ? edge_out(g, b, k) + 1 : k + 1;
}

/* Edge k into node b; CFG_NONE behind the last. */
static int edge_in(const Graph *g, int b, int k)
{
    if (b == g->root)
        return CFG_NONE;
    const CfgBlock *block = &g->cfg->blocks[b];
    if (!g->backward)
        return k < block->pred_count ? block->preds[k] : CFG_NONE;
    if (k < block->succ_count)
        return block->succs[k];
    return k == block->succ_count && block->ends_thread ? g->root : CFG_NONE;
}

static void order_nodes(Arena *a, Graph *g)
{
    const size_t n = (size_t)g->count;
    int *stack = ARENA_ARRAY(a, int, n), *next = ARENA_ARRAY(a, int, n);
    int *post = ARENA_ARRAY(a, int, n);
    bool *seen = ARENA_ARRAY(a, bool, n);
    int depth = 0;
    stack[depth++] = g->root;
    seen[g->root] = true;
    while (depth > 0) {
        const int b = stack[depth - 1], to = edge_out(g, b, next[b]);
        if (to == CFG_NONE) {
            post[g->reached++] = b;
            depth--;
            continue;
        }
        next[b] = edge_after(g, b, next[b]);
        if (!seen[to]) {
            seen[to] = true;
            stack[depth++] = to;
        }
    }
    g->order = ARENA_ARRAY(a, int, n);
    g->position = ARENA_ARRAY(a, int, n);
    for (int i = 0; i < g->count; i++)
        g->position[i] = CFG_NONE;
    for (int i = 0; i < g->reached; i++) {
        g->order[i] = post[g->reached - 1 - i];
        g->position[g->order[i]] = i;
    }
}

static int intersect(const Graph *g, const int *parent, int a, int b)
{
    while (a != b) {
        while (g->position[a] > g->position[b])
            a = parent[a];
        while (g->position[b] > g->position[a])
            b = parent[b];
    }
    return a;
}

static int new_parent(const Graph *g, const int *parent, int b)
{
    int best = CFG_NONE;
    for (int k = 0;; k++) {
        const int from = edge_in(g, b, k);
        if (from == CFG_NONE)
            return best;
        if (g->position[from] == CFG_NONE || parent[from] == CFG_NONE)
            continue;
        best = best == CFG_NONE ? from : intersect(g, parent, from, best);
    }
}

static void find_parents(const Graph *g, int *parent)
{
    for (int i = 0; i < g->count; i++)
        parent[i] = CFG_NONE;
    parent[g->root] = g->root;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i < g->reached; i++) {
            const int b = g->order[i], p = new_parent(g, parent, b);
            changed |= p != parent[b];
            parent[b] = p;
        }
    }
    parent[g->root] = CFG_NONE;
}

/* Positions and sizes make "dominates" a comparison of two numbers. */
static void number_tree(Arena *a, DomTree *t, const Graph *g)
{
    int *next = ARENA_ARRAY(a, int, (size_t)g->count);
    for (int i = 0; i < g->count; i++)
        t->first[i] = CFG_NONE;
    for (int i = g->reached - 1; i >= 0; i--) {
        const int b = g->order[i];
        t->size[b]++;
        if (b != g->root)
            t->size[t->parent[b]] += t->size[b];
    }
    t->first[g->root] = 0;
    next[g->root] = 1;
    for (int i = 1; i < g->reached; i++) {
        const int b = g->order[i], p = t->parent[b];
        t->first[b] = next[p];
        next[p] += t->size[b];
        next[b] = t->first[b] + 1;
    }
}

static DomTree *build(Arena *a, Graph *g)
{
    DomTree *t = ARENA_NEW(a, DomTree);
    order_nodes(a, g);
    t->root = g->root;
    t->count = g->count;
    t->parent = ARENA_ARRAY(a, int, (size_t)g->count);
    t->first = ARENA_ARRAY(a, int, (size_t)g->count);
    t->size = ARENA_ARRAY(a, int, (size_t)g->count);
    find_parents(g, t->parent);
    number_tree(a, t, g);
    return t;
}

DomTree *dom_build(Arena *a, const Cfg *c)
{
    Graph g = {.cfg = c, .root = 0, .count = c->count};
    return build(a, &g);
}

DomTree *dom_build_post(Arena *a, const Cfg *c)
{
    Graph g = {.cfg = c, .backward = true, .root = c->count, .count = c->count + 1};
    return build(a, &g);
}

bool dom_dominates(const DomTree *t, int a, int b)
{
    if (t->first[a] == CFG_NONE || t->first[b] == CFG_NONE)
        return false;
    return t->first[a] <= t->first[b] && t->first[b] < t->first[a] + t->size[a];
}
