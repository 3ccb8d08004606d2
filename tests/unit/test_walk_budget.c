/* A walk ends and stays small, whatever it is given: steps and memory have a budget. */
#include "metrics/ptx/memory.h"
#include "metrics/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* A walk may go over its steps by one block; a text takes some hundred times its size when read and
 * planned, and a walk keeps no more than its plan's size beside it. */
enum { STEPS = 200000, MEMORY = 64 << 20 };

static const char header[] = ".version 9.0\n.target sm_90\n.address_size 64\n";
static const char registers[] =
    ".reg .b32 %r<9999>; .reg .b64 %rd<99>; .reg .f32 %f<99>; .reg .pred %p<99>;\n"
    "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a];\n";

/* Follows it; gives the arena's bytes. */
static size_t follow(const char *text, bool plain)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Source s = {"k.ptx", text, strlen(text)};
    const PtxFunction *f = ptx_find_entry(ptx_parse(a, &s, &d), "k");
    assert_non_null(f);
    const WalkOptions o = {.launch = {.grid = {9, 9, 1}, .block = {64, 1, 1}, .has_geometry = true},
                           .max_steps = STEPS,
                           .memory = true,
                           .plain = plain};

    const Walk *w = walk_warp(a, f, &o);

    assert_true(w->steps < STEPS + STEPS / 4);
    const size_t used = arena_used(a);
    arena_free(a);
    return used;
}

static void assert_bounded(const char *text)
{
    for (int plain = 0; plain < 2; plain++)
        assert_true(follow(text, plain) < MEMORY);
}

static void an_endless_loop_of_stores_and_barriers_ends(void **state)
{
    (void)state;
    Arena *a = arena_new();

    assert_bounded(arena_printf(a,
                                "%s.entry k(.param .u64 a) { %s L: mad.lo.u32 %%r1, %%r1, 77, 1;\n"
                                "cvt.u64.u32 %%rd2, %%r1; add.u64 %%rd2, %%rd2, %%rd1;\n"
                                "st.global.u8 [%%rd2], %%r1; bar.sync 0; bra L; }\n",
                                header, registers));
    arena_free(a);
}

/* Each unknown branch has both sides walked: 2^40 ways, were they not joined. */
static void unknown_branches_in_a_row_are_joined(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Buf b = {0};
    buf_printf(&b, "%s.entry k(.param .u64 a) { %sld.global.u32 %%r2, [%%rd1];\nL:\n", header,
               registers);
    for (int i = 0; i < 40; i++)
        buf_printf(&b, "setp.gt.u32 %%p1, %%r2, %d; @%%p1 bra M%d; add.u32 %%r3, %%r3, %d;\nM%d:\n",
                   i, i, i, i);
    buf_puts(&b, "setp.ne.u32 %p2, %r2, %r3; @%p2 bra L; ret; }\n");

    assert_bounded(buf_text(&b));
    buf_free(&b);
    arena_free(a);
}

/* 40 times: if (data[i] > 7) { y += data[i]; if (data[i] > 9) y *= 3; }, unrolled.  Both sides of each branch are
 * walked once, as every side meets the other right behind it. */
static void nested_unknown_branches_in_a_row_are_counted_once_each(void **state)
{
    (void)state;
    enum { TIMES = 40, BEFORE = 1 /* mov */, EACH = 7, AFTER = 2 };
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf b = {0};
    buf_printf(&b, "%s.entry k(.param .u64 a) { %s", header, registers);
    for (int i = 0; i < TIMES; i++)
        buf_printf(&b,
                   "ld.global.u32 %%r2, [%%rd1+%d];\n"
                   "setp.le.u32 %%p1, %%r2, 7; @%%p1 bra M%d;\n"
                   "add.u32 %%r3, %%r3, %%r2; setp.le.u32 %%p2, %%r2, 9; @%%p2 bra M%d;\n"
                   "mul.lo.u32 %%r3, %%r3, 3;\nM%d:\n",
                   4 * i, i, i, i);
    buf_puts(&b, "st.global.u32 [%rd1], %r3; ret; }\n");
    const Source s = {"k.ptx", buf_text(&b), b.size};
    const WalkOptions o = {.launch = {.grid = {9, 9, 1}, .block = {64, 1, 1}, .has_geometry = true},
                           .max_steps = STEPS,
                           .memory = true};

    const Walk *w = walk_warp(a, ptx_find_entry(ptx_parse(a, &s, &d), "k"), &o);

    assert_true(w->instr == BEFORE + TIMES * EACH + AFTER);
    assert_int_equal(w->unknown_branches, 2 * TIMES);
    assert_false(w->took_turns || w->capped);
    buf_free(&b);
    arena_free(a);
}

/* Unknown branches inside each other, with many values to keep for each. */
static void deep_unknown_branches_keep_within_their_budget(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Buf b = {0};
    buf_printf(&b, "%s.entry k(.param .u64 a) { %sld.global.u32 %%r2, [%%rd1];\n", header,
               registers);
    for (int i = 10; i < 2000; i++)
        buf_printf(&b, "add.u32 %%r%d, %%r%d, %%r1;\n", i, i - 1);
    for (int i = 0; i < 200; i++)
        buf_printf(&b, "setp.gt.u32 %%p1, %%r2, %%r%d; @%%p1 bra E%d;\n", 10 + i, i);
    buf_puts(&b, "st.global.u32 [%rd1], %r1999;\n");
    for (int i = 199; i >= 0; i--)
        buf_printf(&b, "E%d: add.u32 %%r%d, %%r%d, %%r2;\n", i, 10 + i, 11 + i);
    buf_puts(&b, "ret; }\n");

    assert_bounded(buf_text(&b));
    buf_free(&b);
    arena_free(a);
}

/* A loop of 32 rounds: what is skipped in it may leave it, so that the sides of each branch meet
 * behind the loop, and every branch doubles what is walked. */
static void branches_whose_sides_meet_late_end_and_are_said(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf b = {0};
    buf_printf(&b,
               "%s.entry k(.param .u64 a) { %smov.u32 %%r3, 0;\nL: ld.global.u32 %%r2, [%%rd1];\n",
               header, registers);
    for (int i = 0; i < 6; i++)
        buf_printf(&b,
                   "setp.gt.u32 %%p1, %%r2, %d; @%%p1 bra M%d; add.u32 %%r4, %%r3, %d;\n"
                   "setp.eq.u32 %%p2, %%r4, 99; @%%p2 bra E;\nM%d:\n",
                   i, i, i, i);
    buf_puts(&b, "add.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, 32; @%p2 bra L;\nE: ret; }\n");
    const Source s = {"k.ptx", buf_text(&b), b.size};
    const WalkOptions o = {.launch = {.grid = {9, 9, 1}, .block = {64, 1, 1}, .has_geometry = true},
                           .memory = true};

    const Walk *w = walk_warp(a, ptx_find_entry(ptx_parse(a, &s, &d), "k"), &o);

    assert_false(w->capped);
    assert_true(w->took_turns);
    assert_non_null(strstr(w->notes.at[0].text, "lanes take one side each"));
    const Loop *loop = &w->functions.at[0]->flow->loops->loops.at[0];
    assert_true(w->functions.at[0]->blocks[loop->header].visits >= 32);
    buf_free(&b);
    arena_free(a);
}

static void functions_that_call_themselves_end(void **state)
{
    (void)state;
    Arena *a = arena_new();

    assert_bounded(
        arena_printf(a,
                     "%s.func f() { .reg .pred %%p<9>; call f, (); call f, (); call f, (); ret; }\n"
                     ".entry k(.param .u64 a) { %s L: call f, (); bra L; }\n",
                     header, registers));
    arena_free(a);
}

/* A cycle through as many places as there are regions, and more. */
static void many_kinds_of_regions_are_summed_up(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Buf b = {0};
    buf_printf(&b, "%s.entry k(.param .u64 a) { %sL:\n", header, registers);
    for (int i = 0; i < 600; i++)
        buf_printf(&b,
                   "add.u32 %%r1, %%r1, %d; and.b32 %%r2, %%r1, %d; setp.eq.u32 %%p1, %%r2, 0;\n"
                   "@%%p1 bra S%d; bar.sync 0;\nS%d:\n",
                   i, 1 << i % 5, i, i);
    buf_puts(&b, "bra L; }\n");

    assert_bounded(buf_text(&b));
    buf_free(&b);
    arena_free(a);
}

static void sizes_beyond_all_measure_take_no_memory(void **state)
{
    (void)state;
    Arena *a = arena_new();

    assert_bounded(arena_printf(
        a,
        "%s.global .b8 g[9999999999999]; .entry k(.param .u64 a, .param .b8 p[99999999]) {\n"
        ".shared .b8 s[999999999999]; .reg .b32 %%x<4000000000>; .reg .b64 %%rd<9>;\n"
        "mov.u64 %%rd1, s; st.shared.u32 [%%rd1], %%x3999999999; ld.global.u32 %%x7, [g]; ret; }\n",
        header));
    arena_free(a);
}

/* Of 32 iterations one goes another way; 100 times 10,000 of them. */
static void the_period_of_a_loop_is_remembered(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const char *text = arena_printf(a,
                                    "%s.entry k(.param .u64 a) { %s mov.u32 %%r2, 0;\n"
                                    "OUTER: mov.u32 %%r3, 0;\n"
                                    "INNER: and.b32 %%r4, %%r3, 31; setp.ne.u32 %%p1, %%r4, 7; "
                                    "@%%p1 bra ON; add.u32 %%r5, %%r5, 1;\n"
                                    "ON: add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p2, %%r3, 10000;\n"
                                    "@%%p2 bra INNER; add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p3, "
                                    "%%r2, 100; @%%p3 bra OUTER; ret; }\n",
                                    header, registers);
    const Source s = {"k.ptx", text, strlen(text)};
    const PtxFunction *f = ptx_find_entry(ptx_parse(a, &s, &d), "k");
    const WalkOptions o = {
        .launch = {.grid = {9, 9, 1}, .block = {64, 1, 1}, .has_geometry = true}};

    const Walk *w = walk_warp(a, f, &o);
    assert_false(w->capped);
    assert_int_equal(w->instr, 2 + 100 * (10000 * 6 + 313 + 3));
    assert_true(w->steps < 250000);
    arena_free(a);
}

/* The exit depends on data, but its count was said: at most some hundred of a million rounds are walked. */
static void rounds_that_are_said_need_not_be_walked(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const char *text =
        arena_printf(a,
                     "%s.entry k(.param .u64 a) { %s .loc 1 7 0\n"
                     "L: .loc 1 8 0\nld.global.u32 %%r2, [%%rd1]; add.u64 %%rd1, %%rd1, 128;\n"
                     "setp.ne.u32 %%p1, %%r2, 0; @%%p1 bra L; ret; }\n.file 1 \"k.cu\"\n",
                     header, registers);
    const Source s = {"k.ptx", text, strlen(text)};
    const PtxFunction *f = ptx_find_entry(ptx_parse(a, &s, &d), "k");
    const WalkTrips trips = {.line = 8, .rounds = 1000000};
    const WalkOptions o = {.launch = {.grid = {9, 9, 1}, .block = {64, 1, 1}, .has_geometry = true},
                           .trips = &trips,
                           .trip_count = 1};

    const Walk *w = walk_warp(a, f, &o);

    assert_int_equal(w->loads[PTX_GLOBAL], 1000000);
    assert_true(w->steps < 2000);
    arena_free(a);
}

/* Steps that looking for repetition adds to `entries` times 1,000 iterations, of which none repeats
 * another. */
static double steps_of_looking(Arena *a, int entries)
{
    Diag d = diag_new(a);
    const char *text =
        arena_printf(a,
                     "%s.entry k(.param .u64 a) { %s mov.u32 %%r2, 0; mov.u32 %%r5, 1;\n"
                     "OUTER: mov.u32 %%r3, 0;\n"
                     "INNER: mad.lo.u32 %%r5, %%r5, 1664525, 1013904223; shr.u32 %%r4, %%r5, 31;\n"
                     "setp.eq.u32 %%p1, %%r4, 0; @%%p1 bra ON; add.u32 %%r6, %%r6, 1;\n"
                     "ON: add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p2, %%r3, 1000; @%%p2 bra INNER;\n"
                     "add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p3, %%r2, %d; @%%p3 bra OUTER; ret; }\n",
                     header, registers, entries);
    const Source s = {"k.ptx", text, strlen(text)};
    const PtxFunction *f = ptx_find_entry(ptx_parse(a, &s, &d), "k");
    double steps[2];
    for (int plain = 0; plain < 2; plain++) {
        const WalkOptions o = {
            .launch = {.grid = {9, 9, 1}, .block = {64, 1, 1}, .has_geometry = true},
            .plain = plain};
        const Walk *w = walk_warp(a, f, &o);
        assert_false(w->capped);
        steps[plain] = (double)w->steps;
    }
    return steps[0] - steps[1];
}

static void a_loop_that_nothing_fits_is_left_alone(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const double few = steps_of_looking(a, 4);
    assert_true(few > 0 && steps_of_looking(a, 40) < 2 * few); /* it looks in three entries */
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_that_are_said_need_not_be_walked),
        cmocka_unit_test(the_period_of_a_loop_is_remembered),
        cmocka_unit_test(a_loop_that_nothing_fits_is_left_alone),
        cmocka_unit_test(an_endless_loop_of_stores_and_barriers_ends),
        cmocka_unit_test(unknown_branches_in_a_row_are_joined),
        cmocka_unit_test(nested_unknown_branches_in_a_row_are_counted_once_each),
        cmocka_unit_test(deep_unknown_branches_keep_within_their_budget),
        cmocka_unit_test(branches_whose_sides_meet_late_end_and_are_said),
        cmocka_unit_test(functions_that_call_themselves_end),
        cmocka_unit_test(many_kinds_of_regions_are_summed_up),
        cmocka_unit_test(sizes_beyond_all_measure_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
