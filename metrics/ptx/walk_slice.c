#include "metrics/ptx/walk_slice.h"

/* --- values that a lane stores and loads again ----------------------------------------------- */

enum { HOME_LOCAL = 1, HOME_GLOBAL, HOME_SHARED /* the first of them */ };

/* Stands for an address derived from several variables. */
static const PtxVariable several;

typedef struct PointsTo {
    const PtxFunction *function;
    const PtxVariable **of; /* by register: the variable it points into, or NULL */
} PointsTo;

static const PtxVariable *joined(const PtxVariable *a, const PtxVariable *b)
{
    return !a || a == b ? b : !b ? a : &several;
}

static const PtxVariable *pointed_at(const PointsTo *h, const PtxOperand *o)
{
    const bool address = o->kind == PTX_OPERAND_ADDRESS;
    const PtxOperand *base = address ? &o->parts[0] : o;
    return base->kind == PTX_OPERAND_REGISTER   ? h->of[base->index]
           : base->kind == PTX_OPERAND_VARIABLE ? base->variable
                                                : NULL;
}

static PointsTo find_points_to(Arena *a, const PtxFunction *f)
{
    PointsTo h = {.function = f};
    h.of = ARENA_ARRAY(a, const PtxVariable *, f->registers.count + 1);
    for (bool changed = true; changed;) {
        changed = false;
        VEC_EACH (const PtxInstr, in, f->instrs) {
            const PtxVariable *found = NULL;
            for (int k = in->form->writes; ptx_eval_computes(in->form) && k < in->count; k++)
                found = joined(found, pointed_at(&h, &in->operands[k]));
            for (size_t k = 0; found && k < in->writes.count; k++) {
                const PtxVariable **of = &h.of[in->writes.at[k]];
                changed |= joined(*of, found) != *of;
                *of = joined(*of, found);
            }
        }
    }
    return h;
}

static const PtxOperand *address_of(const PtxInstr *in)
{
    const int at = in->form->op == PTX_ST ? 0 : 1;
    return in->count > at && in->operands[at].kind == PTX_OPERAND_ADDRESS ? &in->operands[at]
                                                                          : NULL;
}

/* Instructions that may write a shared variable (SIZE_MAX: any may), and how many are plain stores. */
static size_t writers(const PointsTo *h, const PtxVariable *v, size_t *stores)
{
    size_t count = 0;
    *stores = 0;
    VEC_EACH (const PtxInstr, in, h->function->instrs) {
        const PtxForm *f = in->form;
        const bool writes = f->op != PTX_LD && f->op != PTX_LDMATRIX &&
                            (f->space == PTX_SHARED || f->class == PTX_CLASS_ASYNC);
        for (int k = 0; writes && k < in->count; k++) {
            if (in->operands[k].kind != PTX_OPERAND_ADDRESS)
                continue;
            const PtxVariable *at = pointed_at(h, &in->operands[k]);
            if ((!at || at == &several) && f->space == PTX_SHARED)
                return SIZE_MAX;
            count += at == v;
            *stores += at == v && f->op == PTX_ST;
        }
    }
    return count;
}

/* True if the function's memory may be reached other than by loads and stores that name its space. */
static bool escapes(const PtxFunction *f, PtxSpace space)
{
    for (size_t i = 0; i < f->instrs.count; i++) {
        const PtxForm *form = f->instrs.at[i].form;
        if (form->class == PTX_CLASS_CALL || (form->op == PTX_CVTA && form->space == space))
            return true;
    }
    return false;
}

/* --- what other threads cannot have stored --------------------------------------------------- */

bool walk_is_global(const PtxForm *f)
{
    return f->space == PTX_GLOBAL || f->space == PTX_GENERIC;
}

bool walk_sees_others(const PtxForm *f)
{
    return f->op == PTX_LD && walk_is_global(f) &&
           (strstr(f->text, ".volatile") || strstr(f->text, ".relaxed") ||
            strstr(f->text, ".acquire"));
}

/* True if after it a lane may see stores other than its own `st`. */
static bool synchronises(const PtxForm *f)
{
    return f->op == PTX_WMMA_STORE || f->op == PTX_MULTIMEM_ST || f->class == PTX_CLASS_BARRIER ||
           f->class == PTX_CLASS_CALL || f->class == PTX_CLASS_ATOMIC ||
           f->class == PTX_CLASS_ASYNC || f->class == PTX_CLASS_UNKNOWN ||
           (f->class == PTX_CLASS_FENCE && f->op != PTX_BAR_WARP) || walk_sees_others(f);
}

static bool stores_global(const PtxForm *f)
{
    return f->op == PTX_ST && walk_is_global(f);
}

/* By instruction: true if one of these may precede it. */
static bool *behind(Arena *a, const Flow *flow, bool (*is)(const PtxForm *))
{
    const Cfg *c = flow->cfg;
    bool *out = ARENA_ARRAY(a, bool, flow->function->instrs.count + 1);
    bool *in = ARENA_ARRAY(a, bool, (size_t)c->count);
    for (int b = 0; b < c->count; b++) {
        bool any = false;
        for (size_t i = c->blocks[b].first; i < c->blocks[b].end; i++) {
            out[i] = any; /* earlier in this block … */
            any |= is(flow->function->instrs.at[i].form);
        }
        if (any)
            cfg_reach(a, c, b, NULL, in);
    }
    for (int b = 0; b < c->count; b++)
        for (size_t i = c->blocks[b].first; i < c->blocks[b].end; i++)
            out[i] |= in[b]; /* … or in a preceding one */
    return out;
}

/* Sets `early`; early loads that may see the lane's own stores get a home, and then so do all stores. */
static void find_early(Arena *a, const Flow *flow, WalkSlice *s)
{
    const PtxFunction *f = flow->function;
    if (!f->is_entry)
        return;
    const bool *met = behind(a, flow, synchronises), *stored = behind(a, flow, stores_global);
    bool own = false;
    for (size_t i = 0; i < f->instrs.count; i++) {
        const PtxForm *form = f->instrs.at[i].form;
        s->of[i].early = walk_loads_data(form) && walk_is_global(form) && !met[i] &&
                         !synchronises(form) && address_of(&f->instrs.at[i]);
        s->of[i].home = s->of[i].early && stored[i] ? HOME_GLOBAL : s->of[i].home;
        own |= s->of[i].early && stored[i];
    }
    for (size_t i = 0; own && i < f->instrs.count; i++)
        if (stores_global(f->instrs.at[i].form) && !met[i] && address_of(&f->instrs.at[i]))
            s->of[i].home = HOME_GLOBAL;
}

/* --- homes ----------------------------------------------------------------------------------- */

/* An accessed shared variable. */
typedef struct Home {
    const PtxVariable *variable;
    bool kept;    /* one instruction writes it … */
    bool several; /* … or several do, and it is small */
} Home;

enum { SHARED_SMALL = 64 };

static Home home_of(const PointsTo *h, const PtxVariable *v)
{
    size_t stores;
    const size_t all = writers(h, v, &stores);
    const bool small = v->size > 0 && v->size <= SHARED_SMALL;
    return (Home){v, all == 1 || (small && all == stores), all > 1};
}

static void number_homes(Arena *a, const PtxFunction *f, WalkSliced *of)
{
    const bool local = !escapes(f, PTX_LOCAL), shared = !escapes(f, PTX_SHARED);
    VEC(Home) known = {0};
    PointsTo h = {0};
    for (size_t i = 0; i < f->instrs.count; i++) {
        const PtxInstr *in = &f->instrs.at[i];
        const PtxForm *form = in->form;
        if ((form->op != PTX_LD && form->op != PTX_ST) || form->vector == 0 || !address_of(in))
            continue;
        if (form->space == PTX_LOCAL && local)
            of[i].home = HOME_LOCAL;
        if (form->space != PTX_SHARED || !shared)
            continue;
        if (!h.of)
            h = find_points_to(a, f);
        const PtxVariable *v = pointed_at(&h, address_of(in));
        if (!v || v == &several)
            continue;
        size_t k = 0;
        while (k < known.count && known.at[k].variable != v)
            k++;
        if (k == known.count)
            VEC_PUSH(a, &known, home_of(&h, v));
        of[i].home = known.at[k].kept ? (int)k + HOME_SHARED : 0;
        of[i].published_only = known.at[k].several;
    }
}

/* --- what is computed ------------------------------------------------------------------------ */

typedef struct Slicer {
    Arena *arena;
    WalkSlice *slice;
    const Flow *flow;
    bool data, rough;
    bool *needed; /* by register */
    bool *found;  /* by home: its stores are in the slice */
    VEC(int) open;
} Slicer;

static void need(Slicer *s, int reg)
{
    if (!s->needed[reg])
        VEC_PUSH(s->arena, &s->open, reg);
    s->needed[reg] = true;
}

static void need_reads(Slicer *s, const PtxInstr *in)
{
    for (size_t i = 0; i < in->reads.count; i++)
        need(s, in->reads.at[i]);
}

static bool is_param_access(const PtxInstr *in)
{
    return (in->form->op == PTX_LD || in->form->op == PTX_ST) && in->form->space == PTX_PARAM;
}

bool walk_loads_data(const PtxForm *f)
{
    return f->op == PTX_LD && f->vector > 0 && (walk_is_global(f) || f->space == PTX_CONST);
}

bool walk_gives_ticket(const PtxForm *f)
{
    return f->op == PTX_ATOM && walk_is_global(f) &&
           (strstr(f->text, ".add.") || strstr(f->text, ".inc.")) &&
           !ptx_types[f->types[0]].is_float && f->vector <= 1;
}

enum { PLAIN_DEPTH = 8 };

/* True if computed from constants, parameters and launch geometry in a few steps. */
static bool is_plain(const Slicer *s, const PtxOperand *o, int depth)
{
    const FlowWrites *defs = o->kind == PTX_OPERAND_REGISTER ? &s->flow->writes[o->index] : NULL;
    bool plain = o->kind == PTX_OPERAND_IMMEDIATE || o->kind == PTX_OPERAND_SPECIAL ||
                 (defs && depth < PLAIN_DEPTH);
    for (size_t k = 0; plain && defs && k < defs->count; k++) {
        const PtxInstr *in = &s->flow->function->instrs.at[defs->at[k]];
        plain = ptx_eval_computes(in->form) || is_param_access(in);
        for (int i = in->form->writes; plain && !is_param_access(in) && i < in->count; i++)
            plain = is_plain(s, &in->operands[i], depth + 1);
    }
    return plain;
}

/* The increment must be plain: other values would be computed just for its sake. */
static bool gives_ticket(const Slicer *s, const PtxInstr *in)
{
    return s->data && walk_gives_ticket(in->form) && in->count == 3 &&
           is_plain(s, &in->operands[2], 0);
}

/* Adds an instruction and what it reads to the slice; if it cannot be computed, only its guard. A load
 * brings in the stores that it may see. */
static void take_instr(Slicer *s, size_t i)
{
    const PtxInstr *in = &s->flow->function->instrs.at[i];
    const int home = s->slice->of[i].home;
    if (s->slice->of[i].taken)
        return;
    s->slice->of[i].taken = true;
    const bool stores = home && in->form->op == PTX_LD && !s->found[home];
    s->found[home] |= stores;
    for (size_t k = 0; stores && k < s->flow->function->instrs.count; k++)
        if (s->slice->of[k].home == home && s->flow->function->instrs.at[k].form->op == PTX_ST)
            take_instr(s, k);
    if (home || ptx_eval_computes(in->form) || ptx_warp_computes(in->form) || is_param_access(in) ||
        (s->data && walk_loads_data(in->form)) || gives_ticket(s, in))
        need_reads(s, in);
    else if (in->guard != PTX_NO_GUARD)
        need(s, in->guard);
}

static void take_addresses(Slicer *s, const PtxInstr *in)
{
    AccessSite sides[2];
    const PtxOperand *addresses[2];
    const int n = access_sides(in, sides, addresses);
    for (int k = 0; k < n; k++)
        if (addresses[k]->parts[0].kind == PTX_OPERAND_REGISTER)
            need(s, addresses[k]->parts[0].index);
    if (n > 0 && in->guard != PTX_NO_GUARD)
        need(s, in->guard);
}

static void take_roots(Slicer *s, bool addresses)
{
    for (size_t i = 0; i < s->flow->function->instrs.count; i++) {
        const PtxInstr *in = &s->flow->function->instrs.at[i];
        const PtxForm *f = in->form;
        if (f->class == PTX_CLASS_BRANCH || f->class == PTX_CLASS_CALL)
            need_reads(s, in);
        if (f->op == PTX_CALL || (f->op == PTX_ST && f->space == PTX_PARAM) ||
            (ptx_float_has_ways(f) && !s->rough))
            take_instr(s, i);
        if (addresses)
            take_addresses(s, in);
    }
}

static void cut_slice(Slicer *s, bool addresses)
{
    const PtxFunction *f = s->flow->function;
    s->needed = ARENA_ARRAY(s->arena, bool, f->registers.count);
    s->found = ARENA_ARRAY(s->arena, bool, f->instrs.count + HOME_SHARED + 1);
    s->slice->of = ARENA_ARRAY(s->arena, WalkSliced, f->instrs.count + 1);
    if (!s->rough)
        number_homes(s->arena, f, s->slice->of);
    if (s->data && !s->rough)
        find_early(s->arena, s->flow, s->slice);
    take_roots(s, addresses);
    while (s->open.count > 0) {
        const int reg = s->open.at[--s->open.count];
        VEC_PUSH(s->arena, &s->slice->state, reg);
        const FlowWrites *defs = &s->flow->writes[reg];
        for (size_t i = 0; i < defs->count; i++)
            take_instr(s, defs->at[i]);
    }
}

/* --- places of call parameters --------------------------------------------------------------- */

int walk_slice_cell(const WalkSlice *s, const PtxVariable *v, int64_t offset, int bytes)
{
    for (size_t i = 0; i < s->cells.count; i++) {
        const WalkCell *c = &s->cells.at[i];
        if (c->variable == v && c->offset == offset && c->bytes == bytes)
            return (int)i;
    }
    return CFG_NONE;
}

enum { CELL_LIMIT = 256 }; /* more than any call sequence of NVVM has */

static int cell_of_instr(Arena *a, WalkSlice *s, const PtxFunction *f, const PtxInstr *in)
{
    const int address = in->form->op == PTX_LD ? 1 : 0;
    if (!is_param_access(in) || in->count != 2 || in->form->vector != 1)
        return CFG_NONE;
    const PtxOperand *o = &in->operands[address];
    if (o->kind != PTX_OPERAND_ADDRESS || o->parts[0].kind != PTX_OPERAND_VARIABLE)
        return CFG_NONE;
    const PtxVariable *v = o->parts[0].variable;
    if (v->is_parameter && f->is_entry)
        return CFG_NONE;
    const int bytes = ptx_types[in->form->types[0]].bits / 8;
    const int old = walk_slice_cell(s, v, o->value, bytes);
    if (old != CFG_NONE || s->cells.count >= CELL_LIMIT)
        return old;
    VEC_PUSH(a, &s->cells, ((WalkCell){v, o->value, bytes}));
    return (int)s->cells.count - 1;
}

static void find_cells(Arena *a, WalkSlice *s, const PtxFunction *f)
{
    for (size_t i = 0; i < f->instrs.count; i++)
        s->of[i].cell = cell_of_instr(a, s, f, &f->instrs.at[i]);
    for (size_t i = 0; i < s->cells.count; i++)
        VEC_PUSH(a, &s->state, (int)(f->registers.count + i));
}

int walk_slice_groups(const Flow *flow, const Accesses *accesses, size_t instr, int *first)
{
    *first = accesses ? accesses->group_at[instr] : CFG_NONE;
    if (*first == CFG_NONE)
        return 0;
    const PtxInstr *in = &flow->function->instrs.at[instr];
    const size_t next = (size_t)*first + 1;
    return next < accesses->groups.count && accesses->groups.at[next].first == in ? 2 : 1;
}

/* --- liveness at loop headers ---------------------------------------------------------------- */

typedef struct Liveness {
    const WalkSlice *slice;
    const Flow *flow;
    const Accesses *accesses;
    int *number; /* by register: its bit, or CFG_NONE if not in the state */
    size_t words;
    uint64_t *uses; /* by block: bits read before they are written */
    uint64_t *kills;
    uint64_t *in;
    /* of the current block */
    uint64_t *block_uses, *block_kills;
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

static void use_all(Liveness *l, const PtxUses *regs)
{
    for (size_t i = 0; i < regs->count; i++)
        use(l, regs->at[i]);
}

static void note_group(Liveness *l, const AccessGroup *g)
{
    if (g->base->kind == PTX_OPERAND_REGISTER)
        use(l, g->base->index);
    if (g->first->guard != PTX_NO_GUARD)
        use(l, g->first->guard);
}

static void note_instr(Liveness *l, size_t i)
{
    const PtxInstr *in = &l->flow->function->instrs.at[i];
    int first = 0;
    const int groups = walk_slice_groups(l->flow, l->accesses, i, &first);
    for (int g = 0; g < groups; g++)
        note_group(l, &l->accesses->groups.at[first + g]);
    if (!l->slice->of[i].taken)
        return;
    use_all(l, &in->reads);
    if (in->guard != PTX_NO_GUARD)
        use_all(l, &in->writes); /* the old value may remain */
    for (size_t k = 0; k < in->writes.count && in->guard == PTX_NO_GUARD; k++)
        if (l->number[in->writes.at[k]] != CFG_NONE)
            put(l->block_kills, l->number[in->writes.at[k]]);
}

static void note_block(Liveness *l, int block)
{
    const CfgBlock *b = &l->flow->cfg->blocks[block];
    l->block_uses = &l->uses[(size_t)block * l->words];
    l->block_kills = &l->kills[(size_t)block * l->words];
    for (size_t i = b->first; i < b->end; i++)
        note_instr(l, i);
    const PtxInstr *branch = cfg_branch(l->flow->cfg, block);
    if (branch)
        use_all(l, &branch->reads);
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

static Liveness liveness_new(Arena *a, const WalkSlice *s, const Flow *flow,
                             const Accesses *accesses)
{
    Liveness l = {.slice = s, .flow = flow, .accesses = accesses};
    const size_t registers = flow->function->registers.count, blocks = (size_t)flow->cfg->count;
    l.words = s->state.count / 64 + 1;
    l.number = ARENA_ARRAY(a, int, registers + 1);
    for (size_t r = 0; r < registers; r++)
        l.number[r] = CFG_NONE;
    for (size_t i = 0; i < s->state.count; i++)
        if ((size_t)s->state.at[i] < registers)
            l.number[s->state.at[i]] = (int)i;
    l.uses = ARENA_ARRAY(a, uint64_t, blocks * l.words);
    l.kills = ARENA_ARRAY(a, uint64_t, blocks * l.words);
    l.in = ARENA_ARRAY(a, uint64_t, blocks * l.words);
    return l;
}

static void find_live(Arena *a, WalkSlice *s, const Flow *flow, const Accesses *accesses)
{
    const LoopTree *t = flow->loops;
    s->live = ARENA_ARRAY(a, WalkLive, t->loops.count);
    if (t->loops.count == 0)
        return;
    Liveness l = liveness_new(a, s, flow, accesses);
    for (int b = 0; b < flow->cfg->count; b++)
        note_block(&l, b);
    spread(&l, flow->cfg);
    for (size_t i = 0; i < t->loops.count; i++) {
        const uint64_t *in = &l.in[(size_t)t->loops.at[i].header * l.words];
        for (size_t n = 0; n < s->state.count; n++)
            if ((size_t)s->state.at[n] < flow->function->registers.count && bit(in, (int)n))
                VEC_PUSH(a, &s->live[i], s->state.at[n]);
    }
}

WalkSlice walk_slice_find(Arena *a, const Flow *flow, const Accesses *accesses, bool data,
                          bool rough)
{
    WalkSlice s = {.of = NULL};
    Slicer slicer = {.arena = a, .slice = &s, .flow = flow, .data = data, .rough = rough};
    cut_slice(&slicer, accesses != NULL);
    find_cells(a, &s, flow->function);
    find_live(a, &s, flow, accesses);
    return s;
}
