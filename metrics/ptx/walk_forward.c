/* Moving on by many stretches at once. */
#include "metrics/ptx/walk_proof.h"
#include "metrics/ptx/walk_stored.h"

/* Beyond so many iterations a loop counts as endless. */
static const uint64_t endless = UINT64_C(1) << 48;

/* --- skipping ---------------------------------------------------------------------------- */

static void move_registers(Frame *x, const WalkProof *p, uint64_t times)
{
    const WalkLive *live = &walk_plan_of(x)->live[p->loop];
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

static void add_access(WalkAccess *a, const WalkAccess *one, const WalkAccess *start,
                       uint64_t times)
{
    a->executions += times * (one->executions - start->executions);
    a->lanes += times * (one->lanes - start->lanes);
    a->unknown += times * (one->unknown - start->unknown);
    a->wavefronts += times * (one->wavefronts - start->wavefronts);
    a->wavefronts_min += times * (one->wavefronts_min - start->wavefronts_min);
    a->sectors += times * (one->sectors - start->sectors);
    a->sectors_min += times * (one->sectors_min - start->sectors_min);
    a->lines += times * (one->lines - start->lines);
    a->lines_min += times * (one->lines_min - start->lines_min);
    a->bytes += times * (one->bytes - start->bytes);
    a->unique_bytes += times * (one->unique_bytes - start->unique_bytes);
}

static void add_totals(Frame *x, const WalkProof *p, uint64_t times)
{
    WalkFunction *r = x->known->result;
    Walk *w = x->walker->walk;
    const WalkTotals *t = &p->totals;
    const double n = (double)times;
    w->barriers += n * (w->barriers - t->barriers);
    w->waits_long += n * (w->waits_long - t->waits_long);
    w->waits_local += n * (w->waits_local - t->waits_local);
    w->waits_sfu += n * (w->waits_sfu - t->waits_sfu);
    w->divergent += n * (w->divergent - t->divergent);
    for (int k = 0; k < WALK_ROUTINES; k++) {
        w->routines[k].called += n * (w->routines[k].called - t->routines[k].called);
        w->routines[k].scaled += n * (w->routines[k].scaled - t->routines[k].scaled);
        w->routines[k].unknown += n * (w->routines[k].unknown - t->routines[k].unknown);
    }
    for (int i = 0; i < flow_of(x)->cfg->count; i++) {
        r->blocks[i].visits += times * (r->blocks[i].visits - t->blocks[i].visits);
        r->blocks[i].lanes += times * (r->blocks[i].lanes - t->blocks[i].lanes);
        r->blocks[i].parted += times * (r->blocks[i].parted - t->blocks[i].parted);
        r->blocks[i].paths += times * (r->blocks[i].paths - t->blocks[i].paths);
    }
    for (size_t i = 0; i < walk_loop_count(x); i++) {
        r->loops[i].entries += times * (r->loops[i].entries - t->loops[i].entries);
        r->loops[i].headers += times * (r->loops[i].headers - t->loops[i].headers);
    }
    for (size_t i = 0; i < walk_cost_count(x); i++) {
        const WalkAccess one = r->costs[i];
        add_access(&r->costs[i], &one, &t->costs[i], times);
    }
}

/* The cost of a drifting access `ahead` stretches later. */
static WalkAccess drifted(const Frame *x, const WalkDrift *d, uint64_t ahead)
{
    WalkAccess a = {.space = x->known->result->costs[d->cost].space};
    uint64_t address[PTX_LANES];
    for (int i = 0; i < PTX_LANES; i++)
        address[i] = d->address[i] + ahead * (uint64_t)d->step;
    walk_access_price(&a, &walk_plan_of(x)->accesses->costs.at[d->cost], address, d->lanes);
    return a;
}

/* Costs of drifting accesses repeat after 128 / gcd(step, 128) stretches; they were added as if
 * they stayed as at the start. */
static void correct_drift(Frame *x, const WalkDrift *d, uint64_t times)
{
    const unsigned lowest = (unsigned)__builtin_ctzll((uint64_t)d->step);
    const uint64_t cycle = WALK_LINE >> lowest;
    const WalkAccess first = drifted(x, d, 0);
    for (uint64_t k = 1; k < cycle && k <= times; k++) {
        const WalkAccess later = drifted(x, d, k);
        add_access(&x->known->result->costs[d->cost], &later, &first, (times - k) / cycle + 1);
    }
}

/* What was passed in the stretch comes again. */
static void repeat_passes(Walk *w, size_t from, uint64_t times)
{
    const uint32_t stretch = from ? w->passes.at[from - 1].stretch + 1 : 1;
    for (size_t i = from; i < w->passes.count; i++) {
        w->passes.at[i].times = times;
        w->passes.at[i].stretch = stretch;
    }
}

/* Registers written in the stretch were written as much later as there are stretches. */
static void move_clocks(Frame *x, const WalkProof *p, double before)
{
    const double passed = x->walker->regions.clock - before;
    for (size_t i = 0; i < walk_plan_of(x)->late.count; i++) {
        double *issued = &x->issued[walk_plan_of(x)->late.at[i]];
        *issued += *issued >= p->regions.clock ? passed : 0;
    }
}

bool walk_forward(Frame *x, uint64_t times)
{
    WalkProof *p = x->proof;
    if (times > endless) { /* it never ends */
        x->walker->walk->steps = x->walker->max_steps;
        return false;
    }
    const double clock = x->walker->regions.clock;
    add_totals(x, p, times);
    repeat_passes(x->walker->walk, p->passes, times);
    walk_region_forward(x->walker, &p->regions, times);
    move_clocks(x, p, clock);
    for (size_t i = 0; i < p->drifts.count; i++)
        correct_drift(x, &p->drifts.at[i], times);
    move_registers(x, p, times);
    walk_stored_forget_moved(x->walker, p->number);
    return true;
}
