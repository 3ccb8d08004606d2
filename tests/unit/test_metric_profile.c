/* The profile: names, and what follows from a launch. */
#include "metrics/metric/profile.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

static void nothing_is_known_at_first(void **state)
{
    (void)state;

    Profile p = profile_new();

    for (int i = 0; i < PROFILE_FIELDS; i++)
        assert_true(isnan(p.value[i]));
}

static void every_field_is_found_by_its_name_alone(void **state)
{
    (void)state;

    for (int i = 0; i < PROFILE_FIELDS; i++) {
        const ProfileInfo *info = &profile_fields[i];
        assert_int_equal(profile_find(info->name), i);
        assert_true(info->meaning[0] && info->meaning[strlen(info->meaning) - 1] == '.');
        assert_true(info->unit[0] && info->per[0]);
    }
    assert_int_equal(profile_find("blocks_per_sm"), PROFILE_BLOCKS_PER_SM);
    assert_int_equal(profile_find("blocks_per_s"), -1);
    assert_int_equal(profile_find(""), -1);
}

/* Section 5.3.4 of the thesis: 4096 x 4096 results, tiles of 16 x 16, on 16 SMs. */
static void launch_of_the_thesis(void **state)
{
    (void)state;
    Profile p = profile_new();
    BlockUse use = {.registers = 13, .static_shared = 2088, .threads = 256, .barriers = 1};

    profile_set_launch(&p, device_find("8800gtx"), &use, 256 * 256);

    assert_true(p.value[PROFILE_BLOCKS_PER_SM] == 2);
    assert_true(p.value[PROFILE_WARPS_PER_BLOCK] == 8);
    assert_true(p.value[PROFILE_THREADS] == 1 << 24);
    assert_true(p.value[PROFILE_THREADS_PER_BLOCK] == 256);
    assert_true(p.value[PROFILE_BLOCKS] == 65536);
    assert_true(p.value[PROFILE_REGISTERS] == 13);
    assert_true(p.value[PROFILE_SHARED_BYTES] == 2088);
    assert_true(p.value[PROFILE_BARRIERS] == 1);
    assert_true(p.value[PROFILE_WAVES] == 2048);
    assert_true(p.value[PROFILE_TAIL_EFFICIENCY] == 1);
    assert_true(p.value[PROFILE_OCCUPANCY] == 16.0 / 24);
    assert_true(isnan(p.value[PROFILE_INSTR]));
}

/* 132 SMs hold 8 blocks each; 1.5 waves of them take as long as 2. */
static void half_a_wave_costs_a_whole_one(void **state)
{
    (void)state;
    Profile p = profile_new();
    BlockUse use = {.registers = 32, .dynamic_shared = 100, .static_shared = 28, .threads = 250};

    profile_set_launch(&p, device_find("h200"), &use, 132 * 8 * 3 / 2);

    assert_true(p.value[PROFILE_BLOCKS_PER_SM] == 8);
    assert_true(p.value[PROFILE_WARPS_PER_BLOCK] == 8);
    assert_true(p.value[PROFILE_SHARED_BYTES] == 128);
    assert_true(p.value[PROFILE_WAVES] == 1.5);
    assert_true(p.value[PROFILE_TAIL_EFFICIENCY] == 0.75);
    assert_true(p.value[PROFILE_OCCUPANCY] == 1);
}

static void what_cannot_be_known_is_not_a_number(void **state)
{
    (void)state;
    BlockUse fits = {.registers = 32, .threads = 256};
    BlockUse too_large = {.registers = 255, .threads = 1024};

    Profile unknown_size = profile_new();
    profile_set_launch(&unknown_size, device_find("sm_88"), &fits, 100);
    Profile impossible = profile_new();
    profile_set_launch(&impossible, device_find("h200"), &too_large, 100);

    assert_true(unknown_size.value[PROFILE_BLOCKS_PER_SM] == 6);
    assert_true(isnan(unknown_size.value[PROFILE_WAVES]));
    assert_true(isnan(unknown_size.value[PROFILE_TAIL_EFFICIENCY]));
    assert_true(impossible.value[PROFILE_BLOCKS_PER_SM] == 0);
    assert_true(isnan(impossible.value[PROFILE_WAVES]));
}

static void spills_are_told_from_local_arrays(void **state)
{
    (void)state;
    CubinKernel k = {.frame_bytes = 160,
                     .local_load_bytes = 40,
                     .local_store_bytes = 60,
                     .code_bytes = 1024,
                     .registers = 20,
                     .shared_bytes = 512,
                     .barriers = 2};

    Profile p = profile_new();
    profile_set_code(&p, &k, 0);
    assert_true(p.value[PROFILE_SPILL_BYTES] == 100);
    assert_true(p.value[PROFILE_LOCAL_BYTES] == 160);
    assert_true(p.value[PROFILE_CODE_BYTES] == 1024);
    profile_set_code(&p, &k, 160); /* the array takes the whole stack */
    assert_true(p.value[PROFILE_SPILL_BYTES] == 0);
    profile_set_code(&p, &k, 120); /* array and spills: at most so many */
    assert_true(p.value[PROFILE_SPILL_BYTES] == 100);
    BlockUse use = profile_block_use(&k, 64, 96);
    assert_int_equal(use.registers, 20);
    assert_int_equal(use.static_shared + use.dynamic_shared, 576);
    assert_int_equal(use.threads, 96);
    assert_int_equal(use.barriers, 2);
}

/* 12,800 instructions of all threads once, or 6,400 three times, whose registers are fewer. */
static void the_launch_that_executes_most_stands_for_all(void **state)
{
    (void)state;
    Profile once = profile_new(), often = profile_new();
    once.value[PROFILE_INSTR] = 100;
    once.value[PROFILE_THREADS] = often.value[PROFILE_THREADS] = 128;
    often.value[PROFILE_INSTR] = 50;
    once.value[PROFILE_REGISTERS] = 40;
    often.value[PROFILE_REGISTERS] = 30;
    once.value[PROFILE_OCCUPANCY] = 0.25;
    often.value[PROFILE_OCCUPANCY] = 0.5;
    LaunchProfile launches[] = {{&once, 1}, {&often, 3}};
    assert_int_equal(profile_main_launch(launches, 2), 1);
    const Profile joined = profile_of_launches(launches, 2);
    assert_true(joined.value[PROFILE_INSTR] == 50 && joined.value[PROFILE_OCCUPANCY] == 0.5);
    assert_true(joined.value[PROFILE_REGISTERS] == 40);
    launches[1].times = 2;
    assert_int_equal(profile_main_launch(launches, 2), 0);
}

static void known_fields_are_printed(void **state)
{
    (void)state;
    Profile p = profile_new();
    Buf out = {0};
    p.value[PROFILE_REGISTERS] = 40;
    p.value[PROFILE_OCCUPANCY] = 0.5;

    profile_print(&p, &out);

    assert_string_equal(buf_text(&out),
                        "registers = 40 registers per thread\noccupancy = 0.5 1 per SM\n");
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_at_first),
        cmocka_unit_test(every_field_is_found_by_its_name_alone),
        cmocka_unit_test(launch_of_the_thesis),
        cmocka_unit_test(half_a_wave_costs_a_whole_one),
        cmocka_unit_test(what_cannot_be_known_is_not_a_number),
        cmocka_unit_test(spills_are_told_from_local_arrays),
        cmocka_unit_test(the_launch_that_executes_most_stands_for_all),
        cmocka_unit_test(known_fields_are_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
