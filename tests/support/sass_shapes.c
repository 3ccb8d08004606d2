#include "tests/support/sass_shapes.h"

#include "metrics/base/file.h"
#include "metrics/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static const char *read_data(Arena *a, const char *name, size_t *size)
{
    Diag d = diag_new(a);
    const char *bytes = file_read(a, arena_printf(a, TEST_DATA "/sass/%s", name), size, &d);
    if (!bytes)
        abort();
    return bytes;
}

static const Walk *walk_shape(Arena *a, const char *kernel, bool meets, int n)
{
    Source *source = ARENA_NEW(a, Source);
    source->name = "shapes.ptx";
    source->text = read_data(a, source->name, &source->size);
    Diag d = diag_new(a);
    const PtxFunction *entry = ptx_find_entry(ptx_parse(a, source, &d), kernel);
    if (!entry)
        abort();
    /* Pointers first; the number behind one or two of them. */
    unsigned char *params = ARENA_ARRAY(a, unsigned char, 32);
    for (size_t i = 0; i < entry->params.count; i++)
        if (entry->params.at[i]->size == 4 || i + 1 == entry->params.count)
            memcpy(params + entry->params.at[i]->offset, &n, sizeof n);
    WalkOptions o = {.launch = {.grid = {64, 1, 1},
                                .block = {32, 1, 1},
                                .has_geometry = true,
                                .params = params,
                                .param_bytes = 32},
                     .meets = meets};
    return walk_warp(a, entry, &o);
}

Shape sass_shape(Arena *a, const char *kernel, int arch, int n)
{
    size_t size;
    const char *file = arena_printf(a, "shapes_sm_%d.cubin", arch);
    const char *bytes = read_data(a, file, &size);
    Diag d = diag_new(a);
    const Cubin *c = cubin_read(a, bytes, size, &d);
    Shape s = {.kernel = c ? cubin_find(c, kernel) : NULL};
    if (!s.kernel)
        abort();
    s.flow = sass_flow_build(a, c->arch, s.kernel);
    s.walk = walk_shape(a, kernel, sass_flow_meets(a, s.flow), n);
    s.join = sass_join(a, s.flow, s.walk);
    s.profile = sass_profile(a, s.flow, s.walk, NULL, NULL);
    return s;
}

double sass_shape_executed(const Shape *s, int opcode)
{
    double n = 0;
    for (int b = 0; b < s->flow->cfg->count; b++) {
        const CfgBlock *block = &s->flow->cfg->blocks[b];
        for (size_t i = block->first; i < block->end; i++)
            if (sass_opcode(s->flow->instrs[i]) == opcode)
                n += s->join->visits[b];
    }
    return n;
}
