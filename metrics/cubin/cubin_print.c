#include "metrics/cubin/cubin.h"

#include "metrics/cubin/sass.h"
#include "metrics/ptx/inspect.h"

#include <stdlib.h>

typedef struct Count {
    const char *name;
    size_t count;
} Count;

static int more_first(const void *a, const void *b)
{
    const Count *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void print_instructions(const Cubin *c, const CubinKernel *k, Buf *out)
{
    Count of[SASS_OPCODES] = {0};
    size_t names = 0, all = sass_count(k->code, k->code_bytes);
    for (size_t i = 0; i < all; i++) {
        const char *name = sass_name(sass_at(k->code, i, c->arch));
        size_t n = 0;
        while (n < names && strcmp(of[n].name, name) != 0)
            n++;
        if (n == names)
            of[names++].name = name;
        of[n].count++;
    }
    qsort(of, names, sizeof *of, more_first);
    buf_printf(out, "  %zu instructions:", all);
    for (size_t n = 0; n < names; n++)
        buf_printf(out, "%s %zu %s", n ? "," : "", of[n].count, of[n].name);
    buf_putc(out, '\n');
}

static void cubin_print(const Cubin *c, Buf *out)
{
    buf_printf(out, "cubin for sm_%d; __constant__ %lld bytes, __device__ %lld bytes\n", c->arch,
               (long long)c->constant_bytes, (long long)c->global_bytes);
    EACH (const CubinKernel, k, c->kernels, c->kernel_count) {
        buf_printf(out, "\nkernel %s\n  %d registers", k->name, k->registers);
        if (k->register_limit < 255)
            buf_printf(out, " (of %d allowed)", k->register_limit);
        buf_printf(out, ", %lld bytes of static shared memory, %lld of stack, %d barriers\n",
                   (long long)k->shared_bytes, (long long)k->frame_bytes, k->barriers);
        if (k->max_threads)
            buf_printf(out, "  at most %d threads a block\n", k->max_threads);
        if (k->local_load_bytes + k->local_store_bytes > 0)
            buf_printf(out, "  a thread's loads from local memory: %lld bytes, stores: %lld\n",
                       (long long)k->local_load_bytes, (long long)k->local_store_bytes);
        buf_printf(out, "  parameters of");
        for (size_t p = 0; p < k->param_count; p++)
            buf_printf(out, "%s %d", p ? "," : "", k->params[p].size);
        buf_puts(out, k->param_count ? " bytes\n" : " none\n");
        print_instructions(c, k, out);
    }
}

void code_print(Arena *a, const Source *file, Buf *out, Diag *d)
{
    static const char elf[] = "\177ELF";
    if (file->size < strlen(elf) || memcmp(file->text, elf, strlen(elf)) != 0) {
        inspect_print(out, a, ptx_parse(a, file, d));
        return;
    }
    const Cubin *cubin = cubin_read(a, file->text, file->size, d);
    if (cubin)
        cubin_print(cubin, out);
}
