#include "metrics/ptx/flow.h"

/* --- blocks and their successors ------------------------------------------------------------- */

/* Leaders besides the entry: labels (one at the very end needs an empty block), what follows a branch. */
static bool *mark_leaders(Arena *a, const PtxFunction *f, bool *at_end)
{
    bool *leads = ARENA_ARRAY(a, bool, f->instrs.count + 1);
    for (size_t i = 0; i < f->labels.count; i++)
        leads[f->labels.at[i].instr] = true;
    *at_end = leads[f->instrs.count];
    for (size_t i = 0; i < f->instrs.count; i++)
        if (f->instrs.at[i].form->class == PTX_CLASS_BRANCH)
            leads[i + 1] = true;
    return leads;
}

void cfg_cut(Arena *a, Cfg *c, const bool *leads, size_t count, bool at_end)
{
    const size_t n = count + (at_end || count == 0);
    for (size_t i = 0; i < n; i++)
        c->count += i == 0 || leads[i];
    c->blocks = ARENA_ARRAY(a, CfgBlock, (size_t)c->count);
    c->block_of = ARENA_ARRAY(a, int, n);
    int b = -1;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || leads[i])
            c->blocks[++b].first = i;
        c->block_of[i] = b;
        c->blocks[b].end = i < count ? i + 1 : i;
    }
}

const PtxInstr *cfg_branch(const Cfg *c, int block)
{
    const CfgBlock *b = &c->blocks[block];
    if (b->end == b->first)
        return NULL;
    const PtxInstr *in = &c->function->instrs.at[b->end - 1];
    return in->form->class == PTX_CLASS_BRANCH ? in : NULL;
}

static int block_of_operand(const Cfg *c, const PtxOperand *o)
{
    if (o->kind != PTX_OPERAND_LABEL)
        return CFG_NONE;
    return c->block_of[c->function->labels.at[o->index].instr];
}

void cfg_add_successor(CfgBlock *b, int to)
{
    if (to == CFG_NONE)
        return;
    for (int i = 0; i < b->succ_count; i++)
        if (b->succs[i] == to)
            return;
    b->succs[b->succ_count++] = to;
}

static const PtxTable *table_of(const Cfg *c, const PtxInstr *in)
{
    if (in->form->op != PTX_BRX_IDX || in->count < 2 || in->operands[1].kind != PTX_OPERAND_TABLE)
        return NULL;
    return &c->function->tables.at[in->operands[1].index];
}

static void link_block(Arena *a, Cfg *c, int i)
{
    CfgBlock *b = &c->blocks[i];
    const PtxInstr *in = cfg_branch(c, i);
    const PtxTable *table = in ? table_of(c, in) : NULL;
    const int behind = i + 1 < c->count ? i + 1 : CFG_NONE;
    b->taken = CFG_NONE;
    b->fall = !in || in->guard != PTX_NO_GUARD ? behind : CFG_NONE;
    b->succs = ARENA_ARRAY(a, int, 2 + (table ? table->count : 0));
    if (in && in->form->op == PTX_BRA && in->count > 0)
        b->taken = block_of_operand(c, &in->operands[0]);
    cfg_add_successor(b, b->taken);
    for (size_t k = 0; table && k < table->count; k++)
        cfg_add_successor(b, block_of_operand(c, &table->targets[k]));
    /* The parser has reported a branch without a target; it falls through. */
    if (b->succ_count == 0 && in && (in->form->op == PTX_BRA || in->form->op == PTX_BRX_IDX))
        b->fall = behind;
    b->ends_thread =
        (in && (in->form->op == PTX_RET || in->form->op == PTX_EXIT || in->form->op == PTX_TRAP)) ||
        (b->succ_count == 0 && b->fall == CFG_NONE);
    cfg_add_successor(b, b->fall);
}

/* --- order ----------------------------------------------------------------------------------- */

static void link_predecessors(Arena *a, Cfg *c)
{
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->blocks[i].succ_count; k++)
            c->blocks[c->blocks[i].succs[k]].pred_count++;
    for (int i = 0; i < c->count; i++) {
        c->blocks[i].preds = ARENA_ARRAY(a, int, (size_t)c->blocks[i].pred_count);
        c->blocks[i].pred_count = 0;
    }
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->blocks[i].succ_count; k++) {
            CfgBlock *to = &c->blocks[c->blocks[i].succs[k]];
            to->preds[to->pred_count++] = i;
        }
}

/* Reverse post-order from a root. Iterative depth-first search: untrusted graphs may be deep. */
static void order_blocks(Arena *a, Cfg *c, int root)
{
    const size_t n = (size_t)c->count;
    int *stack = ARENA_ARRAY(a, int, n), *next = ARENA_ARRAY(a, int, n), depth = 0, at = c->count;
    int *order = ARENA_ARRAY(a, int, n);
    bool *seen = ARENA_ARRAY(a, bool, n);
    stack[depth++] = root;
    seen[root] = true;
    while (depth > 0) {
        const int b = stack[depth - 1];
        if (next[b] == c->blocks[b].succ_count) {
            order[--at] = b;
            depth--;
            continue;
        }
        const int to = c->blocks[b].succs[next[b]++];
        if (!seen[to])
            stack[depth++] = to;
        seen[to] = true;
    }
    c->order = order + at;
    c->reachable = c->count - at;
    for (int i = 0; i < c->count; i++)
        c->blocks[i].order = CFG_NONE;
    for (int i = 0; i < c->reachable; i++)
        c->blocks[c->order[i]].order = i;
}

void cfg_finish(Arena *a, Cfg *c)
{
    link_predecessors(a, c);
    order_blocks(a, c, 0);
}

void cfg_between(Arena *a, const Cfg *c, int block, int reconvergence, bool *in)
{
    const bool within = reconvergence != CFG_NONE && reconvergence != c->count;
    if (within)
        in[reconvergence] = true;
    cfg_reach(a, c, block, NULL, in);
    if (within)
        in[reconvergence] = false;
}

void cfg_reach(Arena *a, const Cfg *c, int from, const int *skip, bool *marked)
{
    int *todo = ARENA_ARRAY(a, int, (size_t)c->count + 1), count = 0;
    todo[count++] = from; /* not marked itself unless it is reached */
    while (count > 0) {
        const int at = todo[--count];
        const CfgBlock *b = &c->blocks[at];
        for (int i = 0; i < b->succ_count; i++) {
            if (marked[b->succs[i]] || (skip && skip[at] == b->succs[i]))
                continue;
            todo[count++] = b->succs[i];
            marked[b->succs[i]] = true;
        }
    }
}

bool cfg_ends_at_once(const Cfg *c, int block)
{
    const CfgBlock *b = &c->blocks[block];
    for (int k = 0; k < b->succ_count; k++) {
        const CfgBlock *to = &c->blocks[b->succs[k]];
        if (to->succ_count == 0 && to->ends_thread && to->end - to->first <= 1)
            return true;
    }
    return false;
}

/* --- dominators ------------------------------------------------------------------------------ */

static int intersect(const Cfg *c, const int *parent, int a, int b)
{
    while (a != b) {
        while (c->blocks[a].order > c->blocks[b].order)
            a = parent[a];
        while (c->blocks[b].order > c->blocks[a].order)
            b = parent[b];
    }
    return a;
}

static int new_parent(const Cfg *c, const int *parent, int b)
{
    int best = CFG_NONE;
    for (int k = 0; k < c->blocks[b].pred_count; k++) {
        const int from = c->blocks[b].preds[k];
        if (parent[from] != CFG_NONE)
            best = best == CFG_NONE ? from : intersect(c, parent, from, best);
    }
    return best;
}

/* Needs predecessors and order. */
DomTree *dom_build(Arena *a, const Cfg *c)
{
    DomTree *t = ARENA_NEW(a, DomTree);
    t->root = c->order[0];
    t->parent = ARENA_ARRAY(a, int, (size_t)c->count);
    for (int i = 0; i < c->count; i++)
        t->parent[i] = CFG_NONE;
    t->parent[t->root] = t->root;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i < c->reachable; i++) {
            const int b = c->order[i], p = new_parent(c, t->parent, b);
            changed |= p != t->parent[b];
            t->parent[b] = p;
        }
    }
    t->parent[t->root] = CFG_NONE;
    return t;
}

/* The reversed graph: the end leads to every block that ends the thread. */
DomTree *dom_build_post(Arena *a, const Cfg *c)
{
    Cfg back = {.count = c->count + 1};
    back.blocks = ARENA_ARRAY(a, CfgBlock, (size_t)back.count);
    CfgBlock *end = &back.blocks[c->count];
    end->succs = ARENA_ARRAY(a, int, (size_t)back.count);
    for (int i = 0; i < c->count; i++) {
        const CfgBlock *b = &c->blocks[i];
        back.blocks[i] = (CfgBlock){.succs = b->preds, .succ_count = b->pred_count};
        if (b->ends_thread)
            end->succs[end->succ_count++] = i;
    }
    link_predecessors(a, &back);
    order_blocks(a, &back, c->count);
    return dom_build(a, &back);
}

bool dom_dominates(const DomTree *t, int a, int b)
{
    if (t->parent[b] == CFG_NONE && b != t->root)
        return false;
    while (b != CFG_NONE && b != a)
        b = t->parent[b];
    return b == a;
}

/* --- loops ----------------------------------------------------------------------------------- */

bool loop_contains(const LoopTree *t, int loop, int block)
{
    for (int l = t->loop_of[block]; l != CFG_NONE; l = t->loops.at[l].parent)
        if (l == loop)
            return true;
    return false;
}

bool loop_always(const DomTree *dom, const Loop *l, int block)
{
    for (size_t i = 0; i < l->latches.count; i++)
        if (!dom_dominates(dom, block, l->latches.at[i]))
            return false;
    return true;
}

/* Headers with their latches in reverse post-order, so that outer loops come first. */
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

/* The outermost loop around a block found so far. */
static int outermost(const LoopTree *t, int block)
{
    int l = t->loop_of[block];
    while (l != CFG_NONE && t->loops.at[l].parent != CFG_NONE)
        l = t->loops.at[l].parent;
    return l;
}

/* Walks backwards from the latches; inner loops are complete already and are absorbed whole. */
static void collect_loop(LoopTree *t, const Cfg *c, int index, int *stack)
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
    VEC_EACH (Loop, l, t->loops)
        l->depth = l->parent == CFG_NONE ? 1 : t->loops.at[l->parent].depth + 1;
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
        collect_loop(t, c, (int)i, stack);
    list_members(a, t, c);
    return t;
}

/* --- everything ------------------------------------------------------------------------------ */

static FlowWrites *find_writes(Arena *a, const PtxFunction *f)
{
    FlowWrites *writes = ARENA_ARRAY(a, FlowWrites, f->registers.count + 1);
    for (size_t i = 0; i < f->instrs.count; i++)
        for (size_t k = 0; k < f->instrs.at[i].writes.count; k++)
            VEC_PUSH(a, &writes[f->instrs.at[i].writes.at[k]], i);
    return writes;
}

static Cfg *build_cfg(Arena *a, const PtxFunction *f)
{
    Cfg *c = ARENA_NEW(a, Cfg);
    c->function = f;
    bool at_end;
    const bool *leads = mark_leaders(a, f, &at_end);
    cfg_cut(a, c, leads, f->instrs.count, at_end);
    for (int i = 0; i < c->count; i++)
        link_block(a, c, i);
    cfg_finish(a, c);
    return c;
}

Flow *flow_build(Arena *a, const PtxFunction *f)
{
    Flow *w = ARENA_NEW(a, Flow);
    w->function = f;
    w->cfg = build_cfg(a, f);
    w->dom = dom_build(a, w->cfg);
    w->post = dom_build_post(a, w->cfg);
    w->loops = loop_build(a, w->cfg, w->dom);
    w->writes = find_writes(a, f);
    return w;
}

size_t flow_writes_in_loop(const Flow *w, int reg, int loop, size_t *last)
{
    const FlowWrites *l = &w->writes[reg];
    size_t count = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!loop_contains(w->loops, loop, w->cfg->block_of[l->at[i]]))
            continue;
        count++;
        if (last)
            *last = l->at[i];
    }
    return count;
}

/* Looks at `left` instructions at most. */
static bool comes_from(const Flow *w, int reg, int loop, bool (*is)(const PtxForm *f), int *left)
{
    const FlowWrites *l = &w->writes[reg];
    for (size_t i = 0; *left > 0 && i < l->count; i++) {
        const PtxInstr *in = &w->function->instrs.at[l->at[i]];
        if (!loop_contains(w->loops, loop, w->cfg->block_of[l->at[i]]))
            continue;
        --*left;
        if (is(in->form))
            return true;
        for (int k = in->form->writes; k < in->count; k++)
            if (in->operands[k].kind == PTX_OPERAND_REGISTER && in->operands[k].index != reg &&
                comes_from(w, in->operands[k].index, loop, is, left))
                return true;
    }
    return false;
}

bool flow_comes_from(const Flow *w, int reg, int loop, bool (*is)(const PtxForm *f))
{
    int left = 64;
    return comes_from(w, reg, loop, is, &left);
}

/* --- early reconvergence --------------------------------------------------------------------- */

/* True if at least two successors of the branch lead to `meet`, which it dominates. */
static bool joins_ways(Arena *a, const Cfg *c, int branch, int meet)
{
    bool *leads = ARENA_ARRAY(a, bool, (size_t)c->count);
    int *todo = ARENA_ARRAY(a, int, (size_t)c->count + 1), count = 0, ways = 0;
    leads[todo[count++] = meet] = true;
    while (count > 0) {
        const CfgBlock *b = &c->blocks[todo[--count]];
        for (int k = 0; k < b->pred_count; k++)
            if (b->preds[k] != branch && !leads[b->preds[k]] &&
                c->blocks[b->preds[k]].order != CFG_NONE)
                leads[todo[count++] = b->preds[k]] = true;
    }
    for (int k = 0; k < c->blocks[branch].succ_count; k++)
        ways += leads[c->blocks[branch].succs[k]];
    return ways > 1;
}

/* Reachable blocks; paths end at `behind` (full reconvergence), at the loop's header and before `without`. */
static bool *reach_within(Arena *a, const Cfg *c, int from, int behind, int header, int without)
{
    bool *marked = ARENA_ARRAY(a, bool, (size_t)c->count);
    int *todo = ARENA_ARRAY(a, int, (size_t)c->count + 1), count = 0;
    marked[todo[count++] = from] = true;
    while (count > 0) {
        const int at = todo[--count];
        const CfgBlock *b = &c->blocks[at];
        for (int k = 0; k < b->succ_count && (at == from || at != header); k++)
            if (!marked[b->succs[k]] && b->succs[k] != behind && b->succs[k] != without)
                marked[todo[count++] = b->succs[k]] = true;
    }
    return marked;
}

static bool is_meet(Arena *a, const Cfg *c, const DomTree *post, int header, int branch, int meet)
{
    if (!joins_ways(a, c, branch, meet))
        return false;
    const int behind = post->parent[branch];
    const bool *past = reach_within(a, c, branch, behind, header, meet),
               *rest = reach_within(a, c, meet, behind, header, CFG_NONE);
    for (int b = 0; b < c->count; b++)
        if (past[b] && rest[b] && !(b == branch && b == header))
            return false;
    return true;
}

int *flow_meets(Arena *a, const Flow *f)
{
    const Cfg *c = f->cfg;
    const DomTree *post = f->post;
    const LoopTree *loops = f->loops;
    int *meets = ARENA_ARRAY(a, int, (size_t)c->count);
    for (int b = 0; b < c->count; b++)
        meets[b] = CFG_NONE;
    for (int i = 0; i < c->reachable; i++) {
        const int meet = c->order[i], branch = f->dom->parent[meet];
        if (c->blocks[meet].pred_count < 2 || branch == CFG_NONE || meets[branch] != CFG_NONE ||
            post->parent[branch] == CFG_NONE || post->parent[branch] == meet ||
            c->blocks[branch].succ_count < 2 || loops->loop_of[branch] != loops->loop_of[meet])
            continue;
        const int loop = loops->loop_of[branch];
        const int header = loop == CFG_NONE ? CFG_NONE : loops->loops.at[loop].header;
        if (meet != header && is_meet(a, c, post, header, branch, meet))
            meets[branch] = meet;
    }
    return meets;
}
