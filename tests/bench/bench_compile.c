/* How fast configurations are compiled with one worker and with two, and how fast the cache answers
 * when only headers are read.
 *
 *     bench_compile <aptune-compile> [folder of a toolkit]
 *
 * Compiles a synthetic kernel: a loop over an unrolled product, different in each configuration. */
#include "metrics/base/clock.h"
#include "tuner/compile/farm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPILES = 48 };

static const char KERNEL[] =
    "extern \"C\" __global__ void product(const float *a, const float *b, float *c)\n"
    "{\n"
    "    float s[8] = {};\n"
    "    constexpr int U = UNROLL;\n"
    "#pragma unroll U\n"
    "    for (int k = 0; k < 1024; k++)\n"
    "        for (int i = 0; i < 8; i++)\n"
    "            s[i] = fmaf(a[k * 256 + threadIdx.x + i], b[k], s[i]);\n"
    "    for (int i = 0; i < 8; i++)\n"
    "        c[threadIdx.x * 8 + i] = s[i] + SALT;\n"
    "}\n";

typedef struct Bench {
    Arena *arena;
    Diag diag;
    FarmOptions options;
    CompileJob jobs[COMPILES];
} Bench;

static void make_jobs(Bench *b)
{
    const CompileSource *s =
        source_make(b->arena, "product.cu", KERNEL, strlen(KERNEL), ".", TEXTS("--minimal"));
    for (int i = 0; i < COMPILES; i++) {
        CompileDefine defines[] = {
            {"UNROLL", arena_printf(b->arena, "%d", 1 << i % 5)},
            {"SALT", arena_printf(b->arena, "%d", i)},
        };
        CompileSetting setting = {.architecture = "sm_90", .defines = {defines, 2, 0}};
        b->jobs[i] = source_configure(b->arena, s, &setting);
    }
}

/* Compiles all; seconds from the first reply on, so that the start of a worker does not count. */
static double compile_all(Bench *b, int workers, int *done)
{
    b->options.jobs = workers;
    Farm *f = farm_open(&b->options);
    for (int i = 0; i < COMPILES; i++)
        farm_add(f, (uint64_t)i, &b->jobs[i]);
    Arena *a = arena_new();
    CompileResult r;
    double start = 0;
    *done = 0;
    while (farm_next(f, a, &r, &b->diag)) {
        if (r.status != OUTCOME_COMPILED)
            printf("configuration %d: %s\n%s", (int)r.id, outcome_name(r.status), r.log);
        if (start <= 0)
            start = clock_seconds();
        else
            ++*done;
        arena_reset(a);
    }
    arena_free(a);
    farm_close(f);
    return clock_seconds() - start;
}

static double rate_of_compiles(Bench *b, int workers)
{
    int done;
    double seconds = compile_all(b, workers, &done);
    double rate = done / seconds;
    printf("%d worker%s %7.1f compiles/s\n", workers, workers > 1 ? "s:" : ": ", rate);
    return rate;
}

static void measure_cache(Bench *b, const char *folder)
{
    b->options.cache = cache_open(b->arena, folder, false, &b->diag);
    if (!b->options.cache)
        return;
    int done;
    compile_all(b, 2, &done); /* fills it */
    double whole = compile_all(b, 1, &done);
    printf("cache: %8.0f hits/s\n", done / whole);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: bench_compile <aptune-compile> [folder of a toolkit]\n", stderr);
        return 2;
    }
    Arena *arena = arena_new();
    Bench b = {.arena = arena, .diag = diag_new(arena)};
    b.options.helper = argv[1];
    b.options.cuda_folder = argc > 2 ? argv[2] : NULL;
    char folder[] = "bench-cache-XXXXXX";
    make_jobs(&b);

    double one = rate_of_compiles(&b, 1), two = rate_of_compiles(&b, 2);
    printf("two against one: %.2f\n", two / one);
    if (b.diag.errors == 0 && mkdtemp(folder)) {
        measure_cache(&b, folder);
        if (system(arena_printf(arena, "rm -rf './%s'", folder)) != 0)
            printf("the cache is left in %s\n", folder);
    }

    Buf messages = {0};
    diag_print(&b.diag, &messages);
    fputs(buf_text(&messages), stderr);
    buf_free(&messages);
    bool ok = b.diag.errors == 0;
    arena_free(arena);
    return ok ? 0 : 1;
}
