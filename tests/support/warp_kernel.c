#include "tests/support/warp_kernel.h"

#include "metrics/base/file.h"
#include "metrics/ptx/ptx.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static WarpKernel *kernel_of(Arena *a, const Source *s)
{
    WarpKernel *x = ARENA_NEW(a, WarpKernel);
    Diag d = diag_new(a);
    x->arena = a;
    x->function = ptx_find_entry(ptx_parse(a, s, &d), NULL);
    assert_int_equal(d.errors, 0);
    assert_non_null(x->function);
    x->options.launch = (PtxLaunch){.grid = {8, 4, 1},
                                    .block = {64, 1, 1},
                                    .has_geometry = true,
                                    .params = x->params,
                                    .param_bytes = sizeof x->params};
    return x;
}

WarpKernel *warp_kernel(const char *text)
{
    Arena *a = arena_new();
    Source *s = ARENA_NEW(a, Source);
    *s = (Source){"test.ptx", text, strlen(text)};
    return kernel_of(a, s);
}

WarpKernel *warp_kernel_file(const char *path)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    return kernel_of(a, source_read(a, path, &d));
}

void warp_kernel_set(WarpKernel *x, size_t offset, uint32_t v)
{
    memcpy(&x->params[offset], &v, sizeof v);
}

WalkBlock warp_block(const Walk *w, int block)
{
    return w->functions.at[0]->blocks[block];
}
