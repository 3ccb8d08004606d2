#include "metrics/ptx/walk_plan.h"

/* --- steps of a block ------------------------------------------------------------------------ */

static bool ends_segment(const PtxInstr *in)
{
    const PtxForm *f = in->form;
    return f->class == PTX_CLASS_BARRIER || f->class == PTX_CLASS_CALL ||
           f->op == PTX_CP_ASYNC_COMMIT || f->op == PTX_CP_ASYNC_WAIT ||
           f->op == PTX_CP_ASYNC_WAIT_ALL;
}

/* Needs the block's segments. */
static void list_steps(Arena *a, const WalkPlan *p, WalkPlanBlock *b, const CfgBlock *c)
{
    size_t segment = 0;
    for (size_t i = c->first; i < c->end; i++) {
        int group = 0;
        const int groups = walk_slice_groups(p->flow, p->accesses, i, &group);
        const PtxInstr *in = &p->flow->function->instrs.at[i];
        const bool call = in->form->op == PTX_CALL;
        for (int g = 0; g < groups; g++)
            VEC_PUSH(a, &b->steps, ((WalkStep){WALK_STEP_ACCESS, (size_t)(group + g)}));
        if (call)
            b->segments.at[segment++].steps = b->steps.count;
        if (p->slice.of[i].taken)
            VEC_PUSH(a, &b->steps, ((WalkStep){call ? WALK_STEP_CALL : WALK_STEP_COMPUTE, i}));
        if (ends_segment(in) && !call)
            b->segments.at[segment++].steps = b->steps.count;
    }
    b->segments.at[segment].steps = b->steps.count;
}

/* --- events that delimit regions ------------------------------------------------------------- */

static WalkLatency latency_of(const PtxInstr *in)
{
    const PtxForm *f = in->form;
    if (f->writes == 0)
        return WALK_NO_LATENCY;
    switch (f->class) {
    case PTX_CLASS_TEXTURE:
        return WALK_LONG;
    case PTX_CLASS_ATOMIC:
    case PTX_CLASS_LOAD:
        if (f->space == PTX_LOCAL)
            return WALK_LOCAL;
        return f->space == PTX_GLOBAL || (f->space == PTX_GENERIC && f->op != PTX_LDMATRIX)
                   ? WALK_LONG
                   : WALK_NO_LATENCY;
    case PTX_CLASS_SFU:
        return WALK_SFU;
    default:
        return WALK_NO_LATENCY;
    }
}

/* True if it may write what a global load reads. */
static bool may_alias_global(const PtxForm *f)
{
    const bool writes = f->class == PTX_CLASS_STORE || f->class == PTX_CLASS_ATOMIC;
    return (writes && walk_is_global(f)) || f->class == PTX_CLASS_FENCE ||
           f->class == PTX_CLASS_UNKNOWN;
}

typedef struct Scheduler {
    Arena *arena;
    const PtxFunction *function;
    bool *late;      /* registers that a slow instruction writes */
    int *level;      /* by register: waits before its value is there, in this segment */
    uint32_t *stamp; /* segment in which `level` was set */
    int *phases;     /* by instruction */
    int *segments;   /* by instruction: its segment's number in the block */
    size_t instr;    /* under way */
    uint32_t segment;
    int floor;            /* no load may move before this phase */
    size_t segment_start; /* of the block's events */
    WalkPlanBlock *block; /* under way */
} Scheduler;

static void add_event(Scheduler *s, WalkEventKind kind, WalkLatency latency, int phase,
                      PtxUses regs)
{
    const WalkEvent e = {
        .kind = kind, .latency = latency, .phase = phase, .instr = s->instr, .regs = regs};
    VEC_PUSH(s->arena, &s->block->events, e);
}

/* Of the instruction that ends a segment: it comes last. */
enum { LAST_PHASE = 1 << 20 };

/* Adds one instruction to a phase. */
static void add_work(Scheduler *s, int phase)
{
    WalkEvent *last = s->block->events.count > s->segment_start
                          ? &s->block->events.at[s->block->events.count - 1]
                          : NULL;
    if (last && last->kind == WALK_WORK && last->phase == phase)
        last->number++;
    else
        VEC_PUSH(s->arena, &s->block->events,
                 ((WalkEvent){.kind = WALK_WORK, .phase = phase, .number = 1}));
}

/* Sorts a segment by phase, stably: loads rise to the phase that their address allows. */
static void close_segment(Scheduler *s)
{
    WalkEvent *at = s->block->events.at;
    for (size_t i = s->segment_start + 1; i < s->block->events.count; i++) {
        const WalkEvent e = at[i];
        size_t k = i;
        for (; k > s->segment_start && at[k - 1].phase > e.phase; k--)
            at[k] = at[k - 1];
        at[k] = e;
    }
    s->segment++;
    s->floor = 0;
    s->segment_start = s->block->events.count;
}

static void add_marker(Scheduler *s, const PtxInstr *in)
{
    if (in->form->class == PTX_CLASS_CALL)
        return;
    const PtxOp op = in->form->op;
    WalkEvent e = {.kind = op == PTX_CP_ASYNC_COMMIT                                ? WALK_COMMIT
                           : op == PTX_CP_ASYNC_WAIT || op == PTX_CP_ASYNC_WAIT_ALL ? WALK_WAIT
                                                                                    : WALK_BARRIER,
                   .instr = s->instr};
    if (e.kind == WALK_WAIT && in->count > 0 && in->operands[0].kind == PTX_OPERAND_IMMEDIATE &&
        in->operands[0].value > 0 && in->operands[0].value < 1024)
        e.number = (int)in->operands[0].value;
    VEC_PUSH(s->arena, &s->block->events, e);
    s->segment_start = s->block->events.count;
}

static void schedule_instr(Scheduler *s, const PtxInstr *in)
{
    int phase = 0;
    PtxUses late = {0};
    for (size_t i = 0; i < in->reads.count; i++) {
        const int reg = in->reads.at[i];
        if (s->stamp[reg] == s->segment && s->level[reg] > phase)
            phase = s->level[reg];
        if (s->late[reg])
            VEC_PUSH(s->arena, &late, reg);
    }
    if (late.count)
        add_event(s, WALK_CONSUME, WALK_NO_LATENCY, phase, late);
    const WalkLatency latency = latency_of(in);
    if (may_alias_global(in->form) && phase > s->floor)
        s->floor = phase;
    if (latency == WALK_LONG && !(in->form->flags & PTX_FLAG_NC) && s->floor > phase)
        phase = s->floor;
    s->phases[s->instr] = phase;
    if (ptx_issues(in))
        add_work(s, ends_segment(in) ? LAST_PHASE : phase);
    if (latency != WALK_NO_LATENCY)
        add_event(s, WALK_ISSUE, latency, phase, in->writes);
    for (size_t i = 0; i < in->writes.count; i++) {
        const int reg = in->writes.at[i];
        s->stamp[reg] = s->segment;
        /* Special functions are not moved: their order does not matter where there are loads. */
        s->level[reg] = latency > WALK_SFU ? phase + 1 : phase;
    }
}

/* The instruction that ends the segment (may be NULL) comes before the next one. */
static void end_segment(Scheduler *s, const PtxInstr *in)
{
    close_segment(s);
    if (in)
        add_marker(s, in);
    VEC_PUSH(s->arena, &s->block->segments, ((WalkSegment){.events = s->block->events.count}));
}

static void schedule_block(Scheduler *s, WalkPlanBlock *b, const CfgBlock *c)
{
    s->block = b;
    s->segment_start = 0;
    for (s->instr = c->first; s->instr < c->end; s->instr++) {
        const PtxInstr *in = &s->function->instrs.at[s->instr];
        s->segments[s->instr] = (int)b->segments.count;
        schedule_instr(s, in);
        if (ends_segment(in))
            end_segment(s, in);
    }
    end_segment(s, NULL);
}

static Scheduler scheduler_new(Arena *a, const PtxFunction *f)
{
    Scheduler s = {.arena = a, .function = f, .segment = 1};
    s.late = ARENA_ARRAY(a, bool, f->registers.count);
    s.level = ARENA_ARRAY(a, int, f->registers.count);
    s.stamp = ARENA_ARRAY(a, uint32_t, f->registers.count);
    s.phases = ARENA_ARRAY(a, int, f->instrs.count);
    s.segments = ARENA_ARRAY(a, int, f->instrs.count);
    for (size_t i = 0; i < f->instrs.count; i++)
        for (size_t k = 0; k < f->instrs.at[i].writes.count; k++)
            s.late[f->instrs.at[i].writes.at[k]] |= latency_of(&f->instrs.at[i]) != WALK_NO_LATENCY;
    return s;
}

/* --- static counts --------------------------------------------------------------------------- */

static void count_instr(const Flow *flow, WalkPlanBlock *b, const PtxInstr *in)
{
    const PtxForm *f = in->form;
    b->all++;
    b->instrs += ptx_issues(in);
    b->by_class[f->class]++;
    if (f->class == PTX_CLASS_LOAD)
        b->loads[f->space]++;
    else if (f->class == PTX_CLASS_STORE)
        b->stores[f->space]++;
    else if (f->op == PTX_CP_ASYNC)
        b->loads[PTX_GLOBAL]++;
    const BulkCopy bulk = bulk_copy(flow, in);
    b->bulk_loads += bulk.loads;
    b->bulk_stores += bulk.stores;
}

static void count_phase_sites(Arena *a, WalkPlan *p, const Scheduler *s)
{
    p->phases = ARENA_ARRAY(a, WalkPhases, p->accesses->costs.count + 1);
    VEC_EACH (const AccessSite, site, p->accesses->sites) {
        WalkPhases *of = &p->phases[site->cost];
        const int segment = s->segments[site->instr], at = s->phases[site->instr],
                  phase = at < WALK_PHASES ? at : WALK_PHASES - 1;
        size_t k = 0;
        while (k < of->count && (of->at[k].segment != segment || of->at[k].phase != phase))
            k++;
        if (k == of->count)
            VEC_PUSH(a, of, ((WalkPhaseSites){segment, phase, 0}));
        of->at[k].sites++;
    }
}

/* --- loops that wait ------------------------------------------------------------------------- */

/* What a spin loop waits with: a load that may see another value each time, or an exchange. */
static bool looks_again(const PtxForm *f)
{
    const bool exchange = strstr(f->text, ".cas") || strstr(f->text, ".exch");
    return walk_sees_others(f) || (f->op == PTX_ATOM && exchange);
}

/* Work that other threads can see: spin loops do none. */
static bool does_work(const PtxForm *f)
{
    if (f->op == PTX_CALL || f->op == PTX_RED)
        return true;
    return (f->op == PTX_ST && walk_is_global(f)) || (f->op == PTX_ATOM && !looks_again(f));
}

static bool loop_waits(const Flow *flow, const Loop *loop)
{
    bool looks = false;
    for (size_t k = 0; k < loop->blocks.count; k++) {
        const CfgBlock *b = &flow->cfg->blocks[loop->blocks.at[k]];
        for (size_t i = b->first; i < b->end; i++) {
            const PtxForm *f = flow->function->instrs.at[i].form;
            looks = looks || looks_again(f);
            if (does_work(f))
                return false;
        }
    }
    return looks;
}

/* An atomic whose result says whether another thread was faster. */
static bool competes(const PtxForm *f)
{
    return f->op == PTX_ATOM &&
           (strstr(f->text, ".cas") || strstr(f->text, ".min") || strstr(f->text, ".max"));
}

/* True if all exits depend on such atomics, as where a place in a table or a common root is fought for: most
 * threads meet no other. */
static bool loop_tries_again(const Flow *flow, int l)
{
    const Loop *loop = &flow->loops->loops.at[l];
    for (size_t i = 0; i < loop->exits.count; i++) {
        const PtxInstr *branch = cfg_branch(flow->cfg, loop->exits.at[i].from);
        if (!branch || branch->guard == PTX_NO_GUARD ||
            !flow_comes_from(flow, branch->guard, l, competes))
            return false;
    }
    return loop->exits.count > 0;
}

static void find_waits(Arena *a, WalkPlan *p)
{
    const LoopTree *t = p->flow->loops;
    p->waits = ARENA_ARRAY(a, WalkWait, t->loops.count);
    for (size_t l = 0; l < t->loops.count; l++)
        p->waits[l] = loop_waits(p->flow, &t->loops.at[l]) ? WALK_WAITS
                      : loop_tries_again(p->flow, (int)l)  ? WALK_TRIES_AGAIN
                                                           : WALK_NO_WAIT;
}

WalkPlan *walk_plan_build(Arena *a, const PtxFunction *f, bool memory, bool data, bool rough)
{
    WalkPlan *p = ARENA_NEW(a, WalkPlan);
    p->flow = flow_build(a, f);
    p->accesses = memory ? access_find(a, p->flow->cfg) : NULL;
    p->slice = walk_slice_find(a, p->flow, p->accesses, data, rough);
    const Cfg *c = p->flow->cfg;
    p->blocks = ARENA_ARRAY(a, WalkPlanBlock, (size_t)c->count);
    p->written = ARENA_ARRAY(a, WalkWritten *, (size_t)c->count);
    Scheduler s = scheduler_new(a, f);
    for (int i = 0; i < c->count; i++) {
        schedule_block(&s, &p->blocks[i], &c->blocks[i]);
        list_steps(a, p, &p->blocks[i], &c->blocks[i]);
        for (size_t k = c->blocks[i].first; k < c->blocks[i].end; k++)
            count_instr(p->flow, &p->blocks[i], &f->instrs.at[k]);
    }
    for (int i = 0; i < c->count; i++)
        if (p->blocks[i].segments.count > p->most_segments)
            p->most_segments = p->blocks[i].segments.count;
    if (p->accesses)
        count_phase_sites(a, p, &s);
    for (size_t r = 0; r < f->registers.count; r++)
        if (s.late[r])
            VEC_PUSH(a, &p->late, (int)r);
    find_waits(a, p);
    return p;
}

/* The value of an immediate, or of a register that only a mov of an immediate writes; else 0. */
static int64_t constant_of(const Flow *flow, const PtxOperand *o)
{
    if (o->kind == PTX_OPERAND_IMMEDIATE)
        return o->value;
    if (o->kind != PTX_OPERAND_REGISTER || flow->writes[o->index].count != 1)
        return 0;
    const PtxInstr *def = &flow->function->instrs.at[flow->writes[o->index].at[0]];
    const bool moves = def->form->op == PTX_MOV && def->guard == PTX_NO_GUARD && def->count == 2 &&
                       def->operands[1].kind == PTX_OPERAND_IMMEDIATE;
    return moves ? def->operands[1].value : 0;
}

/* cp.async.bulk.TO.FROM… [to], [from], size */
BulkCopy bulk_copy(const Flow *flow, const PtxInstr *in)
{
    const PtxForm *f = in->form;
    BulkCopy b = {0};
    if (f->op != PTX_CP_ASYNC_BULK || in->guard != PTX_NO_GUARD || in->count < 3 ||
        strstr(f->text, ".tensor"))
        return b;
    const int64_t bytes = constant_of(flow, &in->operands[2]);
    if (bytes <= 0 || bytes > UINT32_MAX)
        return b;
    b.known = true;
    b.loads = f->space2 == PTX_GLOBAL ? (uint32_t)bytes : 0;
    b.stores = f->space == PTX_GLOBAL ? (uint32_t)bytes : 0;
    return b;
}
