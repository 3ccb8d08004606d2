/* How often machine code is executed.  Expected numbers follow from shapes.cu by hand. */
#include "metrics/cubin/sass_anchor.h"
#include "metrics/ptx/ptx.h"
#include "tests/support/sass_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static double executed(const char *kernel, int arch, int n, int opcode)
{
    Arena *a = arena_new();
    const Shape s = sass_shape(a, kernel, arch, n);
    assert_null(s.join->unmatched);
    const double times = sass_shape_executed(&s, opcode);
    arena_free(a);
    return times;
}

/* The same on all architectures. */
static void all_execute(const char *kernel, int n, int opcode, int times)
{
    static const int archs[] = {80, 90, 100};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        assert_int_equal(executed(kernel, archs[i], n, opcode), times);
}

static void code_without_branches_is_executed_once(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Shape s = sass_shape(a, "straight", 90, 0);

    assert_int_equal(s.profile.instr, 11); /* to the EXIT */
    assert_int_equal(s.profile.by_unit[SASS_UNIT_FMA], 1);
    assert_int_equal(s.profile.global_loads[2], 1);
    assert_int_equal(s.profile.code_bytes - s.profile.executed_bytes, SASS_BYTES);
    arena_free(a);
}

static void a_counted_loop_goes_round_as_in_the_ptx(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Shape s = sass_shape(a, "loop", 90, 1000);

    assert_int_equal(sass_shape_executed(&s, SASS_OP_FFMA), 1000);
    assert_int_equal(sass_shape_executed(&s, SASS_OP_STG), 1);
    assert_int_equal(s.profile.instr, 12 + 1000 * 9 + 2); /* blocks of 9, 3, 9 and 2 */
    for (size_t i = 0; i < s.join->flow->loops->loops.count; i++)
        assert_int_not_equal(s.join->paired[i], CFG_NONE);
    arena_free(a);
}

/* From sm_100 on loop counters live in the scalar unit and so do the predicates of branches. */
static void branches_on_scalar_predicates_are_branches(void **state)
{
    (void)state;
    assert_int_equal(executed("loop", 100, 1000, SASS_OP_FFMA), 1000);
    assert_int_equal(executed("paths", 100, 1280, SASS_OP_BAR), 20);
    assert_int_equal(executed("paths", 100, 1280, SASS_OP_LDS), 10 * 16 * 2);
}

static void a_loop_that_is_not_entered_is_left_out(void **state)
{
    (void)state;
    assert_int_equal(executed("loop", 90, 0, SASS_OP_FFMA), 0);
    assert_int_equal(executed("loop", 90, 0, SASS_OP_STG), 1);
}

static void an_unrolled_loop_and_its_rest_make_up_all_iterations(void **state)
{
    (void)state;
    for (int n = 0; n < 200; n += 7) {
        assert_int_equal(executed("rest", 90, n, SASS_OP_FFMA), n);
        assert_int_equal(executed("rest", 80, n, SASS_OP_LDG), n);
        assert_int_equal(executed("rest", 100, n, SASS_OP_FFMA), n);
    }
}

static void the_larger_copy_of_an_unrolled_loop_does_most_of_the_work(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Shape s = sass_shape(a, "rest", 90, 1003);

    double most = 0;
    for (int b = 0; b < s.flow->cfg->count; b++)
        most = s.join->visits[b] > most ? s.join->visits[b] : most;
    /* 16 iterations in one copy; the search for whole numbers stops near the fewest instructions.
     */
    assert_true(16 * most >= 0.9 * 1003);
    arena_free(a);
}

static void a_loop_that_ptxas_unrolled_away_counts_as_in_the_ptx(void **state)
{
    (void)state;
    assert_int_equal(executed("gone", 90, 0, SASS_OP_FFMA), 100);
    assert_int_equal(executed("gone", 80, 0, SASS_OP_FFMA), 100);
}

static void only_the_way_that_the_warp_takes_counts(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Shape vectors = sass_shape(a, "paths", 90, 1280), rest = sass_shape(a, "paths", 90, 1000);

    assert_null(vectors.join->unmatched);
    assert_int_equal(vectors.profile.global_loads[4], 10);
    assert_int_equal(vectors.profile.global_loads[2], 0);
    assert_int_equal(vectors.profile.shared_stores[4], 10);
    assert_int_equal(vectors.profile.shared_loads[2], 10 * 16 * 2);
    assert_int_equal(vectors.profile.barriers, 20);

    assert_null(rest.join->unmatched);
    assert_int_equal(rest.profile.global_loads[4], 0);
    assert_int_equal(rest.profile.global_loads[2], 8 * 4);
    assert_int_equal(rest.profile.shared_stores[2], 8 * 4);
    assert_int_equal(rest.profile.barriers, 16);
    arena_free(a);
}

static void lanes_that_part_take_both_ways(void **state)
{
    (void)state;
    assert_int_equal(executed("parted", 90, 10, SASS_OP_FFMA), 20);
    assert_int_equal(executed("parted", 90, 10, SASS_OP_LDG), 21);
    assert_int_equal(executed("parted", 80, 10, SASS_OP_STG), 1);
}

/* The warp meets 100 of 160 conditions; at the last of these its lanes diverge. */
static void many_branches_are_followed(void **state)
{
    (void)state;
    static const int archs[] = {80, 90, 100};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        assert_int_equal(executed("guards", archs[i], 3152, SASS_OP_STG), 200);
        assert_int_equal(executed("guards", archs[i], 3152, SASS_OP_MUFU), 200);
    }
}

static void a_subroutine_is_executed_where_it_is_called(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Shape s = sass_shape(a, "called", 90, 5);

    assert_int_equal(sass_shape_executed(&s, SASS_OP_CALL_144), 1);
    assert_int_equal(sass_shape_executed(&s, SASS_OP_RET), 1);
    assert_int_equal(s.profile.instr, 80);
    arena_free(a);
}

/* 0 / 255 in lane 0 calls a division's routine, and so does its 0 / 3; 1 to 32 do not; of -1000 to -969 times the
 * least denormal number all lanes do for the second. */
static void a_division_calls_its_routine_where_an_operand_asks_for_it(void **state)
{
    (void)state;
    all_execute("divided", 0, SASS_OP_RET, 2);
    all_execute("divided", 1, SASS_OP_RET, 0);
    all_execute("divided", -1000, SASS_OP_RET, 1);
    Arena *a = arena_new();
    const double none = sass_shape(a, "divided", 90, 1).profile.instr,
                 zero = sass_shape(a, "divided", 90, 0).profile.instr,
                 scaled = sass_shape(a, "divided", 90, -1000).profile.instr;
    assert_true(zero > none + 2 * 25 && zero < none + 2 * 45);
    /* which trivial result it is, is known */
    assert_true(sass_shape(a, "divided", 90, 0).profile.open < 1);
    assert_true(scaled > none + 40 && scaled < none + 120);
    arena_free(a);
}

/* Each round takes two of a quotient, a reciprocal and roots, none of which needs its routine. */
static void operations_on_doubles_are_followed_past_their_routines(void **state)
{
    (void)state;
    for (int n = 0; n < 12; n++) {
        all_execute("doubles", n, SASS_OP_MUFU, 2 * n);
        all_execute("doubles", n, SASS_OP_FFMA, (n + 1) / 2);
        all_execute("doubles", n, SASS_OP_RET, 0);
    }
}

/* The loop for the rest is no way to do all: at most what is left of one unrolled iteration is open. */
static void a_loop_for_the_rest_makes_few_rounds(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const SassProfile p = sass_shape(a, "rest", 90, 1000).profile;
    assert_true(p.open < 0.02 * p.instr);
    arena_free(a);
}

/* Of 60 rounds 30 divide, 20 take a root. */
static void divisions_and_roots_of_doubles_tell_ways_apart(void **state)
{
    (void)state;
    all_execute("quotients", 60, SASS_OP_MUFU, 50);
    all_execute("quotients", 60, SASS_OP_FFMA, 30);
    all_execute("quotients", 60, SASS_OP_RET, 0);
}

static void a_reciprocal_that_all_rounds_share_is_computed_once(void **state)
{
    (void)state;
    all_execute("scaled", 0, SASS_OP_MUFU, 0);
    all_execute("scaled", 1000, SASS_OP_MUFU, 1001);
    all_execute("scaled", 1000, SASS_OP_LDG, 1001);
}

static void the_case_of_a_switch_is_found_by_what_it_does(void **state)
{
    (void)state;
    assert_int_equal(executed("table", 90, 3, SASS_OP_FFMA), 1);
    assert_int_equal(executed("table", 90, 3, SASS_OP_MUFU), 0);
    assert_int_equal(executed("table", 90, 4, SASS_OP_LDG), 2);
}

/* Times that the ways of the n-th jump through a table are taken. */
static void assert_ways(const Shape *s, int n, const double ways[3])
{
    for (int b = 0; b < s->flow->cfg->count; b++) {
        const CfgBlock *block = &s->flow->cfg->blocks[b];
        if (block->end == block->first || sass_opcode(sass_flow_last(s->flow, b)) != SASS_OP_BRX ||
            n-- > 0)
            continue;
        assert_int_equal(block->succ_count, 3);
        for (int k = 0; k < 3; k++)
            assert_true(s->join->edges[b][k] == ways[k]);
        return;
    }
    fail_msg("no such jump");
}

/* Groups of eight lanes have 4, 5, 6 and 7, and one more in each of four rounds; what is at most 6 comes to
 * the table of 5, 6 and all others.  For sm_100 7 and 8 have a table, too. */
static void a_table_made_of_comparisons_is_taken_as_they_hold(void **state)
{
    (void)state;
    static const int archs[] = {80, 90, 100};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        Arena *a = arena_new();
        const Shape s = sass_shape(a, "chained", archs[i], 4);
        assert_ways(&s, 0, (double[]){2, 3, 1});
        if (archs[i] == 100)
            assert_ways(&s, 1, (double[]){4, 3, 2});
        arena_free(a);
    }
}

/* A round that is never made stands behind a guard in front of copies of the loop: of 32 lanes each makes
 * one round, and so one of the copies is executed. */
static void a_guard_that_the_branch_before_it_settles_guards_nothing(void **state)
{
    (void)state;
    static const int archs[] = {80, 90};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        Arena *a = arena_new();
        const Shape s = sass_shape(a, "strided", archs[i], 32);
        assert_null(s.join->unmatched);
        assert_true(s.join->in_code_least[SASS_ANCHOR_LOAD_4] == 1);
        assert_true(s.join->in_code_most[SASS_ANCHOR_LOAD_4] == 1);
        arena_free(a);
    }
}

/* Times that the branch that compares with a number is taken, and not. */
static void assert_branch(Arena *a, const Shape *s, uint32_t number, double taken, double not_taken)
{
    for (int b = 0; b < s->flow->cfg->count; b++) {
        const CfgBlock *block = &s->flow->cfg->blocks[b];
        SassInstr w;
        bool negated;
        uint32_t with;
        if (!sass_flow_decision(a, s->flow, b, &w, &negated) || !sass_immediate(w, &with) ||
            with != number)
            continue;
        assert_int_equal(block->succs[0], block->taken);
        assert_true(s->join->edges[b][0] == taken);
        assert_true(s->join->edges[b][1] == not_taken);
        return;
    }
    fail_msg("no branch by %u", number);
}

/* Above 6 are one to four of the groups; 7 is among them in each round, 8 in all but the first. */
static void comparisons_that_are_left_are_taken_as_they_hold(void **state)
{
    (void)state;
    for (int arch = 80; arch <= 90; arch += 10) {
        Arena *a = arena_new();
        const Shape s = sass_shape(a, "chained", arch, 4);
        assert_branch(a, &s, 6, 4, 3);
        assert_branch(a, &s, 7, 4, 3);
        assert_branch(a, &s, 8, 2, 3);
        assert_null(s.join->unmatched);
        arena_free(a);
    }
}

/* Two lanes have each of 0 to 15.  Those of 6 and 7 meet before the sum of 6, 4 to 7 before that of 4, 1 to 7 before
 * that of 1; the others go past.  So the sums of 7 to 1 are made by 1, 1, 2, 1, 2, 3 and 1 groups. */
static void lanes_meet_in_cases_that_fall_through(void **state)
{
    (void)state;
    for (int arch = 80; arch <= 100; arch += 10)
        assert_int_equal(executed("falls", arch, 3, SASS_OP_LDG), 11);
}

/* The loop has the PTX's two special functions, and one multiply-add more than the PTX.  For sm_100
 * ptxas also knows the sum 0 + 0 of a loop that is not entered. */
static void fusing_products_with_sums_leaves_the_counts_alone(void **state)
{
    (void)state;
    static const int archs[] = {80, 90, 100};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        for (int n = 0; n < 1000; n += 111) {
            assert_int_equal(executed("fused", archs[i], n, SASS_OP_MUFU), 2 * n);
            assert_int_equal(executed("fused", archs[i], n, SASS_OP_FFMA), 2 * n);
        }
}

static void landmarks_that_differ_are_said(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Shape loop = sass_shape(a, "loop", 90, 10), straight = sass_shape(a, "straight", 90, 0);
    const SassJoin *j = sass_join(a, straight.flow, loop.walk);

    assert_non_null(j->unmatched);
    assert_string_equal(j->unmatched, "global loads of 4 bytes: 10 in PTX, 1 in the code");
    arena_free(a);
}

static void units_and_widths_make_up_what_is_executed(void **state)
{
    (void)state;
    static const char *const kernels[] = {"straight", "loop",   "rest",  "gone", "paths",
                                          "parted",   "called", "table", "fused"};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        Arena *a = arena_new();
        const Shape s = sass_shape(a, kernels[k], 90, 3);
        double units = 0, loads = 0;
        for (int u = 0; u < SASS_UNITS; u++)
            units += s.profile.by_unit[u];
        for (int i = 0; i < SASS_WIDTHS; i++)
            loads += s.profile.global_loads[i];

        assert_int_equal(units, s.profile.instr);
        assert_int_equal(loads, sass_shape_executed(&s, SASS_OP_LDG));
        assert_int_equal(s.profile.by_unit[SASS_UNIT_UNKNOWN], 0);
        assert_true(s.profile.serial.cycles >= s.profile.instr);
        assert_true(s.profile.serial.loads_in_flight >= (s.profile.serial.long_waits > 0));
        arena_free(a);
    }
}

/* The code of a kernel without the loop of the PTX: a hundredth of its instructions. */
static void counts_that_cannot_be_are_those_of_the_ptx(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Shape loop = sass_shape(a, "loop", 90, 1000), straight = sass_shape(a, "straight", 90, 0);
    const SassLoad load = {.warps = 16, .load_wavefronts = 1, .store_wavefronts = 1};

    const SassProfile p = sass_profile(a, straight.flow, loop.walk, NULL, &load);

    assert_int_equal(p.guessed, 1);
    assert_non_null(strstr(p.unmatched, "those of the PTX count"));
    assert_true(p.instr > 0.8 * loop.walk->instr && p.instr < 1.3 * loop.walk->instr);
    assert_int_equal(p.by_unit[SASS_UNIT_FMA], 1000);
    assert_int_equal(p.global_loads[SASS_WIDTH_4], 1000);
    assert_true(p.serial.cycles > 1000 * SASS_LATENCY.global);
    assert_true(p.loaded.cycles > p.serial.cycles);
    assert_int_equal(loop.profile.guessed, 0);
    assert_int_equal(straight.profile.guessed, 0);
    arena_free(a);
}

/* An access moves 1 << width bytes: codes 0, 2, 4, 5 and 6 of its width field. */
static void machine_code_has_landmarks_and_so_much_of_them(void **state)
{
    (void)state;
    static const struct {
        int op;
        unsigned width;
        SassAnchor anchor;
        double amount;
    } all[] = {
        {SASS_OP_FADD, 0, SASS_ANCHOR_FP32, 1},
        {SASS_OP_FMUL, 0, SASS_ANCHOR_FP32, 1},
        {SASS_OP_FFMA, 0, SASS_ANCHOR_FP32, 2},
        {SASS_OP_FADD2, 0, SASS_ANCHOR_FP32, 2},
        {SASS_OP_FMUL2, 0, SASS_ANCHOR_FP32, 2},
        {SASS_OP_FFMA2, 0, SASS_ANCHOR_FP32, 4},
        {SASS_OP_DADD, 0, SASS_ANCHOR_FP64, 1},
        {SASS_OP_DMUL, 0, SASS_ANCHOR_FP64, 1},
        {SASS_OP_DFMA, 0, SASS_ANCHOR_FP64, 2},
        {SASS_OP_LOP3, 0, SASS_ANCHOR_LOGIC, 1},
        {SASS_OP_MUFU, 0, SASS_ANCHOR_SPECIAL, 1},
        {SASS_OP_BAR, 0, SASS_ANCHOR_BARRIER, 1},
        {SASS_OP_SHFL, 0, SASS_ANCHOR_SHUFFLE, 1},
        {SASS_OP_LDGSTS, 6, SASS_ANCHOR_COPY, 1},
        {SASS_OP_LDL, 4, SASS_ANCHOR_LOCAL, 4},
        {SASS_OP_STL, 6, SASS_ANCHOR_LOCAL, 16},
        {SASS_OP_LDG, 0, SASS_ANCHOR_LOAD_1, 1},
        {SASS_OP_LDG, 2, SASS_ANCHOR_LOAD_2, 1},
        {SASS_OP_LD, 4, SASS_ANCHOR_LOAD_4, 1},
        {SASS_OP_LDG, 6, SASS_ANCHOR_LOAD_16, 1},
        {SASS_OP_LDG_17E, 0, SASS_ANCHOR_LOAD_32, 1},
        {SASS_OP_STG, 1, SASS_ANCHOR_STORE_1, 1},
        {SASS_OP_ST, 3, SASS_ANCHOR_STORE_2, 1},
        {SASS_OP_STG, 5, SASS_ANCHOR_STORE_8, 1},
        {SASS_OP_STG_17F, 0, SASS_ANCHOR_STORE_32, 1},
        {SASS_OP_LDS, 5, SASS_ANCHOR_SHARED_LOAD, 8},
        {SASS_OP_STS, 6, SASS_ANCHOR_SHARED_STORE, 16},
        {SASS_OP_ATOMS, 4, SASS_ANCHOR_ATOMIC, 1},
        {SASS_OP_ATOMG, 4, SASS_ANCHOR_ATOMIC, 1},
        {SASS_OP_REDG, 4, SASS_ANCHOR_ATOMIC, 1},
        {SASS_OP_MOV, 0, SASS_NO_ANCHOR, 1},
        {SASS_OP_LDG, 7, SASS_NO_ANCHOR, 1}, /* an unknown width */
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        double amount = -1;
        const SassInstr w = {(uint64_t)all[i].op, (uint64_t)all[i].width << 9, (uint16_t)all[i].op,
                             90};
        assert_int_equal(sass_anchor_of(w, &amount), all[i].anchor);
        assert_true(amount == all[i].amount);
    }
}

static void ptx_has_the_same_landmarks(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        SassAnchor anchor;
        double amount;
    } all[] = {
        {"fma.rn.f32 %f1, %f2, %f2, %f2;", SASS_ANCHOR_FP32, 2},
        {"mul.f32 %f1, %f2, %f2;", SASS_ANCHOR_FP32, 1},
        {"sub.f32 %f1, %f2, %f2;", SASS_ANCHOR_FP32, 1},
        {"div.rn.f32 %f1, %f2, %f2;", SASS_ANCHOR_SPECIAL, 1},
        {"fma.rn.f64 %d1, %d2, %d2, %d2;", SASS_ANCHOR_FP64, 2},
        {"add.f64 %d1, %d2, %d2;", SASS_ANCHOR_FP64, 1},
        {"div.rn.f64 %d1, %d2, %d2;", SASS_ANCHOR_SPECIAL, 1},
        {"sqrt.rn.f64 %d1, %d2;", SASS_ANCHOR_SPECIAL, 1},
        {"rsqrt.approx.f64 %d1, %d2;", SASS_ANCHOR_SPECIAL, 1},
        {"ex2.approx.f32 %f1, %f2;", SASS_ANCHOR_SPECIAL, 1},
        {"xor.b32 %r1, %r2, %r2;", SASS_ANCHOR_LOGIC, 1},
        {"and.b32 %r1, %r2, 254;", SASS_ANCHOR_LOGIC, 1},
        {"and.b32 %r1, %r2, 255;", SASS_NO_ANCHOR, 1},
        {"and.b32 %r1, %r2, 65535;", SASS_NO_ANCHOR, 1},
        {"xor.b32 %r1, %r2, 255;", SASS_ANCHOR_LOGIC, 1},
        {"add.s32 %r1, %r2, %r2;", SASS_NO_ANCHOR, 1},
        {"bar.sync 0;", SASS_ANCHOR_BARRIER, 1},
        {"shfl.sync.down.b32 %r1, %r2, 1, 31, -1;", SASS_ANCHOR_SHUFFLE, 1},
        {"red.global.add.u32 [%a1], %r1;", SASS_ANCHOR_ATOMIC, 1},
        {"cp.async.cg.shared.global [%r1], [%a1], 16;", SASS_ANCHOR_COPY, 1},
        {"ld.global.u8 %r1, [%a1];", SASS_ANCHOR_LOAD_1, 1},
        {"ld.v4.f32 {%f1, %f2, %f3, %f4}, [%a1];", SASS_ANCHOR_LOAD_16, 1},
        {"st.global.v2.f64 [%a1], {%d1, %d2};", SASS_ANCHOR_STORE_16, 1},
        {"st.global.f32 [%a1], %f1;", SASS_ANCHOR_STORE_4, 1},
        {"ld.shared.v2.f32 {%f1, %f2}, [%r1];", SASS_ANCHOR_SHARED_LOAD, 8},
        {"st.shared.f64 [%r1], %d1;", SASS_ANCHOR_SHARED_STORE, 8},
        {"st.local.v4.f32 [%a1], {%f1, %f2, %f3, %f4};", SASS_ANCHOR_LOCAL, 16},
        {"ld.const.f32 %f1, [%a1];", SASS_NO_ANCHOR, 1},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        const char *text = arena_printf(a,
                                        ".version 9.0\n.target sm_90\n.address_size 64\n"
                                        ".entry k() { .reg .b32 %%r<9>; .reg .f32 %%f<9>;\n"
                                        ".reg .f64 %%d<9>; .reg .b64 %%a<9>;\n%s ret; }\n",
                                        all[i].text);
        const Source s = {"k.ptx", text, strlen(text)};
        const PtxFunction *f = ptx_find_entry(ptx_parse(a, &s, &d), "k");
        assert_int_equal(d.errors, 0);
        double amount = -1;
        assert_int_equal(sass_anchor_of_ptx(&f->instrs.at[0], &amount), all[i].anchor);
        assert_true(amount == all[i].amount);
        arena_free(a);
    }
}

/* What the code may have more or less than the PTX, by what is said beside expanded_ops. */
static void landmarks_are_counted_with_what_may_differ(void **state)
{
    (void)state;
    enum { SPECIAL, FP32, FP64, LOAD, KINDS };
    static const SassAnchor kinds[KINDS] = {SASS_ANCHOR_SPECIAL, SASS_ANCHOR_FP32, SASS_ANCHOR_FP64,
                                            SASS_ANCHOR_LOAD_4};
    static const struct {
        const char *text;
        double in_ptx[KINDS], expanded[KINDS], folded[KINDS];
    } cases[] = {
        /* two divisions by one value need one reciprocal */
        {"mov.f32 %f3, %f9; div.rn.f32 %f1, %f2, %f3; div.rn.f32 %f4, %f2, %f3;",
         {1},
         {1, 40},
         {0}},
        {"mov.f32 %f3, %f9; mov.f32 %f3, %f8; div.rn.f32 %f1, %f2, %f3; div.rn.f32 %f4, %f2, %f3;",
         {2},
         {0, 40},
         {0}},
        {"mov.f32 %f3, %f9; mov.f32 %f5, %f8; div.rn.f32 %f1, %f2, %f3; div.rn.f32 %f4, %f2, %f5;",
         {2},
         {0, 40},
         {0}},
        {"div.rn.f32 %f1, %f2, 0f40000000;", {0}, {1, 20}, {0}},
        {"div.rn.f64 %d1, %d2, %d3;", {1, 2}, {0, 0, 24}, {0}},
        {"div.rn.f64 %d1, %d2, 0d4008000000000000;", {1, 2}, {0, 0, 24}, {0}},
        {"rcp.rn.f64 %d1, %d2;", {1}, {0, 0, 24}, {0}},
        {"sqrt.rn.f32 %f1, %f2;", {1}, {0, 20}, {0}},
        {"sqrt.approx.f32 %f1, %f2;", {1}, {0, 4}, {0}},
        {"ex2.approx.f32 %f1, %f2;", {1}, {0, 4}, {0}},
        {"sin.approx.f32 %f1, %f2;", {1}, {0, 1}, {0}},
        {"ex2.approx.f16x2 %r1, %r2;", {1}, {1}, {0}},
        {"rem.s32 %r1, %r2, %r3;", {0}, {1}, {0}},
        /* a product is computed for each sum that it is fused with */
        {"mul.f32 %f1, %f2, %f2; add.f32 %f4, %f1, %f2;", {0, 2}, {0}, {0, 2}},
        {"mul.f32 %f1, %f2, %f2; add.f32 %f4, %f1, %f2; sub.f32 %f5, %f2, %f1;",
         {0, 3},
         {0, 1},
         {0, 3}},
        {"mul.f64 %d1, %d2, %d2; add.f64 %d4, %d1, %d2; add.f64 %d5, %d1, %d1;",
         {0, 0, 3},
         {0, 0, 2},
         {0, 0, 3}},
        {"mul.rn.f32 %f1, %f2, %f2; add.f32 %f4, %f1, %f2; sub.f32 %f5, %f2, %f1;",
         {0, 3},
         {0},
         {0, 3}},
        {"mul.f32 %f1, %f2, %f2; add.rn.f32 %f4, %f1, %f2; sub.f32 %f5, %f2, %f1;",
         {0, 3},
         {0},
         {0, 3}},
        {"mul.f32 %f1, %f2, %f2; mov.u32 %r1, 0;\n"
         "L: add.f32 %f3, %f3, %f1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra L;",
         {0, 4},
         {0, 2},
         {0, 1}},
        {"fma.rn.f32 %f1, %f2, %f2, %f2;", {0, 2}, {0}, {0}},
        /* in a loop nothing is known before; three rounds */
        {"mov.u32 %r1, 0; L: add.f32 %f1, %f1, %f2; add.u32 %r1, %r1, 1;\n"
         "setp.lt.u32 %p1, %r1, 3; @%p1 bra L;",
         {0, 3},
         {0},
         {0}},
        /* a reciprocal may be computed before the loop, if the divisor is */
        {"mov.f32 %f3, %f9; mov.u32 %r1, 0; L: div.approx.f32 %f1, %f2, %f3; add.u32 %r1, %r1, 1;\n"
         "setp.lt.u32 %p1, %r1, 3; @%p1 bra L;",
         {0},
         {3, 12},
         {0}},
        {"mov.u32 %r1, 0; L: mov.f32 %f3, %f9; div.approx.f32 %f1, %f2, %f3; add.u32 %r1, %r1, 1;\n"
         "setp.lt.u32 %p1, %r1, 3; @%p1 bra L;",
         {3},
         {0, 12},
         {0}},
        /* a load of what no one writes may be moved to where it is needed, which is never … */
        {"ld.global.nc.u32 %r1, [%q1]; add.u32 %r2, %r1, 1; mov.u32 %r3, 0; setp.eq.u32 %p1, %r3, "
         "0;\n"
         "@%p1 bra L; st.global.u32 [%q2], %r2; L:",
         {0},
         {0, 0, 0, 1},
         {0}},
        {"ld.global.u32 %r1, [%q1]; add.u32 %r2, %r1, 1; mov.u32 %r3, 0; setp.eq.u32 %p1, %r3, 0;\n"
         "@%p1 bra L; st.global.u32 [%q2], %r2; L:",
         {0, 0, 0, 1},
         {0},
         {0}},
        /* … but not beyond a branch that depends on it, nor out of a loop */
        {"ld.global.nc.u32 %r1, [%q1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; st.global.u32 [%q2], "
         "%r1; L:",
         {0, 0, 0, 1},
         {0},
         {0}},
        {"mov.u32 %r3, 0; L: ld.global.nc.u32 %r1, [%q1]; add.u32 %r3, %r3, 1;\n"
         "setp.lt.u32 %p1, %r3, 3; @%p1 bra L; st.global.u32 [%q2], %r1;",
         {0, 0, 0, 3},
         {0},
         {0}},
        /* so may a special function */
        {"rsqrt.approx.f32 %f5, %f2; mov.u32 %r3, 0; setp.eq.u32 %p1, %r3, 0; @%p1 bra L;\n"
         "st.global.f32 [%q2], %f5; L:",
         {0},
         {1, 4},
         {0}},
        {"rsqrt.approx.f32 %f5, %f2; mov.u32 %r3, 0; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;\n"
         "st.global.f32 [%q2], %f5; L:",
         {1},
         {0, 4},
         {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        const char *text =
            arena_printf(a,
                         ".version 9.0\n.target sm_90\n.address_size 64\n"
                         ".entry k() { .reg .b32 %%r<9>; .reg .f32 %%f<10>;\n"
                         ".reg .f64 %%d<9>; .reg .b64 %%q<9>; .reg .pred %%p<9>;\n%s\nret; }\n",
                         cases[i].text);
        const Source s = {"k.ptx", text, strlen(text)};
        const PtxFunction *f = ptx_find_entry(ptx_parse(a, &s, &d), "k");
        assert_int_equal(d.errors, 0);
        const WalkOptions o = {
            .launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .has_geometry = true}};

        const SassLandmarks l = sass_anchor_count(a, walk_warp(a, f, &o));

        for (int k = 0; k < KINDS; k++) {
            const double found[] = {l.in_ptx[kinds[k]], l.expanded[kinds[k]], l.folded[kinds[k]]};
            const double wanted[] = {cases[i].in_ptx[k], cases[i].expanded[k], cases[i].folded[k]};
            if (memcmp(found, wanted, sizeof found) != 0)
                fail_msg("case %zu, kind %d: %g %g %g, not %g %g %g", i, k, found[0], found[1],
                         found[2], wanted[0], wanted[1], wanted[2]);
        }
        arena_free(a);
    }
}

/* 13 instructions behind a branch whose comparison names it, and the way of finite angles, which alone converts:
 * what slow paths are called before does not matter. */
static void branches_with_the_same_number_go_the_same_way(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Shape small = sass_shape(a, "wave", 90, 2), large = sass_shape(a, "wave", 90, 2000);

    assert_int_equal(large.profile.instr - small.profile.instr, 13);
    assert_int_equal(sass_shape_executed(&small, SASS_OP_F2I_111), 1);
    assert_int_equal(sass_shape_executed(&large, SASS_OP_F2I_111), 1);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_with_the_same_number_go_the_same_way),
        cmocka_unit_test(machine_code_has_landmarks_and_so_much_of_them),
        cmocka_unit_test(landmarks_are_counted_with_what_may_differ),
        cmocka_unit_test(ptx_has_the_same_landmarks),
        cmocka_unit_test(code_without_branches_is_executed_once),
        cmocka_unit_test(a_counted_loop_goes_round_as_in_the_ptx),
        cmocka_unit_test(branches_on_scalar_predicates_are_branches),
        cmocka_unit_test(a_loop_that_is_not_entered_is_left_out),
        cmocka_unit_test(an_unrolled_loop_and_its_rest_make_up_all_iterations),
        cmocka_unit_test(the_larger_copy_of_an_unrolled_loop_does_most_of_the_work),
        cmocka_unit_test(a_loop_that_ptxas_unrolled_away_counts_as_in_the_ptx),
        cmocka_unit_test(only_the_way_that_the_warp_takes_counts),
        cmocka_unit_test(lanes_that_part_take_both_ways),
        cmocka_unit_test(many_branches_are_followed),
        cmocka_unit_test(a_subroutine_is_executed_where_it_is_called),
        cmocka_unit_test(a_loop_for_the_rest_makes_few_rounds),
        cmocka_unit_test(a_division_calls_its_routine_where_an_operand_asks_for_it),
        cmocka_unit_test(operations_on_doubles_are_followed_past_their_routines),
        cmocka_unit_test(divisions_and_roots_of_doubles_tell_ways_apart),
        cmocka_unit_test(a_reciprocal_that_all_rounds_share_is_computed_once),
        cmocka_unit_test(the_case_of_a_switch_is_found_by_what_it_does),
        cmocka_unit_test(a_table_made_of_comparisons_is_taken_as_they_hold),
        cmocka_unit_test(comparisons_that_are_left_are_taken_as_they_hold),
        cmocka_unit_test(lanes_meet_in_cases_that_fall_through),
        cmocka_unit_test(a_guard_that_the_branch_before_it_settles_guards_nothing),
        cmocka_unit_test(fusing_products_with_sums_leaves_the_counts_alone),
        cmocka_unit_test(landmarks_that_differ_are_said),
        cmocka_unit_test(counts_that_cannot_be_are_those_of_the_ptx),
        cmocka_unit_test(units_and_widths_make_up_what_is_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
