/* What the machine code of matrix-multiply configurations says, and how long that takes to find
 * out.
 *
 *     bench_sass LIST
 *
 * LIST has a line "NAME BLOCKS_PER_SM WAVES BM BN TM TN TIME_MS" for each configuration of
 * templates/matmul.cu, compiled for sm_90; NAME.ptx and NAME.cubin lie beside it.  Prints a table
 * for M = N = K = 4096, and the mean time per configuration on standard error. */
#include "metrics/base/file.h"
#include "metrics/cubin/sass_profile.h"
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
    const SassProfile p = sass_profile(a, c->arch, k, w, NULL, NULL);
    *spent += milliseconds() - start;
    printf("%s,%g,%g,%g", l->name, l->time_ms, l->blocks_per_sm, l->waves);
    printf(",%g", p.instr);
    for (int u = 0; u < SASS_UNITS; u++)
        printf(",%g", p.by_unit[u]);
    for (int i = 2; i < SASS_WIDTHS; i++)
        printf(",%g,%g", p.shared_loads[i], p.shared_stores[i]);
    printf(",%g,%g,%g", p.serial.cycles, p.serial.issue, p.loop_bytes_most);
    for (int i = 0; i < SASS_WAITS; i++)
        printf(",%g", p.serial.waits[i]);
    printf(",%g,%g,%s\n", p.serial.long_waits, p.serial.loads_in_flight,
           p.unmatched ? p.unmatched : "");
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
    printf("name,time_ms,blocks_per_sm,waves,instr");
    for (int u = 0; u < SASS_UNITS; u++)
        printf(",%s", sass_unit_name((SassUnit)u));
    printf(",lds4,sts4,lds8,sts8,lds16,sts16,cycles,issue,loop_bytes,wait_shared,wait_global,"
           "wait_local,wait_barrier,wait_other,long_waits,loads_in_flight,unmatched\n");
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
