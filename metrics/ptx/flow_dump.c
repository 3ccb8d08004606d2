#include "metrics/ptx/flow_dump.h"

#include "metrics/ptx/trip.h"

#include <inttypes.h>

const char *flow_block_name(Arena *a, const Cfg *c, int block)
{
    const PtxFunction *f = c->function;
    for (size_t i = 0; i < f->labels.count; i++)
        if (c->block_of[f->labels.at[i].instr] == block &&
            f->labels.at[i].instr == c->blocks[block].first)
            return f->labels.at[i].name;
    return arena_printf(a, "block %d", block);
}

static void print_node(const Cfg *c, int b, Buf *out)
{
    if (b == CFG_NONE)
        buf_puts(out, "-");
    else if (b == c->count)
        buf_puts(out, "end");
    else
        buf_printf(out, "%d", b);
}

void flow_dump_blocks(const Flow *w, Buf *out)
{
    for (int i = 0; i < w->cfg->count; i++) {
        const CfgBlock *b = &w->cfg->blocks[i];
        buf_printf(out, "block %d: %zu instructions, to", i, b->end - b->first);
        for (int k = 0; k < b->succ_count; k++)
            buf_printf(out, " %d", b->succs[k]);
        buf_puts(out, b->ends_thread ? " end, dominated by " : ", dominated by ");
        print_node(w->cfg, w->dom->parent[i], out);
        buf_puts(out, ", post-dominated by ");
        print_node(w->cfg, w->post->parent[i], out);
        buf_puts(out, b->order == CFG_NONE ? ", unreachable\n" : "\n");
    }
}

void flow_dump_loops(const Flow *w, Buf *out)
{
    for (size_t i = 0; i < w->loops->loops.count; i++) {
        const Loop *l = &w->loops->loops.at[i];
        const Trip t = trip_find(w, (int)i);
        buf_printf(out, "loop %zu: header %d, depth %d, blocks", i, l->header, l->depth);
        for (size_t k = 0; k < l->blocks.count; k++)
            buf_printf(out, " %d", l->blocks.at[k]);
        buf_puts(out, ", exits");
        for (size_t k = 0; k < l->exits.count; k++)
            buf_printf(out, " %d->%d", l->exits.at[k].from, l->exits.at[k].to);
        buf_puts(out, ", trips ");
        trip_print(&t, out);
        buf_putc(out, '\n');
    }
}

void flow_dump_walk(const Walk *walk, Buf *out)
{
    for (size_t i = 0; i < walk->functions.count; i++) {
        const WalkFunction *f = walk->functions.at[i];
        buf_printf(out, "%s, %" PRIu64 " times:\n", f->function->name, f->calls);
        for (int b = 0; b < f->flow->cfg->count; b++) {
            const WalkBlock *r = &f->blocks[b];
            const double lanes = r->visits ? (double)r->lanes / (double)r->visits : 0;
            buf_printf(out, "  block %d: %" PRIu64 " times, %.1f lanes%s\n", b, r->visits, lanes,
                       r->unknown_branch ? ", branch not known" : "");
        }
    }
}
