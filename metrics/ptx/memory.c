#include "metrics/ptx/memory.h"

#include "metrics/ptx/walk_slice.h"

#include <stdlib.h>

/* --- placeholder pointers -------------------------------------------------------------------- */

/* Marks registers that are the base of an address or converted by cvta. */
static bool *pointer_registers(Arena *a, const PtxFunction *f)
{
    bool *used = ARENA_ARRAY(a, bool, f->registers.count + 1);
    VEC_EACH (const PtxInstr, in, f->instrs)
        for (int k = 0; k < in->count; k++) {
            const PtxOperand *o = &in->operands[k];
            if (o->kind == PTX_OPERAND_ADDRESS && o->count > 0)
                o = &o->parts[0];
            else if (in->form->op != PTX_CVTA || k == 0)
                continue;
            if (o->kind == PTX_OPERAND_REGISTER)
                used[o->index] = true;
        }
    return used;
}

/* True for a load of 8 bytes from a fixed place in the parameter space; gives its offset. */
static bool loaded_offset(const PtxInstr *in, uint64_t *offset)
{
    if (in->form->op != PTX_LD || in->form->space != PTX_PARAM || in->form->vector != 1 ||
        ptx_types[in->form->types[0]].bits != 64 || in->count != 2 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER ||
        in->operands[1].kind != PTX_OPERAND_ADDRESS || in->operands[1].count == 0 ||
        in->operands[1].parts[0].kind != PTX_OPERAND_VARIABLE ||
        !in->operands[1].parts[0].variable->is_parameter)
        return false;
    *offset = in->operands[1].parts[0].variable->offset + (uint64_t)in->operands[1].value;
    return true;
}

static bool has_value(const PtxLaunch *l, uint64_t offset)
{
    uint64_t v = 0;
    return ptx_launch_param(l, offset, 8, &v) && v != 0;
}

/* A copy of the launch in which pointer parameters (8 bytes, used as an address or by cvta) without a value
 * or with 0 have placeholder addresses. */
static PtxLaunch memory_pretend_pointers(Arena *a, const PtxFunction *entry, const PtxLaunch *l)
{
    enum { PARAMS_MAX = 32764 }; /* limit of a kernel's parameter bytes */
    PtxLaunch out = *l;
    const size_t size = entry->param_size > PARAMS_MAX ? PARAMS_MAX : (size_t)entry->param_size;
    out.param_bytes = size > l->param_bytes ? size : l->param_bytes;
    unsigned char *params = ARENA_ARRAY(a, unsigned char, out.param_bytes + 1);
    unsigned char *known = ARENA_ARRAY(a, unsigned char, out.param_bytes + 1);
    for (size_t i = 0; l->params && i < l->param_bytes; i++) {
        params[i] = l->params[i];
        known[i] = !l->known || l->known[i];
    }
    const bool *used = pointer_registers(a, entry);
    uint64_t offset = 0;
    VEC_EACH (const PtxInstr, in, entry->instrs) {
        if (!loaded_offset(in, &offset) || offset > size || size - offset < 8 ||
            has_value(l, offset) || !used[in->operands[0].index])
            continue;
        const int index = in->operands[1].parts[0].variable->index;
        const uint64_t address = (uint64_t)(index % 127 + 1) << 40;
        for (int k = 0; k < 8; k++)
            params[offset + (uint64_t)k] = (unsigned char)(address >> (8 * k));
        memset(&known[offset], 1, 8);
    }
    out.params = params;
    out.known = known;
    return out;
}

/* --- the mean walk --------------------------------------------------------------------------- */

static void add_walk(Walk *to, const Walk *w, double weight)
{
#define WALK_SUM(name, meaning)   to->name += weight * w->name;
#define WALK_TOTAL(name, meaning) WALK_SUM(name, meaning)
#include "metrics/ptx/walk_counters.def"
    for (int i = 0; i < PTX_CLASS_COUNT; i++)
        to->by_class[i] += weight * w->by_class[i];
    for (int i = 0; i < PTX_SPACE_COUNT; i++) {
        to->loads[i] += weight * w->loads[i];
        to->stores[i] += weight * w->stores[i];
    }
    for (int k = 0; k < WALK_ROUTINES; k++) {
#define WALK_ROUTINE(name, meaning) to->routines[k].name += weight * w->routines[k].name;
#include "metrics/ptx/walk_counters.def"
    }
}

/* The middle warp's walk with counts averaged over all warps, but its own blocks, accesses and regions. */
static Walk mean_walk(const MemorySamples *s)
{
    Walk mean = *s->at[0].walk;
    for (int i = 1; i < s->count; i++) {
        add_walk(&mean, s->at[i].walk, s->at[i].weight);
        add_walk(&mean, s->at[0].walk, -s->at[i].weight);
    }
    return mean;
}

/* --- figures --------------------------------------------------------------------------------- */

typedef struct Gather {
    Arena *arena;
    Memory *memory;
    const MemorySamples *samples;
    const WalkFunction *function; /* in the first sample that reached it */
    const WalkFunction **of;      /* in each sample, or NULL */
} Gather;

static void add_figures(MemoryFigures *f, const WalkAccess *a, double weight)
{
#define WALK_ACCESS(name, meaning) f->name += weight * (double)a->name;
#include "metrics/ptx/walk_counters.def"
}

static bool same_access(const WalkAccess *a, const WalkAccess *b)
{
    bool same = true;
#define WALK_ACCESS(name, meaning) same &= a->name == b->name;
#include "metrics/ptx/walk_counters.def"
    return same;
}

/* The weighted mean of one cost over the samples; false if they differ. */
static bool mean_cost(const Gather *s, int cost, MemoryFigures *out)
{
    static const WalkAccess none;
    bool same = true;
    for (int i = 0; i < s->samples->count; i++) {
        const WalkAccess *x = s->of[i] ? &s->of[i]->costs[cost] : &none;
        same &= same_access(&s->function->costs[cost], x);
        add_figures(out, x, s->samples->at[i].weight);
    }
    if (same) { /* without rounding */
        *out = (MemoryFigures){0};
        add_figures(out, &s->function->costs[cost], 1);
    }
    return same;
}

/* The space of the addresses in the first warp that knows one. */
static PtxSpace space_of(const Gather *s, const AccessSite *site)
{
    for (int i = 0; i < s->samples->count; i++) {
        const WalkFunction *g = s->of[i];
        if (g && g->costs[site->cost].executions > g->costs[site->cost].unknown)
            return g->costs[site->cost].space;
    }
    return site->space;
}

/* Sets the address from a warp that knows one. */
static void locate(const Gather *s, MemoryAccess *x)
{
    for (int i = 0; i < s->samples->count && !x->located; i++) {
        const WalkFunction *g = s->of[i];
        x->located = g && g->aligns[x->group].seen;
        if (x->located)
            x->address = g->aligns[x->group].first + (uint64_t)x->offset;
    }
}

static int depth_read(const PtxInstr *in, const PtxFunction *f, const uint8_t *depths)
{
    int depth = 0;
    for (size_t i = 0; i < in->reads.count; i++) {
        const int reg = in->reads.at[i];
        if (f->registers.at[reg].type != PTX_PRED && depths[reg] > depth)
            depth = depths[reg];
    }
    return depth;
}

/* By register: the length of the chain of global loads that its value depends on. */
static const uint8_t *find_depths(Arena *a, const PtxFunction *f)
{
    uint8_t *depths = ARENA_ARRAY(a, uint8_t, f->registers.count + 1);
    bool changed = true;
    for (int round = 0; changed && round < MEMORY_DEPTH_ROUNDS; round++) {
        changed = false;
        VEC_EACH (const PtxInstr, in, f->instrs) {
            const bool loads = in->form->class == PTX_CLASS_LOAD && walk_is_global(in->form);
            const int read = depth_read(in, f, depths);
            const int given = loads && read < MEMORY_DEPTH_MOST ? read + 1 : read;
            for (size_t k = 0; k < in->writes.count; k++) {
                uint8_t *to = &depths[in->writes.at[k]];
                changed |= *to < given;
                *to = (uint8_t)(*to < given ? given : *to);
            }
        }
    }
    return depths;
}

/* NULL if no warp reached the site. */
static const ReuseSite *find_reuse(const Reuse *r, const PtxFunction *f, size_t site)
{
    VEC_EACH (const ReuseFunction, x, r->functions)
        if (x->function == f)
            return &x->sites[site];
    return NULL;
}

static void list_accesses(const Gather *s)
{
    const PtxFunction *f = s->function->function;
    const uint8_t *depths = find_depths(s->arena, f);
    for (size_t i = 0; i < s->function->accesses->sites.count; i++) {
        const AccessSite *site = &s->function->accesses->sites.at[i];
        const PtxInstr *in = &f->instrs.at[site->instr];
        MemoryAccess *x = VEC_ADD(s->arena, &s->memory->accesses);
        *x = (MemoryAccess){.function = f,
                            .instr = site->instr,
                            .source_file = in->file,
                            .source_line = in->line,
                            .block = site->block,
                            .kind = site->kind,
                            .space = space_of(s, site),
                            .bytes = site->bytes,
                            .depth = depth_read(in, f, depths),
                            .cost = site->cost,
                            .group = site->group,
                            .offset = site->offset,
                            .merged = CFG_NONE};
        locate(s, x);
        x->sampled = !mean_cost(s, site->cost, &x->figures);
        const ReuseSite *reuse = s->memory->reuse ? find_reuse(s->memory->reuse, f, i) : NULL;
        x->reuse = reuse ? *reuse : (ReuseSite){{1, 1, 1, 1}, .open = 1};
        s->memory->sampled |= x->sampled;
    }
}

/* Line numbers of all accesses in one pass over the text, as they are in its order. */
static void number_lines(Memory *m)
{
    const Source *source = NULL;
    size_t at = 0, line = 1;
    VEC_EACH (MemoryAccess, x, m->accesses) {
        const Span *span = &x->function->instrs.at[x->instr].at;
        if (!span->source)
            continue;
        if (span->source != source || span->offset < at) {
            source = span->source;
            at = 0;
            line = 1;
        }
        while (at < span->offset && at < source->size) {
            const char *end = memchr(source->text + at, '\n', span->offset - at);
            line += end != NULL;
            at = end ? (size_t)(end - source->text) + 1 : span->offset;
        }
        x->line = line;
    }
}

/* --- merged loads and stores ----------------------------------------------------------------- */

enum { QUAD = 16, PAIR = 8, WORD = 4 };

/* Alignment of a group's bases over all samples, up to 16 bytes, after `residue` is subtracted. */
typedef struct Base {
    int64_t residue;
    int aligned;
} Base;

static Base base_of(const Gather *s, int group)
{
    uint32_t varying = 0, residue = 0;
    bool seen = false;
    for (int i = 0; i < s->samples->count; i++) {
        const WalkAlign *w = s->of[i] ? &s->of[i]->aligns[group] : NULL;
        if (!w || !w->seen)
            continue;
        if (!seen)
            residue = w->residue;
        seen = true;
        varying |= w->varying | (w->residue ^ residue);
    }
    const int aligned = !seen || varying & 3 ? 1 : varying & 4 ? WORD : varying & 8 ? PAIR : QUAD;
    return (Base){(int64_t)(residue & (uint32_t)(aligned - 1)), aligned};
}

/* A load or store of the PTX that may be merged into a wider one. */
typedef struct Part {
    size_t access; /* index in Memory.accesses */
    const AccessSite *site;
    int64_t place; /* offset plus the base's residue */
} Part;

static int by_place(const void *a, const void *b)
{
    const Part *x = a, *y = b;
    if (x->site->group != y->site->group)
        return x->site->group < y->site->group ? -1 : 1;
    if (x->site->stretch != y->site->stretch)
        return x->site->stretch < y->site->stretch ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->access < y->access ? -1 : x->access > y->access;
}

static int merged_cost(const WalkFunction *f, const AccessSite *site, int bytes)
{
    const AccessGroup *g = &f->accesses->groups.at[site->group];
    for (int i = g->first_cost; i < g->first_cost + g->cost_count; i++)
        if (f->accesses->costs.at[i].aligned && f->accesses->costs.at[i].bytes == bytes &&
            f->accesses->costs.at[i].kind == site->kind)
            return i;
    return site->cost;
}

static void add_load(const Gather *s, const Part *parts, size_t count, int bytes)
{
    const AccessSite *first = parts[0].site;
    MemoryLoad load = {.block = first->block,
                       .kind = first->kind,
                       .bytes = bytes,
                       .accesses = (int)count,
                       .instr = first->instr};
    const int cost = bytes == first->bytes ? first->cost : merged_cost(s->function, first, bytes);
    load.sampled = !mean_cost(s, cost, &load.figures);
    for (size_t i = 0; i < count; i++) {
        s->memory->accesses.at[parts[i].access].merged = (int)s->memory->loads.count;
        if (parts[i].site->instr < load.instr)
            load.instr = parts[i].site->instr;
    }
    VEC_PUSH(s->arena, &s->memory->loads, load);
}

/* The words of its aligned 16 bytes that a part accesses (bits). */
static unsigned words_of(const Part *p)
{
    const unsigned first = (unsigned)((p->place & (QUAD - 1)) / WORD);
    return ((1u << (p->site->bytes / WORD)) - 1) << first;
}

/* Number of leading parts that lie within the same aligned `bytes`. */
static size_t together(const Part *p, size_t count, int bytes, unsigned *words)
{
    size_t n = 0;
    *words = 0;
    while (n < count && p[n].site->group == p->site->group &&
           p[n].site->stretch == p->site->stretch &&
           (p[n].place & -(int64_t)bytes) == (p->place & -(int64_t)bytes))
        *words |= words_of(&p[n++]);
    return n;
}

/* A load may read an unneeded word, or one for two sites; a store must write each word once. */
static bool fills_quad(const Part *p, size_t count, unsigned words)
{
    const int found = __builtin_popcount(words);
    return p->site->kind == ACCESS_LOAD ? found >= 3
                                        : found == 4 && (int)count * p->site->bytes == QUAD;
}

static bool fills_pair(const Part *p, size_t count, unsigned words)
{
    return __builtin_popcount(words) == 2 && (p->site->kind == ACCESS_LOAD || count == 2);
}

static void merge_parts(const Gather *s, const Part *p, size_t count)
{
    for (size_t i = 0; i < count;) {
        const int aligned = base_of(s, p[i].site->group).aligned;
        const int bytes = p[i].site->bytes;
        unsigned words = 0;
        size_t n = together(&p[i], count - i, QUAD, &words);
        if (aligned == QUAD && bytes >= WORD && bytes < QUAD && fills_quad(&p[i], n, words)) {
            add_load(s, &p[i], n, QUAD);
        } else if (aligned >= PAIR && bytes == WORD &&
                   (n = together(&p[i], count - i, PAIR, &words)) > 1 &&
                   fills_pair(&p[i], n, words)) {
            add_load(s, &p[i], n, PAIR);
        } else {
            n = 1;
            if (p[i].site->kind == ACCESS_LOAD)
                add_load(s, &p[i], 1, bytes);
        }
        i += n;
    }
}

static void merge_kind(const Gather *s, size_t first, AccessKind kind)
{
    Part *parts = ARENA_ARRAY(s->arena, Part, s->function->accesses->sites.count);
    size_t count = 0;
    for (size_t i = 0; i < s->function->accesses->sites.count; i++) {
        const AccessSite *site = &s->function->accesses->sites.at[i];
        if (site->kind == kind && site->space == PTX_SHARED)
            parts[count++] =
                (Part){first + i, site, site->offset + base_of(s, site->group).residue};
    }
    if (count)
        qsort(parts, count, sizeof *parts, by_place);
    merge_parts(s, parts, count);
}

static void gather_function(Arena *a, Memory *m, const WalkFunction *f)
{
    const size_t first = m->accesses.count;
    const int samples = m->samples->count;
    const Gather s = {a, m, m->samples, f, ARENA_ARRAY(a, const WalkFunction *, (size_t)samples)};
    for (int i = 0; i < samples; i++)
        s.of[i] = walk_find(m->samples->at[i].walk, f->function);
    list_accesses(&s);
    merge_kind(&s, first, ACCESS_LOAD);
    merge_kind(&s, first, ACCESS_STORE);
}

/* True if an earlier sample has reached the function. */
static bool is_gathered(const MemorySamples *s, int sample, const PtxFunction *f)
{
    for (int i = 0; i < sample; i++)
        if (walk_find(s->at[i].walk, f))
            return true;
    return false;
}

static bool gives_tickets(const PtxFunction *entry)
{
    VEC_EACH (const PtxInstr, in, entry->instrs)
        if (walk_gives_ticket(in->form))
            return true;
    return false;
}

static const Walk *follow_as(Arena *a, const PtxFunction *entry, WalkOptions o, PtxPlace place,
                             bool last)
{
    WalkPlans plans = {0};
    o.plans = &plans;
    o.place = place;
    o.last = last;
    o.passes = false;
    o.max_steps = SAMPLE_STEPS / SAMPLE_SHARE;
    const Walk *w = walk_warp(a, entry, &o);
    return w->capped ? NULL : w;
}

static void follow_last(Arena *a, const PtxFunction *entry, const WalkOptions *o, Memory *m)
{
    PtxPlace place = m->samples->at[0].place;
    const uint32_t warps = ptx_warps_in_block(&o->launch), chosen[MEMORY_LAST] = {0, warps - 1};
    if (!o->launch.has_geometry || warps == 0 || !gives_tickets(entry))
        return;
    for (uint32_t i = 0; i < MEMORY_LAST && i < warps; i++) {
        place.warp = chosen[i];
        const MemoryLast x = {follow_as(a, entry, *o, place, false),
                              follow_as(a, entry, *o, place, true)};
        if (x.own && x.last)
            m->last[m->last_count++] = x;
    }
}

Memory *memory_follow(Arena *a, const PtxFunction *entry, const MemoryOptions *o)
{
    Memory *m = ARENA_NEW(a, Memory);
    WalkPlans plans = {0};
    WalkOptions walk = o->walk;
    walk.memory = true;
    walk.plans = &plans;
    walk.passes = o->reuse;
    walk.launch = memory_pretend_pointers(a, entry, &o->walk.launch);
    const MemorySamples *samples = memory_sample(a, entry, &walk);
    m->samples = samples;
    follow_last(a, entry, &walk, m);
    if (o->reuse)
        m->reuse = memory_reuse(a, entry, &walk, samples, o->device);
    m->walk = samples->at[0].walk;
    m->mean = mean_walk(samples);
    for (int i = 0; i < samples->count; i++) {
        const Walk *w = samples->at[i].walk;
        for (size_t k = 0; k < w->functions.count; k++)
            if (!is_gathered(samples, i, w->functions.at[k]->function))
                gather_function(a, m, w->functions.at[k]);
    }
    number_lines(m);
    return m;
}
