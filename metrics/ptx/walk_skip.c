#include "metrics/ptx/walk_skip.h"

#include "metrics/ptx/ptx_affine.h"

#include <math.h>

enum { WALK_STACK_MAX = 40, /* pending entries */ WALK_LINE = 128, DRIFTS_MAX = 512 };

typedef enum TrackPhase {
    TRACK_IDLE,
    TRACK_MEASURE,
    TRACK_PROVE,
    TRACK_FAILED, /* in the middle of an iteration */
    TRACK_OFF
} TrackPhase;

enum { PATHS = 128 /* twice the longest period */ };

struct WalkTrack {
    int loop;
    const WalkLive *live; /* what is live at its header */
    TrackPhase phase;
    bool settled;    /* all periods are tried, not only the first plausible one */
    int attempt;     /* index of the next period, or of the one being proven */
    uint32_t period; /* being proven … */
    bool remembered; /* … with the changes from last time */
    uint32_t from;   /* iterations from the measurement's start to the proof's */
    uint32_t wait;   /* iterations before the first proof: the first is often unlike the others */
    uint32_t since;  /* iterations since the measurement's start */
    uint32_t fit;    /* the last period that fitted; 0: none */
    int failures;    /* loop entries in which nothing fitted */
    uint32_t mask;
    size_t stack_count;
    uint64_t visited;      /* Walker.visited at the last header */
    uint64_t steps;        /* walk_totals_steps at the measurement's start */
    uint64_t paths[PATHS]; /* hash of the blocks visited in each iteration since */
    Lanes *values;         /* of live registers at the measurement's start */
    Lanes *changes;        /* their changes over the last period that fitted */
};

/* An access whose addresses move in a way that changes its cost. */
typedef struct WalkDrift {
    int cost;
    uint32_t lanes;
    int64_t step;
    uint64_t address[PTX_LANES];
} WalkDrift;

struct WalkProof {
    bool active;
    uint32_t number;   /* from 1 */
    WalkTrack *track;  /* of the loop */
    uint64_t limit;    /* stretches, including this one, that repeat */
    uint64_t steps;    /* of the walk at its start */
    Lanes *changes;    /* by register */
    Lanes *start;      /* changes of live registers at the start … */
    Lanes *begun;      /* … and their values */
    WalkTotals totals; /* at the start */
    bool *pending;     /* by entry of `late` and latency: pending at the start */
    LoopState *loops;
    uint32_t groups;
    uint32_t gone;
    Entry stack[WALK_STACK_MAX];
    VEC(WalkDrift) drifts;
};

static bool proving(const Frame *x)
{
    return x->proof && x->proof->active;
}

/* --- beginning a proof and checking it ------------------------------------------------------- */

static WalkProof *proof_new(const Frame *x)
{
    Arena *a = x->arena;
    WalkProof *p = ARENA_NEW(a, WalkProof);
    const size_t late = plan_of(x)->late.count, state = plan_of(x)->slice.state.count + 1;
    /* Proofs set the changes of the state; those of other registers stay unknown. */
    const size_t registers = x->result->function->registers.count + 1;
    p->changes = ARENA_ARRAY(a, Lanes, registers);
    for (size_t i = 0; i < registers; i++)
        lanes_unknown(&p->changes[i]);
    p->start = ARENA_ARRAY(a, Lanes, state);
    p->begun = ARENA_ARRAY(a, Lanes, state);
    walk_totals_init(x, &p->totals);
    p->pending = ARENA_ARRAY(a, bool, late *WALK_LATENCY_COUNT);
    p->loops = ARENA_ARRAY(a, LoopState, walk_loop_count(x));
    return p;
}

static bool pending_at(const Frame *x, size_t i, int latency)
{
    return x->pending[plan_of(x)->late.at[i]][latency] == x->walker->epoch[latency];
}

static void note_state(Frame *x, WalkProof *p)
{
    walk_totals_note(x, &p->totals);
    memcpy(p->loops, x->loops, walk_loop_count(x) * sizeof *x->loops);
    memcpy(p->stack, x->stack, x->stack_count * sizeof *x->stack);
    for (size_t i = 0; i < plan_of(x)->late.count; i++)
        for (int l = 0; l < WALK_LATENCY_COUNT; l++)
            p->pending[i * WALK_LATENCY_COUNT + (size_t)l] = pending_at(x, i, l);
    p->groups = x->walker->groups;
    p->gone = x->gone;
}

static bool same_state(const Frame *x, const WalkProof *p)
{
    if (p->groups != x->walker->groups || p->gone != x->gone ||
        !walk_region_repeats(&x->walker->regions, &p->totals.regions))
        return false;
    for (size_t i = 0; i < plan_of(x)->late.count; i++)
        for (int l = 0; l < WALK_LATENCY_COUNT; l++)
            if (p->pending[i * WALK_LATENCY_COUNT + (size_t)l] != pending_at(x, i, l))
                return false;
    for (size_t i = 0; i < walk_loop_count(x); i++)
        if (p->loops[i].counted != x->loops[i].counted || p->loops[i].unsure != x->loops[i].unsure)
            return false;
    for (size_t i = 0; i < x->stack_count; i++) {
        const Entry *a = &p->stack[i], *b = &x->stack[i];
        if (a->kind != b->kind || a->block != b->block || a->stop != b->stop ||
            a->mask != b->mask || a->fork != b->fork)
            return false;
    }
    return true;
}

/* Sets the changes to be proven, measured or remembered. False if a live register has none. */
static bool set_changes(Frame *x, const WalkTrack *t, WalkProof *p)
{
    const WalkPlan *plan = plan_of(x);
    const WalkLive *live = t->live;
    const size_t registers = x->result->function->registers.count;
    for (size_t i = 0; i < live->count; i++)
        if (t->remembered)
            p->start[i] = t->changes[i];
        else if (!ptx_affine_change(&t->values[i], &x->values[live->at[i]],
                                    walk_register_bits(x, live->at[i]), &p->start[i]))
            return false;
    for (size_t i = 0; i < plan->slice.state.count; i++)
        if ((size_t)plan->slice.state.at[i] < registers)
            lanes_unknown(&p->changes[plan->slice.state.at[i]]);
    for (size_t i = 0; i < live->count; i++) {
        p->changes[live->at[i]] = p->start[i];
        lanes_assign(&p->begun[i], &x->values[live->at[i]], UINT32_MAX);
    }
    return true;
}

/* True if the low `bits` of all lanes are equal and known in `a`. */
static bool lanes_equal(const Lanes *a, const Lanes *b, int bits)
{
    if (a->uniform && b->uniform && a->v[0] == b->v[0])
        return true;
    for (int k = 0; k < PTX_LANES; k++)
        if (!(a->known >> k & 1) ||
            ptx_value_truncate(lanes_at(a, k), bits) != ptx_value_truncate(lanes_at(b, k), bits))
            return false;
    return true;
}

/* True if live registers have changed as in the stretch before and would again from a later start. */
static bool changes_again(const Frame *x, const WalkProof *p)
{
    const WalkLive *live = p->track->live;
    for (size_t i = 0; i < live->count; i++) {
        const int reg = live->at[i],
                  bits = walk_register_bits(x, reg) ? walk_register_bits(x, reg) : 64;
        Lanes moved;
        if (!ptx_affine_change(&p->begun[i], &x->values[reg], bits, &moved) ||
            !lanes_equal(&moved, &p->start[i], bits) ||
            !lanes_equal(&p->changes[reg], &p->start[i], bits))
            return false;
    }
    return true;
}

/* False if a live register has no known change. */
static bool begin_proof(Frame *x, WalkTrack *t)
{
    if (!x->proof)
        x->proof = proof_new(x);
    WalkProof *p = x->proof;
    if (x->stack_count > WALK_STACK_MAX || !set_changes(x, t, p))
        return false;
    note_state(x, p);
    p->active = true;
    p->number = ++x->walker->proofs;
    p->track = t;
    p->limit = PTX_FOREVER;
    p->steps = x->walker->walk->steps;
    p->drifts.count = 0;
    x->walker->walk->steps += (plan_of(x)->slice.state.count + plan_of(x)->late.count) / 8;
    return true;
}

/* --- advancing counts and registers ---------------------------------------------------------- */

static void move_registers(Frame *x, const WalkProof *p, uint64_t times)
{
    const WalkLive *live = p->track->live;
    for (size_t i = 0; i < live->count; i++) {
        Lanes *l = &x->values[live->at[i]];
        const Lanes *d = &p->start[i];
        const int bits = walk_register_bits(x, live->at[i]);
        if (d->uniform && d->v[0] == 0)
            continue;
        if (!d->uniform)
            lanes_spread(l);
        for (int k = 0; k < (l->uniform ? 1 : PTX_LANES); k++)
            l->v[k] = ptx_value_truncate(l->v[k] + times * lanes_at(d, k), bits);
    }
}

/* The cost of a drifting access `ahead` stretches later. */
static WalkAccess drifted(const Frame *x, const WalkDrift *d, uint64_t ahead)
{
    WalkAccess a = {.space = x->result->costs[d->cost].space};
    uint64_t address[PTX_LANES];
    for (int i = 0; i < PTX_LANES; i++)
        address[i] = d->address[i] + ahead * (uint64_t)d->step;
    walk_access_price(&a, &plan_of(x)->accesses->costs.at[d->cost], address, d->lanes);
    return a;
}

/* A drifting access repeats its cost every 128 / gcd(step, 128) stretches; it was added as if constant. */
static void correct_drift(Frame *x, const WalkDrift *d, uint64_t times)
{
    const unsigned lowest = (unsigned)__builtin_ctzll((uint64_t)d->step);
    const uint64_t cycle = WALK_LINE >> lowest;
    const WalkAccess first = drifted(x, d, 0);
    for (uint64_t k = 1; k < cycle && k <= times; k++) {
        const WalkAccess later = drifted(x, d, k);
        walk_totals_add(&x->result->costs[d->cost], &later, &first, (times - k) / cycle + 1);
    }
}

/* Marks the passes of the stretch as repeated. */
static void repeat_passes(Walk *w, size_t from, uint64_t times)
{
    const uint32_t stretch = from ? w->passes.at[from - 1].stretch + 1 : 1;
    for (size_t i = from; i < w->passes.count; i++) {
        w->passes.at[i].times = times;
        w->passes.at[i].stretch = stretch;
    }
}

/* Counts `times` more stretches and advances the registers. Uses up all steps if that is endless: false. */
static bool move_forward(Frame *x, uint64_t times)
{
    WalkProof *p = x->proof;
    if (times > WALK_ENDLESS) {
        x->walker->walk->steps = x->walker->end;
        return false;
    }
    walk_totals_repeat(x, &p->totals, times);
    repeat_passes(x->walker->walk, p->totals.passes, times);
    VEC_EACH (const WalkDrift, d, p->drifts)
        correct_drift(x, d, times);
    move_registers(x, p, times);
    walk_values_forget_moved(x->walker, p->number);
    return true;
}

/* --- choosing the period --------------------------------------------------------------------- */

/* Iterations per stretch, in the order tried. */
static const uint32_t periods[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, PATHS / 2};

enum {
    PERIODS = sizeof periods / sizeof periods[0],
    GIVE_UP = 3,          /* loop entries without a fit before the loop is left alone */
    PROOF_STEPS = 160000, /* longest stretch to prove */
    PROOF_COST = 2,       /* relative to walking, about */
    WORTHWHILE = 8        /* stretches skipped at once for the same period to be retried */
};

void walk_skip_init(Frame *x)
{
    if (x->walker->options->plain || walk_loop_count(x) == 0)
        return;
    x->tracks = ARENA_ARRAY(x->arena, WalkTrack, walk_loop_count(x));
    for (size_t i = 0; i < walk_loop_count(x); i++) {
        x->tracks[i].loop = (int)i;
        x->tracks[i].live = &plan_of(x)->slice.live[i];
    }
}

static void start_measuring(Frame *x, WalkTrack *t, uint32_t mask)
{
    if (!t->values)
        t->values = ARENA_ARRAY(x->arena, Lanes, t->live->count);
    for (size_t i = 0; i < t->live->count; i++)
        lanes_assign(&t->values[i], &x->values[t->live->at[i]], UINT32_MAX);
    t->phase = TRACK_MEASURE;
    t->since = 0;
    t->visited = x->walker->visited;
    t->steps = walk_totals_steps(x);
    t->mask = mask;
    t->stack_count = x->stack_count;
    x->walker->walk->steps += t->live->count / 8;
}

static void note_path(const Frame *x, WalkTrack *t)
{
    if (t->since < PATHS)
        t->paths[t->since] = x->walker->visited - t->visited;
    t->visited = x->walker->visited;
    t->since++;
}

/* True if iterations that are `period` apart took different paths. */
static bool contradicted(const WalkTrack *t, uint32_t period)
{
    for (uint32_t i = 0; i + period < t->since && i + period < PATHS; i++)
        if (t->paths[i] != t->paths[i + period])
            return true;
    return false;
}

static void start_proof(Frame *x, WalkTrack *t, bool remembered);

/* Tries the next period compatible with the paths measured; measures anew if that is too long. */
static void pick_period(Frame *x, WalkTrack *t, uint32_t mask)
{
    while (t->attempt < PERIODS && contradicted(t, periods[t->attempt]))
        t->attempt++;
    if (t->attempt == PERIODS) {
        t->phase = TRACK_OFF;
        t->failures++;
        return;
    }
    t->phase = TRACK_MEASURE;
    if (periods[t->attempt] < t->since)
        start_measuring(x, t, mask);
    else if (periods[t->attempt] == t->since)
        start_proof(x, t, false);
}

/* The period did not fit. All are tried only after the first iteration, which is often unlike the others. */
static void next_attempt(Frame *x, WalkTrack *t, uint32_t mask)
{
    t->attempt = t->settled ? t->attempt + 1 : 0;
    if (!t->settled)
        start_measuring(x, t, mask);
    t->settled = true;
    pick_period(x, t, mask);
}

/* Its stretches are too long to be proven. */
static void leave_alone(WalkTrack *t)
{
    t->phase = TRACK_OFF;
    t->failures = GIVE_UP;
}

static void start_proof(Frame *x, WalkTrack *t, bool remembered)
{
    if (!remembered && PROOF_COST * (walk_totals_steps(x) - t->steps) > PROOF_STEPS) {
        leave_alone(t);
        return;
    }
    t->from = t->since;
    t->period = remembered ? t->fit : t->since;
    t->remembered = remembered;
    if (begin_proof(x, t))
        t->phase = TRACK_PROVE;
    else
        next_attempt(x, t, t->mask);
}

void walk_skip_abort(Frame *x)
{
    if (!proving(x))
        return;
    x->proof->active = false;
    x->proof->track->phase = TRACK_FAILED;
}

static void keep_changes(const Frame *x, const WalkProof *p, WalkTrack *t)
{
    if (!t->changes)
        t->changes = ARENA_ARRAY(x->arena, Lanes, t->live->count);
    for (size_t i = 0; i < t->live->count; i++)
        t->changes[i] = p->start[i];
    t->fit = t->period;
}

static void finish_proof(Frame *x, WalkTrack *t, uint32_t mask)
{
    WalkProof *p = x->proof;
    p->active = false;
    /* The state must be that of the start except for changes, and these must recur. */
    if (!same_state(x, p) || !changes_again(x, p) || p->limit < 2) {
        next_attempt(x, t, mask);
        return;
    }
    const uint64_t times = p->limit - 1;
    if (!move_forward(x, times))
        return;
    x->loops[t->loop].iterations += times * t->period;
    x->walker->walk->skipped += times * t->period;
    keep_changes(x, p, t);
    /* Whatever limits the proof happens in the next stretch. */
    start_measuring(x, t, mask);
    t->wait = t->period;
    t->attempt = times >= WORTHWHILE || !t->settled ? 0 : t->attempt + 1;
    t->settled = times < WORTHWHILE;
    if (t->settled)
        pick_period(x, t, mask);
}

void walk_skip_enter(Frame *x, int loop)
{
    if (!x->tracks)
        return;
    WalkTrack *t = &x->tracks[loop];
    if (proving(x) && x->proof->track == t)
        walk_skip_abort(x);
    t->settled = false;
    t->attempt = 0;
    t->phase = t->failures < GIVE_UP ? TRACK_IDLE : TRACK_OFF;
}

static void prove(Frame *x, WalkTrack *t, uint32_t mask)
{
    if (!t->remembered && contradicted(t, t->period)) {
        x->proof->active = false;
        next_attempt(x, t, mask);
    } else if (t->since == t->from + t->period) {
        finish_proof(x, t, mask);
    }
}

static void arrive(Frame *x, WalkTrack *t, uint32_t mask)
{
    if (t->phase == TRACK_OFF)
        return;
    if (t->phase == TRACK_IDLE) {
        start_measuring(x, t, mask);
        t->wait = 1;
        return;
    }
    if (t->mask != mask || t->stack_count != x->stack_count) {
        if (proving(x))
            x->proof->active = false;
        start_measuring(x, t, mask);
        return;
    }
    note_path(x, t);
    if (t->phase == TRACK_PROVE)
        prove(x, t, mask);
    else if (t->phase == TRACK_FAILED)
        next_attempt(x, t, mask);
    else if (t->since == (t->settled ? periods[t->attempt] : t->wait))
        start_proof(x, t, !t->settled && t->fit);
}

void walk_skip_arrive(Frame *x, int block, uint32_t mask)
{
    if (!x->tracks)
        return;
    const LoopTree *t = flow_of(x)->loops;
    const int loop = t->loop_of[block];
    if (proving(x) && !loop_contains(t, x->proof->track->loop, block))
        walk_skip_abort(x);
    if (proving(x) && x->walker->walk->steps - x->proof->steps > PROOF_STEPS) {
        x->proof->active = false;
        leave_alone(x->proof->track);
    }
    if (loop == CFG_NONE || t->loops.at[loop].header != block)
        return;
    if (!proving(x) || x->proof->track->loop == loop)
        arrive(x, &x->tracks[loop], mask);
}

/* --- changes during a proof ------------------------------------------------------------------ */

static void change_of_operand(const Frame *x, const PtxOperand *o, Lanes *out)
{
    if (o->kind == PTX_OPERAND_REGISTER && !o->name)
        lanes_assign(out, &x->proof->changes[o->index], UINT32_MAX);
    else
        lanes_fill(out, 0);
}

/* Numbered as by ptx_eval_operands. */
static int changes_of_sources(const Frame *x, const PtxInstr *in, Lanes out[PTX_SOURCES])
{
    int n = 0;
    for (int i = in->form->writes; i < in->count; i++) {
        const PtxOperand *o = &in->operands[i];
        const bool many = o->kind == PTX_OPERAND_VECTOR;
        const bool address = o->kind == PTX_OPERAND_ADDRESS;
        for (size_t k = 0; k < (many ? o->count : 1) && n < PTX_SOURCES; k++, n++)
            change_of_operand(x, many ? &o->parts[k] : address ? &o->parts[0] : o, &out[n]);
    }
    return n;
}

static bool steady(const Lanes *change, uint32_t lanes)
{
    if (change->uniform)
        return change->v[0] == 0;
    EACH_LANE (i, lanes)
        if (!(change->known >> i & 1) || change->v[i] != 0)
            return false;
    return true;
}

static bool all_steady(const Lanes *changes, int count, uint32_t lanes)
{
    for (int i = 0; i < count; i++)
        if (!steady(&changes[i], lanes))
            return false;
    return true;
}

uint32_t walk_skip_proof(const Frame *x)
{
    return proving(x) ? x->proof->number : 0;
}

WalkChange walk_skip_change(const Frame *x, const PtxInstr *in, uint32_t lanes)
{
    WalkChange c = {.proof = walk_skip_proof(x)};
    Lanes changes[PTX_SOURCES];
    const int n = c.proof ? changes_of_sources(x, in, changes) : 0;
    c.address = n > 0 && !steady(&changes[0], lanes);
    c.value = !all_steady(changes, n, lanes);
    return c;
}

/* A shuffle moves changes like values. */
static void shuffle_changes(const Frame *x, const PtxInstr *in, const Lanes *changes, int count,
                            uint32_t lanes, Lanes out[2])
{
    int from[PTX_LANES];
    Lanes unused[PTX_SOURCES];
    ptx_warp_instr(&x->state, in, lanes, unused, from);
    if (count < 3 || in->form->op != PTX_SHFL || !all_steady(&changes[1], count - 1, lanes))
        return;
    lanes_spread(&out[0]);
    lanes_fill(&out[1], 0);
    for (int i = 0; i < PTX_LANES; i++) {
        if (from[i] < 0 || !(changes[0].known >> from[i] & 1))
            continue;
        lanes_set(&out[0], i, lanes_at(&changes[0], from[i]));
    }
}

static void change_of_results(Frame *x, const PtxInstr *in, const Lanes *results, int count,
                              uint32_t mask, uint32_t lanes, Lanes out[PTX_SOURCES])
{
    Lanes sources[PTX_SOURCES], changes[PTX_SOURCES];
    const PtxForm *f = in->form;
    const bool param = f->op == PTX_LD && f->space == PTX_PARAM;
    const bool kept = sliced(x, in)->home && f->op == PTX_LD;
    const bool data = kept || (x->walker->options->data && walk_loads_data(f));
    const bool warp = ptx_warp_computes(f);
    const int n = changes_of_sources(x, in, changes);
    if ((!ptx_eval_computes(f) && !param && !data && !warp) ||
        (all_steady(changes, n, lanes) &&
         (!kept || walk_values_steady(x, in, lanes, walk_skip_proof(x))))) {
        for (int k = 0; k < count; k++)
            lanes_fill(&out[k], 0);
        return;
    }
    for (int k = 0; k < count; k++)
        lanes_unknown(&out[k]);
    if (warp && lanes == mask) {
        Lanes two[2] = {out[0], out[0]};
        shuffle_changes(x, in, changes, n, lanes, two);
        memcpy(out, two, (size_t)(count < 2 ? count : 2) * sizeof *out);
        return;
    }
    if (param || data || warp || count > 2 || (count == 2 && f->op != PTX_SETP))
        return;
    Lanes two[2];
    ptx_eval_operands(&x->state, in, sources);
    ptx_affine_result(f, sources, changes, n, results, lanes, two, &x->proof->limit);
    memcpy(out, two, (size_t)count * sizeof *out);
}

/* Lanes with an unknown guard keep the old value or take the new one. */
static void join_changes(const Frame *x, int reg, const Lanes *value, const Lanes *change,
                         uint32_t maybe)
{
    const Lanes *old = &x->values[reg];
    Lanes *to = &x->proof->changes[reg];
    lanes_spread(to);
    EACH_LANE (i, maybe) {
        const uint32_t bit = UINT32_C(1) << i;
        uint64_t d = 0;
        const bool known = ptx_affine_join(old, to, value, change, i, &d);
        to->known = known ? to->known | bit : to->known & ~bit;
        to->v[i] = d;
    }
}

void walk_skip_instr(Frame *x, const PtxInstr *in, const Lanes *results, int count, uint32_t mask,
                     uint32_t yes, uint32_t maybe)
{
    if (!proving(x))
        return;
    if (in->guard != PTX_NO_GUARD && !steady(&x->proof->changes[in->guard], mask)) {
        walk_skip_abort(x);
        return;
    }
    Lanes changes[PTX_SOURCES];
    change_of_results(x, in, results, count, mask, yes | maybe, changes);
    if (x->proof->limit < 2) {
        walk_skip_abort(x);
        return;
    }
    const PtxOperand *o = &in->operands[0];
    const bool many = o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR;
    const uint32_t threads = x->walker->walk->lanes;
    for (int k = 0; k < count; k++) {
        const PtxOperand *to = many ? &o->parts[k] : o;
        if (to->kind != PTX_OPERAND_REGISTER)
            continue;
        if (maybe)
            join_changes(x, to->index, &results[k], &changes[k], maybe);
        lanes_assign(&x->proof->changes[to->index], &changes[k], yes == threads ? UINT32_MAX : yes);
    }
}

void walk_skip_branch(Frame *x, const PtxInstr *branch, uint32_t mask)
{
    for (size_t i = 0; proving(x) && i < branch->reads.count; i++)
        if (!steady(&x->proof->changes[branch->reads.at[i]], mask))
            walk_skip_abort(x);
}

void walk_skip_rounds(Frame *x, int loop, double left)
{
    if (!proving(x) || x->proof->track->loop != loop)
        return;
    const double stretches = ceil(left / x->proof->track->period);
    if (stretches < (double)x->proof->limit)
        x->proof->limit = stretches > 1 ? (uint64_t)stretches : 1;
}

void walk_skip_group(Frame *x, const AccessGroup *g, uint32_t mask, uint32_t lanes)
{
    if (!proving(x))
        return;
    WalkProof *p = x->proof;
    if (g->first->guard != PTX_NO_GUARD && !steady(&p->changes[g->first->guard], mask)) {
        walk_skip_abort(x);
        return;
    }
    if (g->base->kind != PTX_OPERAND_REGISTER || lanes == 0)
        return;
    const Lanes *d = &p->changes[g->base->index];
    const int first = __builtin_ctz(lanes);
    EACH_LANE (i, lanes)
        if (!(d->known >> i & 1) || lanes_at(d, i) != lanes_at(d, first)) {
            walk_skip_abort(x);
            return;
        }
    const uint32_t step = (uint32_t)lanes_at(d, first) & 15;
    if (step)
        x->result->aligns[g - plan_of(x)->accesses->groups.at].varying |=
            15 & (0 - (step & (0 - step)));
}

int64_t walk_skip_step(const Frame *x, const AccessGroup *g, uint32_t lanes)
{
    if (!proving(x) || g->base->kind != PTX_OPERAND_REGISTER)
        return 0;
    return (int64_t)lanes_at(&x->proof->changes[g->base->index], __builtin_ctz(lanes));
}

void walk_skip_access(Frame *x, int cost, const uint64_t *address, uint32_t lanes)
{
    if (!proving(x))
        return;
    const Accesses *accesses = plan_of(x)->accesses;
    const AccessCost *c = &accesses->costs.at[cost];
    const int64_t step = walk_skip_step(x, &accesses->groups.at[c->group], lanes);
    const PtxSpace space = x->result->costs[cost].space;
    const int unit = space == PTX_SHARED ? c->bytes : space == PTX_CONST ? 4 : WALK_LINE;
    if (step % unit == 0)
        return;
    if (space == PTX_SHARED && c->aligned)
        return; /* never merged */
    if (x->proof->drifts.count == DRIFTS_MAX) {
        walk_skip_abort(x);
        return;
    }
    WalkDrift d = {.cost = cost, .lanes = lanes, .step = step};
    memcpy(d.address, address, sizeof d.address);
    VEC_PUSH(x->arena, &x->proof->drifts, d);
}
