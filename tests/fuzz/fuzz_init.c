/* Any bytes as CUDA source that `init` reads: kernels, their parameters, macros. */
#include "tuner/spec/kernel_source.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    const char *text = arena_copy(a, (const char *)data, size);
    KernelSource k;
    if (kernel_source_find(a, text, NULL, &k) && !strstr(kernel_source_names(a, text), k.name))
        __builtin_trap(); /* found, and not among all */
    KernelMacros macros = kernel_source_macros(a, text);
    for (size_t i = 0; i < macros.count; i++)
        kernel_source_defined(a, text, macros.at[i].name);
    kernel_source_numbers(a, text);
    arena_free(a);
    return 0;
}
