/* Where loads of the text find their sectors, and at how many places: values worked out by hand. */
#include "metrics/cubin/sass_loads.h"
#include "metrics/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char header[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
    "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x;\n";

static const uint64_t pointer = UINT64_C(1) << 40;

/* One warp. */
static SassSource source(const char *body)
{
    Arena *a = arena_new();
    Source *s = ARENA_NEW(a, Source);
    Diag d = diag_new(a);
    const char *text = arena_printf(a, "%s%s ret; }\n", header, body);
    *s = (Source){"k.ptx", text, strlen(text)};
    const PtxFunction *entry = ptx_find_entry(ptx_parse(a, s, &d), "k");
    assert_int_equal(d.errors, 0);
    const MemoryOptions o = {.reuse = true,
                             .walk.launch = {.grid = {1, 1, 1},
                                             .block = {32, 1, 1},
                                             .has_geometry = true,
                                             .params = (const unsigned char *)&pointer,
                                             .param_bytes = sizeof pointer}};
    const Memory *m = memory_follow(a, entry, &o);
    const SassLoads *l = sass_loads_of(a, m, m->walk);
    assert_int_equal(l->text.count, 1);
    const SassSource from = l->text.at[0].from;
    arena_free(a);
    return from;
}

static void lines_beside_each_other_are_one_place(void **state)
{
    (void)state;
    const SassSource row = source("mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd1, %rd2;\n"
                                  "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];");

    assert_float_equal((float)row.sectors, 16, 1e-3F);
    assert_float_equal((float)row.places, 1, 1e-6F);
}

static void lines_apart_are_places_each(void **state)
{
    (void)state;
    const SassSource words = source("mul.wide.u32 %rd2, %r1, 256; add.s64 %rd3, %rd1, %rd2;\n"
                                    "ld.global.f32 %f1, [%rd3];");

    assert_float_equal((float)words.sectors, 32, 1e-3F);
    assert_float_equal((float)words.places, 32, 1e-3F);

    /* Two lanes a sector, 16 lines of which four would do. */
    const SassSource pairs =
        source("shr.u32 %r2, %r1, 1; mul.wide.u32 %rd2, %r2, 256; and.b32 %r3, %r1, 1;\n"
               "mul.wide.u32 %rd4, %r3, 16; add.s64 %rd2, %rd2, %rd4; add.s64 %rd3, %rd1, %rd2;\n"
               "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];");
    assert_float_equal((float)pairs.sectors, 16, 1e-3F);
    assert_float_equal((float)pairs.places, 1 + 16 - 4, 1e-3F);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_beside_each_other_are_one_place),
        cmocka_unit_test(lines_apart_are_places_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
