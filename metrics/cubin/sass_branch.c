#include "metrics/cubin/sass_branch.h"

#include <math.h>

enum { BRANCHES_MOST = 256, LOOP_GONE = -2 };

/* How far apart two branches may be, as a share of the text. */
static const double BRANCH_APART = 0.1;

/* The comparison by which a branch is decided. */
typedef struct Test {
    enum { TEST_UNKNOWN, TEST_OF_NUMBER, TEST_OF_VALUES } kind;
    uint32_t number; /* of a double the upper half; two values: 0 */
    bool floats;     /* compares floats, whose numbers ptxas leaves as they are */
    unsigned taken;  /* the orders for which it is taken, of PTX_ORDERED */
} Test;

typedef struct Branch {
    Test test;
    int block, loop; /* of the code without settled branches, which may have lost the loop */
    int depth;       /* number of branches that it is control-dependent on */
    double place;    /* share of the instructions up to it */
} Branch;

typedef VEC(Branch) Branches;

static Test test_of_code(Arena *a, const SassFlow *f, int block)
{
    enum { RELATION_AT = 12 };
    SassInstr w;
    bool negated;
    Test t = {.kind = TEST_OF_NUMBER};
    if (!sass_flow_decision(a, f, block, &w, &negated))
        return (Test){0};
    if (!sass_immediate(w, &t.number)) {
        t.number = 0;
        if (sass_form(w) != SASS_FORM_REGISTERS || sass_operand(w, 1) != SASS_ZERO)
            t.kind = TEST_OF_VALUES;
    }
    t.taken = (w.high >> RELATION_AT & PTX_ORDERED) ^ (negated ? PTX_ORDERED : 0);
    t.floats = sass_opcode(w) != SASS_OP_ISETP;
    return t;
}

static Test test_of_ptx(const Cfg *c, int block)
{
    const PtxInstr *in = cfg_branch(c, block);
    const PtxInstr *test = NULL;
    for (size_t i = 0; in && in->guard != PTX_NO_GUARD && i < c->blocks[block].end; i++) {
        const PtxInstr *w = &c->function->instrs.at[i];
        if (w->writes.count && w->writes.at[0] == in->guard)
            test = w;
    }
    if (!test || test->form->op != PTX_SETP || test->count != 3)
        return (Test){0};
    const PtxOperand *by = &test->operands[2];
    const bool upper = by->kind == PTX_OPERAND_FLOAT && by->index == 64;
    const bool number = by->kind == PTX_OPERAND_FLOAT || by->kind == PTX_OPERAND_IMMEDIATE;
    const uint64_t value = number ? (uint64_t)by->value : 0;
    return (Test){number ? TEST_OF_NUMBER : TEST_OF_VALUES, (uint32_t)(upper ? value >> 32 : value),
                  by->kind == PTX_OPERAND_FLOAT,
                  (ptx_orders(test->form->compare) & PTX_ORDERED) ^
                      (in->guard_negated ? PTX_ORDERED : 0)};
}

static bool same_or_opposite(unsigned x, unsigned y)
{
    return x == y || x == (y ^ PTX_ORDERED);
}

/* Tests of 0 are everywhere, so they do not tell which is which. */
static bool same_test(const Test *a, const Test *b)
{
    return a->kind == TEST_OF_NUMBER && b->kind == TEST_OF_NUMBER && a->number != 0 &&
           a->number == b->number && same_or_opposite(a->taken, b->taken);
}

/* The orders with the values exchanged. */
static unsigned exchanged(unsigned taken)
{
    return (taken & PTX_SAME) | (taken & PTX_LESS ? PTX_MORE : 0u) |
           (taken & PTX_MORE ? PTX_LESS : 0u);
}

/* True if they may be the same: two values may be exchanged. *alike: they are taken for the
 * same outcome, not for opposite ones. */
static bool may_be_same(const Test *a, const Test *b, bool *alike)
{
    if (a->kind == TEST_UNKNOWN || a->kind != b->kind || a->number != b->number)
        return false;
    const unsigned other = a->kind == TEST_OF_VALUES && !same_or_opposite(a->taken, b->taken)
                               ? exchanged(b->taken)
                               : b->taken;
    *alike = a->taken == other;
    return same_or_opposite(a->taken, other);
}

static bool goes_on_in_loop(const LoopTree *t, const CfgBlock *b, int loop)
{
    for (int k = 0; loop != CFG_NONE && k < b->succ_count; k++)
        if (!loop_contains(t, loop, b->succs[k]) || b->succs[k] == t->loops.at[loop].header)
            return false;
    return true;
}

/* Which ends are looked at. */
typedef enum Ends { ENDS_OUTSIDE, ENDS_IN_LOOPS, ENDS_ALL } Ends;

static bool is_of(Ends ends, const LoopTree *t, int block)
{
    return ends == ENDS_ALL || (t->loop_of[block] != CFG_NONE) == (ends == ENDS_IN_LOOPS);
}

static bool is_guarded_end(const SassFlow *f, int block, Ends ends)
{
    const CfgBlock *b = &f->cfg->blocks[block];
    return b->order != CFG_NONE && b->ends_thread && b->succ_count == 1 &&
           is_of(ends, f->loops, block);
}

/* Branches with nothing but the end on one side. */
static bool leads_to_end(const Flow *f, int block, Ends ends)
{
    return f->cfg->blocks[block].order != CFG_NONE && f->cfg->blocks[block].succ_count > 1 &&
           cfg_ends_at_once(f->cfg, block) && is_of(ends, f->loops, block);
}

static int count_guarded_ends(const SassFlow *f, Ends ends)
{
    int count = 0;
    for (int b = 0; b < f->cfg->count; b++)
        count += is_guarded_end(f, b, ends);
    return count;
}

static int count_ends(const Flow *f, Ends ends)
{
    int count = 0;
    for (int b = 0; b < f->cfg->count; b++)
        count += leads_to_end(f, b, ends);
    return count;
}

/* The side of such a branch that goes on; CFG_NONE if others come to it, too. */
static int going_on(const Cfg *c, int block)
{
    int into = CFG_NONE, sides = 0;
    for (int k = 0; k < c->blocks[block].succ_count; k++) {
        const int to = c->blocks[block].succs[k];
        if (c->blocks[to].ends_thread && c->blocks[to].succ_count == 0)
            continue;
        into = to;
        sides++;
    }
    return sides == 1 && c->blocks[into].pred_count == 1 ? into : CFG_NONE;
}

/* Guarded EXITs in the order of the PTX's branches to the end, if there are as many; those in loops apart, which the code
 * may have as branches that leave the loop. */
static void pair_ends(const SassFlow *code, const Flow *ptx, Ends ends, SassBranch *of)
{
    if (count_guarded_ends(code, ends) != count_ends(ptx, ends))
        return;
    for (int b = 0, in_ptx = 0; b < code->cfg->count; b++) {
        if (!is_guarded_end(code, b, ends))
            continue;
        while (!leads_to_end(ptx, in_ptx, ends))
            in_ptx++;
        const int into = going_on(ptx->cfg, in_ptx);
        of[b] = (SassBranch){in_ptx++, into == CFG_NONE ? CFG_NONE : 0, into};
    }
}

/* In the order of the text, at most BRANCHES_MOST + 1.  Leaves out those that leave or repeat a loop, and
 * those to the end of the thread if guards replace them. */
static Branches list_branches(Arena *a, const Cfg *c, const LoopTree *t, const DomTree *post,
                              const SassFlow *code, bool guarded)
{
    Branches list = {0};
    int *depth = ARENA_ARRAY(a, int, (size_t)c->count);
    for (int b = 0; b < c->count && list.count <= BRANCHES_MOST; b++) {
        const CfgBlock *block = &c->blocks[b];
        if (block->order == CFG_NONE || block->succ_count < 2 ||
            (guarded && cfg_ends_at_once(c, b)) ||
            (code && (code->callee[b] != CFG_NONE || sass_flow_apart(code, b) != CFG_NONE)) ||
            !goes_on_in_loop(t, block, t->loop_of[b]))
            continue;
        bool *behind = ARENA_ARRAY(a, bool, (size_t)c->count);
        cfg_between(a, c, b, post->parent[b], behind);
        for (int i = 0; i < c->count; i++)
            depth[i] += behind[i] && i != b;
        VEC_PUSH(a, &list,
                 ((Branch){{0},
                           b,
                           t->loop_of[b],
                           0,
                           (double)block->end / (double)c->blocks[c->count - 1].end}));
    }
    for (size_t i = 0; i < list.count; i++)
        list.at[i].depth = depth[list.at[i].block];
    return list;
}

/* By how much less it matters how far two are apart that compare with the same number. */
static const double SAME_TEST = 0.1;

static double branch_cost(const Branch *x, const Branch *y, const SassPairs *loops)
{
    const bool same = same_test(&x->test, &y->test);
    if (x->loop == LOOP_GONE ||
        (x->test.floats && x->test.kind == TEST_OF_NUMBER && x->test.number != 0 && !same))
        return INFINITY;
    const int loop = x->loop == CFG_NONE ? CFG_NONE : loops->loop[x->loop];
    if (x->depth != y->depth || loop != y->loop || (x->loop != CFG_NONE && loop == CFG_NONE))
        return INFINITY;
    return fabs(x->place - y->place) * (same ? SAME_TEST : 1);
}

/* The number of the successor, of two, that is not where both sides meet; CFG_NONE if there is none or
 * both. */
static int way_round(const Cfg *c, const DomTree *post, int b)
{
    const CfgBlock *block = &c->blocks[b];
    if (block->succ_count != 2)
        return CFG_NONE;
    const bool first = block->succs[0] == post->parent[b],
               second = block->succs[1] == post->parent[b];
    return first == second ? CFG_NONE : first;
}

/* The successors that the same outcome of the same comparison leads to. */
static SassBranch pair_by_test(const CfgBlock *block, const Branch *x, const Cfg *c,
                               const Branch *y)
{
    const CfgBlock *in_ptx = &c->blocks[y->block];
    bool alike = false;
    const bool known = may_be_same(&x->test, &y->test, &alike);
    for (int k = 0; known && k < block->succ_count; k++) {
        const int into = (block->succs[k] == block->taken) == alike ? in_ptx->taken : in_ptx->fall;
        if (into != CFG_NONE && c->blocks[into].pred_count == 1)
            return (SassBranch){y->block, k, into};
    }
    return (SassBranch){y->block, CFG_NONE, CFG_NONE};
}

static SassBranch pair_of(const SassFlow *code, const DomTree *post, const Branch *x,
                          const WalkFunction *ptx, const Branch *y)
{
    const Cfg *c = ptx->flow->cfg;
    const int b = x->block, in_ptx = y->block;
    if (same_test(&x->test, &y->test))
        return pair_by_test(&code->cfg->blocks[b], x, c, y);
    const int way = way_round(code->cfg, post, b), other = way_round(c, ptx->flow->post, in_ptx);
    if (way == CFG_NONE || other == CFG_NONE ||
        c->blocks[c->blocks[in_ptx].succs[other]].pred_count != 1)
        return pair_by_test(&code->cfg->blocks[b], x, c, y);
    return (SassBranch){in_ptx, way, c->blocks[in_ptx].succs[other]};
}

/* The loop with the same header. */
static int loop_in(const SassFlow *f, const SassFlow *whole, int loop)
{
    for (size_t i = 0; loop != CFG_NONE && i < f->loops->loops.count; i++)
        if (f->loops->loops.at[i].header == whole->loops->loops.at[loop].header)
            return (int)i;
    return loop == CFG_NONE ? CFG_NONE : LOOP_GONE;
}

/* Successors by their numbers in the code without settled branches, which need not be told where to go. */
static void leave_out_settled(const SassFlow *f, const SassFlow *whole, SassBranch *of)
{
    for (int b = 0; b < f->cfg->count; b++) {
        const CfgBlock *from = &whole->cfg->blocks[b], *to = &f->cfg->blocks[b];
        if (to->order == CFG_NONE || to->succ_count != from->succ_count ||
            to->ends_thread != from->ends_thread)
            of[b].way = of[b].into = CFG_NONE;
    }
}

/* A sequence alignment of least cost: an unpaired branch of the code costs BRANCH_APART, one of the PTX
 * nothing.  Branches that the launch settles are paired, too. */
SassBranch *sass_pair_branches(Arena *a, const SassFlow *settled, const WalkFunction *ptx,
                               const SassPairs *loops, bool all)
{
    const SassFlow *code = all && settled->whole ? settled->whole : settled;
    SassBranch *of = ARENA_ARRAY(a, SassBranch, (size_t)code->cfg->count);
    for (int b = 0; b < code->cfg->count; b++)
        of[b] = (SassBranch){CFG_NONE, CFG_NONE, CFG_NONE};
    pair_ends(code, ptx->flow, all ? ENDS_OUTSIDE : ENDS_ALL, of);
    if (all)
        pair_ends(code, ptx->flow, ENDS_IN_LOOPS, of);
    const DomTree *post = code->post;
    const int ends = count_ends(ptx->flow, all ? ENDS_OUTSIDE : ENDS_ALL);
    const Branches x = list_branches(a, code->cfg, code->loops, post, code, false),
                   y = list_branches(
                       a, ptx->flow->cfg, ptx->flow->loops, ptx->flow->post, NULL,
                       ends > 0 && count_guarded_ends(code, all ? ENDS_OUTSIDE : ENDS_ALL) >= ends);
    if (x.count > BRANCHES_MOST || y.count > BRANCHES_MOST) {
        leave_out_settled(settled, code, of);
        return of;
    }
    VEC_EACH (Branch, b, x) {
        b->test = test_of_code(a, code, b->block);
        b->loop = loop_in(settled, code, b->loop);
    }
    VEC_EACH (Branch, b, y)
        b->test = test_of_ptx(ptx->flow->cfg, b->block);
    const size_t wide = y.count + 1;
    double *least = ARENA_ARRAY(a, double, (x.count + 1) * wide); /* of the first i and j */
    for (size_t i = 1; i <= x.count; i++)
        for (size_t j = 0; j <= y.count; j++) {
            double *to = &least[i * wide + j];
            *to = least[(i - 1) * wide + j] + BRANCH_APART;
            if (j == 0)
                continue;
            const double pair = branch_cost(&x.at[i - 1], &y.at[j - 1], loops);
            *to = fmin(*to, fmin(least[i * wide + j - 1], least[(i - 1) * wide + j - 1] + pair));
        }
    for (size_t i = x.count, j = y.count; i > 0 && j > 0;) {
        const double here = least[i * wide + j];
        if (here == least[i * wide + j - 1])
            j--;
        else if (here == least[(i - 1) * wide + j] + BRANCH_APART)
            i--;
        else {
            i--, j--;
            of[x.at[i].block] = pair_of(code, post, &x.at[i], ptx, &y.at[j]);
        }
    }
    leave_out_settled(settled, code, of);
    return of;
}
