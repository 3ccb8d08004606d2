/* The table of GPUs: names, and numbers that must fit together. */
#include "metrics/device/device.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>

static void a_gpu_has_many_names(void **state)
{
    (void)state;
    const Device *h200 = device_find("NVIDIA H200");

    assert_non_null(h200);
    assert_string_equal(h200->name, "NVIDIA H200");
    assert_ptr_equal(device_find("h200"), h200);
    assert_ptr_equal(device_find("H200"), h200);
    assert_ptr_equal(device_find("sm_90"), h200);
    assert_ptr_equal(device_find("sm_90a"), h200);
    assert_ptr_equal(device_find("compute_90"), h200);
    assert_ptr_equal(device_find("9.0"), h200);
    assert_ptr_equal(device_find("90"), h200);
    assert_int_equal(device_find("8800gtx")->major, 1);
    assert_int_equal(device_find("GeForce 8800 GTX")->sms, 16);
    assert_int_equal(device_arch(device_find("NVIDIA GeForce RTX 5090")), 120);
    assert_ptr_equal(device_find("rtx 5090"), device_find("sm_120"));
    assert_string_equal(device_find("h100")->name, "NVIDIA H100 80GB HBM3");
}

static void unknown_names_find_nothing(void **state)
{
    (void)state;
    const char *const names[] = {
        "",  "nvidia",        "h20",      "sm_",   "sm_91",   "90b",
        "0", "9999999999999", "sm_90 90", "h200x", "sm_90af",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(device_find(names[i]));
}

static void every_target_of_cuda_13_has_a_device(void **state)
{
    (void)state;
    const char *const targets[] = {"75", "80",  "86",  "87",  "88",  "89",
                                   "90", "100", "103", "110", "120", "121"};

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        assert_non_null(device_find(targets[i]));
}

static void limits_fit_together(void **state)
{
    (void)state;

    size_t count = 0;
    for (const Device *d; (d = device_at(count)); count++) {
        assert_ptr_equal(device_find(d->name), d);
        assert_int_equal(d->threads_per_sm, 32 * d->warps_per_sm);
        assert_true(d->threads_per_block <= d->threads_per_sm);
        assert_true(d->block_limit[0] <= d->threads_per_block && d->block_limit[2] == 64);
        assert_true(d->grid_limit[0] >= 65535 && d->grid_limit[1] == 65535);
        assert_true(d->shared_per_block <= d->shared_per_block_optin);
        assert_true(d->shared_per_block_optin + d->shared_reserved <= d->shared_per_sm);
        assert_true(d->registers_per_block <= d->registers_per_sm);
        assert_int_equal(d->shared_reserved, d->major >= 8 ? 1024 : 0);
        assert_true(d->fp32_per_sm > 0);
    }
    assert_true(count >= 16);
    assert_null(device_at(count + 100));
}

/* 132 SMs x 128 x 2 x 1.98 GHz; and the 345.6 GFLOPS that the thesis counts for multiply-adds. */
static void peak_is_what_is_known(void **state)
{
    (void)state;

    assert_true(fabs(device_peak_flops(device_find("h200")) / 1e12 - 66.9) < 0.05);
    assert_true(fabs(device_peak_flops(device_find("8800gtx")) / 1e9 - 345.6) < 0.05);
    assert_true(device_peak_flops(device_find("sm_88")) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_has_many_names),
        cmocka_unit_test(unknown_names_find_nothing),
        cmocka_unit_test(every_target_of_cuda_13_has_a_device),
        cmocka_unit_test(limits_fit_together),
        cmocka_unit_test(peak_is_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
