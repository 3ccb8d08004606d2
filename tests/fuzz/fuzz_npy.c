/* Any bytes as an .npy file, in memory that ends where they do. */
#include "tests/fuzz/told.h"
#include "tuner/run/npy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *file = malloc(size ? size : 1);
    memcpy(file, data, size);
    for (TaskScalar want = 0; want < TASK_SCALARS; want++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        const char *at;
        size_t count;
        if (npy_data(a, file, size, want, &at, &count, &d)) {
            if (at < file || at + count != file + size)
                __builtin_trap();
        } else if (d.errors == 0) {
            __builtin_trap();
        }
        told_messages(&d);
        arena_free(a);
    }
    free(file);
    return 0;
}
