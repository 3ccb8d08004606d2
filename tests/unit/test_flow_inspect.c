/* What inspect and the dumps say of the compilers' output, against golden texts.
 * APTUNE_UPDATE_GOLDEN=1 writes them anew; the difference is the review. */
#include "metrics/base/file.h"
#include "metrics/ptx/inspect.h"
#include "metrics/ptx/ptx.h"
#include "tests/support/golden.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Parameters that make every loop count known that can be: each 32-bit word at an offset. */
typedef struct Case {
    const char *name;
    PtxDim block;
    struct {
        size_t offset;
        uint32_t value;
    } params[4];
} Case;

static const Case cases[] = {
    {"matmul.sm_90", {256, 1, 1}, {{24, 4096}, {28, 4096}, {32, 8192}}},
    {"matmul.sm_100", {256, 1, 1}, {{24, 4096}, {28, 4096}, {32, 8192}}},
    {"reduce.sm_90", {256, 1, 1}, {{16, 100000}}},
    {"transpose.sm_100", {32, 8, 1}, {{16, 2048}, {20, 2048}}},
    {"switch.sm_90", {256, 1, 1}, {{8, 3}, {12, 5}}},
    {"loops.sm_90", {256, 1, 1}, {{16, 20}, {20, 8}}},
    {"async.sm_90", {128, 1, 1}, {{32, 10}}},
    {"mix.sm_100", {256, 1, 1}, {{40, 100}, {44, 3}}},
    {"reduce.debug", {256, 1, 1}, {{16, 100000}}},
};

/* What one warp executes in sum. */
static void print_walk(Arena *a, const Walk *w, Buf *out)
{
    for (int c = 0; c < PTX_CLASS_COUNT; c++)
        if (w->by_class[c] > 0)
            buf_printf(out, "%s: %.0f\n", ptx_class_names[c], w->by_class[c]);
    buf_printf(out, "all: %.0f, with moves and parameters %.0f; barriers: %.0f\n", w->instr,
               w->instr_all, w->barriers);
    buf_printf(out, "regions: %.0f, between waits for global memory %.0f\n", w->regions,
               w->long_regions);
    buf_printf(out, "global: %.0f loads, %.0f stores; shared: %.0f loads, %.0f stores\n",
               w->loads[PTX_GLOBAL] + w->loads[PTX_GENERIC],
               w->stores[PTX_GLOBAL] + w->stores[PTX_GENERIC], w->loads[PTX_SHARED],
               w->stores[PTX_SHARED]);
    for (size_t i = 0; i < w->notes.count; i++)
        buf_printf(out, "note: %s\n", walk_note_text(a, &w->notes.at[i]));
}

static void check_case(const Case *x)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const PtxModule *m =
        ptx_parse(a, source_read(a, arena_printf(a, TEST_DATA "/ptx/%s.ptx", x->name), &d), &d);
    unsigned char params[64] = {0};
    for (int i = 0; i < 4; i++)
        if (x->params[i].value)
            memcpy(&params[x->params[i].offset], &x->params[i].value, 4);
    const WalkOptions o = {.launch = {.grid = {16, 16, 1},
                                      .block = x->block,
                                      .has_geometry = true,
                                      .params = params,
                                      .param_bytes = sizeof params}};
    Buf out = {0};
    inspect_print(&out, a, m);
    for (size_t i = 0; i < m->functions.count; i++) {
        if (!m->functions.at[i]->is_entry)
            continue;
        const Flow *w = flow_build(a, m->functions.at[i]);
        buf_putc(&out, '\n');
        flow_dump_blocks(w, &out);
        flow_dump_loops(w, &out);
        const Walk *walk = walk_warp(a, m->functions.at[i], &o);
        flow_dump_walk(walk, &out);
        print_walk(a, walk, &out);
    }
    diag_print(&d, &out);
    golden_compare(arena_printf(a, "ptx/%s", x->name), &out);
    buf_free(&out);
    arena_free(a);
}

static void reports_are_the_golden_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_the_golden_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
