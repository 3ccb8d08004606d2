/* Shapes of matrix operations to multiply-adds. */
#include "metrics/metric/profile_walk.h"
#include "metrics/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static double work_of(const char *opcode)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const char *text = arena_printf(a,
                                    ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() "
                                    "{ .reg .b32 %%r<9>;\n%s %%r1, %%r2, %%r3, %%r4; }\n",
                                    opcode);
    const Source s = {"k.ptx", text, strlen(text)};
    const PtxFunction *f = ptx_find_entry(ptx_parse(a, &s, &d), "k");
    assert_int_equal(f->instrs.at[0].form->class, PTX_CLASS_TENSOR);
    const double work = profile_tensor_shape(f->instrs.at[0].form);
    arena_free(a);
    return work;
}

static void a_shape_is_its_product(void **state)
{
    (void)state;

    assert_true(work_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32") == 16 * 8 * 16);
    assert_true(work_of("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32") == 16 * 8 * 8);
    assert_true(work_of("wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32") == 32 * 8 * 16);
}

static void four_warps_share_an_operation_of_a_warp_group(void **state)
{
    (void)state;

    assert_true(work_of("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16") ==
                64 * 128 * 16 / 4.0);
}

static void other_widths_take_other_times(void **state)
{
    (void)state;

    assert_true(work_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32") == 2 * 16 * 8 * 8);
    assert_true(work_of("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32") == 16 * 8 * 32 / 2.0);
    assert_true(work_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64") == 16 * 8 * 8 * 4);
}

static void a_name_without_a_shape_counts_nothing(void **state)
{
    (void)state;

    assert_true(work_of("mma.sync.aligned.row.col.f32.f16.f16.f32") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_is_its_product),
        cmocka_unit_test(four_warps_share_an_operation_of_a_warp_group),
        cmocka_unit_test(other_widths_take_other_times),
        cmocka_unit_test(a_name_without_a_shape_counts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
