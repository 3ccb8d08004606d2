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

static void every_part_of_a_file_has_its_statement(void **state)
{
    (void)state;
    static const char json[] =
        "{\"General\": {\"BenchmarkName\": \"blur\"}, \"ConfigurationSpace\": {"
        "\"TuningParameters\": [{\"Name\": \"A\", \"Values\": [1, 2.5, \"x\\\"y\"]}, "
        "{\"Name\": \"B\", \"Values\": \"[4, 8]\"}], \"Conditions\": [\"A < B\", "
        "{\"Expression\": \"B % 4 == 0 and A != 3\"}]}, \"KernelSpecification\": {"
        "\"KernelName\": \"k<float>\", \"KernelFile\": \"src/k.cu\", "
        "\"ProblemSize\": {\"X\": 640, \"Y\": 480}, \"LocalSize\": {\"X\": \"B\", \"Y\": 2}, "
        "\"GridDivX\": [\"B\"], \"SharedMemory\": \"4 * B\", "
        "\"CompilerOptions\": [\"-use_fast_math\", \"-DW=3\"], \"Arguments\": ["
        "{\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": 7}, "
        "{\"Name\": \"f\", \"Type\": \"float\", \"MemoryType\": \"Scalar\"}, "
        "{\"Name\": \"a\", \"Type\": \"float\", \"Size\": \"ProblemSize[0] * ProblemSize[1]\", "
        "\"FillType\": \"Random\", \"RandomSeed\": 9}, "
        "{\"Name\": \"b\", \"Type\": \"int32\", \"Size\": 12, \"FillType\": \"Random\"}, "
        "{\"Name\": \"c\", \"Type\": \"float\", \"Size\": 12, \"FillType\": \"Random\", "
        "\"FillValue\": 3}, "
        "{\"Name\": \"d\", \"Type\": \"double\", \"Size\": 4, \"MemoryType\": \"Symbol\", "
        "\"FillType\": \"Generator\", \"DataSource\": \"2 * i\"}, "
        "{\"Name\": \"e\", \"Type\": \"float\", \"Size\": 5, \"AccessType\": \"ReadWrite\", "
        "\"FillType\": \"BinaryRaw\", \"DataSource\": \"e.bin\"}, "
        "{\"Name\": \"o\", \"Type\": \"float\", \"Size\": 5, \"AccessType\": \"WriteOnly\", "
        "\"FillType\": \"Constant\"}, "
        "{\"Name\": \"u\", \"Type\": \"float\", \"FillType\": \"Magic\"}], "
        "\"ReferenceArguments\": [{\"TargetName\": \"o\", \"FillType\": \"BinaryRaw\", "
        "\"DataSource\": \"right.bin\", \"ValidationMethod\": \"SideBySideRelativeComparison\", "
        "\"ValidationThreshold\": 0.5}, {\"TargetName\": \"e\", \"FillType\": \"Python\", "
        "\"ValidationThreshold\": \"1e-3\"}]}}";
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf out = {0};

    assert_true(convert_t1(a, "blur.json", "in", json, sizeof json - 1, &out, &d));

    assert_string_equal(
        buf_text(&out),
        "# Converted from blur.json: blur\n"
        "param A in 1, 2.5, \"x\\\"y\"\n"
        "param B in 4, 8\n"
        "\n"
        "require A < B\n"
        "require B % 4 == 0 and A != 3\n"
        "\n"
        "kernel \"in/src/k.cu\" \"k<float>\"\n"
        "block B, 2\n"
        "grid ceil_div(640, (B)), ceil_div(480, 1)\n"
        "shared 4 * B\n"
        "option \"-use_fast_math\"\n"
        "option \"-DW=3\"\n"
        "\n"
        "arg n : int32 = 7\n"
        "arg f : float = 0    # decide: the value\n"
        "in a : float[(640) * (480)] = uniform(0, 1, 9)\n"
        "in b : int32[12] = uniform(0, 100)\n"
        "in c : float[12] = uniform(0, 3)\n"
        "constant d : double[4] = formula(2 * i)\n"
        "inout e : float[5] = file(\"in/e.bin\")\n"
        "out o : float[5] = constant(0)\n"
        "in u : float[1]    # decide: contents; no equivalent of Magic    # decide: the size\n"
        "reference o = file(\"in/right.bin\")\n"
        "compare o relative 0.5 of element\n"
        "# decide: what is right?  No equivalent of Python\n"
        "compare e absolute 1e-3\n");
    buf_free(&out);
    arena_free(a);
}

/* A file of another language, without sizes, and with results that nothing checks. */
static void what_a_file_does_not_say_is_asked_for(void **state)
{
    (void)state;
    static const char json[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"A\", \"Values\": [1]}]}, "
        "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"Arguments\": [{\"Name\": \"o\", "
        "\"Type\": \"half\", \"Size\": 1, \"AccessType\": \"WriteOnly\"}]}}";
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf out = {0};

    assert_true(convert_t1(a, "x.json", ".", json, sizeof json - 1, &out, &d));

    assert_string_equal(buf_text(&out),
                        "# Converted from x.json\n"
                        "param A in 1\n"
                        "\n"
                        "\n"
                        "kernel \"kernel.cu\" \"kernel_name\"    # decide: file and name\n"
                        "block 256    # decide: not in the file\n"
                        "grid 1    # decide: not in the file\n"
                        "\n"
                        "out o : half[1]\n"
                        "\n"
                        "# decide: what is right?  The file does not tell.\n"
                        "reference first\n"
                        "tolerance 1e-5\n");
    assert_int_equal(d.messages.count, 1);
    assert_string_equal(d.messages.at[0].text,
                        "Language: the kernel is OpenCL, but only CUDA can be compiled");
    buf_free(&out);
    arena_free(a);
}

static void what_would_become_a_statement_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *part, *says;
    } all[] = {
        {"\"KernelFile\": \"/etc/k.cu\"",
         "KernelFile: '/etc/k.cu' is not relative to the file that names it"},
        {"\"KernelName\": \"k\\u0001\"", "KernelName: the text contains control characters"},
        {"\"SharedMemory\": \"4 * Q\"", "SharedMemory: 'Q' is not a tuning parameter of the file"},
        {"\"Arguments\": [{\"Name\": \"3d\", \"MemoryType\": \"Scalar\"}]",
         "an argument: '3d' is not a name of letters, digits and '_'"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        Buf out = {0};
        const char *json =
            arena_printf(a,
                         "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"A\", "
                         "\"Values\": [1]}]}, \"KernelSpecification\": {%s}}",
                         all[i].part);
        assert_false(convert_t1(a, "t1", ".", json, strlen(json), &out, &d));
        assert_string_equal(d.messages.at[0].text, all[i].says);
        buf_free(&out);
        arena_free(a);
    }
}

static void another_json_is_told_to_be_no_t1_file(void **state)
{
    (void)state;
    static const char *const all[] = {"{}", "[]", "{\"ConfigurationSpace\": 5}",
                                      "{\"ConfigurationSpace\": {\"TuningParameters\": []}}"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        Buf out = {0};
        assert_false(convert_t1(a, "x.json", ".", all[i], strlen(all[i]), &out, &d));
        assert_int_equal(d.messages.count, 1);
        assert_string_equal(d.messages.at[0].text, "'x.json' is not a T1 file: it has no "
                                                   "ConfigurationSpace with TuningParameters");
        buf_free(&out);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_of_a_file_has_its_statement),
        cmocka_unit_test(what_a_file_does_not_say_is_asked_for),
        cmocka_unit_test(what_would_become_a_statement_is_refused),
        cmocka_unit_test(another_json_is_told_to_be_no_t1_file),
        cmocka_unit_test(a_grid_is_the_problem_divided_by_the_product_of_its_divisors),
        cmocka_unit_test(a_global_size_counts_blocks_for_cuda_and_threads_for_opencl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
