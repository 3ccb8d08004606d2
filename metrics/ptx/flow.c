#include "metrics/ptx/flow.h"

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
