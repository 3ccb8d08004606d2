/* A configuration by lines of its source: the worst accesses, and where the instructions are. */
#include "tuner/output/explain.h"

#include "metrics/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* All accesses of one kind on one line, or all instructions on it, for one warp. */
typedef struct Line {
    uint32_t file, line;
    PtxSpace space;
    AccessKind kind;
    double executions, cost, least; /* passes of shared memory or sectors of global memory */
    double instructions;            /* of all kinds; then nothing else is counted */
    int bytes;                      /* of one lane, the widest access */
    bool sampled;
} Line;

typedef struct Lines {
    VEC(Line) lines;
} Lines;

/* The line of that place and kind, added when it is not there yet. */
static Line *find_line(Arena *a, Lines *all, Line key)
{
    for (size_t i = 0; i < all->lines.count; i++) {
        Line *l = &all->lines.at[i];
        if (l->file == key.file && l->line == key.line && l->space == key.space &&
            l->kind == key.kind)
            return l;
    }
    VEC_PUSH(a, &all->lines, key);
    return &all->lines.at[all->lines.count - 1];
}

/* A load that ptxas merged of several counts where the first of them stands. */
static const MemoryFigures *figures_of(const Memory *m, const MemoryAccess *x)
{
    static const MemoryFigures none;
    if (x->merged == CFG_NONE)
        return &x->figures;
    const MemoryLoad *load = &m->loads.at[x->merged];
    return load->instr == x->instr ? &load->figures : &none;
}

static void gather(Arena *a, const Memory *m, Lines *all)
{
    for (size_t i = 0; i < m->accesses.count; i++) {
        const MemoryAccess *x = &m->accesses.at[i];
        bool shared = x->space == PTX_SHARED;
        if (!shared && x->space != PTX_GLOBAL)
            continue;
        const MemoryFigures *f = figures_of(m, x);
        Line key = {
            .file = x->source_file, .line = x->source_line, .space = x->space, .kind = x->kind};
        Line *l = find_line(a, all, key);
        int bytes = x->merged == CFG_NONE ? x->bytes : m->loads.at[x->merged].bytes;
        l->bytes = bytes > l->bytes ? bytes : l->bytes;
        l->executions += f->executions - f->unknown;
        l->cost += shared ? f->wavefronts : f->sectors;
        l->least += shared ? f->wavefronts_min : f->sectors_min;
        l->sampled |= x->sampled;
    }
}

static void gather_instructions(Arena *a, const WalkFunction *f, Lines *all)
{
    for (int b = 0; b < f->flow->cfg->count; b++) {
        const CfgBlock *block = &f->flow->cfg->blocks[b];
        for (size_t i = block->first; i < block->end && f->blocks[b].visits > 0; i++) {
            const PtxInstr *in = &f->function->instrs.at[i];
            if (walk_counts(in))
                find_line(a, all, (Line){.file = in->file, .line = in->line})->instructions +=
                    (double)f->blocks[b].visits;
        }
    }
}

/* Passes of the unit that shared memory and L1 are, which takes four sectors in one. */
static double passes_lost(const Line *l)
{
    return (l->cost - l->least) / (l->space == PTX_SHARED ? 1 : 4);
}

static int by_loss(const void *a, const void *b)
{
    const Line *x = a, *y = b;
    double p = passes_lost(x), q = passes_lost(y);
    if (p != q)
        return p > q ? -1 : 1;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int by_instructions(const void *a, const void *b)
{
    const Line *x = a, *y = b;
    if (x->instructions != y->instructions)
        return x->instructions > y->instructions ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static const char *file_name(const PtxModule *m, uint32_t number)
{
    for (size_t i = 0; i < m->files.count; i++) {
        if (m->files.at[i].number != number)
            continue;
        const char *slash = strrchr(m->files.at[i].name, '/');
        return slash ? slash + 1 : m->files.at[i].name;
    }
    return "?";
}

static const char *kind_name(AccessKind k)
{
    static const char *const names[] = {[ACCESS_LOAD] = "load",
                                        [ACCESS_STORE] = "store",
                                        [ACCESS_ATOMIC] = "atomic",
                                        [ACCESS_MATRIX_LOAD] = "matrix load",
                                        [ACCESS_MATRIX_STORE] = "matrix store"};
    return names[k];
}

static void print_line(const Subject *s, const Line *l, Buf *out)
{
    bool shared = l->space == PTX_SHARED;
    const char *unit = shared ? "wavefronts" : "sectors";
    double each = l->cost / l->executions;
    buf_printf(out, "  %s:%u: %s %s takes %.3g %.*s", file_name(s->lines.module, l->file), l->line,
               shared ? "shared" : "global", kind_name(l->kind), each,
               (int)strlen(unit) - (each == 1), unit);
    if (l->cost > l->least)
        buf_printf(out, " instead of %.3g", l->least / l->executions);
    buf_puts(out, ", ");
    explain_number(l->executions, out);
    buf_printf(out, " times a warp%s", l->sampled ? " (mean of sampled warps)" : "");
    if (l->cost > l->least) {
        buf_puts(out, ": ");
        explain_number(l->cost - l->least, out);
        buf_printf(out, " %s too many", unit);
        /* Measured on the H200: a request of 16 bytes a lane is served as two half-warps, so that
         * words which both halves want are passed twice. */
        if (shared && l->bytes == 16)
            buf_puts(out, " (16 bytes a lane: each half of the warp by itself)");
    }
    buf_putc(out, '\n');
}

static void print_accesses(Arena *a, const Subject *s, Buf *out)
{
    enum { SHOWN = 8 };
    Lines all = {0};
    gather(a, s->lines.memory, &all);
    if (all.lines.count)
        qsort(all.lines.at, all.lines.count, sizeof(Line), by_loss);
    size_t shown = 0;
    for (size_t i = 0; i < all.lines.count && shown < SHOWN; i++) {
        if (!(all.lines.at[i].executions > 0))
            continue;
        print_line(s, &all.lines.at[i], out);
        shown++;
    }
    if (shown == 0)
        buf_puts(out, "  no access of shared or global memory has a known address\n");
}

static void print_instructions(Arena *a, const Subject *s, Buf *out)
{
    enum { SHOWN = 5 };
    const Walk *w = s->lines.memory->walk;
    Lines all = {0};
    for (size_t i = 0; i < w->functions.count; i++)
        gather_instructions(a, w->functions.at[i], &all);
    if (all.lines.count)
        qsort(all.lines.at, all.lines.count, sizeof(Line), by_instructions);
    for (size_t i = 0; i < all.lines.count && i < SHOWN && w->instr > 0; i++)
        buf_printf(out, "  %s:%u: %.1f %% of the instructions\n",
                   file_name(s->lines.module, all.lines.at[i].file), all.lines.at[i].line,
                   100 * all.lines.at[i].instructions / w->instr);
}

void explain_lines(const Subject *s, Buf *out)
{
    if (!s->lines.memory) {
        buf_printf(out, "  not known: %s\n", s->lines.why_not);
        return;
    }
    Arena *a = arena_new();
    print_accesses(a, s, out);
    print_instructions(a, s, out);
    arena_free(a);
}
