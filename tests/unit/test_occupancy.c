/* Occupancy: the numbers of Ryoo's thesis, and of NVIDIA's calculator on known GPUs. */
#include "metrics/metric/occupancy.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static Occupancy on(const char *device, BlockUse use)
{
    const Device *d = device_find(device);
    assert_non_null(d);
    return occupancy_compute(d, &use);
}

static int blocks_on(const char *device, BlockUse use)
{
    return on(device, use).blocks_per_sm;
}

/* Table 5.1: matrix multiplication with tiles of 16 x 16 on the GeForce 8800, 256 threads;
 * registers per thread and thread blocks per SM in the order of the table.  Its shared memory never
 * limits. */
static void thesis_table_5_1(void **state)
{
    (void)state;
    const int rows[24][2] = {
        {11, 2}, {13, 2}, {11, 2}, {13, 2}, {12, 2}, {14, 2}, {13, 2}, {13, 2}, /* 1x1 */
        {13, 2}, {15, 2}, {14, 2}, {16, 2}, {16, 2}, {19, 1}, {16, 2}, {16, 2}, /* 1x2 */
        {18, 1}, {20, 1}, {19, 1}, {24, 1}, {24, 1}, {29, 1}, {27, 1}, {35, 0}, /* 1x4 */
    };

    for (int i = 0; i < 24; i++)
        assert_int_equal(blocks_on("8800gtx", (BlockUse){.registers = rows[i][0], .threads = 256}),
                         rows[i][1]);
}

/* Section 2.3: one register more costs a third of the threads, one kilobyte more nothing. */
static void thesis_section_2_3(void **state)
{
    (void)state;
    BlockUse use = {.registers = 10, .static_shared = 4096, .threads = 256};
    assert_int_equal(blocks_on("8800gtx", use), 3);
    assert_int_equal(on("8800gtx", use).warps_per_sm, 24);

    use.registers = 11;
    Occupancy o = on("8800gtx", use);
    assert_int_equal(o.blocks_per_sm, 2);
    assert_int_equal(o.limits, 1 << OCCUPANCY_REGISTERS);
    assert_int_equal(o.fewer_registers, 1);
    assert_int_equal(o.fewer_shared_bytes, 0);

    use = (BlockUse){.registers = 10, .static_shared = 5120, .threads = 256};
    assert_int_equal(blocks_on("8800gtx", use), 3);
}

static void thesis_section_5_3_4(void **state)
{
    (void)state;

    Occupancy o = on("8800gtx", (BlockUse){.registers = 13, .static_shared = 2088, .threads = 256});

    assert_int_equal(o.blocks_per_sm, 2);
    assert_int_equal(o.warps_per_block, 8);
    assert_int_equal(o.limits, 1 << OCCUPANCY_REGISTERS);
    assert_int_equal(o.fewer_registers, 3);
}

/* Registers went to blocks, for an even number of warps, in units of 256 (512 from 1.2 on; CUDA
 * Programming Guide 4.x, "Hardware Multithreading"). */
static void units_of_the_8800(void **state)
{
    (void)state;

    /* 3 warps as 4: 4 x 32 x 20 = 2560 registers, 3 blocks; 3 warps alone would let in 4. */
    assert_int_equal(
        on("8800gtx", (BlockUse){.registers = 20, .threads = 96}).by[OCCUPANCY_REGISTERS], 3);
    /* 2 x 32 x 9 = 576 registers as 768, 10 blocks; as 1024 only 8. */
    assert_int_equal(
        on("8800gtx", (BlockUse){.registers = 9, .threads = 64}).by[OCCUPANCY_REGISTERS], 10);
    /* 2049 bytes as 2560, 6 blocks. */
    assert_int_equal(on("8800gtx", (BlockUse){.registers = 1, .static_shared = 2049, .threads = 32})
                         .by[OCCUPANCY_SHARED],
                     6);
    assert_int_equal(blocks_on("8800gtx", (BlockUse){.registers = 1, .threads = 513}), 0);
}

/* Blocks by cuda_occupancy.h 13.0, and its limiting factors, run once and written down here. */
typedef struct Row {
    const char *device;
    int blocks[11];
    unsigned limits[11];
} Row;

static void nvidias_calculator_on_known_gpus(void **state)
{
    (void)state;
    const BlockUse uses[11] = {
        {32, 0, 0, 256, 1},     {64, 8256, 0, 256, 1},  {130, 8256, 0, 64, 1},
        {255, 0, 0, 256, 1},    {40, 4224, 0, 256, 1},  {24, 16384, 32768, 128, 1},
        {32, 1024, 0, 1024, 1}, {72, 0, 98304, 256, 1}, {168, 0, 200000, 384, 1},
        {33, 0, 0, 96, 1},      {16, 0, 0, 32, 1},
    };
    const Row rows[] = {
        {"V100", {8, 4, 6, 1, 6, 2, 2, 1, 0, 16, 32}, {3, 2, 2, 2, 2, 4, 3, 4, 4, 2, 8}},
        {"T4", {4, 4, 6, 1, 4, 1, 1, 0, 0, 10, 16}, {1, 3, 2, 2, 1, 4, 1, 4, 4, 1, 8}},
        {"A100", {8, 4, 6, 1, 6, 3, 2, 1, 0, 16, 32}, {3, 2, 2, 2, 2, 4, 3, 4, 4, 2, 8}},
        {"A40", {6, 4, 6, 1, 6, 2, 1, 1, 0, 16, 16}, {1, 2, 2, 2, 3, 4, 1, 4, 4, 0xb, 8}},
        {"L40", {6, 4, 6, 1, 6, 2, 1, 1, 0, 16, 24}, {1, 2, 2, 2, 3, 4, 1, 4, 4, 3, 8}},
        {"H200", {8, 4, 6, 1, 6, 4, 2, 2, 1, 16, 32}, {3, 2, 2, 2, 2, 4, 3, 4, 6, 2, 8}},
        {"B200", {8, 4, 6, 1, 6, 4, 2, 2, 1, 16, 32}, {3, 2, 2, 2, 2, 4, 3, 4, 6, 2, 8}},
        {"RTX 5090", {6, 4, 6, 1, 6, 2, 1, 1, 0, 16, 24}, {1, 2, 2, 2, 3, 4, 1, 4, 4, 3, 0x18}},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t i = 0; i < 11; i++) {
            Occupancy o = on(rows[r].device, uses[i]);
            assert_int_equal(o.blocks_per_sm, rows[r].blocks[i]);
            assert_int_equal(o.limits, rows[r].limits[i]);
        }
}

static void edges_on_the_h200(void **state)
{
    (void)state;

    /* 33 registers are given out as 40. */
    assert_int_equal(blocks_on("H200", (BlockUse){.registers = 33, .threads = 256}),
                     blocks_on("H200", (BlockUse){.registers = 40, .threads = 256}));
    assert_int_equal(blocks_on("H200", (BlockUse){.registers = 64, .threads = 1024}), 1);
    assert_int_equal(blocks_on("H200", (BlockUse){.registers = 65, .threads = 1024}), 0);
    assert_int_equal(
        blocks_on("H200", (BlockUse){.registers = 32, .dynamic_shared = 232448, .threads = 64}), 1);
    assert_int_equal(
        blocks_on("H200", (BlockUse){.registers = 32, .dynamic_shared = 232449, .threads = 64}), 0);
    assert_int_equal(blocks_on("H200", (BlockUse){.registers = 32, .threads = 1025}), 0);
    assert_int_equal(blocks_on("H200", (BlockUse){.registers = 32, .threads = 0}), 0);
}

/* 11,904 bytes and the 1 KiB of the system are 101 units of 128: 18 blocks of 228 KiB.  A byte more is a unit
 * more, and 18 blocks of 102 units do not fit; nor would they in units of 256. */
static void shared_memory_is_given_in_units(void **state)
{
    (void)state;
    BlockUse use = {.registers = 16, .dynamic_shared = 11904, .threads = 32};
    assert_int_equal(blocks_on("h200", use), 18);
    use.dynamic_shared++;
    assert_int_equal(blocks_on("h200", use), 17);
}

static void one_block_of_shared_memory_too_many(void **state)
{
    (void)state;

    /* 228 KB hold two blocks of 114 KB with the 1 KB that each gives to the system. */
    Occupancy o =
        on("H200", (BlockUse){.registers = 32, .dynamic_shared = 113 * 1024 + 1, .threads = 256});

    assert_int_equal(o.blocks_per_sm, 1);
    assert_int_equal(o.limits, 1 << OCCUPANCY_SHARED);
    assert_int_equal(o.fewer_shared_bytes, 1);
    assert_int_equal(o.fewer_registers, 0);
}

static void limits_have_names(void **state)
{
    (void)state;
    char text[64];

    assert_string_equal(occupancy_limits_text(0, text), "");
    assert_string_equal(
        occupancy_limits_text(1 << OCCUPANCY_REGISTERS | 1 << OCCUPANCY_SHARED, text),
        "registers, shared memory");
    assert_string_equal(occupancy_limits_text(31, text),
                        "warps, registers, shared memory, block slots, barriers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thesis_table_5_1),
        cmocka_unit_test(thesis_section_2_3),
        cmocka_unit_test(thesis_section_5_3_4),
        cmocka_unit_test(units_of_the_8800),
        cmocka_unit_test(nvidias_calculator_on_known_gpus),
        cmocka_unit_test(edges_on_the_h200),
        cmocka_unit_test(shared_memory_is_given_in_units),
        cmocka_unit_test(one_block_of_shared_memory_too_many),
        cmocka_unit_test(limits_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
