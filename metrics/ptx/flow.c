#include "metrics/ptx/flow.h"

#include "metrics/ptx/ptx.h"

/* --- definitions and uses --------------------------------------------------------------------- */

/* Where each register is written and read, by instruction number in text order.
 *
 * Needs nothing but the function; a guard counts as read. */

typedef struct Collector {
    DefUse *result;
    size_t instr;
    bool fill; /* second round: write; first: count */
} Collector;

static void collect(void *context, int reg, bool writes)
{
    const Collector *c = context;
    DefUseList *l = writes ? &c->result->defs[reg] : &c->result->uses[reg];
    if (c->fill)
        l->at[l->count] = c->instr;
    l->count++;
}

static void visit_all(Collector *c, const PtxFunction *f)
{
    for (c->instr = 0; c->instr < f->instrs.count; c->instr++)
        ptx_visit_registers(&f->instrs.at[c->instr], collect, c);
}

static void make_room(Arena *a, DefUseList *lists, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lists[i].at = ARENA_ARRAY(a, size_t, lists[i].count);
        lists[i].count = 0;
    }
}

static DefUse *defuse_build(Arena *a, const PtxFunction *f)
{
    DefUse *u = ARENA_NEW(a, DefUse);
    const size_t n = f->registers.count;
    u->defs = ARENA_ARRAY(a, DefUseList, n);
    u->uses = ARENA_ARRAY(a, DefUseList, n);
    Collector c = {.result = u};
    visit_all(&c, f);
    make_room(a, u->defs, n);
    make_room(a, u->uses, n);
    c.fill = true;
    visit_all(&c, f);
    return u;
}

Flow *flow_build(Arena *a, const PtxFunction *f)
{
    Flow *w = ARENA_NEW(a, Flow);
    w->function = f;
    w->cfg = cfg_build(a, f);
    w->dom = dom_build(a, w->cfg);
    w->post = dom_build_post(a, w->cfg);
    w->loops = loop_build(a, w->cfg, w->dom);
    w->uses = defuse_build(a, f);
    return w;
}

bool flow_defined_in_loop(const Flow *w, int reg, int loop)
{
    const DefUseList *l = &w->uses->defs[reg];
    for (size_t i = 0; i < l->count; i++)
        if (loop_contains(w->loops, loop, w->cfg->block_of[l->at[i]]))
            return true;
    return false;
}
