/* What a lane stores and loads again: addresses and trip counts that come from there. */
#include "metrics/ptx/ptx.h"
#include "metrics/ptx/walk.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Register %r1 is the thread's number, %rd1 a local array, %r9 and %r8 one of shared memory and the
 * thread's word in it, %rd2 global memory. */
#define KERNEL(body)                                                                               \
    ".version 9.0\n.target sm_90\n.address_size 64\n"                                              \
    ".entry k(.param .u64 a) { .local .align 4 .b8 depot[64]; .shared .align 4 .b8 place[256];\n"  \
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"                     \
    "mov.u64 %rd1, depot; ld.param.u64 %rd2, [a]; mov.u32 %r1, %tid.x; mov.u32 %r9, place;\n"      \
    "shl.b32 %r8, %r1, 2; add.u32 %r8, %r9, %r8;\n" body " ret; }"

#define GATHER "mul.wide.u32 %rd3, %r7, 4; add.s64 %rd4, %rd2, %rd3; ld.global.f32 %f1, [%rd4];\n"

typedef struct Seen {
    double sectors, unknown, visits;
    int unknown_branches;
    bool skipped;
} Seen;

static Seen follow(const char *text)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Source s = {"test.ptx", text, strlen(text)};
    const PtxFunction *f = ptx_find_entry(ptx_parse(a, &s, &d), NULL);
    assert_int_equal(d.errors, 0);
    unsigned char parameters[8] = {0, 0, 0, 0, 0, 1};
    const WalkOptions o = {.launch = {.grid = {1, 1, 1},
                                      .block = {64, 1, 1},
                                      .has_geometry = true,
                                      .params = parameters,
                                      .param_bytes = sizeof parameters},
                           .memory = true};
    const Walk *w = walk_warp(a, f, &o);
    Seen seen = {.unknown_branches = w->unknown_branches + w->unknown_loops,
                 .skipped = w->skipped > 0};
    const WalkFunction *r = w->functions.at[0];
    for (size_t i = 0; i < r->accesses->costs.count; i++)
        if (r->accesses->costs.at[i].space == PTX_GLOBAL) {
            seen.sectors += (double)r->costs[i].sectors;
            seen.unknown += (double)r->costs[i].unknown;
        }
    for (int b = 0; b < r->flow->cfg->count; b++)
        seen.visits += (double)r->blocks[b].visits;
    arena_free(a);
    return seen;
}

static void assert_known(const char *text, double sectors)
{
    const Seen seen = follow(text);
    assert_true(seen.unknown == 0);
    assert_true(seen.sectors == sectors);
}

static void assert_unknown(const char *text)
{
    assert_true(follow(text).unknown == 1);
}

static void a_volatile_thread_number_comes_back(void **state)
{
    (void)state;
    assert_known(
        KERNEL("st.volatile.local.u32 [%rd1+8], %r1; ld.volatile.local.u32 %r7, [%rd1+8];\n"
               "shl.b32 %r7, %r7, 3;\n" GATHER),
        32);
    assert_known(
        KERNEL("st.local.v2.u32 [%rd1+8], {%r1, %r8}; ld.local.u32 %r7, [%rd1+8];\n" GATHER), 4);
    assert_known(KERNEL("st.local.u32 [%rd1], %r1; ld.local.u16 %r7, [%rd1];\n" GATHER), 4);
}

static void a_word_that_was_not_stored_is_not_known(void **state)
{
    (void)state;
    assert_unknown(KERNEL("st.local.u32 [%rd1+8], %r1; ld.local.u32 %r7, [%rd1+4];\n" GATHER));
    assert_unknown(KERNEL("st.local.u16 [%rd1+8], %r1; ld.local.u32 %r7, [%rd1+8];\n" GATHER));
}

/* Through a generic address somebody else may write. */
static void an_array_whose_address_is_taken_is_not_followed(void **state)
{
    (void)state;
    assert_unknown(KERNEL("cvta.local.u64 %rd5, %rd1; st.u32 [%rd5], %r7;\n"
                          "st.local.u32 [%rd1], %r1; ld.local.u32 %r7, [%rd1];\n" GATHER));
}

static void a_place_in_shared_memory_is_kept_where_one_store_writes_it(void **state)
{
    (void)state;
    assert_known(KERNEL("st.volatile.shared.u32 [%r8], %r1; bar.sync 0;\n"
                        "ld.volatile.shared.u32 %r7, [%r8];\n" GATHER),
                 4);
    assert_unknown(
        KERNEL("st.shared.u32 [%r8], %r1; bar.sync 0; st.shared.u32 [%r9+4], %r1; bar.sync 0;\n"
               "ld.shared.u32 %r7, [%r8];\n" GATHER));
    assert_unknown(
        KERNEL("st.shared.u32 [%r8], %r1; atom.shared.add.u32 %r6, [%r9], 1; bar.sync 0;\n"
               "ld.shared.u32 %r7, [%r8];\n" GATHER));
    /* All lanes write one word: whose number stays there is open. */
    assert_unknown(
        KERNEL("st.shared.u32 [%r9], %r1; bar.sync 0; ld.shared.u32 %r7, [%r9];\n" GATHER));
}

/* A count kept in memory: 40 rounds, walked, since what is stored changes. */
static void a_loop_may_count_in_local_memory(void **state)
{
    (void)state;
    const Seen seen = follow(
        KERNEL("mov.u32 %r2, 0; st.local.u32 [%rd1], %r2;\n"
               "L: ld.local.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.local.u32 [%rd1], %r3;\n"
               "setp.lt.u32 %p1, %r3, 40; @%p1 bra L;\n"));
    assert_int_equal(seen.unknown_branches, 0);
    assert_true(seen.visits == 1 + 40 + 1);
}

/* What a long loop leaves alone is known behind it, what it stores anew each time is not taken for the
 * first value. */
static void iterations_that_are_foreseen_leave_words_alone_or_unknown(void **state)
{
    (void)state;
#define LOOP(body)                                                                                 \
    "mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1;" body " setp.lt.u32 %p1, %r2, 100000; @%p1 bra L;\n"
    const Seen kept =
        follow(KERNEL("st.local.u32 [%rd1], %r1;\n" LOOP("") "ld.local.u32 %r7, [%rd1];\n" GATHER));
    assert_true(kept.skipped && kept.unknown == 0 && kept.sectors == 4);
    const Seen moved =
        follow(KERNEL(LOOP("st.local.u32 [%rd1], %r2;") "ld.local.u32 %r7, [%rd1];\n" GATHER));
    assert_true(moved.skipped && (moved.unknown == 1 || moved.sectors == 1));
    /* Of eight words in turn those not stored by the last rounds are unknown; t rounds from the end the lanes' words
     * are t apart. */
    static const char turns[] =
        KERNEL(LOOP("and.b32 %r10, %r2, 7; mad.wide.u32 %rd5, %r10, 4, %rd1;\n"
                    "sub.u32 %r5, 100000, %r2; mul.lo.u32 %r11, %r5, %r1;\n"
                    "st.local.u32 [%rd5], %r11;") "ld.local.u32 %r7, [%rd1+$];\n" GATHER);
    const char *at = strchr(turns, '$');
    for (int t = 0; t < 8; t++) {
        Arena *a = arena_new();
        const Seen turn =
            follow(arena_printf(a, "%.*s%d%s", (int)(at - turns), turns, (8 - t) % 8 * 4, at + 1));
        assert_true(turn.skipped && (turn.unknown == 1 || turn.sectors == (t ? 4 * t : 1)));
        arena_free(a);
    }
}

static Seen follow_doubt(const char *keep, const char *take)
{
    static const char frame[] = KERNEL("ld.global.u32 %r6, [%rd2]; setp.ne.u32 %p3, %r6, 0;\n"
                                       "mov.u32 %r2, 0;\nL: $\n" GATHER "add.u32 %r2, %r2, 1;\n"
                                       "setp.lt.u32 %p1, %r2, 1000; @%p1 bra L;\n");
    const char *at = strchr(frame, '$');
    Arena *a = arena_new();
    const Seen seen =
        follow(arena_printf(a, "%.*s%s @%%p3 %s%s", (int)(at - frame), frame, keep, take, at + 1));
    arena_free(a);
    return seen;
}

/* A guard that is data: lanes keep the register or take the other.  One sector is the guard's. */
static void what_a_guard_leaves_in_doubt_is_foreseen_where_both_move_alike(void **state)
{
    (void)state;
    /* 32 words from word i on: 4 sectors where i is a multiple of 8, else 5. */
    const Seen alike = follow_doubt("add.u32 %r7, %r1, %r2;", "mad.lo.u32 %r7, %r2, 1, %r1;");
    assert_true(alike.skipped && alike.unknown == 0);
    assert_true(alike.sectors == 1 + 125 * 4 + 875 * 5);
    /* Data stays data, whatever the other does; its own load is a sector each time. */
    const Seen kept = follow_doubt("ld.global.u32 %r7, [%rd2+4];", "mov.u32 %r7, %r2;");
    assert_true(kept.skipped && kept.unknown == 1000 && kept.sectors == 1 + 1000);
    const Seen taken = follow_doubt("mov.u32 %r7, %r2;", "ld.global.u32 %r7, [%rd2+4];");
    assert_true(taken.skipped && taken.unknown == 2000 && taken.sectors == 1);
    /* A number that is passed by: by all lanes at once, by all lanes but the first, which has it always. */
    static const char *const passing[] = {"mov.u32 %r7, %r2;", "mad.lo.u32 %r7, %r5, %r1, %r4;"};
    for (int i = 0; i < 80; i++) {
        char number[96];
        snprintf(number, sizeof number,
                 "mov.u32 %%r4, %d; sub.u32 %%r5, %%r2, %%r4; mov.u32 %%r7, %%r4;", i / 2);
        const Seen once = follow_doubt(number, passing[i % 2]);
        assert_true(once.unknown == 999 && once.sectors == 1 + 1);
    }
}

/* One round of 32, the first of them the eighth, moves a row of 32 words by one: by k words for 7 rounds (k = 0), 32
 * rounds each (1 to 31) and 1 round (32).  It covers 4 sectors where k is a multiple of 8, else 5. */
static void
a_guard_that_holds_now_and_then_holds_as_often_in_iterations_that_are_foreseen(void **state)
{
    (void)state;
    const Seen seen = follow(
        KERNEL("mov.u32 %r10, 0; mov.u32 %r2, 0;\n"
               "L: and.b32 %r3, %r2, 31; setp.eq.u32 %p2, %r3, 7; @%p2 add.u32 %r10, %r10, 1;\n"
               "add.u32 %r7, %r1, %r10;\n" GATHER
               "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 1000; @%p1 bra L;\n"));
    assert_true(seen.unknown == 0);
    assert_true(seen.sectors == 7 * 4 + 3 * 32 * 4 + 28 * 32 * 5 + 4);
}

/* Another block of the cluster has its words where this one has them. */
static void places_in_another_block_of_the_cluster_are_known(void **state)
{
    (void)state;
    assert_known(KERNEL("mapa.shared::cluster.u32 %r10, %r8, 1; sub.u32 %r7, %r10, %r9;\n"
                        "shr.u32 %r7, %r7, 2;\n" GATHER),
                 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_guard_that_holds_now_and_then_holds_as_often_in_iterations_that_are_foreseen),
        cmocka_unit_test(what_a_guard_leaves_in_doubt_is_foreseen_where_both_move_alike),
        cmocka_unit_test(places_in_another_block_of_the_cluster_are_known),
        cmocka_unit_test(a_volatile_thread_number_comes_back),
        cmocka_unit_test(a_word_that_was_not_stored_is_not_known),
        cmocka_unit_test(an_array_whose_address_is_taken_is_not_followed),
        cmocka_unit_test(a_place_in_shared_memory_is_kept_where_one_store_writes_it),
        cmocka_unit_test(a_loop_may_count_in_local_memory),
        cmocka_unit_test(iterations_that_are_foreseen_leave_words_alone_or_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
