/* What the documents on anti-parallel patterns, prefix sums, reductions and transposes found,
 * looked for in the recordings of today's GPU: the rows of the tables in templates/README.md. Where
 * the documents have a formula, its constants come from two of the configurations and the others
 * are what is tested.  Bounds were set around what the recordings say: narrow enough that a test
 * fails without its finding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/finding.h"

#include <math.h>

static const char *settings_of(Asked q, const char *format, int a, int b)
{
    return arena_printf(q.arena, "%s BODY=%d BRANCHES=%d", format, a, b);
}

static void near(const char *what, double is, double expected, double tolerance)
{
    if (!(fabs(is / expected - 1) <= tolerance))
        fail_msg("%s: %g, not %g within %g", what, is, expected, tolerance);
}

/* --- branching -------------------------------------------------------------------------------- */

static const char PLAIN[] = "BLOCK=256 SKEWED=0 LADDER=0 REMEDY=0 SPREAD=1";
static const char RANDOM[] = "BLOCK=256 SKEWED=0 LADDER=0 REMEDY=0 SPREAD=0";

/* The line t_outside + n · t_branch of (3.1), in ms. */
typedef struct Line {
    double outside;
    double branch;
} Line;

/* … through what one branch and two branches that a warp takes, or 32 of them, took. */
static Line line_through(Asked q, int body, int branches)
{
    double one = finding_ms(q, settings_of(q, PLAIN, body, 1));
    double many = finding_ms(q, settings_of(q, PLAIN, body, branches));
    double branch = (many - one) / (branches - 1);
    assert_true(branch > 0.8 * one); /* nearly all of the time is the branches' */
    return (Line){one - branch, branch};
}

static double line_at(Line l, double n)
{
    return l.outside + n * l.branch;
}

/* (3.1) */
static void time_grows_linearly_with_the_branches_that_a_warp_takes(void **state)
{
    (void)state;
    Asked q = finding_ask("branching");
    for (int body = 0; body <= 1; body++) {
        Line l = line_through(q, body, 32);
        for (int n = 2; n < 32; n *= 2) {
            const char *settings = settings_of(q, PLAIN, body, n);
            near(settings, finding_ms(q, settings), line_at(l, n), 0.055);
        }
        near("t_outside, of t_branch", 1 + fabs(l.outside) / l.branch, 1, 0.1);
    }
    arena_free(q.arena);
}

/* Of 32 branches a warp takes 32 / SPREAD: as long as a kernel that has no others. */
static void branches_that_a_warp_does_not_take_cost_little(void **state)
{
    (void)state;
    Asked q = finding_ask("branching");
    static const double most[] = {1.06, 1.2}; /* by body */
    for (int body = 0; body <= 1; body++)
        for (int spread = 2; spread <= 8; spread *= 2) {
            const char *rest = "BLOCK=256 SKEWED=0 LADDER=0 REMEDY=0 BRANCHES=32";
            double ms =
                finding_ms(q, arena_printf(q.arena, "%s BODY=%d SPREAD=%d", rest, body, spread));
            double alone = finding_ms(q, settings_of(q, PLAIN, body, 32 / spread));
            double all = finding_ms(q, settings_of(q, PLAIN, body, 32));
            near("a part of all branches", ms * spread / all, 1, 0.15);
            assert_true(ms / alone > 0.97 && ms / alone < most[body]);
        }
    arena_free(q.arena);
}

/* (3.1) with the branches that 32 threads take on average, each as likely. */
static void at_random_a_warp_takes_as_many_branches_as_chance_has_it(void **state)
{
    (void)state;
    Asked q = finding_ask("branching");
    for (int body = 0; body <= 1; body++) {
        Line l = line_through(q, body, 32);
        for (int branches = 2; branches <= 32; branches *= 2) {
            double taken = branches * (1 - pow(1 - 1.0 / branches, 32));
            const char *settings = settings_of(q, RANDOM, body, branches);
            near(settings, finding_ms(q, settings), line_at(l, taken), 0.06);
        }
    }
    arena_free(q.arena);
}

/* (3.2): branches 1, 2, 3 … times as long.  A warp with one of two takes their mean. */
static void branches_of_different_length_add_up(void **state)
{
    (void)state;
    Asked q = finding_ask("branching");
    Line l = line_through(q, 1, 2);
    const char *rest = "BLOCK=256 SKEWED=0 LADDER=1 REMEDY=0 BODY=1";
    const char *two = arena_printf(q.arena, "%s SPREAD=1 BRANCHES=2", rest);
    const char *four = arena_printf(q.arena, "%s SPREAD=1 BRANCHES=4", rest);
    const char *either = arena_printf(q.arena, "%s SPREAD=32 BRANCHES=2", rest);
    near(two, finding_ms(q, two), line_at(l, 1 + 2), 0.04);
    near(four, finding_ms(q, four), line_at(l, 1 + 2 + 3 + 4), 0.07);
    near(either, finding_ms(q, either), line_at(l, 1.5), 0.06);
    arena_free(q.arena);
}

/* (3.3): nine elements in ten take the first branch, the tenth any other. */
static void rare_branches_count_by_how_often_a_warp_takes_them(void **state)
{
    (void)state;
    Asked q = finding_ask("branching");
    Line l = line_through(q, 1, 32);
    for (int branches = 2; branches <= 8; branches *= 2) {
        double taken = 1 + (branches - 1) * (1 - pow(1 - 0.1 / (branches - 1), 32));
        const char *settings =
            settings_of(q, "BLOCK=256 SKEWED=1 LADDER=0 REMEDY=0 SPREAD=0", 1, branches);
        near(settings, finding_ms(q, settings), line_at(l, taken), 0.13);
    }
    finding_ratio_between(q, "SKEWED=1 BODY=1 SPREAD=0 REMEDY=0 BRANCHES=8", "SKEWED=0", 0.42,
                          0.56);
    arena_free(q.arena);
}

static void a_table_lookup_costs_about_one_branch(void **state)
{
    (void)state;
    Asked q = finding_ask("branching");
    for (int body = 0; body <= 1; body++) {
        const char *table = "BLOCK=256 SKEWED=0 LADDER=0 REMEDY=1 SPREAD=1";
        double ms = finding_ms(q, settings_of(q, table, body, 32));
        near("a table", ms, finding_ms(q, settings_of(q, PLAIN, body, 1)), 0.06);
    }
    arena_free(q.arena);
}

/* Figure 3.5.  With two branches it gains a quarter where they compute, next to nothing where they
 * read shared memory; with 32 it is the same four times for both. */
static void dynamic_reordering_pays_earlier_where_branches_compute(void **state)
{
    (void)state;
    Asked q = finding_ask("branching");
    const char *rest = "BLOCK=256 SKEWED=0 LADDER=0 REMEDY=3 SPREAD=0";
    finding_ratio_between(q, settings_of(q, rest, 1, 2), "REMEDY=0", 0.68, 0.82);
    finding_ratio_between(q, settings_of(q, rest, 0, 2), "REMEDY=0", 0.9, 0.99);
    finding_ratio_between(q, settings_of(q, rest, 1, 8), "REMEDY=0", 0.23, 0.34);
    finding_ratio_between(q, settings_of(q, rest, 0, 8), "REMEDY=0", 0.32, 0.43);
    finding_ratio_between(q, settings_of(q, rest, 1, 32), "REMEDY=0", 0.22, 0.31);
    finding_ratio_between(q, settings_of(q, rest, 0, 32), "REMEDY=0", 0.21, 0.3);
    arena_free(q.arena);
}

/* Sorted elements of one branch lie BRANCHES words apart. */
static void reordering_brings_bank_conflicts_where_branches_read_shared_memory(void **state)
{
    (void)state;
    Asked q = finding_ask("branching");
    for (int remedy = 2; remedy <= 3; remedy++) {
        const char *rest =
            arena_printf(q.arena, "BLOCK=256 SKEWED=0 LADDER=0 REMEDY=%d SPREAD=1", remedy);
        finding_ratio_between(q, settings_of(q, rest, 0, 32), "REMEDY=0", 0.6, 0.8);
        finding_ratio_between(q, settings_of(q, rest, 1, 32), "REMEDY=0", 0.1, 0.2);
    }
    arena_free(q.arena);
}

/* --- access ----------------------------------------------------------------------------------- */

static void by_columns_is_slower_and_writing_so_more_than_reading(void **state)
{
    (void)state;
    Asked q = finding_ask("access");
    const char *rows = "READ=0 WRITE=0";
    finding_ratio_between(q, "KIND=2 TILE=32 BLOCKS=0 ELEMENTS=4 READ=1 WRITE=0", rows, 2, 2.5);
    finding_ratio_between(q, "KIND=2 TILE=32 BLOCKS=0 ELEMENTS=4 READ=0 WRITE=1", rows, 6, 8);
    finding_ratio_between(q, "KIND=2 TILE=32 BLOCKS=0 ELEMENTS=4 READ=1 WRITE=1", rows, 6, 8.2);
    arena_free(q.arena);
}

/* With tiles of 32 rows hardly measurably. */
static void blocks_down_the_columns_make_it_a_little_worse(void **state)
{
    (void)state;
    Asked q = finding_ask("access");
    const char *one = "KIND=2 ELEMENTS=4 READ=1 WRITE=1 TILE=32 BLOCKS=1";
    const char *other = "KIND=2 ELEMENTS=4 READ=1 WRITE=1 TILE=16 BLOCKS=1";
    finding_ratio_between(q, one, "BLOCKS=0", 0.995, 1.03);
    finding_ratio_between(q, other, "BLOCKS=0", 1.06, 1.15);
    arena_free(q.arena);
}

static void neighbours_that_change_places_cost_nothing(void **state)
{
    (void)state;
    Asked q = finding_ask("access");
    finding_ratio_between(q, "KIND=1 BLOCK=256 ELEMENTS=4", "KIND=0 OFFSET=0", 0.99, 1.01);
    arena_free(q.arena);
}

/* A sector has 8 words.  With one element a thread it does not show: there all offsets cost. */
static void an_offset_costs_unless_it_is_of_whole_sectors(void **state)
{
    (void)state;
    Asked q = finding_ask("access");
    static const int offsets[] = {1, 2, 4, 8, 12, 16, 31, 32};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        bool whole = offsets[i] % 8 == 0;
        const char *settings =
            arena_printf(q.arena, "KIND=0 BLOCK=256 ELEMENTS=4 OFFSET=%d", offsets[i]);
        finding_ratio_between(q, settings, "OFFSET=0", whole ? 0.99 : 1.04, whole ? 1.02 : 1.09);
    }
    arena_free(q.arena);
}

static void bank_conflicts_cost_as_much_reading_as_writing_and_add_up(void **state)
{
    (void)state;
    Asked q = finding_ask("access");
    const char *none = "READ_WAYS=1 WRITE_WAYS=1";
    finding_ratio_between(q, "KIND=4 BLOCK=1024 READ_WAYS=32 WRITE_WAYS=1", none, 6.8, 8.2);
    finding_ratio_between(q, "KIND=4 BLOCK=1024 READ_WAYS=1 WRITE_WAYS=32", none, 6.8, 8.2);
    finding_ratio_between(q, "KIND=4 BLOCK=1024 READ_WAYS=32 WRITE_WAYS=32", none, 13, 16);
    arena_free(q.arena);
}

/* With three words there is no difference, with eight there is. */
static void arrays_of_structures_are_slow_when_structures_are_large(void **state)
{
    (void)state;
    Asked q = finding_ask("access");
    finding_ratio_between(q, "KIND=3 BLOCK=256 FIELDS=3 LAYOUT=0", "LAYOUT=1", 0.97, 1.02);
    finding_ratio_between(q, "KIND=3 BLOCK=256 FIELDS=8 LAYOUT=0", "LAYOUT=1", 2.9, 3.6);
    arena_free(q.arena);
}

/* --- sync ------------------------------------------------------------------------------------- */

static void barriers_cost_the_more_the_fewer_operations_lie_between(void **state)
{
    (void)state;
    Asked q = finding_ask("sync");
    finding_ratio_between(q, "METHOD=0 BLOCK=256 BETWEEN=24", "BETWEEN=96", 0.99, 1.02);
    finding_ratio_between(q, "METHOD=0 BLOCK=256 BETWEEN=8", "BETWEEN=96", 1.03, 1.08);
    finding_ratio_between(q, "METHOD=0 BLOCK=256 BETWEEN=2", "BETWEEN=96", 1.5, 1.85);
    finding_ratio_between(q, "METHOD=0 BLOCK=256 BETWEEN=1", "BETWEEN=96", 2.9, 3.6);
    arena_free(q.arena);
}

/* Each reads and writes everything: twice the launches take twice as long. */
static void launches_cost_by_their_number(void **state)
{
    (void)state;
    Asked q = finding_ask("sync");
    finding_ratio_between(q, "METHOD=1 BLOCK=256 BETWEEN=1", "BETWEEN=96", 36, 44);
    for (int between = 1; between <= 4; between *= 2) {
        const char *settings = arena_printf(q.arena, "METHOD=1 BLOCK=256 BETWEEN=%d", between);
        const char *half = arena_printf(q.arena, "BETWEEN=%d", 2 * between);
        finding_ratio_between(q, settings, half, 1.9, 2.05);
    }
    finding_ratio_between(q, "METHOD=2 BLOCK=256", "METHOD=1", 1.02, 1.06);
    arena_free(q.arena);
}

/* --- mapping ---------------------------------------------------------------------------------- */

static void block_sizes_that_are_no_multiples_of_a_warp_are_slower(void **state)
{
    (void)state;
    Asked q = finding_ask("mapping");
    const char *small = "DIMENSIONS=1 WORK=128 ELEMENTS=4 BLOCK_X=100";
    const char *large = "DIMENSIONS=1 WORK=128 ELEMENTS=4 BLOCK_X=250";
    finding_ratio_between(q, small, "BLOCK_X=96", 1.18, 1.32);
    finding_ratio_between(q, small, "BLOCK_X=128", 1.18, 1.32);
    finding_ratio_between(q, large, "BLOCK_X=256", 1.015, 1.04);
    arena_free(q.arena);
}

/* As many times as slow as there are more blocks, until memory takes longer than their launch. */
static void small_square_blocks_wait_for_their_launch(void **state)
{
    (void)state;
    Asked q = finding_ask("mapping");
    const char *least = "DIMENSIONS=2 ELEMENTS=1 WORK=0 BLOCK_X=4 BLOCK_Y=4";
    const char *small = "DIMENSIONS=2 ELEMENTS=1 WORK=0 BLOCK_X=8 BLOCK_Y=8";
    finding_ratio_between(q, least, "BLOCK_X=8 BLOCK_Y=8", 3.85, 4.1);
    finding_ratio_between(q, small, "BLOCK_X=16 BLOCK_Y=16", 2.6, 3.1);
    arena_free(q.arena);
}

static void small_blocks_suffice_with_several_elements_a_thread(void **state)
{
    (void)state;
    Asked q = finding_ask("mapping");
    const char *many = "DIMENSIONS=1 BLOCK_X=64 WORK=0 ELEMENTS=8";
    double best = finding_best_ms(q.arena, q.recording, "DIMENSIONS=1 WORK=0");
    finding_ratio_between(q, "DIMENSIONS=1 BLOCK_X=64 WORK=0 ELEMENTS=1", "ELEMENTS=8", 4.5, 5.4);
    near(many, finding_ms(q, many), best, 0.02);
    arena_free(q.arena);
}

/* Figure 6.3; with eight there is nothing left to gain. */
static void several_elements_a_thread_gain_more_with_more_work(void **state)
{
    (void)state;
    Asked q = finding_ask("mapping");
    const char *none = "DIMENSIONS=1 BLOCK_X=256 WORK=0 ELEMENTS=1";
    const char *much = "DIMENSIONS=1 BLOCK_X=256 WORK=128 ELEMENTS=1";
    finding_ratio_between(q, none, "ELEMENTS=4", 1.45, 1.65);
    finding_ratio_between(q, much, "ELEMENTS=4", 1.75, 2);
    finding_ratio_between(q, "DIMENSIONS=1 BLOCK_X=256 ELEMENTS=8", "ELEMENTS=4", 0.99, 1.07);
    arena_free(q.arena);
}

/* --- scan, reduce ----------------------------------------------------------------------------- */

static double scan_ms(Asked q, int step, int elements, int vec)
{
    return finding_ms(q, arena_printf(q.arena, "STEP=%d BLOCK=256 ELEMENTS=%d VEC=%d PADDING=32",
                                      step, elements, vec));
}

/* Chapter 7: all steps but the third gain; that one, static reordering, brings the conflicts which
 * padding in the fifth removes. */
static void steps_of_the_prefix_sum_gain_but_for_the_third(void **state)
{
    (void)state;
    Asked q = finding_ask("scan-two-pass");
    double first = scan_ms(q, 1, 1, 1), second = scan_ms(q, 2, 1, 1), third = scan_ms(q, 3, 1, 1);
    double fourth = scan_ms(q, 4, 2, 1), fifth = scan_ms(q, 5, 2, 1), sixth = scan_ms(q, 6, 4, 4);
    near("step 1 : 2", first / second, 1.57, 0.1);
    near("step 3 : 2", third / second, 1.19, 0.08);
    near("step 3 : 4", third / fourth, 1.32, 0.1);
    near("step 4 : 5", fourth / fifth, 1.6, 0.1);
    near("step 5 : 6", fifth / sixth, 1.78, 0.1);
    arena_free(q.arena);
}

/* With 256 threads; with 128 the first is as good. */
static void the_third_strategy_is_the_best_tree_of_a_sum(void **state)
{
    (void)state;
    Asked q = finding_ask("reduce-2008");
    const char *rest = "BLOCK=256 ELEMENTS=1 VEC=1 FINISH=0";
    const char *one = arena_printf(q.arena, "%s STRATEGY=1", rest);
    const char *two = arena_printf(q.arena, "%s STRATEGY=2", rest);
    finding_ratio_between(q, one, "STRATEGY=3", 1.01, 1.06);
    finding_ratio_between(q, two, "STRATEGY=3", 1.18, 1.33);
    arena_free(q.arena);
}

static void trees_do_not_matter_when_a_thread_adds_many_but_its_way_to_read_does(void **state)
{
    (void)state;
    Asked q = finding_ask("reduce-2008");
    const char *rest = "BLOCK=256 ELEMENTS=32 VEC=4 UNROLL=4 FINISH=0";
    for (int strategy = 1; strategy <= 4; strategy++) {
        const char *settings = arena_printf(q.arena, "%s STRATEGY=%d", rest, strategy);
        finding_ratio_between(q, settings, "STRATEGY=3", 0.97, 1.04);
    }
    const char *own = arena_printf(q.arena, "%s STRATEGY=0", rest);
    finding_ratio_between(q, own, "STRATEGY=3", 3.7, 4.5);
    arena_free(q.arena);
}

/* --- transposes ------------------------------------------------------------------------------- */

static double tutorial_ms(Asked q, int variant, int pad)
{
    return finding_ms(
        q, arena_printf(q.arena, "TILE=32 BLOCK_ROWS=8 VARIANT=%d PAD=%d", variant, pad));
}

/* Copies, then the transposes without conflicts, the one with them, and the naive one. */
static void the_tutorials_kernels_keep_their_order(void **state)
{
    (void)state;
    Asked q = finding_ask("transpose-tutorial");
    double copy = tutorial_ms(q, 0, 0);
    near("copy through shared memory", tutorial_ms(q, 1, 0) / copy, 1, 0.03);
    near("fine-grained", tutorial_ms(q, 5, 1) / copy, 1.01, 0.025);
    near("conflict-free", tutorial_ms(q, 4, 1) / copy, 1.065, 0.03);
    near("coarse-grained", tutorial_ms(q, 6, 1) / copy, 1.062, 0.03);
    near("diagonal", tutorial_ms(q, 7, 1) / copy, 1.09, 0.03);
    near("coalesced", tutorial_ms(q, 3, 0) / copy, 2.57, 0.08);
    near("naive", tutorial_ms(q, 2, 0) / copy, 7.63, 0.08);
    arena_free(q.arena);
}

static void conflicts_are_what_transposes_in_shared_memory_lose_by(void **state)
{
    (void)state;
    Asked q = finding_ask("transpose-tutorial");
    near("fine-grained", tutorial_ms(q, 5, 0) / tutorial_ms(q, 5, 1), 2.53, 0.08);
    near("diagonal", tutorial_ms(q, 7, 0) / tutorial_ms(q, 7, 1), 2.37, 0.08);
    arena_free(q.arena);
}

/* From a transpose to the next better one of the tutorial's tile, each step a factor. */
static void each_step_of_the_transpose_gains(void **state)
{
    (void)state;
    Asked q = finding_ask("transpose");
    const char *rest = "TILE=32 BLOCK_ROWS=8 VEC=1 SWIZZLE=0";
    double naive = finding_ms(q, arena_printf(q.arena, "%s VARIANT=0", rest));
    double coalesced = finding_ms(q, arena_printf(q.arena, "%s VARIANT=1", rest));
    double gather = finding_ms(q, arena_printf(q.arena, "%s VARIANT=4", rest));
    double spread = finding_ms(q, arena_printf(q.arena, "%s VARIANT=2 PAD=1", rest));
    near("naive : coalesced", naive / coalesced, 2.9, 0.08);
    near("coalesced : gather", coalesced / gather, 1.166, 0.06);
    near("coalesced : without conflicts", coalesced / spread, 2.28, 0.08);
    arena_free(q.arena);
}

/* The tutorial's remedy against waiting for one partition of the memory. */
static void the_diagonal_order_gains_nothing(void **state)
{
    (void)state;
    Asked q = finding_ask("transpose");
    finding_ratio_between(q, "VARIANT=3", "VARIANT=2", 1.02, 1.07);
    assert_true(finding_best_ms(q.arena, q.recording, "VARIANT=3") >
                1.01 * finding_best_ms(q.arena, q.recording, "VARIANT=2"));
    arena_free(q.arena);
}

/* --- the matrix product, step by step --------------------------------------------------------- */

/* From each row of the table in templates/README.md to the next. */
static void each_step_of_the_matrix_product_gains(void **state)
{
    (void)state;
    static const char *const steps[] = {
        "BM=8 BN=8 BK=8 TM=1 TN=1 VEC=1 STRIDED=0 PAD=0 PREFETCH=0 UNROLL=1",
        "BM=16 BN=16 BK=16 TM=1 TN=1 VEC=1 STRIDED=0 PAD=0 PREFETCH=0 UNROLL=1",
        "BM=16 BN=16 BK=16 TM=1 TN=1 VEC=1 STRIDED=0 PAD=0 PREFETCH=0 UNROLL=16",
        "BM=16 BN=32 BK=16 TM=1 TN=2 VEC=1 STRIDED=1 PAD=0 PREFETCH=0 UNROLL=16",
        "BM=16 BN=64 BK=16 TM=1 TN=4 VEC=1 STRIDED=1 PAD=0 PREFETCH=0 UNROLL=16",
        "BM=16 BN=64 BK=16 TM=1 TN=4 VEC=1 STRIDED=1 PAD=0 PREFETCH=1 UNROLL=16",
        "BM=128 BN=128 BK=8 TM=8 TN=8 VEC=1 STRIDED=1 PAD=1 PREFETCH=0 UNROLL=8",
    };
    static const double gain[] = {1.3, 1.34, 1.29, 1.15, 1.08, 2.67};
    Asked q = finding_ask("mm-core");
    const char *plain = "TRANSPOSE_A=0 MIN_BLOCKS=1";
    double before = finding_ms(q, arena_printf(q.arena, "%s %s", steps[0], plain));
    for (size_t i = 1; i < sizeof steps / sizeof *steps; i++) {
        double ms = finding_ms(q, arena_printf(q.arena, "%s %s", steps[i], plain));
        near(steps[i], before / ms, gain[i - 1], 0.06);
        before = ms;
    }
    const char *rest = "BM=128 BN=128 BK=8 TM=8 TN=8 VEC=4 TRANSPOSE_A=1 STRIDED=1 PAD=4 UNROLL=8 "
                       "MIN_BLOCKS=2";
    double vectors = finding_ms(q, arena_printf(q.arena, "%s PREFETCH=0", rest));
    near("vectors", before / vectors, 1.185, 0.06);
    near("ahead", vectors / finding_ms(q, arena_printf(q.arena, "%s PREFETCH=2", rest)), 1.187,
         0.06);
    arena_free(q.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_grows_linearly_with_the_branches_that_a_warp_takes),
        cmocka_unit_test(branches_that_a_warp_does_not_take_cost_little),
        cmocka_unit_test(at_random_a_warp_takes_as_many_branches_as_chance_has_it),
        cmocka_unit_test(branches_of_different_length_add_up),
        cmocka_unit_test(rare_branches_count_by_how_often_a_warp_takes_them),
        cmocka_unit_test(a_table_lookup_costs_about_one_branch),
        cmocka_unit_test(dynamic_reordering_pays_earlier_where_branches_compute),
        cmocka_unit_test(reordering_brings_bank_conflicts_where_branches_read_shared_memory),
        cmocka_unit_test(by_columns_is_slower_and_writing_so_more_than_reading),
        cmocka_unit_test(blocks_down_the_columns_make_it_a_little_worse),
        cmocka_unit_test(neighbours_that_change_places_cost_nothing),
        cmocka_unit_test(an_offset_costs_unless_it_is_of_whole_sectors),
        cmocka_unit_test(bank_conflicts_cost_as_much_reading_as_writing_and_add_up),
        cmocka_unit_test(arrays_of_structures_are_slow_when_structures_are_large),
        cmocka_unit_test(barriers_cost_the_more_the_fewer_operations_lie_between),
        cmocka_unit_test(launches_cost_by_their_number),
        cmocka_unit_test(block_sizes_that_are_no_multiples_of_a_warp_are_slower),
        cmocka_unit_test(small_square_blocks_wait_for_their_launch),
        cmocka_unit_test(small_blocks_suffice_with_several_elements_a_thread),
        cmocka_unit_test(several_elements_a_thread_gain_more_with_more_work),
        cmocka_unit_test(steps_of_the_prefix_sum_gain_but_for_the_third),
        cmocka_unit_test(the_third_strategy_is_the_best_tree_of_a_sum),
        cmocka_unit_test(trees_do_not_matter_when_a_thread_adds_many_but_its_way_to_read_does),
        cmocka_unit_test(the_tutorials_kernels_keep_their_order),
        cmocka_unit_test(conflicts_are_what_transposes_in_shared_memory_lose_by),
        cmocka_unit_test(each_step_of_the_transpose_gains),
        cmocka_unit_test(the_diagonal_order_gains_nothing),
        cmocka_unit_test(each_step_of_the_matrix_product_gains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
