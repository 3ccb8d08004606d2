/* What the machine code of matrix-multiply configurations says, and how long that takes to find
 * out.
 *
 *     bench_sass LIST
 *
 * LIST has a line "NAME BLOCKS_PER_SM WAVES BM BN TM TN TIME_MS" for each configuration of
 * templates/matmul.cu, compiled for sm_90; NAME.ptx and NAME.cubin lie beside it.  Prints a table
 * for M = N = K = 4096, and the mean time per configuration on standard error. */
#include "metrics/base/file.h"
#include "metrics/cubin/sass_join.h"
#include "metrics/ptx/ptx_parse.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

typedef struct Line {
    char name[200];
    double blocks_per_sm, waves, time_ms;
    unsigned bm, bn, tm, tn;
} Line;

static Walk *walk(Arena *a, const Line *l, const PtxFunction *f)
{
    static unsigned char params[36];
    const int sizes[3] = {4096, 4096, 4096};
    memcpy(params + 24, sizes, sizeof sizes);
    WalkOptions o = {.launch = {.grid = {4096 / l->bn, 4096 / l->bm, 1},
                                .block = {l->bn / l->tn, l->bm / l->tm, 1},
                                .has_geometry = true,
                                .params = params,
                                .param_bytes = sizeof params},
                     .place = {.block = {2048 / l->bn, 2048 / l->bm, 0}}};
    return walk_warp(a, f, &o);
}

static bool report(Arena *a, const char *folder, const Line *l, double *spent, Diag *d)
{
    size_t ptx_size, cubin_size;
    const char *ptx = file_read(a, arena_printf(a, "%s%s.ptx", folder, l->name), &ptx_size, d);
    const char *bytes =
        file_read(a, arena_printf(a, "%s%s.cubin", folder, l->name), &cubin_size, d);
    if (!ptx || !bytes)
        return false;
    Source source = {l->name, ptx, ptx_size};
    const PtxModule *m = ptx_parse(a, &source, d);
    const PtxFunction *entry = ptx_find_entry(m, NULL);
    const Cubin *c = cubin_read(a, bytes, cubin_size, d);
    if (!entry || !c || !c->kernel_count)
        return false;
    const CubinKernel *k = &c->kernels[0];
    const Walk *w = walk(a, l, entry);
    const double start = milliseconds();
    const SassFlow *f = sass_flow_build(a, c->arch, k->code, k->code_bytes);
    const SassJoin *j = sass_join(a, f, w);
    *spent += milliseconds() - start;
    printf("%s,%g,%g,%g,%d,%d,%s", l->name, l->time_ms, l->blocks_per_sm, l->waves, f->cfg->count,
           j->loops_match, j->unmatched ? j->unmatched : "");
    for (int i = 0; i < SASS_ANCHORS; i++)
        if (j->in_ptx[i] > 0 || j->in_code_most[i] > 0)
            printf(",%d:%g/%g", i, j->in_ptx[i], j->in_code_most[i]);
    printf("\n");
    return true;
}

int main(int argc, char **argv)
{
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!list) {
        fprintf(stderr, "usage: bench_sass LIST\n");
        return 2;
    }
    const char *slash = strrchr(argv[1], '/');
    char folder[1000];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - argv[1]) + 1 : 0, argv[1]);
    Arena *a = arena_new();
    Line l;
    double spent = 0;
    int lines = 0;
    while (fscanf(list, "%199s %lf %lf %u %u %u %u %lf", l.name, &l.blocks_per_sm, &l.waves, &l.bm,
                  &l.bn, &l.tm, &l.tn, &l.time_ms) == 8) {
        Diag d = diag_new(a);
        lines += report(a, folder, &l, &spent, &d);
        arena_reset(a);
    }
    fclose(list);
    arena_free(a);
    fprintf(stderr, "%d configurations, %.3f ms each\n", lines, lines ? spent / lines : 0.0);
    return 0;
}
