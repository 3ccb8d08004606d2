/* First specs: what variables of the code become.  Whole files are proposed for in cli/init. */
#include "tuner/spec/first_spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* The spec of a kernel without parameters, with these variables in its PTX. */
static const char *spec_of(Arena *a, const char *variables)
{
    Diag d = diag_new(a);
    KernelSource kernel = {.name = "k", .scope = "", .text = ""};
    const FirstGuess g = {.kernel = &kernel, .expression = "k"};
    const char *ptx = arena_printf(
        a, ".version 9.0\n.target sm_90\n.address_size 64\n%s.entry k() { ret; }\n", variables);
    Buf out = {0};
    assert_true(first_spec(a, "k.cu", ".", &g, ptx, strlen(ptx), "k", &out, &d));
    return buf_keep(&out, a);
}

static void constants_are_filled_unless_they_have_values(void **state)
{
    (void)state;
    Arena *a = arena_new();

    const char *spec = spec_of(a, ".const .align 4 .f32 given[2] = {0f3F800000, 0f40000000};\n"
                                  ".const .align 4 .f32 weights[4];\n"
                                  ".const .align 8 .f64 wide[3];\n"
                                  ".const .align 1 .b8 table[5];\n"
                                  ".global .align 4 .f32 elsewhere[4];\n");

    assert_non_null(strstr(spec, "constant weights : float[4] = uniform(0, 1)"));
    assert_non_null(strstr(spec, "constant wide : double[3] = zero"));
    assert_non_null(strstr(spec, "constant table : uint8[5] = zero"));
    assert_null(strstr(spec, "given"));
    assert_null(strstr(spec, "elsewhere"));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_filled_unless_they_have_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
