#include "tests/support/sass_both.h"

#include "metrics/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

Both both(Arena *a, const char *body, const Word *words, size_t count, int32_t number)
{
    Source *s = ARENA_NEW(a, Source);
    s->name = "k.ptx";
    s->text = arena_printf(a,
                           ".version 9.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u32 n)\n{\n"
                           ".reg .pred %%p<9>;\n.reg .f32 %%f<9>;\n.reg .b32 %%r<9>;\n"
                           "ld.param.u32 %%r1, [n];\nmov.u32 %%r2, 0;\nmov.u32 %%r4, %%tid.x;\n"
                           "%s"
                           "ret;\n}\n",
                           body);
    s->size = strlen(s->text);
    Diag d = diag_new(a);
    const PtxFunction *entry = ptx_find_entry(ptx_parse(a, s, &d), "k");
    assert_non_null(entry);
    const WalkOptions o = {.launch = {.grid = {1, 1, 1},
                                      .block = {32, 1, 1},
                                      .has_geometry = true,
                                      .params = (const unsigned char *)&number,
                                      .param_bytes = sizeof number}};
    return (Both){walk_warp(a, entry, &o), sass_words_flow(a, words, count)};
}

SassPairs pairs_of(Arena *a, const Both *b)
{
    return sass_pair_loops(a, b->flow, b->walk->functions.at[0]);
}

double visits_at(const SassJoin *j, size_t i)
{
    return j->visits[j->flow->cfg->block_of[i]];
}
