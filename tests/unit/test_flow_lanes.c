/* Where the lanes of a warp part and meet again, on kernels small enough to count by hand. */
#include "tests/support/warp_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void lanes_part_and_meet_again(void **state)
{
    (void)state;
    WarpKernel *x =
        warp_kernel(WARP_KERNEL "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 5; @%p1 bra A;\n"
                                "add.s32 %r2, %r1, 1; bra B;\nA: add.s32 %r2, %r1, 2;\n"
                                "B: setp.gt.u32 %p2, %r2, 33; @%p2 ret; membar.gl; ret; }");

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(warp_block(w, 1).lanes, 27);
    assert_int_equal(warp_block(w, 2).lanes, 5);
    assert_int_equal(warp_block(w, 3).visits, 1);
    assert_int_equal(warp_block(w, 3).lanes, 32);
    assert_int_equal(warp_block(w, 4).lanes, 32); /* tid 31 has 32: nobody returns early */
    assert_true(w->divergent == 1);
    arena_free(x->arena);
}

/* `if (tid < 5 || tid < 12) A;`: lanes come to A by two ways, and 20 go past it. */
static void lanes_meet_where_others_go_past(void **state)
{
    (void)state;
    WarpKernel *x =
        warp_kernel(WARP_KERNEL "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 5; @%p1 bra A;\n"
                                "setp.ge.u32 %p2, %r1, 12; @%p2 bra B;\n"
                                "add.s32 %r2, %r1, 1;\nA: add.s32 %r2, %r1, 2;\n"
                                "B: membar.gl; ret; }");
    const int *meets = flow_meets(x->arena, flow_build(x->arena, x->function));
    for (int b = 0; b < 5; b++)
        assert_int_equal(meets[b], b == 0 ? 3 : CFG_NONE);

    const Walk *apart = walk_warp(x->arena, x->function, &x->options);
    x->options.meets = true;
    const Walk *met = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(warp_block(apart, 3).visits, 2);
    assert_int_equal(warp_block(met, 3).visits, 1);
    assert_int_equal(warp_block(met, 3).lanes, 12);
    assert_int_equal(warp_block(met, 4).visits, 1);
    assert_int_equal(warp_block(met, 4).lanes, 32);
    assert_true(apart->instr == met->instr + 1);
    arena_free(x->arena);
}

/* The lanes of 3 and 4 leave the loop in the first and second of two rounds; others meet before its rest. */
static void lanes_meet_in_a_loop_that_others_leave(void **state)
{
    (void)state;
    WarpKernel *x =
        warp_kernel(WARP_KERNEL "mov.u32 %r1, %tid.x; mov.u32 %r2, 0;\n"
                                "L: setp.gt.u32 %p1, %r1, 7; @%p1 bra M;\n"
                                "add.s32 %r3, %r2, 3; setp.eq.u32 %p2, %r1, %r3; @%p2 bra E;\n"
                                "M: add.s32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 2; @%p3 bra L;\n"
                                "E: membar.gl; ret; }");
    const Walk *apart = walk_warp(x->arena, x->function, &x->options);
    x->options.meets = true;
    const Walk *met = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(warp_block(apart, 3).visits, 4);
    assert_int_equal(warp_block(met, 3).visits, 2);
    assert_int_equal(warp_block(met, 3).lanes, 31 + 30);
    assert_int_equal(warp_block(met, 4).visits, 1);
    assert_int_equal(warp_block(met, 4).lanes, 32);
    arena_free(x->arena);
}

/* All lanes go into the loop, from which those of 1 to 5 come to F one by one; others go past it. */
static void lanes_meet_that_leave_a_loop_one_by_one(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(
        WARP_KERNEL "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; setp.eq.u32 %p1, %r2, 1; @%p1 bra M;\n"
                    "L: add.s32 %r2, %r2, 1; setp.eq.u32 %p2, %r1, %r2; @%p2 bra F;\n"
                    "setp.lt.u32 %p3, %r2, 5; @%p3 bra L; bra E;\n"
                    "M: setp.eq.u32 %p2, %r1, 7; @%p2 bra F; bra E;\n"
                    "F: membar.gl;\nE: ret; }");
    const Walk *apart = walk_warp(x->arena, x->function, &x->options);
    x->options.meets = true;
    const Walk *met = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(warp_block(apart, 6).visits, 5);
    assert_int_equal(warp_block(met, 6).visits, 1);
    assert_int_equal(warp_block(met, 6).lanes, 5);
    assert_int_equal(warp_block(met, 7).visits, 1);
    assert_int_equal(warp_block(met, 7).lanes, 32);
    arena_free(x->arena);
}

/* All lanes take the branch alike from which A is told to be where they meet; they part behind it. */
static void lanes_meet_that_part_only_later(void **state)
{
    (void)state;
    WarpKernel *x =
        warp_kernel(WARP_KERNEL "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 99; @%p1 bra M;\n"
                                "setp.lt.u32 %p2, %r1, 5; @%p2 bra A;\n"
                                "setp.ge.u32 %p2, %r1, 12; @%p2 bra B; bra A;\n"
                                "M: setp.eq.u32 %p2, %r1, 107; @%p2 bra A; bra B;\n"
                                "A: add.s32 %r2, %r1, 2;\nB: membar.gl; ret; }");
    const Walk *apart = walk_warp(x->arena, x->function, &x->options);
    x->options.meets = true;
    const Walk *met = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(warp_block(apart, 6).visits, 2);
    assert_int_equal(warp_block(met, 6).visits, 1);
    assert_int_equal(warp_block(met, 6).lanes, 12);
    assert_int_equal(warp_block(met, 7).visits, 1);
    assert_int_equal(warp_block(met, 7).lanes, 32);
    arena_free(x->arena);
}

static void each_lane_leaves_a_loop_at_its_own_time(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(
        WARP_KERNEL "mov.u32 %r1, %tid.x;\nL: sub.s32 %r1, %r1, 1; setp.ge.s32 %p1, %r1, 0;\n"
                    "@%p1 bra L;\nmembar.gl; ret; }");

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(warp_block(w, 1).visits, 32);              /* lane 31 needs 32 rounds */
    assert_int_equal(warp_block(w, 1).lanes, 32 + 31 * 32 / 2); /* max(1, t + 1) summed */
    assert_int_equal(warp_block(w, 2).visits, 1);
    assert_int_equal(warp_block(w, 2).lanes, 32);
    arena_free(x->arena);
}

static void a_partly_filled_warp_has_fewer_lanes(void **state)
{
    (void)state;
    WarpKernel *x = warp_kernel(WARP_KERNEL "membar.gl; ret; }");
    x->options.launch.block = (PtxDim){10, 5, 1};
    x->options.place.warp = 1;

    const Walk *w = walk_warp(x->arena, x->function, &x->options);

    assert_int_equal(w->lanes, 18);
    assert_int_equal(warp_block(w, 0).lanes, 18);
    arena_free(x->arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_part_and_meet_again),
        cmocka_unit_test(lanes_meet_where_others_go_past),
        cmocka_unit_test(lanes_meet_in_a_loop_that_others_leave),
        cmocka_unit_test(lanes_meet_that_leave_a_loop_one_by_one),
        cmocka_unit_test(lanes_meet_that_part_only_later),
        cmocka_unit_test(each_lane_leaves_a_loop_at_its_own_time),
        cmocka_unit_test(a_partly_filled_warp_has_fewer_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
