/* What warps have from others: tickets of a counter, and words of shared memory.  The PTX is made up. */
#include "metrics/ptx/ptx.h"
#include "metrics/ptx/walk.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* %r1 is the thread's number, %r2 its lane, %p1 whether it is not the first of its block and %p2 of its warp; %rd1 is a
 * counter.  At the end %r7 of each lane is shown by a load. */
#define KERNEL(body)                                                                               \
    ".version 9.0\n.target sm_90\n.address_size 64\n.global .align 4 .u32 arrived;\n"              \
    ".global .align 4 .u32 begun = 7;\n.global .align 4 .u32 later;\n"                             \
    ".entry k(.param .u64 a) { .shared .align 4 .u32 told; .shared .align 8 .b8 two[8];\n"         \
    ".shared .align 4 .b8 large[512]; .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"     \
    "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mov.u32 %r7, 0;\n"         \
    "setp.ne.u32 %p1, %r1, 0; setp.ne.u32 %p2, %r2, 0; mov.u32 %r9, large;\n" body                 \
    "mul.wide.u32 %rd3, %r7, 4096; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r8, [%rd4+8192];\n"    \
    "ret; }"

enum { GRID_X = 10, GRID_Y = 3, THREADS = 128, UNKNOWN = -1 };

static const uint64_t base = UINT64_C(1) << 40;

typedef struct Seen {
    int64_t shown[PTX_LANES]; /* %r7 of each lane; UNKNOWN */
    double rounds;            /* visits of the headers of loops */
    int notes;
    bool sibling_cut;
} Seen;

static void show(void *context, const uint64_t *address, uint32_t lanes, int bytes)
{
    Seen *s = context;
    for (int i = 0; bytes == 4 && i < PTX_LANES; i++)
        if (lanes >> i & 1 && address[i] >= base + 8192)
            s->shown[i] = (int64_t)((address[i] - base - 8192) / 4096);
}

/* The counter holds 5 before the launch; nothing else is known. */
static bool five(void *context, uint64_t address, int bytes, uint64_t *value)
{
    (void)context;
    *value = 5;
    return address == base && bytes == 4;
}

static bool nothing(void *context, uint64_t address, int bytes, uint64_t *value)
{
    (void)context, (void)address, (void)bytes, (void)value;
    return false;
}

static bool nowhere(void *context, const char *name, uint64_t *address)
{
    (void)context, (void)name, (void)address;
    return false;
}

static Seen follow_as(const char *text, PtxPlace place, bool last, uint64_t steps)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Source source = {"test.ptx", text, strlen(text)};
    const PtxFunction *f = ptx_find_entry(ptx_parse(a, &source, &d), NULL);
    assert_int_equal(d.errors, 0);
    unsigned char parameters[8] = {0, 0, 0, 0, 0, 1};
    Seen s = {.rounds = 0};
    for (int i = 0; i < PTX_LANES; i++)
        s.shown[i] = UNKNOWN;
    const WalkTouch touch = {&s, show};
    const WalkData data = {&s, nothing, nothing, nowhere, five, NULL};
    const WalkOptions o = {.launch = {.grid = {GRID_X, GRID_Y, 1},
                                      .block = {THREADS, 1, 1},
                                      .has_geometry = true,
                                      .params = parameters,
                                      .param_bytes = sizeof parameters},
                           .place = place,
                           .last = last,
                           .max_steps = steps,
                           .memory = true,
                           .touch = &touch,
                           .data = &data};
    const Walk *w = walk_warp(a, f, &o);
    const WalkFunction *r = w->functions.at[0];
    for (size_t l = 0; l < r->flow->loops->loops.count; l++)
        s.rounds += (double)r->loops[l].headers;
    s.notes = (int)w->notes.count;
    s.sibling_cut = w->sibling_cut;
    arena_free(a);
    return s;
}

static Seen follow(const char *text, PtxPlace place)
{
    return follow_as(text, place, false, 0);
}

static PtxPlace at(uint32_t x, uint32_t y, uint32_t warp)
{
    return (PtxPlace){{x, y, 0}, warp};
}

static void assert_shown(const char *text, PtxPlace place, int64_t first, int64_t last)
{
    const Seen s = follow(text, place);
    assert_int_equal(s.shown[0], first);
    assert_int_equal(s.shown[PTX_LANES - 1], last);
}

#define TICKET "@%p1 bra asked; atom.global.add.u32 %r7, [%rd1], 1; st.shared.u32 [told], %r7;\n"
#define TELL   "asked: bar.sync 0; ld.shared.u32 %r7, [told];\n"

static void blocks_have_tickets_in_their_order(void **state)
{
    (void)state;
    assert_shown(KERNEL(TICKET TELL), at(0, 0, 0), 5, 5);
    assert_shown(KERNEL(TICKET TELL), at(4, 2, 0), 5 + 24, 5 + 24);
}

/* Whatever its place; and so do the warps that are told. */
static void a_block_may_be_taken_for_the_last(void **state)
{
    (void)state;
    assert_int_equal(follow_as(KERNEL(TICKET TELL), at(4, 2, 0), true, 0).shown[0], 5 + 29);
    assert_int_equal(follow_as(KERNEL(TICKET TELL), at(0, 1, 2), true, 0).shown[0], 5 + 29);
}

/* The last block alone goes round the loop. */
static void what_only_the_last_block_does_is_followed_in_the_middle_one(void **state)
{
    (void)state;
    static const char text[] =
        KERNEL(TICKET TELL "setp.ne.u32 %p3, %r7, 34; mov.u32 %r7, 0; @%p3 bra end;\n"
                           "more: add.u32 %r7, %r7, 1; setp.lt.u32 %p4, %r7, 11; @%p4 bra more;\n"
                           "end: \n");
    assert_true(follow(text, at(4, 1, 1)).rounds == 0);
    assert_true(follow_as(text, at(4, 1, 1), true, 0).rounds == 11);
    assert_true(follow(text, at(9, 2, 1)).rounds == 11);
}

static void another_warp_is_told(void **state)
{
    (void)state;
    assert_shown(KERNEL(TICKET TELL), at(4, 2, 1), 5 + 24, 5 + 24);
    assert_shown(KERNEL(TICKET TELL), at(9, 2, 3), 5 + 29, 5 + 29);
}

/* Nobody has to have come by before there was a barrier. */
static void nothing_is_told_without_a_barrier(void **state)
{
    (void)state;
    assert_shown(KERNEL(TICKET "asked: ld.shared.u32 %r7, [told];\n"), at(4, 2, 1), UNKNOWN,
                 UNKNOWN);
}

static void a_ticket_may_wrap_around(void **state)
{
    (void)state;
    static const char text[] = KERNEL(
        "@%p1 bra asked; atom.global.inc.u32 %r7, [%rd1], 29; st.shared.u32 [told], %r7;\n" TELL);
    assert_shown(text, at(4, 2, 2), 29, 29);
    assert_shown(text, at(5, 2, 2), 0, 0);
}

/* Of variables of the module what is not written is zero. */
static void a_counter_may_be_one_of_the_module(void **state)
{
    (void)state;
    assert_shown(KERNEL("@%p1 bra asked; atom.global.add.u32 %r7, [arrived], 2; st.shared.u32 "
                        "[told], %r7;\n" TELL),
                 at(3, 1, 1), 26, 26);
    assert_shown(KERNEL("@%p1 bra asked; atom.global.add.u32 %r7, [begun], 2; st.shared.u32 "
                        "[told], %r7;\n" TELL),
                 at(3, 1, 1), UNKNOWN, UNKNOWN);
    assert_shown(KERNEL("@%p1 bra asked; atom.global.add.u32 %r7, [later], 2; st.shared.u32 "
                        "[told], %r7;\n" TELL),
                 at(3, 1, 1), 26, 26); /* directly behind the one that is written */
}

/* Each warp asks for itself, of 120 in all; then each lane of each. */
static void warps_and_lanes_have_tickets_too(void **state)
{
    (void)state;
    static const char of_warps[] = KERNEL("@%p2 bra asked; atom.global.add.u32 %r7, [%rd1], 1;\n"
                                          "asked: shfl.sync.idx.b32 %r7, %r7, 0, 31, -1;\n");
    assert_shown(of_warps, at(0, 0, 3), 5 + 3, 5 + 3);
    assert_shown(of_warps, at(1, 0, 0), 5 + 4, 5 + 4);
    static const char of_lanes[] = KERNEL("atom.global.add.u32 %r7, [%rd1], 1;\n");
    assert_shown(of_lanes, at(1, 0, 2), 5 + 6 * 32, 5 + 7 * 32 - 1);
}

/* 30 blocks and 100 tiles: the first ten blocks take four of them, the others three; each asks once in vain. */
static void blocks_come_back_for_more(void **state)
{
    (void)state;
    static const char text[] = KERNEL(
        "again: @%p1 bra asked; atom.global.add.u32 %r7, [arrived], 1; st.shared.u32 [told], %r7;\n"
        "asked: bar.sync 0; ld.shared.u32 %r7, [told]; bar.sync 0;\n"
        "setp.lt.u32 %p3, %r7, 100; @%p3 bra again;\n");
    for (uint32_t warp = 0; warp < 4; warp++) {
        assert_true(follow(text, at(9, 0, warp)).rounds == 5);
        assert_true(follow(text, at(0, 1, warp)).rounds == 4);
    }
}

/* The same loop, that the compiler has unrolled twice. */
static void two_instructions_may_ask_one_counter(void **state)
{
    (void)state;
    static const char text[] = KERNEL(
        "again: @%p1 bra first; atom.global.add.u32 %r7, [arrived], 1; st.shared.u32 [told], %r7;\n"
        "first: bar.sync 0; ld.shared.u32 %r7, [told]; bar.sync 0;\n"
        "setp.ge.u32 %p3, %r7, 100; @%p3 bra done;\n"
        "@%p1 bra second; atom.global.add.u32 %r7, [arrived], 1; st.shared.u32 [told], %r7;\n"
        "second: bar.sync 0; ld.shared.u32 %r7, [told]; bar.sync 0;\n"
        "setp.lt.u32 %p3, %r7, 100; @%p3 bra again; done:\n");
    for (uint32_t warp = 0; warp < 4; warp++) {
        assert_shown(text, at(9, 0, warp), 129, 129); /* 9, 39, 69, 99 and 129 */
        assert_true(follow(text, at(9, 0, warp)).rounds == 3);
        assert_shown(text, at(0, 1, warp), 100, 100); /* 10, 40, 70 and 100 */
        assert_true(follow(text, at(0, 1, warp)).rounds == 2);
    }
}

static void what_is_no_ticket_stays_unknown(void **state)
{
    (void)state;
    /* lanes count up words of their own; by what they have loaded; by what differs */
    assert_shown(KERNEL("mul.wide.u32 %rd5, %r2, 4; add.s64 %rd6, %rd1, %rd5;\n"
                        "atom.global.add.u32 %r7, [%rd6], 1;\n"),
                 at(0, 0, 0), UNKNOWN, UNKNOWN);
    assert_shown(KERNEL("ld.global.u32 %r5, [%rd1+4]; atom.global.add.u32 %r7, [%rd1], %r5;\n"),
                 at(0, 0, 0), UNKNOWN, UNKNOWN);
    assert_shown(KERNEL("atom.global.add.u32 %r7, [%rd1], %r2;\n"), at(0, 0, 0), UNKNOWN, UNKNOWN);
    /* other counters, and an exchange */
    assert_shown(KERNEL("atom.global.add.u32 %r7, [%rd1+4], 1;\n"), at(0, 0, 0), UNKNOWN, UNKNOWN);
    assert_shown(KERNEL("atom.global.exch.b32 %r7, [%rd1], 1;\n"), at(0, 0, 0), UNKNOWN, UNKNOWN);
}

/* Words of one variable, that two instructions store. */
static void lanes_tell_each_other_in_order(void **state)
{
    (void)state;
    assert_shown(KERNEL("@%p1 bra done; st.shared.u32 [two], 3; st.shared.u32 [two+4], 4;\n"
                        "done: bar.sync 0; ld.shared.u32 %r7, [two+4];\n"),
                 at(0, 0, 1), 4, 4);
    assert_shown(KERNEL("@%p1 bra done; st.shared.u32 [two], 3; st.shared.u32 [two], 6;\n"
                        "done: bar.sync 0; ld.shared.u32 %r7, [two];\n"),
                 at(0, 0, 0), 6, 6);
    /* the second warp stores, too, and nobody has followed it */
    assert_shown(KERNEL("@%p1 bra next; st.shared.u32 [two], 3;\n"
                        "next: bar.sync 0; setp.ne.u32 %p3, %r1, 32; @%p3 bra done;\n"
                        "st.shared.u32 [two], 4; done: bar.sync 0; ld.shared.u32 %r7, [two];\n"),
                 at(0, 0, 2), UNKNOWN, UNKNOWN);
    /* half of what was stored; in a variable that is large two may store at places that are not told apart */
    assert_shown(KERNEL("@%p1 bra done; st.shared.u32 [two], 3; st.shared.u32 [two+4], 4;\n"
                        "done: bar.sync 0; ld.shared.u16 %r7, [two];\n"),
                 at(0, 0, 1), UNKNOWN, UNKNOWN);
    assert_shown(KERNEL("@%p1 bra done; st.shared.u32 [%r9], 3; st.shared.u32 [%r9+4], 4;\n"
                        "done: bar.sync 0; ld.shared.u32 %r7, [%r9];\n"),
                 at(0, 0, 1), UNKNOWN, UNKNOWN);
}

/* A quarter of the steps is for the one that tells. */
static void where_steps_do_not_suffice_for_who_tells_it_is_said(void **state)
{
    (void)state;
    const Seen few = follow_as(KERNEL(TICKET TELL), at(4, 2, 1), false, 40),
               enough = follow_as(KERNEL(TICKET TELL), at(4, 2, 1), false, 40000);
    assert_true(few.sibling_cut && few.shown[0] == UNKNOWN);
    assert_true(!enough.sibling_cut && enough.shown[0] == 5 + 24);
}

static void tickets_leave_a_note(void **state)
{
    (void)state;
    assert_int_equal(follow(KERNEL(TICKET TELL), at(0, 0, 0)).notes, 1);
    assert_int_equal(follow(KERNEL("mov.u32 %r7, 1;\n"), at(0, 0, 0)).notes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_tickets_in_their_order),
        cmocka_unit_test(a_block_may_be_taken_for_the_last),
        cmocka_unit_test(what_only_the_last_block_does_is_followed_in_the_middle_one),
        cmocka_unit_test(another_warp_is_told),
        cmocka_unit_test(nothing_is_told_without_a_barrier),
        cmocka_unit_test(a_ticket_may_wrap_around),
        cmocka_unit_test(a_counter_may_be_one_of_the_module),
        cmocka_unit_test(warps_and_lanes_have_tickets_too),
        cmocka_unit_test(blocks_come_back_for_more),
        cmocka_unit_test(two_instructions_may_ask_one_counter),
        cmocka_unit_test(what_is_no_ticket_stays_unknown),
        cmocka_unit_test(lanes_tell_each_other_in_order),
        cmocka_unit_test(where_steps_do_not_suffice_for_who_tells_it_is_said),
        cmocka_unit_test(tickets_leave_a_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
