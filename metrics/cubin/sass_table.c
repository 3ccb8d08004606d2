#include "metrics/cubin/sass_table.h"

enum { ENTRIES_MOST = 64 };

/* --- chains of the PTX ---------------------------------------------------------------------- */

static bool writes(const PtxInstr *in, int reg)
{
    for (int i = 0; i < in->form->writes && i < in->count; i++)
        if (in->operands[i].kind != PTX_OPERAND_REGISTER || in->operands[i].index == reg)
            return true;
    return false;
}

static const PtxInstr *definition(const Cfg *c, const CfgBlock *b, int reg)
{
    for (size_t i = b->end; i-- > b->first;)
        if (writes(&c->function->instrs.at[i], reg))
            return &c->function->instrs.at[i];
    return NULL;
}

/* A comparison, normalized to one of two forms. */
typedef struct Compared {
    bool equal;   /* x == number; else x < number */
    bool negated; /* the comparison holds where that does not */
    int64_t number;
} Compared;

static bool compare(unsigned orders, int64_t number, Compared *x)
{
    switch (orders) {
    case PTX_SAME:
    case PTX_LESS | PTX_MORE:
        *x = (Compared){true, orders != PTX_SAME, number};
        return true;
    case PTX_LESS:
    case PTX_MORE | PTX_SAME:
        *x = (Compared){false, orders != PTX_LESS, number};
        return true;
    case PTX_LESS | PTX_SAME:
    case PTX_MORE:
        *x = (Compared){false, orders == PTX_MORE, number + 1};
        return true;
    default:
        return false;
    }
}

/* A branch that is decided by comparing a register with a number. */
typedef struct Choice {
    int block, loop; /* of the PTX */
    int reg;
    bool is_case; /* the register is compared with several numbers */
    Compared compared;
    int holds, other; /* successors */
} Choice;

typedef VEC(Choice) Choices;

/* Equality tests of the same value, one after the other. */
typedef struct Links {
    Choice at[ENTRIES_MOST];
    double equal[ENTRIES_MOST]; /* times that each comparison holds … */
    double left;                /* … and that none does */
    int count;
} Links;

typedef struct Chain {
    Links links;
    bool rest; /* the tail of another chain */
    int64_t base;
    int last;                   /* entry, the default */
    double times[ENTRIES_MOST]; /* by target, in the order of their first entries */
    int ways;
} Chain;

typedef VEC(Chain) Chains;

static void set_ways(Choice *x, const CfgBlock *b, bool negated)
{
    const bool taken = x->compared.negated == negated;
    x->holds = taken ? b->taken : b->fall;
    x->other = taken ? b->fall : b->taken;
}

static bool is_choice(const Cfg *c, int block, Choice *x)
{
    const CfgBlock *b = &c->blocks[block];
    const PtxInstr *in = cfg_branch(c, block);
    if (!in || in->form->op != PTX_BRA || in->guard == PTX_NO_GUARD || b->succ_count != 2 ||
        b->order == CFG_NONE)
        return false;
    const PtxInstr *test = definition(c, b, in->guard);
    if (!test || test->form->op != PTX_SETP || test->count != 3 || test->guard != PTX_NO_GUARD ||
        ptx_types[test->form->types[0]].is_float ||
        test->operands[0].kind != PTX_OPERAND_REGISTER ||
        test->operands[1].kind != PTX_OPERAND_REGISTER ||
        test->operands[2].kind != PTX_OPERAND_IMMEDIATE ||
        !compare(ptx_orders(test->form->compare), test->operands[2].value, &x->compared))
        return false;
    x->block = block;
    x->reg = test->operands[1].index;
    set_ways(x, b, in->guard_negated);
    return true;
}

static bool is_link(const Cfg *c, int block, Choice *x)
{
    return is_choice(c, block, x) && x->compared.equal;
}

/* The block of the next comparison of the same value; CFG_NONE behind the last. */
static int next_link(const Cfg *c, const Choice *x, Choice *next)
{
    const CfgBlock *b = &c->blocks[x->other];
    return b->pred_count == 1 && is_link(c, x->other, next) && next->reg == x->reg &&
                   !definition(c, b, x->reg)
               ? x->other
               : CFG_NONE;
}

/* How often a branch of the PTX goes to one of two successors; negative when the visits do not tell. */
static double times_to(const WalkFunction *f, int block, int to, int other)
{
    const Cfg *c = f->flow->cfg;
    if (c->blocks[to].pred_count == 1)
        return (double)f->blocks[to].visits;
    return c->blocks[other].pred_count == 1
               ? (double)f->blocks[block].visits + (double)f->blocks[block].diverged -
                     (double)f->blocks[other].visits
               : -1;
}

/* The comparisons from a block on; false where the visits do not tell how often each holds. */
static bool follow_links(const WalkFunction *f, int block, Links *l)
{
    *l = (Links){.count = 0};
    if (!is_link(f->flow->cfg, block, &l->at[0]))
        return false;
    for (int next = block; next != CFG_NONE; l->count++) {
        const double all = (double)f->blocks[next].visits + (double)f->blocks[next].diverged;
        const Choice *here = &l->at[l->count];
        if (l->count + 1 == ENTRIES_MOST)
            return false;
        next = next_link(f->flow->cfg, here, &l->at[l->count + 1]);
        l->equal[l->count] = next == CFG_NONE ? times_to(f, here->block, here->holds, here->other)
                                              : all - (double)f->blocks[next].visits;
        l->left = all - l->equal[l->count];
        if (l->equal[l->count] < 0)
            return false;
    }
    return true;
}

/* True if a block is the next comparison of another. */
static bool goes_on(const Cfg *c, int block)
{
    Choice before, here;
    return c->blocks[block].pred_count == 1 && is_link(c, c->blocks[block].preds[0], &before) &&
           next_link(c, &before, &here) == block;
}

/* True if two links have the same number or target. */
static bool has_duplicates(const Links *l)
{
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < i; k++)
            if (l->at[k].compared.number == l->at[i].compared.number ||
                l->at[k].holds == l->at[i].holds)
                return true;
    return false;
}

/* The chain, or tail of one, of at least two cases that starts at a block. */
static bool read_chain(const WalkFunction *f, int block, Chain *chain)
{
    Links l;
    if (!follow_links(f, block, &l) || l.count < 2 || has_duplicates(&l))
        return false;
    int64_t least = l.at[0].compared.number, most = least;
    for (int i = 1; i < l.count; i++) {
        const int64_t number = l.at[i].compared.number;
        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    if (most - least >= ENTRIES_MOST - 1)
        return false;
    *chain = (Chain){.links = l,
                     .rest = goes_on(f->flow->cfg, block),
                     .base = least,
                     .last = (int)(most - least + 1)};
    bool has_left = false;
    for (int entry = 0; entry <= chain->last; entry++) {
        int i = 0;
        while (i < l.count && l.at[i].compared.number != least + entry)
            i++;
        if (i < l.count || !has_left)
            chain->times[chain->ways++] = i < l.count ? l.equal[i] : l.left;
        has_left |= i == l.count;
    }
    return true;
}

/* --- tables of the code --------------------------------------------------------------------- */

/* True for a register plus an immediate. */
static bool is_sum(SassInstr w, uint32_t *number)
{
    const int op = sass_opcode(w);
    const bool negated = w.high >> 8 & 1;
    return (op == SASS_OP_VIADD || (op == SASS_OP_IADD3 && sass_operand(w, 2) == SASS_ZERO)) &&
           sass_immediate(w, number) && !negated && sass_guard(w, NULL) == SASS_ALWAYS;
}

static bool is_number(SassInstr w, uint32_t *number)
{
    const int op = sass_opcode(w);
    const bool none = sass_operand(w, 0) == SASS_ZERO && sass_operand(w, 2) == SASS_ZERO;
    return (op == SASS_OP_MOV ||
            (op == SASS_OP_IMAD && sass_form(w) == SASS_FORM_NUMBER_THIRD && none)) &&
           sass_immediate(w, number) && sass_guard(w, NULL) == SASS_ALWAYS;
}

/* True if an instruction may write a register; an ISETP writes none. */
static bool may_write(SassInstr w, int reg)
{
    return sass_result(w) == reg && sass_class(w) != SASS_BRANCH && sass_opcode(w) != SASS_OP_ISETP;
}

/* The definition of a register at an instruction, in its block or the only predecessors before it. */
static const SassInstr *find_definition(const SassFlow *f, int block, size_t before, int reg)
{
    for (int steps = 0; steps < f->cfg->count; steps++) {
        const CfgBlock *b = &f->cfg->blocks[block];
        for (size_t i = steps ? b->end : before; i-- > b->first;)
            if (may_write(f->instrs[i], reg))
                return &f->instrs[i];
        if (b->pred_count != 1)
            return NULL;
        block = b->preds[0];
    }
    return NULL;
}

/* The number that is subtracted before the instruction clamps the index. */
static bool find_base(const SassFlow *f, int block, size_t at, int64_t *base)
{
    const SassInstr w = f->instrs[at];
    const bool adds = sass_opcode(w) == SASS_OP_VIADDMNMX;
    const SassInstr *from =
        find_definition(f, block, at, adds ? sass_operand(w, 2) : sass_operand(w, 0));
    uint32_t number = 0;
    if (!from || (adds && (sass_form(w) != SASS_FORM_NUMBER_THIRD || !is_number(*from, &number))))
        return false;
    if (!adds && !is_sum(*from, &number))
        number = 0;
    *base = -(int64_t)(int32_t)number;
    return true;
}

static bool is_minimum(SassInstr w)
{
    const int op = sass_opcode(w);
    return op == SASS_OP_IMNMX || op == SASS_OP_VIMNMX || op == SASS_OP_VIADDMNMX;
}

static bool read_table(const SassFlow *f, int block, int64_t *base, int *last)
{
    const CfgBlock *b = &f->cfg->blocks[block];
    uint32_t number;
    bool loaded = false;
    if (b->order == CFG_NONE || b->end == b->first ||
        sass_opcode(sass_flow_last(f, block)) != SASS_OP_BRX ||
        sass_guard(sass_flow_last(f, block), NULL) != SASS_ALWAYS)
        return false;
    for (size_t i = b->end; i-- > b->first;) {
        loaded |= sass_constant(f->instrs[i]) == SASS_CONSTANT_INDEXED;
        if (!is_minimum(f->instrs[i]))
            continue;
        *last = sass_immediate(f->instrs[i], &number) && number < ENTRIES_MOST ? (int)number : 0;
        return loaded && *last > 0 && find_base(f, block, i, base);
    }
    return false;
}

/* The chain, or tail of one, of the n-th of `tables` tables with the same base and last entry. */
static const Chain *find_chain(const Chains *chains, bool rest, int64_t base, int last, int n,
                               int tables)
{
    const Chain *found = NULL;
    int count = 0;
    for (size_t i = 0; i < chains->count; i++)
        if (chains->at[i].rest == rest && chains->at[i].base == base &&
            chains->at[i].last == last && count++ == n)
            found = &chains->at[i];
    return count == tables ? found : NULL;
}

static void find_tables(Arena *a, const SassFlow *f, const WalkFunction *ptx, SassCases *cases)
{
    Chains chains = {0};
    Chain *chain = ARENA_NEW(a, Chain);
    for (int b = 0; b < ptx->flow->cfg->count; b++)
        if (read_chain(ptx, b, chain))
            VEC_PUSH(a, &chains, *chain);
    for (int b = 0; b < f->cfg->count; b++) {
        int64_t base, other;
        int last, last_other, before = 0, tables = 0;
        if (!read_table(f, b, &base, &last))
            continue;
        for (int i = 0; i < f->cfg->count; i++)
            if (read_table(f, i, &other, &last_other) && other == base && last_other == last) {
                before += i < b;
                tables++;
            }
        const Chain *of = find_chain(&chains, false, base, last, before, tables);
        if (!of)
            of = find_chain(&chains, true, base, last, before, tables);
        if (!of || of->ways != f->cfg->blocks[b].succ_count)
            continue;
        cases->times[b] = of->times;
        for (int i = 0; i < of->links.count; i++)
            cases->told[of->links.at[i].block] = true;
    }
}

/* --- branches of the code ---------------------------------------------------------------------- */

/* The number that an ISETP compares a register with. */
static bool compared_in_code(SassInstr w, Compared *x)
{
    uint32_t number = 0;
    const bool is_zero = sass_form(w) == SASS_FORM_REGISTERS && sass_operand(w, 1) == SASS_ZERO;
    if (!is_zero && !sass_immediate(w, &number))
        return false;
    return compare(w.high >> 12 & PTX_ORDERED, (int32_t)number, x);
}

static bool is_choice_of_code(Arena *a, const SassFlow *f, int block, Choice *x)
{
    SassInstr w;
    bool negated;
    if (f->cfg->blocks[block].order == CFG_NONE || !sass_flow_decision(a, f, block, &w, &negated) ||
        sass_opcode(w) != SASS_OP_ISETP || !compared_in_code(w, &x->compared))
        return false;
    x->block = block;
    x->reg = sass_operand(w, 0);
    set_ways(x, &f->cfg->blocks[block], negated);
    return true;
}

static void mark_cases(Choices *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->count; k++) {
            const Choice *x = &all->at[i], *y = &all->at[k];
            if (x->reg != y->reg || !x->compared.equal || !y->compared.equal ||
                x->compared.number == y->compared.number)
                continue;
            for (size_t n = 0; !x->is_case && n < all->count; n++)
                all->at[n].is_case |= all->at[n].reg == x->reg;
        }
}

/* True for a branch with a back edge. */
static bool is_latch(const Cfg *c, int block)
{
    const CfgBlock *b = &c->blocks[block];
    for (int k = 0; k < b->succ_count; k++)
        if (c->blocks[b->succs[k]].order <= b->order)
            return true;
    return false;
}

/* Without those in unpaired loops. */
static Choices choices_of_code(Arena *a, const SassFlow *f, const SassPairs *pairs)
{
    Choices all = {0};
    for (int i = 0; i < f->cfg->reachable; i++) {
        const int block = f->cfg->order[i], loop = f->loops->loop_of[block];
        Choice x = {.loop = loop == CFG_NONE ? CFG_NONE : pairs->loop[loop]};
        if ((loop == CFG_NONE) == (x.loop == CFG_NONE) && !is_latch(f->cfg, block) &&
            is_choice_of_code(a, f, block, &x))
            VEC_PUSH(a, &all, x);
    }
    mark_cases(&all);
    return all;
}

static Choices choices_of_ptx(Arena *a, const Flow *f)
{
    Choices all = {0};
    for (int i = 0; i < f->cfg->reachable; i++) {
        Choice x = {.loop = f->loops->loop_of[f->cfg->order[i]]};
        if (!is_latch(f->cfg, f->cfg->order[i]) && is_choice(f->cfg, f->cfg->order[i], &x))
            VEC_PUSH(a, &all, x);
    }
    mark_cases(&all);
    return all;
}

static bool alike(const Choice *x, const Choice *y)
{
    return x->loop == y->loop && x->compared.equal == y->compared.equal &&
           x->compared.number == y->compared.number;
}

/* How many choices (or only cases) are alike, and how many of these come before `x`. */
static int count_alike(const Choices *all, const Choice *x, bool cases, int *before)
{
    int count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (&all->at[i] == x)
            *before = count;
        count += alike(&all->at[i], x) && (!cases || all->at[i].is_case);
    }
    return count;
}

/* The n-th branch of the code that is like one of the PTX takes its edges as often. */
static bool pair_choice(Arena *a, const SassFlow *f, const WalkFunction *ptx, const Choices *code,
                        const Choice *x, bool cases_alone, int n, SassCases *cases)
{
    const double holds = times_to(ptx, x->block, x->holds, x->other),
                 other = times_to(ptx, x->block, x->other, x->holds);
    if (holds < 0 || other < 0)
        return false;
    size_t i = 0;
    while (!alike(&code->at[i], x) || (cases_alone && !code->at[i].is_case) || n-- > 0)
        i++;
    const Choice *y = &code->at[i];
    double *times = ARENA_ARRAY(a, double, 2);
    times[0] = f->cfg->blocks[y->block].succs[0] == y->holds ? holds : other;
    times[1] = holds + other - times[0];
    cases->times[y->block] = times;
    return true;
}

static void find_branches(Arena *a, const SassFlow *f, const WalkFunction *ptx,
                          const SassPairs *pairs, SassCases *cases)
{
    const Choices in_ptx = choices_of_ptx(a, ptx->flow), code = choices_of_code(a, f, pairs);
    VEC_EACH (const Choice, x, in_ptx) {
        if (cases->told[x->block] || !x->is_case || !ptx->blocks[x->block].visits)
            continue;
        bool paired = false;
        for (int alone = 0; alone < 2 && !paired; alone++) {
            int n = 0;
            paired = count_alike(&in_ptx, x, alone, &n) == count_alike(&code, x, alone, NULL) &&
                     pair_choice(a, f, ptx, &code, x, alone, n, cases);
        }
        cases->told[x->block] = paired;
        cases->open |= !paired;
    }
}

/* --- the answer ----------------------------------------------------------------------------- */

SassCases sass_cases_find(Arena *a, const SassFlow *f, const WalkFunction *ptx,
                          const SassPairs *pairs)
{
    SassCases cases = {.times = ARENA_ARRAY(a, const double *, (size_t)f->cfg->count),
                       .told = ARENA_ARRAY(a, bool, (size_t)ptx->flow->cfg->count)};
    find_tables(a, f, ptx, &cases);
    find_branches(a, f, ptx, pairs, &cases);
    return cases;
}
