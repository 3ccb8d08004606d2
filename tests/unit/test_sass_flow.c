/* Control flow of machine code: written by hand, and of the kernels in tests/data/sass. */
#include "tests/support/sass_shapes.h"
#include "tests/support/sass_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const SassFlow *flow_of(Arena *a, const Word *words, size_t count)
{
    return sass_words_flow(a, words, count);
}

static void a_guarded_branch_goes_both_ways_and_a_plain_one_does_not(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Word words[] = {{.op = SASS_OP_BRA, .guard = true, .target = 2},
                          {.op = SASS_OP_BRA, .target = 3},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_EXIT}};
    const Cfg *c = flow_of(a, words, COUNT(words))->cfg;

    assert_int_equal(c->count, 4);
    assert_int_equal(c->blocks[0].taken, 2);
    assert_int_equal(c->blocks[0].fall, 1);
    assert_int_equal(c->blocks[1].taken, 3);
    assert_int_equal(c->blocks[1].fall, CFG_NONE);
    assert_true(c->blocks[3].ends_thread);
    assert_int_equal(c->blocks[3].succ_count, 0);
    arena_free(a);
}

static void a_guarded_exit_goes_on_too(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Word words[] = {{.op = SASS_OP_EXIT, .guard = true}, {.op = SASS_OP_EXIT}};
    const Cfg *c = flow_of(a, words, COUNT(words))->cfg;

    assert_true(c->blocks[0].ends_thread);
    assert_int_equal(c->blocks[0].fall, 1);
    arena_free(a);
}

static void the_jump_to_itself_and_the_padding_behind_the_end_are_no_part(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Word words[] = {{.op = SASS_OP_EXIT},
                          {.op = SASS_OP_BRA, .target = 1},
                          {.op = SASS_OP_NOP},
                          {.op = SASS_OP_NOP}};
    const SassFlow *f = flow_of(a, words, COUNT(words));

    assert_int_equal(f->count, 2);
    assert_int_equal(f->cfg->reachable, 1);
    assert_int_equal(f->loops->loops.count, 0);
    arena_free(a);
}

static void no_code_at_all_is_one_block(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const SassFlow *f = sass_flow_build(a, 90, &(CubinKernel){.code = NULL});

    assert_int_equal(f->cfg->count, 1);
    assert_true(f->cfg->blocks[0].ends_thread);
    arena_free(a);
}

static void a_call_leads_to_the_subroutine_and_behind(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Word words[] = {{.op = SASS_OP_CALL_144, .target = 2},
                          {.op = SASS_OP_EXIT},
                          {.op = SASS_OP_MUFU},
                          {.op = SASS_OP_RET}};
    const SassFlow *f = flow_of(a, words, COUNT(words));

    assert_int_equal(f->callee[0], 2);
    assert_int_equal(f->cfg->blocks[0].succ_count, 2);
    assert_true(f->returns[2]);
    assert_int_equal(f->cfg->reachable, 3);
    arena_free(a);
}

static void a_call_that_the_linker_fills_in_only_leads_behind(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Word words[] = {{.op = SASS_OP_CALL_144, .target = 1}, {.op = SASS_OP_EXIT}};
    const SassFlow *f = flow_of(a, words, COUNT(words));

    assert_int_equal(f->callee[0], CFG_NONE);
    assert_int_equal(f->cfg->blocks[0].succ_count, 1);
    arena_free(a);
}

/* As ptxas ends a large loop for sm_80: `@P0 CALL.REL.NOINC behind; BRA head`. */
static void a_call_of_what_never_returns_is_a_jump(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Word words[] = {{.op = SASS_OP_CALL_144, .target = 6},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_CALL_144, .guard = true, .target = 4},
                          {.op = SASS_OP_BRA, .target = 1},
                          {.op = SASS_OP_CALL_144, .target = 6},
                          {.op = SASS_OP_EXIT},
                          {.op = SASS_OP_MUFU},
                          {.op = SASS_OP_RET}};
    const SassFlow *f = flow_of(a, words, COUNT(words));
    const int leaves = f->cfg->block_of[2];

    assert_int_equal(f->callee[leaves], CFG_NONE);
    assert_int_equal(f->cfg->blocks[leaves].taken, f->cfg->block_of[4]);
    assert_int_equal(f->cfg->blocks[leaves].succ_count, 2);
    assert_int_equal(f->loops->loops.count, 1);
    assert_int_equal(f->loops->loop_of[f->cfg->block_of[4]], CFG_NONE);
    /* The subroutine is still one, though what calls it is jumped to by a CALL. */
    assert_int_equal(f->callee[f->cfg->block_of[4]], f->cfg->block_of[6]);
    assert_int_equal(f->callee[0], f->cfg->block_of[6]);
    arena_free(a);
}

static void nested_loops_are_found_in_real_code(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Shape s = sass_shape(a, "paths", 90, 1280);
    const LoopTree *t = s.flow->loops;

    assert_int_equal(t->loops.count, 3);
    assert_int_equal(t->loops.at[0].depth, 1);
    assert_int_equal(t->loops.at[1].depth, 2);
    assert_int_equal(t->loops.at[2].depth, 2);
    assert_int_equal(t->irreducible, 0);
    arena_free(a);
}

static void a_jump_through_a_table_reaches_every_case(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Shape s = sass_shape(a, "table", 90, 3);

    assert_int_equal(s.flow->tables, 0);
    /* All but the jump to itself at the end. */
    assert_int_equal(s.flow->cfg->reachable, s.flow->cfg->count - 1);
    /* Without the cubin's list likewise, guessed. */
    CubinKernel bare = *s.kernel;
    bare.jump_words = 0;
    const SassFlow *guessed = sass_flow_build(a, 90, &bare);
    assert_true(guessed->tables > 0);
    assert_int_equal(guessed->cfg->reachable, guessed->cfg->count - 1);
    for (int b = 0; b < guessed->cfg->count; b++)
        assert_int_equal(guessed->cfg->blocks[b].ends_thread, s.flow->cfg->blocks[b].ends_thread);
    arena_free(a);
}

/* A guarded jump goes on, too; the jump to itself at the end is no case. */
static void jumps_through_unknown_tables_share_what_nothing_leads_to(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Word words[] = {{.op = SASS_OP_BRX, .guard = true},
                          {.op = SASS_OP_BRX},
                          {.op = SASS_OP_FFMA},
                          {.op = SASS_OP_EXIT},
                          {.op = SASS_OP_MUFU},
                          {.op = SASS_OP_EXIT},
                          {.op = SASS_OP_BRA, .target = 6}};
    const SassFlow *f = flow_of(a, words, COUNT(words));
    const CfgBlock *guarded = &f->cfg->blocks[0], *plain = &f->cfg->blocks[1];

    assert_int_equal(f->tables, 2);
    assert_int_equal(f->cfg->count, 5);
    assert_int_equal(guarded->succ_count, 3);
    assert_memory_equal(guarded->succs, ((int[]){1, 2, 3}), 3 * sizeof(int));
    assert_int_equal(plain->succ_count, 2);
    assert_memory_equal(plain->succs, ((int[]){2, 3}), 2 * sizeof(int));
    assert_false(guarded->ends_thread || plain->ends_thread);
    assert_int_equal(f->cfg->reachable, 4);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guarded_branch_goes_both_ways_and_a_plain_one_does_not),
        cmocka_unit_test(a_guarded_exit_goes_on_too),
        cmocka_unit_test(the_jump_to_itself_and_the_padding_behind_the_end_are_no_part),
        cmocka_unit_test(no_code_at_all_is_one_block),
        cmocka_unit_test(a_call_leads_to_the_subroutine_and_behind),
        cmocka_unit_test(a_call_that_the_linker_fills_in_only_leads_behind),
        cmocka_unit_test(a_call_of_what_never_returns_is_a_jump),
        cmocka_unit_test(nested_loops_are_found_in_real_code),
        cmocka_unit_test(a_jump_through_a_table_reaches_every_case),
        cmocka_unit_test(jumps_through_unknown_tables_share_what_nothing_leads_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
