/* What whole kernels ask of memory, on kernels small enough to count by hand. */
#include "metrics/base/file.h"
#include "metrics/ptx/memory.h"
#include "metrics/ptx/ptx.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define HEADER                                                                                     \
    ".version 9.0\n.target sm_90\n.address_size 64\n"                                              \
    ".entry k(.param .u64 a, .param .u64 b, .param .u32 n) { .reg .pred %p<9>;\n"                  \
    ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>;\n"                                     \
    ".shared .align 16 .b8 tile[8192];\n"

typedef struct Fixture {
    Arena *arena;
    PtxFunction *function;
    unsigned char params[20];
    MemoryOptions options;
} Fixture;

static Fixture *fixture(const char *text)
{
    Arena *a = arena_new();
    Fixture *x = ARENA_NEW(a, Fixture);
    Source *s = ARENA_NEW(a, Source);
    Diag d = diag_new(a);
    *s = (Source){"test.ptx", text, strlen(text)};
    x->arena = a;
    x->function = ptx_find_entry(ptx_parse(a, s, &d), NULL);
    assert_int_equal(d.errors, 0);
    x->options.walk.launch = (PtxLaunch){.grid = {100, 1, 1},
                                         .block = {128, 1, 1},
                                         .has_geometry = true,
                                         .params = x->params,
                                         .param_bytes = sizeof x->params};
    return x;
}

static const Memory *follow(Fixture *x)
{
    return memory_follow(x->arena, x->function, &x->options);
}

static void set_n(Fixture *x, uint32_t n)
{
    memcpy(&x->params[16], &n, sizeof n);
}

#define GLOBAL_INDEX                                                                               \
    "ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;\n"                \
    "mov.u32 %r2, %ctaid.x;\n"

/* The one warp of a block of 32 threads, of which those below `n` run the body. */
static const Walk *one_warp(Fixture *x, uint32_t n)
{
    x->options.walk.launch.block.x = 32;
    set_n(x, n);
    return &follow(x)->mean;
}

/* One of four warps computes, loads and stores; the others leave. */
static void counts_are_means_over_warps(void **state)
{
    (void)state;
    static const char text[] = HEADER GLOBAL_INDEX
        "ld.param.u32 %r9, [n]; setp.ge.u32 %p1, %r1, %r9; @%p1 bra END;\n"
        "add.s32 %r3, %r1, %r2; cvt.rn.f32.s32 %f1, %r3; add.f32 %f2, %f1, %f1;\n"
        "ex2.approx.f32 %f3, %f2; ld.global.f32 %f4, [%rd1]; st.global.u8 [%rd1+4], %r3;\n"
        "ld.shared.u16 %r4, [tile]; st.shared.u32 [tile+8], %r4; membar.gl;\n"
        "atom.global.add.u32 %r5, [%rd1], %r4; shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1;\n"
        "div.rn.f32 %f5, %f4, %f3; div.rn.f32 %f6, %f4, %f5; END: ret; }";
    Fixture *x = fixture(text);
    set_n(x, 32);
    const Walk *mean = &follow(x)->mean, *full = one_warp(x, 32), *empty = one_warp(x, 0);

    assert_true(full->by_class[PTX_CLASS_LOAD] == empty->by_class[PTX_CLASS_LOAD] + 2);
    assert_true(full->loads[PTX_SHARED] == 1 && empty->loads[PTX_SHARED] == 0);
    assert_true(full->stores[PTX_SHARED] == 1 && empty->stores[PTX_SHARED] == 0);
    assert_true(mean->instr == (full->instr + 3 * empty->instr) / 4);
    assert_true(mean->waits_long == (full->waits_long + 3 * empty->waits_long) / 4);
    for (int i = 0; i < PTX_CLASS_COUNT; i++)
        assert_true(mean->by_class[i] == (full->by_class[i] + 3 * empty->by_class[i]) / 4);
    for (int i = 0; i < PTX_SPACE_COUNT; i++) {
        assert_true(mean->loads[i] == (full->loads[i] + 3 * empty->loads[i]) / 4);
        assert_true(mean->stores[i] == (full->stores[i] + 3 * empty->stores[i]) / 4);
    }
    for (int i = 0; i < WALK_ROUTINES; i++)
        assert_true(mean->routines[i].called ==
                    (full->routines[i].called + 3 * empty->routines[i].called) / 4);
    arena_free(x->arena);
}

static void neighbouring_threads_take_four_sectors(void **state)
{
    (void)state;
    Fixture *x =
        fixture(HEADER GLOBAL_INDEX "mad.lo.u32 %r3, %r2, 128, %r1; mul.wide.u32 %rd2, %r3, 4;\n"
                                    "add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];\n"
                                    "st.global.f32 [%rd3+4], %f1; ret; }");

    const Memory *m = follow(x);

    assert_int_equal(m->accesses.count, 2);
    assert_false(m->sampled);
    assert_true(m->samples->count >= 3);
    const MemoryAccess *load = &m->accesses.at[0], *store = &m->accesses.at[1];
    assert_int_equal(load->kind, ACCESS_LOAD);
    assert_int_equal(load->space, PTX_GLOBAL);
    assert_int_equal(load->line, 10);
    assert_true(load->figures.sectors == 4 && load->figures.sectors_min == 4);
    assert_true(load->figures.bytes == 128 && load->figures.lines == 1);
    assert_true(load->figures.executions == 1 && load->figures.lanes == 32);
    assert_true(store->figures.sectors == 5 && store->figures.lines == 2);
    arena_free(x->arena);
}

/* With 100 floats to a row, three of four blocks start in the middle of a line, some of a sector:
 * the mean of neighbours is taken and marked. */
static void rows_of_other_alignment_are_sampled(void **state)
{
    (void)state;
    Fixture *x =
        fixture(HEADER GLOBAL_INDEX "mad.lo.u32 %r3, %r2, 100, %r1; mul.wide.u32 %rd2, %r3, 4;\n"
                                    "add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3]; ret; }");

    const Memory *m = follow(x);

    assert_true(m->sampled);
    assert_true(m->accesses.at[0].figures.sectors > 4 && m->accesses.at[0].figures.sectors < 5);
    arena_free(x->arena);
}

/* A last warp with 8 of 32 threads counts by its share. */
static void a_partly_filled_warp_counts_by_its_share(void **state)
{
    (void)state;
    Fixture *x =
        fixture(HEADER GLOBAL_INDEX "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
                                    "ld.global.f32 %f1, [%rd3]; ret; }");
    x->options.walk.launch.block.x = 104;

    const Memory *m = follow(x);

    assert_true(m->accesses.at[0].figures.lanes == (3 * 32 + 8) / 4.0);
    assert_true(m->accesses.at[0].figures.sectors == (3 * 4 + 1) / 4.0);
    assert_true(m->accesses.at[0].sampled);
    arena_free(x->arena);
}

/* A transpose's column of a tile 32 words wide, and of one 33 words wide. */
static void a_padded_row_has_no_conflicts(void **state)
{
    (void)state;
    for (int width = 32; width <= 33; width++) {
        Arena *a = arena_new();
        Fixture *x = fixture(arena_printf(
            a,
            "%smov.u32 %%r1, %%laneid; mov.u32 %%r2, tile; mad.lo.u32 %%r3, %%r1, %d, %%r2;\n"
            "st.shared.f32 [%%r3], %%f1; ret; }",
            HEADER, width * 4));
        const Memory *m = follow(x);
        assert_true(m->accesses.at[0].figures.wavefronts == (width == 32 ? 32 : 1));
        assert_true(m->accesses.at[0].figures.wavefronts_min == 1);
        arena_free(x->arena);
        arena_free(a);
    }
}

/* Sixteen rows of 65 words, as the padded tile of a matrix multiply that was measured on an H200:
 * for four rows, 4 words each, 7 loads of the three widths and 10 wavefronts were counted. */
static void loads_of_a_padded_tile_merge_as_measured(void **state)
{
    (void)state;
    Buf b = {0};
    buf_puts(&b, HEADER "mov.u32 %r1, %laneid; shr.u32 %r1, %r1, 4; shl.b32 %r1, %r1, 4;\n"
                        "mov.u32 %r2, tile; add.u32 %r3, %r2, %r1;\n");
    for (int row = 0; row < 4; row++)
        for (int i = 0; i < 4; i++)
            buf_printf(&b, "ld.shared.f32 %%f1, [%%r3+%d];\n", (row * 65 + i) * 4);
    buf_puts(&b, "ret; }");
    Fixture *x = fixture(buf_text(&b));

    const Memory *m = follow(x);

    int widths[17] = {0};
    double wavefronts = 0;
    for (size_t i = 0; i < m->loads.count; i++) {
        widths[m->loads.at[i].bytes]++;
        wavefronts += m->loads.at[i].figures.wavefronts;
    }
    assert_int_equal(widths[16], 3);
    assert_int_equal(widths[8], 2);
    assert_int_equal(widths[4], 2);
    assert_true(wavefronts == 10);
    for (size_t i = 0; i < m->accesses.count; i++)
        assert_int_not_equal(m->accesses.at[i].merged, CFG_NONE);
    buf_free(&b);
    arena_free(x->arena);
}

/* Four neighbouring stores are one of 16 bytes, and 4 wavefronts instead of 16 (matrix multiply
 * with vectors and no transposed tile, measured on an H200), unless something comes between. */
static void neighbouring_stores_merge_unless_memory_is_touched_between(void **state)
{
    (void)state;
    static const char *const between[] = {"", "bar.sync 0;", "ld.shared.f32 %f2, [%r3+64];",
                                          "st.shared.f32 [tile], %f2;"};
    for (int i = 0; i < 4; i++) {
        Arena *a = arena_new();
        Fixture *x = fixture(
            arena_printf(a,
                         "%smov.u32 %%r1, %%laneid; shl.b32 %%r1, %%r1, 4;\n"
                         "mov.u32 %%r2, tile; add.u32 %%r3, %%r2, %%r1;\n"
                         "st.shared.f32 [%%r3], %%f1; st.shared.f32 [%%r3+4], %%f1; %s\n"
                         "st.shared.f32 [%%r3+8], %%f1; st.shared.f32 [%%r3+12], %%f1; ret; }",
                         HEADER, between[i]));

        const Memory *m = follow(x);

        int widths[17] = {0};
        for (size_t k = 0; k < m->loads.count; k++)
            if (m->loads.at[k].kind == ACCESS_STORE)
                widths[m->loads.at[k].bytes]++;
        assert_int_equal(widths[16], i == 0);
        assert_int_equal(widths[8], i == 0 ? 0 : 2);
        if (i == 0)
            assert_true(m->loads.at[0].figures.wavefronts == 4);
        arena_free(x->arena);
        arena_free(a);
    }
}

static void a_barrier_or_a_store_keeps_loads_apart(void **state)
{
    (void)state;
    static const char *const between[] = {"", "bar.sync 0;", "st.shared.f32 [%r3+64], %f2;"};
    for (int i = 0; i < 3; i++) {
        Arena *a = arena_new();
        Fixture *x = fixture(arena_printf(a,
                                          "%smov.u32 %%r3, tile; ld.shared.f32 %%f1, [%%r3]; %s\n"
                                          "ld.shared.f32 %%f2, [%%r3+4]; ret; }",
                                          HEADER, between[i]));
        const Memory *m = follow(x);
        assert_int_equal(m->loads.count, i == 0 ? 1 : 2);
        assert_int_equal(m->loads.at[0].bytes, i == 0 ? 8 : 4);
        arena_free(x->arena);
        arena_free(a);
    }
}

/* What two loads of neighbouring words become. */
static void check_pair(const char *text, int loads, int bytes)
{
    Fixture *x = fixture(text);
    const Memory *m = follow(x);
    assert_int_equal(m->loads.count, loads);
    assert_int_equal(m->loads.at[0].bytes, bytes);
    arena_free(x->arena);
}

/* A load of 8 bytes wants its address to be a multiple of 8, and both words under one condition. */
static void two_words_are_one_load_where_alignment_and_guards_allow(void **state)
{
    (void)state;
#define LANES                                                                                      \
    "mov.u32 %r1, %laneid; setp.gt.u32 %p1, %r1, 7; setp.gt.u32 %p2, %r1, 9; mov.u32 %r2, tile;\n"
    check_pair(HEADER LANES "shl.b32 %r1, %r1, 3; add.u32 %r3, %r2, %r1;\n"
                            "ld.shared.f32 %f1, [%r3]; ld.shared.f32 %f2, [%r3+4]; ret; }",
               1, 8);
    check_pair(HEADER LANES "shl.b32 %r1, %r1, 2; add.u32 %r3, %r2, %r1;\n"
                            "ld.shared.f32 %f1, [%r3]; ld.shared.f32 %f2, [%r3+4]; ret; }",
               2, 4);
    check_pair(HEADER LANES
               "@%p1 ld.shared.f32 %f1, [%r2]; @%p1 ld.shared.f32 %f2, [%r2+4]; ret; }",
               1, 8);
    check_pair(HEADER LANES
               "@%p1 ld.shared.f32 %f1, [%r2]; @%p2 ld.shared.f32 %f2, [%r2+4]; ret; }",
               2, 4);
    check_pair(HEADER LANES
               "@%p1 ld.shared.f32 %f1, [%r2]; @!%p1 ld.shared.f32 %f2, [%r2+4]; ret; }",
               2, 4);
#undef LANES
}

/* Five bytes in front of it do not move an array that begins at a sector. */
static void variables_are_aligned_as_they_are_declared(void **state)
{
    (void)state;
    Fixture *x = fixture(".version 9.0\n.target sm_90\n.address_size 64\n"
                         ".global .align 1 .b8 odd[5];\n.global .align 32 .b8 even[4096];\n"
                         ".entry k() { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
                         "mov.u32 %r1, %laneid; mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, odd;\n"
                         "mov.u64 %rd3, even; add.s64 %rd4, %rd3, %rd1;\n"
                         "ld.global.u8 %r2, [%rd2]; ld.global.f32 %f1, [%rd4]; ret; }");

    const Memory *m = follow(x);

    assert_true(m->accesses.at[1].figures.sectors == 4);
    arena_free(x->arena);
}

static void an_address_from_memory_is_unknown(void **state)
{
    (void)state;
    Fixture *x =
        fixture(HEADER GLOBAL_INDEX "ld.global.u32 %r4, [%rd1]; mul.wide.u32 %rd2, %r4, 4;\n"
                                    "add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3]; ret; }");

    const Memory *m = follow(x);

    assert_true(m->accesses.at[0].figures.unknown == 0);
    assert_true(m->accesses.at[0].figures.sectors == 1);
    assert_true(m->accesses.at[1].figures.unknown == 1);
    assert_true(m->accesses.at[1].figures.executions == 1);
    assert_true(m->accesses.at[1].figures.sectors == 0);
    arena_free(x->arena);
}

/* 10^6 iterations cost as much to follow as ten; every fourth starts a line. */
static void a_long_loop_is_not_walked(void **state)
{
    (void)state;
    Fixture *x = fixture(HEADER GLOBAL_INDEX
                         "ld.param.u32 %r5, [n]; mov.u32 %r6, 0;\n"
                         "L: mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2;\n"
                         "ld.global.v2.f32 {%f1, %f2}, [%rd3];\n"
                         "add.s32 %r6, %r6, 8; setp.lt.s32 %p1, %r6, %r5; @%p1 bra L; ret; }");
    set_n(x, 8000000);

    const Memory *m = follow(x);

    assert_true(m->accesses.at[0].figures.executions == 1000000);
    assert_true(m->accesses.at[0].figures.sectors == 1000000);
    assert_true(m->walk->steps < 200);
    assert_true(m->walk->skipped > 999900);
    assert_false(m->walk->capped);
    arena_free(x->arena);
}

/* Two buffers in turn, and a last iteration that does not fetch. */
static void buffers_in_turn_and_the_last_iteration_are_exact(void **state)
{
    (void)state;
    Fixture *x = fixture(HEADER GLOBAL_INDEX
                         "ld.param.u32 %r5, [n]; mov.u32 %r6, 0; mov.u32 %r7, 0;\n"
                         "mov.u32 %r8, tile; sub.u32 %r10, %r5, 1;\n"
                         "L: setp.ge.s32 %p2, %r6, %r10; xor.b32 %r7, %r7, 1;\n"
                         "@%p2 bra M; mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2;\n"
                         "ld.global.f32 %f1, [%rd3];\n"
                         "M: mad.lo.u32 %r9, %r7, 4096, %r8; mad.lo.u32 %r9, %r1, 8, %r9;\n"
                         "st.shared.f32 [%r9], %f1;\n"
                         "add.s32 %r6, %r6, 1; setp.ne.s32 %p1, %r6, %r5; @%p1 bra L; ret; }");
    set_n(x, 50001);

    const Memory *m = follow(x);

    assert_true(m->accesses.at[0].figures.executions == 50000);
    assert_true(m->accesses.at[1].figures.executions == 50001);
    assert_true(m->accesses.at[1].figures.wavefronts == 50001 * 2);
    assert_true(m->walk->skipped > 49900);
    arena_free(x->arena);
}

static void an_endless_loop_ends(void **state)
{
    (void)state;
    Fixture *x = fixture(HEADER "L: add.s32 %r1, %r1, 1; bra L; }");
    assert_true(follow(x)->walk->capped);
    arena_free(x->arena);
}

static void asynchronous_copies_have_two_sides(void **state)
{
    (void)state;
    Fixture *x =
        fixture(HEADER GLOBAL_INDEX "mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd1, %rd2;\n"
                                    "mov.u32 %r3, tile; mad.lo.u32 %r3, %r1, 16, %r3;\n"
                                    "cp.async.cg.shared.global [%r3], [%rd3], 16; ret; }");

    const Memory *m = follow(x);

    assert_int_equal(m->accesses.count, 2);
    assert_true(m->accesses.at[0].figures.sectors == 16);
    assert_int_equal(m->accesses.at[1].space, PTX_SHARED);
    assert_true(m->accesses.at[1].figures.wavefronts == 4);
    arena_free(x->arena);
}

/* Sectors fetched twice by copies to a place `off` bytes into a sector of shared memory. */
static double split_of(const char *how, int off)
{
    char text[1024];
    snprintf(text, sizeof text, "%scp.async.%s.shared.global [%%r3+%d], [%%rd3], 16; ret; }",
             HEADER GLOBAL_INDEX "mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd1, %rd2;\n"
                                 "mov.u32 %r3, tile; mad.lo.u32 %r3, %r1, 16, %r3;\n",
             how, off);
    Fixture *x = fixture(text);
    const double split = follow(x)->accesses.at[0].figures.split;
    arena_free(x->arena);
    return split;
}

static void copies_past_the_l1_fetch_sectors_twice_for_two_places(void **state)
{
    (void)state;
    assert_true(split_of("cg", 0) == 0);
    assert_true(split_of("cg", 32) == 0);
    assert_true(split_of("cg", 16) == 16);
    assert_true(split_of("ca", 16) == 0);
}

static void a_shuffled_index_is_followed(void **state)
{
    (void)state;
    Fixture *x = fixture(HEADER GLOBAL_INDEX
                         "shfl.sync.idx.b32 %r3, %r1, 3, 31, -1; mul.wide.u32 %rd2, %r3, 4;\n"
                         "add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3]; ret; }");

    const Memory *m = follow(x);

    assert_true(m->accesses.at[0].figures.unknown == 0);
    assert_true(m->accesses.at[0].figures.sectors == 1);
    assert_true(m->accesses.at[0].figures.unique_bytes == 4);
    arena_free(x->arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbouring_threads_take_four_sectors),
        cmocka_unit_test(rows_of_other_alignment_are_sampled),
        cmocka_unit_test(a_partly_filled_warp_counts_by_its_share),
        cmocka_unit_test(a_padded_row_has_no_conflicts),
        cmocka_unit_test(loads_of_a_padded_tile_merge_as_measured),
        cmocka_unit_test(neighbouring_stores_merge_unless_memory_is_touched_between),
        cmocka_unit_test(a_barrier_or_a_store_keeps_loads_apart),
        cmocka_unit_test(two_words_are_one_load_where_alignment_and_guards_allow),
        cmocka_unit_test(variables_are_aligned_as_they_are_declared),
        cmocka_unit_test(an_address_from_memory_is_unknown),
        cmocka_unit_test(a_long_loop_is_not_walked),
        cmocka_unit_test(buffers_in_turn_and_the_last_iteration_are_exact),
        cmocka_unit_test(counts_are_means_over_warps),
        cmocka_unit_test(an_endless_loop_ends),
        cmocka_unit_test(asynchronous_copies_have_two_sides),
        cmocka_unit_test(copies_past_the_l1_fetch_sectors_twice_for_two_places),
        cmocka_unit_test(a_shuffled_index_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
