/* Types of buffers and arguments: each name, and each number of lanes that may follow it. */
#include "metrics/base/arena.h"
#include "tests/support/golden.h"
#include "tuner/spec/task.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void types_have_these_names_and_sizes(void **state)
{
    (void)state;
    static const char *const names[] = {"int8",
                                        "int8_t",
                                        "char",
                                        "signed char",
                                        "uint8",
                                        "uint8_t",
                                        "uchar",
                                        "unsigned char",
                                        "int16",
                                        "int16_t",
                                        "short",
                                        "uint16",
                                        "uint16_t",
                                        "ushort",
                                        "unsigned short",
                                        "int32",
                                        "int32_t",
                                        "int",
                                        "uint32",
                                        "uint32_t",
                                        "uint",
                                        "unsigned",
                                        "unsigned int",
                                        "int64",
                                        "int64_t",
                                        "long",
                                        "longlong",
                                        "long long",
                                        "uint64",
                                        "uint64_t",
                                        "ulong",
                                        "size_t",
                                        "ulonglong",
                                        "unsigned long",
                                        "unsigned long long",
                                        "half",
                                        "__half",
                                        "bfloat16",
                                        "nv_bfloat16",
                                        "__nv_bfloat16",
                                        "bfloat162",
                                        "nv_bfloat162",
                                        "__nv_bfloat162",
                                        "fp8_e4m3",
                                        "__nv_fp8_e4m3",
                                        "fp8x2_e4m3",
                                        "__nv_fp8x2_e4m3",
                                        "fp8x4_e4m3",
                                        "__nv_fp8x4_e4m3",
                                        "fp8_e5m2",
                                        "__nv_fp8_e5m2",
                                        "fp8x2_e5m2",
                                        "__nv_fp8x2_e5m2",
                                        "fp8x4_e5m2",
                                        "__nv_fp8x4_e5m2",
                                        "float",
                                        "double",
                                        "",
                                        "in",
                                        "int ",
                                        "Int",
                                        "bool"};
    Arena *a = arena_new();
    Buf out = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        buf_printf(&out, "'%s':", names[i]);
        for (int lanes = 0; lanes < 10; lanes++) {
            TaskType t;
            const char *name = arena_printf(a, lanes ? "%s%d" : "%s", names[i], lanes);
            if (!task_type_find(name, &t))
                continue;
            buf_printf(&out, " %s = %d x %s, ", lanes ? name : "itself", t.lanes,
                       task_scalar_name(t.scalar));
            task_type_print(t, &out);
            buf_printf(&out, ", %zu bytes;", task_type_size(t));
        }
        buf_putc(&out, '\n');
    }
    for (TaskScalar s = 0; s < TASK_SCALARS; s++)
        buf_printf(&out, "%s: %s, %s in C\n", task_scalar_name(s),
                   task_scalar_is_float(s) ? "floating-point" : "integer",
                   task_scalar_name(task_scalar_in_c(s)));
    golden_compare("types", &out);
    buf_free(&out);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(types_have_these_names_and_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
