/* What is known of a configuration: figures, which survivor beats it, and its source by lines: the
 * worst accesses, and where the instructions are. */
#include "tuner/output/explain.h"

#include "metrics/base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double explain_metric(const Subject *s, const char *name)
{
    return table_named(s->run->table, s->config, name);
}

void explain_number(double n, Buf *out)
{
    if (isnan(n) || fabs(n) >= 1e15) {
        buf_puts(out, "not known");
        return;
    }
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", n);
    for (int i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0)
            buf_putc(out, ',');
        buf_putc(out, digits[i]);
    }
}

const char *explain_number_text(Arena *a, double n)
{
    Buf text = {0};
    explain_number(n, &text);
    return buf_keep(&text, a);
}

static BlockUse block_use(const Profile *p)
{
    double barriers = p->value[PROFILE_BARRIERS];
    return (BlockUse){.registers = (int)p->value[PROFILE_REGISTERS],
                      .static_shared = (int64_t)p->value[PROFILE_SHARED_BYTES],
                      .threads = (int)p->value[PROFILE_THREADS_PER_BLOCK],
                      .barriers = isnan(barriers) ? 0 : (int)barriers};
}

Subject explain_subject(const Run *r, size_t config, RunLines lines, bool carved)
{
    const Table *t = r->table;
    Subject s = {.run = r,
                 .config = config,
                 .profile = t->profile[config].whole,
                 .geometry = &t->launch[config].geometry[run_profiled_launch(r, config)],
                 .lines = lines,
                 .carved = carved};
    BlockUse use = block_use(s.profile);
    s.occupancy = occupancy_compute(r->device, &use);
    return s;
}

/* Nowhere worse and somewhere better. */
static bool beats(const Run *r, size_t i, size_t j)
{
    static const char *const both[] = {"bound_cycles", "latency_cycles"};
    size_t better = 0;
    for (size_t k = 0; k < 2; k++) {
        double x = table_named(r->table, i, both[k]), y = table_named(r->table, j, both[k]);
        if (!(x <= y))
            return false;
        better += x < y;
    }
    return better > 0;
}

/* Parameters in which two configurations differ. */
static size_t distance(const Run *r, size_t i, size_t j)
{
    size_t n = 0;
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        n += !value_equal(table_value(r->table, i, p), table_value(r->table, j, p));
    return n;
}

size_t explain_dominator(const Subject *s)
{
    const Run *r = s->run;
    size_t best = SIZE_MAX;
    for (size_t k = 0; s->carved && k < r->carving.survivor_count; k++) {
        size_t i = r->carving.survivors[k];
        if (beats(r, i, s->config) &&
            (best == SIZE_MAX || distance(r, i, s->config) < distance(r, best, s->config)))
            best = i;
    }
    return best;
}

/* --- lines of the source ---------------------------------------------------------------------- */

/* All accesses of one kind on one line, or all instructions on it, for one warp. */
typedef struct Line {
    uint32_t file, line;
    PtxSpace space;
    AccessKind kind;
    SourceAccess access; /* counts alone, until it is handed out */
    double instructions; /* of all kinds; then nothing else is counted */
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
        SourceAccess *sum = &l->access;
        sum->bytes = bytes > sum->bytes ? bytes : sum->bytes;
        sum->executions += f->executions - f->unknown;
        sum->cost += shared ? f->wavefronts : f->sectors;
        sum->least += shared ? f->wavefronts_min : f->sectors_min;
        sum->sampled |= x->sampled;
    }
}

static void gather_instructions(Arena *a, const WalkFunction *f, Lines *all)
{
    for (int b = 0; b < f->flow->cfg->count; b++) {
        const CfgBlock *block = &f->flow->cfg->blocks[b];
        for (size_t i = block->first; i < block->end && f->blocks[b].visits > 0; i++) {
            const PtxInstr *in = &f->function->instrs.at[i];
            if (ptx_issues(in))
                find_line(a, all, (Line){.file = in->file, .line = in->line})->instructions +=
                    (double)f->blocks[b].visits;
        }
    }
}

/* Passes of the unit that shared memory and L1 are, which takes four sectors in one. */
static double passes_lost(const Line *l)
{
    return (l->access.cost - l->access.least) / (l->space == PTX_SHARED ? 1 : 4);
}

static int by_loss(const void *a, const void *b)
{
    const Line *x = a, *y = b;
    double p = passes_lost(x), q = passes_lost(y);
    if (p != q)
        return p > q ? -1 : 1;
    if (x->access.cost != y->access.cost)
        return x->access.cost > y->access.cost ? -1 : 1;
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
                                        [ACCESS_COUNT] = "atomic",
                                        [ACCESS_MATRIX_LOAD] = "matrix load",
                                        [ACCESS_MATRIX_STORE] = "matrix store"};
    return names[k];
}

/* --- what is handed out ----------------------------------------------------------------------- */

static void take_accesses(Arena *a, const Subject *s, SourceLines *out)
{
    Lines all = {0};
    gather(a, s->lines.memory, &all);
    if (all.lines.count)
        qsort(all.lines.at, all.lines.count, sizeof(Line), by_loss);
    for (size_t i = 0; i < all.lines.count; i++) {
        const Line *l = &all.lines.at[i];
        SourceAccess x = l->access;
        if (!(x.executions > 0) || l->line == 0)
            continue;
        x.file = arena_string(a, file_name(s->lines.module, l->file));
        x.line = l->line;
        x.shared = l->space == PTX_SHARED;
        x.kind = kind_name(l->kind);
        VEC_PUSH(a, &out->accesses, x);
    }
}

static void take_code(Arena *a, const Subject *s, SourceLines *out)
{
    const Walk *w = s->lines.memory->walk;
    Lines all = {0};
    for (size_t i = 0; i < w->functions.count; i++)
        gather_instructions(a, w->functions.at[i], &all);
    if (all.lines.count)
        qsort(all.lines.at, all.lines.count, sizeof(Line), by_instructions);
    for (size_t i = 0; i < all.lines.count && w->instr > 0; i++) {
        const Line *l = &all.lines.at[i];
        SourceCode c = {arena_string(a, file_name(s->lines.module, l->file)), l->line,
                        l->instructions / w->instr};
        VEC_PUSH(a, &out->code, c);
    }
}

SourceLines explain_gather_lines(Arena *a, const Subject *s)
{
    SourceLines lines = {0};
    if (!s->lines.memory) {
        lines.why_not = s->lines.why_not;
        return lines;
    }
    take_accesses(a, s, &lines);
    take_code(a, s, &lines);
    return lines;
}

void explain_access(const SourceAccess *x, Buf *out)
{
    const char *unit = x->shared ? "wavefronts" : "sectors";
    double each = x->cost / x->executions;
    buf_printf(out, "%s:%u: %s %s takes %.3g %.*s", x->file, x->line,
               x->shared ? "shared" : "global", x->kind, each, (int)strlen(unit) - (each == 1),
               unit);
    if (x->cost > x->least)
        buf_printf(out, " instead of %.3g", x->least / x->executions);
}
