/* A few warps stand for all: what they say on average against following every warp of the launch.
 */
#include "metrics/ptx/memory.h"
#include "metrics/ptx/memory_sample.h"
#include "metrics/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char header[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 "
    "n) "
    "{\n.reg .b32 %r<40>; .reg .b64 %rd<30>; .reg .f32 %f<9>; .reg .pred %p<9>;\n"
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r9, [n];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mov.u32 %r4, %ntid.x;\n";

typedef struct Kernel {
    Arena *arena;
    const PtxFunction *entry;
    MemoryOptions options;
    unsigned char params[12];
} Kernel;

static Kernel *kernel(const char *body, PtxDim grid, uint32_t threads, uint32_t n)
{
    Arena *a = arena_new();
    Kernel *k = ARENA_NEW(a, Kernel);
    Source *s = ARENA_NEW(a, Source);
    Diag d = diag_new(a);
    const char *text = arena_printf(a, "%s%s}\n", header, body);
    *s = (Source){"k.ptx", text, strlen(text)};
    k->arena = a;
    k->entry = ptx_find_entry(ptx_parse(a, s, &d), "k");
    assert_int_equal(d.errors, 0);
    const uint64_t pointer = UINT64_C(1) << 40;
    memcpy(k->params, &pointer, 8);
    memcpy(k->params + 8, &n, 4);
    k->options.walk.launch = (PtxLaunch){.grid = grid,
                                         .block = {threads, 1, 1},
                                         .has_geometry = true,
                                         .params = k->params,
                                         .param_bytes = sizeof k->params};
    return k;
}

typedef struct Means {
    double sectors, wavefronts, instr;
} Means;

/* Layers that all do the same, as many as make the launch too large to be followed whole: what the sample says of it is
 * what it says of one layer. */
static Kernel *in_layers(Kernel *k)
{
    PtxLaunch *l = &k->options.walk.launch;
    l->grid.z = WHOLE_MOST / (l->grid.x * l->grid.y * ptx_warps_in_block(l)) + 1;
    return k;
}

/* Every warp of every block. */
static Means mean_of_all(const Kernel *k)
{
    const PtxLaunch *l = &k->options.walk.launch;
    const uint32_t warps = ptx_warps_in_block(l);
    const double all = (double)ptx_block_count(l->grid) * warps;
    Means m = {0};
    for (uint64_t i = 0; i < (uint64_t)all; i++) {
        WalkOptions o = k->options.walk;
        o.memory = true;
        o.place = (PtxPlace){ptx_block_at(l->grid, i / warps), (uint32_t)(i % warps)};
        const Walk *walk = walk_warp(k->arena, k->entry, &o);
        const WalkFunction *f = walk->functions.at[0];
        m.instr += walk->instr / all;
        for (size_t j = 0; j < f->accesses->sites.count; j++) {
            const WalkAccess *a = &f->costs[f->accesses->sites.at[j].cost];
            m.sectors += (double)a->sectors / all;
            m.wavefronts += (double)a->wavefronts / all;
        }
    }
    return m;
}

static Means mean_of_samples(const Kernel *k)
{
    const Memory *m = memory_follow(k->arena, k->entry, &k->options);
    Means means = {.instr = m->mean.instr};
    double weights = 0;
    for (int i = 0; i < m->samples->count; i++)
        weights += m->samples->at[i].weight;
    assert_true(fabs(weights - 1) < 1e-9);
    for (size_t i = 0; i < m->accesses.count; i++) {
        means.sectors += m->accesses.at[i].figures.sectors;
        means.wavefronts += m->accesses.at[i].figures.wavefronts;
    }
    return means;
}

static void assert_means(Kernel *k, double tolerance)
{
    const Means few = mean_of_samples(k), all = mean_of_all(k);

    if (fabs(few.sectors - all.sectors) > tolerance * all.sectors ||
        fabs(few.wavefronts - all.wavefronts) > tolerance * all.wavefronts ||
        fabs(few.instr - all.instr) > tolerance * all.instr)
        fail_msg("sectors %g for %g, wavefronts %g for %g, instructions %g for %g", few.sectors,
                 all.sectors, few.wavefronts, all.wavefronts, few.instr, all.instr);
    arena_free(k->arena);
}

#define ROW_OF(floats)                                                                             \
    "mad.lo.u32 %r5, %r2, " #floats                                                                \
    ", %r1; mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2;\n"                                \
    "ld.global.f32 %f1, [%rd3]; ret;"

static void blocks_that_differ_by_alignment_are_averaged_over_their_cycle(void **state)
{
    (void)state;

    assert_means(in_layers(kernel(ROW_OF(36), (PtxDim){64, 2, 1}, 32, 0)),
                 1e-9); /* 8 alignments of a line */
    assert_means(in_layers(kernel(ROW_OF(33), (PtxDim){64, 1, 1}, 32, 0)),
                 0.06); /* 32: a sample of 8 */
    assert_means(in_layers(kernel(ROW_OF(40), (PtxDim){64, 1, 1}, 32, 0)), 1e-9);
}

/* x < n, where n ends in the middle of the last block; the first one has a neighbour less. */
static const char border[] =
    "mad.lo.u32 %r5, %r2, %r4, %r1; setp.ge.u32 %p1, %r5, %r9; @%p1 bra L1;\n"
    "mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];\n"
    "setp.eq.u32 %p2, %r5, 0; @%p2 bra L1; ld.global.f32 %f2, [%rd3+-4];\n"
    "add.f32 %f3, %f1, %f2; add.f32 %f3, %f3, %f1;\nL1: ret;";

static void border_blocks_count_as_many_times_as_there_are(void **state)
{
    (void)state;

    assert_means(in_layers(kernel(border, (PtxDim){10, 1, 1}, 32, 10 * 32 - 20)), 1e-9);
    assert_means(in_layers(kernel(border, (PtxDim){3, 1, 1}, 32, 50)), 1e-9);
    assert_means(in_layers(kernel(border, (PtxDim){100, 5, 1}, 32, 100 * 32 - 31)), 1e-9);
    /* 22 blocks of 100 lie behind the data, and one of them half. */
    assert_means(in_layers(kernel(border, (PtxDim){100, 1, 1}, 32, 78 * 32 - 16)), 1e-9);
}

/* x < n && y < n, the two joined as compilers join them. */
static const char square[] =
    "mov.u32 %r6, %tid.y; mov.u32 %r7, %ntid.y; mad.lo.u32 %r5, %r2, %r4, %r1; mad.lo.u32 %r6, "
    "%r3, %r7, %r6;\n"
    "max.u32 %r7, %r5, %r6; setp.ge.u32 %p1, %r7, %r9; @%p1 bra L1;\n"
    "mad.lo.u32 %r5, %r6, 448, %r5; mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.f32 %f1, [%rd3]; add.f32 %f1, %f1, %f1; st.global.f32 [%rd3], %f1;\nL1: ret;";

static Kernel *square_kernel(PtxDim grid, PtxDim block, uint32_t n)
{
    Kernel *k = kernel(square, grid, 1, n);
    k->options.walk.launch.block = block;
    return k;
}

/* 448 x 448 elements under 1024 x 1024 threads in warps of 16 x 2: 28 x 112 of 64 x 256 blocks have something to do,
 * 6,272 of 32,768 warps. Each loads and stores 2 rows of 64 bytes, and executes 18 instructions for 12. */
static void a_grid_larger_than_its_data_in_two_axes_is_counted_right(void **state)
{
    (void)state;
    Kernel *k = square_kernel((PtxDim){64, 256, 1}, (PtxDim){16, 4, 1}, 448);
    const double busy = 6272.0 / 32768;

    const Means m = mean_of_samples(k);

    assert_true(fabs(m.sectors - 8 * busy) < 1e-12);
    assert_true(fabs(m.instr - (12 + 6 * busy)) < 1e-9);
    arena_free(k->arena);
}

static void grids_larger_than_their_data_are_counted_as_every_warp_says(void **state)
{
    (void)state;
    static const PtxDim blocks[] = {{16, 4, 1}, {32, 8, 1}, {64, 1, 1}};
    static const struct {
        uint32_t n;
        double tolerance; /* differences at the borders of both axes are still taken to add up */
    } sizes[] = {{40, 1e-9}, {64, 1e-9}, {96, 1e-9}, {100, 0.01}, {129, 0.01}};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const PtxDim grid = {256 / blocks[b].x, 256 / blocks[b].y, 1};
            assert_means(square_kernel(grid, blocks[b], sizes[i].n), sizes[i].tolerance);
        }
}

/* All of 24 to 40 of 64 blocks along both axes do three times what others do, which store only. */
static void what_is_unlike_in_two_axes_is_not_added_up(void **state)
{
    (void)state;
    static const char *const body =
        "max.u32 %r5, %r2, %r3; min.u32 %r6, %r2, %r3; st.global.f32 [%rd1], 0f00000000;\n"
        "setp.ge.u32 %p1, %r5, 40; @%p1 bra L1; setp.lt.u32 %p1, %r6, 24; @%p1 bra L1;\n"
        "ld.global.f32 %f1, [%rd1]; add.f32 %f1, %f1, %f1; add.f32 %f1, %f1, %f1; add.f32 %f1, "
        "%f1, %f1;\n"
        "add.f32 %f1, %f1, %f1; add.f32 %f1, %f1, %f1; add.f32 %f1, %f1, %f1; add.f32 %f1, %f1, "
        "%f1;\nL1: ret;";
    assert_means(kernel(body, (PtxDim){64, 64, 1}, 32, 0), 0.05);
}

/* --- odd launches --------------------------------------------------------------------------- */

/* x, y and z of a thread in %r20 to %r22. */
#define PLACE                                                                                      \
    "mov.u32 %r10, %tid.y; mov.u32 %r11, %ntid.y; mov.u32 %r12, %tid.z; mov.u32 %r13, %ntid.z;\n"  \
    "mov.u32 %r14, %ctaid.z; mad.lo.u32 %r20, %r2, %r4, %r1; mad.lo.u32 %r21, %r3, %r11, %r10;\n"  \
    "mad.lo.u32 %r22, %r14, %r13, %r12;\n"
#define BEYOND(what) "setp.ge.u32 %p1, " what ", %r9; @%p1 bra L1;\n"
#define DOUBLE(index)                                                                              \
    "mul.wide.u32 %rd2, " index ", 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];\n"      \
    "add.f32 %f1, %f1, %f1; st.global.f32 [%rd3], %f1;\n"
#define IN_PLANE "mad.lo.u32 %r24, %r21, %r9, %r20;\n" DOUBLE("%r24")

static const char vector[] = PLACE BEYOND("%r20") DOUBLE("%r20") "L1: ret;";
/* The first half of each warp. */
static const char half[] =
    PLACE "and.b32 %r30, %r1, 31; setp.ge.u32 %p1, %r30, 16; @%p1 ret;\n" BEYOND("%r20")
        DOUBLE("%r20") "L1: ret;";
/* Even elements all, odd ones below n. */
static const char odd_ones[] =
    PLACE "and.b32 %r30, %r20, 1; setp.eq.u32 %p1, %r30, 0; @%p1 bra L2;\n" BEYOND("%r20")
        DOUBLE("%r20") "bra L1;\nL2: " DOUBLE("%r20") "L1: ret;";
/* Elements from x on, every 17th. */
static const char rest_of_row[] = PLACE BEYOND("%r20") "mov.u32 %r30, %r20;\nL0: " BEYOND("%r30")
    DOUBLE("%r30") "add.u32 %r30, %r30, 17; bra L0;\nL1: ret;";
static const char grid_stride[] =
    PLACE "mov.u32 %r30, %nctaid.x; mul.lo.u32 %r31, %r30, %r4;\nL0: " BEYOND("%r20")
        DOUBLE("%r20") "add.u32 %r20, %r20, %r31; bra L0;\nL1: ret;";
static const char plane[] = PLACE BEYOND("%r20") BEYOND("%r21") IN_PLANE "L1: ret;";
static const char triangle[] = PLACE BEYOND("%r20")
    BEYOND("%r21") "setp.gt.u32 %p1, %r20, %r21; @%p1 bra L1;\n" IN_PLANE "L1: ret;";
/* All of a plane but its rim. */
static const char stencil[] = PLACE
    "sub.u32 %r25, %r9, 1; setp.lt.u32 %p1, %r20, 1; @%p1 bra L1; setp.lt.u32 %p1, %r21, 1; @%p1 "
    "bra L1;\n"
    "setp.ge.u32 %p1, %r20, %r25; @%p1 bra L1; setp.ge.u32 %p1, %r21, %r25; @%p1 bra "
    "L1;\n" IN_PLANE "L1: ret;";
static const char box[] = PLACE BEYOND("%r20") BEYOND("%r21")
    BEYOND("%r22") "mad.lo.u32 %r24, %r22, %r9, %r21; mad.lo.u32 %r24, %r24, %r9, %r20;\n" DOUBLE(
        "%r24") "L1: ret;";
/* Into shared memory, words apart that are as many as y is. */
static const char columns[] = PLACE BEYOND("%r20") "mul.lo.u32 %r30, %r1, %r21; shl.b32 %r30, "
                                                   "%r30, 2; st.shared.f32 [%r30], %f1;\nL1: ret;";

static void odd_launches_are_counted_as_every_warp_says(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        PtxDim grid, block;
        uint32_t n[4];
    } launches[] = {
        {vector, {64, 1, 1}, {33, 1, 1}, {97, 1000, 1001, 4099}},
        {vector, {64, 1, 1}, {100, 1, 1}, {31, 1000, 1001, 4099}},
        {vector, {64, 1, 1}, {7, 1, 1}, {1, 31, 97, 4099}},
        {half, {64, 1, 1}, {33, 1, 1}, {97, 1000, 1001, 4099}},
        {half, {64, 1, 1}, {250, 1, 1}, {1, 1000, 1001, 4099}},
        {odd_ones, {64, 1, 1}, {33, 1, 1}, {1, 97, 1000, 4099}},
        {odd_ones, {64, 1, 1}, {48, 1, 1}, {31, 97, 1000, 1001}},
        {odd_ones, {64, 1, 1}, {250, 1, 1}, {1, 97, 1000, 4099}},
        {rest_of_row, {40, 1, 1}, {48, 1, 1}, {31, 97, 500, 1001}},
        {grid_stride, {40, 1, 1}, {100, 1, 1}, {3001, 4001, 9999, 10007}},
        {grid_stride, {101, 1, 1}, {33, 1, 1}, {97, 1000, 3001, 10007}},
        {plane, {13, 13, 1}, {10, 10, 1}, {9, 40, 61, 100}},
        {plane, {4, 43, 1}, {33, 3, 1}, {9, 40, 61, 100}},
        {triangle, {8, 32, 1}, {16, 4, 1}, {9, 40, 61, 100}},
        {triangle, {13, 13, 1}, {10, 10, 1}, {9, 40, 61, 100}},
        {stencil, {13, 13, 1}, {10, 10, 1}, {9, 40, 61, 100}},
        {stencil, {4, 43, 1}, {33, 3, 1}, {9, 40, 61, 100}},
        {box, {4, 4, 7}, {8, 8, 4}, {9, 17, 25, 27}},
        {box, {6, 6, 6}, {5, 5, 5}, {9, 17, 25, 29}},
        {columns, {5, 9, 1}, {20, 3, 1}, {9, 40, 61, 100}},
    };
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
        for (int k = 0; k < 4; k++) {
            Kernel *x = kernel(launches[i].body, launches[i].grid, 1, launches[i].n[k]);
            x->options.walk.launch.block = launches[i].block;
            assert_means(x, 1e-9);
        }
}

/* One warp of 33 threads has 8 alignments and the other one thread: 2,048 of them are too many steps here, 64 are not. */
static void what_is_followed_whole_has_a_bound(void **state)
{
    (void)state;
    Kernel *k = kernel(vector, (PtxDim){64, 1, 1}, 33, 4099);
    const Means all = mean_of_all(k);

    assert_true(fabs(mean_of_samples(k).sectors / all.sectors - 1) < 1e-9);
    k->options.walk.max_steps = 1000;
    assert_true(fabs(mean_of_samples(k).sectors / all.sectors - 1) > 0.01);
    arena_free(k->arena);
}

static void blocks_without_a_border_need_no_walk_of_their_own(void **state)
{
    (void)state;
    Kernel *k = kernel(ROW_OF(32), (PtxDim){50, 50, 1}, 32, 0);

    const Memory *m = memory_follow(k->arena, k->entry, &k->options);

    assert_int_equal(m->samples->count, 1);
    assert_true(m->samples->at[0].weight == 1);
    arena_free(k->arena);
}

/* Of 32-bit integers ptxas makes one operation for all lanes, if these are at one address. */
static void lanes_at_one_address_are_combined_or_come_in_turn(void **state)
{
    (void)state;
    static const struct {
        const char *operation;
        double sectors;
    } cases[] = {{"red.global.add.u32 [%rd1], %r1;", 1},
                 {"red.global.max.s32 [%rd1], %r1;", 1},
                 {"atom.global.or.b32 %r5, [%rd1], %r1;", 1},
                 {"red.global.add.f32 [%rd1], %f1;", 32},
                 {"red.global.add.u64 [%rd1], %rd1;", 32},
                 {"atom.global.exch.b32 %r5, [%rd1], %r1;", 32},
                 {"and.b32 %r5, %r1, 1; mul.wide.u32 %rd2, %r5, 8; add.s64 %rd2, %rd1, %rd2;\n"
                  "red.global.add.u32 [%rd2], %r1;",
                  16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[200];
        snprintf(body, sizeof body, "%s ret;", cases[i].operation);
        Kernel *k = kernel(body, (PtxDim){1, 1, 1}, 32, 0);
        assert_true(mean_of_samples(k).sectors == cases[i].sectors);
        arena_free(k->arena);
    }
}

/* A tree over the threads of the block: warp w goes on while w < 4, 2, 1. */
static const char tree[] =
    "shr.u32 %r6, %r4, 1;\nL1: setp.ge.u32 %p1, %r1, %r6; @%p1 bra L2;\n"
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];\nL2:\n"
    "bar.sync 0; shr.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra L1; ret;";

static void warps_that_differ_are_followed_themselves(void **state)
{
    (void)state;

    assert_means(in_layers(kernel(tree, (PtxDim){4, 1, 1}, 256, 0)), 1e-9); /* all eight */
    assert_means(in_layers(kernel(tree, (PtxDim){4, 1, 1}, 1024, 0)),
                 1e-9); /* all 32: what one does depends on bits of its number */
}

/* Word i of the buffer is i / 8 + 1: so many rounds thread i goes, a load each. */
static bool rising(void *context, uint64_t address, int bytes, uint64_t *value)
{
    (void)context;
    *value = (address - (UINT64_C(1) << 40)) / 32 + 1;
    return bytes == 4;
}

static bool nowhere(void *context, const char *name, uint64_t *address)
{
    (void)context;
    (void)name;
    (void)address;
    return false;
}

static const WalkData rising_data = {NULL, rising, NULL, nowhere, NULL, NULL};

/* The same, as rows sorted by length have it: the first warp has 4000 rounds, the tenth 400. */
static bool falling(void *context, uint64_t address, int bytes, uint64_t *value)
{
    (void)context;
    *value = 4000 / ((address - (UINT64_C(1) << 40)) / 128 + 1);
    return bytes == 4;
}

static const WalkData falling_data = {NULL, falling, NULL, nowhere, NULL, NULL};

/* Those below n. */
static const char rounds[] =
    "mad.lo.u32 %r5, %r2, %r4, %r1; setp.ge.u32 %p1, %r5, %r9; @%p1 bra L2;\n"
    "mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r6, [%rd3];\n"
    "L1: ld.global.f32 %f1, [%rd3]; add.s64 %rd3, %rd3, 4; sub.u32 %r6, %r6, 1;\n"
    "setp.ne.u32 %p2, %r6, 0; @%p2 bra L1;\nL2: ret;";

static Kernel *rising_kernel(uint32_t blocks, uint32_t n)
{
    Kernel *k = kernel(rounds, (PtxDim){blocks, 1, 1}, 64, n);
    k->options.walk.data = &rising_data;
    return k;
}

static void few_warps_that_depend_on_data_are_all_followed(void **state)
{
    (void)state;

    assert_means(rising_kernel(5, 5 * 64), 1e-9);
}

/* The middle block, and half of the others, lie beyond the end of the data. */
static void an_idle_middle_does_not_hide_that_data_decide(void **state)
{
    (void)state;

    assert_means(rising_kernel(8, 4 * 64 - 20), 1e-9);
}

static bool thousand(void *context, uint64_t address, int bytes, uint64_t *value)
{
    (void)context;
    (void)address;
    *value = 1000;
    return bytes == 4;
}

static const WalkData thousands_data = {NULL, thousand, NULL, nowhere, NULL, NULL};

/* Half of the blocks lie beyond the data, the middle one among them; the others take more steps than all of them may. */
static void long_loops_beside_idle_blocks_are_estimated(void **state)
{
    (void)state;
    static const char nested[] =
        "mad.lo.u32 %r5, %r2, %r4, %r1; setp.ge.u32 %p1, %r5, %r9; @%p1 bra L3;\n"
        "mov.u32 %r7, 20; mul.wide.u32 %rd2, %r5, 4;\nL2: add.s64 %rd3, %rd1, %rd2;\n"
        "ld.global.u32 %r6, [%rd3];\n"
        "L1: ld.global.u32 %r8, [%rd3]; mul.wide.u32 %rd4, %r8, 4; add.s64 %rd4, %rd4, %rd3;\n"
        "ld.global.f32 %f1, [%rd4]; add.s64 %rd3, %rd3, 4; sub.u32 %r6, %r6, 1;\n"
        "setp.ne.u32 %p2, %r6, 0; @%p2 bra L1;\n"
        "sub.u32 %r7, %r7, 1; setp.ne.u32 %p2, %r7, 0; @%p2 bra L2;\nL3: ret;";
    Kernel *k = kernel(nested, (PtxDim){8, 1, 1}, 64, 4 * 64);
    k->options.walk.data = &thousands_data;
    const Means all = mean_of_all(k);
    k->options.walk.max_steps = 200000;

    const Memory *m = memory_follow(k->arena, k->entry, &k->options);

    assert_true(m->samples->at[0].place.block.x < 4 && m->samples->at[0].walk->capped);
    assert_true(m->samples->even > 3);
    assert_true(fabs(m->mean.instr / all.instr - 1) < 0.6);
    arena_free(k->arena);
}

/* In equal parts of their order, as many as make the mean sure. */
static void many_warps_that_depend_on_data_are_sampled_evenly(void **state)
{
    (void)state;
    Kernel *k = rising_kernel(100, 100 * 64);

    const Memory *m = memory_follow(k->arena, k->entry, &k->options);

    assert_true(m->samples->even > SAMPLE_SPREAD + 1);
    assert_true(memory_sampling_error(m->samples) < SAMPLED_ENOUGH);
    arena_free(k->arena);
    assert_means(rising_kernel(100, 100 * 64), 0.01);
}

/* 1 to 50 rounds by chance, the same for so many bytes. */
static bool by_chance(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const uint64_t *alike = context;
    *value = (address - (UINT64_C(1) << 40)) / *alike * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    *value = *value % 50 + 1;
    return bytes == 4;
}

/* Two warps a block: rows of one length in a block, sequences of a batch, are in order within it. */
static void warps_of_a_block_are_compared_with_each_other(void **state)
{
    (void)state;
    static const struct {
        uint64_t alike;
        double least, most;
    } cases[] = {{4 * 64, 0, 0}, {4 * 32, 0.5, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t alike = cases[i].alike;
        const WalkData data = {&alike, by_chance, NULL, nowhere, NULL, NULL};
        Kernel *k = kernel(rounds, (PtxDim){400, 1, 1}, 64, UINT32_MAX);
        k->options.walk.data = &data;

        const MemorySamples *s = memory_follow(k->arena, k->entry, &k->options)->samples;

        const double disorder = memory_sampling_disorder(s);
        assert_int_equal(s->mates, SAMPLE_MATES);
        assert_true(cases[i].least <= disorder && disorder <= cases[i].most);
        arena_free(k->arena);
    }
}

/* What the first quarter of the warps of each block does counts for a quarter, however long the others work. */
static void warps_of_a_block_are_sampled_as_evenly_as_blocks(void **state)
{
    (void)state;
    static const uint32_t threads[] = {128, 256, 288, 512, 1024};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        for (uint64_t steps = SAMPLE_STEPS; steps > SAMPLE_STEPS / 100; steps /= 3) {
            Kernel *k = kernel(rounds, (PtxDim){1201, 1, 1}, threads[i], UINT32_MAX);
            k->options.walk.data = &thousands_data;
            k->options.walk.max_steps = steps;

            const Memory *m = memory_follow(k->arena, k->entry, &k->options);

            double part = 0;
            const uint32_t warps = threads[i] / 32, few = (warps + 3) / 4;
            for (int s = 0; s < m->samples->count; s++)
                part += m->samples->at[s].place.warp < few ? m->samples->at[s].weight : 0;
            assert_true(m->samples->even > 8);
            assert_true(fabs(part - few / (double)warps) < 1.5 / m->samples->even);
            arena_free(k->arena);
        }
}

/* Evenly spread warps alone would have missed the first one, and be 40 % short. */
static void where_work_falls_from_an_end_on_warps_there_are_followed(void **state)
{
    (void)state;
    Kernel *k = rising_kernel(500, 500 * 64);
    k->options.walk.data = &falling_data;

    const Memory *m = memory_follow(k->arena, k->entry, &k->options);

    double weights = 0, most = 0;
    for (int i = 0; i < m->samples->count; i++) {
        weights += m->samples->at[i].weight;
        most = fmax(most, m->samples->at[i].walk->instr);
    }
    assert_true(fabs(weights - 1) < 1e-9);
    assert_true(most > 4 * 4000);
    arena_free(k->arena);
    k = rising_kernel(500, 500 * 64);
    k->options.walk.data = &falling_data;
    assert_means(k, 0.1);
}

/* Rounds rise with the square of the distance from the nearer end, to a plateau about the middle: all blocks there are
 * alike, those at the ends do least, and there is no border. */
static const char picture[] =
    "mov.u32 %r5, %nctaid.x; sub.u32 %r5, %r5, %r2; sub.u32 %r5, %r5, 1; min.u32 %r5, %r5, %r2;\n"
    "mul.lo.u32 %r6, %r5, %r5; min.u32 %r6, %r6, 3000; mov.f32 %f1, 0f00000000;\n"
    "L1: setp.eq.u32 %p2, %r6, 0; @%p2 bra L2; add.f32 %f1, %f1, %f1; sub.u32 %r6, %r6, 1;\n"
    "bra L1; L2: ret;";

static void blocks_of_a_picture_are_sampled_evenly(void **state)
{
    (void)state;
    assert_means(in_layers(kernel(picture, (PtxDim){200, 1, 1}, 32, 0)), 0.05);
}

/* Each block does a round less than the one before it, each along one axis. */
static void blocks_in_a_row_are_sampled_without_gaps(void **state)
{
    (void)state;
    static const char body[] =
        "mov.u32 %r5, %nctaid.x; mad.lo.u32 %r6, %r3, %r5, %r2; mov.u32 %r7, %nctaid.y;\n"
        "mul.lo.u32 %r5, %r5, %r7; sub.u32 %r6, %r5, %r6; mov.f32 %f1, 0f00000000;\n"
        "L1: add.f32 %f1, %f1, %f1; sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra L1; "
        "ret;";
    assert_means(kernel(body, (PtxDim){1200, 1, 1}, 32, 0), 0.02);
    assert_means(kernel(body, (PtxDim){1, 1200, 1}, 32, 0), 0.02);
}

/* Rounds are 1, 21, 81 and 181 for four blocks each: the one in the middle is like the next, only the last differs from both. */
static void a_period_longer_than_a_cycle_of_neighbours_is_seen(void **state)
{
    (void)state;
    static const char body[] = "shr.u32 %r5, %r2, 2; and.b32 %r5, %r5, 3; mul.lo.u32 %r5, %r5, "
                               "%r5; mad.lo.u32 %r6, %r5, 20, 1;\n"
                               "mov.f32 %f1, 0f00000000;\n"
                               "L1: add.f32 %f1, %f1, %f1; sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, "
                               "%r6, 0; @%p2 bra L1; ret;";
    assert_means(kernel(body, (PtxDim){4096, 1, 1}, 32, 0), 0.03);
    assert_means(kernel(body, (PtxDim){4096, 7, 1}, 32, 0), 0.03);
}

/* Looks at blocks between the ends only where the number of a block does more than it does in a comparison. */
static void periods_are_sought_where_there_may_be_any(void **state)
{
    (void)state;
    static const char compared[] = "shl.b32 %r5, %r2, 5; setp.ge.u32 %p1, %r5, %r9; @%p1 bra L1;\n"
                                   "ld.global.f32 %f1, [%rd1];\nL1: ret;";
    static const char masked[] = "and.b32 %r5, %r2, 4096; setp.ge.u32 %p1, %r5, %r9; @%p1 bra L1;\n"
                                 "ld.global.f32 %f1, [%rd1];\nL1: ret;";
    size_t walked[2];
    for (int i = 0; i < 2; i++) {
        Kernel *k = kernel(i ? masked : compared, (PtxDim){4096, 1, 1}, 32, 4096 * 32);
        walked[i] = memory_follow(k->arena, k->entry, &k->options)->samples->walked.count;
        arena_free(k->arena);
    }
    assert_int_equal(walked[1], walked[0] + SAMPLE_UNLIKE);
}

/* The dividend is 0, for which a routine is called, in the first warp of the middle block and in the last of the one
 * before; or of a block further on, which no one sees.  The data end within the last warp. */
static void a_middle_block_like_no_other_does_not_stand_for_all(void **state)
{
    (void)state;
    static const char body[] =
        "mad.lo.u32 %r7, %r2, 64, %r1; setp.ge.u32 %p1, %r7, 262130; @%p1 bra L1;\n"
        "sub.s32 %r5, %r2, %r9; shr.u32 %r6, %r1, 5; add.s32 %r5, %r5, %r6;\n"
        "cvt.rn.f32.s32 %f1, %r5; mov.f32 %f2, 0f44800000; div.rn.f32 %f3, %f1, %f2;\n"
        "st.global.f32 [%rd1], %f3;\nL1: ret;";
    for (uint32_t other = 0; other < 2; other++) {
        const uint32_t middle = 2048;
        Kernel *k = kernel(body, (PtxDim){2 * middle, 1, 1}, 64, middle + 100 * other);

        const Memory *m = memory_follow(k->arena, k->entry, &k->options);

        assert_true(m->mean.routines[WALK_DIVISIONS].called < 0.05);
        assert_int_equal(m->samples->even > 0, !other);
        arena_free(k->arena);
    }
}

/* At the fractions of 1/2 + 0.7548… k of the grid's width, and of 0.5698… k, of 0.4142… k, of 0.6180… k; k is 1 to 5. */
static void blocks_of_a_picture_fill_it_by_a_sequence(void **state)
{
    (void)state;
    static const PtxPlace all[] = {{{50, 6, 91}, 0},
                                   {{1, 63, 32}, 1},
                                   {{152, 20, 74}, 0},
                                   {{103, 77, 15}, 1},
                                   {{54, 34, 57}, 1}};
    Kernel *k = kernel(picture, (PtxDim){200, 100, 100}, 64, 0);

    const Memory *m = memory_follow(k->arena, k->entry, &k->options);

    assert_in_range(m->samples->even, 6, 224);
    for (int i = 0; i < 5; i++)
        assert_true(ptx_same_place(m->samples->at[i + 1].place, all[i]));
    for (int i = 0; i < m->samples->even; i++)
        assert_true(m->samples->at[i].weight == 1.0 / m->samples->even);
    assert_int_equal(m->samples->all, 200 * 100 * 100 * 2);
    arena_free(k->arena);
}

/* Work of 10, 12, 14 and 20; 4 of 40 warps. In order, with the first of unknown place, the differences to the one
 * before are 10, 8, 2 and 6; by their distances they are 2, 2, 6 and 6. */
static void the_error_of_a_sample_is_that_of_differences_of_neighbours(void **state)
{
    (void)state;
    static const double work[] = {10, 12, 14, 20};
    static const PtxDim blocks[] = {{0, 0, 0}, {1, 0, 0}, {5, 8, 0}, {5, 9, 1}};
    Arena *a = arena_new();
    Walk walks[4] = {0};
    MemorySamples *s = ARENA_NEW(a, MemorySamples);
    s->count = s->even = 4, s->all = 40, s->grid = (PtxDim){10, 10, 2};
    for (int i = 0; i < 4; i++) {
        walks[i].instr = work[i];
        s->at[i] = (MemorySample){.place.block = blocks[i], .walk = &walks[i]};
    }

    const double apart = sqrt(0.9 * (4 + 4 + 36 + 36) / 8 / 4) / 14;
    const double in_order = sqrt(0.9 * (100 + 64 + 4 + 36) / 8 / 4) / 14;
    assert_true(fabs(memory_sampling_error(s) - apart) < 1e-12);
    assert_true(memory_sampling_disorder(s) == 0);
    s->ordered = true;
    assert_true(fabs(memory_sampling_error(s) - in_order) < 1e-12);
    /* Half of 4 and 36, among deviations from the mean of 2, 0 and 6. */
    assert_true(fabs(memory_sampling_disorder(s) - sqrt(20.0 / 40)) < 1e-12);
    s->mates = 2, s->mates_apart = 10.0 / 3;
    assert_true(fabs(memory_sampling_disorder(s) - sqrt(10.0 / 40)) < 1e-12);
    s->all = 4;
    assert_true(memory_sampling_error(s) == 0);
    s->all = 40, s->even = 1;
    assert_true(memory_sampling_error(s) == 0);
    arena_free(a);
}

/* The data end after three warps of eight in the last block: its middle warp does nothing, the first three do. */
static void warps_of_a_block_at_the_border_are_followed(void **state)
{
    (void)state;
    static const char *const body =
        "mad.lo.u32 %r5, %r2, %r4, %r1; setp.ge.u32 %p1, %r5, %r9; @%p1 bra L1;\n"
        "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];\n"
        "add.f32 %f1, %f1, %f1; st.global.f32 [%rd3], %f1;\nL1: ret;";
    assert_means(in_layers(kernel(body, (PtxDim){9, 1, 1}, 256, 8 * 256 + 96)), 1e-12);
    assert_means(in_layers(kernel(body, (PtxDim){12, 1, 1}, 256, 8 * 256 + 96)), 1e-12);
}

/* Thread 0 alone goes past the sum: its warp executes the same blocks, but its lanes part. */
static void warps_whose_lanes_part_are_not_alike(void **state)
{
    (void)state;
    Kernel *k = kernel("setp.eq.u32 %p1, %r1, 0; @%p1 bra L1; add.f32 %f1, %f1, %f1;\nL1: ret;",
                       (PtxDim){8, 1, 1}, 96, 0);
    const Walk *walks[3];
    for (uint32_t i = 0; i < 3; i++) {
        k->options.walk.place = (PtxPlace){.warp = i};
        walks[i] = walk_warp(k->arena, k->entry, &k->options.walk);
    }
    assert_true(walks[0]->functions.at[0]->blocks[1].visits == 1);
    assert_true(walks[1]->functions.at[0]->blocks[1].visits == 1);
    assert_false(memory_same_counts(walks[0], walks[1]));
    assert_true(memory_same_counts(walks[1], walks[2]));
    arena_free(k->arena);
}

/* The first ones in a row would all lie at one end. */
static void what_steps_do_not_suffice_for_is_missing_everywhere(void **state)
{
    (void)state;
    Kernel *k = kernel(picture, (PtxDim){200, 1, 1}, 32, 0);
    k->options.walk.max_steps = 120;

    const Memory *m = memory_follow(k->arena, k->entry, &k->options);

    assert_in_range(m->samples->even, 4, SAMPLE_PICTURE - 1);
    double place = 0;
    for (int i = 0; i < m->samples->even; i++)
        place += m->samples->at[i].weight * m->samples->at[i].place.block.x / 200;
    assert_true(place > 0.3 && place < 0.7);
    arena_free(k->arena);
}

/* Threads modulo 4, and what no one knows: as many as lanes. */
static void a_match_finds_as_many_values_as_there_are(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        double values;
    } cases[] = {{"and.b32 %r5, %r1, 3; match.any.sync.b32 %r6, %r5, -1;\n"
                  "setp.eq.u32 %p1, %r6, 0; @%p1 bra L1; bar.sync 0;\nL1: ret;",
                  4},
                 {"ld.global.u32 %r5, [%rd1]; match.any.sync.b32 %r6, %r5, -1;\n"
                  "setp.eq.u32 %p1, %r6, 0; @%p1 bra L1; bar.sync 0;\nL1: ret;",
                  32}};
    for (int i = 0; i < 2; i++) {
        Kernel *k = kernel(cases[i].body, (PtxDim){1, 1, 1}, 32, 0);
        const Memory *m = memory_follow(k->arena, k->entry, &k->options);
        assert_true(m->walk->match_values == cases[i].values);
        arena_free(k->arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_differ_by_alignment_are_averaged_over_their_cycle),
        cmocka_unit_test(border_blocks_count_as_many_times_as_there_are),
        cmocka_unit_test(a_grid_larger_than_its_data_in_two_axes_is_counted_right),
        cmocka_unit_test(grids_larger_than_their_data_are_counted_as_every_warp_says),
        cmocka_unit_test(what_is_unlike_in_two_axes_is_not_added_up),
        cmocka_unit_test(odd_launches_are_counted_as_every_warp_says),
        cmocka_unit_test(what_is_followed_whole_has_a_bound),
        cmocka_unit_test(blocks_without_a_border_need_no_walk_of_their_own),
        cmocka_unit_test(warps_that_differ_are_followed_themselves),
        cmocka_unit_test(lanes_at_one_address_are_combined_or_come_in_turn),
        cmocka_unit_test(few_warps_that_depend_on_data_are_all_followed),
        cmocka_unit_test(an_idle_middle_does_not_hide_that_data_decide),
        cmocka_unit_test(long_loops_beside_idle_blocks_are_estimated),
        cmocka_unit_test(many_warps_that_depend_on_data_are_sampled_evenly),
        cmocka_unit_test(warps_of_a_block_are_compared_with_each_other),
        cmocka_unit_test(warps_of_a_block_are_sampled_as_evenly_as_blocks),
        cmocka_unit_test(a_match_finds_as_many_values_as_there_are),
        cmocka_unit_test(blocks_of_a_picture_are_sampled_evenly),
        cmocka_unit_test(blocks_in_a_row_are_sampled_without_gaps),
        cmocka_unit_test(a_period_longer_than_a_cycle_of_neighbours_is_seen),
        cmocka_unit_test(periods_are_sought_where_there_may_be_any),
        cmocka_unit_test(a_middle_block_like_no_other_does_not_stand_for_all),
        cmocka_unit_test(blocks_of_a_picture_fill_it_by_a_sequence),
        cmocka_unit_test(the_error_of_a_sample_is_that_of_differences_of_neighbours),
        cmocka_unit_test(warps_whose_lanes_part_are_not_alike),
        cmocka_unit_test(what_steps_do_not_suffice_for_is_missing_everywhere),
        cmocka_unit_test(warps_of_a_block_at_the_border_are_followed),
        cmocka_unit_test(where_work_falls_from_an_end_on_warps_there_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
