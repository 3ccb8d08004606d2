#include "tuner/space/diagram.h"

#include "metrics/base/map.h"
#include "tuner/space/plan.h"

#include <stdlib.h>
#include <xxhash.h>

enum {
    NODES_MOST = 2000000, /* with their edges some 400 MB */
    EDGES_MOST = 20000000,
    JUDGED_MOST = 5000000, /* values tried: a few seconds */
    NO_NODE = UINT32_MAX   /* rejected */
};

/* A value of a parameter, and what follows. */
typedef struct Edge {
    uint32_t node;
    uint32_t value; /* number; if rejected, the constraint, or constraint_count + parameter */
} Edge;

typedef struct Node {
    uint32_t parameter; /* that gets its value here */
    uint32_t edge_count;
    size_t first_edge;
    uint64_t count; /* valid points from here on */
    uint64_t paths; /* that lead here */
    bool free;      /* all values of this and the later parameters are allowed */
    uint64_t check; /* the other half of its key */
} Node;

struct SpaceDiagram {
    const Space *space;
    Node *nodes;
    size_t node_count, node_room;
    Edge *edges;
    size_t edge_count, edge_room;
    uint32_t root; /* NO_NODE: nothing is valid */
};

typedef struct Build {
    SpaceDiagram *diagram;
    SpacePlan *plan;
    Space *space;
    size_t **live; /* per parameter: slots set before it that later checks read */
    size_t *live_count;
    Buf key;       /* text that is hashed to a node's key */
    NumberMap ids; /* of nodes, by half of their keys */
    Edge *stack;   /* edges of the nodes under construction */
    size_t depth, stack_room;
    size_t judged; /* values tried */
    Diag *d;
    DiagramEnd end;
} Build;

/* --- what later checks read ------------------------------------------------------------------- */

static void find_live(Arena *a, Build *b)
{
    const Spec *s = b->space->spec;
    size_t n = s->parameter_count, slots = spec_slot_count(s);
    bool *reads = ARENA_ARRAY(a, bool, slots);
    b->live = ARENA_ARRAY(a, size_t *, n + 1);
    b->live_count = ARENA_ARRAY(a, size_t, n + 1);
    for (size_t p = n; p-- > 0;) { /* by the checks of p and later parameters */
        VEC_EACH (const Check, c, b->plan->checks[p + 1]) {
            const Parameter *x = c->kind == CHECK_MEMBER ? &s->parameters[c->index] : NULL;
            for (size_t i = 0; x && i < x->item_count; i++)
                expr_mark_names(x->items[i], reads);
            expr_mark_names(x ? NULL : c->expr, reads);
        }
        b->live[p] = ARENA_ARRAY(a, size_t, slots);
        for (size_t k = 0; k < slots; k++)
            if (reads[k] && b->plan->level[k] > 0 && b->plan->level[k] <= p)
                b->live[p][b->live_count[p]++] = k;
    }
}

/* --- nodes by what is live -------------------------------------------------------------------- */

/* Bytes that identify a value. */
static void add_value(Buf *key, Value v)
{
    buf_add(key, &v.kind, sizeof v.kind);
    if (v.kind == VALUE_STRING) {
        buf_add(key, v.string, strlen(v.string) + 1);
    } else if (v.kind == VALUE_LIST) {
        buf_add(key, &v.list->count, sizeof v.list->count);
        for (size_t i = 0; i < v.list->count; i++)
            add_value(key, v.list->at[i]);
    } else {
        int64_t word = v.kind == VALUE_BOOL ? v.boolean : v.integer; /* the bits, if it is a real */
        buf_add(key, &word, sizeof word);
    }
}

static void *grown(void *at, size_t *room, size_t count, size_t size)
{
    if (count <= *room)
        return at;
    *room = FIRST_SIZE(256, 0) + 2 * count;
    return memory_resize(at, *room, size);
}

/* Adds the node with the edges of the stack from `from` on; returns its number. */
static uint32_t add_node(Build *b, uint64_t key, Node node, size_t from)
{
    SpaceDiagram *g = b->diagram;
    size_t edges = b->depth - from;
    if (g->node_count >= NODES_MOST || g->edge_count + edges > EDGES_MOST) {
        b->end = DIAGRAM_LARGE;
        return NO_NODE;
    }
    g->nodes = grown(g->nodes, &g->node_room, g->node_count + 1, sizeof *g->nodes);
    g->edges = grown(g->edges, &g->edge_room, g->edge_count + edges, sizeof *g->edges);
    node.first_edge = g->edge_count;
    node.edge_count = (uint32_t)edges;
    if (edges > 0)
        memcpy(g->edges + g->edge_count, b->stack + from, edges * sizeof *b->stack);
    g->edge_count += edges;
    g->nodes[g->node_count] = node;
    numbers_put(&b->ids, key, g->node_count);
    return (uint32_t)g->node_count++;
}

static void push_edge(Build *b, Edge e)
{
    b->stack = grown(b->stack, &b->stack_room, b->depth + 1, sizeof *b->stack);
    b->stack[b->depth++] = e;
}

/* --- building --------------------------------------------------------------------------------- */

static uint32_t node_from(Build *b, size_t p);

/* Pushes the edge of value `v` of parameter `p`; returns how many points follow. */
static uint64_t add_edge(Build *b, size_t p, size_t v)
{
    const Check *by = NULL;
    size_t cause;
    if (b->judged++ >= JUDGED_MOST) {
        b->end = DIAGRAM_LARGE;
        return 0;
    }
    *space_plan_slot(b->plan, p) = b->space->values[p].at[v];
    switch (space_plan_judge(b->plan, p + 1, &by, b->d)) {
    case VERDICT_ERROR:
        b->end = DIAGRAM_ERROR;
        return 0;
    case VERDICT_REJECTED:
        cause = (by->kind == CHECK_MEMBER ? b->space->spec->constraint_count : 0) + by->index;
        push_edge(b, (Edge){NO_NODE, (uint32_t)cause});
        return 0;
    default:
        break;
    }
    uint32_t node = node_from(b, p + 1);
    if (node == NO_NODE)
        return 0;
    push_edge(b, (Edge){node, (uint32_t)v});
    return b->diagram->nodes[node].count;
}

/* The node of what can follow the current values of the parameters before `p`. */
static uint32_t node_from(Build *b, size_t p)
{
    const Space *s = b->space;
    size_t n = s->spec->parameter_count;
    buf_clear(&b->key);
    for (size_t i = 0; i < b->live_count[p]; i++)
        add_value(&b->key, b->plan->slots[b->live[p][i]]);
    const XXH128_hash_t key = XXH3_128bits_withSeed(buf_text(&b->key), b->key.size, p);
    const size_t known = numbers_get(&b->ids, key.low64);
    if (known < SIZE_MAX && b->diagram->nodes[known].check == key.high64)
        return (uint32_t)known;
    Node node = {
        .parameter = (uint32_t)p, .free = p == n || b->plan->free_below[p], .check = key.high64};
    b->end = known < SIZE_MAX ? DIAGRAM_LARGE : b->end; /* half keys that are equal by chance */
    size_t from = b->depth;
    if (node.free)
        node.count = p == n ? 1 : s->stride[p] * s->values[p].count;
    for (size_t v = 0; !node.free && v < s->values[p].count && b->end == DIAGRAM_OK; v++)
        node.count += add_edge(b, p, v);
    uint32_t id = b->end == DIAGRAM_OK ? add_node(b, key.low64, node, from) : NO_NODE;
    b->depth = from;
    return id;
}

/* A node is made after all that follow it, so the last one is the root. */
static void count_rejected(SpaceDiagram *g, Space *s)
{
    size_t constraints = s->spec->constraint_count;
    if (g->node_count > 0)
        g->nodes[g->root].paths = 1;
    for (size_t i = g->node_count; i-- > 0;) {
        const Node *node = &g->nodes[i];
        for (size_t k = 0; k < node->edge_count; k++) {
            const Edge *e = &g->edges[node->first_edge + k];
            uint64_t below = node->paths * s->stride[node->parameter];
            if (e->node != NO_NODE)
                g->nodes[e->node].paths += node->paths;
            else if (e->value < constraints)
                s->rejected[e->value] += below;
            else
                s->refused[e->value - constraints] += below;
        }
    }
}

DiagramEnd space_diagram_new(Arena *a, Space *s, SpaceDiagram **out, Diag *d)
{
    SpaceDiagram *g = ARENA_NEW(a, SpaceDiagram);
    SCOPED_ARENA *scratch = arena_new();
    Build b = {
        .diagram = g, .plan = space_plan_new(a, s), .space = s, .d = d, .ids.arena = scratch};
    const Check *by = NULL;
    *g = (SpaceDiagram){.space = s, .root = NO_NODE};
    find_live(a, &b);
    Verdict first = space_plan_judge(b.plan, 0, &by, d);
    if (first == VERDICT_ERROR)
        b.end = DIAGRAM_ERROR;
    else if (first == VERDICT_REJECTED)
        s->rejected[by->index] += s->product;
    else
        g->root = node_from(&b, 0);
    if (b.end == DIAGRAM_OK)
        count_rejected(g, s);
    buf_free(&b.key);
    free(b.stack);
    space_plan_free(b.plan);
    *out = g;
    if (b.end != DIAGRAM_OK) {
        space_diagram_free(g);
        *out = NULL;
    }
    return b.end;
}

void space_diagram_free(SpaceDiagram *g)
{
    if (!g)
        return;
    free(g->nodes);
    free(g->edges);
    *g = (SpaceDiagram){.root = NO_NODE};
}

void space_free(Space *s)
{
    space_diagram_free(s->diagram);
    s->diagram = NULL;
    free(s->ranks);
    s->ranks = NULL;
    s->count = 0;
}

/* --- queries ---------------------------------------------------------------------------------- */

uint64_t space_diagram_count(const SpaceDiagram *g)
{
    return g->root == NO_NODE ? 0 : g->nodes[g->root].count;
}

bool space_diagram_has(const SpaceDiagram *g, const uint16_t *point)
{
    uint32_t at = g->root;
    while (at != NO_NODE && !g->nodes[at].free) {
        const Node *node = &g->nodes[at];
        at = NO_NODE;
        for (size_t k = 0; k < node->edge_count && at == NO_NODE; k++) {
            const Edge *e = &g->edges[node->first_edge + k];
            if (e->node != NO_NODE && e->value == point[node->parameter])
                at = e->node;
        }
    }
    return at != NO_NODE && g->nodes[at].count > 0;
}

/* A random number below n > 0; gsl_rng_uniform_int is limited to 32 bits with this generator. */
static uint64_t below(gsl_rng *random, uint64_t n)
{
    uint64_t limit = n <= UINT64_MAX / 2 ? UINT64_MAX / n * n : n, x;
    do {
        x = gsl_rng_get(random) << 32 | (gsl_rng_get(random) & UINT32_MAX);
    } while (x >= limit);
    return x % n;
}

void space_diagram_at(const SpaceDiagram *g, uint64_t number, uint16_t *point)
{
    const Space *s = g->space;
    const Node *node = &g->nodes[g->root];
    while (!node->free) {
        const Edge *e = &g->edges[node->first_edge];
        while (e->node == NO_NODE || number >= g->nodes[e->node].count) {
            number -= e->node == NO_NODE ? 0 : g->nodes[e->node].count;
            e++;
        }
        point[node->parameter] = (uint16_t)e->value;
        node = &g->nodes[e->node];
    }
    for (size_t p = node->parameter; p < s->spec->parameter_count; p++)
        point[p] = (uint16_t)space_place(s, number, p);
}

bool space_diagram_draw(const SpaceDiagram *g, gsl_rng *random, uint16_t *point)
{
    uint64_t count = space_diagram_count(g);
    if (count > 0)
        space_diagram_at(g, below(random, count), point);
    return count > 0;
}
