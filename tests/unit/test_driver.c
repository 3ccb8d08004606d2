/* The driver behind types of ours, with a library that is none: one old enough not to know all that it
 * is asked. */
#include "tuner/gpu/worker/driver.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static CUresult get(CUdevice *out, int i)
{
    *out = i;
    return CUDA_SUCCESS;
}

static CUresult name(char *out, int size, CUdevice device)
{
    snprintf(out, (size_t)size, "GPU %d", device);
    return CUDA_SUCCESS;
}

static CUresult uuid(CUuuid *out, CUdevice device)
{
    memset(out, device, sizeof *out);
    return CUDA_SUCCESS;
}

static CUresult memory(size_t *out, CUdevice device)
{
    *out = (size_t)device + 1;
    return CUDA_SUCCESS;
}

static CUresult version(int *out)
{
    *out = 11040;
    return CUDA_SUCCESS;
}

static CUresult attribute_but_one(int *out, CUdevice_attribute which, CUdevice device)
{
    (void)device;
    if (which == CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)
        return CUDA_ERROR_INVALID_VALUE;
    *out = (int)which;
    return CUDA_SUCCESS;
}

static CUresult text(CUresult r, const char **out)
{
    (void)r;
    *out = "an error";
    return CUDA_SUCCESS;
}

/* It is 0; what is asked after it, and the next device, are known. */
static void what_a_driver_does_not_tell_costs_nothing_else(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Driver v = {.cuDeviceGet = get,
                .cuDeviceGetName = name,
                .cuDeviceGetUuid = uuid,
                .cuDeviceTotalMem = memory,
                .cuDeviceGetAttribute = attribute_but_one,
                .cuDriverGetVersion = version,
                .cuGetErrorName = text,
                .cuGetErrorString = text};
    for (int i = 0; i < 2; i++) {
        GpuFacts f;
        assert_true(driver_facts(&v, a, i, &f, &d));
        assert_int_equal(f.device.shared_reserved, 0);
        assert_int_equal(f.device.l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
        assert_int_equal(f.bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    }
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_driver_does_not_tell_costs_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
