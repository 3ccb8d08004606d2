/* What is left of loops when a walk's steps are spent: estimated where a comparison says how much that is. */
#include "metrics/ptx/ptx.h"
#include "metrics/ptx/walk.h"
#include "metrics/ptx/walk_branch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { STEPS = 100000 };

typedef struct Case {
    Arena *arena;
    const PtxFunction *function;
} Case;

/* Two loops inside each other and one behind them; the inner one multiplies its addresses' seed, so that nothing
 * repeats, and goes `inner` times; the outer one goes on while `more` of %r2, which counts its rounds. */
static Case with(const char *more, int inner)
{
    Case c = {.arena = arena_new()};
    Diag d = diag_new(c.arena);
    const char *text = arena_printf(
        c.arena,
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a, .param .u64 b) {\n"
        ".reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .pred %%p<9>;\n"
        "ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd4, [b]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, "
        "0;\n"
        "OUTER: mov.u32 %%r3, %d;\n"
        "INNER: mad.lo.u32 %%r1, %%r1, 1664525, 1013904223; shr.u32 %%r4, %%r1, 8;\n"
        "mul.wide.u32 %%rd2, %%r4, 4; add.u64 %%rd3, %%rd1, %%rd2; ld.global.f32 %%f1, [%%rd3];\n"
        "sub.u32 %%r3, %%r3, 1; setp.ne.u32 %%p1, %%r3, 0; @%%p1 bra INNER;\n"
        "bar.sync 0; add.u32 %%r2, %%r2, 1; %s @%%p2 bra OUTER;\n"
        "mov.u32 %%r5, 7;\nLAST: sub.u32 %%r5, %%r5, 1; st.global.f32 [%%rd1], %%f1;\n"
        "setp.ne.u32 %%p3, %%r5, 0; @%%p3 bra LAST; ret; }\n",
        inner, more);
    const Source s = {"k.ptx", text, strlen(text)};
    c.function = ptx_find_entry(ptx_parse(c.arena, &s, &d), "k");
    assert_non_null(c.function);
    return c;
}

/* Memory where each word holds its own number. */
static bool numbers(void *context, uint64_t address, int bytes, uint64_t *value)
{
    (void)context;
    *value = address / 4;
    return bytes == 4;
}

static const Walk *walk(Case c, uint64_t steps, bool estimate)
{
    static const WalkData data = {.load = numbers};
    const WalkOptions o = {.launch = {.grid = {9, 9, 1}, .block = {64, 1, 1}, .has_geometry = true},
                           .max_steps = steps,
                           .memory = true,
                           .data = &data,
                           .estimate = estimate ? steps / 2 : 0};
    return walk_warp(c.arena, c.function, &o);
}

static void what_is_left_of_nested_loops_is_counted_like_the_rest(void **state)
{
    (void)state;
    static const struct {
        const char *more;
        int inner;
    } cases[] = {
        {"setp.lt.u32 %p2, %r2, 3000;", 9},
        {"setp.ne.s32 %p2, %r2, 3000;", 9},
        {"setp.le.s32 %p2, %r2, 9;", 3000},
        {"setp.lt.u32 %p4, %r2, 3000; setp.lt.u32 %p5, %r2, 900000; and.pred %p2, %p4, %p5;", 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case c = with(cases[i].more, cases[i].inner);

        const Walk *whole = walk(c, 0, true), *cut = walk(c, STEPS, true);

        assert_false(whole->capped);
        assert_true(whole->estimated == 0);
        assert_true(cut->capped && cut->ended && cut->steps < STEPS + STEPS / 2);
        assert_true(cut->instr == whole->instr);
        assert_true(cut->barriers == whole->barriers);
        assert_true(cut->stores[PTX_GLOBAL] == 7); /* what comes behind is walked */
        assert_true(cut->estimated > cut->instr / 4 && cut->estimated < cut->instr);
        assert_true(walk_unknown(c.arena, cut).in_loops == 0);
        arena_free(c.arena);
    }
}

static void without_a_known_end_counts_remain_lower_bounds(void **state)
{
    (void)state;
    static const char *const more[] = {
        "mul.lo.u32 %r6, %r2, %r2; and.b32 %r6, %r6, 65535; setp.ne.u32 %p2, %r6, 65521;",
        "setp.gt.s32 %p2, %r2, 0;", /* but for wrapping around */
        "mov.pred %p2, 1;",
        /* the next node of a list, which has been the following one so far */
        "mul.wide.u32 %rd5, %r2, 4; ld.global.u32 %r2, [%rd5]; setp.ne.u32 %p2, %r2, 3000;",
        "mul.wide.u32 %rd5, %r2, 4; ld.global.u32 %r6, [%rd5]; selp.b32 %r6, %r6, %r1, %p1; "
        "add.u32 %r2, %r6, 0; setp.ne.u32 %p2, %r2, 3000;",
    };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        const Case c = with(more[i], 9);

        const Walk *w = walk(c, STEPS, true);

        assert_true(w->capped && !w->ended && w->estimated == 0);
        assert_true(walk_unknown(c.arena, w).in_loops == w->instr);
        arena_free(c.arena);
    }
}

static void who_does_not_ask_gets_what_was_walked(void **state)
{
    (void)state;
    const Case c = with("setp.lt.u32 %p2, %r2, 3000;", 9);

    const Walk *w = walk(c, STEPS, false);

    assert_true(w->capped && !w->ended && w->estimated == 0 && w->steps < STEPS + STEPS / 8);
    arena_free(c.arena);
}

/* Loops of `sizes` instructions each, one behind the other, whose ends all belong to line 7; each accesses
 * memory `accesses` times of those. */
static const PtxFunction *loops_of_a_line(Arena *a, const int *sizes, int accesses, int count)
{
    Diag d = diag_new(a);
    Buf b = {0};
    buf_puts(&b, ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"k.cu\"\n"
                 ".entry k(.param .u64 a) {\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;\n"
                 ".loc 1 3 0\nld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1];\n");
    for (int k = 0; k < count; k++) {
        buf_printf(&b, "mov.u32 %%r2, 0;\nL%d:\n.loc 1 8 0\n", k);
        for (int i = 0; i < accesses; i++)
            buf_puts(&b, "st.global.u32 [%rd1], %r3;\n");
        for (int i = accesses; i < sizes[k] - 2; i++)
            buf_puts(&b, "add.u32 %r2, %r2, 1;\n");
        buf_printf(&b, ".loc 1 7 0\nsetp.lt.u32 %%p1, %%r2, %%r1; @%%p1 bra L%d;\n", k);
    }
    buf_puts(&b, "ret; }\n");
    const char *text = buf_keep(&b, a);
    const Source s = {"k.ptx", text, strlen(text)};
    const PtxFunction *f = ptx_find_entry(ptx_parse(a, &s, &d), "k");
    assert_non_null(f);
    return f;
}

/* A loop four times as large as the least is four rounds of it unrolled; what is left is the next one's. */
static void stated_rounds_are_shared_by_the_sizes_of_a_lines_loops(void **state)
{
    (void)state;
    static const struct {
        int sizes[3], accesses;
        double rounds, shared[3];
    } cases[] = {
        {{12, 3, 0}, 0, 11, {2, 3}},   {{3, 12, 0}, 0, 11, {3, 2}},    {{12, 3, 0}, 0, 3, {0, 3}},
        {{12, 3, 0}, 0, 11.5, {3, 0}}, {{12, 3, 0}, 0, -1, {0, 0}},    {{13, 3, 0}, 0, 8, {2, 0}},
        {{14, 3, 0}, 0, 10, {2, 0}},   {{12, 6, 3}, 0, 15, {3, 1, 1}}, {{12, 3, 0}, 1, 11, {11, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena *a = arena_new();
        const int count = cases[i].sizes[2] ? 3 : 2;
        const WalkTrips trips = {.line = 7, .rounds = cases[i].rounds};
        const Flow *f = flow_build(a, loops_of_a_line(a, cases[i].sizes, cases[i].accesses, count));
        assert_int_equal(f->loops->loops.count, count);

        const double *rounds = walk_stated_rounds(a, f, &trips, 1);

        for (int k = 0; k < count; k++)
            assert_true(rounds[k] == cases[i].shared[k]);
        const WalkTrips elsewhere = {.line = 8, .rounds = 5};
        rounds = walk_stated_rounds(a, f, &elsewhere, 1);
        for (int k = 0; k < count; k++)
            assert_true(rounds[k] == -1);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_of_nested_loops_is_counted_like_the_rest),
        cmocka_unit_test(without_a_known_end_counts_remain_lower_bounds),
        cmocka_unit_test(who_does_not_ask_gets_what_was_walked),
        cmocka_unit_test(stated_rounds_are_shared_by_the_sizes_of_a_lines_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
