/* First specs: what variables of the code become.  Whole files are proposed for in cli/init. */
#include "tuner/spec/first_spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* The spec of a kernel without parameters from its source, how it is launched (NULL: not known), the
 * variables in its PTX, and its instructions. */
static const char *spec_from(Arena *a, const char *source, const LaunchSite *launch,
                             const char *variables, const char *instructions)
{
    Diag d = diag_new(a);
    KernelSource kernel = {.name = "k", .scope = "", .text = source, .own = source};
    const FirstGuess g = {.kernel = &kernel, .expression = "k", .launch = launch};
    const char *ptx =
        arena_printf(a, ".version 9.0\n.target sm_90\n.address_size 64\n%s.entry k() { %sret; }\n",
                     variables, instructions);
    Buf out = {0};
    assert_true(first_spec(a, "k.cu", ".", &g, ptx, strlen(ptx), "k", &out, &d));
    return buf_keep(&out, a);
}

static const char *spec_of(Arena *a, const char *variables)
{
    return spec_from(a, "", NULL, variables, "");
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

static const char TWO_DIRECTIONS[] =
    ".reg .u32 %r<4>; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; ";

static void a_macro_sizes_both_sides_of_a_square_that_a_block_can_have(void **state)
{
    (void)state;
    static const char SOURCE[] = "#ifndef BLOCK_SIZE\n#define BLOCK_SIZE %s\n#endif\n";
    Arena *a = arena_new();

    const char *small = spec_from(a, arena_printf(a, SOURCE, "32"), NULL, "", TWO_DIRECTIONS);
    /* Its square is 2^64. */
    const char *large =
        spec_from(a, arena_printf(a, SOURCE, "4294967296"), NULL, "", TWO_DIRECTIONS);

    assert_non_null(strstr(small, "\nblock BLOCK_SIZE, BLOCK_SIZE\n"));
    assert_non_null(strstr(large, "\nblock BLOCK_SIZE, BLOCK_Y\n"));
    arena_free(a);
}

/* What a launch says of the block, unless it has one thread, or more than any number. */
static void a_block_is_that_of_the_launch_if_one_can_learn_from_it(void **state)
{
    (void)state;
    static const char *const all[][2] = {
        {"96", "\nblock 96\n"},   {"dim3(16, 8)", "\nblock 16, 8\n"},
        {"1", "\nblock BLOCK\n"}, {"dim3(1, 1, 1)", "\nblock BLOCK\n"},
        {"2", "\nblock 2\n"},     {"99999999999999999999", "\nblock BLOCK\n"}};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        LaunchSite site;
        const char *host = arena_printf(a, "void f() { k<<<1, %s>>>(); }\n", all[i][0]);
        assert_true(first_launch_find(host_text(a, "k.cu", host, NULL), "k", &site));
        const char *spec = spec_from(a, "", &site, "", "");
        if (!strstr(spec, all[i][1]))
            fail_msg("%s:\n%s", all[i][0], spec);
    }
    arena_free(a);
}

/* A number of threads that callers choose is the parameter; what is not understood is said. */
static void a_launch_is_used_or_said_not_to_be_understood(void **state)
{
    (void)state;
    static const char *const all[][2] = {
        {"void f(int n, int bs) { int g = n / bs; k<<<g, bs>>>(); }",
         "param BLOCK in 64, 128, 256, 512    # decide; bs as launched at k.cu:1\n"},
        {"void f(int n) { size_t bs = ask(n); k<<<4096 / bs, bs>>>(); }",
         "\nblock BLOCK\ngrid 4096 // BLOCK    # as launched at k.cu:1\n"},
        {"\nvoid f(int bs) { k<<<ask(1), bs>>>(); }",
         "\n# the launch at k.cu:2: its grid, ask(1), is not understood\ngrid "},
        {"void f() { dim3 bs = ask(); k<<<4, bs>>>(); }",
         "\n# the launch at k.cu:1: its block, bs, is not understood\ngrid "},
        {"void f() { k << < 7, 96 >> > (); }", "\nblock 96\ngrid 7    # as launched"},
        {"void f() { std::vector<std::vector<int> > v; k << <7, 96>> >(); }", "\nblock 96\n"},
        {"void f() { cudaLaunchKernel((const void *)&k, 7, dim3(96), 0, 0, 0); }",
         "\nblock 96\ngrid 7    # as launched"},
        {"void f() { dim3 b(96); void *a[] = {}; cudaLaunchCooperativeKernel(k, 7, b, a); }",
         "\nblock 96\ngrid 7    # as launched at k.cu:1\ncooperative\n"},
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        LaunchSite site;
        assert_true(first_launch_find(host_text(a, "k.cu", all[i][0], NULL), "k", &site));
        const char *spec = spec_from(a, "", &site, "", "");
        if (!strstr(spec, all[i][1]))
            fail_msg("%s:\n%s", all[i][0], spec);
    }
    arena_free(a);
}

/* The spec of a source with a kernel k, its launches and a header. */
static const char *spec_of_source(Arena *a, const char *source, const char *header)
{
    Diag d = diag_new(a);
    KernelSource kernel;
    LaunchSite site;
    HostText *h = host_text(a, "k.cu", source, NULL);
    h->next = host_text(a, "k.h", header, h);
    assert_true(kernel_source_find(a, source, "k", &kernel));
    assert_true(first_launch_find(h, "k", &site));
    first_launch_template(&site, &kernel);
    const FirstGuess g = {.kernel = &kernel, .expression = "k", .launch = &site, .texts = h};
    static const char PTX[] =
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }\n";
    Buf out = {0};
    assert_true(first_spec(a, "k.cu", ".", &g, PTX, strlen(PTX), "k", &out, &d));
    return buf_keep(&out, a);
}

static void what_equals_the_block_of_a_launch_is_the_block(void **state)
{
    (void)state;
    static const char *const all[][3] = {
        {"template <int w, int h> __global__ void k() {}\n"
         "void f() { dim3 t(32, 8); k<32, 8><<<4, t>>>(); }",
         "", "\nblock w, h\n"},
        {"template <int w> __global__ void k() {}\nvoid f() { k<16><<<4, dim3(16, 16)>>>(); }", "",
         "\nblock w, w\n"},
        {"__global__ void k() { int x[SIDE]; }\nvoid f() { k<<<4, 128>>>(); }",
         "#define SIDE 128U\n#define OTHER 64\n", "param SIDE in 128, 64, 256"},
        {"__global__ void k() { int x[SIDE]; }\nvoid f() { k<<<4, 128>>>(); }",
         "#define SIDE 128U\n#define OTHER 64\n", "\nblock SIDE\n"},
        {"template <int n, int each> __global__ void k() {}\n"
         "void f() { k<4096, 4><<<4, 1024>>>(); k<512, 2><<<9, 256>>>(); }",
         "", "\nblock (n // each)\n"},
        {"template <int x, int y> __global__ void k() {}\n"
         "template <int A, int B> void f() { k<A, B><<<4, A * B>>>(); }\nvoid g() { f<8, 16>(); }",
         "", "\nblock (x * y)\n"},
        {"#define OTHER 128\n__global__ void k() {}\ntemplate <int n>\n__launch_bounds__(OTHER)\n"
         "__global__ void j() { int x[OTHER]; }\nvoid f() { k<<<4, 128>>>(); }",
         "", "\nblock 128\n"},
        {"__global__ void k() {}\nvoid f() { int w = 32; dim3 b(w); k<<<part[0].n / w, b>>>(); }",
         "", "its grid, part[0].n / w, is not understood\n"},
        {"template <unsigned up> __global__ void k() {}\n"
         "void f() { k<1U><<<4, 64>>>(); k<0U><<<4, 64>>>(); k<1U><<<4, 64>>>(); }",
         "", "\nparam up in 1, 0    # decide: of the template, as launched\n"},
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *spec = spec_of_source(a, all[i][0], all[i][1]);
        if (!strstr(spec, all[i][2]))
            fail_msg("%s:\n%s", all[i][0], spec);
        assert_null(strstr(spec, "OTHER"));
    }
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_filled_unless_they_have_values),
        cmocka_unit_test(a_macro_sizes_both_sides_of_a_square_that_a_block_can_have),
        cmocka_unit_test(a_block_is_that_of_the_launch_if_one_can_learn_from_it),
        cmocka_unit_test(a_launch_is_used_or_said_not_to_be_understood),
        cmocka_unit_test(what_equals_the_block_of_a_launch_is_the_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
