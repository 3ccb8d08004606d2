/* The driver of the static analysis: PTX, cubin and launch to a profile, and the shipped metrics
 * over it. */
#include "metrics/base/file.h"
#include "metrics/metric/metricset.h"
#include "metrics/metric/profile_build.h"
#include "metrics/metric/sheet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

static ProfileInput input(Arena *a, const char *kernel, Diag *d)
{
    ProfileInput in = {.kernel = kernel,
                       .device = device_find("h200"),
                       .launch.grid = {132 * 4, 1, 1},
                       .launch.block = {128, 1, 1}};
    in.ptx = file_read(a, TEST_DATA "/sass/shapes.ptx", &in.ptx_size, d);
    in.cubin = file_read(a, TEST_DATA "/sass/shapes_sm_90.cubin", &in.cubin_size, d);
    return in;
}

static double metric(Arena *a, const Profile *p, const char *name)
{
    Diag d = diag_new(a);
    MetricSet *set = metricset_new(a);
    assert_true(metricset_read(set, source_read(a, SOURCE_DIR "/metrics/thesis.metrics", &d), &d));
    assert_true(metricset_read(set, source_read(a, SOURCE_DIR "/metrics/cycles.metrics", &d), &d));
    MetricValue *values = ARENA_ARRAY(a, MetricValue, set->metrics.count);
    metricset_evaluate(a, set, &(LaunchProfile){p, 1}, 1, device_find("h200"), values);
    return values[metricset_find(set, name)].value;
}

static void every_field_is_known_for_a_plain_kernel(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    ProfileInput in = input(a, "straight", &d);
    Profile p;
    Hash code;

    bool ok = profile_build(a, &in, &p, &code, &d);

    assert_true(ok);
    for (int f = 0; f < PROFILE_FIELDS; f++)
        if (isnan(p.value[f]))
            fail_msg("%s is not known", profile_fields[f].name);
    assert_true(p.value[PROFILE_ISSUED] > 0 && p.value[PROFILE_SERIAL_CYCLES] > 0);
    assert_true(p.value[PROFILE_LOADED_CYCLES] >= p.value[PROFILE_SERIAL_ISSUE]);
    arena_free(a);
}

static void busiest_unit_bounds_the_prediction(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    ProfileInput in = input(a, "straight", &d);
    Profile p;
    Hash code;

    assert_true(profile_build(a, &in, &p, &code, &d));

    /* 528 blocks of 4 warps on 132 SMs: 16 warps each, a quarter of the issue slots a cycle. */
    assert_float_equal(metric(a, &p, "sm_warps"), 16, 1e-9);
    assert_float_equal(metric(a, &p, "issue_cycles"), p.value[PROFILE_ISSUED] * 4, 1e-6);
    assert_true(metric(a, &p, "bound_cycles") >= metric(a, &p, "issue_cycles"));
    assert_true(metric(a, &p, "predicted_cycles") >= metric(a, &p, "bound_cycles"));
    arena_free(a);
}

/* 256 elements for blocks of 32 warps: 8 copy, the middle one is beyond the edge. */
static void times_are_means_over_the_warps(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    struct {
        uint64_t out, in;
        int32_t n;
    } parameters = {UINT64_C(1) << 40, UINT64_C(2) << 40, 256};
    ProfileInput in = {.kernel = "copy_float4",
                       .device = device_find("h200"),
                       .launch.grid = {1, 1, 1},
                       .launch.block = {1024, 1, 1},
                       .launch.parameters = (const unsigned char *)&parameters,
                       .launch.parameter_bytes = sizeof parameters};
    in.ptx = file_read(a, TEST_DATA "/counters/kernels.ptx", &in.ptx_size, &d);
    in.cubin = file_read(a, TEST_DATA "/counters/kernels.cubin", &in.cubin_size, &d);
    Profile some, all;
    Hash code;

    assert_true(profile_build(a, &in, &some, &code, &d));
    parameters.n = 1024;
    assert_true(profile_build(a, &in, &all, &code, &d));

    const double part = some.value[PROFILE_SERIAL_GLOBAL] / all.value[PROFILE_SERIAL_GLOBAL];
    assert_true(part > 0.1 && part < 0.5);
    assert_true(some.value[PROFILE_LOADED_CYCLES] < all.value[PROFILE_LOADED_CYCLES]);
    assert_float_equal(some.value[PROFILE_HOT_BYTES], all.value[PROFILE_HOT_BYTES], 0);
    arena_free(a);
}

/* Stages as text, of a kernel with one loop. */
static void every_stage_can_be_seen(void **state)
{
    (void)state;
    static const char *const expected[] = {
        [PROFILE_FLOW] = "loop 0: header 2, depth 1",
        [PROFILE_WALK] = "weight",
        [PROFILE_PAIRS] = "of the code: line",
        [PROFILE_JOIN] = "global stores of 4 bytes: 1 in PTX",
    };
    Arena *a = arena_new();
    Diag d = diag_new(a);
    ProfileInput in = input(a, "loop", &d);
    for (int s = PROFILE_FLOW; s <= PROFILE_JOIN; s++) {
        Buf out = {0};
        assert_true(profile_dump(a, &in, (ProfileStage)s, &out, &d));
        if (!strstr(buf_text(&out), expected[s]))
            fail_msg("no '%s' in %s", expected[s], buf_text(&out));
        buf_free(&out);
    }
    arena_free(a);
}

/* A device of round numbers, with a level of memory that is slower by so many cycles. */
static const Device *slower(Arena *a, double l1, double l2)
{
    Diag d = diag_new(a);
    DeviceSheet *sheet = ARENA_NEW(a, DeviceSheet);
    *sheet = *device_file_read(a, TEST_DATA "/device/round.device", &d)->sheet;
    sheet->latencies.l1 += l1;
    sheet->latencies.l2 += l2;
    sheet->device.sheet = sheet;
    return &sheet->device;
}

static void near(double value, double expected, double error)
{
    if (!(fabs(value - expected) <= error))
        fail_msg("%.12g in place of %.12g", value, expected);
}

static Profile profile_given(Arena *a, const char *file, const char *kernel, const Device *device,
                             int64_t threads, int64_t shared, double read_bytes, double launches)
{
    /* Nothing is read of the first and of the last. */
    const ProfileBuffer buffers[] = {
        {UINT64_C(1) << 40, 500, true, true, false, true, 1},
        {UINT64_C(2) << 40, read_bytes, true, false, true, false, launches},
        {UINT64_C(3) << 40, 700, true, true, false, true, 1}};
    Diag d = diag_new(a);
    const struct {
        uint64_t out, in;
        int32_t n;
    } parameters = {UINT64_C(1) << 40, UINT64_C(2) << 40, 256};
    ProfileInput in = {.kernel = kernel,
                       .device = device,
                       .launch.grid = {64, 1, 1},
                       .launch.block = {threads, 1, 1},
                       .launch.shared = shared,
                       .launch.buffers = buffers,
                       .launch.buffer_count = read_bytes > 0 ? 3 : 0,
                       .launch.parameters = (const unsigned char *)&parameters,
                       .launch.parameter_bytes = sizeof parameters};
    in.ptx = file_read(a, arena_printf(a, TEST_DATA "/counters/%s.ptx", file), &in.ptx_size, &d);
    in.cubin =
        file_read(a, arena_printf(a, TEST_DATA "/counters/%s.cubin", file), &in.cubin_size, &d);
    Profile p;
    Hash code;
    assert_true(profile_build(a, &in, &p, &code, &d));
    return p;
}

static Profile profile_of(Arena *a, const char *file, const char *kernel, const Device *device,
                          int64_t threads, int64_t shared)
{
    return profile_given(a, file, kernel, device, threads, shared, 0, 1);
}

/* 64 blocks of 4 warps each load 4 sectors: 32 KiB, or as much of it as the buffers have. */
static void what_is_read_is_no_more_than_there_is(void **state)
{
    (void)state;
    static const double given[] = {0, 1000, 1e9};
    Arena *a = arena_new();
    for (int i = 0; i < 3; i++) {
        Profile p =
            profile_given(a, "kernels", "reduce_near", slower(a, 0, 0), 128, 0, given[i], 1);
        near(p.value[PROFILE_LOAD_SECTORS], 4, 0);
        near(p.value[PROFILE_FOOTPRINT_READ], i == 1 ? 1000 : 32768, 0);
        near(p.value[PROFILE_TIMED_ALONE], i > 0, 0);
        /* 1000 bytes lie in 33 sectors at most. */
        near(p.value[PROFILE_LOAD_FIRST_LAUNCH] * 256, i == 1 ? 33 : 1024, 1e-9);
        if (i > 0)
            near(p.value[PROFILE_FOOTPRINT_WRITTEN], 500, 0);
    }
    arena_free(a);
}

/* 32 KiB of a buffer of 100 MB: its last ninth is not touched by 2,700 launches. */
static void what_each_launch_has_another_part_of_is_swept(void **state)
{
    (void)state;
    static const struct {
        double bytes, launches, swept;
    } cases[] = {{1e8, 2747, 32768}, {1e8, 2700, 0}, {1e6, 31, 0}, {1e8, 1, 0}};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Profile p = profile_given(a, "kernels", "reduce_near", slower(a, 0, 0), 128, 0,
                                        cases[i].bytes, cases[i].launches);
        near(p.value[PROFILE_FOOTPRINT_SWEPT], cases[i].swept, 1e-6);
    }
    arena_free(a);
}

/* Indices at random of a table of `*context` words. */
static bool index_at(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const uint64_t *words = context, mixed = (address + 1) * UINT64_C(0x9e3779b97f4a7c15);
    *value = (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 33;
    *value %= *words;
    return bytes == 4 && address >> 40 == 1;
}

/* The same in order. */
static bool index_in_order(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const uint64_t *words = context;
    *value = address / 4 % *words;
    return bytes == 4 && address >> 40 == 1;
}

/* Lanes a line apart, as in a column. */
static bool index_in_column(void *context, uint64_t address, int bytes, uint64_t *value)
{
    const uint64_t *words = context;
    *value = address / 4 * 32 % *words;
    return bytes == 4 && address >> 40 == 1;
}

/* Of a buffer of `room` words the first `words`. */
static Profile gathered(Arena *a, const Device *device, int64_t blocks, uint64_t words,
                        uint64_t room, bool (*load)(void *, uint64_t, int, uint64_t *))
{
    const ProfileBuffer buffers[] = {
        {UINT64_C(1) << 40, (double)blocks * 1024, true, false, true, false, 1},
        {UINT64_C(2) << 40, (double)room * 4, true, false, true, false, 1},
        {UINT64_C(3) << 40, (double)blocks * 1024, false, true, false, false, 1}};
    const uint64_t parameters[] = {buffers[0].address, buffers[1].address, buffers[2].address};
    const WalkData data = {.context = &words, .load = load};
    Diag d = diag_new(a);
    ProfileInput in = {.kernel = "gather",
                       .device = device,
                       .launch.grid = {blocks, 1, 1},
                       .launch.block = {256, 1, 1},
                       .launch.buffers = buffers,
                       .launch.buffer_count = 3,
                       .launch.parameters = (const unsigned char *)parameters,
                       .launch.parameter_bytes = sizeof parameters,
                       .data = &data};
    in.ptx = file_read(a, TEST_DATA "/counters/data.ptx", &in.ptx_size, &d);
    in.cubin = file_read(a, TEST_DATA "/counters/data.cubin", &in.cubin_size, &d);
    Profile p;
    Hash code;
    assert_true(profile_build(a, &in, &p, &code, &d));
    return p;
}

/* 16,384 blocks load four million words, each from some sector of the table. Of a table of twice the L2's
 * size, which keeps half of its own, three quarters of the loads miss. */
static void what_is_gathered_misses_a_small_l2(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Device *device = slower(a, 0, 0);
    const uint64_t words = (uint64_t)device->l2_bytes / 2, sectors = words / 8;
    const double warps = 16384 * 8, all = 32 * warps, again = all - (double)sectors;
    Profile p = gathered(a, device, 16384, words, words, index_at);
    near(p.value[PROFILE_LOAD_GATHERED] * warps, 0.75 * all, 0.08 * all);
    near(p.value[PROFILE_LOAD_GONE] * warps, 0.75 * again, 0.08 * again);
    near(p.value[PROFILE_FOOTPRINT_READ], 4 * all + 32 * (double)sectors, 4 * (double)sectors);
    /* A half of the table fits, of whatever size the buffer is. */
    p = gathered(a, device, 16384, words / 4, words, index_at);
    near(p.value[PROFILE_LOAD_GATHERED], 0, 0);
    near(p.value[PROFILE_LOAD_GONE], 0, 0);
    near(p.value[PROFILE_FOOTPRINT_READ], 4 * all + 8 * (double)sectors, (double)sectors);
    /* Eight times over, but by neighbours in step. */
    p = gathered(a, device, 16384, words, words, index_in_order);
    near(p.value[PROFILE_LOAD_GATHERED], 0, 0);
    near(p.value[PROFILE_LOAD_GONE], 0, 0);
    p = gathered(a, device, 16384, words, words, index_in_column);
    near(p.value[PROFILE_LOAD_GATHERED], 0, 0);
    arena_free(a);
}

/* 11 cycles and 2 for each warp of the block. */
static void a_barrier_waits_for_each_warp_of_the_block(void **state)
{
    (void)state;
    Arena *a = arena_new();
    for (int warps = 2; warps <= 8; warps *= 2) {
        Profile p = profile_of(a, "kernels", "reduce_near", slower(a, 0, 0), 32 * warps, 0);
        const double *v = p.value;
        assert_true(v[PROFILE_BARRIERS_EXECUTED] >= 2);
        near(v[PROFILE_SERIAL_BARRIER], v[PROFILE_BARRIERS_EXECUTED] * (11 + 2 * warps), 1e-9);
    }
    arena_free(a);
}

/* Stacks of 64 bytes, two blocks of 1024 threads on an SM: 128 KiB, which the L1 holds as far as 256 KiB
 * less the blocks' shared memory go, and never fewer than 28. */
static void stacks_wait_for_the_level_that_has_them(void **state)
{
    (void)state;
    static const struct {
        int64_t shared_kib;
        double outside;
    } table[] = {{0, 0}, {64, 0.015625}, {100, 0.578125}, {112, 0.765625}, {113, 0.78125}};
    Arena *a = arena_new();
    double loads = 0; /* that wait one after the other */
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        Profile p[3];
        for (int k = 0; k < 3; k++)
            p[k] = profile_of(a, "data", "shuffle_bytes",
                              slower(a, k == 1 ? 1e6 : 0, k == 2 ? 1e6 : 0), 1024,
                              table[i].shared_kib * 1024);
        const double start = p[0].value[PROFILE_SERIAL_CYCLES];
        near(p[0].value[PROFILE_LOCAL_BYTES], 64, 0);
        near(p[0].value[PROFILE_BLOCKS_PER_SM], 2, 0);
        near(p[0].value[PROFILE_LOCAL_OUTSIDE], table[i].outside, 1e-12);
        if (i == 0)
            loads = (p[1].value[PROFILE_SERIAL_CYCLES] - start) / 1e6;
        assert_true(loads >= 1);
        /* Some loads of global memory are answered by the same level. */
        near(p[2].value[PROFILE_SERIAL_CYCLES] - start, 1e6 * loads * table[i].outside, 5e5);
    }
    arena_free(a);
}

static void missing_kernel_is_named(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    ProfileInput in = input(a, "nobody", &d);
    Profile p;
    Hash code;
    Buf text = {0};

    bool ok = profile_build(a, &in, &p, &code, &d);

    assert_false(ok);
    diag_print(&d, &text);
    assert_non_null(strstr(buf_text(&text), "no kernel 'nobody'"));
    buf_free(&text);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_known_for_a_plain_kernel),
        cmocka_unit_test(busiest_unit_bounds_the_prediction),
        cmocka_unit_test(times_are_means_over_the_warps),
        cmocka_unit_test(every_stage_can_be_seen),
        cmocka_unit_test(what_each_launch_has_another_part_of_is_swept),
        cmocka_unit_test(what_is_gathered_misses_a_small_l2),
        cmocka_unit_test(what_is_read_is_no_more_than_there_is),
        cmocka_unit_test(a_barrier_waits_for_each_warp_of_the_block),
        cmocka_unit_test(stacks_wait_for_the_level_that_has_them),
        cmocka_unit_test(missing_kernel_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
