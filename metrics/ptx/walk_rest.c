/* Estimates the rest of loops when a walk's steps are used up.
 *
 * From then on, for WalkOptions.estimate more steps, iterations are grouped into stretches of max_steps /
 * 128 steps or one iteration. After a stretch is walked, if a comparison of a steadily changing value that
 * the loop does not load tells how many iterations are left, all further whole stretches except the last
 * iterations are counted like it without being walked (Walk.estimated), and values that changed equally in
 * all its iterations are advanced. So inner loops end first, then outer ones, and code behind a loop is
 * walked. Unlike in walk_skip.h nothing is proven: the cost of iterations may change. If no comparison tells
 * how many are left, or functions are called, the counts remain lower bounds. */
#include "metrics/ptx/ptx_affine.h"
#include "metrics/ptx/walk_skip.h"

enum {
    STRETCHES = 128,    /* a stretch takes at least this part of max_steps */
    CONDITION_DEPTH = 4 /* depth of predicates combined by and, or, not */
};

/* A stretch of iterations in progress. */
struct WalkStretch {
    int loop;
    bool under_way;
    uint32_t mask;
    size_t stack_count;
    uint64_t entries, start, iterations, steps, frames;
    WalkTotals totals;                 /* at its start */
    VEC(const PtxInstr *) comparisons; /* that decide whether the loop is left */
    VEC(int) registers;                /* live ones, and those compared */
    Lanes *last;                       /* register values at the last visit of the header */
    Lanes *step;                       /* their change per iteration; unknown if it varies */
};

/* --- which values matter --------------------------------------------------------------------- */

static void add_register(Frame *x, WalkStretch *s, int reg)
{
    if ((size_t)reg >= x->result->function->registers.count)
        return;
    for (size_t i = 0; i < s->registers.count; i++)
        if (s->registers.at[i] == reg)
            return;
    VEC_PUSH(x->arena, &s->registers, reg);
}

/* The only instruction of the loop that writes a register, or NULL. */
static const PtxInstr *written_in(const Frame *x, int loop, int reg)
{
    size_t at = 0;
    return flow_writes_in_loop(flow_of(x), reg, loop, &at) == 1
               ? &x->result->function->instrs.at[at]
               : NULL;
}

/* Adds the comparisons that a predicate is made of. */
static void add_comparisons(Frame *x, WalkStretch *s, int reg, int depth)
{
    const PtxInstr *in = depth < CONDITION_DEPTH ? written_in(x, s->loop, reg) : NULL;
    if (!in)
        return;
    bool known = in->form->op != PTX_SETP;
    for (size_t i = 0; i < s->comparisons.count; i++)
        known |= s->comparisons.at[i] == in;
    if (!known)
        VEC_PUSH(x->arena, &s->comparisons, in);
    for (int i = in->form->writes; i < in->count; i++) {
        const PtxOperand *o = &in->operands[i];
        if (o->kind == PTX_OPERAND_REGISTER &&
            x->result->function->registers.at[o->index].type == PTX_PRED)
            add_comparisons(x, s, o->index, depth + 1);
    }
}

/* Adds the comparisons that decide whether the loop is left. */
static void add_exits(Frame *x, WalkStretch *s)
{
    VEC_EACH (const LoopEdge, exit, flow_of(x)->loops->loops.at[s->loop].exits) {
        const PtxInstr *branch = cfg_branch(flow_of(x)->cfg, exit->from);
        if (branch && branch->guard != PTX_NO_GUARD &&
            flow_of(x)->loops->loop_of[exit->from] == s->loop)
            add_comparisons(x, s, branch->guard, 0);
    }
}

static WalkStretch *stretch_new(Frame *x, int loop)
{
    WalkStretch *s = ARENA_NEW(x->arena, WalkStretch);
    s->loop = loop;
    const WalkLive *live = &plan_of(x)->slice.live[loop];
    for (size_t i = 0; i < live->count; i++)
        add_register(x, s, live->at[i]);
    add_exits(x, s);
    for (size_t i = 0; i < s->comparisons.count; i++) {
        const PtxInstr *in = s->comparisons.at[i];
        for (int k = in->form->writes; k < in->count; k++)
            if (in->operands[k].kind == PTX_OPERAND_REGISTER)
                add_register(x, s, in->operands[k].index);
    }
    walk_totals_init(x, &s->totals);
    s->last = ARENA_ARRAY(x->arena, Lanes, s->registers.count);
    s->step = ARENA_ARRAY(x->arena, Lanes, s->registers.count);
    return s;
}

/* --- how they change ------------------------------------------------------------------------- */

/* A lane has no step if it is unknown or has not changed by the same as before. */
static void note_step(Lanes *step, const Lanes *last, const Lanes *now, int bits,
                      int64_t iterations, bool first)
{
    uint32_t known = last->known & now->known & (first ? UINT32_MAX : step->known);
    EACH_LANE (i, known) {
        const int64_t change = ptx_value_signed(lanes_at(now, i) - lanes_at(last, i), bits);
        const uint64_t by = (uint64_t)(change / iterations);
        if (change % iterations != 0 || (!first && step->v[i] != by))
            known &= ~(UINT32_C(1) << i);
        step->v[i] = by;
    }
    step->known = known;
    step->uniform = false;
}

/* Updates the steps after so many iterations. */
static void note_values(Frame *x, WalkStretch *s, uint64_t iterations)
{
    for (size_t i = 0; i < s->registers.count; i++) {
        const int reg = s->registers.at[i], bits = walk_register_bits(x, reg);
        if (iterations > 0)
            note_step(&s->step[i], &s->last[i], &x->values[reg], bits ? bits : 64,
                      (int64_t)iterations, s->iterations == 0);
        s->last[i] = x->values[reg];
        lanes_spread(&s->last[i]);
    }
}

static void begin(Frame *x, WalkStretch *s, uint32_t mask)
{
    s->under_way = true;
    s->mask = mask;
    s->stack_count = x->stack_count;
    s->entries = x->result->loops[s->loop].entries;
    s->start = x->loops[s->loop].iterations;
    s->iterations = 0;
    s->steps = x->walker->walk->steps;
    s->frames = x->walker->frames;
    walk_totals_note(x, &s->totals);
    note_values(x, s, 0);
}

/* Values without a step stay as they are: any of several buffers used in turn will do. */
static void move_values(Frame *x, const WalkStretch *s, uint64_t iterations)
{
    for (size_t i = 0; i < s->registers.count; i++) {
        const int reg = s->registers.at[i], bits = walk_register_bits(x, reg);
        Lanes *to = &x->values[reg];
        lanes_spread(to);
        EACH_LANE (k, s->step[i].known)
            to->v[k] =
                ptx_value_truncate(to->v[k] + iterations * s->step[i].v[k], bits ? bits : 64);
    }
}

/* --- how many iterations are left ------------------------------------------------------------ */

static bool is_load(const PtxForm *f)
{
    return f->op == PTX_LD && f->space != PTX_PARAM;
}

/* The step of an operand; 0 if nothing in the loop writes it. */
static void step_of(const Frame *x, const WalkStretch *s, const PtxOperand *o, Lanes *out)
{
    lanes_fill(out, 0);
    if (o->kind != PTX_OPERAND_REGISTER ||
        !flow_writes_in_loop(flow_of(x), o->index, s->loop, NULL))
        return;
    lanes_unknown(out);
    /* That what is loaded has changed evenly so far tells nothing of the rest, as for the next node of a list. */
    if (flow_comes_from(flow_of(x), o->index, s->loop, is_load))
        return;
    for (size_t i = 0; i < s->registers.count; i++)
        if (s->registers.at[i] == o->index)
            *out = s->step[i];
}

/* The number of times, including the last, that a comparison has the same outcome. */
static uint64_t rounds_of(const Frame *x, const WalkStretch *s, const PtxInstr *compare)
{
    Lanes sources[PTX_SOURCES], steps[2];
    if (ptx_eval_operands(&x->state, compare, sources) < 2)
        return PTX_FOREVER;
    for (int i = 0; i < 2; i++)
        step_of(x, s, &compare->operands[compare->form->writes + i], &steps[i]);
    return ptx_affine_same(compare->form, sources, steps, s->mask);
}

/* --- stretches ------------------------------------------------------------------------------- */

static void skip_rest(Frame *x, WalkStretch *s)
{
    uint64_t rounds = PTX_FOREVER;
    for (size_t i = 0; i < s->comparisons.count; i++) {
        const uint64_t same = rounds_of(x, s, s->comparisons.at[i]);
        rounds = same < rounds ? same : rounds;
    }
    /* The last iterations are walked; with a test at the top the last one comes one earlier. */
    const uint64_t times = rounds > 2 ? (rounds - 2) / s->iterations : 0;
    if (rounds > WALK_ENDLESS || times == 0 || s->frames != x->walker->frames)
        return;
    const double clock = x->walker->regions.clock;
    walk_skip_abort(x);
    walk_totals_repeat(x, &s->totals, times);
    move_values(x, s, times * s->iterations);
    walk_values_forget(x->walker, UINT32_MAX);
    walk_skip_enter(x, s->loop);
    x->loops[s->loop].iterations += times * s->iterations;
    x->walker->walk->estimated += x->walker->regions.clock - clock;
    x->walker->walk->passes_cut = true;
    s->under_way = false;
}

void walk_rest_arrive(Frame *x, int block, uint32_t mask)
{
    const LoopTree *t = flow_of(x)->loops;
    const int loop = t->loop_of[block];
    if (loop == CFG_NONE || t->loops.at[loop].header != block)
        return;
    if (!x->stretches)
        x->stretches = ARENA_ARRAY(x->arena, WalkStretch *, walk_loop_count(x));
    WalkStretch *s = x->stretches[loop];
    if (!s)
        s = x->stretches[loop] = stretch_new(x, loop);
    if (!s->under_way || s->mask != mask || s->stack_count != x->stack_count ||
        s->entries != x->result->loops[loop].entries) {
        begin(x, s, mask);
        return;
    }
    const uint64_t iterations = x->loops[loop].iterations - s->start;
    note_values(x, s, iterations - s->iterations);
    s->iterations = iterations;
    if (x->walker->walk->steps - s->steps >= x->walker->max_steps / STRETCHES)
        skip_rest(x, s);
}
