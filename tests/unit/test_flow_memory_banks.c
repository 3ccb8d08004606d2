/* Wavefronts and sectors of single accesses, on patterns whose counts were measured on an H200 or
 * follow from the definition. */
#include "metrics/ptx/banks.h"
#include "metrics/ptx/sectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const uint32_t all = UINT32_MAX;

static int wavefronts_min(const uint64_t *address, uint32_t lanes, int bytes)
{
    int least = 0;
    banks_wavefronts(address, lanes, bytes, true, &least);
    return least;
}

static void stride(uint64_t *address, uint64_t bytes)
{
    for (uint64_t i = 0; i < 32; i++)
        address[i] = 4096 + i * bytes;
}

/* Measured: strides of 2, 4, 8, 16, 32 words take 2, 4, 8, 16, 32 cycles. */
static void words_of_one_bank_take_a_wavefront_each(void **state)
{
    (void)state;
    uint64_t a[32];
    for (int words = 1; words <= 32; words *= 2) {
        stride(a, (uint64_t)words * 4);
        assert_int_equal(banks_wavefronts(a, all, 4, true, NULL), words);
        assert_int_equal(wavefronts_min(a, all, 4), 1);
    }
    stride(a, 33 * 4);
    assert_int_equal(banks_wavefronts(a, all, 4, true, NULL), 1);
    stride(a, 0);
    assert_int_equal(banks_wavefronts(a, all, 4, true, NULL), 1);
    assert_int_equal(banks_wavefronts(a, 0, 4, true, NULL), 0);
}

static void bytes_of_one_word_are_read_together(void **state)
{
    (void)state;
    uint64_t a[32];
    stride(a, 1);
    assert_int_equal(banks_wavefronts(a, all, 1, true, NULL), 1);
    stride(a, 64);
    assert_int_equal(banks_wavefronts(a, all, 2, true, NULL), 16);
}

/* Measured: the two 16-byte loads per k of a 64×64 tile, 16×16 threads: 2 and 4 wavefronts. */
static void vectors_of_a_matrix_multiply_cost_what_was_measured(void **state)
{
    (void)state;
    uint64_t rows[32], columns[32];
    for (uint64_t i = 0; i < 32; i++) {
        rows[i] = i / 16 * 16;
        columns[i] = i % 16 * 16;
    }
    assert_int_equal(banks_wavefronts(rows, all, 16, true, NULL), 2);
    assert_int_equal(banks_wavefronts(columns, all, 16, true, NULL), 4);
    assert_int_equal(wavefronts_min(rows, all, 16), 2);
    assert_int_equal(wavefronts_min(columns, all, 16), 2);
    /* and, with rows of 65 words, 8-byte loads of one word pair for each half: 1 */
    for (uint64_t i = 0; i < 32; i++)
        rows[i] = 520 + i / 16 * 16;
    assert_int_equal(banks_wavefronts(rows, all, 8, true, NULL), 1);
}

/* Pairs of lanes with one address: loads take both halves of the warp at once, stores do not. */
static void neighbours_with_one_address_join_the_halves_of_a_load(void **state)
{
    (void)state;
    uint64_t a[32];
    for (uint64_t i = 0; i < 32; i++)
        a[i] = i / 2 * 8;
    assert_int_equal(banks_wavefronts(a, all, 8, true, NULL), 1);
    assert_int_equal(banks_wavefronts(a, all, 8, false, NULL), 2);
    for (uint64_t i = 0; i < 32; i++)
        a[i] = i / 2 * 16;
    assert_int_equal(banks_wavefronts(a, all, 16, true, NULL), 2);
    assert_int_equal(banks_wavefronts(a, all, 16, false, NULL), 4);
}

static void wide_accesses_are_made_in_parts_of_128_bytes(void **state)
{
    (void)state;
    uint64_t a[32];
    stride(a, 8);
    assert_int_equal(banks_wavefronts(a, all, 8, true, NULL), 2);
    assert_int_equal(banks_wavefronts(a, all, 8, false, NULL), 2);
    stride(a, 16);
    assert_int_equal(banks_wavefronts(a, all, 16, true, NULL), 4);
    assert_int_equal(wavefronts_min(a, all, 16), 4);
    stride(a, 32);
    assert_int_equal(banks_wavefronts(a, all, 16, true, NULL), 8);
    stride(a, 0);
    assert_int_equal(banks_wavefronts(a, all, 16, true, NULL), 2);
    assert_int_equal(banks_wavefronts(a, 0xff, 16, true, NULL), 1);
}

static void moving_all_addresses_changes_nothing(void **state)
{
    (void)state;
    uint32_t random = 17;
    for (int n = 0; n < 300; n++) {
        const int bytes = 4 << n % 3;
        uint64_t a[32], b[32];
        random = random * 1664525u + 1013904223u;
        const uint64_t move = (uint64_t)bytes * (random >> 20);
        for (int i = 0; i < 32; i++) {
            random = random * 1664525u + 1013904223u;
            a[i] = (uint64_t)bytes * (random >> 8 & (n % 2 ? 63 : 1023));
            b[i] = a[i] + move;
        }
        assert_int_equal(banks_wavefronts(a, random, bytes, true, NULL),
                         banks_wavefronts(b, random, bytes, true, NULL));
        assert_true(banks_wavefronts(a, random, bytes, true, NULL) >=
                    wavefronts_min(a, random, bytes));
    }
}

/* Distinct words of each bank counted one by one. */
static void random_words_agree_with_counting_them(void **state)
{
    (void)state;
    uint32_t random = 3;
    for (int n = 0; n < 300; n++) {
        uint64_t a[32];
        int per_bank[32] = {0}, most = 0;
        for (int i = 0; i < 32; i++) {
            random = random * 1664525u + 1013904223u;
            a[i] = 4 * (uint64_t)(random >> 8 & 255);
        }
        for (int word = 0; word < 256; word++)
            for (int i = 0; i < 32; i++)
                if (a[i] / 4 == (uint64_t)word) {
                    per_bank[word % 32]++;
                    break;
                }
        for (int b = 0; b < 32; b++)
            most = per_bank[b] > most ? per_bank[b] : most;
        assert_int_equal(banks_wavefronts(a, all, 4, true, NULL), most);
    }
}

static void atomics_on_one_word_come_one_after_the_other(void **state)
{
    (void)state;
    uint64_t a[32];
    stride(a, 0);
    assert_int_equal(banks_wavefronts_atomic(a, 0xffff, 4), 16);
    stride(a, 4);
    assert_int_equal(banks_wavefronts_atomic(a, all, 4), 1);
}

static void a_matrix_of_rows_in_different_banks_is_one_wavefront(void **state)
{
    (void)state;
    uint64_t a[32];
    stride(a, 16);
    assert_int_equal(banks_wavefronts_matrix(a, all, 4), 4);
    stride(a, 128);
    assert_int_equal(banks_wavefronts_matrix(a, all, 2), 16);
    stride(a, 144);
    assert_int_equal(banks_wavefronts_matrix(a, all, 1), 1);
}

static void neighbouring_words_fill_sectors(void **state)
{
    (void)state;
    uint64_t a[32];
    stride(a, 4);
    Sectors s = sectors_count(a, all, 4);
    assert_int_equal(s.sectors, 4);
    assert_int_equal(s.lines, 1);
    assert_int_equal(s.bytes, 128);
    assert_int_equal(s.unique_bytes, 128);
    for (int i = 0; i < 32; i++)
        a[i] += 4;
    s = sectors_count(a, all, 4);
    assert_int_equal(s.sectors, 5);
    assert_int_equal(s.lines, 2);
    stride(a, 16);
    s = sectors_count(a, all, 16);
    assert_int_equal(s.sectors, 16);
    assert_int_equal(s.lines, 4);
}

/* Rows, columns and pairs of columns are in order; places here and there are not, but for the first two. */
static void irregular_distances_scatter_sectors(void **state)
{
    (void)state;
    uint64_t a[32];
    stride(a, 4);
    assert_int_equal(sectors_count(a, all, 4).scattered, 0);
    stride(a, 4096);
    assert_int_equal(sectors_count(a, all, 4).scattered, 1); /* the first distance */
    for (uint64_t i = 0; i < 32; i++)
        a[i] = i / 2 * 4096 + i % 2 * 512;
    assert_int_equal(sectors_count(a, all, 4).scattered, 2);
    for (uint64_t i = 0; i < 32; i++)
        a[i] = i * i * 128;
    assert_int_equal(sectors_count(a, all, 4).scattered, 31);
    for (uint64_t i = 0; i < 32; i++)
        a[i] = i * i / 4 * 1024 + i % 4 * 32; /* four to two lines */
    assert_true(sectors_count(a, all, 4).scattered < 24);
}

/* As an H200 counts them (tests/data/counters/copies.csv). */
static void copies_fetch_a_sector_for_each_place_of_its_halves(void **state)
{
    static const struct {
        int lanes, pad, shift, sectors;
    } table[] = {{2, 0, 0, 16},  {2, 16, 0, 24}, {4, 0, 0, 16},   {4, 16, 0, 24},  {8, 0, 0, 16},
                 {8, 16, 0, 24}, {8, 0, 16, 32}, {8, 16, 16, 26}, {32, 0, 16, 32}, {32, 0, 0, 16}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const int lanes = table[i].lanes;
        uint64_t from[32], to[32];
        for (int k = 0; k < 32; k++) {
            from[k] = (uint64_t)(k / lanes * 32768 + k % lanes * 16 + table[i].shift);
            to[k] = (uint64_t)(k / lanes * (16 * lanes + table[i].pad) + k % lanes * 16);
        }
        assert_int_equal(sectors_copied(from, to, all), table[i].sectors);
    }
}

static void strided_and_repeated_addresses_count_distinct_sectors(void **state)
{
    (void)state;
    uint64_t a[32];
    stride(a, 128);
    Sectors s = sectors_count(a, all, 4);
    assert_int_equal(s.sectors, 32);
    assert_int_equal(s.lines, 32);
    assert_int_equal(sectors_min(s.unique_bytes), 4);
    for (uint64_t i = 0; i < 32; i++)
        a[i] = (31 - i) / 4 * 4; /* backwards, four lanes each */
    s = sectors_count(a, all, 4);
    assert_int_equal(s.sectors, 1);
    assert_int_equal(s.bytes, 128);
    assert_int_equal(s.unique_bytes, 32);
    s = sectors_count(a, 1, 64);
    assert_int_equal(s.sectors, 3); /* 28 to 92 */
    assert_int_equal(s.unique_bytes, 64);
}

#define ATOMIC(name, place)                                                                        \
    static uint64_t atomic_##name(uint64_t lane)                                                   \
    {                                                                                              \
        return place;                                                                              \
    }
ATOMIC(one, 0 * lane)
ATOMIC(pairs, lane / 2 * 8)
ATOMIC(each, lane * 8)
ATOMIC(two, lane % 2 * 8)
ATOMIC(apart, lane * 32)
ATOMIC(groups, lane / 4 * 32)
ATOMIC(in_sector, lane % 4 * 8)
ATOMIC(eight, lane % 8 * 8)

/* Counted on an H100 (l1tex__t_sectors of atomics in single and double precision, of 64 bits and exchanges) for these
 * addresses by lane. */
static void lanes_at_one_address_come_to_it_in_turn(void **state)
{
    (void)state;
    static const struct {
        uint64_t (*at)(uint64_t lane);
        int sectors;
    } counted[] = {{atomic_one, 32},      {atomic_pairs, 8},  {atomic_each, 8},
                   {atomic_two, 16},      {atomic_apart, 32}, {atomic_groups, 32},
                   {atomic_in_sector, 8}, {atomic_eight, 8}};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        uint64_t address[32];
        for (uint64_t lane = 0; lane < 32; lane++)
            address[lane] = 4096 + counted[i].at(lane);
        assert_int_equal(sectors_in_turns(address, UINT32_MAX), counted[i].sectors);
    }
    const uint64_t same[32] = {0};
    assert_int_equal(sectors_in_turns(same, 7), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_at_one_address_come_to_it_in_turn),
        cmocka_unit_test(words_of_one_bank_take_a_wavefront_each),
        cmocka_unit_test(bytes_of_one_word_are_read_together),
        cmocka_unit_test(vectors_of_a_matrix_multiply_cost_what_was_measured),
        cmocka_unit_test(neighbours_with_one_address_join_the_halves_of_a_load),
        cmocka_unit_test(wide_accesses_are_made_in_parts_of_128_bytes),
        cmocka_unit_test(moving_all_addresses_changes_nothing),
        cmocka_unit_test(random_words_agree_with_counting_them),
        cmocka_unit_test(atomics_on_one_word_come_one_after_the_other),
        cmocka_unit_test(a_matrix_of_rows_in_different_banks_is_one_wavefront),
        cmocka_unit_test(neighbouring_words_fill_sectors),
        cmocka_unit_test(irregular_distances_scatter_sectors),
        cmocka_unit_test(copies_fetch_a_sector_for_each_place_of_its_halves),
        cmocka_unit_test(strided_and_repeated_addresses_count_distinct_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
