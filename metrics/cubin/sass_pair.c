#include "metrics/cubin/sass_pair.h"

#include "metrics/base/map.h"

#include <math.h>

enum { LOOPS_MOST = 64, SIDE_BY_SIDE_MOST = 6, NUMBERS_MOST = 32, COPIES_MOST = 64 };

/* The cost of a pair is the share of landmarks that differ plus that of immediates: 0 for equal loops, up
 * to 2 for loops with nothing in common. */
static const double ORDER_COST = 2;      /* of two loops in the opposite order */
static const double NESTING_COST = 1;    /* of inner loops that cannot be paired */
static const double DOUBT_MARGIN = 0.1;  /* exchanges that cost less are as good */
static const double COPIES_COST = 0.001; /* so that a plain loop is preferred to an unrolled one */

/* What a loop does, without its inner loops. */
typedef struct Traits {
    double marks[SASS_ANCHORS];
    uint32_t numbers[NUMBERS_MOST]; /* immediates in its instructions */
    int number_count;
} Traits;

/* The loops of the code, or if `code` is NULL of the PTX. */
typedef struct Side {
    const SassFlow *code;
    const PtxFunction *ptx;
    const Cfg *cfg;
    const LoopTree *tree;
    Traits *traits;
    bool *before; /* [a * loops + b]: a may come before b, both in the same loop */
} Side;

typedef struct Pairing {
    Arena *arena;
    Side code, ptx;
    const WalkFunction *walk;
    double *cost; /* [code loop * PTX loops + PTX loop], inner loops included */
    SassPairs pairs;
} Pairing;

/* Loops side by side in the same loop. */
typedef struct Level {
    int count;
    int loop[LOOPS_MOST];
} Level;

typedef struct Matching {
    const Pairing *p;
    Level code, ptx;
    int way[LOOPS_MOST], best[LOOPS_MOST]; /* by position in `code`: the position in `ptx` */
    double least;
} Matching;

/* --- what loops do -------------------------------------------------------------------------- */

/* Leaves out 0, 1 and -1, which are everywhere. */
static void add_number(Traits *t, int64_t number)
{
    const uint32_t n = (uint32_t)number;
    if (n == 0 || n == 1 || n == UINT32_MAX || t->number_count == NUMBERS_MOST)
        return;
    for (int i = 0; i < t->number_count; i++)
        if (t->numbers[i] == n)
            return;
    t->numbers[t->number_count++] = n;
}

static void add_numbers_at(Traits *t, const Side *s, size_t i)
{
    uint32_t number;
    if (s->code) {
        if (sass_immediate(s->code->instrs[i], &number))
            add_number(t, number);
        return;
    }
    const PtxInstr *in = &s->ptx->instrs.at[i];
    EACH (const PtxOperand, o, in->operands, in->count) {
        if (o->kind == PTX_OPERAND_IMMEDIATE)
            add_number(t, o->value);
        if (o->kind == PTX_OPERAND_FLOAT)
            add_number(t, o->index == 64 ? o->value >> 32 : o->value);
    }
}

static SassAnchor anchor_at(const Side *s, size_t i, double *amount)
{
    return s->code ? sass_anchor_of(s->code->instrs[i], amount)
                   : sass_anchor_of_ptx(&s->ptx->instrs.at[i], amount);
}

static void describe(Side *s)
{
    for (size_t i = 0; i < (s->code ? s->code->count : s->ptx->instrs.count); i++) {
        const int loop = s->tree->loop_of[s->cfg->block_of[i]];
        if (loop == CFG_NONE)
            continue;
        double amount;
        const SassAnchor k = anchor_at(s, i, &amount);
        if (k != SASS_NO_ANCHOR)
            s->traits[loop].marks[k] += amount;
        add_numbers_at(&s->traits[loop], s, i);
    }
}

/* Marks what is reachable from a loop within one iteration of the loop around it. */
static void mark_before(Arena *a, Side *s, int loop)
{
    const Loop *l = &s->tree->loops.at[loop];
    const int around = l->parent == CFG_NONE ? CFG_NONE : s->tree->loops.at[l->parent].header;
    bool *seen = ARENA_ARRAY(a, bool, (size_t)s->cfg->count);
    if (around != CFG_NONE)
        seen[around] = true;
    cfg_reach(a, s->cfg, l->header, NULL, seen);
    for (size_t i = 0; i < s->tree->loops.count; i++)
        if ((int)i != loop && s->tree->loops.at[i].parent == l->parent)
            s->before[(size_t)loop * s->tree->loops.count + i] = seen[s->tree->loops.at[i].header];
}

static Side side_new(Arena *a, const SassFlow *code, const Flow *ptx)
{
    Side s = {.code = code,
              .ptx = ptx ? ptx->function : NULL,
              .cfg = code ? code->cfg : ptx->cfg,
              .tree = code ? code->loops : ptx->loops};
    const size_t n = s.tree->loops.count;
    s.traits = ARENA_ARRAY(a, Traits, n + 1);
    s.before = ARENA_ARRAY(a, bool, n *n + 1);
    for (size_t i = 0; n > 1 && i < n; i++)
        mark_before(a, &s, (int)i);
    describe(&s);
    return s;
}

/* -1: a comes first, 1: b does, 0: neither, or each on some paths. */
static int order_of(const Side *s, int a, int b)
{
    const size_t n = s->tree->loops.count;
    return (int)s->before[(size_t)b * n + (size_t)a] - (int)s->before[(size_t)a * n + (size_t)b];
}

/* --- how different two loops are ------------------------------------------------------------ */

/* The share of landmarks that differ if the code does `copies` iterations in one. */
static double unlike_marks(const Traits *code, const Traits *ptx, double copies)
{
    double all = 0, unlike = 0;
    for (int k = 0; k < SASS_ANCHORS; k++) {
        const double a = code->marks[k] / copies, b = ptx->marks[k];
        if ((a == 0 && b == 0) || sass_anchors[k].least > 0)
            continue;
        const double weight = sass_anchors[k].weight;
        all += weight;
        unlike += weight * (1 - fmin(a, b) / fmax(a, b));
    }
    return all > 0 ? unlike / all : 0;
}

/* The share of the PTX's immediates that the code lacks. */
static double unlike_numbers(const Traits *code, const Traits *ptx)
{
    int missing = 0;
    for (int i = 0; i < ptx->number_count; i++) {
        bool found = false;
        for (int k = 0; k < code->number_count; k++)
            found |= code->numbers[k] == ptx->numbers[i];
        missing += !found;
    }
    return ptx->number_count ? (double)missing / ptx->number_count : 0;
}

/* Iterations that the code does in one, by which the landmarks differ least. */
static double find_copies(const Traits *code, const Traits *ptx)
{
    double least = unlike_marks(code, ptx, 1), best = 1;
    for (int k = 0; k < SASS_ANCHORS && least > 0; k++) {
        const double copies = ptx->marks[k] > 0 ? nearbyint(code->marks[k] / ptx->marks[k]) : 0;
        const double cost = copies > 1 && copies <= COPIES_MOST
                                ? unlike_marks(code, ptx, copies) + COPIES_COST
                                : INFINITY;
        if (cost < least) {
            least = cost;
            best = copies;
        }
    }
    return best;
}

static double unlike(const Traits *code, const Traits *ptx)
{
    const double copies = find_copies(code, ptx);
    return unlike_marks(code, ptx, copies) + (copies > 1 ? COPIES_COST : 0) +
           unlike_numbers(code, ptx);
}

/* --- one level ------------------------------------------------------------------------------ */

/* The loops directly inside another one, or at the top (CFG_NONE), in order. */
static void level_of(const Side *s, int parent, Level *out)
{
    out->count = 0;
    for (size_t i = 0; i < s->tree->loops.count; i++)
        if (s->tree->loops.at[i].parent == parent)
            out->loop[out->count++] = (int)i;
}

static double pair_cost(const Matching *m, int position, int way)
{
    const size_t n = m->p->ptx.tree->loops.count;
    return m->p->cost[(size_t)m->code.loop[position] * n + (size_t)m->ptx.loop[way]];
}

/* The cost of a position's order relative to the first `others` ones. */
static double order_cost(const Matching *m, const int *way, int position, int others)
{
    double cost = 0;
    for (int i = 0; i < others; i++) {
        const int code = order_of(&m->p->code, m->code.loop[i], m->code.loop[position]);
        const int ptx = order_of(&m->p->ptx, m->ptx.loop[way[i]], m->ptx.loop[way[position]]);
        cost += i != position && code * ptx < 0 ? ORDER_COST : 0;
    }
    return cost;
}

/* Tries all pairings from a position on; the depth is at most SIDE_BY_SIDE_MOST. */
static void try_ways(Matching *m, int position, unsigned taken, double cost)
{
    if (cost >= m->least)
        return;
    if (position == m->code.count) {
        m->least = cost;
        memcpy(m->best, m->way, sizeof m->best);
        return;
    }
    for (int way = 0; way < m->ptx.count; way++) {
        if (taken >> way & 1)
            continue;
        m->way[position] = way;
        try_ways(m, position + 1, taken | 1u << way,
                 cost + pair_cost(m, position, way) + order_cost(m, m->way, position, position));
    }
}

static double cost_of_ways(const Matching *m, const int *way)
{
    double cost = 0;
    for (int i = 0; i < m->code.count; i++)
        cost += pair_cost(m, i, way[i]) + order_cost(m, way, i, i);
    return cost;
}

static void drop_never_entered(const Pairing *p, Level *level)
{
    int kept = 0;
    for (int i = 0; i < level->count; i++)
        if (p->walk->loops[level->loop[i]].headers > 0)
            level->loop[kept++] = level->loop[i];
    level->count = kept;
}

/* Pairs the loops inside a pair (CFG_NONE: at the top) at the least cost, or by order if there are many.
 * Loops of the PTX that are never entered may be missing from settled code.  False when the numbers differ. */
static bool match_level(const Pairing *p, int code, int ptx, Matching *m)
{
    *m = (Matching){.p = p, .least = INFINITY};
    level_of(&p->code, code, &m->code);
    level_of(&p->ptx, ptx, &m->ptx);
    if (m->code.count < m->ptx.count)
        drop_never_entered(p, &m->ptx);
    if (m->code.count != m->ptx.count)
        return false;
    for (int i = 0; i < m->code.count; i++)
        m->best[i] = i;
    if (m->code.count > SIDE_BY_SIDE_MOST)
        m->least = cost_of_ways(m, m->best);
    else
        try_ways(m, 0, 0, 0);
    return true;
}

/* Inner loops have higher numbers than outer ones, so their costs are known first. */
static void find_costs(Pairing *p)
{
    const size_t codes = p->code.tree->loops.count, ptxs = p->ptx.tree->loops.count;
    p->cost = ARENA_ARRAY(p->arena, double, codes *ptxs + 1);
    for (size_t i = codes; i-- > 0;)
        for (size_t k = ptxs; k-- > 0;) {
            Matching m;
            if (p->code.tree->loops.at[i].depth != p->ptx.tree->loops.at[k].depth)
                continue;
            const bool alike = match_level(p, (int)i, (int)k, &m);
            p->cost[i * ptxs + k] =
                unlike(&p->code.traits[i], &p->ptx.traits[k]) + (alike ? m.least : NESTING_COST);
        }
}

/* --- the answer ----------------------------------------------------------------------------- */

static double visits_of(const Pairing *p, int loop)
{
    const Loop *l = &p->ptx.tree->loops.at[loop];
    double visits = 0;
    for (size_t i = 0; i < l->blocks.count; i++)
        visits += (double)p->walk->blocks[l->blocks.at[i]].visits;
    return visits;
}

static bool same_counts(const Pairing *p, int a, int b)
{
    const WalkLoop *x = &p->walk->loops[a], *y = &p->walk->loops[b];
    return x->entries == y->entries && x->headers == y->headers &&
           visits_of(p, a) == visits_of(p, b);
}

static size_t line_of(const Pairing *p, int loop)
{
    const int header = p->ptx.tree->loops.at[loop].header;
    return ptx_line(p->walk->function, p->ptx.cfg->blocks[header].first);
}

static void find_doubt(Pairing *p, const Matching *m)
{
    for (int i = 0; i < m->code.count; i++)
        for (int k = 0; k < i && !p->pairs.doubt; k++) {
            int way[LOOPS_MOST];
            memcpy(way, m->best, sizeof way);
            way[i] = m->best[k];
            way[k] = m->best[i];
            const int a = m->ptx.loop[way[i]], b = m->ptx.loop[way[k]];
            if (!same_counts(p, a, b) && cost_of_ways(m, way) < m->least + DOUBT_MARGIN)
                p->pairs.doubt = arena_printf(
                    p->arena, "the loops at lines %zu and %zu of the PTX look alike in the code",
                    line_of(p, a), line_of(p, b));
        }
}

/* Outer loops have lower numbers than inner ones: a loop is paired before what is inside it. */
static void take_level(Pairing *p, int code, int ptx)
{
    Matching m;
    if (!match_level(p, code, ptx, &m)) {
        p->pairs.complete = false;
        return;
    }
    find_doubt(p, &m);
    for (int i = 0; i < m.code.count; i++)
        p->pairs.loop[m.code.loop[i]] = m.ptx.loop[m.best[i]];
}

/* --- loops that are not paired -------------------------------------------------------------- */

static bool is_work(SassAnchor a)
{
    return (a >= SASS_ANCHOR_LOAD_1 && a <= SASS_ANCHOR_STORE_32) || a == SASS_ANCHOR_FP32;
}

static bool is_certain(SassAnchor a)
{
    return a != SASS_NO_ANCHOR && sass_anchors[a].weight >= 1;
}

/* Landmarks of some kinds in a loop. */
static double marks_in(const Side *s, int loop, bool (*is_meant)(SassAnchor))
{
    const Loop *l = &s->tree->loops.at[loop];
    double sum = 0, amount;
    for (size_t k = 0; k < l->blocks.count; k++) {
        const CfgBlock *b = &s->cfg->blocks[l->blocks.at[k]];
        for (size_t i = b->first; i < b->end; i++)
            if (is_meant(anchor_at(s, i, &amount)))
                sum += amount;
    }
    return sum;
}

/* Factors, shift distances and masks are the same in each copy of an unrolled loop; terms of sums are not.
 * 0 for none. */
static uint32_t code_number(SassInstr w)
{
    const int op = sass_opcode(w);
    uint32_t n;
    return (op == SASS_OP_IMAD || op == SASS_OP_SHF || op == SASS_OP_LOP3) && sass_immediate(w, &n)
               ? n
               : 0;
}

static uint32_t ptx_number(const PtxInstr *in)
{
    const PtxOp op = in->form->op;
    if (op != PTX_MUL && op != PTX_MAD && op != PTX_SHR && op != PTX_AND && op != PTX_OR &&
        op != PTX_XOR)
        return 0;
    for (size_t i = 1; i < in->count; i++) {
        const uint32_t n = (uint32_t)in->operands[i].value;
        if (in->operands[i].kind == PTX_OPERAND_IMMEDIATE && n != 1 && n != UINT32_MAX)
            return n;
    }
    return 0;
}

static bool is_reached(const SassFlow *code, size_t i)
{
    return code->cfg->blocks[code->cfg->block_of[i]].order != CFG_NONE;
}

static SassNumber count_number(const Pairing *p, const SassFlow *code, uint32_t number)
{
    const Cfg *c = code->cfg;
    const PtxFunction *text = p->walk->function;
    SassNumber n = {.by_block = ARENA_ARRAY(p->arena, double, (size_t)c->count)};
    for (size_t i = 0; i < code->count; i++)
        if (is_reached(code, i) && code_number(code->instrs[i]) == number) {
            n.by_block[c->block_of[i]]++;
            n.in_code++;
        }
    for (size_t i = 0; i < text->instrs.count; i++)
        if (ptx_number(&text->instrs.at[i]) == number)
            n.in_ptx += (double)p->walk->blocks[p->ptx.cfg->block_of[i]].visits;
    return n;
}

/* The immediates in reachable code. */
static NumberMap numbers_in_code(Arena *a, const SassFlow *code)
{
    NumberMap known = {.arena = a};
    for (size_t i = 0; i < code->count; i++)
        if (is_reached(code, i) && code_number(code->instrs[i]) != 0)
            numbers_put(&known, code_number(code->instrs[i]), i);
    return known;
}

/* Adds the immediates of a loop that the code has, too; false without any. */
static bool add_numbers(Pairing *p, const SassFlow *code, const NumberMap *known, const Loop *l,
                        Traits *seen)
{
    bool any = false;
    for (size_t k = 0; k < l->blocks.count; k++) {
        const CfgBlock *b = &p->ptx.cfg->blocks[l->blocks.at[k]];
        for (size_t i = b->first; i < b->end; i++) {
            const int before = seen->number_count;
            const uint32_t number = ptx_number(&p->walk->function->instrs.at[i]);
            const bool has = numbers_get(known, number) != SIZE_MAX;
            add_number(seen, number);
            if (has && seen->number_count > before)
                VEC_PUSH(p->arena, &p->pairs.numbers, count_number(p, code, number));
            any |= has;
        }
    }
    return any;
}

static double executed_in(const Pairing *p, int loop)
{
    double sum = 0;
    for (int b = 0; b < p->ptx.cfg->count; b++)
        if (p->ptx.tree->loop_of[b] == loop)
            sum += (double)p->walk->blocks[b].visits *
                   (double)(p->ptx.cfg->blocks[b].end - p->ptx.cfg->blocks[b].first);
    return sum;
}

/* Only if the code has an unpaired loop without landmarks. */
static void find_numbers(Pairing *p, const SassFlow *code)
{
    const LoopTree *t = p->ptx.tree;
    const NumberMap known = numbers_in_code(p->arena, code);
    bool *paired = ARENA_ARRAY(p->arena, bool, t->loops.count + 1), any = false;
    Traits seen = {.number_count = 0};
    for (size_t i = 0; i < code->loops->loops.count; i++) {
        const int pair = p->pairs.loop[i];
        if (pair != CFG_NONE)
            paired[pair] = true;
        else
            any |= marks_in(&p->code, (int)i, is_certain) == 0;
    }
    for (size_t k = 0; any && k < t->loops.count; k++)
        if (!paired[k] && p->walk->loops[k].headers > 0 &&
            marks_in(&p->ptx, (int)k, is_certain) == 0 &&
            !add_numbers(p, code, &known, &t->loops.at[k], &seen))
            p->pairs.lost += executed_in(p, (int)k);
}

SassPairs sass_pair_loops(Arena *a, const SassFlow *code, const WalkFunction *ptx)
{
    const size_t codes = code->loops->loops.count, ptxs = ptx->flow->loops->loops.count;
    Pairing p = {.arena = a, .walk = ptx};
    p.pairs.loop = ARENA_ARRAY(a, int, codes + 1);
    p.pairs.unrolled = ARENA_ARRAY(a, bool, codes + 1);
    p.pairs.copies = ARENA_ARRAY(a, double, codes + 1);
    for (size_t i = 0; i < codes; i++)
        p.pairs.loop[i] = CFG_NONE;
    if (codes > LOOPS_MOST || ptxs > LOOPS_MOST)
        return p.pairs;
    p.code = side_new(a, code, NULL);
    p.ptx = side_new(a, NULL, ptx->flow);
    find_costs(&p);
    p.pairs.complete = true;
    take_level(&p, CFG_NONE, CFG_NONE);
    for (size_t i = 0; i < codes; i++) {
        const int pair = p.pairs.loop[i];
        if (pair == CFG_NONE)
            continue;
        take_level(&p, (int)i, pair);
        p.pairs.copies[i] = find_copies(&p.code.traits[i], &p.ptx.traits[pair]);
        p.pairs.unrolled[i] =
            marks_in(&p.code, (int)i, is_work) > 1.5 * marks_in(&p.ptx, pair, is_work);
    }
    find_numbers(&p, code);
    return p.pairs;
}
