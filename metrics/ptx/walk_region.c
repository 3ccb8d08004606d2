#include "metrics/ptx/walk_region.h"

#include "metrics/ptx/walk_state.h"

/* More than a kernel has; the last one sums up the rest. */
enum { REGIONS_MAX = 256 };

static bool same_spot(WalkSpot a, WalkSpot b)
{
    return a.function == b.function && a.instr == b.instr;
}

static bool same_region(const WalkRegion *a, const WalkRegion *b)
{
    return a->sync == b->sync && a->stop == b->stop && same_spot(a->from, b->from) &&
           same_spot(a->to, b->to);
}

static void add_region(WalkRegion *to, const WalkRegion *late, const WalkRegion *early, double n)
{
    static const WalkRegion none;
    early = early ? early : &none;
#define WALK_REGION(name, meaning) to->name += n * (late->name - early->name);
#include "metrics/ptx/walk_counters.def"
}

static bool same_sums(const WalkRegion *a, const WalkRegion *b)
{
    bool same = true;
#define WALK_REGION(name, meaning) same &= a->name == b->name;
#include "metrics/ptx/walk_counters.def"
    return same;
}

/* --- regions in progress --------------------------------------------------------------------- */

void walk_region_flush(WalkRegions *r, WalkTraffic *phases, int phase)
{
    WalkRegion *now = &r->now;
    for (int i = 0; i < WALK_PHASES && i <= phase; i++) {
        now->sectors += phases[i].sectors;
        now->bytes += phases[i].bytes;
        phases[i] = (WalkTraffic){0};
    }
}

void walk_region_work(WalkRegions *r, double instrs)
{
    r->now.instr += instrs;
    r->clock += instrs;
}

/* Adds to the equal region of the list, or to a new one. */
static void add_to_list(Arena *a, WalkRegionList *list, const WalkRegion *one)
{
    size_t i = 0;
    while (i < list->count && !same_region(&list->at[i], one))
        i++;
    if (i == list->count && i < REGIONS_MAX)
        VEC_PUSH(
            a, list,
            ((WalkRegion){.sync = one->sync, .from = one->from, .to = one->to, .stop = one->stop}));
    add_region(&list->at[i < REGIONS_MAX ? i : REGIONS_MAX - 1], one, NULL, 1);
}

/* Ends the current region and begins the next. */
static void close_region(WalkRegions *r, WalkSpot at, WalkStop stop)
{
    r->now.to = at;
    r->now.stop = stop;
    r->now.times = 1;
    add_to_list(r->arena, &r->open, &r->now);
    r->now = (WalkRegion){.from = at};
    r->closed++;
    r->walk->steps += r->open.count / 8;
}

void walk_region_wait(WalkRegions *r, WalkSpot at, WalkStop stop, double covered)
{
    r->now.covered = covered;
    close_region(r, at, stop);
}

static int sync_of(WalkRegions *r, WalkSpot from, WalkSpot to)
{
    Walk *walk = r->walk;
    for (size_t i = 0; i < walk->syncs.count; i++)
        if (same_spot(walk->syncs.at[i].from, from) && same_spot(walk->syncs.at[i].to, to))
            return (int)i;
    if (walk->syncs.count == REGIONS_MAX)
        return REGIONS_MAX - 1;
    VEC_PUSH(r->arena, &walk->syncs, ((WalkSync){from, to}));
    return (int)walk->syncs.count - 1;
}

/* Ends the synchronization region, which is known only now for its parts. */
static void close_sync(WalkRegions *r, WalkSpot at)
{
    const int sync = sync_of(r, r->sync_from, at);
    for (size_t i = 0; i < r->open.count; i++) {
        r->open.at[i].sync = sync;
        add_to_list(r->arena, &r->walk->stall_regions, &r->open.at[i]);
    }
    r->walk->steps += r->open.count * r->walk->stall_regions.count / 16;
    r->open.count = 0;
    r->sync_from = at;
    r->synced++;
}

void walk_region_barrier(WalkRegions *r, WalkSpot at)
{
    close_region(r, at, WALK_STOP_BARRIER);
    close_sync(r, at);
}

void walk_region_copy(WalkRegions *r)
{
    r->copied[r->copies++ % WALK_COPY_GROUPS] = r->clock;
}

void walk_region_wait_copies(WalkRegions *r, WalkSpot at, uint32_t left)
{
    const bool kept = left < WALK_COPY_GROUPS && r->copies > left;
    const double closed = kept ? r->copied[(r->copies - 1 - left) % WALK_COPY_GROUPS] : r->clock;
    walk_region_wait(r, at, WALK_STOP_LOAD, r->clock - closed);
}

static WalkTraffic traffic_of_accesses(const WalkRegions *r)
{
    WalkTraffic sum = {0};
    for (size_t i = 0; i < r->walk->functions.count; i++) {
        const WalkFunction *f = r->walk->functions.at[i];
        for (size_t c = 0; f->accesses && c < f->accesses->costs.count; c++) {
            const double sites = f->accesses->costs.at[c].sites;
            if (f->costs[c].space != PTX_GLOBAL)
                continue;
            sum.sectors += sites * (double)f->costs[c].sectors;
            sum.bytes += sites * (double)f->costs[c].unique_bytes;
        }
    }
    return sum;
}

static void scale_traffic(WalkRegions *r)
{
    const WalkTraffic all = traffic_of_accesses(r);
    WalkTraffic sum = {0};
    for (size_t i = 0; i < r->walk->stall_regions.count; i++) {
        sum.sectors += r->walk->stall_regions.at[i].sectors;
        sum.bytes += r->walk->stall_regions.at[i].bytes;
    }
    VEC_EACH (WalkRegion, one, r->walk->stall_regions) {
        one->sectors *= sum.sectors > 0 ? all.sectors / sum.sectors : 0;
        one->bytes *= sum.bytes > 0 ? all.bytes / sum.bytes : 0;
    }
}

void walk_region_end(WalkRegions *r)
{
    const WalkSpot end = {0};
    close_region(r, end, WALK_STOP_END);
    close_sync(r, end);
    scale_traffic(r);
}

/* --- skipped iterations ---------------------------------------------------------------------- */

static void copy_list(Arena *a, WalkRegionList *to, const WalkRegionList *from)
{
    to->count = 0;
    VEC_EACH (const WalkRegion, r, *from)
        VEC_PUSH(a, to, *r);
}

static bool same_open(const WalkRegions *r, const WalkRegionMark *m)
{
    if (r->open.count != m->open.count)
        return false;
    for (size_t i = 0; i < m->open.count; i++)
        if (!same_region(&r->open.at[i], &m->open.at[i]) ||
            !same_sums(&r->open.at[i], &m->open.at[i]))
            return false;
    return true;
}

/* Without a region end, a stretch lengthens the current region; else that must be the same at both ends. */
bool walk_region_repeats(const WalkRegions *r, const WalkRegionMark *m)
{
    if (r->closed == m->then.closed)
        return true;
    if (!same_spot(r->now.from, m->then.now.from) || !same_sums(&r->now, &m->then.now))
        return false;
    return r->synced == m->then.synced ||
           (same_spot(r->sync_from, m->then.sync_from) && same_open(r, m));
}

static void forward_list(WalkRegionList *now, const WalkRegionList *before, double times)
{
    for (size_t i = 0; i < now->count; i++) {
        const WalkRegion late = now->at[i];
        add_region(&now->at[i], &late, i < before->count ? &before->at[i] : NULL, times);
    }
}

/* Repeats what has happened since the mark. */
static void forward_regions(WalkRegions *r, const WalkRegionMark *m, uint64_t times)
{
    const double n = (double)times, passed = n * (r->clock - m->then.clock);
    const WalkRegion now = r->now;
    if (r->closed == m->then.closed)
        add_region(&r->now, &now, &m->then.now, n);
    else if (r->synced == m->then.synced)
        forward_list(&r->open, &m->open, n);
    else
        forward_list(&r->walk->stall_regions, &m->regions, n);
    if (r->copies > m->then.copies)
        for (int i = 0; i < WALK_COPY_GROUPS; i++)
            r->copied[i] += passed;
    r->clock += passed;
}

/* --- totals of a stretch --------------------------------------------------------------------- */

static size_t cost_count(const Frame *x)
{
    return plan_of(x)->accesses ? plan_of(x)->accesses->costs.count : 0;
}

void walk_totals_init(const Frame *x, WalkTotals *t)
{
    *t = (WalkTotals){0};
    t->blocks = arena_array(x->arena, (size_t)flow_of(x)->cfg->count, sizeof *t->blocks);
    t->loops = arena_array(x->arena, walk_loop_count(x), sizeof *t->loops);
    t->costs = arena_array(x->arena, cost_count(x), sizeof *t->costs);
}

void walk_totals_note(const Frame *x, WalkTotals *t)
{
    const WalkFunction *r = x->result;
    const Walk *w = x->walker->walk;
#define WALK_SUM(name, meaning) t->name = w->name;
#include "metrics/ptx/walk_counters.def"
    memcpy(t->routines, w->routines, sizeof w->routines);
    memcpy(t->blocks, r->blocks, (size_t)flow_of(x)->cfg->count * sizeof *r->blocks);
    memcpy(t->loops, r->loops, walk_loop_count(x) * sizeof *r->loops);
    if (cost_count(x))
        memcpy(t->costs, r->costs, cost_count(x) * sizeof *r->costs);
    copy_list(x->arena, &t->regions.regions, &w->stall_regions);
    copy_list(x->arena, &t->regions.open, &x->walker->regions.open);
    t->regions.then = x->walker->regions;
    t->passes = w->passes.count;
    t->visited = x->walker->visited;
    t->steps = walk_totals_steps(x);
}

void walk_totals_add(WalkAccess *a, const WalkAccess *late, const WalkAccess *early, uint64_t times)
{
#define WALK_ACCESS(name, meaning) a->name += times * (late->name - early->name);
#include "metrics/ptx/walk_counters.def"
}

static void add_counts(Frame *x, const WalkTotals *t, uint64_t times)
{
    WalkFunction *r = x->result;
    Walk *w = x->walker->walk;
    const double n = (double)times;
#define WALK_SUM(name, meaning) w->name += n * (w->name - t->name);
#include "metrics/ptx/walk_counters.def"
    for (int k = 0; k < WALK_ROUTINES; k++) {
        WalkRoutine *routine = &w->routines[k];
        const WalkRoutine *before = &t->routines[k];
#define WALK_ROUTINE(name, meaning) routine->name += n * (routine->name - before->name);
#include "metrics/ptx/walk_counters.def"
    }
    for (int i = 0; i < flow_of(x)->cfg->count; i++) {
#define WALK_BLOCK(name, meaning)                                                                  \
    r->blocks[i].name += times * (r->blocks[i].name - t->blocks[i].name);
#include "metrics/ptx/walk_counters.def"
    }
    for (size_t i = 0; i < walk_loop_count(x); i++) {
#define WALK_LOOP(name, meaning) r->loops[i].name += times * (r->loops[i].name - t->loops[i].name);
#include "metrics/ptx/walk_counters.def"
    }
    for (size_t i = 0; i < cost_count(x); i++) {
        const WalkAccess one = r->costs[i];
        walk_totals_add(&r->costs[i], &one, &t->costs[i], times);
    }
}

/* Registers written in the stretch were issued as much later as the clock has advanced. */
static void move_clocks(Frame *x, const WalkTotals *t, double before)
{
    const double passed = x->walker->regions.clock - before;
    for (size_t i = 0; i < plan_of(x)->late.count; i++) {
        double *issued = &x->issued[plan_of(x)->late.at[i]];
        *issued += *issued >= t->regions.then.clock ? passed : 0;
    }
}

void walk_totals_repeat(Frame *x, const WalkTotals *t, uint64_t times)
{
    const double clock = x->walker->regions.clock;
    add_counts(x, t, times);
    x->walker->spared += times * (walk_totals_steps(x) - t->steps);
    x->walker->visited += times * (x->walker->visited - t->visited);
    forward_regions(&x->walker->regions, &t->regions, times);
    move_clocks(x, t, clock);
}

/* --- the end of a walk: sums over blocks, notes about assumptions ---------------------------- */

void walk_note(Walker *w, const PtxFunction *f, size_t instr, const char *text)
{
    if (w->walk->notes.count < 32)
        VEC_PUSH(w->arena, &w->walk->notes, ((WalkNote){f, instr, text}));
}

const char *walk_note_text(Arena *a, const WalkNote *n)
{
    return n->function ? arena_printf(a, "%s: %s", ptx_place(a, n->function, n->instr), n->text)
                       : n->text;
}

static void add_block(Walk *w, const WalkPlanBlock *b, const WalkBlock *r)
{
    const double n = (double)r->visits, lanes = (double)r->lanes;
    w->instr += n * b->instrs;
    w->branches += r->paths ? n : 0;
    w->paths += (double)r->paths;
    w->instr_all += n * b->all;
    for (int c = 0; c < PTX_CLASS_COUNT; c++)
        w->by_class[c] += n * b->by_class[c];
    for (int s = 0; s < PTX_SPACE_COUNT; s++) {
        w->loads[s] += n * b->loads[s];
        w->stores[s] += n * b->stores[s];
    }
    w->bulk_loads += lanes * b->bulk_loads;
    w->bulk_stores += lanes * b->bulk_stores;
}

static void add_loop_notes(Walker *w, const WalkFunction *f)
{
    const LoopTree *t = f->flow->loops;
    for (size_t i = 0; i < t->loops.count; i++) {
        const WalkLoop *r = &f->loops[i];
        const size_t first = f->flow->cfg->blocks[t->loops.at[i].header].first;
        w->walk->unknown_loops += r->defaulted;
        if (r->defaulted)
            walk_note(w, f->function, first,
                      arena_printf(w->arena, "the loop's count is not known; %u iterations assumed",
                                   w->default_trips));
        if (r->waited)
            walk_note(
                w, f->function, first,
                f->plan->waits[i] == WALK_TRIES_AGAIN
                    ? "the loop tries again if another thread was faster; it is taken to "
                      "succeed at once"
                    : "the loop waits for another thread; it is taken to find at once what it "
                      "waits for");
        if (r->early_ignored)
            walk_note(w, f->function, first,
                      WALK_EARLY_EXIT " of the loop is taken as never happening");
    }
}

static void add_branch_notes(Walker *w, const WalkFunction *f)
{
    const Cfg *c = f->flow->cfg;
    for (int i = 0; i < c->count; i++) {
        const int l = f->flow->loops->loop_of[i];
        const bool noted = l != CFG_NONE && (f->loops[l].defaulted || f->loops[l].early_ignored ||
                                             f->loops[l].waited);
        if (f->blocks[i].unknown_branch && !noted)
            walk_note(w, f->function, c->blocks[i].end - 1,
                      "the branch is not known; both sides walked");
    }
}

/* Prefetches are not counted: loads request what they bring again. */
static bool is_bulk_copy(const PtxInstr *in)
{
    const PtxOp op = in->form->op;
    return (op == PTX_CP_ASYNC_BULK || op == PTX_CP_REDUCE_ASYNC) &&
           !strstr(in->form->text, ".prefetch");
}

/* The copy engine's traffic is in no lane's access. */
static void add_bulk_notes(Walker *w, const WalkFunction *f)
{
    const Cfg *c = f->flow->cfg;
    for (int b = 0; b < c->count; b++)
        for (size_t i = c->blocks[b].first; i < c->blocks[b].end; i++) {
            const PtxInstr *in = &f->function->instrs.at[i];
            if (f->blocks[b].visits > 0 && is_bulk_copy(in) && !bulk_copy(f->flow, in).known)
                walk_note(w, f->function, i, "what a bulk copy moves is not counted");
        }
}

void walk_total(Walker *w)
{
    Walk *walk = w->walk;
    if (walk->took_turns)
        walk_note(w, NULL, 0,
                  "too many branches are not known for both sides of each to be walked: lanes take "
                  "one side each");
    if (walk->capped)
        walk_note(w, NULL, 0,
                  walk->ended ? "the walk has a limit: what was left of its loops is taken to go "
                                "on as before"
                              : "the walk has a limit: counts are lower bounds");
    for (size_t i = 0; i < walk->functions.count; i++) {
        const WalkFunction *f = walk->functions.at[i];
        for (int b = 0; b < f->flow->cfg->count; b++)
            add_block(walk, &f->plan->blocks[b], &f->blocks[b]);
        add_loop_notes(w, f);
        add_branch_notes(w, f);
        add_bulk_notes(w, f);
    }
    const double loads = walk->waits_long + walk->waits_local;
    walk->regions = 1 + walk->barriers + (loads > 0 ? loads : walk->waits_sfu);
    walk->long_regions = 1 + walk->waits_long;
}
