#include "metrics/ptx/walk_live.h"

typedef struct Liveness {
    WalkPlan *plan;
    const PtxFunction *function;
    int *number; /* by register: its bit, or CFG_NONE when it is not in the state */
    size_t words;
    uint64_t *uses; /* by block: read before written */
    uint64_t *kills;
    uint64_t *in;
    /* of the block under way */
    uint64_t *block_uses, *block_kills;
    bool guarded;
} Liveness;

static bool bit(const uint64_t *set, int n)
{
    return set[n / 64] >> (n % 64) & 1;
}

static void put(uint64_t *set, int n)
{
    set[n / 64] |= UINT64_C(1) << (n % 64);
}

static void use(Liveness *l, int reg)
{
    const int n = l->number[reg];
    if (n != CFG_NONE && !bit(l->block_kills, n))
        put(l->block_uses, n);
}

static void note_register(void *context, int reg, bool writes)
{
    Liveness *l = context;
    if (!writes)
        use(l, reg);
    else if (l->number[reg] != CFG_NONE && !l->guarded)
        put(l->block_kills, l->number[reg]);
}

/* Where a guard may leave the old value, it is needed too. */
static void note_kept(void *context, int reg, bool writes)
{
    if (writes)
        use(context, reg);
}

static void note_group(Liveness *l, const AccessGroup *g)
{
    if (g->base->kind == PTX_OPERAND_REGISTER)
        use(l, g->base->index);
    if (g->first->guard != PTX_NO_GUARD)
        use(l, g->first->guard);
}

static void note_block(Liveness *l, int block)
{
    const WalkPlanBlock *b = &l->plan->blocks[block];
    l->block_uses = &l->uses[(size_t)block * l->words];
    l->block_kills = &l->kills[(size_t)block * l->words];
    for (size_t i = 0; i < b->step_count; i++) {
        if (b->steps[i].kind == WALK_STEP_ACCESS) {
            note_group(l, &l->plan->accesses->groups.at[b->steps[i].at]);
            continue;
        }
        const PtxInstr *in = &l->function->instrs.at[b->steps[i].at];
        l->guarded = in->guard != PTX_NO_GUARD;
        if (l->guarded)
            ptx_visit_registers(in, note_kept, l);
        ptx_visit_registers(in, note_register, l);
    }
    const PtxInstr *branch = cfg_branch(l->plan->flow->cfg, block);
    if (branch)
        ptx_visit_registers(branch, note_register, l);
}

static bool update_block(Liveness *l, const CfgBlock *c, int block)
{
    uint64_t *in = &l->in[(size_t)block * l->words];
    bool changed = false;
    for (size_t w = 0; w < l->words; w++) {
        uint64_t out = 0;
        for (int i = 0; i < c->succ_count; i++)
            out |= l->in[(size_t)c->succs[i] * l->words + w];
        const uint64_t now =
            l->uses[(size_t)block * l->words + w] | (out & ~l->kills[(size_t)block * l->words + w]);
        changed |= now != in[w];
        in[w] = now;
    }
    return changed;
}

static void spread(Liveness *l, const Cfg *c)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = c->reachable - 1; i >= 0; i--)
            changed |= update_block(l, &c->blocks[c->order[i]], c->order[i]);
    }
}

static Liveness liveness_new(Arena *a, WalkPlan *p)
{
    Liveness l = {.plan = p, .function = p->flow->function};
    const size_t registers = l.function->registers.count, blocks = (size_t)p->flow->cfg->count;
    l.words = p->state.count / 64 + 1;
    l.number = ARENA_ARRAY(a, int, registers + 1);
    for (size_t r = 0; r < registers; r++)
        l.number[r] = CFG_NONE;
    for (size_t i = 0; i < p->state.count; i++)
        if ((size_t)p->state.at[i] < registers)
            l.number[p->state.at[i]] = (int)i;
    l.uses = ARENA_ARRAY(a, uint64_t, blocks * l.words);
    l.kills = ARENA_ARRAY(a, uint64_t, blocks * l.words);
    l.in = ARENA_ARRAY(a, uint64_t, blocks * l.words);
    return l;
}

void walk_live_find(Arena *a, WalkPlan *p)
{
    const LoopTree *t = p->flow->loops;
    p->live = ARENA_ARRAY(a, WalkLive, t->loops.count);
    if (t->loops.count == 0)
        return;
    Liveness l = liveness_new(a, p);
    for (int b = 0; b < p->flow->cfg->count; b++)
        note_block(&l, b);
    spread(&l, p->flow->cfg);
    for (size_t i = 0; i < t->loops.count; i++) {
        const uint64_t *in = &l.in[(size_t)t->loops.at[i].header * l.words];
        for (size_t n = 0; n < p->state.count; n++)
            if ((size_t)p->state.at[n] < l.function->registers.count && bit(in, (int)n))
                VEC_PUSH(a, &p->live[i], p->state.at[n]);
    }
}
