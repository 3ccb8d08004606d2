#include "metrics/ptx/walk_totals.h"

#include <stdlib.h>
#include <string.h>

static size_t cost_count(const Frame *x)
{
    return plan_of(x)->accesses ? plan_of(x)->accesses->costs.count : 0;
}

void walk_totals_init(const Frame *x, WalkTotals *t)
{
    *t = (WalkTotals){0};
    t->blocks = memory_zeroed((size_t)flow_of(x)->cfg->count, sizeof *t->blocks);
    t->loops = memory_zeroed(walk_loop_count(x), sizeof *t->loops);
    t->costs = memory_zeroed(cost_count(x), sizeof *t->costs);
}

void walk_totals_free(WalkTotals *t)
{
    free(t->blocks);
    free(t->loops);
    free(t->costs);
    walk_region_mark_free(&t->regions);
}

void walk_totals_note(const Frame *x, WalkTotals *t)
{
    const WalkFunction *r = x->known->result;
    const Walk *w = x->walker->walk;
#define WALK_SUM(name, meaning) t->name = w->name;
#include "metrics/ptx/walk_counters.def"
    memcpy(t->routines, w->routines, sizeof w->routines);
    memcpy(t->blocks, r->blocks, (size_t)flow_of(x)->cfg->count * sizeof *r->blocks);
    memcpy(t->loops, r->loops, walk_loop_count(x) * sizeof *r->loops);
    if (cost_count(x))
        memcpy(t->costs, r->costs, cost_count(x) * sizeof *r->costs);
    walk_region_mark(&x->walker->regions, &t->regions);
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
    WalkFunction *r = x->known->result;
    Walk *w = x->walker->walk;
    const double n = (double)times;
#define WALK_SUM(name, meaning) w->name += n * (w->name - t->name);
#include "metrics/ptx/walk_counters.def"
    for (int k = 0; k < WALK_ROUTINES; k++) {
        w->routines[k].called += n * (w->routines[k].called - t->routines[k].called);
        w->routines[k].scaled += n * (w->routines[k].scaled - t->routines[k].scaled);
        w->routines[k].unknown += n * (w->routines[k].unknown - t->routines[k].unknown);
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

/* Registers written in the stretch were written as much later as there are stretches. */
static void move_clocks(Frame *x, const WalkTotals *t, double before)
{
    const double passed = x->walker->regions.clock - before;
    for (size_t i = 0; i < plan_of(x)->late.count; i++) {
        double *issued = &x->issued[plan_of(x)->late.at[i]];
        *issued += *issued >= t->regions.clock ? passed : 0;
    }
}

void walk_totals_repeat(Frame *x, const WalkTotals *t, uint64_t times)
{
    const double clock = x->walker->regions.clock;
    add_counts(x, t, times);
    x->walker->spared += times * (walk_totals_steps(x) - t->steps);
    x->walker->visited += times * (x->walker->visited - t->visited);
    walk_region_forward(&x->walker->regions, &t->regions, times);
    move_clocks(x, t, clock);
}
