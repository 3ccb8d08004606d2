#include "metrics/ptx/walk_branch.h"

#include "metrics/ptx/walk_skip.h"

#include <stdlib.h>
#include <math.h>

enum { FORK_DEPTH = 6, FORK_SHARE = 2, FORK_STEPS = 4 /* per saved register */ };

/* --- what is written between a branch and its reconvergence ---------------------------------- */

static bool is_written(const Flow *f, int reg, const bool *in)
{
    const FlowWrites *defs = &f->writes[reg];
    for (size_t i = 0; i < defs->count; i++)
        if (in[f->cfg->block_of[defs->at[i]]])
            return true;
    return false;
}

/* Lanes that leave a loop there may lose what it wrote (cross_edge): the whole loop counts as between. */
static void add_loops_left(Arena *a, const Flow *f, int block, bool *in)
{
    bool *left = ARENA_ARRAY(a, bool, f->loops->loops.count + 1);
    for (size_t l = 0; l < f->loops->loops.count; l++) {
        const Loop *loop = &f->loops->loops.at[l];
        for (size_t i = 0; i < loop->exits.count; i++)
            left[l] |= in[loop->exits.at[i].from] || loop->exits.at[i].from == block;
    }
    for (size_t l = 0; l < f->loops->loops.count; l++)
        for (size_t i = 0; left[l] && i < f->loops->loops.at[l].blocks.count; i++)
            in[f->loops->loops.at[l].blocks.at[i]] = true;
}

/* Cells of call parameters are few and always count as written. */
static WalkWritten *find_written(Arena *a, const WalkPlan *p, int block, int reconvergence)
{
    WalkWritten *w = ARENA_NEW(a, WalkWritten);
    bool *in = ARENA_ARRAY(a, bool, (size_t)p->flow->cfg->count);
    cfg_between(a, p->flow->cfg, block, reconvergence, in);
    add_loops_left(a, p->flow, block, in);
    w->reconvergence = reconvergence;
    for (size_t i = 0; i < p->slice.state.count; i++) {
        const int reg = p->slice.state.at[i];
        if ((size_t)reg >= p->flow->function->registers.count || is_written(p->flow, reg, in))
            VEC_PUSH(a, &w->registers, reg);
    }
    return w;
}

static const WalkWritten *written_by(Frame *x, int block, int reconvergence)
{
    WalkWritten **known = &plan_of(x)->written[block];
    if (!*known || (*known)->reconvergence != reconvergence)
        *known = find_written(x->walker->arena, plan_of(x), block, reconvergence);
    return *known;
}

/* --- forks ----------------------------------------------------------------------------------- */

/* Values before, followed by room for those after. */
static Lanes *save(const Frame *x, const WalkWritten *written)
{
    const size_t count = written->registers.count;
    Lanes *saved = memory_new((2 * count + 1) * sizeof *saved);
    for (size_t i = 0; i < count; i++)
        saved[i] = x->values[written->registers.at[i]];
    return saved;
}

static bool may_fork(const Walker *w)
{
    const uint64_t now = w->forks > 0 ? w->walk->steps - w->fork_start : 0;
    return w->forks < FORK_DEPTH && w->forked + now < w->max_steps / FORK_SHARE;
}

static Fork *open_fork(Frame *x, int block, int reconvergence, uint32_t lanes)
{
    Walker *w = x->walker;
    Fork *f = memory_zeroed(1, sizeof *f);
    f->lanes = lanes;
    f->gone_before = x->gone;
    f->gone_after = UINT32_MAX;
    f->written = written_by(x, block, reconvergence);
    f->saved = save(x, f->written);
    if (w->forks++ == 0)
        w->fork_start = w->walk->steps;
    w->walk->steps += FORK_STEPS * f->written->registers.count;
    return f;
}

void walk_free_fork(Frame *x, Fork *f)
{
    Walker *w = x->walker;
    if (--w->forks == 0)
        w->forked += w->walk->steps - w->fork_start;
    free(f->saved);
    free(f);
}

/* Merges the side's result with earlier ones and restores the state before the branch. */
void walk_finish_side(Frame *x, Fork *f)
{
    const size_t count = f->written->registers.count;
    f->gone_after &= x->gone;
    x->gone = (x->gone & ~f->lanes) | (f->gone_before & f->lanes);
    for (size_t i = 0; i < count; i++) {
        Lanes *now = &x->values[f->written->registers.at[i]], *after = &f->saved[count + i];
        if (f->has_after)
            lanes_meet(after, now, f->lanes);
        else
            *after = *now;
        lanes_assign(now, &f->saved[i], f->lanes);
    }
    f->has_after = true;
}

void walk_finish_fork(Frame *x, Fork *f)
{
    const size_t count = f->written->registers.count;
    walk_finish_side(x, f);
    x->gone |= f->gone_after & f->lanes;
    for (size_t i = 0; i < count; i++)
        lanes_assign(&x->values[f->written->registers.at[i]], &f->saved[count + i], f->lanes);
    walk_free_fork(x, f);
}

Entry *walk_push(Frame *x)
{
    x->stack = vec_grow(x->arena, x->stack, x->stack_count, &x->stack_capacity, sizeof *x->stack);
    return &x->stack[x->stack_count++];
}

/* --- loops ----------------------------------------------------------------------------------- */

static void forget_loop(Frame *x, int loop, uint32_t lanes)
{
    const WalkPlan *p = plan_of(x);
    x->walker->walk->steps += p->slice.state.count / 4;
    walk_values_forget(x->walker, lanes);
    for (size_t i = 0; i < p->slice.state.count; i++) {
        const int reg = p->slice.state.at[i];
        if ((size_t)reg >= x->result->function->registers.count ||
            !flow_writes_in_loop(p->flow, reg, loop, NULL))
            continue;
        lanes_forget(&x->values[reg], lanes);
    }
}

/* Updates loop state when lanes go from one block to another. */
static void cross_edge(Frame *x, int from, int to, uint32_t mask)
{
    const LoopTree *t = flow_of(x)->loops;
    for (int l = t->loop_of[from]; l != CFG_NONE; l = t->loops.at[l].parent) {
        if (to != flow_of(x)->cfg->count && loop_contains(t, l, to))
            break;
        if (x->loops[l].unsure & mask)
            forget_loop(x, l, x->loops[l].unsure & mask);
        x->loops[l].unsure &= ~mask;
    }
    if (to == flow_of(x)->cfg->count)
        return;
    const int l = t->loop_of[to];
    if (l == CFG_NONE || t->loops.at[l].header != to)
        return;
    if (loop_contains(t, l, from))
        return;
    x->loops[l] = (LoopState){0};
    walk_skip_enter(x, l);
    x->result->loops[l].entries++;
}

/* True if the branch's predicate depends on something that the loop changes in a known way. */
static bool decided_by_loop(const Frame *x, int loop, const PtxInstr *branch)
{
    if (branch->guard == PTX_NO_GUARD)
        return false;
    const FlowWrites *defs = &flow_of(x)->writes[branch->guard];
    for (size_t i = 0; i < defs->count; i++) {
        if (!loop_contains(flow_of(x)->loops, loop, flow_of(x)->cfg->block_of[defs->at[i]]))
            continue;
        const PtxInstr *in = &x->result->function->instrs.at[defs->at[i]];
        for (int k = in->form->writes; k < in->count; k++)
            if (in->operands[k].kind == PTX_OPERAND_REGISTER &&
                flow_writes_in_loop(flow_of(x), in->operands[k].index, loop, NULL))
                return true;
    }
    return false;
}

/* --- loops with a stated trip count ---------------------------------------------------------- */

/* The function's own file: the first that its lines are in. */
static uint32_t own_file(const PtxFunction *f)
{
    for (size_t i = 0; i < f->instrs.count; i++)
        if (f->instrs.at[i].file)
            return f->instrs.at[i].file;
    return 0;
}

/* The line of an instruction if it is in the function's own file, else 0. */
static uint32_t own_line(const Flow *f, const PtxInstr *in)
{
    return in && in->file == own_file(f->function) ? in->line : 0;
}

static uint32_t exit_line(const Flow *f, const Loop *l, size_t exit)
{
    return own_line(f, cfg_branch(f->cfg, l->exits.at[exit].from));
}

/* True if an exit of the loop belongs to the line. */
static bool exits_at(const Flow *f, const Loop *l, uint32_t line)
{
    for (size_t i = 0; i < l->exits.count; i++)
        if (exit_line(f, l, i) == line)
            return true;
    return false;
}

/* The line of its first instruction, which notes about the loop name. */
static uint32_t first_line(const Flow *f, const Loop *l)
{
    return own_line(f, &f->function->instrs.at[f->cfg->blocks[l->header].first]);
}

uint32_t walk_loop_line(const Flow *f, int loop)
{
    const Loop *l = &f->loops->loops.at[loop];
    uint32_t first = first_line(f, l);
    for (size_t i = 0; i < l->exits.count; i++)
        if (exit_line(f, l, i) - 1 < first - 1) /* 0 is no line */
            first = exit_line(f, l, i);
    return first;
}

/* True if the loop, and no other around it, begins in these lines. */
static bool begins_in(const Flow *f, int loop, const WalkTrips *t)
{
    if (loop == CFG_NONE)
        return false;
    const Loop *l = &f->loops->loops.at[loop];
    const uint32_t line = first_line(f, l);
    return line >= t->line && line <= t->last && !begins_in(f, l->parent, t);
}

/* Size of a loop body: its memory accesses, or its instructions if it has none. */
static double size_of(const Flow *f, int loop)
{
    double accesses = 0, instrs = 0;
    for (size_t i = 0; i < f->function->instrs.count; i++) {
        const PtxClass class = f->function->instrs.at[i].form->class;
        if (f->loops->loop_of[f->cfg->block_of[i]] != loop)
            continue;
        instrs++;
        accesses +=
            class == PTX_CLASS_LOAD || class == PTX_CLASS_STORE || class == PTX_CLASS_ATOMIC;
    }
    return accesses > 0 ? accesses : instrs;
}

static void share_rounds(const Flow *f, double rounds, const int *loops, int count, double *out)
{
    double least = INFINITY, left = floor(fmax(rounds, 0) + 0.5);
    for (int i = 0; i < count; i++)
        least = fmin(least, size_of(f, loops[i]));
    for (int done = 0; done < count; done++) {
        int largest = CFG_NONE;
        for (int i = 0; i < count; i++)
            if (out[loops[i]] < 0 &&
                (largest == CFG_NONE || size_of(f, loops[i]) > size_of(f, largest)))
                largest = loops[i];
        const double copies = fmax(floor(size_of(f, largest) / least + 0.5), 1);
        out[largest] = floor(left / copies);
        left -= copies * out[largest];
    }
}

double *walk_stated_rounds(Arena *a, const Flow *f, const WalkTrips *trips, size_t count)
{
    const size_t n = f->loops->loops.count;
    double *out = ARENA_ARRAY(a, double, n + 1);
    int *loops = ARENA_ARRAY(a, int, n + 1);
    for (size_t l = 0; l < n; l++)
        out[l] = -1;
    for (size_t k = 0; k < count; k++) {
        int found = 0;
        for (size_t l = 0; l < n; l++)
            if (out[l] < 0 && exits_at(f, &f->loops->loops.at[l], trips[k].line))
                loops[found++] = (int)l;
        const bool leaves = found > 0;
        for (size_t l = 0; l < n && !leaves; l++)
            if (out[l] < 0 && begins_in(f, (int)l, &trips[k]))
                loops[found++] = (int)l;
        share_rounds(f, trips[k].rounds, loops, found, out);
    }
    return out;
}

/* Stated iterations of all loops that are reached only by this side; below 0: there are none. */
static double rounds_behind(const Frame *x, int from, int way)
{
    const Flow *f = flow_of(x);
    double sum = -1;
    for (size_t l = 0; l < f->loops->loops.count && way != f->cfg->count; l++) {
        const double rounds = plan_of(x)->rounds[l];
        if (rounds >= 0 && !loop_contains(f->loops, (int)l, from) &&
            dom_dominates(f->dom, way, f->loops->loops.at[l].header))
            sum = fmax(sum, 0) + rounds;
    }
    return sum;
}

/* Chooses the side for undecided lanes: into a loop with a stated count, or past it if it makes no
 * iteration. False if no side leads into one. What follows the reconvergence is behind all sides. */
static bool steer_stated(const Frame *x, int block, const int *to, int ways, int *chosen)
{
    int past = CFG_NONE;
    bool empty = false;
    for (int i = 0; i < ways; i++) {
        const double rounds =
            to[i] == flow_of(x)->post->parent[block] ? -1 : rounds_behind(x, block, to[i]);
        if (rounds > 0)
            return *chosen = i, true;
        empty |= rounds == 0;
        past = rounds < 0 ? i : past;
    }
    *chosen = past;
    return empty && past != CFG_NONE;
}

/* --- branches -------------------------------------------------------------------------------- */

/* Where lanes go: decided ones to one successor each, undecided ones to all. */
typedef struct Divergence {
    int *to; /* Frame.ways: has room for all successors of any block */
    uint32_t *lanes;
    int count;
    uint32_t undecided;
} Divergence;

static void add_way(Divergence *p, int to, uint32_t lanes)
{
    for (int i = 0; i < p->count; i++)
        if (p->to[i] == to) {
            p->lanes[i] |= lanes;
            return;
        }
    p->to[p->count] = to;
    p->lanes[p->count++] = lanes;
}

static void diverge_by_table(const Frame *x, int block, const PtxInstr *in, uint32_t yes,
                             Divergence *p)
{
    const CfgBlock *b = &flow_of(x)->cfg->blocks[block];
    const PtxTable *table = in->operands[1].kind == PTX_OPERAND_TABLE
                                ? &x->result->function->tables.at[in->operands[1].index]
                                : NULL;
    Lanes index;
    ptx_eval_operand(&x->state, &in->operands[0], PTX_U32, &index);
    EACH_LANE (i, table ? yes & index.known : 0) {
        const uint64_t k = ptx_value_truncate(lanes_at(&index, i), 32);
        if (k < table->count && table->targets[k].kind == PTX_OPERAND_LABEL) {
            const PtxLabel *label = &x->result->function->labels.at[table->targets[k].index];
            add_way(p, flow_of(x)->cfg->block_of[label->instr], UINT32_C(1) << i);
        }
    }
    p->undecided |= yes & ~index.known;
    for (int i = 0; p->undecided && i < b->succ_count; i++)
        add_way(p, b->succs[i], 0);
}

static Divergence divergence_of(Frame *x, int block, uint32_t mask)
{
    const CfgBlock *b = &flow_of(x)->cfg->blocks[block];
    const PtxInstr *in = cfg_branch(flow_of(x)->cfg, block);
    const int end = flow_of(x)->cfg->count;
    Divergence p = {.to = x->ways, .lanes = x->way_lanes};
    uint32_t yes = mask, maybe = 0;
    if (in)
        guard_lanes(x, in, mask, &yes, &maybe);
    if (!in) {
        add_way(&p, b->fall == CFG_NONE ? end : b->fall, mask);
        return p;
    }
    const bool leaves =
        in->form->op == PTX_RET || in->form->op == PTX_EXIT || in->form->op == PTX_TRAP;
    if (leaves)
        add_way(&p, end, yes);
    else if (in->form->op == PTX_BRX_IDX && in->count > 1)
        diverge_by_table(x, block, in, yes, &p);
    else
        add_way(&p, b->taken != CFG_NONE ? b->taken : b->fall != CFG_NONE ? b->fall : end, yes);
    if (in->guard != PTX_NO_GUARD)
        add_way(&p, b->fall == CFG_NONE ? end : b->fall, mask & ~yes & ~maybe);
    p.undecided |= maybe;
    return p;
}

static bool stays_in(const Frame *x, int loop, int to)
{
    return to != flow_of(x)->cfg->count && loop_contains(flow_of(x)->loops, loop, to);
}

/* An undecided exit of a loop: all undecided lanes stay, or all leave. True if that is certain: the loop
 * waits for another thread, or its count was stated. */
static bool decide_exit(Frame *x, int block, const PtxInstr *in, Divergence *p)
{
    const int l = flow_of(x)->loops->loop_of[block];
    int stay = CFG_NONE, leave = CFG_NONE;
    for (int i = 0; l != CFG_NONE && i < p->count; i++) {
        if (stays_in(x, l, p->to[i]))
            stay = stay == CFG_NONE ? i : stay;
        else
            leave = leave == CFG_NONE ? i : leave;
    }
    if (stay == CFG_NONE || leave == CFG_NONE)
        return false;
    LoopState *s = &x->loops[l];
    if (p->undecided == 0) {
        if (!s->counted)
            s->counted = decided_by_loop(x, l, in);
        return false;
    }
    WalkLoop *result = &x->result->loops[l];
    const double rounds = plan_of(x)->rounds[l];
    if (rounds < 0 && plan_of(x)->waits[l]) {
        p->lanes[leave] |= p->undecided;
        p->undecided = 0;
        return result->waited = true;
    }
    s->unsure |= p->undecided;
    /* A test at the top runs once more than the body. */
    const Loop *loop = &flow_of(x)->loops->loops.at[l];
    const bool at_top = block == loop->header && loop->blocks.count > 1;
    if (rounds >= 0) {
        walk_skip_rounds(x, l, rounds + at_top - (double)s->iterations);
        p->lanes[s->iterations < rounds + at_top ? stay : leave] |= p->undecided;
        p->undecided = 0;
        return result->stated = true;
    }
    const bool more = s->counted || s->iterations < x->walker->default_trips + at_top;
    p->lanes[more ? stay : leave] |= p->undecided;
    p->undecided = 0;
    result->early_ignored |= s->counted && more;
    result->defaulted |= !more;
    return false;
}

/* Sends undecided lanes where a stated trip count requires. */
static bool steer(const Frame *x, int block, Divergence *p)
{
    int way;
    if (p->undecided == 0 || x->walker->options->trip_count == 0 ||
        !steer_stated(x, block, p->to, p->count, &way))
        return false;
    p->lanes[way] |= p->undecided;
    p->undecided = 0;
    return true;
}

/* Undecided lanes take the sides in turn. */
static void take_turns(Frame *x, int block, Divergence *p)
{
    uint64_t turn = x->result->blocks[block].visits;
    EACH_LANE (i, p->count > 0 ? p->undecided : 0)
        p->lanes[turn++ % (uint64_t)p->count] |= UINT32_C(1) << i;
    p->undecided = 0;
    x->walker->walk->took_turns = true;
}

static int sides(const Divergence *p)
{
    int n = 0;
    for (int i = 0; i < p->count; i++)
        n += (p->lanes[i] | p->undecided) != 0;
    return n;
}

static int reconvergence_of(const Frame *x, int block, int stop)
{
    const int p = flow_of(x)->post->parent[block];
    return p == CFG_NONE ? stop : p;
}

/* Pushes an entry per side. The entry below waits at the reconvergence, one in between at an early one. */
static void split(Frame *x, int block, int stop, const Divergence *p)
{
    const int reconvergence = reconvergence_of(x, block, stop);
    Fork *fork = p->undecided ? open_fork(x, block, reconvergence, p->undecided) : NULL;
    int meet = x->stack[x->stack_count - 1].meet;
    size_t at = x->stack[x->stack_count - 1].at;
    if (!fork && plan_of(x)->meets && plan_of(x)->meets[block] != CFG_NONE) {
        *walk_push(x) =
            (Entry){ENTRY_RUN, plan_of(x)->meets[block], reconvergence, 0, NULL, meet, at};
        meet = plan_of(x)->meets[block];
        at = x->stack_count - 1;
    }
    bool last = true;
    for (int i = p->count - 1; i >= 0; i--) {
        const uint32_t lanes = p->lanes[i] | p->undecided;
        if (lanes == 0)
            continue;
        if (fork)
            *walk_push(x) =
                (Entry){.kind = last ? ENTRY_LAST_SIDE_DONE : ENTRY_SIDE_DONE, .fork = fork};
        *walk_push(x) = (Entry){ENTRY_RUN, p->to[i], reconvergence, lanes, NULL, meet, at};
        last = false;
    }
}

/* True if lanes may come to the early reconvergence of a branch one by one although all take it alike: they part
 * in between, at another branch or where they leave a loop. */
static bool opens_meet(const Frame *x, int block, uint32_t lanes)
{
    return plan_of(x)->meets && plan_of(x)->meets[block] != CFG_NONE && (lanes & (lanes - 1)) != 0;
}

void walk_leave_block(Frame *x, uint32_t mask)
{
    Entry *e = &x->stack[x->stack_count - 1];
    const int block = e->block, stop = e->stop;
    Divergence p = divergence_of(x, block, mask);
    const PtxInstr *in = cfg_branch(flow_of(x)->cfg, block);
    const uint32_t undecided = p.undecided;
    const bool certain =
        in && p.count > 1 && (decide_exit(x, block, in, &p) || steer(x, block, &p));
    if (in && (undecided & mask) != mask)
        walk_skip_branch(x, in, mask & ~undecided);
    if (undecided && !certain) {
        walk_skip_abort(x);
        x->walker->walk->unknown_branches += !x->result->blocks[block].unknown_branch;
        x->result->blocks[block].unknown_branch = true;
    }
    if (p.undecided && !may_fork(x->walker))
        take_turns(x, block, &p);
    for (int i = 0; i < p.count; i++)
        if (p.lanes[i] | p.undecided)
            cross_edge(x, block, p.to[i], p.lanes[i] | p.undecided);
    const int n = sides(&p);
    if (in &&
        flow_of(x)->cfg->blocks[block].succ_count + flow_of(x)->cfg->blocks[block].ends_thread > 1)
        x->result->blocks[block].paths += (uint64_t)n;
    if (n == 1 && p.undecided == 0 && !opens_meet(x, block, mask)) {
        for (int i = 0; i < p.count; i++)
            e->block = p.lanes[i] ? p.to[i] : e->block;
        return;
    }
    x->walker->walk->divergent += n > 1;
    x->result->blocks[block].diverged += n > 1 ? (uint64_t)n - 1 : 0;
    e->block = reconvergence_of(x, block, stop);
    if (n > 0)
        split(x, block, stop, &p);
    else
        x->stack_count--;
}

/* --- what is unknown ------------------------------------------------------------------------- */

typedef enum Doubt { DOUBT_NONE, DOUBT_BRANCH, DOUBT_LOOP } Doubt;

static Doubt *unknown_blocks(Arena *a, const WalkFunction *f)
{
    const Cfg *c = f->flow->cfg;
    Doubt *in = ARENA_ARRAY(a, Doubt, (size_t)c->count);
    for (int b = 0; b < c->count; b++) {
        if (!f->blocks[b].unknown_branch)
            continue;
        bool *between = ARENA_ARRAY(a, bool, (size_t)c->count);
        cfg_between(a, c, b, f->flow->post->parent[b], between);
        for (int i = 0; i < c->count; i++)
            in[i] = between[i] ? DOUBT_BRANCH : in[i];
    }
    for (size_t l = 0; l < f->flow->loops->loops.count; l++) {
        const Loop *loop = &f->flow->loops->loops.at[l];
        const bool guessed = f->loops[l].defaulted || f->loops[l].early_ignored;
        for (size_t i = 0; guessed && i < loop->blocks.count; i++)
            in[loop->blocks.at[i]] = DOUBT_LOOP;
    }
    return in;
}

/* True for a call of a function without code; a failed assertion ends the launch. */
static bool calls_elsewhere(const PtxInstr *in)
{
    const PtxFunction *called = NULL;
    for (int k = 0; k < in->count && in->form->op == PTX_CALL; k++)
        called = in->operands[k].kind == PTX_OPERAND_FUNCTION ? in->operands[k].function : called;
    return called && !called->has_body && strcmp(called->name, "__assertfail") != 0;
}

WalkUnknown walk_unknown(Arena *a, const Walk *w)
{
    WalkUnknown u = {0};
    if (w->capped && !w->ended)
        return (WalkUnknown){.in_loops = w->instr};
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        const Doubt *in = unknown_blocks(a, f);
        for (size_t k = 0; k < f->function->instrs.count; k++) {
            const PtxInstr *instr = &f->function->instrs.at[k];
            const PtxForm *form = instr->form;
            const int b = f->flow->cfg->block_of[k];
            const double times = (double)f->blocks[b].visits;
            u.calls += in[b] != DOUBT_BRANCH && calls_elsewhere(instr) ? times : 0;
            if (in[b] == DOUBT_NONE)
                continue;
            *(in[b] == DOUBT_LOOP ? &u.in_loops : &u.behind_branches) +=
                ptx_issues(instr) ? times : 0;
            u.accesses +=
                (form->op == PTX_LD || form->op == PTX_ST) && form->space != PTX_PARAM ? times : 0;
        }
    }
    return u;
}
