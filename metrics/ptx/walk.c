#include "metrics/ptx/walk.h"

#include "metrics/ptx/sectors.h"
#include "metrics/ptx/walk_branch.h"
#include "metrics/ptx/walk_skip.h"

/* Steps for computing non-uniform lanes and for one price. */
enum { STEP_LANES = 7, STEP_COST = 8 };

enum { BANKS_TWOS = 7 }; /* log2 of the bytes of all banks */

enum { SIBLING_PARTS = 4 }; /* a sibling warp may take one part in so many of a walk's steps */

/* --- computing ------------------------------------------------------------------------------- */

/* Writes where the guard holds; where it is unknown, a lane stays known only if both values are equal. */
static void assign(Lanes *to, const Lanes *value, uint32_t yes, uint32_t maybe, uint32_t threads)
{
    if (maybe)
        lanes_meet(to, value, maybe);
    /* Lanes without a thread are written too, so that the result may be uniform. */
    lanes_assign(to, value, yes == threads ? UINT32_MAX : yes);
}

static void assign_operand(Frame *x, const PtxOperand *o, const Lanes *results, int count,
                           uint32_t yes, uint32_t maybe)
{
    const bool many = o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR;
    for (int k = 0; k < count; k++) {
        const PtxOperand *to = many ? &o->parts[k] : o;
        if (to->kind == PTX_OPERAND_REGISTER)
            assign(&x->values[to->index], &results[k], yes, maybe, x->walker->walk->lanes);
    }
}

static Lanes *cell_value(const Frame *x, int cell)
{
    return &x->values[x->result->function->registers.count + (size_t)cell];
}

/* ld.param and st.param of a call's parameters. */
static void move_cell(Frame *x, const PtxInstr *in, int cell, uint32_t yes, uint32_t maybe)
{
    const uint32_t threads = x->walker->walk->lanes;
    if (in->form->op == PTX_LD) {
        if (in->operands[0].kind == PTX_OPERAND_REGISTER)
            assign(&x->values[in->operands[0].index], cell_value(x, cell), yes, maybe, threads);
        return;
    }
    Lanes value;
    ptx_eval_operand(&x->state, &in->operands[1], in->form->types[0], &value);
    assign(cell_value(x, cell), &value, yes, maybe, threads);
}

/* Counts the path that a division, root or reciprocal takes. */
static void count_routine(Frame *x, const PtxInstr *in, uint32_t lanes)
{
    const bool divides = in->form->op == PTX_DIV && in->form->types[0] == PTX_F32;
    WalkRoutine *r = &x->walker->walk->routines[divides ? WALK_DIVISIONS : WALK_OTHERS];
    Lanes of[PTX_SOURCES];
    const int count = ptx_eval_operands(&x->state, in, of);
    const Lanes *a = &of[0], *b = &of[count > 1];
    PtxFloatWay furthest = PTX_FLOAT_USUAL;
    bool usual = false;
    EACH_LANE (i, lanes & a->known & b->known) {
        const PtxFloatWay way = ptx_float_way(in->form, lanes_at(a, i), lanes_at(b, i));
        furthest = way > furthest ? way : furthest;
        usual |= way == PTX_FLOAT_USUAL;
    }
    x->walker->walk->fine = true;
    r->called += furthest != PTX_FLOAT_USUAL;
    r->scaled += furthest == PTX_FLOAT_SCALED;
    r->infinite += furthest == PTX_FLOAT_INFINITE;
    r->nans += furthest == PTX_FLOAT_NAN;
    r->mixed += furthest != PTX_FLOAT_USUAL && usual;
    r->unknown += furthest == PTX_FLOAT_USUAL && (lanes & ~(a->known & b->known)) != 0;
}

/* Distinct values that a match found; a lane with an unknown result counts as one. */
static void count_values(Frame *x, const Lanes *found, uint32_t lanes)
{
    EACH_LANE (i, lanes) {
        const uint32_t same = (uint32_t)lanes_at(found, i);
        x->walker->walk->match_values +=
            !(found->known >> i & 1) || !same || __builtin_ctz(same) == i;
    }
}

/* Lanes that load from one address get the same number, even if it is unknown. */
static void share_loaded(const Frame *x, const PtxInstr *in, uint32_t lanes, Lanes *results,
                         int count)
{
    Lanes address;
    if (in->form->op != PTX_LD || in->form->space == PTX_LOCAL || !lanes || in->count < 2 ||
        in->operands[1].kind != PTX_OPERAND_ADDRESS)
        return;
    ptx_eval_address(&x->state, &in->operands[1], &address);
    for (int k = 0; k < count && lanes_agree(&address, lanes); k++)
        if (!(results[k].known & lanes))
            lanes_share(&results[k], lanes);
}

static void compute(Frame *x, size_t i, const PtxInstr *in, uint32_t mask)
{
    Lanes results[PTX_SOURCES];
    uint32_t yes = 0, maybe = 0;
    guard_lanes(x, in, mask, &yes, &maybe);
    const WalkSliced *slice = sliced(x, in);
    if (slice->cell != CFG_NONE) {
        walk_skip_abort(x);
        move_cell(x, in, slice->cell, yes, maybe);
        return;
    }
    const bool kept = slice->home != 0;
    if (kept && in->form->op == PTX_ST) {
        x->walker->walk->steps += STEP_LANES;
        x->walker->walk->fine = true;
        if (walk_values_store(x, in, yes, maybe, walk_skip_change(x, in, yes | maybe)))
            walk_skip_abort(x);
    }
    if (in->form->writes == 0 || in->count == 0)
        return;
    if (ptx_float_has_ways(in->form))
        count_routine(x, in, yes | maybe);
    /* A shuffle is unknown unless all participating lanes are known. */
    const bool warp = ptx_warp_computes(in->form),
               ticket = x->walker->options->data && walk_gives_ticket(in->form);
    if (ticket)
        walk_skip_abort(x);
    x->walker->published.moving = false;
    const int count = warp   ? ptx_warp_instr(&x->state, in, maybe ? 0 : yes, results, NULL)
                      : kept ? walk_values_reload(x, in, yes | maybe, walk_skip_proof(x), results)
                      : x->walker->options->data && walk_loads_data(in->form)
                          ? walk_values_load(x, in, yes | maybe, results)
                      : ticket ? walk_values_ticket(x, in, yes, maybe, results)
                               : ptx_eval_instr(&x->state, in, results);
    share_loaded(x, in, maybe ? 0 : yes, results, count);
    if (x->walker->published.moving)
        walk_skip_abort(x);
    if (ticket && results[0].known && x->result->blocks[flow_of(x)->cfg->block_of[i]].visits == 1)
        walk_note(x->walker, x->result->function, i,
                  "tickets are taken to be given out in the order of blocks");
    if (count > 0 && (in->form->op == PTX_MBARRIER_TRY || in->form->op == PTX_MBARRIER_TEST))
        lanes_fill(&results[0], 1); /* a wait succeeds at once */
    x->walker->walk->steps += count > 0 && results[0].uniform ? 0 : STEP_LANES;
    x->walker->walk->steps += walk_skip_proof(x) ? STEP_LANES : 0;
    if (in->form->op == PTX_MATCH && count > 0)
        count_values(x, &results[0], yes);
    walk_skip_instr(x, in, results, count, mask, yes, maybe);
    assign_operand(x, &in->operands[0], results, count, yes, maybe);
}

/* --- accesses -------------------------------------------------------------------------------- */

static void place_lanes(const AccessCost *c, const Lanes *base, uint64_t *address)
{
    const uint64_t narrow =
        c->space == PTX_SHARED || c->space == PTX_LOCAL ? UINT32_MAX : UINT64_MAX;
    const uint64_t round = c->aligned ? ~(uint64_t)(c->bytes - 1) : UINT64_MAX;
    for (int i = 0; i < PTX_LANES; i++)
        address[i] = (lanes_at(base, i) + (uint64_t)c->offset) & narrow & round;
}

static void note_alignment(WalkAlign *a, const Lanes *base, uint32_t lanes)
{
    EACH_LANE (i, lanes) {
        const uint64_t whole = lanes_at(base, i);
        const uint32_t v = (uint32_t)whole & 15;
        if (!a->seen) {
            a->first = whole;
            a->residue = v;
        }
        a->seen = true;
        a->varying |= v ^ a->residue;
        if (base->uniform)
            return;
    }
}

/* Adds the traffic of one execution for all sites that share the cost. */
static void add_traffic(Frame *x, int cost, uint64_t sectors, uint64_t bytes)
{
    const WalkPhases *phases = &plan_of(x)->phases[cost];
    VEC_EACH (const WalkPhaseSites, s, *phases) {
        WalkTraffic *t = &x->traffic[s->segment * WALK_PHASES + s->phase];
        t->sectors += (double)s->sites * (double)sectors;
        t->bytes += (double)s->sites * (double)bytes;
    }
}

static void pass_cost(Frame *x, int cost, const Lanes *base, uint32_t lanes, bool known)
{
    WalkAccess *a = &x->result->costs[cost];
    const AccessCost *c = &plan_of(x)->accesses->costs.at[cost];
    uint64_t address[PTX_LANES];
    a->executions++;
    a->lanes += (unsigned)__builtin_popcount(lanes);
    a->unknown += !known;
    place_lanes(c, base, address);
    if (!known)
        walk_access_guess(a, c, address, lanes, base);
    if (!known || lanes == 0)
        return;
    if (a->executions - a->unknown == 1)
        a->space = walk_access_space(c->space, address[__builtin_ctz(lanes)]);
    const uint64_t sectors = a->sectors, bytes = a->unique_bytes;
    walk_access_price(a, c, address, lanes);
    if (a->space == PTX_GLOBAL)
        add_traffic(x, cost, a->sectors - sectors, a->unique_bytes - bytes);
    walk_skip_access(x, cost, address, lanes);
}

/* Reports each site of the group: a cost may stand for several. Copies of run-time size are left out, and what
 * comes after a branch that is not known, since it need not happen. */
static void tell_touches(const Frame *x, size_t group, const Lanes *base, uint32_t lanes)
{
    const WalkTouch *t = x->walker->walk->unknown_branches ? NULL : x->walker->options->touch;
    const Accesses *all = plan_of(x)->accesses;
    const AccessGroup *g = &all->groups.at[group];
    for (size_t i = 0; t && i < g->sites.count; i++) {
        const AccessSite *s = &all->sites.at[g->sites.at[i]];
        uint64_t address[PTX_LANES];
        if (s->at_most || (s->space != PTX_GLOBAL && s->space != PTX_GENERIC))
            continue;
        for (int lane = 0; lane < PTX_LANES; lane++)
            address[lane] = lanes_at(base, lane) + (uint64_t)s->offset;
        t->touch(t->context, address, lanes, s->bytes);
    }
}

static void keep_pass(Frame *x, size_t group, const Lanes *base, uint32_t lanes)
{
    Walk *w = x->walker->walk;
    const AccessGroup *g = &plan_of(x)->accesses->groups.at[group];
    const uint64_t first = lanes_at(base, __builtin_ctz(lanes));
    if (!x->walker->options->passes || walk_access_space(g->space, first) != PTX_GLOBAL)
        return;
    if (w->passes.count == WALK_PASSES) {
        w->passes_cut = true;
        return;
    }
    WalkPass *p = VEC_ADD(x->walker->arena, &w->passes);
    *p = (WalkPass){.function = x->result,
                    .group = (int)group,
                    .lanes = lanes,
                    .step = walk_skip_step(x, g, lanes)};
    for (int i = 0; i < PTX_LANES; i++)
        p->base[i] = lanes_at(base, i);
}

/* Unknown places in shared memory of which the banks are known cost the same wherever they are: makes them some that
 * differ. */
static void place_in_banks(const AccessGroup *g, Lanes *base, uint32_t lanes)
{
    if (g->space != PTX_SHARED || !base->own || base->twos < BANKS_TWOS ||
        lanes & ~(base->known | base->common))
        return;
    EACH_LANE (i, lanes & base->common)
        lanes_set(base, i, base->v[i] + ((uint64_t)i << base->twos));
}

/* Counts what a copy past the L1 fetches twice, if its place in shared memory is known. */
static void split_copy(Frame *x, int cost, const Lanes *base, uint32_t lanes)
{
    const AccessCost *c = &plan_of(x)->accesses->costs.at[cost];
    Lanes to;
    if (!c->to)
        return;
    ptx_eval_operand(&x->state, &c->to->parts[0], PTX_U64, &to);
    if (lanes & ~to.known)
        return;
    uint64_t source[PTX_LANES], target[PTX_LANES];
    for (int i = 0; i < PTX_LANES; i++) {
        source[i] = lanes_at(base, i) + (uint64_t)c->offset;
        target[i] = lanes_at(&to, i) + (uint64_t)c->to->value;
    }
    x->result->costs[cost].split += (uint64_t)(sectors_copied(source, target, lanes) -
                                               sectors_count(source, lanes, c->bytes).sectors);
}

/* Prices the accesses of a group for the active lanes. */
static void pass_group(Frame *x, size_t group, uint32_t mask)
{
    const AccessGroup *g = &plan_of(x)->accesses->groups.at[group];
    uint32_t yes = 0, maybe = 0;
    guard_lanes(x, g->first, mask, &yes, &maybe);
    walk_skip_group(x, g, mask, yes);
    if ((yes | maybe) == 0)
        return;
    Lanes base;
    ptx_eval_operand(&x->state, g->base, PTX_U64, &base);
    place_in_banks(g, &base, maybe ? 0 : yes);
    const bool known = maybe == 0 && (yes & ~base.known) == 0;
    if (known)
        note_alignment(&x->result->aligns[group], &base, yes);
    if (known && yes) {
        tell_touches(x, group, &base, yes);
        keep_pass(x, group, &base, yes);
    }
    for (int i = 0; i < g->cost_count; i++) {
        pass_cost(x, g->first_cost + i, &base, yes, known);
        if (known && yes)
            split_copy(x, g->first_cost + i, &base, yes);
    }
}

/* --- regions --------------------------------------------------------------------------------- */

/* Whatever is quicker has arrived too. */
static void wait_for(Walker *w, WalkLatency l, WalkSpot at, double covered)
{
    if (l >= WALK_LOCAL)
        walk_region_wait(&w->regions, at, l == WALK_LONG ? WALK_STOP_LOAD : WALK_STOP_LOCAL,
                         covered);
    w->walk->waits_long += l == WALK_LONG;
    w->walk->waits_local += l == WALK_LOCAL;
    w->walk->waits_sfu += l == WALK_SFU;
    for (int k = WALK_SFU; k <= (int)l; k++)
        w->epoch[k]++;
}

static WalkSpot spot_of(const Frame *x, const WalkEvent *e)
{
    return (WalkSpot){x->result->function, e->instr};
}

static void consume(Frame *x, const WalkEvent *e)
{
    Walker *w = x->walker;
    WalkLatency slowest = WALK_NO_LATENCY;
    double issued = 0;
    for (size_t i = 0; i < e->regs.count; i++)
        for (int l = WALK_LATENCY_COUNT - 1; l > (int)WALK_NO_LATENCY && l >= (int)slowest; l--) {
            if (x->pending[e->regs.at[i]][l] != w->epoch[l])
                continue;
            if (l > (int)slowest || x->issued[e->regs.at[i]] > issued)
                issued = x->issued[e->regs.at[i]];
            slowest = (WalkLatency)l;
        }
    if (slowest != WALK_NO_LATENCY)
        wait_for(w, slowest, spot_of(x, e), w->regions.clock - issued);
}

static void issue(Frame *x, const WalkEvent *e)
{
    for (size_t i = 0; i < e->regs.count; i++) {
        uint32_t *p = x->pending[e->regs.at[i]];
        for (int l = 0; l < WALK_LATENCY_COUNT; l++)
            p[l] = 0;
        p[e->latency] = x->walker->epoch[e->latency];
        x->issued[e->regs.at[i]] = x->walker->regions.clock;
    }
    if (e->latency == WALK_LONG)
        x->walker->regions.now.loads++;
}

static void wait_for_copies(Frame *x, const WalkEvent *e)
{
    Walker *w = x->walker;
    if (w->groups <= (uint32_t)e->number)
        return;
    w->walk->waits_long++;
    w->groups = (uint32_t)e->number;
    walk_region_wait_copies(&w->regions, spot_of(x, e), w->groups);
}

/* Processes the events of one segment. */
static void follow_events(Frame *x, const WalkPlanBlock *b, size_t segment, size_t first)
{
    Walker *w = x->walker;
    WalkTraffic *traffic = &x->traffic[segment * WALK_PHASES];
    for (size_t i = first; i < b->segments.at[segment].events; i++) {
        const WalkEvent *e = &b->events.at[i];
        const bool marker =
            e->kind != WALK_CONSUME && e->kind != WALK_ISSUE && e->kind != WALK_WORK;
        walk_region_flush(&w->regions, traffic,
                          marker ? WALK_PHASES : e->phase - (e->kind == WALK_CONSUME));
        switch (e->kind) {
        case WALK_CONSUME:
            consume(x, e);
            break;
        case WALK_ISSUE:
            issue(x, e);
            break;
        case WALK_BARRIER:
            w->walk->barriers++;
            walk_region_barrier(&w->regions, spot_of(x, e));
            break;
        case WALK_COMMIT:
            w->groups++;
            walk_region_copy(&w->regions);
            break;
        case WALK_WAIT:
            wait_for_copies(x, e);
            break;
        case WALK_WORK:
            walk_region_work(&w->regions, e->number);
            break;
        }
    }
    walk_region_flush(&w->regions, traffic, WALK_PHASES);
}

/* --- calls ----------------------------------------------------------------------------------- */

static WalkPlan *known_plan(Walker *w, const PtxFunction *f)
{
    WalkPlans *kept = w->options->plans;
    for (size_t i = 0; kept && i < kept->plans.count; i++)
        if (kept->plans.at[i]->flow->function == f)
            return kept->plans.at[i];
    WalkPlan *p = walk_plan_build(w->arena, f, w->options->memory, w->options->data != NULL,
                                  kept && kept->rough);
    p->rounds = walk_stated_rounds(w->arena, p->flow, w->options->trips, w->options->trip_count);
    if (w->options->meets && w->walk->functions.count == 0)
        p->meets = flow_meets(w->arena, p->flow);
    if (kept)
        VEC_PUSH(w->arena, &kept->plans, p);
    return p;
}

static WalkFunction *known_function(Walker *w, const PtxFunction *f)
{
    WalkFunction *known = walk_find(w->walk, f);
    if (known)
        return known;
    known = ARENA_NEW(w->arena, WalkFunction);
    WalkPlan *p = known_plan(w, f);
    *known = (WalkFunction){.function = f,
                            .flow = p->flow,
                            .plan = p,
                            .blocks = ARENA_ARRAY(w->arena, WalkBlock, (size_t)p->flow->cfg->count),
                            .loops = ARENA_ARRAY(w->arena, WalkLoop, p->flow->loops->loops.count),
                            .meets = p->meets,
                            .accesses = p->accesses};
    if (p->accesses) {
        known->costs = ARENA_ARRAY(w->arena, WalkAccess, p->accesses->costs.count);
        known->aligns = ARENA_ARRAY(w->arena, WalkAlign, p->accesses->groups.count);
    }
    VEC_PUSH(w->arena, &w->walk->functions, known);
    return known;
}

typedef struct Call {
    const PtxFunction *function; /* NULL: unknown */
    const PtxOperand *results;   /* a list, or NULL */
    const PtxOperand *args;
} Call;

/* call [ (results) ] , name [ , (args) ] */
static Call read_call(const PtxInstr *in)
{
    Call c = {0};
    for (int i = 0; i < in->count; i++) {
        const PtxOperand *o = &in->operands[i];
        if (o->kind == PTX_OPERAND_FUNCTION && !c.function)
            c.function = o->function;
        else if (o->kind == PTX_OPERAND_LIST && i == 0)
            c.results = o;
        else if (o->kind == PTX_OPERAND_LIST && !c.args)
            c.args = o;
    }
    return c;
}

/* The caller's cell for a parameter or result of the callee. */
static int cell_outside(const Frame *x, const Call *call, const WalkCell *inside)
{
    const PtxVariable *v = inside->variable;
    const PtxOperand *list = v->is_parameter ? call->args : v->is_result ? call->results : NULL;
    if (!list || (size_t)v->index >= list->count ||
        list->parts[v->index].kind != PTX_OPERAND_VARIABLE)
        return CFG_NONE;
    return walk_slice_cell(&plan_of(x)->slice, list->parts[v->index].variable, inside->offset,
                           inside->bytes);
}

/* All unknown; registers outside the state stay so. */
static Lanes *values_new(Arena *a, const WalkPlan *p)
{
    const size_t count = p->flow->function->registers.count + p->slice.cells.count + 1;
    Lanes *values = ARENA_ARRAY(a, Lanes, count);
    for (size_t i = 0; i < count; i++)
        lanes_unknown(&values[i]);
    return values;
}

/* Most successors of a block, including the end of the function. */
static size_t most_ways(const Cfg *c)
{
    int most = 0;
    for (int b = 0; b < c->count; b++)
        most = c->blocks[b].succ_count > most ? c->blocks[b].succ_count : most;
    return (size_t)most + 2;
}

static Frame *frame_new(Walker *w, const PtxFunction *f, int depth)
{
    Arena *a = arena_new();
    Frame *x = ARENA_NEW(a, Frame);
    x->arena = a;
    x->walker = w;
    x->result = known_function(w, f);
    x->depth = depth;
    x->values = values_new(a, plan_of(x));
    x->state = (PtxState){.launch = &w->options->launch,
                          .place = w->options->place,
                          .registers = x->values,
                          .address = w->options->memory ? walk_address : NULL,
                          .context = w};
    x->pending = arena_array(a, f->registers.count + 1, sizeof *x->pending);
    x->issued = ARENA_ARRAY(a, double, f->registers.count + 1);
    x->traffic = ARENA_ARRAY(a, WalkTraffic, plan_of(x)->most_segments * WALK_PHASES);
    x->loops = ARENA_ARRAY(a, LoopState, plan_of(x)->flow->loops->loops.count + 1);
    const size_t ways = most_ways(flow_of(x)->cfg);
    x->ways = ARENA_ARRAY(a, int, ways);
    x->way_lanes = ARENA_ARRAY(a, uint32_t, ways);
    x->result->calls++;
    w->frames++;
    walk_skip_init(x);
    w->walk->steps += f->registers.count / 4;
    return x;
}

static void run_frame(Frame *x, uint32_t mask);

static void forget_results(Frame *x, const Call *call, uint32_t lanes)
{
    const WalkPlan *p = plan_of(x);
    for (size_t i = 0; call->results && i < p->slice.cells.count; i++)
        for (size_t k = 0; k < call->results->count; k++)
            if (call->results->parts[k].kind == PTX_OPERAND_VARIABLE &&
                call->results->parts[k].variable == p->slice.cells.at[i].variable)
                lanes_forget(cell_value(x, (int)i), lanes);
}

static void copy_in(const Frame *x, Frame *inner, const Call *call)
{
    const WalkPlan *p = inner->result->plan;
    for (size_t i = 0; i < p->slice.cells.count; i++) {
        const int outside = cell_outside(x, call, &p->slice.cells.at[i]);
        if (outside != CFG_NONE && p->slice.cells.at[i].variable->is_parameter)
            *cell_value(inner, (int)i) = *cell_value(x, outside);
    }
}

static void copy_out(Frame *x, const Frame *inner, const Call *call, uint32_t yes, uint32_t maybe)
{
    const WalkPlan *p = inner->result->plan;
    for (size_t i = 0; i < p->slice.cells.count; i++) {
        const int outside = cell_outside(x, call, &p->slice.cells.at[i]);
        if (outside != CFG_NONE && p->slice.cells.at[i].variable->is_result)
            assign(cell_value(x, outside), cell_value(inner, (int)i), yes, maybe,
                   x->walker->walk->lanes);
    }
}

static void follow_call(Frame *x, size_t i, const PtxInstr *in, uint32_t mask)
{
    const Call call = read_call(in);
    uint32_t yes = 0, maybe = 0;
    guard_lanes(x, in, mask, &yes, &maybe);
    if ((yes | maybe) == 0)
        return;
    forget_results(x, &call, yes | maybe);
    const bool possible = call.function && call.function->has_body && x->depth < WALK_CALL_DEPTH &&
                          call.function->registers.count <= WALK_MAX_REGISTERS;
    if (!possible) {
        if (x->result->calls <= 1 && x->result->blocks[flow_of(x)->cfg->block_of[i]].visits == 1)
            walk_note(x->walker, x->result->function, i,
                      call.function && !call.function->has_body
                          ? arena_printf(x->walker->arena, "what %s takes is not known",
                                         call.function->name)
                          : "call not followed");
        return;
    }
    Frame *inner = frame_new(x->walker, call.function, x->depth + 1);
    copy_in(x, inner, &call);
    run_frame(inner, yes | maybe);
    copy_out(x, inner, &call, yes, maybe);
    arena_free(inner->arena);
}

/* --- the walk -------------------------------------------------------------------------------- */

static bool spent(const Walker *w)
{
    return w->walk->steps >= w->end;
}

static void follow_step(Frame *x, WalkStep s, uint32_t mask)
{
    switch (s.kind) {
    case WALK_STEP_COMPUTE:
        compute(x, s.at, &x->result->function->instrs.at[s.at], mask);
        break;
    case WALK_STEP_CALL:
        walk_skip_abort(x);
        follow_call(x, s.at, &x->result->function->instrs.at[s.at], mask);
        break;
    case WALK_STEP_ACCESS:
        x->walker->walk->steps +=
            STEP_COST * (unsigned)plan_of(x)->accesses->groups.at[s.at].cost_count;
        pass_group(x, s.at, mask);
        break;
    }
}

static void count_header(Frame *x, int block)
{
    const LoopTree *t = flow_of(x)->loops;
    const int l = t->loop_of[block];
    if (l == CFG_NONE || t->loops.at[l].header != block)
        return;
    x->result->loops[l].headers++;
    x->loops[l].iterations++;
}

static void visit_block(Frame *x, int block, uint32_t mask)
{
    Walker *w = x->walker;
    const WalkPlanBlock *b = &plan_of(x)->blocks[block];
    x->result->blocks[block].visits++;
    x->result->blocks[block].lanes += (unsigned)__builtin_popcount(mask);
    w->visited += ((uint64_t)block + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ mask;
    w->walk->steps += 1 + b->steps.count + b->events.count / 4;
    count_header(x, block);
    size_t step = 0, event = 0;
    for (size_t i = 0; i < b->segments.count && !spent(w); i++) {
        for (; step < b->segments.at[i].steps && !spent(w); step++)
            follow_step(x, b->steps.at[step], mask);
        follow_events(x, b, i, event);
        event = b->segments.at[i].events;
    }
}

static void step(Frame *x)
{
    Entry *e = &x->stack[x->stack_count - 1];
    const int end = flow_of(x)->cfg->count;
    if (e->kind != ENTRY_RUN) {
        const Entry done = *e;
        x->stack_count--;
        if (done.kind == ENTRY_SIDE_DONE)
            walk_finish_side(x, done.fork);
        else
            walk_finish_fork(x, done.fork);
        return;
    }
    const uint32_t mask = e->mask & ~x->gone;
    if (e->block == end)
        x->gone |= mask;
    if (e->meet != CFG_NONE && e->block == e->meet && e->block != e->stop)
        x->stack[e->at].mask |= mask;
    if (mask == 0 || e->block == end || e->block == e->stop || e->block == e->meet) {
        x->stack_count--;
        return;
    }
    if (x->walker->walk->steps >= x->walker->max_steps)
        walk_rest_arrive(x, e->block, mask);
    walk_skip_arrive(x, e->block, mask);
    if (spent(x->walker))
        return;
    visit_block(x, e->block, mask);
    walk_leave_block(x, mask);
}

static void run_frame(Frame *x, uint32_t mask)
{
    const LoopTree *t = flow_of(x)->loops;
    x->gone = 0;
    if (t->loop_of[0] != CFG_NONE && t->loops.at[t->loop_of[0]].header == 0)
        x->result->loops[t->loop_of[0]].entries++;
    *walk_push(x) = (Entry){ENTRY_RUN, 0, flow_of(x)->cfg->count, mask, NULL, CFG_NONE, 0};
    while (x->stack_count > 0 && !spent(x->walker))
        step(x);
    /* Forks still open when the steps were used up. */
    for (size_t i = 0; i < x->stack_count; i++)
        if (x->stack[i].kind == ENTRY_LAST_SIDE_DONE)
            walk_free_fork(x, x->stack[i].fork);
    x->stack_count = 0;
}

/* --- everything ------------------------------------------------------------------------------ */

/* Walks to the end, or until the steps are used up. */
static void follow(Walker *w, const PtxFunction *entry)
{
    w->regions = (WalkRegions){.arena = w->arena, .walk = w->walk};
    for (int l = 0; l < WALK_LATENCY_COUNT; l++)
        w->epoch[l] = 1;
    w->walk->lanes = ptx_warp_mask(&w->options->launch, w->options->place.warp);
    if (w->walk->lanes == 0)
        return;
    Frame *x = frame_new(w, entry, 0);
    run_frame(x, w->walk->lanes);
    arena_free(x->arena);
}

/* Walks a sibling warp; kept while warps of the same block are walked. */
static const WalkPublished *sibling(Walker *w, uint32_t warp)
{
    WalkOptions o = *w->options;
    o.place.warp = warp;
    WalkSibling *kept = &(o.plans ? o.plans : &w->plans)->siblings[warp > 0];
    if (kept->published && ptx_same_place(kept->place, o.place))
        return kept->published;
    o.passes = false;
    o.touch = NULL;
    Walker other = {.arena = w->arena,
                    .options = &o,
                    .walk = ARENA_NEW(w->arena, Walk),
                    .max_steps = w->max_steps / SIBLING_PARTS,
                    .end = w->max_steps / SIBLING_PARTS,
                    .default_trips = w->default_trips};
    follow(&other, w->walk->functions.at[0]->function);
    walk_values_give_up(&other);
    w->walk->steps += other.walk->steps;
    other.published.off |= spent(&other);
    w->walk->sibling_cut |= spent(&other);
    WalkPublished *published = ARENA_NEW(w->arena, WalkPublished);
    *published = other.published;
    *kept = (WalkSibling){o.place, published};
    return published;
}

Walk *walk_warp(Arena *a, const PtxFunction *entry, const WalkOptions *o)
{
    Walker w = {.arena = a, .options = o, .walk = ARENA_NEW(a, Walk), .sibling = sibling};
    w.max_steps = o->max_steps ? o->max_steps : WALK_MAX_STEPS;
    w.end = w.max_steps + o->estimate;
    w.default_trips = o->default_trips ? o->default_trips : WALK_DEFAULT_TRIPS;
    if (entry->registers.count > WALK_MAX_REGISTERS) {
        walk_note(&w, NULL, 0, "the function has too many registers to be followed");
        w.walk->capped = true;
        return w.walk;
    }
    follow(&w, entry);
    walk_region_end(&w.regions);
    walk_values_give_up(&w);
    w.walk->capped = w.walk->steps >= w.max_steps;
    w.walk->ended = !spent(&w);
    walk_total(&w);
    w.walk->lanes = (uint32_t)__builtin_popcount(w.walk->lanes);
    return w.walk;
}

double walk_work(const Walk *w)
{
    double work = w->instr;
    for (int k = 0; k < WALK_ROUTINES; k++)
        work += WALK_ROUTINE_INSTR * w->routines[k].called;
    return work;
}

WalkFunction *walk_find(const Walk *w, const PtxFunction *f)
{
    for (size_t i = 0; i < w->functions.count; i++)
        if (w->functions.at[i]->function == f)
            return w->functions.at[i];
    return NULL;
}
