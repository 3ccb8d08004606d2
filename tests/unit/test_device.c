/* The table of GPUs: names, and numbers that must fit together. */
#include "metrics/metric/device.h"
#include "tests/support/golden.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    assert_true(count >= 110);
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

/* As people write them, and as the driver gives them. */
static void well_known_gpus_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int arch, sms;
    } known[] = {
        {"rtx2080ti", 75, 68},
        {"RTX 2070", 75, 36},
        {"titan rtx", 75, 72},
        {"rtx 3060", 86, 28},
        {"RTX 3090", 86, 82},
        {"RTX A4000", 86, 48},
        {"rtx 3080 laptop", 86, 48},
        {"A5000", 86, 64},
        {"a6000", 86, 84},
        {"A2", 86, 10},
        {"a10", 86, 72},
        {"a10g", 86, 80},
        {"A30", 80, 56},
        {"a100-40gb", 80, 108},
        {"a100-80gb", 80, 108},
        {"A100 PCIe", 80, 108},
        {"RTX 4090", 89, 128},
        {"rtx4090", 89, 128},
        {"4090", 89, 128},
        {"L4", 89, 58},
        {"l40s", 89, 142},
        {"rtx-4060-ti-16gb", 89, 34},
        {"H100 PCIe", 90, 114},
        {"h100-nvl", 90, 132},
        {"gh200", 90, 132},
        {"v100-32gb", 70, 80},
        {"rtx 5070 ti", 120, 70},
        {"rtx5090-laptop", 120, 82},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", 89, 76},
        {"NVIDIA GeForce RTX 2080 with Max-Q Design", 75, 46},
        {"Tesla V100-PCIE-32GB", 70, 80},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const Device *d = device_find(known[i].name);
        assert_non_null(d);
        assert_int_equal(device_arch(d), known[i].arch);
        assert_int_equal(d->sms, known[i].sms);
        assert_true(d->clock_hz > 0 || strstr(d->name, "GH200"));
        assert_true(d->dram_bytes_per_s > 0);
    }
    assert_true(device_find("a100-40gb")->dram_bytes_per_s == 1555e9);
    assert_true(device_find("rtx 4090")->clock_hz == 2.52e9);
}

/* Names and numbers without their origins and comments: what stands before "measured" and its like. */
static uint32_t digest_of(const Source *s)
{
    uint32_t sum = 2166136261u; /* FNV-1a */
    for (const char *line = s->text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t n = strcspn(line, "#\n");
        static const char *const origins[] = {" measured \"", " published \"", " estimated \""};
        for (size_t k = 0; k < sizeof origins / sizeof origins[0]; k++) {
            const char *at = strstr(line, origins[k]);
            n = at && at < line + n ? (size_t)(at - line) : n;
        }
        for (size_t i = 0; i < n; i++)
            if (line[i] != ' ')
                sum = (sum ^ (unsigned char)line[i]) * 16777619u;
    }
    return sum;
}

/* Nothing else in the program knows what a GPU's figures should be.  Whoever changes one on purpose
 * writes down here what the failed test says. */
static void figures_are_those_that_were_looked_up_or_measured(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint32_t digest;
    } all[] = {
        {"sm_10.device", 0xbafb00c3},  {"sm_70.device", 0xc5b63ea3},  {"sm_75.device", 0x3e93c024},
        {"sm_80.device", 0x2e5a9665},  {"sm_86.device", 0x1990a6ef},  {"sm_87.device", 0x57b33d4d},
        {"sm_88.device", 0x32087048},  {"sm_89.device", 0x674f4431},  {"sm_90.device", 0x62bf8e1e},
        {"sm_100.device", 0xab20c1a3}, {"sm_103.device", 0xb25884b2}, {"sm_110.device", 0xf81c321b},
        {"sm_120.device", 0xac946392}, {"sm_121.device", 0x5d20e24e}, {"theses.device", 0x432942ff},
    };
    assert_int_equal(device_file_count, sizeof all / sizeof all[0]);
    for (size_t i = 0; i < device_file_count; i++) {
        const char *name = strrchr(device_files[i].name, '/');
        assert_string_equal(name ? name + 1 : device_files[i].name, all[i].file);
        const uint32_t digest = digest_of(&device_files[i]);
        if (digest != all[i].digest)
            fail_msg("%s is 0x%08x", all[i].file, digest);
    }
}

static void a_name_finds_one_device(void **state)
{
    (void)state;
    for (size_t i = 0; device_at(i); i++) {
        const DeviceSheet *s = device_at(i)->sheet;
        for (size_t n = 0; n < SHEET_NAMES && s->names[n]; n++)
            assert_ptr_equal(device_find(s->names[n]), device_at(i));
    }
}

static void a_capability_is_no_name(void **state)
{
    (void)state;
    assert_true(device_is_capability("sm_90") && device_is_capability("compute_90a"));
    assert_true(device_is_capability("9.0") && device_is_capability("86"));
    assert_false(device_is_capability("4090"));
    assert_false(device_is_capability("h200"));
    assert_string_equal(device_like("NVIDIA A10", 86)->name, "NVIDIA A10");
    assert_string_equal(device_like("NVIDIA A10", 90)->name, "NVIDIA H200");
    assert_string_equal(device_like(NULL, 86)->name, "NVIDIA A40");
    assert_null(device_like("NVIDIA A10", 991));
}

/* --- device files ----------------------------------------------------------------------------- */

/* Reads a text as a user's file; the messages go to `said`. */
static const Device *read_text(Arena *a, const char *text, char said[2048])
{
    char path[] = "/tmp/aptune-device-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    Diag d = diag_new(a);
    Buf out = {0};
    const Device *found = device_file_read(a, path, &d);
    diag_print(&d, &out);
    snprintf(said, 2048, "%s", buf_text(&out));
    buf_free(&out);
    unlink(path);
    assert_true((found != NULL) == (d.errors == 0));
    return found;
}

static void a_users_file_adds_to_its_capability(void **state)
{
    (void)state;
    Arena *a = arena_new();
    char said[2048];
    const Device *d =
        read_text(a,
                  "# mine\ndevice \"My GPU\" 9.0\n"
                  "sms = 7 published \"a letter\"\n"
                  "clock = 1.5 GHz estimated \"from another\"\n"
                  "latency_l2 = 300 +- 2.5 cycles measured \"chase\" \"2026-11-20\"\n"
                  "cost_timing = 2.5 +- 0.1 us measured \"empty kernels\" \"2026-11-20\"\n"
                  "memory_window_loss = 0.02 estimated \"as of another\"\n",
                  said);
    assert_non_null(d);
    assert_string_equal(d->name, "My GPU");
    assert_int_equal(d->sms, 7);
    assert_true(d->clock_hz == 1.5e9 && d->l2_bytes == 0);
    assert_int_equal(d->shared_per_sm, 233472);
    assert_true(device_latencies(d)->l2 == 300 && device_latencies(d)->l1 == 38);
    assert_true(device_latencies(device_find("h200"))->l2 < 290);
    assert_true(device_rates(d)->tensor == 2048);
    assert_true(fabs(device_platform(d)->cost_timing - 2.5e-6) < 1e-15 &&
                device_platform(d)->cost_block == 0);
    assert_true(device_platform(d)->memory_window_loss == 0.02);

    Buf out = {0};
    sheet_write(d, &out);
    assert_non_null(strstr(buf_text(&out), "= 300 +- 2.5 cycles"));
    const Device *again = read_text(a, buf_text(&out), said);
    assert_non_null(again);
    assert_memory_equal(&again->sheet->latencies, &d->sheet->latencies, sizeof(DeviceLatencies));
    assert_memory_equal(&again->sheet->rates, &d->sheet->rates, sizeof(DeviceRates));
    assert_memory_equal(&again->sheet->platform, &d->sheet->platform, sizeof(DevicePlatform));
    assert_true(again->clock_hz == d->clock_hz && again->sms == d->sms);
    buf_free(&out);
    arena_free(a);
}

/* Helpers profile with the numbers that the program has, those of the platform suite included. */
static void a_device_that_is_sent_has_all_its_numbers(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Device *sent = device_find("h100");
    Buf blob = {0};
    json_t *j = json_of_struct(&DEVICE_JSON, sent, &blob);
    Device got;
    assert_true(json_read_struct(a, &DEVICE_JSON, j, (Blob){0}, &got, &d));
    assert_string_equal(got.name, sent->name);
    assert_true(device_platform(&got) != device_platform(sent));
    assert_memory_equal(device_platform(&got), device_platform(sent), sizeof(DevicePlatform));
    assert_memory_equal(device_rates(&got), device_rates(sent), sizeof(DeviceRates));
    assert_memory_equal(device_latencies(&got), device_latencies(sent), sizeof(DeviceLatencies));
    json_decref(j);
    buf_free(&blob);
    arena_free(a);
}

/* The row's numbers have the table's units and origin; "-" is left to the lines below. */
static void a_table_describes_a_device_a_row(void **state)
{
    (void)state;
    Arena *a = arena_new();
    char said[2048];
    const Device *d =
        read_text(a,
                  "capability 9.9 as 8.9\n"
                  "warps_per_sm = 32 published \"x\"\n"
                  "threads_per_sm = 1024 published \"x\"\n"
                  "devices 9.9 (sms, clock GHz, l2 MiB, power W) estimated \"by rows\" "
                  "\"2026-11-23\"\n"
                  "\"Row GPU\" \"row-one r1\" 12 1.5 - 250\n"
                  "    l2 = 3 MiB published \"a letter\"\n",
                  said);
    assert_non_null(d);
    const DeviceSheet *s = d->sheet;
    const DeviceNumber *clock = &s->numbers[SHEET_clock_hz], *l2 = &s->numbers[SHEET_l2_bytes];
    assert_string_equal(d->name, "Row GPU");
    assert_int_equal(device_arch(d), 99);
    assert_int_equal(d->sms, 12);
    assert_true(d->clock_hz == 1.5e9 && d->l2_bytes == 3 << 20 && s->power_w == 250);
    assert_string_equal(clock->text, "1.5 GHz");
    assert_string_equal(clock->origin, "estimated");
    assert_string_equal(clock->source, "by rows");
    assert_string_equal(clock->date, "2026-11-23");
    assert_string_equal(s->numbers[SHEET_sms].text, "12");
    assert_string_equal(l2->text, "3 MiB");
    assert_string_equal(l2->source, "a letter");
    assert_string_equal(s->names[0], "rowgpu");
    assert_string_equal(s->names[1], "rowone");
    assert_string_equal(s->names[2], "r1");
    assert_null(s->names[3]);
    /* As of 8.9, and what is said anew. */
    assert_int_equal(d->warps_per_sm, 32);
    assert_int_equal(d->registers_per_sm, device_find("4090")->registers_per_sm);
    assert_true(device_rates(d)->fp64 == 2);
    arena_free(a);
}

/* Each text is printed with all that is said of it. */
static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "sms = 7 published \"x\"\n",
        "device 9.0\n",
        "device \"G\"\n",
        "device \"G\" 9\n",
        "device \"--\" 9.0\n",
        "device \"G\" 9.0\nsm = 7 published \"x\"\n",
        "device \"G\" 9.0\nsms = 7\n",
        "device \"G\" 9.0\nsms = 7 published\n",
        "device \"G\" 9.0\nsms = 7 measured \"x\" \"2026-13-01\"\n",
        "device \"G\" 9.0\nsms = 7 measured \"x\" \"2026-00-01\"\n",
        "device \"G\" 9.0\nsms = 7 measured \"x\" \"2026-01-00\"\n",
        "device \"G\" 9.0\nsms = 7 measured \"x\" \"2026-01-32\"\n",
        "device \"G\" 9.0\nsms = 7 measured \"x\" \"2026-01-1\"\n",
        "device \"G\" 9.0\nsms = 7 measured \"x\" \"2026-01-011\"\n",
        "device \"G\" 9.0\nsms = 7 measured \"x\" \"2026/01/01\"\n",
        "device \"G\" 9.0\nsms = 7 MHz published \"x\"\n",
        "device \"G\" 9.0\nclock = 7 published \"x\"\n",
        "device \"G\" 9.0\nclock = 7 B/s published \"x\"\n",
        "device \"G\" 9.0\nsms = 7.5 published \"x\"\n",
        "device \"G\" 9.0\nsms = 0 published \"x\"\n",
        "device \"G\" 9.0\nsms = 5000000000 published \"x\"\n",
        "device \"G\" 9.0\nsms = -7 published \"x\"\n",
        "device \"G\" 9.0\nsms = 7 published \"x\"\nsms = 8 published \"x\"\n",
        "device \"G\" 9.0\n",
        "device \"G\" 13.0\nsms = 7 published \"x\"\n",
        "device \"G\" 9.0\nsms = 7 published \"x\"\nwarps_per_sm = 4 published \"x\"\n",
        "device \"G\" 1.0\nsms = 7 published \"x\"\nlatency_l1 = 4 cycles published \"x\"\n",
        "device \"G\" 9.0\nsms = 7 published \"x\" and more\n",
        "\"G\" 7\n",
        "devices 9.0 (sm) published \"x\"\n",
        "devices 9.0 (sms MHz) published \"x\"\n",
        "devices 9.0 (sms, clock MHz, sms) published \"x\"\n",
        "devices 9.0 (sms)\n",
        "devices 9.0 (sms, l2 KiB) published \"x\"\n\"G\" \"g\" 7\n",
        "devices 9.0 (sms) published \"x\"\n\"G\" \"g\" 0\n",
        "devices 9.0 (sms) published \"x\"\n\"G\" 7\n",
        "devices 9.0 (sms) published \"x\"\n\"G\" \"g\" 7\nsms = 8 published \"x\"\n",
        "capability 9.9 as 6.0\n",
        "# nothing\n",
        "device \"G\" 9.0\ndevice \"H\" 9.0\n",
        "device \"G\" 9.0\nbandwidth = 7 GB/h published \"x\"\n",
        "device \"G\" 9.0\nbandwidth = 7 GB / published \"x\"\n",
        "device \"G\" 9.0\nlatency_l2 = 3 + 2 cycles published \"x\"\n",
        "device \"G\" 9.0\nlatency_l2 = 3 +- cycles published \"x\"\n",
        "device \"G\" 9.0\nclock 7 GHz published \"x\"\n",
        "device \"G\" 9.0\nsms = 2000000 published \"x\"\nl2 = 0 KiB published \"x\"\n",
    };
    Buf all = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Arena *a = arena_new();
        char said[2048];
        assert_null(read_text(a, wrong[i], said));
        const char *from = said;
        buf_printf(&all, "%s---\n", wrong[i]);
        for (const char *at; (at = strstr(from, "/tmp/aptune-device-")) != NULL;
             from = at + strlen("/tmp/aptune-device-XXXXXX"))
            buf_printf(&all, "%.*sFILE", (int)(at - from), from);
        buf_printf(&all, "%s\n", from);
        arena_free(a);
    }
    golden_compare("device_mistakes", &all);
    buf_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_has_many_names),
        cmocka_unit_test(a_device_that_is_sent_has_all_its_numbers),
        cmocka_unit_test(unknown_names_find_nothing),
        cmocka_unit_test(every_target_of_cuda_13_has_a_device),
        cmocka_unit_test(limits_fit_together),
        cmocka_unit_test(peak_is_what_is_known),
        cmocka_unit_test(well_known_gpus_are_known),
        cmocka_unit_test(figures_are_those_that_were_looked_up_or_measured),
        cmocka_unit_test(a_name_finds_one_device),
        cmocka_unit_test(a_capability_is_no_name),
        cmocka_unit_test(a_users_file_adds_to_its_capability),
        cmocka_unit_test(a_table_describes_a_device_a_row),
        cmocka_unit_test(mistakes_are_told_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
