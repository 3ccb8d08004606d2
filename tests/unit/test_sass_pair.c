/* Which loop of the machine code is which of the PTX, and where lanes meet: both written by hand,
 * the code's blocks in another order than the PTX's. */
#include "metrics/cubin/sass_branch.h"
#include "metrics/cubin/sass_profile.h"
#include "metrics/cubin/sass_settle.h"
#include "metrics/ptx/ptx.h"
#include "tests/support/sass_shapes.h"
#include "tests/support/sass_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct Both {
    const Walk *walk;
    const SassFlow *flow;
} Both;

/* A kernel `k` with a number as parameter; `body` goes between its declarations and its end. */
static Both both(Arena *a, const char *body, const Word *words, size_t count, int32_t number)
{
    Source *s = ARENA_NEW(a, Source);
    s->name = "k.ptx";
    s->text = arena_printf(a,
                           ".version 9.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u32 n)\n{\n"
                           ".reg .pred %%p<9>;\n.reg .f32 %%f<9>;\n.reg .b32 %%r<9>;\n"
                           "ld.param.u32 %%r1, [n];\nmov.u32 %%r2, 0;\nmov.u32 %%r4, %%tid.x;\n"
                           "%s"
                           "ret;\n}\n",
                           body);
    s->size = strlen(s->text);
    Diag d = diag_new(a);
    const PtxFunction *entry = ptx_find_entry(ptx_parse(a, s, &d), "k");
    assert_non_null(entry);
    const WalkOptions o = {.launch = {.grid = {1, 1, 1},
                                      .block = {32, 1, 1},
                                      .has_geometry = true,
                                      .params = (const unsigned char *)&number,
                                      .param_bytes = sizeof number}};
    return (Both){walk_warp(a, entry, &o), sass_words_flow(a, words, count)};
}

static SassPairs pairs_of(Arena *a, const Both *b)
{
    return sass_pair_loops(a, b->flow, b->walk->functions.at[0]);
}

/* How often the instruction at `i` is executed. */
static double visits_at(const SassJoin *j, size_t i)
{
    return j->visits[j->flow->cfg->block_of[i]];
}

/* A loop of `op`, `trips` times: LOOP(A, "fma…", "10") */
#define LOOP(label, op, trips)                                                                     \
    label ":\n" op "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, " trips ";\n@%p2 bra " label ";\n"
#define FMA    "fma.rn.f32 %f1, %f1, %f1, %f2;\n"
#define ADD    "add.f32 %f1, %f1, %f2;\n"
#define EITHER "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra $second;\n"

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

/* All lanes go past the first EXIT and end at the second; by landmarks alone they would end at the first. */
static void guarded_exits_are_the_ptxs_branches_to_the_end_in_order(void **state)
{
    (void)state;
    static const char BODY[] = "setp.ge.s32 %p1, %r4, 100;\n@%p1 bra $end;\n"
                               "setp.eq.s32 %p2, %r1, 0;\n@%p2 bra $end;\n" FMA "$end:\n";
    const Word words[] = {{.op = SASS_OP_EXIT, .guard = true},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_EXIT, .guard = true},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const Both b = both(a, BODY, words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_true(visits_at(j, 1) == 1);
    assert_true(visits_at(j, 3) == 0);
    arena_free(a);
}

/* The loop's way out is a branch in the code and to the end in the PTX. */
static void ends_in_loops_are_paired_apart(void **state)
{
    (void)state;
    static const char BODY[] =
        "setp.ge.s32 %p1, %r4, 100;\n@%p1 bra $end;\n"
        "setp.eq.s32 %p2, %r1, 0;\n@%p2 bra $end;\n" LOOP("$loop", FMA, "10") "$end:\n";
    const Word words[] = {{.op = SASS_OP_EXIT, .guard = true},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_EXIT, .guard = true},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_EXIT, .guard = true},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_BRA, .guard = true, .target = 5},
                          {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const Both b = both(a, BODY, words, COUNT(words), 0);
    const SassPairs pairs = pairs_of(a, &b);
    const SassBranch *of = sass_pair_branches(a, b.flow, b.walk->functions.at[0], &pairs, true);
    assert_int_equal(of[0].ptx, CFG_NONE); /* three ends, two of the PTX */
    const Word two[] = {words[0], words[1], words[2],
                        words[3], words[5], {.op = SASS_OP_BRA, .guard = true, .target = 4},
                        words[7]};
    const Both c = both(a, BODY, two, COUNT(two), 0);

    const SassJoin *j = sass_join(a, c.flow, c.walk);

    assert_true(visits_at(j, 1) == 1 && visits_at(j, 3) == 0);
    assert_true(j->open == 0);
    arena_free(a);
}

/* Lanes 0 to 15 take one of two sides that look alike, of 1 or 3 instructions. */
static void sides_that_nothing_tells_apart_are_open(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_BRA, .guard = true, .target = 3},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_BRA, .target = 6},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const Both b = both(a, "add.u32 %r5, %r4, 1;\n", words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_true(visits_at(j, 1) == 1);
    assert_true(visits_at(j, 3) == 0);
    assert_true(j->open == 1); /* 1 + 3 + 1 for 1 + 2 + 1 */
    arena_free(a);
}

/* Lane l goes round l + 1 times: 32 groups come to the BSYNC one by one, and go on as one. */
static void every_group_that_leaves_a_loop_issues_its_bsync(void **state)
{
    (void)state;
    static const char BODY[] =
        "$again:\n" FMA "add.u32 %r2, %r2, 1;\nsetp.le.u32 %p2, %r2, %r4;\n@%p2 bra $again;\n";
    const Word words[] = {{.op = SASS_OP_BSSY, .target = 4},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_BRA, .guard = true, .target = 1},
                          {.op = SASS_OP_BSYNC},
                          {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const Both b = both(a, BODY, words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_null(j->unmatched);
    assert_true(visits_at(j, 0) == 1);
    assert_true(visits_at(j, 1) == 32);
    assert_true(visits_at(j, 3) == 32);
    assert_true(visits_at(j, 4) == 1);
    arena_free(a);
}

/* A branch by what a load brings: the walk goes both ways.  The code has no BSYNC, since all lanes go the
 * same way; what comes behind both is executed once all the same. */
static void both_ways_of_an_unknown_branch_meet_without_a_bsync(void **state)
{
    (void)state;
    static const char BODY[] = "ld.global.u32 %r3, [4096];\nsetp.eq.u32 %p1, %r3, 0;\n"
                               "@%p1 bra $other;\nex2.approx.f32 %f1, %f2;\nbra.uni $meet;\n"
                               "$other:\nlg2.approx.f32 %f1, %f2;\n"
                               "$meet:\nbar.sync 0;\n";
    const Word words[] = {{.op = SASS_OP_LDG},  {.op = SASS_OP_BRA, .guard = true, .target = 4},
                          {.op = SASS_OP_MUFU}, {.op = SASS_OP_BRA, .target = 5},
                          {.op = SASS_OP_MUFU}, {.op = SASS_OP_BAR},
                          {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const Both b = both(a, BODY, words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_null(j->unmatched);
    assert_true(visits_at(j, 2) == 1);
    assert_true(visits_at(j, 4) == 1);
    assert_true(visits_at(j, 5) == 1);
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

/* The same without lanes that part: one group. */
static void lanes_that_stay_together_issue_a_bsync_once(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_BSSY, .target = 4},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_BRA, .guard = true, .target = 1},
                          {.op = SASS_OP_BSYNC},
                          {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const Both b = both(a, LOOP("$again", FMA, "25"), words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_null(j->unmatched);
    assert_true(visits_at(j, 1) == 25);
    assert_true(visits_at(j, 3) == 1);
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

/* ptxas makes one of two or three of them, but not none: the way with them is the one taken. */
static void a_way_of_logic_alone_is_no_shortcut(void **state)
{
    (void)state;
    static const char XOR[] = "xor.b32 %r3, %r3, %r2;\n";
    const Word words[] = {{.op = SASS_OP_BRA, .guard = true, .target = 3},
                          {.op = SASS_OP_LOP3},
                          {.op = SASS_OP_LOP3},
                          {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const char *body = arena_printf(a, "%s%s%s%s", XOR, XOR, XOR, XOR);
    const Both b = both(a, body, words, COUNT(words), 0), none = both(a, "", words, 4, 0);

    assert_true(visits_at(sass_join(a, b.flow, b.walk), 1) == 1);
    assert_true(visits_at(sass_join(a, none.flow, none.walk), 1) == 0);
    assert_null(sass_join(a, b.flow, b.walk)->unmatched);
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

/* 160 conditions one after the other, each around a way of its own: every branch of the code is the one of as many before it. */
static void branches_are_paired_in_their_order(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Shape s = sass_shape(a, "guards", 90, 3152);
    const WalkFunction *f = s.walk->functions.at[0];
    const SassPairs loops = sass_pair_loops(a, s.flow, f);
    const SassBranch *branch = sass_pair_branches(a, s.flow, f, &loops, true);
    int count = 0, last = CFG_NONE;
    for (int b = 0; b < s.flow->cfg->count; b++) {
        if (branch[b].ptx == CFG_NONE)
            continue;
        assert_true(branch[b].ptx > last);
        assert_true(branch[b].way == CFG_NONE || branch[b].into == branch[b].ptx + 1);
        last = branch[b].ptx;
        count++;
    }
    assert_in_range(count, 150, 160);
    arena_free(a);
}

/* A way without landmarks that is long: half of the lanes take it, or none do. */
#define IF                                                                                         \
    "setp.gt.s32 %p1, %r4, %r1;\n@%p1 bra L;\n"                                                    \
    "add.u32 %r2, %r2, %r4;\nadd.u32 %r3, %r3, %r2;\n"                                             \
    "add.u32 %r2, %r2, %r3;\nadd.u32 %r3, %r3, %r2;\n"                                             \
    "add.u32 %r2, %r2, %r3;\nadd.u32 %r3, %r3, %r2;\n"                                             \
    "add.u32 %r2, %r2, %r3;\nadd.u32 %r3, %r3, %r2;\nL:\n"

static void a_way_is_taken_as_at_the_branch_of_the_ptx(void **state)
{
    (void)state;
    enum { BRANCH = 4, WAY = 5, MEET = 13, END = 14, WORDS = 15 };
    Word words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = (Word){.op = SASS_OP_IADD3};
    words[0] = (Word){.op = SASS_OP_BSSY, .target = END};
    words[BRANCH] = (Word){.op = SASS_OP_BRA, .guard = true, .target = MEET};
    words[MEET] = (Word){.op = SASS_OP_BSYNC};
    words[END] = (Word){.op = SASS_OP_EXIT};
    Arena *a = arena_new();
    const Both half = both(a, IF, words, WORDS, 15), none = both(a, IF, words, WORDS, -1);

    const SassJoin *j = sass_join(a, half.flow, half.walk);
    assert_true(visits_at(j, WAY) == 1 && visits_at(j, MEET) == 2 && visits_at(j, END) == 1);
    assert_true(visits_at(sass_join(a, none.flow, none.walk), WAY) == 0);
    arena_free(a);
}

/* What a comparison compares R11 with. */
typedef enum Compared { REGISTER, ZERO, SCALAR, HALVES } Compared;

/* The side that the code goes to where it jumps if R11 compares so with R0, 0, UR4, or R3 and R11 with R2 and R0, and the PTX
 * if `test` holds with n or 0 for %r1 and 0 for %r2: first, of 3 instructions, or second, of 2. */
static void assert_side(uint64_t relation, Compared with, const char *test, int32_t n, bool first)
{
    enum { LOWER = 3, BEFORE = 4, FIRST = 6, SECOND = 9 };
    const Word words[] = {{.op = SASS_OP_IADD3},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_ISETP},
                          {.op = SASS_OP_BRA, .guard = true, .target = SECOND},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_BRA, .target = 11},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    Both b = both(a,
                  arena_printf(a,
                               "setp.%s;\n@%%p1 bra $second;\nadd.u32 %%r3, %%r3, 3;\n"
                               "bra $end;\n$second:\nadd.u32 %%r3, %%r3, %%r4;\n$end:\n",
                               test),
                  words, COUNT(words), n);
    uint8_t *code = sass_words(a, words, COUNT(words));
    const uint64_t second[] = {0, UINT64_C(0xff) << 32, UINT64_C(0x400000c00), 0};
    /* ISETP.….AND P0, PT, R11, R0, PT */
    const uint64_t compare[] = {(UINT64_C(0x0b00700c) | (with == SCALAR ? 0 : 0x200)) |
                                    second[with],
                                0x03f00270 | relation << 12 | (uint64_t)(with == SCALAR) << 27};
    memcpy(code + (with == HALVES ? LOWER : BEFORE) * SASS_BYTES, compare, sizeof compare);
    if (with == HALVES) { /* ISETP.….AND.EX P0, PT, R3, RZ, PT, P0 */
        const uint64_t upper[] = {UINT64_C(0xff0300720c), 0x03f00300 | relation << 12};
        memcpy(code + BEFORE * SASS_BYTES, upper, sizeof upper);
    }
    const CubinKernel k = {.code = code, .code_bytes = SASS_BYTES * COUNT(words)};
    b.flow = sass_flow_build(a, 90, &k);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_true(visits_at(j, FIRST) == first);
    assert_true(visits_at(j, SECOND) == !first);
    arena_free(a);
}

/* Nothing else tells sides apart that both have code: a comparison with 0 of which the opposite is left, and one of two
 * values, also exchanged.  Where it is another one the shorter side is taken. */
static void sides_are_told_by_comparisons(void **state)
{
    (void)state;
    enum { LT = 1, EQ, LE, GT, NE, GE };
    for (int n = 0; n < 2; n++) {
        assert_side(EQ, ZERO, "eq.s32 %p1, %r1, 0", n, n == 1);
        assert_side(NE, ZERO, "eq.s32 %p1, %r1, 0", n, n == 0);
        assert_side(GT, REGISTER, "gt.s32 %p1, %r1, %r2", n, n == 0);
        assert_side(LE, REGISTER, "gt.s32 %p1, %r1, %r2", n, n == 1);
        assert_side(LT, REGISTER, "gt.s32 %p1, %r1, %r2", n, n == 0);
        assert_side(GE, REGISTER, "gt.s32 %p1, %r1, %r2", n, n == 1);
        assert_side(EQ, REGISTER, "gt.s32 %p1, %r1, %r2", n, false);
        assert_side(NE, ZERO, "eq.s32 %p1, %r1, %r2", n, false);
        assert_side(GT, SCALAR, "gt.s32 %p1, %r1, %r2", n, n == 0);
        assert_side(LE, SCALAR, "gt.s32 %p1, %r1, %r2", n, n == 1);
        assert_side(GT, HALVES, "gt.s32 %p1, %r1, %r2", n, n == 0);
        assert_side(LE, HALVES, "gt.s32 %p1, %r1, %r2", n, n == 1);
    }
}

/* BRA.DIV goes to a shorter way only where lanes are not together; BRA.CONV to a longer one where they are. */
static void lanes_are_together_where_the_ptx_has_them_together(void **state)
{
    (void)state;
    static const uint64_t DIV = UINT64_C(2) << 32, CONV = UINT64_C(3) << 32;
    const Word words[] = {
        {.op = SASS_OP_BRA, .target = 4}, {.op = SASS_OP_IADD3}, {.op = SASS_OP_IADD3},
        {.op = SASS_OP_BRA, .target = 5}, {.op = SASS_OP_IADD3}, {.op = SASS_OP_EXIT}};
    for (int conv = 0; conv < 2; conv++) {
        Arena *a = arena_new();
        Both b = both(a, "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra $end;\n" FMA "$end:\n", words,
                      COUNT(words), 0);
        uint8_t *code = sass_words(a, words, COUNT(words));
        uint64_t branch;
        memcpy(&branch, code, sizeof branch);
        branch |= conv ? CONV : DIV;
        memcpy(code, &branch, sizeof branch);
        const CubinKernel k = {.code = code, .code_bytes = SASS_BYTES * COUNT(words)};
        b.flow = sass_flow_build(a, 90, &k);

        const SassJoin *j = sass_join(a, b.flow, b.walk);

        assert_true(visits_at(j, 1) == !conv);
        assert_true(visits_at(j, 4) == conv);
        assert_true(j->open == 0);
        arena_free(a);
    }
}

/* Of two branches of the code, the launch settles the one that the PTX has; the other has none in the PTX. */
static void settled_branches_are_paired_too(void **state)
{
    (void)state;
    enum { TEST = 23, FIRST, OTHER = 27, WORDS = 40 };
    Word words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = (Word){.op = SASS_OP_IADD3};
    words[FIRST] = (Word){.op = SASS_OP_BRA, .guard = true, .target = FIRST + 2};
    words[OTHER] = (Word){.op = SASS_OP_BRA, .guard = true, .target = OTHER + 2};
    words[WORDS - 1] = (Word){.op = SASS_OP_EXIT};
    Arena *a = arena_new();
    Both b =
        both(a, "setp.gt.s32 %p1, %r1, 3;\n@%p1 bra $over;\n" FMA "$over:\n" FMA, words, WORDS, 0);
    uint8_t *code = sass_words(a, words, WORDS);
    /* ISETP.EQ.AND P0, PT, RZ, RZ, PT */
    const uint64_t settles[] = {UINT64_C(0xffff00720c), 0x03f02270};
    memcpy(code + TEST * SASS_BYTES, settles, sizeof settles);
    const uint64_t varies[] = {UINT64_C(0x0b00720c),
                               0x03f04270}; /* ISETP.GT.AND P0, PT, R11, R0, PT */
    memcpy(code + (OTHER - 1) * SASS_BYTES, varies, sizeof varies);
    memcpy(code + FIRST * SASS_BYTES + SASS_BYTES, varies, sizeof varies);
    const CubinKernel k = {.code = code, .code_bytes = SASS_BYTES * WORDS};
    SassFlow *f = sass_flow_build(a, 90, &k);
    assert_true(sass_settle(a, f, &(SassLaunch){.block = {32, 1, 1}, .grid = {1, 1, 1}}));
    b.flow = f;
    const SassPairs pairs = pairs_of(a, &b);

    const SassBranch *of = sass_pair_branches(a, f, b.walk->functions.at[0], &pairs, true);

    assert_int_not_equal(of[0].ptx, CFG_NONE);
    assert_int_equal(of[0].way, CFG_NONE);
    assert_int_equal(of[f->cfg->block_of[OTHER]].ptx, CFG_NONE);
    arena_free(a);
}

/* ptxas leaves numbers that floats are compared with as they are: a branch by another number, however near, is another. */
static void branches_by_numbers_of_floats_are_no_others(void **state)
{
    (void)state;
    enum { TEST = 8, WORDS = 20 };
    Word words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = (Word){.op = SASS_OP_IADD3};
    words[TEST + 1] = (Word){.op = SASS_OP_BRA, .guard = true, .target = TEST + 3};
    words[WORDS - 1] = (Word){.op = SASS_OP_EXIT};
#define OVER(test) test ";\n@%p1 bra $over;\n" FMA "$over:\n" FMA FMA
    static const char *const bodies[] = {OVER("setp.eq.s32 %p1, %r1, 3"),
                                         OVER("setp.ge.f32 %p1, %f1, 0f47CE4780")};
    for (int same = 0; same < 2; same++) {
        Arena *a = arena_new();
        Both b = both(a, bodies[same], words, WORDS, 0);
        uint8_t *code = sass_words(a, words, WORDS);
        /* FSETP.GE.AND P0, PT, R2, 105615, PT */
        const uint64_t compare[] = {UINT64_C(0x47ce47800200780b), 0x03f06000};
        memcpy(code + TEST * SASS_BYTES, compare, sizeof compare);
        const CubinKernel k = {.code = code, .code_bytes = SASS_BYTES * WORDS};
        b.flow = sass_flow_build(a, 90, &k);
        const SassPairs pairs = pairs_of(a, &b);

        const SassBranch *of = sass_pair_branches(a, b.flow, b.walk->functions.at[0], &pairs, true);

        assert_int_equal(of[0].ptx != CFG_NONE, same);
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

#define SHARED "ld.shared.f32 %f3, [%r4];\n"

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

/* The one load of the PTX is the one with a guard on the way, not the one beside it, and nothing is open. */
static void what_a_guard_guards_is_rather_executed(void **state)
{
    (void)state;
    const Word words[] = {{.op = SASS_OP_LDS, .guard = true},
                          {.op = SASS_OP_BRA, .guard = true, .target = 4},
                          {.op = SASS_OP_LDS},
                          {.op = SASS_OP_IADD3},
                          {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const Both b = both(a, SHARED, words, COUNT(words), 0);

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    assert_true(visits_at(j, 2) == 0);
    assert_true(j->open == 0);
    arena_free(a);
}

/* `if (tid > 63) return;` in front of it, of which the code makes an EXIT with a guard. */
static void what_a_guard_ends_is_no_branch_that_others_stand_behind(void **state)
{
    (void)state;
    static const char BEHIND[] = "setp.gt.s32 %p2, %r4, 63;\n@%p2 bra E;\n" IF FMA "E:\n";
    enum { BRANCH = 5, WAY = 6, MEET = 14, LAST = 15, END = 16, WORDS = 17 };
    Word words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = (Word){.op = SASS_OP_IADD3};
    words[0] = (Word){.op = SASS_OP_EXIT, .guard = true};
    words[1] = (Word){.op = SASS_OP_BSSY, .target = LAST};
    words[BRANCH] = (Word){.op = SASS_OP_BRA, .guard = true, .target = MEET};
    words[MEET] = (Word){.op = SASS_OP_BSYNC};
    words[LAST] = (Word){.op = SASS_OP_FFMA};
    words[END] = (Word){.op = SASS_OP_EXIT};
    Arena *a = arena_new();
    const Both half = both(a, BEHIND, words, WORDS, 15), none = both(a, BEHIND, words, WORDS, -1);

    const SassJoin *j = sass_join(a, half.flow, half.walk);
    assert_true(visits_at(j, WAY) == 1 && visits_at(j, MEET) == 2 && visits_at(j, LAST) == 1);
    assert_true(visits_at(sass_join(a, none.flow, none.walk), WAY) == 0);
    arena_free(a);
}

#define HALF(label) "setp.lt.u32 %p2, %r4, 16;\n@%p2 bra " label ";\n" ADD label ":\n"

/* Half of the lanes go past the addition of the PTX; its branch, in front of the end, is paired with none.  It is block 0
 * of 3, or 3 of 6; the branches of the code are 0 and 3 of 7. */
static void lanes_diverge_at_the_branch_that_is_as_far_on_as_in_the_ptx(void **state)
{
    (void)state;
    static const Word code[] = {{.op = SASS_OP_BSSY, .target = 4},
                                {.op = SASS_OP_BRA, .guard = true, .target = 3},
                                {.op = SASS_OP_FADD},
                                {.op = SASS_OP_BSYNC},
                                {.op = SASS_OP_BSSY, .target = 8},
                                {.op = SASS_OP_BRA, .guard = true, .target = 7},
                                {.op = SASS_OP_FADD},
                                {.op = SASS_OP_BSYNC},
                                {.op = SASS_OP_MOV},
                                {.op = SASS_OP_EXIT}};
    static const char *const bodies[] = {HALF("$end"),
                                         "bra $b;\n$b:\nbra $c;\n$c:\nbra $d;\n$d:\n" HALF("$end")};
    Arena *a = arena_new();
    for (int second = 0; second < 2; second++) {
        const Both b = both(a, bodies[second], code, COUNT(code), 0);

        const SassJoin *j = sass_join(a, b.flow, b.walk);

        assert_null(j->unmatched);
        assert_true(visits_at(j, 2) == 1 - second);
        assert_true(visits_at(j, 6) == second);
        assert_true(visits_at(j, 3) == 2 - second); /* by both groups where they diverged */
        assert_true(visits_at(j, 7) == 1 + second);
    }
    arena_free(a);
}

/* One special function of two is gone; lanes that diverge do not come twice to the other, whichever edge leads there. */
static void lanes_that_diverge_take_each_side_once(void **state)
{
    (void)state;
#define ROOT "sqrt.approx.f32 %f1, %f1;\n"
    static const char body[] = ROOT "setp.lt.u32 %p2, %r4, 16;\n@%p2 bra $end;\n" ROOT "$end:\n";
    static const Word behind[] = {{.op = SASS_OP_BSSY, .target = 4},
                                  {.op = SASS_OP_BRA, .guard = true, .target = 3},
                                  {.op = SASS_OP_MUFU},
                                  {.op = SASS_OP_BSYNC},
                                  {.op = SASS_OP_EXIT}};
    static const Word aside[] = {{.op = SASS_OP_BSSY, .target = 5},
                                 {.op = SASS_OP_BRA, .guard = true, .target = 3},
                                 {.op = SASS_OP_BRA, .target = 4},
                                 {.op = SASS_OP_MUFU},
                                 {.op = SASS_OP_BSYNC},
                                 {.op = SASS_OP_EXIT}};
    Arena *a = arena_new();
    const Both all[] = {both(a, body, behind, COUNT(behind), 0),
                        both(a, body, aside, COUNT(aside), 0)};
    for (size_t i = 0; i < 2; i++) {
        const SassJoin *j = sass_join(a, all[i].flow, all[i].walk);

        assert_true(visits_at(j, 2 + i) == 1);
        assert_string_equal(j->unmatched, "special functions: 2 in PTX, 1 in the code");
    }
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
        cmocka_unit_test(guarded_exits_are_the_ptxs_branches_to_the_end_in_order),
        cmocka_unit_test(sides_that_nothing_tells_apart_are_open),
        cmocka_unit_test(every_group_that_leaves_a_loop_issues_its_bsync),
        cmocka_unit_test(both_ways_of_an_unknown_branch_meet_without_a_bsync),
        cmocka_unit_test(many_loops_side_by_side_are_paired_as_they_come),
        cmocka_unit_test(copies_of_a_loop_of_integers_are_told_by_its_numbers),
        cmocka_unit_test(many_numbers_take_little_memory),
        cmocka_unit_test(loops_that_nothing_tells_anything_of_are_doubted),
        cmocka_unit_test(lanes_that_stay_together_issue_a_bsync_once),
        cmocka_unit_test(what_a_division_expands_to_is_allowed_for),
        cmocka_unit_test(a_product_fused_with_two_sums_is_computed_twice),
        cmocka_unit_test(special_functions_that_differ_are_said),
        cmocka_unit_test(a_way_of_logic_alone_is_no_shortcut),
        cmocka_unit_test(of_many_numbers_the_first_32_are_compared),
        cmocka_unit_test(many_loops_are_paired_and_too_many_are_not),
        cmocka_unit_test(branches_are_paired_in_their_order),
        cmocka_unit_test(a_way_is_taken_as_at_the_branch_of_the_ptx),
        cmocka_unit_test(sides_are_told_by_comparisons),
        cmocka_unit_test(ends_in_loops_are_paired_apart),
        cmocka_unit_test(lanes_are_together_where_the_ptx_has_them_together),
        cmocka_unit_test(settled_branches_are_paired_too),
        cmocka_unit_test(branches_by_numbers_of_floats_are_no_others),
        cmocka_unit_test(bulk_copies_are_made_for_one_lane_after_the_other),
        cmocka_unit_test(a_loop_of_copies_makes_so_many_fewer_rounds),
        cmocka_unit_test(what_a_guard_guards_is_rather_executed),
        cmocka_unit_test(what_a_guard_ends_is_no_branch_that_others_stand_behind),
        cmocka_unit_test(lanes_diverge_at_the_branch_that_is_as_far_on_as_in_the_ptx),
        cmocka_unit_test(lanes_that_diverge_take_each_side_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
