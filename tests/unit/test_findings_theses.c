/* What the documents found, looked for in the recordings of today's GPU: each test compares
 * configurations that differ in one parameter alone.  The bounds leave room on both sides of what
 * was measured; a recording never changes, so that none of them is a matter of luck.  A space that
 * has no recording yet is skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/finding.h"

/* --- of finding_ratio itself, on a recording that is there ------------------------------------ */

static void a_transpose_in_shared_memory_is_slower_with_conflicts(void **state)
{
    (void)state;
    Asked q = finding_ask("transpose");
    finding_ratio_between(q, "VARIANT=1 PAD=0", "VARIANT=2 PAD=1", 1.1, 20);
    finding_ratio_between(q, "VARIANT=2 PAD=1", "VARIANT=1 PAD=0", 0.05, 0.9);
    arena_free(q.arena);
}

/* --- Ryoo's thesis ---------------------------------------------------------------------------- */

/* 5.1, figure 5.2: 8×8 tiles are held back by what they load, whatever else is done. */
static void small_tiles_of_a_matrix_product_are_slow(void **state)
{
    (void)state;
    Asked q = finding_ask("mm-thesis");
    finding_ratio_between(q, "TILE=8", "TILE=16", 1.3, 1.8);
    assert_true(finding_best_ms(q.arena, q.recording, "TILE=8") >
                1.3 * finding_best_ms(q.arena, q.recording, "TILE=16"));
    arena_free(q.arena);
}

/* 5.1: rectangular tiling saves loads of the elements that are kept in registers. */
static void rectangular_tiles_help_at_every_step(void **state)
{
    (void)state;
    Asked q = finding_ask("mm-thesis");
    finding_ratio_between(q, "TILE=16 RECT=1", "RECT=2", 1.1, 1.5);
    finding_ratio_between(q, "TILE=16 RECT=2", "RECT=4", 1.05, 1.3);
    arena_free(q.arena);
}

/* 5.1, table 5.1: unrolling is a matter of luck; by two it gains nothing here either. */
static void unrolling_by_two_gains_nothing_and_completely_something(void **state)
{
    (void)state;
    Asked q = finding_ask("mm-thesis");
    finding_ratio_between(q, "TILE=16 UNROLL=1", "UNROLL=2", 0.98, 1.03);
    finding_ratio_between(q, "TILE=16 UNROLL=1", "UNROLL=16", 1.05, 1.4);
    arena_free(q.arena);
}

/* 5.1: other warps hide what prefetching would, and a block more or less is no matter. */
static void prefetching_and_spilling_hardly_matter(void **state)
{
    (void)state;
    Asked q = finding_ask("mm-thesis");
    finding_ratio_between(q, "PREFETCH=0", "PREFETCH=1", 0.98, 1.04);
    finding_ratio_between(q, "SPILL=0", "SPILL=1", 0.98, 1.02);
    finding_ratio_between(q, "SPILL=0", "SPILL=2", 0.97, 1.03);
    arena_free(q.arena);
}

/* 6.5, figure 6.10: with an array for each number, a launch of more samples takes more lines of the
 * constant cache than it has; with an array of samples it does not matter. */
static void more_samples_a_launch_hurt_with_an_array_for_each_number_alone(void **state)
{
    (void)state;
    Asked q = finding_ask("mri-fhd");
    finding_ratio_between(q, "LAYOUT=0 SAMPLES=1280", "SAMPLES=80", 1.5, 10);
    finding_ratio_between(q, "LAYOUT=1 SAMPLES=1280", "SAMPLES=80", 0.8, 1.1);
    finding_ratio_between(q, "LAYOUT=0", "LAYOUT=1", 1.5, 10);
    arena_free(q.arena);
}

static void another_image_reconstruction_has_the_same_cure(void **state)
{
    (void)state;
    Asked q = finding_ask("mri-q");
    finding_ratio_between(q, "LAYOUT=0 SAMPLES=1536", "SAMPLES=96", 3, 6);
    finding_ratio_between(q, "LAYOUT=1 SAMPLES=1536", "SAMPLES=96", 0.8, 1.1);
    finding_ratio_between(q, "LAYOUT=0", "LAYOUT=1", 1.7, 2.6);
    arena_free(q.arena);
}

/* 6.2: blocks of seven sizes do the same within a few per cent, where the constant cache is no
 * matter. */
static void block_sizes_hardly_matter_without_barriers(void **state)
{
    (void)state;
    Asked q = finding_ask("mri-fhd");
    finding_ratio_between(q, "LAYOUT=1 BLOCK=64", "BLOCK=512", 0.9, 1.2);
    finding_ratio_between(q, "LAYOUT=1 BLOCK=256", "BLOCK=512", 0.95, 1.15);
    arena_free(q.arena);
}

/* 5.3.3, figure 5.5: more points a thread save work until too few threads are left. */
static void points_a_thread_have_a_best_number(void **state)
{
    (void)state;
    Asked q = finding_ask("cp");
    finding_ratio_between(q, "COALESCED=1 POINTS=1", "POINTS=2", 1.2, 3);
    finding_ratio_between(q, "COALESCED=1 POINTS=2", "POINTS=4", 1.05, 2);
    finding_ratio_between(q, "COALESCED=1 POINTS=8", "POINTS=16", 0.3, 0.85);
    arena_free(q.arena);
}

/* Table 6.1 has the coalescing of cp's output: a write for thousands of reads does not count today.
 */
static void coalescing_of_a_rare_output_does_not_matter(void **state)
{
    (void)state;
    Asked q = finding_ask("cp");
    finding_ratio_between(q, "COALESCED=0", "COALESCED=1", 0.98, 1.03);
    arena_free(q.arena);
}

/* Through 4000 atoms by constant memory: by twos and fours it is the worst, by sixteen the best. */
static void how_far_a_thread_unrolls_its_way_through_constants_decides(void **state)
{
    (void)state;
    Asked q = finding_ask("cp");
    finding_ratio_between(q, "POINTS=1 UNROLL=2", "UNROLL=1", 4, 6.5);
    finding_ratio_between(q, "POINTS=1 UNROLL=4", "UNROLL=1", 4, 6);
    finding_ratio_between(q, "POINTS=1 UNROLL=16", "UNROLL=1", 0.65, 0.78);
    arena_free(q.arena);
}

/* 6.3: 5 of 942 are within 20 % of the fastest. */
static void few_configurations_of_sad_are_near_the_best(void **state)
{
    (void)state;
    Asked q = finding_ask("sad");
    double best = finding_best_ms(q.arena, q.recording, "");
    assert_int_equal(finding_count_within(q.arena, q.recording, 1.2 * best), 5);
    assert_true(finding_worst_ms(q.arena, q.recording, "") > 10 * best);
    arena_free(q.arena);
}

/* 4.2.1: out of global memory alone the kernel took 2.8 times as long.  Caches have made it less.
 */
static void caches_have_made_staging_of_pels_less_important(void **state)
{
    (void)state;
    Asked q = finding_ask("sad");
    finding_ratio_between(q, "STAGE=0", "STAGE=2", 1.05, 1.6);
    finding_ratio_between(q, "STAGE=0 PACKED=0", "STAGE=2", 1.1, 2);
    arena_free(q.arena);
}

/* 6.4.1, figure 6.6: a single block on a multiprocessor was clearly slower then.  It is not now. */
static void a_single_block_with_roots_alone_is_no_loss_any_more(void **state)
{
    (void)state;
    Asked q = finding_ask("rsqrt");
    finding_ratio_between(q, "SM_THREADS=768 BLOCKS=1", "BLOCKS=2", 0.8, 1.01);
    finding_ratio_between(q, "SM_THREADS=768 BLOCKS=1", "BLOCKS=4", 0.7, 1);
    finding_ratio_between(q, "SM_THREADS=768 BLOCKS=1", "BLOCKS=8", 0.7, 1);
    arena_free(q.arena);
}

/* --- Cornelis's thesis ------------------------------------------------------------------------ */

/* 3.2 calls it data-heavy: reading each pixel for all that need it counts, and a filter that all
 * threads read at one address belongs into constant memory. */
static void a_convolution_gains_by_staging_and_by_a_constant_filter(void **state)
{
    (void)state;
    Asked q = finding_ask("convolution");
    finding_ratio_between(q, "STAGE=0", "STAGE=1", 1.2, 2.5);
    finding_ratio_between(q, "FILTER=1 UNROLL=9", "FILTER=0", 1.01, 1.4);
    finding_ratio_between(q, "UNROLL=1", "UNROLL=9", 1.2, 3);
    arena_free(q.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transpose_in_shared_memory_is_slower_with_conflicts),
        cmocka_unit_test(small_tiles_of_a_matrix_product_are_slow),
        cmocka_unit_test(rectangular_tiles_help_at_every_step),
        cmocka_unit_test(unrolling_by_two_gains_nothing_and_completely_something),
        cmocka_unit_test(prefetching_and_spilling_hardly_matter),
        cmocka_unit_test(more_samples_a_launch_hurt_with_an_array_for_each_number_alone),
        cmocka_unit_test(another_image_reconstruction_has_the_same_cure),
        cmocka_unit_test(block_sizes_hardly_matter_without_barriers),
        cmocka_unit_test(points_a_thread_have_a_best_number),
        cmocka_unit_test(coalescing_of_a_rare_output_does_not_matter),
        cmocka_unit_test(how_far_a_thread_unrolls_its_way_through_constants_decides),
        cmocka_unit_test(few_configurations_of_sad_are_near_the_best),
        cmocka_unit_test(caches_have_made_staging_of_pels_less_important),
        cmocka_unit_test(a_single_block_with_roots_alone_is_no_loss_any_more),
        cmocka_unit_test(a_convolution_gains_by_staging_and_by_a_constant_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
