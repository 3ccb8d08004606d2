/* Sectors touched first by a warp, a block, the blocks of an SM, a launch: values worked out by hand. */
#include "metrics/ptx/memory.h"
#include "metrics/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char header[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 "
    "n) "
    "{\n.reg .b32 %r<30>; .reg .b64 %rd<30>; .reg .f32 %f<9>; .reg .pred %p<9>;\n"
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r9, [n];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mov.u32 %r4, %ntid.x;\n"
    "mad.lo.u32 %r5, %r2, %r4, %r1; mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2;\n";

static const uint64_t pointer = UINT64_C(1) << 40;

static const Memory *follow(Arena *a, const char *body, PtxDim grid, uint32_t threads,
                            ReuseDevice device)
{
    Source *s = ARENA_NEW(a, Source);
    Diag d = diag_new(a);
    const char *text = arena_printf(a, "%s%s}\n", header, body);
    *s = (Source){"k.ptx", text, strlen(text)};
    const PtxFunction *entry = ptx_find_entry(ptx_parse(a, s, &d), "k");
    assert_int_equal(d.errors, 0);
    unsigned char params[12] = {0};
    memcpy(params, &pointer, 8);
    const MemoryOptions o = {.reuse = true,
                             .device = device,
                             .walk.launch = {.grid = grid,
                                             .block = {threads, 1, 1},
                                             .has_geometry = true,
                                             .params = params,
                                             .param_bytes = sizeof params}};
    return memory_follow(a, entry, &o);
}

static void assert_first(const Memory *m, size_t access, double warp, double block, double sm,
                         double launch)
{
    const double *first = m->accesses.at[access].reuse.first;

    assert_float_equal((float)first[REUSE_WARP], (float)warp, 1e-6F);
    assert_float_equal((float)first[REUSE_BLOCK], (float)block, 1e-6F);
    assert_float_equal((float)first[REUSE_SM], (float)sm, 1e-6F);
    assert_float_equal((float)first[REUSE_LAUNCH], (float)launch, 1e-6F);
}

static void rows_of_their_own_are_first_touches_throughout(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const Memory *m = follow(a, "ld.global.f32 %f1, [%rd3]; ret;", (PtxDim){100, 1, 1}, 128,
                             (ReuseDevice){10, 4, 0, 0, 0});

    assert_first(m, 0, 1, 1, 1, 1);
    arena_free(a);
}

/* One sector for all: 4 warps a block, 3 blocks an SM, 100 blocks. */
static void what_all_threads_read_is_touched_first_once(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const Memory *m = follow(a, "ld.global.f32 %f1, [%rd1]; ret;", (PtxDim){100, 1, 1}, 128,
                             (ReuseDevice){10, 3, 0, 0, 0});

    assert_first(m, 0, 1, 1 / 4.0, 1 / 12.0, 1 / 400.0);
    arena_free(a);
}

/* Elements i and i + 1; blocks of 2 warps, 10 of them.  A warp: 4 sectors and 5, of which 1 is new.
 * The second warp finds its first sector touched: 7 of 8, 2 of 10.  The next block likewise, so that
 * 61 + 20 = 81 sectors are touched in all, which hold 641 elements. */
static void neighbours_share_the_sector_at_their_border(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const Memory *m = follow(a, "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4]; ret;",
                             (PtxDim){10, 1, 1}, 64, (ReuseDevice){10, 1, 0, 0, 0});

    assert_first(m, 0, 1, 7 / 8.0, 7 / 8.0, 61 / 80.0);
    assert_first(m, 1, 1 / 5.0, 2 / 10.0, 2 / 10.0, 20 / 100.0);
    arena_free(a);
}

/* Elements i and i + 1; 10 blocks of 80 threads, the third warp with 16.  Sectors of a block's warps: 4, 4
 * and 2, and 5, 5 and 3, of which the last one is new each time and what the next warp's or block's first
 * would be: 4 + 3 + 1 of 10, 3 of 13; 80 - 9 of 100. */
static void a_last_warp_of_fewer_lanes_reads_less(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const Memory *m = follow(a, "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4]; ret;",
                             (PtxDim){10, 1, 1}, 80, (ReuseDevice){10, 1, 0, 0, 0});

    assert_first(m, 0, 1, 8 / 10.0, 8 / 10.0, 71 / 100.0);
    assert_first(m, 1, 3 / 13.0, 3 / 13.0, 3 / 13.0, 30 / 130.0);
    arena_free(a);
}

/* The first warp of each of 100 blocks adds to one word, the middle warp never does. */
static void atomics_of_all_blocks_on_one_word_are_first_once(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const Memory *m = follow(a,
                             "setp.ne.u32 %p1, %r1, 0; @%p1 bra E;"
                             "red.global.add.u32 [%rd1], 1;\nE: ret;",
                             (PtxDim){100, 1, 1}, 128, (ReuseDevice){10, 3, 0, 0, 0});

    assert_float_equal((float)m->accesses.at[0].reuse.first[REUSE_LAUNCH], 0.01F, 1e-6F);
    arena_free(a);
}

/* Tiles of 32 × 4 words in rows of 4096 bytes.  Loaded, the next block goes on to the right; stored, it goes on 4
 * rows below, so that runs stay 128 bytes. */
static void runs_go_on_where_the_next_block_does(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const Memory *m = follow(a,
                             "and.b32 %r6, %r1, 31; shr.u32 %r7, %r1, 5;"
                             "mul.lo.u32 %r8, %r7, 4096; shl.b32 %r10, %r6, 2;"
                             "add.u32 %r8, %r8, %r10; mul.lo.u32 %r11, %r2, 128;"
                             "mul.lo.u32 %r12, %r2, 16384; add.u32 %r11, %r11, %r8;"
                             "add.u32 %r12, %r12, %r8; cvt.u64.u32 %rd5, %r11;"
                             "cvt.u64.u32 %rd6, %r12; add.s64 %rd5, %rd5, %rd1;"
                             "add.s64 %rd6, %rd6, %rd1; ld.global.f32 %f1, [%rd5];"
                             "st.global.f32 [%rd6], %f1; ret;",
                             (PtxDim){32, 1, 1}, 128, (ReuseDevice){10, 1, 0, 0, 0});

    assert_float_equal((float)m->reuse->run_load, 128 * 32, 1e-3F);
    assert_float_equal((float)m->reuse->run_store, 128, 1e-3F);
    arena_free(a);
}

/* Rows of the grid share what depends on x alone, and the SM's second block, 4 further on in a grid
 * of 4 × 8, has the same x. */
static void blocks_share_what_does_not_depend_on_their_number(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const Memory *m = follow(a, "ld.global.f32 %f1, [%rd3]; ret;", (PtxDim){4, 8, 1}, 32,
                             (ReuseDevice){4, 2, 0, 0, 0});

    assert_first(m, 0, 1, 1, 1 / 2.0, 1 / 8.0);
    arena_free(a);
}

static const char loop[] = "mov.u32 %r6, 0;\nL: ld.global.f32 %f1, [%rd3];\n"
                           "add.s64 %rd3, %rd3, {step}; add.u32 %r6, %r6, 1;\n"
                           "setp.lt.u32 %p1, %r6, 1000; @%p1 bra L; ret;";

static double loop_first(Arena *a, const char *step)
{
    Buf b = {0};
    const char *at = strstr(loop, "{step}");
    buf_printf(&b, "%.*s%s%s", (int)(at - loop), loop, step, at + 6);
    const Memory *m =
        follow(a, buf_text(&b), (PtxDim){10, 1, 1}, 32, (ReuseDevice){10, 1, 0, 0, 0});
    buf_free(&b);
    return m->accesses.at[0].reuse.first[REUSE_WARP] * m->accesses.at[0].figures.sectors;
}

static const Memory *eight_words(Arena *a, const char *apart)
{
    return follow(a,
                  arena_printf(a,
                               "mul.wide.u32 %%rd5, %%r1, %s; add.s64 %%rd5, %%rd1, %%rd5;"
                               "mov.u32 %%r6, 0;\nL: ld.global.f32 %%f1, [%%rd5];"
                               "add.s64 %%rd5, %%rd5, 4; add.u32 %%r6, %%r6, 1;\n"
                               "setp.lt.u32 %%p1, %%r6, 8; @%%p1 bra L; ret;",
                               apart),
                  (PtxDim){1, 1, 1}, 32, (ReuseDevice){10, 1, 0, 0, 0});
}

/* Each lane reads eight words.  Where they are a sector, all lanes meet new ones at once, with the first load; where each
 * fourth lane has another place in its sectors, with every load some lane does. */
static void loads_meet_new_sectors_together_or_each_lane_by_itself(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const MemoryAccess *together = &eight_words(a, "32")->accesses.at[0];
    assert_float_equal((float)together->reuse.first[REUSE_WARP], 1 / 8.0F, 1e-6F);
    assert_float_equal((float)together->reuse.apart, 0, 1e-6F);
    assert_float_equal((float)together->figures.doublings, 8 * 5 * DOUBLING, 0); /* 32 sectors */
    const MemoryAccess *apart = &eight_words(a, "132")->accesses.at[0];
    assert_float_equal((float)apart->reuse.first[REUSE_WARP], 60 / 256.0F, 1e-6F);
    assert_float_equal((float)apart->reuse.apart, 1, 1e-6F);
    arena_free(a);
}

/* 1000 iterations, foreseen but for a few: the same 4 sectors, 4 new ones each time, and one new one
 * every second or eighth time.  The last ones find nothing of what was not followed: 4 too many. */
static void iterations_that_are_foreseen_touch_what_they_would(void **state)
{
    (void)state;
    Arena *a = arena_new();

    assert_float_equal((float)loop_first(a, "0"), 4, 1e-6F);
    assert_float_equal((float)loop_first(a, "128"), 4000, 1e-6F);
    assert_float_equal((float)loop_first(a, "16"), 4 + 1000 / 2, 5);
    assert_float_equal((float)loop_first(a, "4"), 4 + 1000 / 8, 5);
    arena_free(a);
}

/* Warp w reads row w % 2 and column w / 2: not on a line.  8 warps, 2 sets of 4 sectors and 4. */
static void warps_that_are_not_on_a_line_are_walked(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const Memory *m = follow(
        a,
        "shr.u32 %r6, %r1, 5; and.b32 %r7, %r6, 1; shr.u32 %r8, %r6, 1; and.b32 %r10, %r1, 31;\n"
        "mad.lo.u32 %r11, %r7, 32, %r10; mul.wide.u32 %rd4, %r11, 4; add.s64 %rd5, %rd1, %rd4;\n"
        "ld.global.f32 %f1, [%rd5];\n"
        "mad.lo.u32 %r12, %r8, 32, %r10; mul.wide.u32 %rd6, %r12, 4; add.s64 %rd7, %rd1, %rd6;\n"
        "ld.global.f32 %f2, [%rd7+1048576]; ret;",
        (PtxDim){10, 1, 1}, 256, (ReuseDevice){10, 1, 0, 0, 0});

    assert_first(m, 0, 1, 2 / 8.0, 2 / 8.0, 2 / 80.0);
    assert_first(m, 1, 1, 4 / 8.0, 4 / 8.0, 4 / 80.0);
    arena_free(a);
}

static double open_of(const Memory *m, size_t access)
{
    return m->accesses.at[access].reuse.open * m->accesses.at[access].figures.sectors;
}

/* Every second word: 8 sectors, none full; with the words between, by the same warp: none open. */
static void sectors_that_a_warp_does_not_fill_are_open(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const char *half = "mul.wide.u32 %rd4, %r5, 8; add.s64 %rd5, %rd1, %rd4;\n"
                       "st.global.f32 [%rd5], %f1; ret;",
               *both = "mul.wide.u32 %rd4, %r5, 8; add.s64 %rd5, %rd1, %rd4;\n"
                       "st.global.f32 [%rd5], %f1; st.global.f32 [%rd5+4], %f1; ret;";

    const Memory *m = follow(a, half, (PtxDim){10, 1, 1}, 64, (ReuseDevice){10, 1, 0, 0, 0});
    assert_float_equal((float)open_of(m, 0), 8, 1e-6F);

    m = follow(a, both, (PtxDim){10, 1, 1}, 64, (ReuseDevice){10, 1, 0, 0, 0});
    assert_float_equal((float)(open_of(m, 0) + open_of(m, 1)), 0, 1e-6F);
    assert_first(m, 1, 0, 0, 0, 0);
    arena_free(a);
}

static void loads_past_the_l1_find_nothing_there(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const Memory *m = follow(a, "ld.global.cg.f32 %f1, [%rd1]; ret;", (PtxDim){100, 1, 1}, 128,
                             (ReuseDevice){10, 3, 0, 0, 0});

    assert_first(m, 0, 1, 1, 1, 1 / 400.0);
    arena_free(a);
}

/* A warp reads a line, eight others and the first again: nine lines lie between, of which the L1 keeps twelve, six
 * (half a chance, between all and none at three), four or none that is known. */
static void what_the_l1_has_no_room_for_is_lost(void **state)
{
    static const struct {
        double lines, lost;
    } cases[] = {{12, 0}, {9, 0}, {6, 0.5}, {4, 1}, {0, 0}};
    (void)state;
    Arena *a = arena_new();
    Buf b = {0};
    for (int i = 0; i < 9; i++)
        buf_printf(&b, "ld.global.f32 %%f1, [%%rd1+%d];", 128 * i);
    buf_puts(&b, "ld.global.f32 %f2, [%rd1]; ret;");

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Memory *m = follow(a, buf_text(&b), (PtxDim){10, 1, 1}, 32,
                                 (ReuseDevice){10, 1, 128 * cases[i].lines, 0, 0});

        assert_float_equal((float)m->accesses.at[0].reuse.lost, 0, 1e-6F);
        assert_float_equal((float)m->accesses.at[9].reuse.lost, (float)cases[i].lost, 1e-6F);
    }
    buf_free(&b);
    arena_free(a);
}

/* The first warp of two reads a line at first and the second one at last, nine lines later; each has room for six.  Of the
 * two sectors of the last access one was loaded before. */
static void warps_of_a_block_lose_what_they_come_to_at_other_times(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Buf b = {0};
    buf_puts(&b,
             "and.b32 %r6, %r1, 32; xor.b32 %r7, %r6, 32; mul.wide.u32 %rd4, %r6, 1024; add.s64 "
             "%rd5, %rd1, %rd4;"
             "mul.wide.u32 %rd6, %r7, 2048; add.s64 %rd7, %rd1, %rd6; ld.global.f32 %f1, [%rd5];");
    for (int i = 1; i < 9; i++)
        buf_printf(&b, "ld.global.f32 %%f2, [%%rd5+%d];", 128 * i);
    buf_puts(&b, "ld.global.f32 %f3, [%rd7]; ret;");

    const Memory *m =
        follow(a, buf_text(&b), (PtxDim){1, 1, 1}, 64, (ReuseDevice){10, 1, 2 * 6 * 128, 0, 0});

    assert_first(m, 9, 1, 0.5, 0.5, 0.5);
    assert_float_equal((float)m->accesses.at[9].reuse.lost, 0.25F, 1e-6F);
    buf_free(&b);
    arena_free(a);
}

/* A loop that comes back to a line after a thousand others, few of which are followed. */
static void lines_of_iterations_that_are_foreseen_lie_between(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const char *body = "ld.global.f32 %f1, [%rd1]; add.s64 %rd3, %rd3, 128; mov.u32 %r6, 0;\nL: "
                       "ld.global.f32 %f2, [%rd3];\n"
                       "add.s64 %rd3, %rd3, 128; add.u32 %r6, %r6, 1;\n"
                       "setp.lt.u32 %p1, %r6, 1000; @%p1 bra L; ld.global.f32 %f3, [%rd1]; ret;";

    const Memory *m = follow(a, body, (PtxDim){1, 1, 1}, 32, (ReuseDevice){10, 1, 128 * 800, 0, 0});

    assert_float_equal((float)m->accesses.at[2].reuse.lost, 1001 / 800.0F - 1, 1e-2F);
    arena_free(a);
}

/* A block of row y loads planes 16 y to 16 y + 16, the next row's begin where it ends.  Eight of 32 blocks are resident, so that
 * half of the rows begin in the wave in which those before them do, and come to the plane a wave before these;
 * the others begin as these end.  A wave touches two rows of four blocks, 17 × 128 bytes each, the second one's first known. */
static void planes_that_neighbours_come_to_a_wave_apart_are_gone_from_a_small_l2(void **state)
{
    (void)state;
    static const char body[] =
        "mov.u32 %r6, 0; mul.lo.u32 %r7, %r3, 16;\n"
        "L: add.u32 %r8, %r7, %r6; shl.b32 %r8, %r8, 2; add.u32 %r8, %r8, %r2; shl.b32 %r8, %r8, "
        "5;\n"
        "add.u32 %r8, %r8, %r1; mul.wide.u32 %rd5, %r8, 4; add.s64 %rd5, %rd1, %rd5;\n"
        "ld.global.f32 %f1, [%rd5]; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 17; @%p1 bra L; "
        "ret;";
    const double wave = 4 * 17 * 128 * (1 + 16 / 17.0);
    const struct {
        double l2, late;
    } cases[] = {{0, 0}, {2 * wave, 0}, {wave / 4, 0.5}, {wave * 16 / 17 / 0.7, 0.5 * 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena *a = arena_new();
        const Memory *m =
            follow(a, body, (PtxDim){4, 8, 1}, 32, (ReuseDevice){8, 1, 0, cases[i].l2, 0});
        assert_float_equal((float)m->accesses.at[0].reuse.gone,
                           (float)(7 / 8.0 * cases[i].late / 17), 1e-6F);
        arena_free(a);
    }
}

/* Rows of 64 blocks, of which 8 are resident: what a row's blocks load, those of the next one load 8 waves later, behind
 * the 64 lines of the whole row. */
static void a_row_of_blocks_that_the_l2_does_not_hold_is_gone_for_the_next_row(void **state)
{
    (void)state;
    const double row = 64 * 128;
    for (int fits = 0; fits <= 1; fits++) {
        Arena *a = arena_new();
        const Memory *m = follow(a, "ld.global.f32 %f1, [%rd3]; ret;", (PtxDim){64, 5, 1}, 32,
                                 (ReuseDevice){8, 1, 0, fits ? 2 * row : row, 0});
        assert_float_equal((float)m->accesses.at[0].reuse.gone, fits ? 0 : 0.8F, 1e-6F);
        arena_free(a);
    }
}

/* All resident at once, there is no wave after. */
static void planes_of_blocks_that_all_begin_together_lie_as_far_apart_as_in_the_loop(void **state)
{
    (void)state;
    static const char body[] = "ld.global.f32 %f1, [%rd1]; ret;";
    Arena *a = arena_new();
    const Memory *m = follow(a, body, (PtxDim){4, 8, 1}, 32, (ReuseDevice){1, 32, 0, 1, 0});

    assert_float_equal((float)m->accesses.at[0].reuse.gone, 0, 0);
    m = follow(a, body, (PtxDim){4, 8, 1}, 32, (ReuseDevice){1, 4, 0, 1, 0});
    assert_true(m->accesses.at[0].reuse.gone > 0.1);
    arena_free(a);
}

/* Of 100 blocks 40 are resident; they load two rows of 20,480 bytes, then the first again, or what they stored. */
static double gone_again(Arena *a, const char *first, double l2, double filled)
{
    const Memory *m = follow(a,
                             arena_printf(a,
                                          "%s [%%rd3], %%f1; ld.global.f32 %%f2, [%%rd3+65536];"
                                          "ld.global.f32 %%f3, [%%rd3]; ret;",
                                          first),
                             (PtxDim){100, 1, 1}, 128, (ReuseDevice){10, 4, 0, l2, filled});
    assert_float_equal((float)m->accesses.at[1].reuse.gone, 0, 0);
    return m->accesses.at[2].reuse.gone;
}

static void what_a_warp_touches_again_is_gone_from_a_small_l2(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const double bytes = 2 * 40 * 128 * 4;
    const char *body = "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+65536];"
                       "ld.global.f32 %f3, [%rd3]; ret;";
    static const struct {
        double size, gone; /* of the L2, of the bytes loaded between */
    } cases[] = {{1 / 0.74, 0}, {1 / 0.90, 0.5}, {1 / 1.06, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ReuseDevice d = {10, 4, 0, bytes * cases[i].size, 0};
        const Memory *m = follow(a, body, (PtxDim){100, 1, 1}, 128, d);
        assert_float_equal((float)m->accesses.at[0].reuse.gone, 0, 0);
        assert_float_equal((float)m->accesses.at[2].reuse.gone, (float)cases[i].gone, 1e-6F);
    }
    /* What is loaded of a stored row is gone after one row. */
    assert_float_equal((float)gone_again(a, "st.global.f32", bytes, 0), 0, 0);
    assert_float_equal((float)gone_again(a, "st.global.f32", bytes / 2.12, 0), 1, 1e-6F);
    /* A row that all 100 blocks load comes once for all: 1.01 of two rows are distinct. */
    const Memory *m =
        follow(a,
               "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];"
               "ld.global.f32 %f2, [%rd3+65536]; ld.global.f32 %f3, [%rd5]; ret;",
               (PtxDim){100, 1, 1}, 128, (ReuseDevice){10, 4, 0, bytes / 5, 0});
    assert_float_equal((float)m->accesses.at[2].reuse.gone, 1.01F / 2, 1e-6F);
    /* No more can pass than the buffers have. */
    assert_float_equal((float)gone_again(a, "st.global.f32", bytes / 2, bytes / 8), 0, 0);
    arena_free(a);
}

/* Rows of a block's 8 warps from a place on that takes so many rounds to compute. */
static bool is_cut(int rounds)
{
    Arena *a = arena_new();
    const char *body =
        arena_printf(a,
                     "mov.u32 %%r6, 1; mov.u32 %%r7, 0;\n"
                     "L: mad.lo.u32 %%r6, %%r6, 1664525, 1013904223; add.u32 %%r7, %%r7, 1;"
                     "setp.lt.u32 %%p1, %%r7, %d; @%%p1 bra L;\n"
                     "and.b32 %%r8, %%r6, 1023; mul.wide.u32 %%rd4, %%r8, 128;"
                     "add.s64 %%rd5, %%rd3, %%rd4; ld.global.f32 %%f1, [%%rd5]; ret;",
                     rounds);
    const bool cut =
        follow(a, body, (PtxDim){1, 1, 1}, 256, (ReuseDevice){10, 1, 0, 0, 0})->reuse->cut;
    arena_free(a);
    return cut;
}

static void warps_in_line_need_few_walks(void **state)
{
    (void)state;
    assert_false(is_cut(REUSE_STEPS / 7)); /* walking each of them would be too much */
    assert_true(is_cut(REUSE_STEPS));
    /* All walks share the steps. */
    assert_false(is_cut(7 * REUSE_STEPS / 40));
    assert_true(is_cut(8 * REUSE_STEPS / 40));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_in_line_need_few_walks),
        cmocka_unit_test(rows_of_their_own_are_first_touches_throughout),
        cmocka_unit_test(what_all_threads_read_is_touched_first_once),
        cmocka_unit_test(a_last_warp_of_fewer_lanes_reads_less),
        cmocka_unit_test(atomics_of_all_blocks_on_one_word_are_first_once),
        cmocka_unit_test(runs_go_on_where_the_next_block_does),
        cmocka_unit_test(neighbours_share_the_sector_at_their_border),
        cmocka_unit_test(blocks_share_what_does_not_depend_on_their_number),
        cmocka_unit_test(loads_meet_new_sectors_together_or_each_lane_by_itself),
        cmocka_unit_test(iterations_that_are_foreseen_touch_what_they_would),
        cmocka_unit_test(warps_that_are_not_on_a_line_are_walked),
        cmocka_unit_test(sectors_that_a_warp_does_not_fill_are_open),
        cmocka_unit_test(loads_past_the_l1_find_nothing_there),
        cmocka_unit_test(what_the_l1_has_no_room_for_is_lost),
        cmocka_unit_test(warps_of_a_block_lose_what_they_come_to_at_other_times),
        cmocka_unit_test(lines_of_iterations_that_are_foreseen_lie_between),
        cmocka_unit_test(what_a_warp_touches_again_is_gone_from_a_small_l2),
        cmocka_unit_test(planes_that_neighbours_come_to_a_wave_apart_are_gone_from_a_small_l2),
        cmocka_unit_test(a_row_of_blocks_that_the_l2_does_not_hold_is_gone_for_the_next_row),
        cmocka_unit_test(planes_of_blocks_that_all_begin_together_lie_as_far_apart_as_in_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
