/* Any bytes as CUDA source that `init` reads: kernels, their parameters, macros. */
#include "tests/fuzz/told.h"
#include "tuner/spec/kernel_source.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *said(const char *text)
{
    return text ? text : "-";
}

static void tell_kernel(const KernelSource *k, Buf *out)
{
    if (!k)
        return;
    buf_printf(out, "%s%s%s\n%s\n", k->is_template ? "template " : "", k->scope, k->name, k->own);
    for (size_t i = 0; i < k->under.count; i++)
        buf_printf(out, "under %s\n", k->under.at[i]);
    for (size_t i = 0; i < k->arguments.count; i++) {
        const TemplateParameter *p = &k->arguments.at[i];
        buf_printf(out, "%s %d%d%d %s %s\n", p->name, p->is_type, p->launched, p->by_default,
                   said(p->written), said(p->initial));
    }
    for (size_t i = 0; i < k->parameters.count; i++) {
        const KernelParameter *p = &k->parameters.at[i];
        buf_printf(out, "%s %d%d%d %zu %s\n", p->name, p->known, p->pointer, p->constant, p->size,
                   said(p->text));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    const char *text = arena_copy(a, (const char *)data, size);
    KernelSource k;
    if (kernel_source_find(a, text, NULL, &k) && !strstr(kernel_source_names(a, text), k.name))
        __builtin_trap(); /* found, and not among all */
    Buf out = {0};
    tell_kernel(kernel_source_find(a, text, NULL, &k) ? &k : NULL, &out);
    buf_printf(&out, "%s\n", kernel_source_names(a, text));
    KernelMacros macros = kernel_source_macros(a, text);
    for (size_t i = 0; i < macros.count; i++)
        buf_printf(&out, "%s %s %s\n", macros.at[i].name, said(macros.at[i].cases),
                   said(kernel_source_defined(a, text, macros.at[i].name)));
    macros = kernel_source_numbers(a, text);
    for (size_t i = 0; i < macros.count; i++)
        buf_printf(&out, "%s = %s\n", macros.at[i].name, said(macros.at[i].value));
    told(&out);
    arena_free(a);
    return 0;
}
