/* Are the instructions that a warp issues alike on all architectures, as the profile says they are?
 *
 *     mkdir code
 *     for arch in sm_75 sm_80 sm_90; do check_code code $arch 60 spaces/mm.spec …; done
 *     bench_arch code/list.txt
 *
 * ptxas writes other code for each, but not much more or less of it: compares the configurations of
 * a list with their kin for sm_90.  Prints the first table of metrics/cubin/README.md: of each
 * architecture the rows, those within 15 % (and as a share), and what the others differ by, as the
 * machine code says.  Columns, in their order:
 *
 *  - the kind of instructions in which the two differ most:
 *      indices    integer arithmetic, of addresses above all
 *      operands   constants and moves: what brings an operand where it is wanted
 *      branches   with comparisons, votes, points of reconvergence
 *      packed     operations on bytes and minima, which some architectures have and others make up
 *      local      spills
 *      work       what the PTX itself says, and other units
 *  - "said": within 15 % but for the uncertainty that the profile itself gives its count;
 *  - "open": nothing says that the count is right, since it is uncertain by more than 15 %, or the
 *    difference rests on loops that are paired with none of the PTX and have no landmark.
 *
 * Of the kinds' rows the counts are certain: the join found the landmarks of the PTX in the code, so
 * that what differs is how ptxas writes what lies between them.
 *
 * Then, for each kind and architecture, the row that differs most in it, with its opcodes; with -v a
 * line for each space and architecture, and the opcodes of all rows. */
#include "metrics/cubin/cubin.h"
#include "metrics/cubin/sass_join.h"
#include "metrics/cubin/sass_pair.h"
#include "metrics/metric/device.h"
#include "metrics/ptx/memory.h"
#include "tests/support/code_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 20000, REFERENCE = 90, OPCODES_SHOWN = 8 };

static const double NEAR = 0.15;

/* What a row is: near, one of the kinds of instructions, said or open. */
typedef enum Kind {
    INDICES,
    OPERANDS,
    BRANCHES,
    PACKED,
    LOCAL,
    WORK,
    KINDS,
    NEAR_BY,
    SAID,
    OPEN,
    ALL
} Kind;

static const char *const kind_names[ALL] = {
    [INDICES] = "indices", [OPERANDS] = "operands", [BRANCHES] = "branches",
    [PACKED] = "packed",   [LOCAL] = "local",       [WORK] = "work",
    [NEAR_BY] = "near",    [SAID] = "said",         [OPEN] = "open"};

static const unsigned archs[] = {75, 80, 86, 89, 90, 100, 120};

typedef struct Row {
    CodeLine line;
    char space[CODE_TEXT_BYTES];
    unsigned arch, number, launch;
    double issued, uncertainty;
} Row;

/* What a warp of a row executes in the mean. */
typedef struct Mix {
    double opcode[SASS_OPCODES];
    double kind[KINDS];
    double loose; /* in loops without a landmark */
} Mix;

/* --- one row ---------------------------------------------------------------------------------- */

/* SPACE-ARCH-NUMBER-LAUNCH: a space's name may have a dash, too. */
static bool read_name(Row *row)
{
    const char *name = row->line.name;
    size_t cut = strlen(name);
    for (int dashes = 0; cut > 0 && dashes < 3;)
        dashes += name[--cut] == '-';
    memcpy(row->space, name, cut);
    row->space[cut] = '\0';
    return sscanf(name + cut, "-sm_%u-%u-%u", &row->arch, &row->number, &row->launch) == 3;
}

static bool profile_row(Arena *a, const char *folder, Row *row, Diag *d)
{
    ProfileInput in;
    Profile p;
    Hash code;
    if (!read_name(row) || !code_list_read(a, &row->line, folder, &in, d))
        return false;
    in.device = device_find(arena_printf(a, "sm_%u", row->arch));
    if (!in.device || !profile_build(a, &in, &p, &code, d))
        return false;
    row->issued = p.value[PROFILE_ISSUED];
    row->uncertainty = p.value[PROFILE_UNCERTAINTY_ISSUED];
    return true;
}

static bool is_landmark(SassInstr w)
{
    double amount;
    const SassAnchor k = sass_anchor_of(w, &amount);
    return k != SASS_NO_ANCHOR && sass_anchors[k].weight >= 1;
}

/* A multiply-add whose factor is the register that is always 0 is a move. */
static bool is_move(SassInstr w)
{
    enum { FACTOR_BIT = 24, ZERO_REGISTER = 255 };
    const int op = sass_opcode(w);
    return sass_class(w) == SASS_MOVE || op == SASS_OP_UMOV || op == SASS_OP_S2UR ||
           op == SASS_OP_R2UR || op == SASS_OP_R2UR_1C2 || op == SASS_OP_CS2UR ||
           ((op == SASS_OP_IMAD || op == SASS_OP_HFMA2 || op == SASS_OP_HFMA2_035) &&
            (w.low >> FACTOR_BIT & 0xff) == ZERO_REGISTER);
}

static Kind kind_of(SassInstr w)
{
    if (is_landmark(w))
        return WORK;
    if (is_move(w) || sass_class(w) == SASS_CONSTANT_LOAD)
        return OPERANDS;
    switch (sass_opcode(w)) {
    case SASS_OP_ISETP:
    case SASS_OP_UISETP:
    case SASS_OP_PLOP3:
    case SASS_OP_UPLOP3:
    case SASS_OP_VOTE:
    case SASS_OP_VOTEU:
    case SASS_OP_YIELD:
        return BRANCHES;
    case SASS_OP_PRMT:
    case SASS_OP_VABSDIFF:
    case SASS_OP_VABSDIFF4:
    case SASS_OP_VIMNMX:
    case SASS_OP_IDP:
        return PACKED;
    case SASS_OP_LDL:
    case SASS_OP_STL:
        return LOCAL;
    default:
        break;
    }
    const SassClass c = sass_class(w);
    return c == SASS_BRANCH ? BRANCHES : c == SASS_INT || c == SASS_UNIFORM ? INDICES : WORK;
}

static bool has_landmark(const SassFlow *f, const Loop *l)
{
    for (size_t k = 0; k < l->blocks.count; k++) {
        const CfgBlock *b = &f->cfg->blocks[l->blocks.at[k]];
        for (size_t i = b->first; i < b->end; i++)
            if (is_landmark(f->instrs[i]))
                return true;
    }
    return false;
}

static void add_walk(Arena *a, const SassFlow *f, const MemorySample *s, Mix *mix)
{
    const SassJoin *j = sass_join(a, f, s->walk);
    const SassPairs pairs = sass_pair_loops(a, f, s->walk->functions.at[0]);
    for (int b = 0; b < f->cfg->count; b++) {
        const double times = s->weight * j->visits[b];
        const int loop = f->loops->loop_of[b];
        const CfgBlock *block = &f->cfg->blocks[b];
        for (size_t i = block->first; i < block->end; i++) {
            mix->opcode[sass_opcode(f->instrs[i])] += times;
            mix->kind[kind_of(f->instrs[i])] += times;
        }
        if (loop != CFG_NONE && pairs.loop[loop] == CFG_NONE &&
            !has_landmark(f, &f->loops->loops.at[loop]))
            mix->loose += times * (double)(block->end - block->first);
    }
}

/* Of a row that was profiled already, so nothing fails. */
static Mix mix_of(const Row *row, const char *folder)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Mix mix = {.loose = 0};
    ProfileInput in;
    const PtxModule *module;
    const Memory *m =
        code_list_read(a, &row->line, folder, &in, &d) ? profile_follow(a, &in, &module, &d) : NULL;
    const Cubin *cubin = m ? cubin_read(a, in.cubin, in.cubin_size, &d) : NULL;
    const CubinKernel *k = cubin ? cubin_find(cubin, in.kernel) : NULL;
    const SassFlow *f = k ? sass_flow_build(a, cubin->arch, k) : NULL;
    for (int i = 0; f && i < m->samples->count; i++)
        add_walk(a, f, &m->samples->at[i], &mix);
    arena_free(a);
    return mix;
}

/* --- a row and its kin for sm_90 -------------------------------------------------------------- */

static Kind judge(const Row *row, const Mix *x, const Row *reference, const Mix *y)
{
    const double more = row->issued / reference->issued - 1;
    const double uncertain = fmax(row->uncertainty, reference->uncertainty);
    const double loose = (x->loose - y->loose) / reference->issued;
    int kind = 0;
    if (fabs(more) - uncertain <= NEAR)
        return SAID;
    if (uncertain > NEAR || fabs(more - loose) <= NEAR)
        return OPEN;
    for (int k = 1; k < KINDS; k++)
        if ((x->kind[k] - y->kind[k]) * more > (x->kind[kind] - y->kind[kind]) * more)
            kind = k;
    return (Kind)kind;
}

/* The opcodes that differ most. */
static void print_opcodes(const Mix *x, const Mix *y, unsigned arch)
{
    double more[SASS_OPCODES];
    for (int i = 0; i < SASS_OPCODES; i++)
        more[i] = x->opcode[i] - y->opcode[i];
    for (int shown = 0; shown < OPCODES_SHOWN; shown++) {
        int most = 0;
        for (int i = 1; i < SASS_OPCODES; i++)
            if (fabs(more[i]) > fabs(more[most]))
                most = i;
        if (fabs(more[most]) < 0.5)
            break;
        printf(" %s %+.0f", sass_name((SassInstr){0, 0, (uint16_t)most, (uint16_t)arch}),
               more[most]);
        more[most] = 0;
    }
}

static void print_row(const Row *row, const Row *reference, Kind kind, const char *folder)
{
    const Mix x = mix_of(row, folder), y = mix_of(reference, folder);
    printf("%s: %s, %.0f issued, for sm_90 %.0f:", kind_names[kind], row->line.name, row->issued,
           reference->issued);
    print_opcodes(&x, &y, row->arch);
    printf("\n");
}

/* --- all rows --------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    const int spaces = strcmp(x->space, y->space);
    if (spaces || x->arch != y->arch)
        return spaces ? spaces : x->arch < y->arch ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->launch < y->launch ? -1 : x->launch > y->launch;
}

static const Row *reference_of(const Row *rows, size_t count, const Row *row)
{
    Row key = *row;
    key.arch = REFERENCE;
    return bsearch(&key, rows, count, sizeof key, by_place);
}

/* Rows of an architecture, by what they are. */
typedef struct Cell {
    int rows, of[ALL];
    const Row *worst[ALL];
    double by[ALL];
} Cell;

static void add_row(Cell *c, const Row *row, const Row *reference, bool verbose, const char *folder)
{
    const double by = fabs(row->issued / reference->issued - 1);
    Kind kind = NEAR_BY;
    if (by > NEAR) {
        const Mix x = mix_of(row, folder), y = mix_of(reference, folder);
        kind = judge(row, &x, reference, &y);
    }
    c->rows++;
    c->of[kind]++;
    if (by > c->by[kind]) {
        c->by[kind] = by;
        c->worst[kind] = row;
    }
    if (verbose && kind != NEAR_BY)
        print_row(row, reference, kind, folder);
}

static Cell count_rows(const Row *rows, size_t count, const char *space, unsigned arch,
                       bool verbose, const char *folder)
{
    Cell c = {.rows = 0};
    for (size_t i = 0; i < count; i++) {
        if (rows[i].arch != arch || (space && strcmp(rows[i].space, space) != 0))
            continue;
        const Row *reference = reference_of(rows, count, &rows[i]);
        if (reference)
            add_row(&c, &rows[i], reference, verbose, folder);
    }
    return c;
}

static void print_cell(const char *space, unsigned arch, const Cell *c)
{
    if (!c->rows)
        return;
    printf("| %s sm_%u | %d | %d | %.1f %%", space, arch, c->rows, c->of[NEAR_BY],
           100.0 * c->of[NEAR_BY] / c->rows);
    for (int k = 0; k < ALL; k++)
        if (k != KINDS && k != NEAR_BY)
            printf(" | %d", c->of[k]);
    printf(" |\n");
}

static void print_all(const Row *rows, size_t count, bool verbose, const char *folder)
{
    enum { ARCHS = sizeof archs / sizeof *archs };
    Cell cells[ARCHS];
    for (size_t i = 0; verbose && i < count; i++)
        if (i == 0 || rows[i].arch != rows[i - 1].arch ||
            strcmp(rows[i].space, rows[i - 1].space) != 0) {
            const Cell c = count_rows(rows, count, rows[i].space, rows[i].arch, true, folder);
            print_cell(rows[i].space, rows[i].arch, &c);
        }
    for (int i = 0; i < ARCHS; i++) {
        cells[i] = count_rows(rows, count, NULL, archs[i], false, folder);
        print_cell("", archs[i], &cells[i]);
    }
    for (int k = 0; k < ALL; k++)
        for (int i = 0; i < ARCHS; i++)
            if (k != NEAR_BY && cells[i].worst[k])
                print_row(cells[i].worst[k], reference_of(rows, count, cells[i].worst[k]), (Kind)k,
                          folder);
}

int main(int argc, char **argv)
{
    const bool verbose = argc == 3 && strcmp(argv[1], "-v") == 0;
    char folder[CODE_TEXT_BYTES];
    FILE *list = argc == 2 + verbose ? code_list_open(argv[argc - 1], folder) : NULL;
    if (!list) {
        fprintf(stderr, "usage: bench_arch [-v] FOLDER/list.txt\n");
        return 2;
    }
    static Row rows[ROWS_MOST];
    Arena *a = arena_new();
    size_t count = 0, failed = 0;
    while (count < ROWS_MOST && code_list_next(list, &rows[count].line)) {
        Diag d = diag_new(a);
        if (profile_row(a, folder, &rows[count], &d))
            count++;
        else
            failed++;
        arena_reset(a);
    }
    fclose(list);
    arena_free(a);
    qsort(rows, count, sizeof rows[0], by_place);
    print_all(rows, count, verbose, folder);
    if (failed)
        printf("%zu lines without a profile\n", failed);
    return failed || !count;
}
