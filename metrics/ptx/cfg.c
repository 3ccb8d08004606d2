#include "metrics/ptx/cfg.h"

static bool ends_block(const PtxInstr *in)
{
    return in->form->class == PTX_CLASS_BRANCH;
}

/* First instructions of blocks: the entry, labels, what follows a branch. */
static bool *mark_leaders(Arena *a, const PtxFunction *f)
{
    bool *leads = ARENA_ARRAY(a, bool, f->instrs.count + 1);
    leads[0] = true;
    for (size_t i = 0; i < f->labels.count; i++)
        leads[f->labels.at[i].instr] = true;
    for (size_t i = 0; i < f->instrs.count; i++)
        if (ends_block(&f->instrs.at[i]))
            leads[i + 1] = true;
    return leads;
}

/* A label at the very end gets an empty block, so that branches to it have a target. */
static bool needs_end_block(const PtxFunction *f)
{
    for (size_t i = 0; i < f->labels.count; i++)
        if (f->labels.at[i].instr == f->instrs.count)
            return true;
    return f->instrs.count == 0;
}

static void cut_blocks(Arena *a, Cfg *c)
{
    const PtxFunction *f = c->function;
    const bool *leads = mark_leaders(a, f);
    const size_t n = f->instrs.count + needs_end_block(f);
    for (size_t i = 0; i < n; i++)
        c->count += leads[i];
    c->blocks = ARENA_ARRAY(a, CfgBlock, (size_t)c->count);
    c->block_of = ARENA_ARRAY(a, int, n);
    int b = -1;
    for (size_t i = 0; i < n; i++) {
        if (leads[i])
            c->blocks[++b].first = i;
        c->block_of[i] = b;
        c->blocks[b].end = i < f->instrs.count ? i + 1 : i;
    }
}

const PtxInstr *cfg_branch(const Cfg *c, int block)
{
    const CfgBlock *b = &c->blocks[block];
    if (b->end == b->first)
        return NULL;
    const PtxInstr *in = &c->function->instrs.at[b->end - 1];
    return ends_block(in) ? in : NULL;
}

static int block_of_operand(const Cfg *c, const PtxOperand *o)
{
    if (o->kind != PTX_OPERAND_LABEL)
        return CFG_NONE;
    return c->block_of[c->function->labels.at[o->index].instr];
}

static void add_successor(CfgBlock *b, int to)
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
    add_successor(b, b->taken);
    for (size_t k = 0; table && k < table->count; k++)
        add_successor(b, block_of_operand(c, &table->targets[k]));
    /* A branch to nowhere was reported by the parser; taken as if it were not there. */
    if (b->succ_count == 0 && in && (in->form->op == PTX_BRA || in->form->op == PTX_BRX_IDX))
        b->fall = behind;
    b->ends_thread =
        (in && (in->form->op == PTX_RET || in->form->op == PTX_EXIT || in->form->op == PTX_TRAP)) ||
        (b->succ_count == 0 && b->fall == CFG_NONE);
    add_successor(b, b->fall);
}

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

/* Depth first with a stack of its own: a stranger's graph may be deep. */
static void number_blocks(Arena *a, Cfg *c)
{
    const size_t n = (size_t)c->count;
    int *stack = ARENA_ARRAY(a, int, n);
    int *next = ARENA_ARRAY(a, int, n); /* successor to visit, plus 1 once entered */
    int *post = ARENA_ARRAY(a, int, n);
    int depth = 0, done = 0;
    stack[depth++] = 0;
    next[0] = 1;
    while (depth > 0) {
        const int b = stack[depth - 1];
        if (next[b] > c->blocks[b].succ_count) {
            post[done++] = b;
            depth--;
            continue;
        }
        const int s = c->blocks[b].succs[next[b]++ - 1];
        if (next[s] == 0) {
            next[s] = 1;
            stack[depth++] = s;
        }
    }
    c->order = ARENA_ARRAY(a, int, n);
    c->reachable = done;
    for (int i = 0; i < c->count; i++)
        c->blocks[i].order = CFG_NONE;
    for (int i = 0; i < done; i++) {
        c->order[i] = post[done - 1 - i];
        c->blocks[c->order[i]].order = i;
    }
}

void cfg_finish(Arena *a, Cfg *c)
{
    link_predecessors(a, c);
    number_blocks(a, c);
}

Cfg *cfg_build(Arena *a, const PtxFunction *f)
{
    Cfg *c = ARENA_NEW(a, Cfg);
    c->function = f;
    cut_blocks(a, c);
    for (int i = 0; i < c->count; i++)
        link_block(a, c, i);
    cfg_finish(a, c);
    return c;
}
