/* Time to make out what machine code executes, stage by stage, on one core.
 *
 *     check_code FOLDER sm_90 200 spaces/mm-core.spec
 *     bench_sass FOLDER/list.txt
 *
 * Prints the mean milliseconds per configuration of each stage, the PTX's parse and walk before
 * them for comparison, and how many could not be joined with certainty. */
#include "metrics/cubin/sass_profile.h"
#include "metrics/ptx/ptx.h"
#include "tests/support/code_list.h"

#include <stdio.h>
#include <time.h>

typedef enum Part { PARSE, WALK, CUBIN, FLOW, JOIN, SERIAL, PARTS } Part;

static const char *const PART_NAMES[PARTS] = {"parse PTX",         "walk", "read cubin",
                                              "graph of the code", "join", "serial, twice"};

enum { ROUNDS = 5 };

typedef struct Bench {
    double spent[PARTS];
    int configurations, unmatched;
    char unmatched_name[CODE_TEXT_BYTES];
} Bench;

/* Of this thread alone: other programs may run beside it. */
static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void charge(Bench *b, Part part, double *since)
{
    const double now = now_ms();
    b->spent[part] += now - *since;
    *since = now;
}

static Walk *walk(Arena *a, const ProfileInput *in, const PtxFunction *f)
{
    const WalkOptions o = {
        .launch = {.grid = {(uint32_t)in->launch.grid[0], (uint32_t)in->launch.grid[1],
                            (uint32_t)in->launch.grid[2]},
                   .block = {(uint32_t)in->launch.block[0], (uint32_t)in->launch.block[1],
                             (uint32_t)in->launch.block[2]},
                   .has_geometry = true,
                   .params = in->launch.parameters,
                   .param_bytes = in->launch.parameter_bytes},
        .place = {.block = {(uint32_t)in->launch.grid[0] / 2, (uint32_t)in->launch.grid[1] / 2,
                            (uint32_t)in->launch.grid[2] / 2}},
        .memory = true};
    return walk_warp(a, f, &o);
}

static bool measure(Bench *b, Arena *a, const CodeLine *l, const char *folder, Diag *d)
{
    ProfileInput in;
    if (!code_list_read(a, l, folder, &in, d))
        return false;
    Source source = {l->name, in.ptx, in.ptx_size};
    double since = now_ms();
    const PtxFunction *entry = ptx_find_entry(ptx_parse(a, &source, d), l->kernel);
    charge(b, PARSE, &since);
    const Walk *w = entry ? walk(a, &in, entry) : NULL;
    charge(b, WALK, &since);
    const Cubin *c = cubin_read(a, in.cubin, in.cubin_size, d);
    const CubinKernel *k = c ? cubin_find(c, l->kernel) : NULL;
    if (!w || !k)
        return false;
    charge(b, CUBIN, &since);
    const SassFlow *f = sass_flow_build(a, c->arch, k);
    charge(b, FLOW, &since);
    const SassJoin *j = sass_join(a, f, w);
    charge(b, JOIN, &since);
    SassSerial s = sass_serial(a, j, &SASS_LATENCY);
    const SassLoad load = {.warps = 16, .load_wavefronts = 2, .store_wavefronts = 2};
    const SassLatency among = sass_latency_among(&SASS_LATENCY, &load);
    s = sass_serial(a, j, &among);
    charge(b, SERIAL, &since);
    b->configurations++;
    if (j->unmatched && s.cycles > 0 && b->unmatched++ == 0)
        snprintf(b->unmatched_name, sizeof b->unmatched_name, "%.250s: %.250s", l->name,
                 j->unmatched);
    return true;
}

static void print(const Bench *b)
{
    double all = 0;
    for (int i = 0; i < PARTS; i++) {
        printf("%-20s %8.4f ms\n", PART_NAMES[i], b->spent[i] / b->configurations);
        all += i >= CUBIN ? b->spent[i] / b->configurations : 0;
    }
    printf("%-20s %8.4f ms\n", "the code's part", all);
    printf("%d configurations %d times, %d not joined with certainty %s\n",
           b->configurations / ROUNDS, ROUNDS, b->unmatched / ROUNDS, b->unmatched_name);
}

int main(int argc, char **argv)
{
    char folder[CODE_TEXT_BYTES];
    FILE *list = argc == 2 ? code_list_open(argv[1], folder) : NULL;
    if (!list) {
        fprintf(stderr, "usage: bench_sass FOLDER/list.txt\n");
        return 2;
    }
    Arena *a = arena_new();
    Bench b = {.configurations = 0};
    static CodeLine l;
    bool ok = true;
    while (code_list_next(list, &l) && ok)
        for (int round = 0; round < ROUNDS && ok; round++) {
            Diag d = diag_new(a);
            ok = measure(&b, a, &l, folder, &d);
            arena_reset(a);
        }
    fclose(list);
    arena_free(a);
    if (b.configurations)
        print(&b);
    return ok && b.configurations ? 0 : 1;
}
