/* T1 files as specs: what a kernel's sizes become.  Whole files are converted in cli/spec. */
#include "tuner/spec/convert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Does the spec of a file with this kernel have the line? */
static bool has_line(const char *kernel, const char *line)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf out = {0};
    const char *json = arena_printf(
        a,
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"A\", \"Type\": \"int\", "
        "\"Values\": \"[1, 2]\"}, {\"Name\": \"B\", \"Type\": \"int\", \"Values\": \"[1, 2]\"}]}, "
        "\"KernelSpecification\": {\"Language\": \"CUDA\", \"KernelName\": \"k\", \"KernelFile\": "
        "\"k.cu\", %s}}",
        kernel);
    assert_true(convert_t1(a, "t1", ".", json, strlen(json), &out, &d));
    bool has = strstr(buf_text(&out), line) != NULL;
    if (!has)
        print_message("%s", buf_text(&out));
    buf_free(&out);
    arena_free(a);
    return has;
}

static void a_grid_is_the_problem_divided_by_the_product_of_its_divisors(void **state)
{
    (void)state;
    assert_true(has_line("\"ProblemSize\": [4096, 32], \"GridDivX\": [\"A\", \"B\", 2], "
                         "\"GridDivY\": [\"B\"], \"LocalSize\": {\"X\": \"A\"}",
                         "\ngrid ceil_div(4096, (A) * (B) * (2)), ceil_div(32, (B))\n"));
    assert_true(has_line("\"ProblemSize\": [4096], \"LocalSize\": {\"X\": \"A\"}",
                         "\ngrid ceil_div(4096, 1)\n"));
}

static void a_global_size_counts_blocks_for_cuda_and_threads_for_opencl(void **state)
{
    (void)state;
    const char *sizes = "\"GlobalSize\": {\"X\": \"64\", \"Y\": \"B\"}, "
                        "\"LocalSize\": {\"X\": \"A\", \"Y\": \"2\"}";
    Arena *a = arena_new();
    assert_true(has_line(sizes, "\nblock A, 2\ngrid 64, B\n"));
    assert_true(has_line(arena_printf(a, "\"GlobalSizeType\": \"OpenCL\", %s", sizes),
                         "\nblock A, 2\ngrid ceil_div(64, A), ceil_div(B, 2)\n"));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_is_the_problem_divided_by_the_product_of_its_divisors),
        cmocka_unit_test(a_global_size_counts_blocks_for_cuda_and_threads_for_opencl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
