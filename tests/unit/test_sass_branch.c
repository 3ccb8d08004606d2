/* Which branch of the machine code is which of the PTX, and where lanes meet: both written by hand. */
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

/* ISETP.EQ.AND P0, PT, RZ, RZ, PT and ISETP.GT.AND P0, PT, R11, R0, PT */
static const uint64_t settles[] = {UINT64_C(0xffff00720c), 0x03f02270},
                      varies[] = {UINT64_C(0x0b00720c), 0x03f04270};

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
    memcpy(code + TEST * SASS_BYTES, settles, sizeof settles);
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

/* Lanes leave a loop one by one, and others part behind it; a branch that the launch settles, and the PTX has not, stands
 * around both in the code.  `block`: within it so does one that the number of the block settles, in the PTX too, and what
 * three instructions of the code do nothing tells. */
static Both settled_around(Arena *a, bool block, CubinKernel *k)
{
    enum { WORDS = 60, OF_BLOCK = 6, LOOP = 8, PART = 32, OPEN = 43, END = 50 };
#define PADS                                                                                       \
    "add.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\n"     \
    "add.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\n"
#define INNER                                                                                      \
    LOOP("$l", FMA, "%r4")                                                                         \
    PADS PADS PADS "setp.lt.u32 %p1, %r4, 16;\n@%p1 bra $over;\n" FMA "$over:\n" ADD
    static const char body[] = INNER PADS PADS PADS,
                      of_block[] = "mov.u32 %r5, %ctaid.y;\nsetp.ge.u32 %p3, %r5, 3;\n@%p3 bra "
                                   "$end;\n" INNER "$end:\n" PADS PADS PADS;
    Word words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = (Word){.op = SASS_OP_IADD3};
    words[1] = (Word){.op = SASS_OP_BRA, .guard = true, .target = OF_BLOCK - 2};
    words[3] = (Word){.op = SASS_OP_BRA, .target = END};
    words[LOOP - 1] = (Word){.op = SASS_OP_BSSY, .target = LOOP + 3};
    words[LOOP] = (Word){.op = SASS_OP_FFMA};
    words[LOOP + 2] = (Word){.op = SASS_OP_BRA, .guard = true, .target = LOOP};
    words[LOOP + 3] = (Word){.op = SASS_OP_BSYNC};
    words[PART - 1] = (Word){.op = SASS_OP_BSSY, .target = PART + 2};
    words[PART] = (Word){.op = SASS_OP_BRA, .guard = true, .target = PART + 2};
    words[PART + 1] = (Word){.op = SASS_OP_FFMA};
    words[PART + 2] = (Word){.op = SASS_OP_BSYNC};
    words[PART + 3] = (Word){.op = SASS_OP_FADD};
    words[WORDS - 1] = (Word){.op = SASS_OP_EXIT};
    if (block) {
        words[OF_BLOCK] = (Word){.op = SASS_OP_BRA, .guard = true, .target = END};
        words[OPEN] = (Word){.op = SASS_OP_BRA, .guard = true, .target = OPEN + 4};
    }
    Both b = both(a, block ? of_block : body, words, WORDS, 0);
    uint8_t *code = sass_words(a, words, WORDS);
    memcpy(code, settles, sizeof settles);
    memcpy(code + (LOOP + 1) * SASS_BYTES, varies, sizeof varies);
    memcpy(code + (PART - 2) * SASS_BYTES, varies, sizeof varies);
    memcpy(code + (OPEN - 1) * SASS_BYTES, varies, sizeof varies);
    /* S2R R0, SR_CTAID.Y; ISETP.GE.AND P0, PT, R0, 0x3, PT */
    const uint64_t by_block[] = {0x7919, 0x2600, UINT64_C(0x30000780c), 0x03f06270};
    memcpy(code + (OF_BLOCK - 2) * SASS_BYTES, by_block, sizeof by_block);
    *k = (CubinKernel){.code = code, .code_bytes = SASS_BYTES * WORDS};
    SassFlow *f = sass_flow_build(a, 90, k);
    assert_true(sass_settle(a, f, &(SassLaunch){.block = {32, 1, 1}, .grid = {9, 9, 9}}));
    b.flow = f;
    return b;
}

static bool is_paired(Arena *a, const Both *b, bool all)
{
    const SassPairs pairs = pairs_of(a, b);
    const WalkFunction *f = b->walk->functions.at[0];
    const SassBranch *of = sass_pair_branches(a, b->flow, f, &pairs, all);
    bool any = false;
    for (int i = 0; i < b->flow->cfg->count; i++)
        any |= of[i].ptx != CFG_NONE;
    return any;
}

static void pairs_that_do_not_match_are_made_without_settled_branches(void **state)
{
    (void)state;
    Arena *a = arena_new();
    CubinKernel k;
    const Both b = settled_around(a, false, &k);
    assert_false(is_paired(a, &b, true));
    assert_true(is_paired(a, &b, false));

    const SassJoin *j = sass_join(a, b.flow, b.walk);

    if (j->unmatched)
        fail_msg("%s", j->unmatched);
    arena_free(a);
}

/* Where the block settles a branch, those within it are not where those of the PTX are. */
static void what_the_block_settles_is_taken_only_if_it_matches(void **state)
{
    (void)state;
    Arena *a = arena_new();
    CubinKernel k;
    const Both b = settled_around(a, true, &k);
    const uint32_t at[] = {0, 0, 0};
    const SassLaunch launch = {.block = {32, 1, 1}, .grid = {9, 9, 9}, .at = at};
    SassFlow *settled = sass_flow_build(a, 90, &k);
    assert_true(sass_settle(a, settled, &launch));
    const SassProfile first = sass_profile(a, b.flow, b.walk, NULL, NULL);
    assert_true(!first.unmatched && first.open >= 1);
    assert_non_null(sass_profile(a, settled, b.walk, NULL, NULL).unmatched);

    const SassProfile p = sass_profile_in_block(a, b.flow, &k, &launch, b.walk, NULL, NULL);

    assert_null(p.unmatched);
    assert_true(p.instr == first.instr && p.open == first.open);
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
    static const char body[] =
        ROOT "setp.lt.u32 %p2, %r4, 16;\n@%p2 bra $end;\n" ROOT
             "$end:\nsetp.gt.f32 %p3, %f1, %f2;\nvote.sync.any.pred %p4, %p3, -1;\n";
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
        cmocka_unit_test(guarded_exits_are_the_ptxs_branches_to_the_end_in_order),
        cmocka_unit_test(sides_that_nothing_tells_apart_are_open),
        cmocka_unit_test(every_group_that_leaves_a_loop_issues_its_bsync),
        cmocka_unit_test(both_ways_of_an_unknown_branch_meet_without_a_bsync),
        cmocka_unit_test(lanes_that_stay_together_issue_a_bsync_once),
        cmocka_unit_test(a_way_of_logic_alone_is_no_shortcut),
        cmocka_unit_test(branches_are_paired_in_their_order),
        cmocka_unit_test(a_way_is_taken_as_at_the_branch_of_the_ptx),
        cmocka_unit_test(sides_are_told_by_comparisons),
        cmocka_unit_test(ends_in_loops_are_paired_apart),
        cmocka_unit_test(lanes_are_together_where_the_ptx_has_them_together),
        cmocka_unit_test(settled_branches_are_paired_too),
        cmocka_unit_test(pairs_that_do_not_match_are_made_without_settled_branches),
        cmocka_unit_test(what_the_block_settles_is_taken_only_if_it_matches),
        cmocka_unit_test(branches_by_numbers_of_floats_are_no_others),
        cmocka_unit_test(what_a_guard_guards_is_rather_executed),
        cmocka_unit_test(what_a_guard_ends_is_no_branch_that_others_stand_behind),
        cmocka_unit_test(lanes_diverge_at_the_branch_that_is_as_far_on_as_in_the_ptx),
        cmocka_unit_test(lanes_that_diverge_take_each_side_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
