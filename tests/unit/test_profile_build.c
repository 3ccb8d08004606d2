/* The driver of the static analysis: PTX, cubin and launch to a profile, and the shipped metrics
 * over it. */
#include "metrics/metric/metricset.h"
#include "metrics/metric/profile_build.h"
#include "tuner/base/file.h"

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
                       .grid = {132 * 4, 1, 1},
                       .block = {128, 1, 1}};
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
            fail_msg("%s is not known", profile_info((ProfileField)f)->name);
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
                       .grid = {1, 1, 1},
                       .block = {1024, 1, 1},
                       .parameters = (const unsigned char *)&parameters,
                       .parameter_bytes = sizeof parameters};
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
        cmocka_unit_test(missing_kernel_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
