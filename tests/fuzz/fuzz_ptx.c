/* Any bytes as PTX: parsing, every analysis and a short walk must end without harm, and
 * what was read without error must print and parse to the same text. */
#include "metrics/ptx/inspect.h"
#include "metrics/ptx/ptx.h"
#include "tests/fuzz/told.h"
#include "tests/support/ptx_print.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(Arena *a, const PtxModule *m)
{
    Buf once = {0}, twice = {0};
    Diag d = diag_new(a);
    ptx_print(m, &once);
    const Source again = {"printed", buf_text(&once), once.size};
    ptx_print(ptx_parse(a, &again, &d), &twice);
    if (d.errors == 0 && strcmp(buf_text(&once), buf_text(&twice)) != 0)
        abort();
    told(&once);
    buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 15)
        return 0;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Source s = {"fuzz", arena_copy(a, (const char *)data, size), size};
    const PtxModule *m = ptx_parse(a, &s, &d);
    const unsigned char params[64] = {0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 33, 0, 0, 0, 7};
    const WalkOptions o = {.launch = {.grid = {3, 2, 1},
                                      .block = {20, 3, 1},
                                      .has_geometry = size % 2,
                                      .params = params,
                                      .param_bytes = sizeof params},
                           .place = {.block = {1, 1, 0}, .warp = 1},
                           .max_steps = 500};
    Buf out = {0};
    inspect_print(&out, a, m);
    for (size_t i = 0; i < m->functions.count; i++) {
        if (!m->functions.at[i]->has_body)
            continue;
        const Flow *w = flow_build(a, m->functions.at[i]);
        flow_dump_blocks(w, &out);
        flow_dump_loops(w, &out);
        if (m->functions.at[i]->is_entry)
            flow_dump_walk(walk_warp(a, m->functions.at[i], &o), &out);
    }
    diag_print(&d, &out);
    told(&out);
    if (d.errors == 0)
        check_round_trip(a, m);
    arena_free(a);
    return 0;
}
