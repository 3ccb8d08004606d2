#include "metrics/ptx/access.h"

enum { LINE = 128, SECTOR = 32, VECTOR = 16, GROUPS_SEARCHED = 64 };

/* --- sides of an instruction ----------------------------------------------------------------- */

static const PtxOperand *address_operand(const PtxInstr *in, int i)
{
    if (i >= in->count || in->operands[i].kind != PTX_OPERAND_ADDRESS || in->operands[i].count == 0)
        return NULL;
    return &in->operands[i];
}

/* Bytes per lane; 0 for a copy whose size is not constant. */
static int access_bytes(const PtxInstr *in)
{
    const PtxForm *f = in->form;
    if (f->op == PTX_CP_ASYNC && in->count > 2 && in->operands[2].kind == PTX_OPERAND_IMMEDIATE)
        return (int)(in->operands[2].value & 31);
    return ptx_types[f->types[0]].bits / 8 * f->vector;
}

static int copy_sides(const PtxInstr *in, AccessSite sides[2], const PtxOperand *addresses[2])
{
    const int bytes = access_bytes(in);
    addresses[0] = address_operand(in, 1);
    addresses[1] = address_operand(in, 0);
    if (!addresses[0] || !addresses[1] || bytes == 0)
        return 0;
    sides[0] = (AccessSite){
        .kind = ACCESS_LOAD,
        .space = PTX_GLOBAL,
        .bytes = bytes,
        .to = bytes == VECTOR && (in->form->flags & PTX_FLAG_PAST_L1) ? addresses[1] : NULL,
        .at_most = in->count > 3 && in->operands[3].kind != PTX_OPERAND_IMMEDIATE};
    sides[1] = (AccessSite){.kind = ACCESS_STORE, .space = PTX_SHARED, .bytes = bytes};
    return 2;
}

/* ATOMS.POPC.INC: counts the lanes that address a word and adds the count. */
static bool adds_one(const PtxInstr *in, int source)
{
    const PtxForm *f = in->form;
    const PtxType t = f->types[0];
    return f->space == PTX_SHARED && (t == PTX_U32 || t == PTX_S32) && strstr(f->text, ".add.") &&
           source + 1 == in->count && in->operands[source].kind == PTX_OPERAND_IMMEDIATE &&
           in->operands[source].value == 1;
}

/* Of 32-bit integers, ptxas adds up (REDUX) what lanes give to one address. */
static bool is_combined(const PtxForm *f)
{
    static const char *const operations[] = {".add.", ".min.", ".max.", ".and.", ".or.", ".xor."};
    const PtxType t = f->types[0];
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(operations); i++)
        any |= strstr(f->text, operations[i]) != NULL;
    return any && (t == PTX_U32 || t == PTX_S32 || t == PTX_B32);
}

int access_sides(const PtxInstr *in, AccessSite sides[2], const PtxOperand *addresses[2])
{
    const PtxForm *f = in->form;
    AccessSite s = {.space = f->space, .bytes = access_bytes(in)};
    int at = 1;
    switch (f->op) {
    case PTX_CP_ASYNC:
        return copy_sides(in, sides, addresses);
    case PTX_LD:
        s.kind = ACCESS_LOAD;
        break;
    case PTX_ST:
        s.kind = ACCESS_STORE;
        at = 0;
        break;
    case PTX_ATOM:
    case PTX_RED:
        at = f->op == PTX_RED ? 0 : 1;
        s.kind = adds_one(in, at + 1) ? ACCESS_COUNT
                 : is_combined(f)     ? ACCESS_ATOMIC
                                      : ACCESS_ATOMIC_EACH;
        break;
    case PTX_LDMATRIX:
    case PTX_STMATRIX:
        s.kind = f->op == PTX_LDMATRIX ? ACCESS_MATRIX_LOAD : ACCESS_MATRIX_STORE;
        s.space = PTX_SHARED;
        s.bytes = VECTOR;
        at = f->op == PTX_STMATRIX ? 0 : 1;
        break;
    default:
        return 0;
    }
    addresses[0] = address_operand(in, at);
    if (!addresses[0] || s.space == PTX_PARAM || s.space == PTX_SPACE_COUNT || s.bytes < 1 ||
        s.bytes > 64 || (s.bytes & (s.bytes - 1)))
        return 0;
    sides[0] = s;
    return 1;
}

/* --- groups and costs ------------------------------------------------------------------------ */

typedef struct Finder {
    Arena *arena;
    Accesses *out;
    uint32_t *version; /* by register: writes so far */
    int block;
    int stretch;
    /* Group of the preceding stores, if no other shared-memory access intervened; the run they belong to. */
    int storing;
    int stores;
    size_t block_groups; /* groups of earlier blocks */
} Finder;

static bool same_base(const PtxOperand *a, const PtxOperand *b)
{
    if (a->kind != b->kind || a->name || b->name)
        return false;
    switch (a->kind) {
    case PTX_OPERAND_REGISTER:
        return a->index == b->index;
    case PTX_OPERAND_VARIABLE:
        return a->variable == b->variable && a->value == b->value;
    default:
        return false;
    }
}

static int group_of(Finder *x, const PtxInstr *in, const PtxOperand *address, PtxSpace space)
{
    const PtxOperand *base = &address->parts[0];
    const uint32_t version = base->kind == PTX_OPERAND_REGISTER ? x->version[base->index] : 0;
    const uint32_t guard = in->guard == PTX_NO_GUARD ? 0 : x->version[in->guard];
    const size_t last = x->out->groups.count;
    for (size_t i = last; i > x->block_groups && last - i < GROUPS_SEARCHED; i--) {
        const AccessGroup *g = &x->out->groups.at[i - 1];
        if (same_base(g->base, base) && g->space == space && g->base_version == version &&
            g->first->guard == in->guard && g->first->guard_negated == in->guard_negated &&
            g->guard_version == guard)
            return (int)i - 1;
    }
    VEC_PUSH(x->arena, &x->out->groups,
             ((AccessGroup){.base = base,
                            .first = in,
                            .space = space,
                            .base_version = version,
                            .guard_version = guard}));
    return (int)x->out->groups.count - 1;
}

static bool ends_stretch(const PtxForm *f)
{
    return f->class == PTX_CLASS_BARRIER || f->class == PTX_CLASS_CALL ||
           f->class == PTX_CLASS_FENCE || f->class == PTX_CLASS_ATOMIC ||
           f->class == PTX_CLASS_ASYNC || f->class == PTX_CLASS_UNKNOWN ||
           (f->class == PTX_CLASS_STORE && (f->space == PTX_SHARED || f->space == PTX_GENERIC));
}

/* Loads may be merged between two writes; stores as long as nothing else accesses shared memory. */
static int stretch_of(Finder *x, const AccessSite *s)
{
    const bool is_store = s->kind == ACCESS_STORE && s->space == PTX_SHARED;
    if (!is_store && (s->space == PTX_SHARED || s->space == PTX_GENERIC))
        x->storing = CFG_NONE;
    if (!is_store)
        return x->stretch;
    if (x->storing != s->group)
        x->stores = x->stretch;
    x->storing = s->group;
    return x->stores;
}

static void find_sites(Finder *x, size_t i, const PtxInstr *in)
{
    AccessSite sides[2];
    const PtxOperand *addresses[2];
    const int n = access_sides(in, sides, addresses);
    for (int k = 0; k < n; k++) {
        AccessSite s = sides[k];
        const size_t groups = x->out->groups.count;
        s.instr = i;
        s.block = x->block;
        s.offset = addresses[k]->value;
        s.group = group_of(x, in, addresses[k], s.space);
        s.stretch = stretch_of(x, &s);
        if (x->out->groups.count > groups && x->out->group_at[i] == CFG_NONE)
            x->out->group_at[i] = s.group;
        VEC_PUSH(x->arena, &x->out->groups.at[s.group].sites, (int)x->out->sites.count);
        VEC_PUSH(x->arena, &x->out->sites, s);
    }
}

/* The part of an offset that affects the cost. */
static int64_t phase_of(PtxSpace space, int64_t offset, int bytes)
{
    return space == PTX_SHARED ? (offset & (bytes - 1)) : (offset & (LINE - 1));
}

static int matrices_of(const PtxForm *f)
{
    for (const char *at = f->text; *at; at++)
        if (at[0] == '.' && at[1] == 'x' && (at[2] == '2' || at[2] == '4'))
            return at[2] - '0';
    return 1;
}

/* True if copies to both places are split alike. */
static bool same_place(const PtxOperand *a, const PtxOperand *b)
{
    return a == b ||
           (a && b && same_base(&a->parts[0], &b->parts[0]) && (a->value - b->value) % SECTOR == 0);
}

static int cost_of(Arena *a, Accesses *out, int group, AccessCost want)
{
    AccessGroup *g = &out->groups.at[group];
    for (int i = g->first_cost; i < g->first_cost + g->cost_count; i++) {
        const AccessCost *c = &out->costs.at[i];
        if (c->kind == want.kind && c->bytes == want.bytes && c->matrices == want.matrices &&
            c->offset == want.offset && c->aligned == want.aligned && same_place(c->to, want.to))
            return i;
    }
    if (g->cost_count == 0)
        g->first_cost = (int)out->costs.count;
    g->cost_count++;
    want.group = group;
    want.space = g->space;
    VEC_PUSH(a, &out->costs, want);
    return (int)out->costs.count - 1;
}

/* ptxas may merge narrow shared-memory accesses of one group. `narrow`: sites of 4 and of 8 bytes. */
static void add_merged_costs(Arena *a, Accesses *out, int group, AccessKind kind, const int *narrow)
{
    if (out->groups.at[group].space != PTX_SHARED || narrow[0] + narrow[1] < 2)
        return;
    if (narrow[0] >= 2)
        cost_of(a, out, group, (AccessCost){.kind = kind, .bytes = 8, .aligned = true});
    cost_of(a, out, group, (AccessCost){.kind = kind, .bytes = 16, .aligned = true});
}

/* The costs of a group are contiguous. */
static void price_groups(Arena *a, const PtxFunction *f, Accesses *out)
{
    for (size_t g = 0; g < out->groups.count; g++) {
        int loads[2] = {0}, stores[2] = {0};
        for (size_t i = out->groups.at[g].sites.count; i-- > 0;) {
            AccessSite *s = &out->sites.at[out->groups.at[g].sites.at[i]];
            const bool matrix = s->kind >= ACCESS_MATRIX_LOAD;
            if (s->bytes == 4 || s->bytes == 8) {
                loads[s->bytes == 8] += s->kind == ACCESS_LOAD;
                stores[s->bytes == 8] += s->kind == ACCESS_STORE;
            }
            s->cost = cost_of(
                a, out, (int)g,
                (AccessCost){.kind = s->kind,
                             .to = s->to,
                             .bytes = s->bytes,
                             .matrices = matrix ? matrices_of(f->instrs.at[s->instr].form) : 0,
                             .offset = phase_of(s->space, s->offset, s->bytes)});
            out->costs.at[s->cost].sites++;
        }
        add_merged_costs(a, out, (int)g, ACCESS_LOAD, loads);
        add_merged_costs(a, out, (int)g, ACCESS_STORE, stores);
    }
}

Accesses *access_find(Arena *a, const Cfg *c)
{
    const PtxFunction *f = c->function;
    Finder x = {.arena = a, .out = ARENA_NEW(a, Accesses), .storing = CFG_NONE};
    x.version = ARENA_ARRAY(a, uint32_t, f->registers.count);
    x.out->group_at = ARENA_ARRAY(a, int, f->instrs.count);
    for (x.block = 0; x.block < c->count; x.block++) {
        x.stretch++;
        x.block_groups = x.out->groups.count;
        for (size_t i = c->blocks[x.block].first; i < c->blocks[x.block].end; i++) {
            const PtxInstr *in = &f->instrs.at[i];
            x.out->group_at[i] = CFG_NONE;
            find_sites(&x, i, in);
            x.stretch += ends_stretch(in->form);
            if (ends_stretch(in->form) && in->form->class != PTX_CLASS_STORE)
                x.storing = CFG_NONE;
            for (size_t k = 0; k < in->writes.count; k++)
                x.version[in->writes.at[k]]++;
        }
    }
    price_groups(a, f, x.out);
    return x.out;
}
