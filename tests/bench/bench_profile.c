/* Time to make the whole profile of a configuration on one core, cubin and PTX read and the warps
 * followed, for configurations spread evenly over a space: at the spec's problem size and at a
 * multiple of it.  Of several rounds the best counts.
 *
 *     bench_profile SPACE.spec EXTENT [CONFIGURATIONS [ROUNDS]]
 *
 * EXTENT is a problem size of the spec; at GROWTH times it, arguments of that value are multiplied
 * and so is the grid along x and y.  The program aptune-compile must be in PATH; code comes from
 * the compile cache where it is there. */
#include "tuner/command/command.h"
#include "tuner/compile/farm.h"
#include "tuner/run/run_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GROWTH = 4, SIZES = 2, CASES = 200, ROUNDS = 3 };

typedef struct Case {
    size_t config;
    CompileJob job;
    CompileResult code;
} Case;

/* Of this thread alone: other programs may run beside it. */
static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static size_t compile_cases(Run *r, Case *cases, size_t most)
{
    Farm *f = run_open_farm(r);
    Arena *jobs = arena_new();
    size_t fit = 0, count = 0;
    for (size_t i = 0; i < r->table->count; i++)
        fit += table_fits(r->table, i);
    const size_t stride = fit > most ? fit / most : 1;
    for (size_t i = 0, k = 0; i < r->table->count && count < most; i++) {
        if (!table_fits(r->table, i) || k++ % stride)
            continue;
        Case *c = &cases[count];
        *c = (Case){.config = i};
        if (run_make_job(jobs, r, i, 0, NULL, &c->job))
            farm_add(f, count++, &c->job);
    }
    CompileResult res;
    while (farm_next(f, r->arena, &res, r->diag))
        cases[res.id].code = res;
    farm_close(f);
    arena_free(jobs);
    return count;
}

/* Every argument of four bytes that has the extent gets the larger one; the grid grows with them.
 */
static void grow(Arena *a, ProfileInput *in, int32_t extent, int growth)
{
    unsigned char *bytes = ARENA_ARRAY(a, unsigned char, in->launch.parameter_bytes + 1);
    memcpy(bytes, in->launch.parameters, in->launch.parameter_bytes);
    const int32_t large = extent * growth;
    for (size_t at = 0; at + sizeof extent <= in->launch.parameter_bytes; at += sizeof extent)
        if (memcmp(&bytes[at], &extent, sizeof extent) == 0)
            memcpy(&bytes[at], &large, sizeof large);
    in->launch.parameters = bytes;
    in->launch.grid[0] *= growth;
    in->launch.grid[1] *= growth;
}

static double profile_ms(Arena *a, Run *r, const Case *c, int32_t extent, int growth)
{
    Diag d = diag_new(a);
    ProfileInput in;
    Profile p;
    Hash code;
    if (!run_profile_input(a, r, c->config, &r->table->launch[c->config].steps[0], &c->code, &in))
        return 0;
    grow(a, &in, extent, growth);
    const double start = now_ms();
    profile_build(a, &in, &p, &code, &d);
    const double spent = now_ms() - start;
    arena_reset(a);
    return spent;
}

static void measure(Run *r, const Case *cases, size_t count, int rounds, int32_t extent)
{
    static const int growths[SIZES] = {1, GROWTH};
    Arena *a = arena_new();
    double sum[SIZES] = {0}, worst[SIZES] = {0};
    size_t done = 0;
    for (size_t i = 0; i < count; i++) {
        if (cases[i].code.status != OUTCOME_COMPILED || !cases[i].code.ptx)
            continue;
        done++;
        for (int s = 0; s < SIZES; s++) {
            double best = profile_ms(a, r, &cases[i], extent, growths[s]);
            for (int k = 1; k < rounds; k++)
                best = fmin(best, profile_ms(a, r, &cases[i], extent, growths[s]));
            sum[s] += best;
            worst[s] = fmax(worst[s], best);
        }
    }
    for (int s = 0; s < SIZES && done; s++)
        printf("%zu configurations, extents times %d: %.3f ms each, %.3f at most\n", done,
               growths[s], sum[s] / (double)done, worst[s]);
    arena_free(a);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_profile SPACE.spec EXTENT [CONFIGURATIONS [ROUNDS]]\n");
        return 2;
    }
    static Case cases[CASES];
    const size_t wanted = argc > 3 ? (size_t)atoi(argv[3]) : CASES;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    ProgressBar bar = {0};
    const RunOptions options = {.space = argv[1],
                                .arch = "h200",
                                .jobs = 2,
                                .compile_limit = 60,
                                .compile = true,
                                .no_gpu = true};
    Run r = start_run(a, &options, &bar, &d);
    bool ok = run_open(&r) && (r.code.sources || run_open_sources(&r));
    if (ok) {
        const size_t count = compile_cases(&r, cases, wanted < CASES ? wanted : CASES);
        measure(&r, cases, count, argc > 4 ? atoi(argv[4]) : ROUNDS, (int32_t)atoi(argv[2]));
    }
    Buf text = {0};
    diag_print(&d, &text);
    fputs(buf_text(&text), stderr);
    buf_free(&text);
    run_close(&r);
    arena_free(a);
    return ok ? 0 : 1;
}
