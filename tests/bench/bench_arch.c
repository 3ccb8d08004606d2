/* Are the instructions that a warp issues alike on all architectures, as the profile says they are?
 *
 *     mkdir code
 *     for arch in sm_75 sm_80 sm_90; do check_code code $arch 60 spaces/mm.spec …; done
 *     bench_arch code/list.txt
 *
 * ptxas writes other code for each, but not much more or less of it: compares the configurations of
 * a list with their kin for sm_90.  One line for each space and architecture: rows, those within
 * 15 %, those that are when one counts for each instruction of the PTX (NVRTC writes other PTX, too),
 * or that differ by a few instructions, the rest, the ratios' extremes, and how many could not be
 * joined with certainty; with -v one more for each of the rest.  Then a line for each architecture. */
#include "metrics/metric/device.h"
#include "tests/support/code_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 50000, REFERENCE = 90, FEW = 12 };

static const double NEAR = 0.15;

typedef struct Row {
    char space[CODE_TEXT_BYTES];
    unsigned arch, number, launch;
    double issued, instr;
    bool unmatched;
    char note[CODE_TEXT_BYTES];
} Row;

typedef struct Cell {
    int rows, near, like_ptx, few, left, unmatched;
    double least, most;
} Cell;

/* SPACE-ARCH-NUMBER-LAUNCH: a space's name may have a dash, too. */
static bool read_name(const char *name, Row *row)
{
    size_t cut = strlen(name);
    for (int dashes = 0; cut > 0 && dashes < 3;)
        dashes += name[--cut] == '-';
    snprintf(row->space, sizeof row->space, "%.*s", (int)cut, name);
    return sscanf(name + cut, "-sm_%u-%u-%u", &row->arch, &row->number, &row->launch) == 3;
}

static bool profile_row(Arena *a, const CodeLine *l, const char *folder, Row *row, Diag *d)
{
    ProfileInput in;
    Profile p;
    Hash code;
    if (!read_name(l->name, row) || !code_list_read(a, l, folder, &in, d))
        return false;
    in.device = device_find(arena_printf(a, "sm_%u", row->arch));
    if (!in.device || !profile_build(a, &in, &p, &code, d))
        return false;
    row->issued = p.value[PROFILE_ISSUED];
    row->instr = p.value[PROFILE_INSTR];
    row->unmatched = p.value[PROFILE_CODE_UNMATCHED] != 0;
    snprintf(row->note, sizeof row->note, "%.500s", p.note ? p.note : "");
    return true;
}

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

static void compare(Cell *c, const Row *row, const Row *reference, bool verbose)
{
    const double ratio = row->issued / reference->issued;
    const bool near = fabs(ratio - 1) <= NEAR;
    const bool like_ptx = fabs(ratio / (row->instr / reference->instr) - 1) <= NEAR;
    const bool few = fabs(row->issued - reference->issued) <= FEW;
    c->rows++;
    c->near += near;
    c->like_ptx += !near && like_ptx;
    c->few += !near && !like_ptx && few;
    c->left += !near && !like_ptx && !few;
    c->unmatched += row->unmatched;
    c->least = fmin(c->least, ratio);
    c->most = fmax(c->most, ratio);
    if (verbose && !near && !like_ptx && !few)
        printf("  %s-sm_%u-%u-%u: %.0f issued, for sm_90 %.0f, PTX %.0f and %.0f; %s\n", row->space,
               row->arch, row->number, row->launch, row->issued, reference->issued, row->instr,
               reference->instr, row->note);
}

static void print_cell(const char *space, unsigned arch, const Cell *c)
{
    const double all = c->rows;
    printf(
        "%-20s sm_%-4u %5d rows %6.1f %% near, %5.1f as the PTX, %5.1f by %d or less, %5.1f left, "
        "%.2f to %.2f, %d not certain\n",
        space, arch, c->rows, 100 * c->near / all, 100 * c->like_ptx / all, 100 * c->few / all, FEW,
        100 * c->left / all, c->least, c->most, c->unmatched);
}

static Cell count_cell(const Row *rows, size_t count, size_t first, size_t end, unsigned arch,
                       bool verbose)
{
    Cell c = {.least = INFINITY};
    for (size_t i = first; i < end; i++) {
        const Row *reference = rows[i].arch == arch ? reference_of(rows, count, &rows[i]) : NULL;
        if (reference)
            compare(&c, &rows[i], reference, verbose);
    }
    return c;
}

static void print_cells(const Row *rows, size_t count, bool verbose)
{
    static const unsigned archs[] = {75, 80, 86, 89, 90, 100, 120};
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && rows[next].arch == rows[i].arch &&
                       strcmp(rows[next].space, rows[i].space) == 0;)
            next++;
        const Cell c = count_cell(rows, count, i, next, rows[i].arch, verbose);
        if (c.rows)
            print_cell(rows[i].space, rows[i].arch, &c);
    }
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        const Cell c = count_cell(rows, count, 0, count, archs[i], false);
        if (c.rows)
            print_cell("all", archs[i], &c);
    }
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
    static CodeLine line;
    Arena *a = arena_new();
    size_t count = 0, failed = 0;
    while (count < ROWS_MOST && code_list_next(list, &line)) {
        Diag d = diag_new(a);
        if (profile_row(a, &line, folder, &rows[count], &d))
            count++;
        else
            failed++;
        arena_reset(a);
    }
    fclose(list);
    arena_free(a);
    qsort(rows, count, sizeof rows[0], by_place);
    print_cells(rows, count, verbose);
    if (failed)
        printf("%zu lines without a profile\n", failed);
    return failed || !count;
}
