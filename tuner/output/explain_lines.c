/* What one warp does on each source line: the worst accesses, and the most executed lines. */
#include "tuner/output/explain.h"

/* All accesses of one kind on one line, or all instructions on it, for one warp. */
typedef struct Line {
    uint32_t file, line;
    PtxSpace space;
    AccessKind kind;
    SourceAccess access; /* only its counts are set at first */
    double instructions; /* of all kinds; used without the access counts */
} Line;

typedef VEC(Line) Lines;

/* Finds or adds the line of this place and kind. */
static Line *find_line(Arena *a, Lines *all, Line key)
{
    VEC_EACH (Line, l, *all)
        if (l->file == key.file && l->line == key.line && l->space == key.space &&
            l->kind == key.kind)
            return l;
    Line *l = VEC_ADD(a, all);
    *l = key;
    return l;
}

static void gather(Arena *a, const Memory *m, Lines *all)
{
    VEC_EACH (const MemoryAccess, x, m->accesses) {
        bool shared = x->space == PTX_SHARED;
        if (!shared && x->space != PTX_GLOBAL)
            continue;
        /* Loads that ptxas merged count at the first of them. */
        static const MemoryFigures none;
        const MemoryLoad *load = x->merged == CFG_NONE ? NULL : &m->loads.at[x->merged];
        const MemoryFigures *f = !load                     ? &x->figures
                                 : load->instr == x->instr ? &load->figures
                                                           : &none;
        Line key = {
            .file = x->source_file, .line = x->source_line, .space = x->space, .kind = x->kind};
        Line *l = find_line(a, all, key);
        const int bytes = load ? load->bytes : x->bytes;
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

/* Passes lost in the unit of shared memory and L1, which takes four sectors per pass. */
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

static void take_accesses(Arena *a, const Subject *s, SourceLines *out)
{
    static const char *const kinds[] = {[ACCESS_LOAD] = "load",
                                        [ACCESS_STORE] = "store",
                                        [ACCESS_ATOMIC] = "atomic",
                                        [ACCESS_ATOMIC_EACH] = "atomic",
                                        [ACCESS_COUNT] = "atomic",
                                        [ACCESS_MATRIX_LOAD] = "matrix load",
                                        [ACCESS_MATRIX_STORE] = "matrix store"};
    Lines all = {0};
    gather(a, s->lines.memory, &all);
    if (all.count)
        qsort(all.at, all.count, sizeof(Line), by_loss);
    VEC_EACH (const Line, l, all) {
        SourceAccess x = l->access;
        if (!(x.executions > 0) || l->line == 0)
            continue;
        x.file = arena_string(a, file_name(s->lines.module, l->file));
        x.line = l->line;
        x.shared = l->space == PTX_SHARED;
        x.kind = kinds[l->kind];
        VEC_PUSH(a, &out->accesses, x);
    }
}

static void take_code(Arena *a, const Subject *s, SourceLines *out)
{
    const Walk *w = s->lines.memory->walk;
    Lines all = {0};
    for (size_t i = 0; i < w->functions.count; i++)
        gather_instructions(a, w->functions.at[i], &all);
    if (all.count)
        qsort(all.at, all.count, sizeof(Line), by_instructions);
    for (const Line *l = all.at; w->instr > 0 && l < all.at + all.count; l++) {
        const char *file = arena_string(a, file_name(s->lines.module, l->file));
        VEC_PUSH(a, &out->code, ((SourceCode){file, l->line, l->instructions / w->instr}));
    }
}

SourceLines explain_lines(Arena *a, const Subject *s)
{
    SourceLines lines = {.why_not = s->lines.memory ? NULL : s->lines.why_not};
    if (s->lines.memory) {
        take_accesses(a, s, &lines);
        take_code(a, s, &lines);
    }
    return lines;
}

const char *explain_access(Arena *a, const SourceAccess *x)
{
    const char *unit = x->shared ? "wavefronts" : "sectors";
    double each = x->cost / x->executions;
    const char *least =
        x->cost > x->least ? arena_printf(a, " instead of %.3g", x->least / x->executions) : "";
    return arena_printf(a, "%s:%u: %s %s takes %.3g %.*s%s", x->file, x->line,
                        x->shared ? "shared" : "global", x->kind, each,
                        (int)strlen(unit) - (each == 1), unit, least);
}
