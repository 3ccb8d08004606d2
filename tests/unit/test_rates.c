/* Rates and latencies, held against the tables that they come from: written down a second time, since
 * a slip in a device file changes predictions and nothing else. */
#include "metrics/metric/device.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void near(const char *device, const char *what, double value, double expected, double error)
{
    if (!(fabs(value - expected) <= error * expected))
        fail_msg("%s: %s is %g in place of %g", device, what, value, expected);
}

/* CUDA Programming Guide, throughput of arithmetic instructions, results per cycle of an SM; matrix
 * products of halves by whitepapers; bytes that the L2 gives an SM a cycle.  What is the same everywhere stands below. */
static const struct {
    int arch;
    double fp32, half, fp64, int_add, tensor, l2;
    double sfu_latency, shuffle, shared, l1, l2_latency, barrier;
} capabilities[] = {
    {70, 64, 128, 32, 64, 512, 25.6, 15, 24, 29, 32, 188, 11},
    {75, 64, 128, 2, 64, 512, 16, 15, 24, 29, 32, 188, 11},
    {80, 64, 256, 32, 64, 1024, 5120 / 108.0, 23, 24, 29, 33, 210, 11},
    {86, 128, 256, 2, 64, 512, 16, 23, 25, 30, 33, 210, 11},
    {87, 128, 256, 2, 64, 1024, 16, 23, 25, 30, 33, 210, 11},
    {88, 128, 256, 2, 64, 512, 16, 23, 25, 30, 33, 210, 11},
    {89, 128, 128, 2, 64, 512, 16, 23, 25, 30, 32, 210, 11},
    {90, 128, 256, 64, 64, 2048, 40, 20, 24, 30, 38, 281, 11},
    {100, 128, 128, 64, 64, 4096, 40, 24, 24, 30, 40, 295, 22},
    {103, 128, 128, 64, 64, 4096, 40, 24, 24, 30, 40, 295, 22},
    {110, 128, 128, 64, 64, 4096, 16, 24, 24, 30, 40, 295, 22},
    {120, 128, 128, 2, 128, 512, 16, 18, 24, 30, 40, 295, 22},
    {121, 128, 128, 2, 128, 512, 16, 18, 24, 30, 40, 295, 22},
};

static void check_capability(const Device *d, size_t c)
{
    const DeviceRates *r = device_rates(d);
    const DeviceLatencies *l = device_latencies(d);
    const struct {
        const char *name;
        double is, expected;
    } table[] = {
        {"rate_issue", r->issue, 4},
        {"rate_fp32", r->fp32, capabilities[c].fp32},
        {"rate_half", r->half, capabilities[c].half},
        {"rate_fp64", r->fp64, capabilities[c].fp64},
        {"rate_int_add", r->int_add, capabilities[c].int_add},
        {"rate_int_mul", r->int_mul, 64},
        {"rate_logic", r->logic, 64},
        {"rate_sfu", r->sfu, 16},
        {"rate_convert", r->convert, 16},
        {"rate_shuffle", r->shuffle, 32},
        {"rate_shared", r->shared, 1},
        {"rate_tensor", r->tensor, capabilities[c].tensor},
        {"rate_constant", r->constant, 0.5},
        {"code_size", r->code_bytes, capabilities[c].arch == 75 ? 46 * 1024 : 128 * 1024},
        {"latency_alu", l->alu, 4},
        {"latency_sfu", l->sfu, capabilities[c].sfu_latency},
        {"latency_shuffle", l->shuffle, capabilities[c].shuffle},
        {"latency_shared", l->shared, capabilities[c].shared},
        {"latency_l1", l->l1, capabilities[c].l1},
        {"latency_l2", l->l2, capabilities[c].l2_latency},
        {"latency_dram", l->dram, 500},
        {"latency_barrier", l->barrier, capabilities[c].barrier},
        {"latency_barrier_warp", l->barrier_warp, 2},
    };
    assert_int_equal(d->fp32_per_sm, (int)r->fp32);
    near(d->name, "rate_l2", r->l2, d->sms ? d->sms * capabilities[c].l2 : 5120, 1e-4);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        near(d->name, table[i].name, table[i].is, table[i].expected, 0);
}

static void every_device_since_volta_has_those_of_its_capability(void **state)
{
    (void)state;
    enum { COUNT = sizeof capabilities / sizeof *capabilities };
    int seen[COUNT] = {0};
    for (size_t i = 0; device_at(i); i++) {
        const Device *d = device_at(i);
        if (d == device_find("h200") || d == device_find("h100") || device_arch(d) < 70)
            continue; /* these were measured */
        size_t c = 0;
        while (c < COUNT && capabilities[c].arch != device_arch(d))
            c++;
        assert_true(c < COUNT);
        check_capability(d, c);
        seen[c]++;
    }
    for (size_t c = 0; c < COUNT; c++)
        assert_true(seen[c] > 0);
}

typedef struct Number {
    const char *name;
    double is, expected;
} Number;

static void all_near(const Device *d, const Number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        near(d->name, numbers[i].name, numbers[i].is, numbers[i].expected, 0.01);
}

/* Of the one that was measured, to a hundredth; what was not measured is its capability's. */
static void the_h200_has_what_was_measured(void **state)
{
    (void)state;
    const Device *d = device_find("h200");
    const DeviceRates *r = device_rates(d);
    const DeviceLatencies *l = device_latencies(d);
    const DevicePlatform *p = device_platform(d);
    const Number table[] = {
        {"clock", d->clock_hz, 1980e6},
        {"l2", (double)d->l2_bytes, 60 * 1048576},
        {"rate_issue", r->issue, 4},
        {"rate_fp32", r->fp32, 128},
        {"rate_half", r->half, 256},
        {"rate_fp64", r->fp64, 64},
        {"rate_int_mul", r->int_mul, 64},
        {"rate_logic", r->logic, 64},
        {"rate_sfu", r->sfu, 16},
        {"rate_convert", r->convert, 16},
        {"rate_shuffle", r->shuffle, 32},
        {"rate_shared", r->shared, 1},
        {"rate_l2", r->l2, 5273.4},
        {"rate_tensor", r->tensor, 2048},
        {"rate_constant", r->constant, 0.4986},
        {"code_size", r->code_bytes, 134.9 * 1024},
        {"latency_alu", l->alu, 4.04},
        {"latency_sfu", l->sfu, 17},
        {"latency_shuffle", l->shuffle, 24},
        {"latency_shared", l->shared, 23.1},
        {"latency_l1", l->l1, 34.07},
        {"latency_l2", l->l2, 283},
        {"latency_dram", l->dram, 500},
        {"latency_barrier", l->barrier, 12.2},
        {"latency_barrier_warp", l->barrier_warp, 2},
        {"rate_registers", p->rate_registers, 2.02},
        {"memory_latency_loaded", p->memory_latency_loaded, 1032},
        {"memory_window", p->memory_window, 132 * 65536}, /* what its SMs have resident */
        {"memory_window_loss", p->memory_window_loss, 0.00389},
        {"memory_uneven", p->memory_uneven, 0.0415}, /* 4.280e12 of single chunks / 4.110e12 B/s - 1 */
        {"memory_read", p->memory_read, 4.485e12},
        {"memory_copy", p->memory_copy, 4.28e12},
        {"rate_store_open", p->rate_store_open, 33.28},
        {"constant_size", p->constant_size, 2.324 * 1024},
        {"cost_atomic_same", p->cost_atomic_same, 1.451},
        {"memory_run", p->memory_run, 256},
        {"memory_run_written", p->memory_run_written, 0.0585},
        {"memory_run_read", p->memory_run_read, 0.1051},
        {"prediction_deviation", p->prediction_deviation, 0.2},
        {"cost_timing", p->cost_timing, 6.07e-6},
        {"cost_block", p->cost_block, 1.19},
        {"cost_block_start", p->cost_block_start, 317.31},
        {"cost_block_warp", p->cost_block_warp, 0.79646},
        {"cost_constant_miss", p->cost_constant_miss, 6.3387},
        {"overlap_power", p->overlap_power, 3.5},
        {"prediction_error", p->prediction_error, 0.057},
    };
    all_near(d, table, sizeof table / sizeof *table);
}

/* What an H100 has in common with the H200, and what it does not, to a hundredth. */
static void the_h100_has_what_was_measured(void **state)
{
    (void)state;
    const Device *d = device_find("h100");
    const DeviceRates *r = device_rates(d);
    const DeviceLatencies *l = device_latencies(d);
    const DevicePlatform *p = device_platform(d);
    const Number table[] = {
        {"clock", d->clock_hz, 1980e6},
        {"l2", (double)d->l2_bytes, 50 * 1048576},
        {"rate_fp32", r->fp32, 128},
        {"rate_sfu", r->sfu, 16},
        {"rate_l2", r->l2, 4472},
        {"latency_alu", l->alu, 4.02},
        {"latency_shared", l->shared, 23.1},
        {"latency_l1", l->l1, 34},
        {"latency_l2", l->l2, 297.6},
        {"latency_barrier", l->barrier, 12.2},
        {"memory_read", p->memory_read, 3.14e12},
        {"memory_copy", p->memory_copy, 3.06e12},
        {"memory_latency_loaded", p->memory_latency_loaded, 900},
        {"memory_power", p->memory_power, 2.93},
        {"cost_atomic_same", p->cost_atomic_same, 1.447},
        {"cost_timing", p->cost_timing, 3.82e-6},
        {"cost_block", p->cost_block, 1.19},
        {"cost_constant_miss", p->cost_constant_miss, 6.36},
        {"prediction_error", p->prediction_error, 0.056},
    };
    all_near(d, table, sizeof table / sizeof *table);
}

/* Memory moves what its bus has lines, each so many bits a second: bits and Gbit/s, and whose. */
static const struct {
    double bits, rate;
    const char *names[20];
} buses[] = {
    {384, 1.8, {"8800gtx"}},
    {8192, 7.4925, {"b200"}},
    {8192, 7.75, {"b300"}},
    {6144, 6.25, {"h200", "h200-nvl"}},
    {6144, 6.38, {"gh200-144gb"}},
    {6144, 5.208, {"gh200"}},
    {6144, 5.13, {"h100-nvl"}},
    {5120, 5.238, {"h100"}},
    {5120, 3.186, {"a100", "h100-pcie"}},
    {5120, 3.024, {"a100-pcie"}},
    {5120, 2.43, {"a100-40gb", "a100-pcie-40gb"}},
    {4096, 1.754, {"v100", "v100-32gb", "v100-pcie", "v100-pcie-32gb"}},
    {4096, 2.214, {"v100s"}},
    {3072, 2.43, {"a30"}},
    {3072, 1.696, {"titan-v"}},
    {512, 28, {"rtx 5090", "rtx 5090 d", "rtx-pro-6000"}},
    {384, 21, {"rtx 4090", "rtx 4090 d", "rtx 3090 ti"}},
    {384, 20, {"rtx-6000-ada"}},
    {384, 19.5, {"rtx 3090"}},
    {384, 19, {"rtx 3080 12gb", "rtx 3080 ti"}},
    {384, 18, {"l40", "l40s"}},
    {384, 16, {"a5000", "a5500", "a6000"}},
    {384, 14.5, {"a40"}},
    {384, 14, {"titan-rtx", "quadro-rtx-6000", "quadro-rtx-8000"}},
    {384, 12.5, {"a10", "a10g"}},
    {352, 14, {"rtx 2080 ti"}},
    {320, 19, {"rtx 3080"}},
    {320, 16, {"a4500"}},
    {256, 30, {"rtx 5080"}},
    {256, 28, {"rtx 5070 ti", "rtx 5080 laptop", "rtx 5090 laptop"}},
    {256, 23, {"rtx 4080 super"}},
    {256, 22.4, {"rtx 4080"}},
    {256, 21, {"rtx 4070 ti super"}},
    {256, 19, {"rtx 3070 ti"}},
    {256, 18, {"rtx-5000-ada", "rtx 4090 laptop"}},
    {256, 16, {"rtx 3080 ti laptop"}},
    {256, 15.5, {"rtx 2080 super"}},
    {256,
     14,
     {"rtx 2060 super", "rtx 2070", "rtx 2070 super", "rtx 2080", "rtx 2070 laptop",
      "rtx 2070 super laptop", "rtx 2080 laptop", "rtx 2080 super laptop", "quadro-rtx-5000",
      "a4000", "rtx 3060 ti", "rtx 3070", "rtx 3070 laptop", "rtx 3070 ti laptop",
      "rtx 3080 laptop"}},
    {256, 13, {"quadro-rtx-4000"}},
    {256, 12, {"rtx 2070 max-q", "rtx 2080 max-q"}},
    {256, 11, {"rtx 2070 super max-q", "rtx 2080 super max-q"}},
    {256, 10, {"t4"}},
    {256, 8.533, {"thor", "gb10"}},
    {256, 6.4, {"orin"}},
    {192, 28, {"rtx 5070", "rtx 5070 ti laptop"}},
    {192, 21, {"rtx 4070", "rtx 4070 super", "rtx 4070 ti"}},
    {192, 18, {"rtx 4080 laptop"}},
    {192, 15, {"rtx 3060"}},
    {192, 14, {"rtx 2060", "rtx 2060 12gb", "rtx 2060 laptop", "rtx 3060 laptop"}},
    {192, 12.5, {"l4"}},
    {192, 12, {"a2000", "a2000-12gb"}},
    {192, 11, {"rtx 2060 max-q"}},
    {160, 18, {"rtx-4000-ada"}},
    {128, 28, {"rtx 5060", "rtx 5060 ti", "rtx 5060 ti 16gb"}},
    {128, 24, {"rtx 5050 laptop", "rtx 5060 laptop", "rtx 5070 laptop"}},
    {128, 20, {"rtx 5050"}},
    {128, 18, {"rtx 4060 ti", "rtx 4060 ti 16gb"}},
    {128, 17, {"rtx 4060"}},
    {128, 16, {"rtx 4060 laptop", "rtx 4070 laptop"}},
    {128, 15, {"rtx 3060 8gb"}},
    {128, 14, {"rtx 3050"}},
    {128, 12.5, {"a2", "a16"}},
    {128, 12, {"rtx 3050 laptop", "rtx 3050 ti laptop"}},
    {96, 16, {"rtx 4050 laptop"}},
    {96, 14, {"rtx 3050 6gb"}},
};

static void memory_is_as_fast_as_its_bus(void **state)
{
    (void)state;
    size_t named = 0, all = 0;
    for (size_t i = 0; device_at(i); i++)
        all += device_at(i)->dram_bytes_per_s > 0;
    for (size_t b = 0; b < sizeof buses / sizeof *buses; b++)
        for (size_t n = 0; buses[b].names[n]; n++, named++) {
            const Device *d = device_find(buses[b].names[n]);
            if (!d)
                fail_msg("no device is called %s", buses[b].names[n]);
            near(buses[b].names[n], "bandwidth", d->dram_bytes_per_s,
                 buses[b].bits / 8 * buses[b].rate * 1e9, 0.004);
        }
    assert_int_equal(named, all); /* a new device has its line above, too */
}

static void older_devices_have_none(void **state)
{
    (void)state;
    assert_null(device_rates(device_find("8800gtx")));
    assert_null(device_latencies(device_find("8800gtx")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_since_volta_has_those_of_its_capability),
        cmocka_unit_test(the_h200_has_what_was_measured),
        cmocka_unit_test(the_h100_has_what_was_measured),
        cmocka_unit_test(memory_is_as_fast_as_its_bus),
        cmocka_unit_test(older_devices_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
