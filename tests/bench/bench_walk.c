/* Time to read the PTX of many configurations and to follow the warps of each that stand for all.
 *
 *     bench_walk LIST [ROUNDS]
 *
 * LIST has a line "FILE.ptx BLOCK_X BLOCK_Y GRID_X GRID_Y" for each configuration; FILE is relative
 * to the list's folder.  The kernels take three pointers and three extents of 4096, as
 * templates/matmul.cu does. */
#include "metrics/base/file.h"
#include "metrics/flow/memory.h"
#include "metrics/ptx/ptx_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXTENT = 4096, CASES_MAX = 1000 };

typedef struct Case {
    const Source *ptx;
    PtxLaunch launch;
} Case;

typedef struct Seconds {
    double parse, flow, walk, memory;
} Seconds;

/* Of this thread alone: other programs may run beside it. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static unsigned char params[36];

static size_t read_cases(Arena *a, const char *list, Case *cases, Diag *d)
{
    FILE *f = fopen(list, "r");
    if (!f)
        return 0;
    const char *slash = strrchr(list, '/');
    const int folder = slash ? (int)(slash - list) + 1 : 0;
    char name[256];
    unsigned bx, by, gx, gy;
    size_t n = 0;
    while (n < CASES_MAX && fscanf(f, "%255s %u %u %u %u%*[^\n]", name, &bx, &by, &gx, &gy) == 5) {
        Case *c = &cases[n++];
        c->ptx = source_read(a, arena_printf(a, "%.*s%s", folder, list, name), d);
        c->launch = (PtxLaunch){.grid = {gx, gy, 1},
                                .block = {bx, by, 1},
                                .has_geometry = true,
                                .params = params,
                                .param_bytes = sizeof params};
        if (!c->ptx)
            n--;
    }
    fclose(f);
    return n;
}

static Seconds run(Arena *a, const Case *c)
{
    Seconds s = {0};
    Diag d = diag_new(a);
    WalkOptions o = {.launch = c->launch,
                     .place = {.block = {c->launch.grid.x / 2, c->launch.grid.y / 2, 0}}};
    double start = now();
    const PtxModule *m = ptx_parse(a, c->ptx, &d);
    double end = now();
    s.parse = end - start;
    start = end;
    const PtxFunction *entry = ptx_find_entry(m, NULL);
    if (!entry)
        return s;
    flow_build(a, entry);
    end = now();
    s.flow = end - start;
    start = end;
    walk_warp(a, entry, &o);
    end = now();
    s.walk = end - start;
    start = end;
    const MemoryOptions all = {.walk = o};
    memory_follow(a, entry, &all);
    s.memory = now() - start;
    arena_reset(a);
    return s;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_walk LIST [ROUNDS]\n");
        return 2;
    }
    const int rounds = argc > 2 ? atoi(argv[2]) : 5;
    Arena *texts = arena_new(), *a = arena_new();
    Diag d = diag_new(texts);
    static Case cases[CASES_MAX];
    const int32_t extents[3] = {EXTENT, EXTENT, EXTENT};
    memcpy(params + 24, extents, sizeof extents);
    const size_t n = read_cases(texts, argv[1], cases, &d);
    Seconds sum = {0};
    double worst = 0;
    size_t bytes = 0;
    for (int r = 0; r < rounds; r++)
        for (size_t i = 0; i < n; i++) {
            const Seconds s = run(a, &cases[i]);
            sum.parse += s.parse;
            sum.flow += s.flow;
            sum.walk += s.walk;
            sum.memory += s.memory;
            bytes += cases[i].ptx->size;
            if (s.parse + s.memory > worst)
                worst = s.parse + s.memory;
        }
    const double runs = (double)n * rounds;
    if (runs > 0)
        printf("%zu kernels of %.0f bytes, ms each: parse %.3f, memory of all warps %.3f, together "
               "%.3f "
               "(worst %.3f); flow analyses alone %.3f, control of one warp %.3f\n",
               n, (double)bytes / runs, sum.parse / runs * 1e3, sum.memory / runs * 1e3,
               (sum.parse + sum.memory) / runs * 1e3, worst * 1e3, sum.flow / runs * 1e3,
               sum.walk / runs * 1e3);
    arena_free(a);
    arena_free(texts);
    return runs > 0 ? 0 : 1;
}
