#include "metrics/ptx/inspect.h"

#include <inttypes.h>

/* A line per parameter: "  param_3  u32  offset 24". */
static void print_params(const PtxFunction *f, Buf *out)
{
    buf_printf(out, "  parameters   %zu, %" PRIu64 " bytes\n", f->params.count, f->param_size);
    for (size_t i = 0; i < f->params.count; i++) {
        const PtxVariable *v = f->params.at[i];
        buf_printf(out, "    param_%-3zu %5s%-8s offset %-4" PRIu64 " %" PRIu64 " bytes%s\n", i,
                   ptx_types[v->type].name, v->dimensions, v->offset, v->size,
                   v->is_pointer ? ", a pointer" : "");
    }
}

/* Virtual registers by width; the type says little, as NVVM 20 declares floats as .b32. */
static void print_registers(const PtxFunction *f, Buf *out)
{
    uint64_t by_bits[4] = {0}; /* predicates, up to 16, 32, 64 and more */
    for (int t = 0; t < PTX_TYPE_COUNT; t++) {
        const int bits = ptx_types[t].bits;
        by_bits[bits <= 1 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3] += f->declared[t];
    }
    buf_printf(out,
               "  registers    %zu used; declared: %" PRIu64 " of 32 bits, %" PRIu64
               " of 64, %" PRIu64 " of 16, %" PRIu64 " predicates\n",
               f->registers.count, by_bits[2], by_bits[3], by_bits[1], by_bits[0]);
}

/* Bytes that the body declares in a space; open arrays count 0. */
static uint64_t local_bytes(const PtxFunction *f, PtxSpace s)
{
    uint64_t end = 0;
    for (size_t i = 0; i < f->locals.count; i++) {
        const PtxVariable *v = f->locals.at[i];
        if (v->space != s)
            continue;
        end = (end + v->align - 1) / v->align * v->align + v->size;
    }
    return end;
}

static void print_attributes(const PtxFunction *f, Buf *out)
{
    if (f->attributes.count == 0)
        return;
    buf_puts(out, "  attributes  ");
    for (size_t i = 0; i < f->attributes.count; i++) {
        buf_printf(out, " %s", f->attributes.at[i].name);
        for (int k = 0; k < f->attributes.at[i].count; k++)
            buf_printf(out, "%s%" PRId64, k ? "," : " ", f->attributes.at[i].values[k]);
    }
    buf_putc(out, '\n');
}

static size_t loop_instrs(const Flow *w, const Loop *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->blocks.count; i++)
        n += w->cfg->blocks[l->blocks.at[i]].end - w->cfg->blocks[l->blocks.at[i]].first;
    return n;
}

/* Its label, or "block N". */
static const char *block_name(Arena *a, const Cfg *c, int block)
{
    const PtxFunction *f = c->function;
    for (size_t i = 0; i < f->labels.count; i++)
        if (c->block_of[f->labels.at[i].instr] == block &&
            f->labels.at[i].instr == c->blocks[block].first)
            return f->labels.at[i].name;
    return arena_printf(a, "block %d", block);
}

static void print_loop(Buf *out, Arena *a, const Flow *w, size_t i)
{
    const Loop *l = &w->loops->loops.at[i];
    buf_puts(out, "    ");
    buf_fill(out, ' ', (size_t)(l->depth < 20 ? l->depth - 1 : 20) * 2);
    buf_printf(out, "%s, line %zu: %zu instructions\n", block_name(a, w->cfg, l->header),
               ptx_line(w->function, w->cfg->blocks[l->header].first), loop_instrs(w, l));
}

static void print_shape(Buf *out, Arena *a, const Flow *w)
{
    const LoopTree *t = w->loops;
    buf_printf(out, "  code         %zu instructions in %d blocks, %zu loops\n",
               w->function->instrs.count, w->cfg->count, t->loops.count);
    for (size_t i = 0; i < t->loops.count; i++)
        print_loop(out, a, w, i);
    if (t->irreducible)
        buf_printf(out, "    and %d cycles with more than one entry\n", t->irreducible);
}

static void print_mix(Buf *out, const PtxFunction *f)
{
    size_t by_class[PTX_CLASS_COUNT] = {0};
    for (size_t i = 0; i < f->instrs.count; i++)
        by_class[f->instrs.at[i].form->class]++;
    buf_puts(out, "  mix          static\n");
    for (int c = 1; c <= PTX_CLASS_COUNT; c++) {
        const int k = c % PTX_CLASS_COUNT; /* unknown ones last */
        if (by_class[k] > 0)
            buf_printf(out, "    %-10s %6zu\n", ptx_class_names[k], by_class[k]);
    }
}

static void inspect_print_function(Buf *out, Arena *arena, const PtxFunction *f)
{
    buf_printf(out, "%s %s\n", f->is_entry ? "entry" : "function", f->name);
    print_params(f, out);
    print_attributes(f, out);
    print_registers(f, out);
    buf_printf(out, "  memory       %" PRIu64 " bytes shared, %" PRIu64 " local\n",
               local_bytes(f, PTX_SHARED), local_bytes(f, PTX_LOCAL));
    print_shape(out, arena, flow_build(arena, f));
    print_mix(out, f);
    if (f->unknown)
        buf_printf(out, "  unknown      %zu instructions\n", f->unknown);
}

void inspect_print(Buf *out, Arena *arena, const PtxModule *m)
{
    buf_printf(out, "PTX %s for %s\n", m->version, m->target);
    for (size_t i = 0; i < m->functions.count; i++) {
        if (!m->functions.at[i]->has_body)
            continue;
        buf_putc(out, '\n');
        inspect_print_function(out, arena, m->functions.at[i]);
    }
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
        buf_printf(out, "loop %zu: header %d, depth %d, blocks", i, l->header, l->depth);
        for (size_t k = 0; k < l->blocks.count; k++)
            buf_printf(out, " %d", l->blocks.at[k]);
        buf_puts(out, ", exits");
        for (size_t k = 0; k < l->exits.count; k++)
            buf_printf(out, " %d->%d", l->exits.at[k].from, l->exits.at[k].to);
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
