/* Any bytes as models of a platform. */
#include "tests/fuzz/told.h"
#include "tuner/study/models.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Source source = {"fuzz.models", arena_copy(a, (const char *)data, size), size};
    Models models = {.arena = a};
    const bool ok = models_read(&models, &source, &d);
    if (ok != (d.errors == 0))
        __builtin_trap(); /* refused without a word, or accepted with one */
    for (size_t i = 0; ok && i < models.models.count; i++)
        if (!models.models.at[i].left || !models.models.at[i].right)
            __builtin_trap(); /* not a model */
    Buf out = {0};
    buf_printf(&out, "%zu models\n", models.models.count);
    diag_print(&d, &out);
    told(&out);
    arena_free(a);
    return 0;
}
