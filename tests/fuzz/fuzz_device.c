/* Any bytes as a device file: what is accepted is a device that can be reckoned with, and what is
 * written of it is a device file again. */
#include "metrics/metric/occupancy.h"
#include "metrics/metric/device.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/told.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf out = {0};
    const Device *device = device_file_read(a, fuzz_put("a.device", data, size), &d);
    if ((device == NULL) != (d.errors > 0))
        __builtin_trap(); /* refused without a word, or accepted with one */
    if (device) {
        const BlockUse use = {.threads = 256, .registers = 64, .static_shared = 20000};
        occupancy_compute(device, &use);
        sheet_write(device, &out);
        Buf copy = {0};
        buf_add(&copy, out.text, out.size);
        told(&copy);
        if (!device_file_read(a, fuzz_put("b.device", out.text, out.size), &d))
            __builtin_trap();
    }
    told_messages(&d);
    buf_free(&out);
    arena_free(a);
    return 0;
}
