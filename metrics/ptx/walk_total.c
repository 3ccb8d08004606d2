#include "metrics/ptx/walk_total.h"

#include <string.h>

void walk_note(Walker *w, const PtxFunction *f, size_t instr, const char *text)
{
    if (w->walk->notes.count < 32)
        VEC_PUSH(w->arena, &w->walk->notes,
                 arena_printf(w->arena, "%s, line %zu: %s", f->name, ptx_line(f, instr), text));
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
        w->load_bytes[s] += lanes * b->load_bytes[s];
        w->store_bytes[s] += lanes * b->store_bytes[s];
    }
    w->bulk_loads += lanes * b->bulk_loads;
    w->bulk_stores += lanes * b->bulk_stores;
    w->bulk_copies += lanes * b->bulk_copies;
}

static void add_loop_notes(Walker *w, const Known *k)
{
    const LoopTree *t = k->plan->flow->loops;
    for (size_t i = 0; i < t->loops.count; i++) {
        const WalkLoop *r = &k->result->loops[i];
        const size_t first = k->plan->flow->cfg->blocks[t->loops.at[i].header].first;
        w->walk->unknown_loops += r->defaulted;
        if (r->defaulted)
            walk_note(w, k->function, first,
                      arena_printf(w->arena, "the loop's count is not known; %u iterations assumed",
                                   w->default_trips));
        if (r->waited)
            walk_note(
                w, k->function, first,
                "the loop waits for another thread; it is taken to find at once what it waits for");
        if (r->early_ignored)
            walk_note(w, k->function, first,
                      "an early exit of the loop is taken as never happening");
    }
}

static void add_branch_notes(Walker *w, const Known *k)
{
    const Cfg *c = k->plan->flow->cfg;
    for (int i = 0; i < c->count; i++) {
        const int l = k->plan->flow->loops->loop_of[i];
        const bool told =
            l != CFG_NONE && (k->result->loops[l].defaulted || k->result->loops[l].early_ignored ||
                              k->result->loops[l].waited);
        if (k->result->blocks[i].unknown_branch && !told)
            walk_note(w, k->function, c->blocks[i].end - 1,
                      "the branch is not known; both sides walked");
    }
}

/* Is it one of them?  Prefetches are none: what they bring, loads ask for again. */
static bool is_bulk_copy(const PtxInstr *in)
{
    const PtxOp op = in->form->op;
    return (op == PTX_CP_ASYNC_BULK || op == PTX_CP_REDUCE_ASYNC) &&
           !strstr(in->form->text, ".prefetch");
}

/* The copy engine's own traffic is in no access of a lane. */
static void add_bulk_notes(Walker *w, const Known *k)
{
    const Cfg *c = k->plan->flow->cfg;
    for (int b = 0; b < c->count; b++)
        for (size_t i = c->blocks[b].first; i < c->blocks[b].end; i++) {
            const PtxInstr *in = &k->function->instrs.at[i];
            if (k->result->blocks[b].visits > 0 && is_bulk_copy(in) &&
                !bulk_copy(k->plan->flow, in).known)
                walk_note(w, k->function, i, "what a bulk copy moves is not counted");
        }
}

void walk_total(Walker *w)
{
    Walk *walk = w->walk;
    if (walk->took_turns)
        VEC_PUSH(
            w->arena, &walk->notes,
            "too many branches are not known for both sides of each to be walked: lanes take one "
            "side each");
    if (walk->capped)
        VEC_PUSH(w->arena, &walk->notes,
                 walk->ended ? "the walk has a limit: what was left of its loops is taken to go on "
                               "as before"
                             : "the walk has a limit: counts are lower bounds");
    for (size_t i = 0; i < w->known.count; i++) {
        const Known *k = &w->known.at[i];
        for (int b = 0; b < k->plan->flow->cfg->count; b++)
            add_block(walk, &k->plan->blocks[b], &k->result->blocks[b]);
        add_loop_notes(w, k);
        add_branch_notes(w, k);
        add_bulk_notes(w, k);
    }
    const double loads = walk->waits_long + walk->waits_local;
    walk->regions = 1 + walk->barriers + (loads > 0 ? loads : walk->waits_sfu);
    walk->long_regions = 1 + walk->waits_long;
}
