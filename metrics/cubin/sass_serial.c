#include "metrics/cubin/sass_serial.h"

#include <math.h>
#include <stdlib.h>

const SassLatency SASS_LATENCY = {.shared = 29,
                                  .global = 500,
                                  .l1 = 34,
                                  .l2 = 281,
                                  .memory_places = 94,
                                  .memory_loads = 24,
                                  .l2_places = 6,
                                  .l2_sector = 0.9,
                                  .local = 34,
                                  .constant = 34,
                                  .special = 20,
                                  .shuffle = 24,
                                  .shared_atomic = 60,
                                  .barrier = 13,
                                  .fence = 597,
                                  .other = 30,
                                  .operands = 12,
                                  .bulk_operands = 19,
                                  .special_spacing = 8,
                                  .issue_spacing = 1};

SassLatency sass_latency_among(const SassLatency *alone, const SassLoad *load)
{
    SassLatency l = *alone;
    l.issue_spacing = fmax(alone->issue_spacing, load->warps / SASS_SCHEDULERS);
    l.special_spacing *= fmax(1, load->warps / SASS_SCHEDULERS);
    l.load_spacing = load->load_wavefronts * load->warps;
    l.store_spacing = load->store_wavefronts * load->warps;
    return l;
}

/* --- instructions as the walk needs them ----------------------------------------------------- */

/* Where global memory is served from. */
enum { FROM_L1, FROM_L2, FROM_MEMORY, LEVELS };

/* What the walk has to know beyond the class. */
typedef enum StepKind {
    STEP_OTHER,
    STEP_FENCE,  /* beyond the block */
    STEP_FETCH,  /* a bulk copy to shared memory, whose bytes a barrier there counts */
    STEP_SEND,   /* a bulk copy from there */
    STEP_ARRIVE, /* at such a barrier */
    STEP_PHASE   /* a wait for the end of its phase */
} StepKind;

typedef struct Step {
    SassControl control;
    uint16_t opcode;
    uint8_t class;
    SassSource from;     /* of an access of global memory … */
    double took[LEVELS]; /* … and its latency from each level */
    StepKind kind;
} Step;

/* A load waits for the last of the lines that it requests. */
static void set_source(Step *s, const SassLatency *l, const SassSource *from)
{
    if (!from) {
        s->from = (SassSource){.l2 = 1, .memory = 1};
        s->took[FROM_L1] = s->took[FROM_L2] = s->took[FROM_MEMORY] = l->global;
        return;
    }
    s->from = *from;
    s->took[FROM_L1] = l->l1;
    s->took[FROM_L2] = l->l2 + l->l2_places * log2(from->sectors);
    s->took[FROM_MEMORY] = l->global + l->memory_places * log2(fmax(1, from->places));
}

static StepKind kind_of(SassInstr w)
{
    enum { TO_SHARED = 1 << 9 };             /* UBLKCP.S.G; else .G.S */
    const unsigned scope = w.high >> 12 & 7; /* MEMBAR: 0 the block, 2 the GPU, 3 the system */
    switch (w.opcode) {
    case SASS_OP_MEMBAR:
        return scope >= 2 ? STEP_FENCE : STEP_OTHER;
    case SASS_OP_UBLKCP:
        return w.high & TO_SHARED ? STEP_FETCH : STEP_SEND;
    case SASS_OP_UTMALDG:
        return STEP_FETCH;
    case SASS_OP_UTMASTG:
    case SASS_OP_UTMAREDG:
        return STEP_SEND;
    case SASS_OP_SYNCS:
        /* .ARRIVE and .PHASECHK, as sm_90 and sm_100 encode them */
        return sass_form(w) == SASS_FORM_NUMBER_THIRD ? STEP_PHASE : STEP_ARRIVE;
    default:
        return STEP_OTHER;
    }
}

static Step *decode(Arena *a, const SassJoin *j, const SassLatency *l)
{
    const SassFlow *f = j->flow;
    const SassSource *from = l->loads ? sass_loads_find(a, j, l->loads) : NULL;
    Step *steps = ARENA_ARRAY(a, Step, f->count + 1);
    for (size_t i = 0; i < f->count; i++) {
        const SassInstr w = f->instrs[i];
        steps[i] = (Step){.control = sass_control(w),
                          .opcode = w.opcode,
                          .class = (uint8_t)sass_class(w),
                          .kind = kind_of(w)};
        set_source(steps + i, l, from ? from + i : NULL);
        if (steps[i].control.stall == 0)
            steps[i].control.stall = 1;
    }
    return steps;
}

/* fmax handles NaNs, which do not occur here, and is a call. */
static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* --- the warp -------------------------------------------------------------------------------- */

enum { SCOREBOARDS = 6, FLIGHTS = 64, GROUPS = 16, CALL_DEPTH = 8 };

/* When a load of global memory arrives, by the level that serves it: each has its share of probability, the
 * sum is 1.  Of several loads it is the last one's arrival. */
typedef struct Arrival {
    double time[LEVELS], share[LEVELS];
} Arrival;

static double mean_time(const Arrival *a)
{
    double sum = 0;
    for (int i = 0; i < LEVELS; i++)
        sum += a->share[i] * a->time[i];
    return sum;
}

/* The later of two independent arrivals: if one load of many comes from memory, all wait for memory.  What
 * is served by a level keeps its mean time only. */
static Arrival later_arrival(const Arrival *a, const Arrival *b)
{
    Arrival last = {.share = {0}};
    for (int i = 0; i < LEVELS; i++)
        for (int k = 0; k < LEVELS; k++) {
            const int level = a->time[i] > b->time[k] ? i : k;
            const double share = a->share[i] * b->share[k];
            last.share[level] += share;
            last.time[level] += share * later(a->time[i], b->time[k]);
        }
    for (int i = 0; i < LEVELS; i++)
        if (last.share[i] > 0)
            last.time[i] /= last.share[i];
    return last;
}

static void shift_arrival(Arrival *a, double by)
{
    for (int i = 0; i < LEVELS; i++)
        a->time[i] += by;
}

/* Global loads that are waited for together. */
typedef struct Loads {
    Arrival last;
    unsigned period; /* when the latest of them was issued; 0 if there is none */
} Loads;

static void add_load(Loads *l, const Arrival *a, unsigned period)
{
    l->last = l->period == 0 ? *a : later_arrival(&l->last, a);
    l->period = period > l->period ? period : l->period;
}

/* Sums that an extrapolation multiplies; all members are doubles. */
typedef struct Totals {
    double now; /* cycle of the next issue */
    double issue;
    double waits[SASS_WAITS];
    double long_waits;
    double in_flight;
} Totals;

/* Groups of copies, of which a warp waits for the oldest. */
typedef struct Queue {
    Loads groups[GROUPS]; /* oldest first */
    int count;
    Loads open; /* gets new copies */
} Queue;

typedef struct Active {
    int loop;
    int depth; /* of calls */
    int walked;
    double iterations; /* of this entry */
    double took[4];    /* cycles of the last iterations, latest first */
    Totals before[2];  /* at the start of the latest iteration, and of the one before it */
    bool extrapolated;
} Active;

typedef struct Warp {
    const SassJoin *join;
    const SassFlow *flow;
    const SassLatency *latency;
    const Step *steps;
    Totals sum;
    double release[SCOREBOARDS];
    uint8_t waits_for[SCOREBOARDS]; /* SassWait */
    Loads loads[SCOREBOARDS];       /* global loads that set it and were not waited for yet */
    double flights[FLIGHTS];        /* when the last global loads arrive, in a ring */
    unsigned flight;
    bool has_loaded;     /* it has executed a global load, … */
    double first_load;   /* … first at this time, … */
    double last_arrival; /* … and the last one that it waited for came then */
    Arrival waited;      /* distribution of the last wait's end */
    double settled;      /* end of the last global wait: loads had arrived by then */
    unsigned period;     /* number of global waits so far, plus 1 */
    Queue copies;        /* by LDGSTS … */
    Queue fetches;       /* … and in bulk */
    bool asked;          /* for a phase, and used nothing of it since */
    double shared_free, special_free, global_free;
    VEC(Active) active;
    double **used; /* by block and successor: times taken so far */
    int calls[CALL_DEPTH];
    int depth;
    int64_t spent; /* instructions walked and branches weighed */
} Warp;

static void wait_until(Warp *w, double time, SassWait what)
{
    if (time <= w->sum.now)
        return;
    w->sum.waits[what] += time - w->sum.now;
    w->sum.now = time;
}

/* A wait for global memory.  It ends a period even if it takes no time, because the load was issued early
 * enough, perhaps an iteration ago.  If it takes time though another wait came between, as for the second
 * of two loads issued together, it counts, too. */
static void wait_for_global(Warp *w, double time, unsigned period)
{
    const bool counts = period == w->period || time > w->sum.now;
    double under_way = 0;
    for (int i = 0; counts && i < FLIGHTS; i++)
        under_way += w->flights[i] > w->settled;
    w->sum.in_flight += under_way;
    if (counts && w->latency->loads && time > w->sum.now)
        time += w->latency->memory_loads * log2(fmax(1, under_way));
    wait_until(w, time, SASS_WAIT_GLOBAL);
    w->last_arrival = later(w->last_arrival, time);
    if (!counts)
        return;
    w->sum.long_waits++;
    w->settled = w->sum.now;
    w->period++;
}

/* When the last wait ended is a mean, too: loads issued before it are waited for only if they arrive later
 * than those waited for then. */
static void wait_for_loads(Warp *w, const Loads *l)
{
    Arrival last = l->last;
    if (l->period < w->period && w->period > 1) {
        shift_arrival(&w->waited, w->sum.now - mean_time(&w->waited));
        last = later_arrival(&w->waited, &last);
    }
    w->waited = last;
    wait_for_global(w, mean_time(&last), l->period);
}

static void wait_for_scoreboards(Warp *w, unsigned mask)
{
    Loads loads = {.period = 0};
    int last = -1;
    for (int i = 0; mask != 0 && i < SCOREBOARDS; i++) {
        if (!(mask >> i & 1))
            continue;
        if (w->loads[i].period > 0)
            add_load(&loads, &w->loads[i].last, w->loads[i].period);
        w->loads[i].period = 0;
        if (last < 0 || w->release[i] > w->release[last])
            last = i;
    }
    if (loads.period > 0)
        wait_for_loads(w, &loads);
    if (last >= 0)
        wait_until(w, w->release[last], (SassWait)w->waits_for[last]);
}

static void set_scoreboard(Warp *w, int i, double time, SassWait what)
{
    if (i >= SCOREBOARDS || time < w->release[i])
        return;
    w->release[i] = time;
    w->waits_for[i] = (uint8_t)what;
}

static void close_group(Queue *q)
{
    if (q->count == GROUPS) {
        memmove(q->groups, q->groups + 1, (GROUPS - 1) * sizeof *q->groups);
        q->count--;
    }
    q->groups[q->count++] = q->open;
    q->open.period = 0;
}

static void wait_for_groups(Warp *w, Queue *q, int left)
{
    const int done = q->count - left;
    if (done <= 0)
        return;
    for (int i = 0; i < done; i++)
        if (q->groups[i].period > 0)
            wait_for_loads(w, q->groups + i);
    q->count = left;
    memmove(q->groups, q->groups + done, (size_t)left * sizeof *q->groups);
}

/* A barrier's next phase ends with the oldest copies that were started together: a thread arrives, with the
 * bytes to expect, before it starts them.  Asking for a phase again is the same wait. */
static void wait_for_phase(Warp *w)
{
    if (w->asked)
        return;
    w->asked = true;
    if (w->fetches.count == 0 && w->fetches.open.period > 0)
        close_group(&w->fetches);
    if (w->fetches.count > 0)
        wait_for_groups(w, &w->fetches, w->fetches.count - 1);
}

static bool is_global(SassClass class)
{
    return class == SASS_ASYNC_COPY || class == SASS_GLOBAL_LOAD || class == SASS_GLOBAL_ATOMIC ||
           class == SASS_GENERIC || class == SASS_TEXTURE;
}

static void load_global(Warp *w, const Step *s)
{
    const double now = w->sum.now;
    w->first_load = w->has_loaded ? w->first_load : now;
    w->has_loaded = true;
    w->global_free = later(w->global_free, now) + w->latency->l2_sector * s->from.sectors;
    const double memory = s->from.memory, beyond = later(s->from.l2, memory);
    Arrival a = {.share = {1 - beyond, beyond - memory, memory}};
    for (int i = 0; i < LEVELS; i++)
        a.time[i] = w->global_free + s->took[i];
    w->flights[w->flight++ % FLIGHTS] = mean_time(&a);
    if (s->class == SASS_ASYNC_COPY)
        add_load(s->kind == STEP_FETCH ? &w->fetches.open : &w->copies.open, &a, w->period);
    if (s->control.write < SCOREBOARDS)
        add_load(w->loads + s->control.write, &a, w->period);
}

/* When the result of an instruction that issues now arrives, and the cause of a wait for it. */
static double result_time(Warp *w, const Step *s, SassWait *what)
{
    const SassClass class = (SassClass)s->class;
    const SassLatency *l = w->latency;
    const double now = w->sum.now;
    *what = SASS_WAIT_OTHER;
    switch (class) {
    case SASS_SHARED_LOAD:
    case SASS_SHARED_STORE:
        *what = SASS_WAIT_SHARED;
        w->shared_free = later(w->shared_free, now) +
                         (class == SASS_SHARED_LOAD ? l->load_spacing : l->store_spacing);
        /* Done when its turn ends; the latency includes one cycle of service. */
        return later(w->shared_free - 1, now) + l->shared;
    case SASS_SHARED_ATOMIC:
        *what = SASS_WAIT_SHARED;
        return now + l->shared_atomic;
    case SASS_LOCAL_LOAD:
        *what = SASS_WAIT_LOCAL;
        return now + l->local;
    case SASS_CONSTANT_LOAD:
        return now + l->constant;
    case SASS_SFU:
    case SASS_CONVERT:
        return now + l->special;
    case SASS_SHUFFLE:
        return now + l->shuffle;
    default:
        return now + l->other;
    }
}

static void issue(Warp *w, Step s)
{
    SassWait what;
    wait_for_scoreboards(w, s.control.wait);
    if (s.opcode == SASS_OP_DEPBAR)
        wait_for_groups(w, &w->copies, s.control.groups);
    if (s.kind == STEP_PHASE)
        wait_for_phase(w);
    if (s.class == SASS_SFU || s.class == SASS_CONVERT) {
        wait_until(w, w->special_free, SASS_WAIT_OTHER);
        w->special_free = w->sum.now + w->latency->special_spacing;
    }
    if (is_global((SassClass)s.class) && s.kind != STEP_SEND &&
        (s.control.write < SCOREBOARDS || s.class == SASS_ASYNC_COPY)) {
        load_global(w, &s);
    } else if (s.control.write < SCOREBOARDS || s.class == SASS_SHARED_LOAD ||
               s.class == SASS_SHARED_STORE) {
        const double time = result_time(w, &s, &what);
        set_scoreboard(w, s.control.write, time, what);
    }
    const bool is_bulk = s.kind == STEP_FETCH || s.kind == STEP_SEND;
    set_scoreboard(w, s.control.read,
                   w->sum.now + (is_bulk ? w->latency->bulk_operands : w->latency->operands),
                   SASS_WAIT_OTHER);
    if (s.opcode == SASS_OP_LDGDEPBAR)
        close_group(&w->copies);
    if (s.kind == STEP_ARRIVE || s.class == SASS_SHARED_LOAD)
        w->asked = false;
    if (s.kind == STEP_ARRIVE && w->fetches.open.period > 0)
        close_group(&w->fetches);
    const double slot = later(s.control.stall, w->latency->issue_spacing);
    w->sum.now += slot;
    w->sum.issue += slot;
    if (s.opcode == SASS_OP_BAR)
        wait_until(w, w->sum.now + w->latency->barrier, SASS_WAIT_BARRIER);
    if (s.kind == STEP_FENCE)
        wait_until(w, w->sum.now + w->latency->fence, SASS_WAIT_FENCE);
    w->spent++;
}

/* --- loops ----------------------------------------------------------------------------------- */

static Active *top(Warp *w)
{
    return w->active.count ? &w->active.at[w->active.count - 1] : NULL;
}

static double entries_of(const Warp *w, int loop)
{
    const int header = w->flow->loops->loops.at[loop].header;
    const CfgBlock *block = &w->flow->cfg->blocks[header];
    double entries = header == 0;
    for (int k = 0; k < block->pred_count; k++) {
        const int from = block->preds[k];
        const CfgBlock *b = &w->flow->cfg->blocks[from];
        const bool back = loop_contains(w->flow->loops, loop, from);
        for (int e = 0; !back && e < b->succ_count; e++)
            if (b->succs[e] == header)
                entries += w->join->edges[from][e];
    }
    return entries;
}

static void enter_loop(Arena *a, Warp *w, int loop)
{
    const int header = w->flow->loops->loops.at[loop].header;
    const double entries = entries_of(w, loop), visits = w->join->visits[header];
    Active *active = VEC_ADD(a, &w->active);
    *active = (Active){.loop = loop,
                       .depth = w->depth,
                       .iterations = entries > 0 ? later(1, nearbyint(visits / entries)) : 1,
                       .before = {w->sum, w->sum}};
}

/* True in the last iteration. */
static bool is_last(const Active *l)
{
    return l->walked + 1 >= l->iterations;
}

static bool steady(const Active *l)
{
    return l->walked >= 4 && (fabs(l->took[0] + l->took[1] - l->took[2] - l->took[3]) < 0.5 ||
                              l->walked >= LOOP_WALKED);
}

static void add_scaled(Totals *to, const Totals *late, const Totals *early, double factor)
{
    double *sum = &to->now;
    const double *a = &late->now, *b = &early->now;
    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++)
        sum[i] += factor * (a[i] - b[i]);
}

static void shift_queue(Queue *q, double by)
{
    for (int i = 0; i < q->count; i++)
        shift_arrival(&q->groups[i].last, by);
    shift_arrival(&q->open.last, by);
}

/* Adds `times` iterations like the last two. */
static void skip(Warp *w, const Active *l, double times)
{
    const Totals now = w->sum;
    add_scaled(&w->sum, &now, &l->before[1], times / 2);
    const double shift = w->sum.now - now.now;
    for (int i = 0; i < SCOREBOARDS; i++) {
        w->release[i] += shift;
        shift_arrival(&w->loads[i].last, shift);
    }
    for (int i = 0; i < FLIGHTS; i++)
        w->flights[i] += shift;
    shift_queue(&w->copies, shift);
    shift_queue(&w->fetches, shift);
    w->settled += shift;
    w->shared_free += shift;
    w->special_free += shift;
    w->global_free += shift;
}

/* At the header again, an iteration is over. */
static void next_iteration(Warp *w, Active *l)
{
    l->walked++;
    memmove(l->took + 1, l->took, 3 * sizeof *l->took);
    l->took[0] = w->sum.now - l->before[0].now;
    const double left = l->iterations - l->walked - 1;
    if (!l->extrapolated && left > 0 && steady(l)) {
        skip(w, l, left);
        l->extrapolated = true;
        l->iterations = l->walked + 1;
    }
    l->before[1] = l->before[0];
    l->before[0] = w->sum;
}

static void arrive(Arena *a, Warp *w, int block)
{
    const LoopTree *t = w->flow->loops;
    while (top(w) && (top(w)->depth > w->depth ||
                      (top(w)->depth == w->depth && !loop_contains(t, top(w)->loop, block))))
        w->active.count--;
    const int loop = t->loop_of[block];
    if (loop == CFG_NONE || t->loops.at[loop].header != block)
        return;
    if (top(w) && top(w)->loop == loop && top(w)->depth == w->depth)
        next_iteration(w, top(w));
    else
        enter_loop(a, w, loop);
}

/* --- the path ------------------------------------------------------------------------------- */

static bool stays(Warp *w, int block)
{
    const Active *l = top(w);
    return !l || l->depth != w->depth || loop_contains(w->flow->loops, l->loop, block);
}

/* Of the successors that stay in the loop, or of those that leave it, the one that lags most behind its
 * share, of equals the last one; CFG_NONE when none is ever taken.  Where lanes diverge, several are taken
 * at a time: then the fall-through is taken whenever it is due, since what a jump skips is executed,
 * too. */
static int most_due(Warp *w, int b, bool staying)
{
    const CfgBlock *block = &w->flow->cfg->blocks[b];
    double flow = 0, used = 1, lag = -INFINITY;
    int best = CFG_NONE;
    for (int k = 0; k < block->succ_count; k++)
        if (stays(w, block->succs[k]) == staying) {
            flow += w->join->edges[b][k];
            used += w->used[b][k];
        }
    const double visits = w->join->visits[b], little = 1e-6;
    for (int k = 0; k < block->succ_count; k++) {
        const double share = w->join->edges[b][k];
        if (share <= 0 || stays(w, block->succs[k]) != staying)
            continue;
        if (flow > visits * (1 + little) && block->succs[k] == block->fall &&
            share / visits * used - w->used[b][k] >= 1 - little)
            return k;
        if (share / flow * used - w->used[b][k] < lag - 1e-9)
            continue;
        lag = share / flow * used - w->used[b][k];
        best = k;
    }
    return best;
}

/* The last iteration leaves the loop, the others stay, if possible. */
static int choose(Warp *w, int b)
{
    const CfgBlock *block = &w->flow->cfg->blocks[b];
    const bool last = top(w) && is_last(top(w));
    int k = most_due(w, b, !last);
    if (k == CFG_NONE)
        k = most_due(w, b, last);
    if (k == CFG_NONE)
        return CFG_NONE;
    w->used[b][k]++;
    return block->succs[k];
}

/* The visits of a block that end there. */
static double ended_at(const Warp *w, int b)
{
    double ended = w->join->visits[b];
    for (int k = 0; k < w->flow->cfg->blocks[b].succ_count; k++)
        ended -= w->join->edges[b][k];
    return ended;
}

/* True if the warp ends here: most visits do, or most entries of the loop do and this is the last
 * iteration. */
static bool ends(Warp *w, int b)
{
    const Active *l = top(w);
    if (!w->flow->cfg->blocks[b].ends_thread)
        return false;
    const double ended = ended_at(w, b);
    if (ended > w->join->visits[b] / 2)
        return true;
    return l && l->depth == w->depth && is_last(l) && ended > entries_of(w, l->loop) / 2;
}

static int leave(Warp *w, int b)
{
    const CfgBlock *block = &w->flow->cfg->blocks[b];
    if (w->flow->returns[b])
        return w->depth > 0 ? w->calls[--w->depth] : CFG_NONE;
    if (ends(w, b))
        return CFG_NONE;
    if (w->flow->callee[b] == CFG_NONE)
        return choose(w, b);
    if (w->depth == CALL_DEPTH || block->fall == CFG_NONE ||
        w->join->edges[b][0] < w->join->visits[b] / 2)
        return block->fall;
    w->calls[w->depth++] = block->fall;
    return w->flow->callee[b];
}

static void walk(Arena *a, Warp *w)
{
    for (int b = 0; b != CFG_NONE && w->spent < SASS_SERIAL_STEPS; b = leave(w, b)) {
        const CfgBlock *block = &w->flow->cfg->blocks[b];
        arrive(a, w, b);
        w->spent += 4 * block->succ_count;
        for (size_t i = block->first; i < block->end; i++)
            issue(w, w->steps[i]);
    }
}

static double issue_of_visits(const Warp *w)
{
    double cycles = 0;
    for (int b = 0; b < w->flow->cfg->count; b++) {
        const CfgBlock *block = &w->flow->cfg->blocks[b];
        double once = 0;
        for (size_t i = block->first; i < block->end; i++)
            once += later(w->steps[i].control.stall, w->latency->issue_spacing);
        cycles += once * w->join->visits[b];
    }
    return cycles;
}

SassSerial sass_serial(Arena *a, const SassJoin *j, const SassLatency *l)
{
    const Cfg *c = j->flow->cfg;
    Warp *w = ARENA_NEW(a, Warp);
    *w = (Warp){.period = 1, .join = j, .flow = j->flow, .latency = l, .steps = decode(a, j, l)};
    w->used = ARENA_ARRAY(a, double *, (size_t)c->count);
    for (int b = 0; b < c->count; b++)
        w->used[b] = ARENA_ARRAY(a, double, (size_t)c->blocks[b].succ_count + 1);
    walk(a, w);
    SassSerial s = {.issue = issue_of_visits(w),
                    .long_waits = w->sum.long_waits,
                    .loading = w->has_loaded,
                    .capped = w->spent >= SASS_SERIAL_STEPS};
    s.cycles = s.issue;
    s.ends = w->has_loaded ? w->first_load + w->sum.now - later(w->last_arrival, w->first_load) : 0;
    s.loads_in_flight = s.long_waits > 0 ? w->sum.in_flight / s.long_waits : 0;
    /* A capped walk only gives the proportion of waits to issue. */
    const double part = s.capped && w->sum.issue > 0 ? s.issue / w->sum.issue : 1;
    s.long_waits *= part;
    for (int i = 0; i < SASS_WAITS; i++) {
        s.waits[i] = w->sum.waits[i] * part;
        s.cycles += s.waits[i];
    }
    return s;
}

void sass_serial_add(SassSerial *sum, const SassSerial *s, double weight)
{
    const double waits = sum->long_waits + weight * s->long_waits;
    if (waits > 0)
        sum->loads_in_flight =
            (sum->loads_in_flight * sum->long_waits + s->loads_in_flight * s->long_waits * weight) /
            waits;
    sum->long_waits = waits;
    sum->cycles += weight * s->cycles;
    sum->issue += weight * s->issue;
    sum->memory += weight * s->memory;
    sum->ends += weight * s->ends;
    sum->loading += weight * s->loading;
    for (int i = 0; i < SASS_WAITS; i++)
        sum->waits[i] += weight * s->waits[i];
    sum->capped |= s->capped;
}

static int longer_first(const void *x, const void *y)
{
    const double a = ((const SassKind *)x)->serial.cycles, b = ((const SassKind *)y)->serial.cycles;
    return (a < b) - (a > b);
}

SassSerial sass_serial_longest(SassKind *kinds, size_t count, double warps)
{
    SassSerial mean = {0};
    double blocks = 1;
    qsort(kinds, count, sizeof *kinds, longer_first);
    for (size_t i = 0; i < count && blocks > 0; i++) {
        const double with = fmin(blocks, kinds[i].share * warps);
        sass_serial_add(&mean, &kinds[i].serial, with);
        blocks -= with;
    }
    return mean;
}

SassSerial sass_serial_drawn(SassKind *kinds, size_t count, double warps, double apart)
{
    SassSerial mean = {0};
    double none = 1, left = 1; /* blocks without a longer warp; warps that are no longer ones */
    qsort(kinds, count, sizeof *kinds, longer_first);
    for (size_t i = 0; i < count; i++) {
        left = fmax(0, left - kinds[i].share);
        const double still = pow(left, warps);
        sass_serial_add(&mean, &kinds[i].serial,
                        apart * (none - still) + (1 - apart) * kinds[i].share);
        none = still;
    }
    return mean;
}
