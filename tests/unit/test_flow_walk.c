/* One warp's walk on kernels small enough to count by hand. */
#include "tests/support/warp_kernel.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void a_counted_loop_runs_as_often_as_its_parameter_says(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(
        WARP_KERNEL "ld.param.u32 %r1, [n]; mov.u32 %r2, 0;\n"
                    "L: add.s32 %r2, %r2, 3; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;\nret; }");
    warp_kernel_set(x, 8, 100);

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(warp_block(w, 1).visits, 34); /* 3, 6, … 102 */
    assert_int_equal(warp_block(w, 1).lanes, 34 * 32);
    assert_true(w->instr == 34 * 3 + 1); /* ld.param and mov are not counted, ret is */
    assert_true(w->instr_all == 2 + 34 * 3 + 1);
    assert_int_equal(w->notes.count, 0);
    arena_free(x->arena);
}

/* 0xfff6 is -10 or 65526, from -20 on: a register takes a narrow parameter with its sign. */
static void a_narrow_parameter_keeps_its_sign(void **state)
{
    (void)state;
#define UP_TO(load)                                                                                \
    WARP_KERNEL load " %r1, [n]; mov.s32 %r2, -20;\n"                                              \
                     "L: add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;\nret; }"
    WarpKernel *all[] = {warp_kernel(UP_TO("ld.param.s16")), warp_kernel(UP_TO("ld.param.u16"))};
    for (size_t i = 0; i < 2; i++) {
        warp_kernel_set(all[i], 8, 0xfff6);

        const Walk *w = walk_warp(all[i]->arena, all[i]->function, &all[i]->options);

        assert_int_equal(warp_block(w, 1).visits, i ? 65526 + 20 : 20 - 10);
        arena_free(all[i]->arena);
    }
}

static void an_unknown_branch_walks_both_sides_and_forgets_what_differs(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(
        WARP_KERNEL "ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, 5;\n"
                    "@%p1 bra A;\nmov.u32 %r2, 1; bra B;\nA: mov.u32 %r2, 2;\n"
                    "B: setp.eq.u32 %p2, %r3, 5; @%p2 bra C;\ntrap;\n"
                    "C: setp.eq.u32 %p3, %r2, 1; @%p3 bra D;\nmembar.gl;\nD: ret; }");

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(warp_block(w, 1).visits, 1);
    assert_int_equal(warp_block(w, 2).visits, 1);
    assert_int_equal(warp_block(w, 3).visits, 1);
    assert_int_equal(warp_block(w, 4).visits, 0); /* %r3 is the same on both sides: still known */
    assert_int_equal(warp_block(w, 6).visits, 1); /* %r2 differs: not known */
    assert_int_equal(w->unknown_branches, 2);
    assert_int_equal(w->notes.count, 2);
    arena_free(x->arena);
}

static void a_loop_of_unknown_count_takes_the_default_and_says_so(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(
        WARP_KERNEL "mov.u32 %r2, 0;\nL: ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r2, 1;\n"
                    "setp.lt.u32 %p1, %r2, %r1; @%p1 bra L;\n"
                    "setp.eq.u32 %p2, %r2, 7; @%p2 bra E;\nmembar.gl;\nE: ret; }");
    x->options.default_trips = 10;

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(warp_block(w, 1).visits, 10);
    assert_int_equal(w->unknown_loops, 1);
    assert_non_null(strstr(w->notes.at[0].text, "10 iterations assumed"));
    assert_true(warp_block(w, 2).unknown_branch); /* what the loop counted is not known behind it */
    arena_free(x->arena);
}

/* 2 + 3 of 9 are behind the branch, on either side; the loop of four is all a guess. */
static void what_stands_behind_a_guess_is_counted(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(
        WARP_KERNEL "ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1];\n"
                    "setp.gt.s32 %p1, %r1, 5; @%p1 bra A;\n"
                    "add.s32 %r2, %r2, 1; bra B;\n"
                    "A: add.s32 %r3, %r3, 1; add.s32 %r3, %r3, 2; add.s32 %r3, %r3, 3;\n"
                    "B: ret; }");
    const Walk *w = walk_warp(x->arena, x->function, &x->options);
    assert_true(w->instr == 9);
    assert_true(walk_unknown(x->arena, w).behind_branches == 5);
    assert_true(walk_unknown(x->arena, w).accesses == 0);
    arena_free(x->arena);

    x = warp_kernel(WARP_KERNEL
                    "ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1]; mov.u32 %r2, 0;\n"
                    "L: add.s32 %r2, %r2, 3; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;\nret; }");
    w = walk_warp(x->arena, x->function, &x->options);
    assert_true(walk_unknown(x->arena, w).in_loops == 3.0 * WALK_DEFAULT_TRIPS);
    arena_free(x->arena);

    x = warp_kernel(WARP_KERNEL
                    "ld.param.u32 %r1, [n]; mov.u32 %r2, 0;\n"
                    "L: add.s32 %r2, %r2, 3; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;\nret; }");
    warp_kernel_set(x, 8, 100);
    w = walk_warp(x->arena, x->function, &x->options);
    assert_true(walk_unknown(x->arena, w).in_loops == 0);
    arena_free(x->arena);
}

static bool load_number(void *context, uint64_t address, int bytes, uint64_t *value)
{
    *value = *(uint32_t *)context;
    return address == UINT64_C(1) << 40 && bytes == 4;
}

/* The bound of the loop is the first number of `a`. */
static void a_loop_runs_as_often_as_the_data_says(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(
        WARP_KERNEL "ld.param.u64 %rd1, [a]; ld.global.s32 %r1, [%rd1]; mov.u32 %r2, 0;\n"
                    "L: add.s32 %r2, %r2, 3; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;\nret; }");
    const uint64_t address = UINT64_C(1) << 40;
    uint32_t number = 100;
    const WalkData data = {.context = &number, .load = load_number};
    memcpy(x->params, &address, sizeof address);
    x->options.data = &data;

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(w->unknown_loops, 0);
    assert_true(w->data_loads > 0);
    assert_int_equal(w->functions.at[0]->loops[0].headers, 34);
    assert_true(walk_unknown(x->arena, w).in_loops == 0);
    arena_free(x->arena);
}

static bool load_nothing(void *context, uint64_t address, int bytes, uint64_t *value)
{
    (void)context;
    (void)address;
    (void)bytes;
    *value = 0;
    return false;
}

/* The kernel writes to `a` too: what stood there is found before it synchronises, and then what it has stored. */
static void what_stood_in_memory_before_is_found_until_threads_synchronise(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        int unknown, headers;
    } cases[] = {{"", 0, 34},
                 {"st.global.u32 [%rd1+4], %r1;", 0, 34},
                 {"mov.u32 %r3, 9; st.global.u32 [%rd1], %r3;", 0, 3},
                 {"bar.warp.sync -1;", 0, 34},
                 {"bar.sync 0;", 1, WALK_DEFAULT_TRIPS},
                 {"membar.gl;", 1, WALK_DEFAULT_TRIPS},
                 {"red.global.add.u32 [%rd1+8], 1;", 1, WALK_DEFAULT_TRIPS},
                 {"ld.relaxed.gpu.global.u32 %r3, [%rd1+8];", 1, WALK_DEFAULT_TRIPS},
                 {"wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%rd1], {%r1, %r1}, %r1;", 1,
                  WALK_DEFAULT_TRIPS},
                 {"mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r1;",
                  1, WALK_DEFAULT_TRIPS}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "%sld.param.u64 %%rd1, [a]; %s ld.global.s32 %%r1, [%%rd1]; mov.u32 %%r2, 0;\n"
                 "L: add.s32 %%r2, %%r2, 3; setp.lt.s32 %%p1, %%r2, %%r1; @%%p1 bra L;\n"
                 "st.global.u32 [%%rd1], %%r2; ret; }",
                 WARP_KERNEL, cases[i].before);
        WarpKernel *x = warp_kernel(text);
        const uint64_t address = UINT64_C(1) << 40;
        uint32_t number = 100;
        const WalkData data = {&number, load_nothing, load_number, NULL, NULL, NULL};
        memcpy(x->params, &address, sizeof address);
        x->options.data = &data;
        x->options.memory = true;

        const Walk *w = walk_warp(x->arena, x->function, &x->options);

        assert_int_equal(w->unknown_loops, cases[i].unknown);
        assert_int_equal(w->functions.at[0]->loops[0].headers, cases[i].headers);
        arena_free(x->arena);
    }
}

/* By one thread, or by all of a warp until it holds for each; with its own count or without. */
static void a_loop_that_waits_for_another_thread_finds_what_it_waits_for(void **state)
{
    (void)state;
    static const char *const loops[] = {
        "mov.u32 %r2, 0;\nL: ld.acquire.gpu.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 7; @%p1 "
        "bra L;\nret; }",
        "mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r1, [%rd1]; vote.sync.all.pred %p2, %p1, -1;\n"
        "setp.ne.s32 %p1, %r1, 7; @%p1 bra L;\nret; }",
        "mov.u32 %r2, 0;\nL: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.s32 %p1, %r1, 0; @%p1 "
        "bra L;\nret; }",
        /* where a place is found, something is stored */
        "mov.u32 %r2, 0;\nL: atom.global.min.u32 %r1, [%rd1], %r2; st.global.u32 [%rd1], %r2; "
        "setp.ne.s32 %p2, %r1, 0; xor.b32 %r3, %r1, %r2; setp.eq.s32 %p1, %r3, 0; and.pred %p1, "
        "%p1, "
        "%p2; @%p1 bra L;\nret; }",
        "mov.u32 %r2, 0;\nL: ld.relaxed.gpu.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0;\n"
        "@%p1 bra E;\nadd.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 100;\n@%p2 bra L;\nE: ret; }"};
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", WARP_KERNEL, loops[i]);
        WarpKernel *x = warp_kernel(text);

        const Walk *w = walk_warp(x->arena, x->function, &x->options);

        assert_int_equal(warp_block(w, 1).visits, 1);
        assert_int_equal(w->unknown_loops, 0);
        assert_int_equal(w->unknown_branches, 0);
        assert_int_equal(w->notes.count, 1);
        assert_non_null(strstr(w->notes.at[0].text, strstr(loops[i], ".min")
                                                        ? "tries again"
                                                        : "waits for another thread"));
        arena_free(x->arena);
    }
}

/* By all lanes, of a size that is known; and by what else there is, which is said not to be counted. */
static void bulk_copies_move_what_their_lanes_say(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(
        WARP_KERNEL "mov.u32 %r1, 256; mov.u32 %r2, 0; setp.eq.u32 %p1, %r2, 1; @%p1 bra E;\n"
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], "
                    "[%rd1], %r1, [%r2];\n"
                    "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 64;\n"
                    "cp.async.bulk.prefetch.L2.global [%rd1], 64;\n"
                    "cp.async.bulk.commit_group;\nret;\n"
                    "E: cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 16;\nret; }");

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_true(w->bulk_loads == 32 * 256 && w->bulk_stores == 32 * 64);
    assert_int_equal(w->notes.count, 0);
    arena_free(x->arena);
}

static void bulk_copies_of_unknown_size_are_said_not_to_be_counted(void **state)
{
    (void)state;
    static const char *const copies[] = {
        "add.u32 %r2, %r1, %r1; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;",
        "setp.eq.u32 %p1, %r1, 1; @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], "
        "16;",
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r1, %r1}], [%r1];"};
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s ret; }", WARP_KERNEL, copies[i]);
        WarpKernel *x = warp_kernel(text);

        const Walk *w = walk_warp(x->arena, x->function, &x->options);

        assert_true(w->bulk_loads == 0 && w->bulk_stores == 0);
        assert_int_equal(w->notes.count, 1);
        assert_non_null(strstr(w->notes.at[0].text, "what a bulk copy moves is not counted"));
        arena_free(x->arena);
    }
}

/* Who works between two looks does not wait: tickets that are drawn until there are none. */
static void a_stated_count_is_taken_before_any_guess(void **state)
{
    (void)state;
    static const char *const loops[] = {
        "ld.volatile.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 7;",
        "atom.global.min.u32 %r1, [%rd1], %r2; setp.ne.s32 %p1, %r1, 7;"};
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s.loc 1 8 0\nmov.u32 %%r2, 0;\nL: %s @%%p1 bra L;\nret; }",
                 WARP_KERNEL, loops[i]);
        WarpKernel *x = warp_kernel(text);
        const WalkTrips trips = {.line = 8, .rounds = 5};
        x->options.trips = &trips;
        x->options.trip_count = 1;

        const Walk *w = walk_warp(x->arena, x->function, &x->options);

        assert_int_equal(warp_block(w, 1).visits, 5);
        assert_int_equal(w->notes.count, 0);
        arena_free(x->arena);
    }
}

static void a_loop_that_stores_does_not_wait(void **state)
{
    (void)state;
    static const char *const loops[] = {
        "mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], 1;\n"
        "setp.ne.s32 %p1, %r1, 7; @%p1 bra L;\nret; }",
        "mov.u32 %r2, 0;\nL: atom.global.add.u32 %r1, [%rd1], 1; setp.lt.s32 %p1, %r1, 7; @%p1 bra "
        "L;\nret; }",
        "mov.u32 %r2, 0;\nL: ld.global.u32 %r1, [%rd1]; atom.global.min.u32 %r3, [%rd1], %r2;\n"
        "setp.ne.s32 %p1, %r1, 7; @%p1 bra L;\nret; }"};
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", WARP_KERNEL, loops[i]);
        WarpKernel *x = warp_kernel(text);
        x->options.default_trips = 10;

        const Walk *w = walk_warp(x->arena, x->function, &x->options);

        assert_int_equal(warp_block(w, 1).visits, 10);
        assert_int_equal(w->unknown_loops, 1);
        arena_free(x->arena);
    }
}

static void an_unknown_early_exit_does_not_shorten_a_counted_loop(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(
        WARP_KERNEL "mov.u32 %r2, 0;\nL: ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0;\n"
                    "@%p1 bra E;\nadd.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 100;\n"
                    "@%p2 bra L;\nE: ret; }");

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(warp_block(w, 1).visits, 100);
    assert_int_equal(w->notes.count, 1);
    assert_non_null(strstr(w->notes.at[0].text, "early exit"));
    arena_free(x->arena);
}

static void spinning_on_an_mbarrier_takes_one_round(void **state)
{
    (void)state;
    WarpKernel *x =
        warp_kernel(WARP_KERNEL "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;\n"
                                "@%p1 bra D; bra W;\nD: ret; }");

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(warp_block(w, 0).visits, 1);
    assert_true(w->barriers == 1);
    assert_int_equal(w->unknown_branches, 0);
    arena_free(x->arena);
}

static void an_endless_loop_is_stopped_and_reported(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(WARP_KERNEL "L: add.u32 %r1, %r1, 1; bra L; }");
    x->options.max_steps = 1000;

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_true(w->capped);
    assert_true(warp_block(w, 0).visits > 0 && warp_block(w, 0).visits <= 1001);
    assert_non_null(strstr(w->notes.at[w->notes.count - 1].text, "lower bounds"));
    arena_free(x->arena);
}

static void loads_issued_before_a_wait_are_one_group(void **state)
{
    (void)state;
    /* Two loads, two consumers: one wait.  A load through the loaded value: one more.  A barrier.
     */
    WarpKernel *x = warp_kernel(
        WARP_KERNEL "ld.global.f32 %f1, [%rd1]; st.shared.f32 [%r1], %f1;\n"
                    "ld.global.u64 %rd3, [%rd2]; st.shared.u64 [%r2], %rd3;\n"
                    "ld.global.f32 %f2, [%rd3]; st.shared.f32 [%r3], %f2;\nbar.sync 0;\nret; }");

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_true(w->waits_long == 2);
    assert_true(w->barriers == 1);
    assert_true(w->regions == 4);      /* three delimiters, start and end */
    assert_true(w->long_regions == 3); /* without the barrier */
    arena_free(x->arena);
}

static void a_store_that_may_alias_keeps_a_load_behind_its_wait(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(
        WARP_KERNEL "ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd2], %f1;\n"
                    "ld.global.f32 %f2, [%rd1+4]; st.global.f32 [%rd2+4], %f2;\nret; }");

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_true(w->waits_long == 2);
    arena_free(x->arena);
}

static void special_functions_delimit_only_where_nothing_is_slower(void **state)
{
    (void)state;
    WarpKernel *without =
        warp_kernel(WARP_KERNEL "sin.approx.f32 %f1, %f2; add.f32 %f3, %f1, %f1; ret; }");
    WarpKernel *with =
        warp_kernel(WARP_KERNEL "sin.approx.f32 %f1, %f2; add.f32 %f3, %f1, %f1;\n"
                                "ld.global.f32 %f4, [%rd1]; add.f32 %f5, %f4, %f4; ret; }");

    const Walk *a = walk_warp(without->arena, without->function, &without->options);
    const Walk *b = walk_warp(with->arena, with->function, &with->options);

    assert_true(a->regions == 2);
    assert_true(b->waits_sfu == 1 && b->regions == 2);
    arena_free(without->arena);
    arena_free(with->arena);
}

/* The tile loop of thesis 5.3.4 at K = 8192 in steps of 16: 512 load-consumer groups, 1024
 * barriers, one more for start and end. */
static void matrix_multiply_has_three_regions_an_iteration(void **state)
{
    (void)state;
    const char *files[] = {TEST_DATA "/ptx/matmul.sm_90.ptx", TEST_DATA "/ptx/matmul.sm_100.ptx"};
    for (int i = 0; i < 2; i++) {
        WarpKernel *x = warp_kernel_file(files[i]);
        x->options.launch.block = (PtxDim){256, 1, 1};
        warp_kernel_set(x, 24, 4096);
        warp_kernel_set(x, 28, 4096);
        warp_kernel_set(x, 32, 8192);

        const Walk *w = walk_warp(x->arena, x->function, &x->options);

        assert_true(w->regions == 512 * 3 + 1);
        assert_true(w->long_regions == 513);
        assert_true(w->by_class[PTX_CLASS_FP32] == 512 * 64);
        assert_true(w->loads[PTX_GLOBAL] == 512 * 4);
        assert_int_equal(w->notes.count, 0);
        arena_free(x->arena);
    }
}

static void a_call_is_followed_with_its_argument(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel_file(TEST_DATA "/ptx/switch.sm_90.ptx");
    warp_kernel_set(x, 8, 3); /* mode 3 calls heavy(x, n) */
    warp_kernel_set(x, 12, 5);

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(w->functions.count, 2);
    assert_int_equal(w->functions.at[1]->calls, 1);
    assert_int_equal(w->functions.at[1]->loops[0].headers, 5);
    arena_free(x->arena);
}

static void a_jump_table_takes_the_known_entry(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel_file(TEST_DATA "/ptx/switch.sm_90.ptx");
    warp_kernel_set(x, 8, 5);

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(w->functions.count, 1);       /* mode 5 calls nothing */
    assert_true(w->by_class[PTX_CLASS_FP32] == 2); /* the division and the product behind */
    arena_free(x->arena);
}

/* True if the compare continues a loop. */
static bool goes_on(int compare, int value, int bound)
{
    return compare == 0   ? value < bound
           : compare == 1 ? value <= bound
           : compare == 2 ? value > bound
                          : value >= bound;
}

/* Start, bound and step of a made-up loop. */
static void a_loop_runs_as_often_as_in_c(void **state)
{
    (void)state;
    const char *compares[] = {"lt", "le", "gt", "ge"};
    for (int c = 0; c < 4; c++)
        for (int step = 1; step <= 5; step += 2)
            for (uint32_t n = 0; n < 24; n += 5) {
                const bool up = c < 2;
                Buf text = {0};
                buf_puts(&text, WARP_KERNEL "ld.param.u32 %r1, [n];\n");
                buf_printf(&text, "mov.u32 %%r2, %s;\nL: add.s32 %%r2, %%r2, %d;\n",
                           up ? "2" : "%r1", up ? step : -step);
                buf_printf(&text, "setp.%s.s32 %%p1, %%r2, %s; @%%p1 bra L;\nret; }", compares[c],
                           up ? "%r1" : "2");
                WarpKernel *x = warp_kernel(buf_text(&text));
                warp_kernel_set(x, 8, n);

                const Walk *w = walk_warp(x->arena, x->function, &x->options);
                int trips = 0, i = up ? 2 : (int)n;
                do {
                    trips++;
                    i += up ? step : -step;
                } while (goes_on(c, i, up ? (int)n : 2));

                assert_int_equal(w->functions.at[0]->loops[0].headers, trips);
                arena_free(x->arena);
                buf_free(&text);
            }
}

/* Other ways to write a counted loop; %r1 is 68. */
static void a_loop_runs_as_often_as_its_shape_says(void **state)
{
    (void)state;
    static const struct {
        int trips;
        const char *text;
    } shapes[] = {
        {22, "mov.u32 %r2, 2; L: sub.s32 %r2, %r2, -3; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;"},
        {4, "mov.u32 %r2, 90; L: sub.s32 %r2, %r2, 7; setp.gt.s32 %p1, %r2, %r1; @%p1 bra L;"},
        {34, "mov.u32 %r2, 0; L: add.s32 %r2, %r2, 2; setp.lo.u32 %p1, %r2, %r1; @%p1 bra L;"},
        {35, "mov.u32 %r2, 0; L: add.s32 %r2, %r2, 2; setp.ls.u32 %p1, %r2, %r1; @%p1 bra L;"},
        {34, "mov.u32 %r2, 0; L: add.s32 %r2, %r2, 2; setp.hi.u32 %p1, %r1, %r2; @%p1 bra L;"},
        {35, "mov.u32 %r2, 0; L: add.s32 %r2, %r2, 2; setp.hs.u32 %p1, %r1, %r2; @%p1 bra L;"},
        {34, "mov.u32 %r2, 0; L: add.s32 %r2, %r2, 2; setp.gt.s32 %p1, %r1, %r2; @%p1 bra L;"},
        {34, "mov.u32 %r2, 0; L: add.s32 %r2, %r2, 2; setp.le.s32 %p1, %r1, %r2; @!%p1 bra L;"},
        {34, "mov.u32 %r2, 0; L: add.s32 %r2, %r2, 2; setp.ne.s32 %p1, %r2, %r1; @%p1 bra L;"},
        {91, "mov.u32 %r2, 0; shl.b32 %r3, %r1, 2; L: add.s32 %r2, %r2, 3;"
             "setp.lt.u32 %p1, %r2, %r3; @%p1 bra L;"},
        {41, "mov.u32 %r2, 0; mul.lo.s32 %r3, %r1, 3; L: add.s32 %r2, %r2, 5;"
             "setp.lt.s32 %p1, %r2, %r3; @%p1 bra L;"},
        {42, "mov.u32 %r2, 0; mad.lo.s32 %r3, %r1, 3, 5; L: add.s32 %r2, %r2, 5;"
             "setp.lt.s32 %p1, %r2, %r3; @%p1 bra L;"},
        {20, "sub.s32 %r2, %r1, 9; add.s32 %r3, %r1, %r1; L: add.s32 %r2, %r2, 4;"
             "setp.lt.s32 %p1, %r2, %r3; @%p1 bra L;"},
        {14, "mov.u32 %r2, 1; L: add.s32 %r4, %r2, 2; mov.u32 %r5, %r4; add.s32 %r2, %r5, 3;"
             "setp.lt.s32 %p1, %r4, %r1; @%p1 bra L;"},
        {34, "mov.u32 %r2, 0; L: add.s32 %r2, %r2, 2; setp.ge.s32 %p1, %r2, %r1; not.pred %p2, %p1;"
             "@%p2 bra L;"},
        {34, "mov.u32 %r2, 0; L: add.s32 %r2, %r2, 2; setp.ge.s32 %p1, %r2, %r1; not.pred %p2, %p1;"
             "not.pred %p3, %p2; not.pred %p4, %p3; @%p4 bra L;"},
        {34, "mov.u32 %r2, 0; L: add.s32 %r2, %r2, 2; setp.lt.s32 %p1, %r2, %r1; not.pred %p2, %p1;"
             "@!%p2 bra L;"},
        {23, "mov.u32 %r2, 0; shl.b32 %r4, %r1, 1; sub.s32 %r3, %r4, %r1; L: add.s32 %r2, %r2, 3;"
             "setp.lt.s32 %p1, %r2, %r3; @%p1 bra L;"},
        {68, "mov.u32 %r2, 0; mul.lo.s32 %r3, %r1, -1; L: add.s32 %r2, %r2, -1;"
             "setp.gt.s32 %p1, %r2, %r3; @%p1 bra L;"},
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        Buf text = {0};
        buf_printf(&text, "%s%s\nret; }", WARP_KERNEL "ld.param.u32 %r1, [n];\n", shapes[k].text);
        WarpKernel *x = warp_kernel(buf_text(&text));
        warp_kernel_set(x, 8, 68);

        const Walk *w = walk_warp(x->arena, x->function, &x->options);
        const int counted = (int)w->functions.at[0]->loops[0].headers;

        if (counted != shapes[k].trips)
            fail_msg("shape %zu: %d, not %d", k, counted, shapes[k].trips);
        arena_free(x->arena);
        buf_free(&text);
    }
}

/* 100 targets, those of the 32 lanes beyond the 64th among them. */
static void every_lane_goes_where_a_long_table_sends_it(void **state)
{
    (void)state;
    enum { TARGETS = 100, FIRST = 60 };
    Buf b = {0};
    buf_puts(&b, WARP_KERNEL);
    buf_printf(&b, "mov.u32 %%r1, %%laneid; add.u32 %%r1, %%r1, %d;\n$T: .branchtargets ", FIRST);
    for (int i = 0; i < TARGETS; i++)
        buf_printf(&b, "$L%d%s", i, i + 1 < TARGETS ? "," : ";\n");
    buf_printf(&b, "brx.idx %%r1, $T;\n");
    for (int i = 0; i < TARGETS; i++)
        buf_printf(&b, "$L%d: add.u32 %%r2, %%r2, %d; bra $E;\n", i, i);
    buf_printf(&b, "$E: ret; }\n");
    WarpKernel *x = warp_kernel(buf_text(&b));

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_true(w->paths == 32);
    assert_true(w->by_class[PTX_CLASS_INT] == 1 + 32);
    arena_free(x->arena);
    buf_free(&b);
}

/* 100 targets and an index from memory: each of them is a way. */
static void an_unknown_index_leads_to_every_entry_of_a_long_table(void **state)
{
    (void)state;
    enum { TARGETS = 100 };
    Buf b = {0};
    buf_puts(&b, WARP_KERNEL "ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1];\n"
                             "$T: .branchtargets ");
    for (int i = 0; i < TARGETS; i++)
        buf_printf(&b, "$L%d%s", i, i + 1 < TARGETS ? "," : ";\n");
    buf_printf(&b, "brx.idx %%r1, $T;\n");
    for (int i = 0; i < TARGETS; i++)
        buf_printf(&b, "$L%d: add.u32 %%r2, %%r2, %d; bra $E;\n", i, i);
    buf_printf(&b, "$E: ret; }\n");
    WarpKernel *x = warp_kernel(buf_text(&b));

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_true(w->paths == TARGETS);
    assert_true(w->by_class[PTX_CLASS_INT] == TARGETS);
    assert_int_equal(w->unknown_branches, 1);
    arena_free(x->arena);
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counted_loop_runs_as_often_as_its_parameter_says),
        cmocka_unit_test(a_narrow_parameter_keeps_its_sign),
        cmocka_unit_test(an_unknown_branch_walks_both_sides_and_forgets_what_differs),
        cmocka_unit_test(a_loop_of_unknown_count_takes_the_default_and_says_so),
        cmocka_unit_test(what_stands_behind_a_guess_is_counted),
        cmocka_unit_test(a_loop_runs_as_often_as_the_data_says),
        cmocka_unit_test(what_stood_in_memory_before_is_found_until_threads_synchronise),
        cmocka_unit_test(a_loop_that_waits_for_another_thread_finds_what_it_waits_for),
        cmocka_unit_test(bulk_copies_move_what_their_lanes_say),
        cmocka_unit_test(bulk_copies_of_unknown_size_are_said_not_to_be_counted),
        cmocka_unit_test(a_stated_count_is_taken_before_any_guess),
        cmocka_unit_test(a_loop_that_stores_does_not_wait),
        cmocka_unit_test(an_unknown_early_exit_does_not_shorten_a_counted_loop),
        cmocka_unit_test(spinning_on_an_mbarrier_takes_one_round),
        cmocka_unit_test(an_endless_loop_is_stopped_and_reported),
        cmocka_unit_test(loads_issued_before_a_wait_are_one_group),
        cmocka_unit_test(a_store_that_may_alias_keeps_a_load_behind_its_wait),
        cmocka_unit_test(special_functions_delimit_only_where_nothing_is_slower),
        cmocka_unit_test(matrix_multiply_has_three_regions_an_iteration),
        cmocka_unit_test(a_call_is_followed_with_its_argument),
        cmocka_unit_test(a_jump_table_takes_the_known_entry),
        cmocka_unit_test(a_loop_runs_as_often_as_in_c),
        cmocka_unit_test(a_loop_runs_as_often_as_its_shape_says),
        cmocka_unit_test(every_lane_goes_where_a_long_table_sends_it),
        cmocka_unit_test(an_unknown_index_leads_to_every_entry_of_a_long_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
