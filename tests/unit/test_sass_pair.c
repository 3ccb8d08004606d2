/* Which loop of the machine code is which of the PTX: both written by hand, the code's blocks in another order
 * than the PTX's. */
#include "metrics/cubin/sass_branch.h"
#include "metrics/cubin/sass_profile.h"
#include "metrics/cubin/sass_settle.h"
#include "metrics/ptx/ptx.h"
#include "tests/support/sass_both.h"
#include "tests/support/sass_shapes.h"
#include "tests/support/sass_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Multiply-adds first in the PTX, last in the code. */
static const char SWAPPED[] =
    EITHER LOOP("$first", FMA, "10") "bra $end;\n" LOOP("$second", ADD, "20") "$end:\n";
static const Word SWAPPED_CODE[] = {{.op = SASS_OP_BRA, .guard = true, .target = 4},
                                    {.op = SASS_OP_FADD},
                                    {.op = SASS_OP_BRA, .guard = true, .target = 1},
                                    {.op = SASS_OP_BRA, .target = 6},
                                    {.op = SASS_OP_FFMA},
                                    {.op = SASS_OP_BRA, .guard = true, .target = 4},
                                    {.op = SASS_OP_EXIT}};

static void loops_are_paired_by_what_they_do_not_where_they_stand(void **state)
{
    (void)state;
    Arena *a = arena_new();
    for (int n = 0; n < 2; n++) {
        const Both b = both(a, SWAPPED, SWAPPED_CODE, COUNT(SWAPPED_CODE), n);

        const SassPairs p = pairs_of(a, &b);
        const SassJoin *j = sass_join(a, b.flow, b.walk);

        assert_true(p.complete);
        assert_null(p.doubt);
        const int fmas = b.flow->loops->loop_of[b.flow->cfg->block_of[4]];
        const LoopTree *ptx = b.walk->functions.at[0]->flow->loops;
        const int adds = b.flow->loops->loop_of[b.flow->cfg->block_of[1]];
        assert_true(ptx->loops.at[p.loop[fmas]].header < ptx->loops.at[p.loop[adds]].header);
        assert_null(j->unmatched);
        assert_true(visits_at(j, 1) == (n == 0 ? 20 : 0));
        assert_true(visits_at(j, 4) == (n == 0 ? 0 : 10));
    }
    arena_free(a);
}

/* The same operation in both: only the numbers tell them apart. */
static void numbers_in_instructions_tell_loops_apart(void **state)
{
    (void)state;
    static const char BODY[] =
        EITHER LOOP("$first", ADD, "10") "bra $end;\n" LOOP("$second", ADD, "20") "$end:\n";
    const Word words[] = {{.op = SASS_OP_BRA, .guard = true, .target = 5},
                          {.op = SASS_OP_FADD},
                          {.op = SASS_OP_ISETP, .number = 20},
                          {.op = SASS_OP_BRA, .guard = true, .target = 1},
                          {.op = SASS_OP_BRA, .target = 8},
                          {.op = SASS_OP_FADD},
                          {.op = SASS_OP_ISETP, .number = 10},
                          {.op = SASS_OP_BRA, .guard = true, .target = 5},
                          {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const Both b = both(a, BODY, words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_null(j->unmatched);
    assert_true(visits_at(j, 1) == 20);
    assert_true(visits_at(j, 5) == 0);
    arena_free(a);
}

static const char ALIKE[] =
    EITHER LOOP("$first", FMA, "10") "bra $end;\n" LOOP("$second", FMA, "20") "$end:\n";
static const Word ALIKE_CODE[] = {{.op = SASS_OP_BRA, .guard = true, .target = 4},
                                  {.op = SASS_OP_FFMA},
                                  {.op = SASS_OP_BRA, .guard = true, .target = 1},
                                  {.op = SASS_OP_BRA, .target = 6},
                                  {.op = SASS_OP_FFMA},
                                  {.op = SASS_OP_BRA, .guard = true, .target = 4},
                                  {.op = SASS_OP_EXIT}};

static void loops_that_nothing_tells_apart_are_a_doubt(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Both b = both(a, ALIKE, ALIKE_CODE, COUNT(ALIKE_CODE), 0);

    const SassPairs p = pairs_of(a, &b);
    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_non_null(p.doubt);
    assert_non_null(strstr(p.doubt, "look alike"));
    assert_string_equal(j->unmatched, p.doubt);
    arena_free(a);
}

/* Lanes 0 to 15 go one way, the others the other way, through loops that are alike and go round
 * equally often: which is which makes no difference. */
static void a_guess_that_changes_nothing_is_no_doubt(void **state)
{
    (void)state;
    static const char BODY[] = "setp.lt.u32 %p1, %r4, 16;\n@%p1 bra $second;\n" LOOP(
        "$first", FMA, "10") "bra $end;\n" LOOP("$second", FMA, "10") "$end:\n";
    Arena *a = arena_new();
    const Both b = both(a, BODY, ALIKE_CODE, COUNT(ALIKE_CODE), 0);

    assert_null(pairs_of(a, &b).doubt);
    assert_null(sass_join(a, b.flow, b.walk)->unmatched);
    arena_free(a);
}

/* One after the other: the code may lay them out as it likes, but not execute them so. */
static void loops_one_after_the_other_keep_their_order(void **state)
{
    (void)state;
    static const char BODY[] =
        LOOP("$first", FMA, "10") "mov.u32 %r2, 0;\n" LOOP("$second", FMA, "30");
    const Word words[] = {{.op = SASS_OP_BRA, .target = 4},
                          {.op = SASS_OP_FFMA}, /* comes second */
                          {.op = SASS_OP_BRA, .guard = true, .target = 1},
                          {.op = SASS_OP_EXIT},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_BRA, .guard = true, .target = 4},
                          {.op = SASS_OP_BRA, .target = 1}};
    Arena *a = arena_new();
    const Both b = both(a, BODY, words, COUNT(words), 0);

    const SassPairs p = pairs_of(a, &b);
    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_true(p.complete);
    assert_null(p.doubt);
    assert_true(visits_at(j, 4) == 10);
    assert_true(visits_at(j, 1) == 30);
    arena_free(a);
}

static const Word ONE_LOOP[] = {
    {.op = SASS_OP_FFMA}, {.op = SASS_OP_BRA, .guard = true, .target = 0}, {.op = SASS_OP_EXIT}};

static void another_number_of_loops_is_not_paired(void **state)
{
    (void)state;
    static const char BODY[] =
        LOOP("$first", FMA, "10") "mov.u32 %r2, 0;\n" LOOP("$second", FMA, "30");
    Arena *a = arena_new();
    const Both b = both(a, BODY, ONE_LOOP, COUNT(ONE_LOOP), 0);

    const SassPairs p = pairs_of(a, &b);

    assert_false(p.complete);
    assert_null(p.doubt);
    assert_int_equal(p.loop[0], CFG_NONE);
    arena_free(a);
}

/* As in code without the branches that the launch settles. */
static void a_loop_that_is_never_entered_may_be_missing(void **state)
{
    (void)state;
    for (int32_t number = 0; number < 2; number++) { /* 0: the second loop is entered */
        Arena *a = arena_new();
        const Both b = both(a, ALIKE, ONE_LOOP, COUNT(ONE_LOOP), number);

        const SassPairs p = pairs_of(a, &b);

        assert_true(p.complete);
        assert_null(p.doubt);
        assert_true(visits_at(sass_join(a, b.flow, b.walk), 0) == (number == 0 ? 20 : 10));
        arena_free(a);
    }
}

/* The loop has the logic operations that the PTX executes elsewhere and the code has lost. */
static void missing_logic_does_not_enter_a_loop_that_the_ptx_leaves_out(void **state)
{
    (void)state;
    static const char BODY[] = "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra $end;\n" LOOP(
        "$first", "and.b32 %r5, %r4, %r2;\n",
        "10") "$end:\n"
              "mov.u32 %r2, 0;\n" LOOP("$second", FMA "and.b32 %r5, %r4, %r2;\n", "100");
    const Word words[] = {{.op = SASS_OP_BRA, .guard = true, .target = 3}, {.op = SASS_OP_LOP3},
                          {.op = SASS_OP_BRA, .guard = true, .target = 1}, {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_BRA, .guard = true, .target = 3}, {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const Both b = both(a, BODY, words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_true(visits_at(j, 1) == 0);
    assert_true(visits_at(j, 3) == 100);
    arena_free(a);
}

/* Eight loops that look alike, of 2 to 9 rounds. */
static void many_loops_side_by_side_are_paired_as_they_come(void **state)
{
    (void)state;
    enum { LOOPS = 8 };
    Arena *a = arena_new();
    Word words[2 * LOOPS + 1] = {{.op = 0}};
    const char *body = "";
    for (int i = 0; i < LOOPS; i++) {
        words[2 * i] = (Word){.op = SASS_OP_IADD3};
        words[2 * i + 1] = (Word){.op = SASS_OP_BRA, .guard = true, .target = 2 * i};
        body = arena_printf(a,
                            "%smov.u32 %%r2, 0;\n$L%d:\nadd.u32 %%r2, %%r2, 1;\n"
                            "setp.lt.u32 %%p2, %%r2, %d;\n@%%p2 bra $L%d;\n",
                            body, i, i + 2, i);
    }
    words[2 * LOOPS] = (Word){.op = SASS_OP_EXIT};
    const Both b = both(a, body, words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    for (int i = 0; i < LOOPS; i++)
        assert_int_equal(visits_at(j, (size_t)(2 * i)), i + 2);
    assert_null(j->unmatched);
    arena_free(a);
}

/* A loop of four copies and one for the rest, neither with a landmark. */
#define FOUR_AND_ONE(copy)                                                                         \
    copy, copy, copy, copy, {.op = SASS_OP_BRA, .guard = true, .target = 0}, copy,                 \
        {.op = SASS_OP_BRA, .guard = true, .target = 5},                                           \
    {                                                                                              \
        .op = SASS_OP_EXIT                                                                         \
    }

static void copies_of_a_loop_of_integers_are_told_by_its_numbers(void **state)
{
    (void)state;
    const Word words[] = {FOUR_AND_ONE(((Word){.op = SASS_OP_IMAD, .number = 923521}))};
    Arena *a = arena_new();
    const Both b =
        both(a, LOOP("$again", "mul.lo.s32 %r3, %r3, 923521;\n", "27"), words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_null(j->unmatched);
    assert_true(visits_at(j, 0) == 6);
    assert_true(visits_at(j, 5) == 3);
    arena_free(a);
}

/* 2000 numbers in a loop whose code has 1500 blocks: no list of blocks for each number. */
static void many_numbers_take_little_memory(void **state)
{
    (void)state;
    enum { NUMBERS = 2000, BLOCKS = 1500, MEMORY = 4 << 20 };
    Arena *a = arena_new();
    Buf body = {0};
    Word *words = ARENA_ARRAY(a, Word, NUMBERS + BLOCKS + 3);
    buf_puts(&body, "$again:\n");
    for (int i = 0; i < NUMBERS; i++) {
        buf_printf(&body, "xor.b32 %%r3, %%r3, %d;\n", i + 2);
        words[i] = (Word){.op = SASS_OP_LOP3, .number = (uint32_t)i + 2};
    }
    buf_puts(&body, "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 27;\n@%p2 bra $again;\n");
    for (int i = NUMBERS; i < NUMBERS + BLOCKS; i++)
        words[i] = (Word){.op = SASS_OP_BRA, .guard = true, .target = i + 1};
    words[NUMBERS + BLOCKS] = (Word){.op = SASS_OP_BRA, .guard = true, .target = 0};
    words[NUMBERS + BLOCKS + 1] = (Word){
        .op = SASS_OP_BRA, .guard = true, .target = NUMBERS + BLOCKS + 1}; /* a second loop */
    words[NUMBERS + BLOCKS + 2] = (Word){.op = SASS_OP_EXIT};
    const Both b = both(a, buf_text(&body), words, NUMBERS + BLOCKS + 3, 0);
    const size_t before = arena_used(a);

    const SassPairs p = pairs_of(a, &b);

    assert_true(p.numbers.count > 0);
    assert_true(arena_used(a) - before < MEMORY);
    buf_free(&body);
    arena_free(a);
}

static void loops_that_nothing_tells_anything_of_are_doubted(void **state)
{
    (void)state;
    const Word words[] = {FOUR_AND_ONE(((Word){.op = SASS_OP_IMAD}))};
    Arena *a = arena_new();
    const Both b =
        both(a, LOOP("$again", "mul.lo.s32 %r3, %r3, %r4;\n", "27"), words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_non_null(j->unmatched);
    assert_true(j->deviation > 0.9); /* nearly all of the kernel */
    arena_free(a);
}

/* Division takes multiply-adds that the PTX does not have; they are no doubt. */
static void what_a_division_expands_to_is_allowed_for(void **state)
{
    (void)state;
    static const char BODY[] = LOOP("$again", "div.rn.f32 %f1, %f1, %f2;\n", "8");
    const Word words[] = {{.op = SASS_OP_MUFU},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_BRA, .guard = true, .target = 0},
                          {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const Both b = both(a, BODY, words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_null(j->unmatched);
    assert_true(visits_at(j, 0) == 8);
    arena_free(a);
}

/* One product in two sums: two multiply-adds, which compute it twice. */
static void a_product_fused_with_two_sums_is_computed_twice(void **state)
{
    (void)state;
    Arena *a = arena_new();
    static const Word code[] = {{.op = SASS_OP_FFMA},
                                {.op = SASS_OP_FFMA},
                                {.op = SASS_OP_BRA, .guard = true, .target = 0},
                                {.op = SASS_OP_EXIT}};
    const Both b =
        both(a,
             LOOP("$L", "mul.f32 %f3, %f4, %f5;\nadd.f32 %f1, %f1, %f3;\nsub.f32 %f2, %f2, %f3;\n",
                  "10"),
             code, COUNT(code), 0);
    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_null(j->unmatched);
    assert_int_equal(visits_at(j, 0), 10);
    arena_free(a);
}

/* Written by hand: a special function that the PTX does not have. */
static void special_functions_that_differ_are_said(void **state)
{
    (void)state;
    Arena *a = arena_new();
    static const Word code[] = {{.op = SASS_OP_MUFU}, {.op = SASS_OP_MUFU}, {.op = SASS_OP_EXIT}};
    const Both b = both(a, "ex2.approx.f32 %f1, %f2;\n", code, COUNT(code), 0);
    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_non_null(j->unmatched);
    assert_string_equal(j->unmatched, "special functions: 1 in PTX, 2 in the code");
    arena_free(a);
}

/* Numbers that both loops have, and behind them one that tells them apart: it is compared as the last of
 * 32, and not as the 33rd, when the loops are paired as they stand. */
static void of_many_numbers_the_first_32_are_compared(void **state)
{
    (void)state;
    for (int alike = 31; alike < 33; alike++) {
        Arena *a = arena_new();
        Buf same = {0};
        Word words[80] = {{.op = SASS_OP_BRA, .guard = true, .target = alike + 5}};
        for (int i = 0; i < alike; i++) {
            buf_printf(&same, "add.u32 %%r3, %%r3, %d;\n", 100 + i);
            words[2 + i] = words[alike + 6 + i] =
                (Word){.op = SASS_OP_ISETP, .number = 100 + (uint32_t)i};
        }
        words[1] = words[alike + 5] = (Word){.op = SASS_OP_FFMA};
        words[alike + 2] = (Word){.op = SASS_OP_ISETP, .number = 20};
        words[alike + 3] = (Word){.op = SASS_OP_BRA, .guard = true, .target = 1};
        words[alike + 4] = (Word){.op = SASS_OP_BRA, .target = 2 * alike + 8};
        words[2 * alike + 6] = (Word){.op = SASS_OP_ISETP, .number = 10};
        words[2 * alike + 7] = (Word){.op = SASS_OP_BRA, .guard = true, .target = alike + 5};
        words[2 * alike + 8] = (Word){.op = SASS_OP_EXIT};
        Buf body = {0};
        for (const char *c = EITHER LOOP("$first", FMA "#", "10") "bra $end;\n" LOOP(
                 "$second", FMA "#", "20") "$end:\n";
             *c; c++)
            *c == '#' ? buf_puts(&body, buf_text(&same)) : buf_putc(&body, *c);

        const Both b = both(a, buf_text(&body), words, (size_t)(2 * alike + 9), 0);
        const SassPairs p = pairs_of(a, &b);

        assert_true(p.complete);
        assert_int_equal(p.loop[0], alike == 31);
        assert_int_equal(p.loop[1], alike != 31);
        buf_free(&same);
        buf_free(&body);
        arena_free(a);
    }
}

/* Loops inside each other, `count[depth]` side by side at each depth. */
static void add_nest(Buf *ptx, Word *words, int *used, const int *count, int depth)
{
    for (int i = 0; i < count[depth]; i++) {
        const int first = *used;
        buf_printf(ptx, "mov.u32 %%r%d, 0;\n$l%d:\n", 5 + depth, first);
        words[(*used)++] = (Word){.op = SASS_OP_FFMA};
        buf_puts(ptx, FMA);
        if (count[depth + 1])
            add_nest(ptx, words, used, count, depth + 1);
        words[(*used)++] = (Word){.op = SASS_OP_BRA, .guard = true, .target = first};
        buf_printf(ptx, "add.u32 %%r%d, %%r%d, 1; setp.lt.u32 %%p2, %%r%d, 2; @%%p2 bra $l%d;\n",
                   5 + depth, 5 + depth, 5 + depth, first);
    }
}

/* Six and seven side by side, and 64 in all: 4 with 3 in each, 4 in each of those. */
static void many_loops_are_paired_and_too_many_are_not(void **state)
{
    (void)state;
    static const struct {
        int count[4], all;
        bool paired;
    } nests[] = {{{6}, 6, true},
                 {{7}, 7, true},
                 {{4, 3, 4}, 64, true},
                 {{5, 3, 4}, 80, false},
                 {{5, 4, 2}, 65, false}};
    for (size_t i = 0; i < COUNT(nests); i++) {
        Arena *a = arena_new();
        Buf ptx = {0};
        Word words[200];
        int used = 0;
        add_nest(&ptx, words, &used, nests[i].count, 0);
        words[used++] = (Word){.op = SASS_OP_EXIT};

        const Both b = both(a, buf_text(&ptx), words, (size_t)used, 0);
        const SassPairs p = pairs_of(a, &b);

        assert_int_equal(b.flow->loops->loops.count, nests[i].all);
        assert_int_equal(p.complete, nests[i].paired);
        for (int k = 0; k < nests[i].all && nests[i].paired; k++)
            assert_int_equal(p.loop[k], k);
        buf_free(&ptx);
        arena_free(a);
    }
}

/* 32 lanes, and then 8 of them, copy in a loop over lanes. */
static void bulk_copies_are_made_for_one_lane_after_the_other(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_IADD3},
                          {.op = SASS_OP_UBLKCP},
                          {.op = SASS_OP_BRA, .guard = true, .target = 1},
                          {.op = SASS_OP_EXIT}};
    static const char COPY[] =
        "setp.ge.s32 %p1, %r4, %r1;\n@%p1 bra $end;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%r2], [%r4], 16;\n$end:\n";
    for (int lanes = 8; lanes <= 32; lanes *= 4) {
        Arena *a = arena_new();
        const Both b = both(a, COPY, words, COUNT(words), lanes);

        const SassProfile p = sass_profile(a, b.flow, b.walk, NULL, NULL);

        assert_true(sass_anchor_lanes(b.walk) == lanes);
        assert_true(p.instr == 2 + 2 * lanes);
        assert_true(p.open == 0 && !p.unmatched);
        arena_free(a);
    }
}

/* Where the code tests a barrier in front of the loop, that loop is only entered if the test fails. */
static void a_wait_that_succeeds_at_once_enters_no_loop(void **state)
{
    (void)state;
    enum { TESTS = SASS_OP_SYNCS | 2 << 9, ARRIVES = SASS_OP_SYNCS };
    static const char WAIT[] =
        "$wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], %r1;\n@!%p1 bra $wait;\n";
    for (int i = 0; i < 2; i++) {
        Arena *a = arena_new();
        const Word words[] = {{.op = i ? ARRIVES : TESTS},
                              {.op = SASS_OP_BRA, .guard = true, .target = 4},
                              {.op = SASS_OP_IADD3},
                              {.op = SASS_OP_EXIT},
                              {.op = TESTS},
                              {.op = SASS_OP_BRA, .guard = true, .target = 4},
                              {.op = SASS_OP_BRA, .target = 2}};
        const Both b = both(a, WAIT, words, COUNT(words), 0);

        const SassProfile p = sass_profile(a, b.flow, b.walk, NULL, NULL);

        assert_true(p.instr == (i ? 7 : 4));
        assert_true(p.open == 0 && !p.unmatched);
        arena_free(a);
    }
}

/* Five loads in front of the loop, with guards in the code, and one in each of 8 rounds, of which the code makes four in
 * one: not three rounds and a single one of the five. */
static void a_loop_of_copies_makes_so_many_fewer_rounds(void **state)
{
    (void)state;
    enum { LOOP_AT = 5, COPIES = 4, WORDS = LOOP_AT + COPIES + 2 };
    Word words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = (Word){.op = SASS_OP_LDS, .guard = i < LOOP_AT};
    words[WORDS - 2] = (Word){.op = SASS_OP_BRA, .guard = true, .target = LOOP_AT};
    words[WORDS - 1] = (Word){.op = SASS_OP_EXIT};
    Arena *a = arena_new();
    const Both b =
        both(a, SHARED SHARED SHARED SHARED SHARED LOOP("$loop", SHARED, "8"), words, WORDS, 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_true(pairs_of(a, &b).copies[0] == COPIES);
    assert_true(visits_at(j, LOOP_AT) == 2);
    assert_null(j->unmatched);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_paired_by_what_they_do_not_where_they_stand),
        cmocka_unit_test(numbers_in_instructions_tell_loops_apart),
        cmocka_unit_test(loops_that_nothing_tells_apart_are_a_doubt),
        cmocka_unit_test(a_guess_that_changes_nothing_is_no_doubt),
        cmocka_unit_test(loops_one_after_the_other_keep_their_order),
        cmocka_unit_test(another_number_of_loops_is_not_paired),
        cmocka_unit_test(a_loop_that_is_never_entered_may_be_missing),
        cmocka_unit_test(missing_logic_does_not_enter_a_loop_that_the_ptx_leaves_out),
        cmocka_unit_test(many_loops_side_by_side_are_paired_as_they_come),
        cmocka_unit_test(copies_of_a_loop_of_integers_are_told_by_its_numbers),
        cmocka_unit_test(many_numbers_take_little_memory),
        cmocka_unit_test(loops_that_nothing_tells_anything_of_are_doubted),
        cmocka_unit_test(what_a_division_expands_to_is_allowed_for),
        cmocka_unit_test(a_product_fused_with_two_sums_is_computed_twice),
        cmocka_unit_test(special_functions_that_differ_are_said),
        cmocka_unit_test(of_many_numbers_the_first_32_are_compared),
        cmocka_unit_test(many_loops_are_paired_and_too_many_are_not),
        cmocka_unit_test(bulk_copies_are_made_for_one_lane_after_the_other),
        cmocka_unit_test(a_wait_that_succeeds_at_once_enters_no_loop),
        cmocka_unit_test(a_loop_of_copies_makes_so_many_fewer_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
