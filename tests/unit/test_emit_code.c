/* Emitted units, compiled and used: choice, loading, launching, and what goes wrong there. */
#include "metrics/base/file.h"
#include "tests/support/emit_unit.h"
#include "tests/support/spec_text.h"
#include "tests/support/golden.h"
#include "tuner/emit/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define WARNINGS "-Wall -Wextra -Wpedantic -Wconversion -Werror"

/* A folder with a unit of mm: two sizes on an H200, one on an H100 and on an A100. */
typedef struct Fixture {
    Arena *arena;
    char folder[32];
} Fixture;

static void add(Arena *a, EmitUnit *u, int64_t size, size_t config, const char *device, int arch)
{
    Value *values = ARENA_ARRAY(a, Value, 3);
    for (int i = 0; i < 3; i++)
        values[i] = value_int(size);
    const size_t v = emit_unit_variant(a, u, 0, config, arch);
    emit_unit_entry_of(a, u, values, v, device, arch);
}

static EmitUnit *make_unit(Arena *a, EmitFlavour flavour)
{
    EmitUnit *u = emit_unit_new(a, emit_unit_spec(a, "mm-core"), "mm_", flavour);
    u->name = "mm"; /* of the files, as the programs of tests/data/emit include them */
    add(a, u, 4096, 5000, "NVIDIA H200", 90);
    add(a, u, 1024, 100, "NVIDIA H200", 90);
    add(a, u, 4096, 9000, "NVIDIA H100", 90);
    add(a, u, 4096, 3000, "NVIDIA A100", 80);
    return u;
}

static int open_fixture(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->arena = arena_new();
    strcpy(f->folder, "/tmp/aptune-code-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    emit_unit_write(make_unit(f->arena, EMIT_DRIVER), f->folder);
    emit_unit_shell(
        "cc -std=gnu11 -shared -fPIC -g -Wl,-soname,libcuda.so.1 -o %s/libcuda.so.1 " TEST_DATA
        "/emit/fake_cuda.c && ln -s libcuda.so.1 %s/libcuda.so && "
        "cd %s && cc -g -std=c11 " WARNINGS " -fsanitize=undefined "
        "-fno-sanitize-recover -I. " TEST_DATA "/emit/launch.c mm.c -o launch -L. "
        "-lcuda -ldl -lpthread",
        f->folder, f->folder, f->folder);
    *state = f;
    return 0;
}

static int close_fixture(void **state)
{
    Fixture *f = *state;
    emit_unit_shell("rm -r %s", f->folder);
    arena_free(f->arena);
    free(f);
    return 0;
}

/* 0.001 ms for each unit of scale with small tiles, 0.0008 with large ones, which waste more: at
 * 4097 five of them take two rounds.  1000 is the nearest size of both. */
static void a_size_gets_what_should_take_the_least_where_times_scale(void **state)
{
    const Fixture *f = *state;
    EmitUnit *u =
        emit_unit_new(f->arena, emit_unit_spec(f->arena, "emit/scaled"), "s_", EMIT_DRIVER);
    const size_t small = emit_unit_variant(f->arena, u, 0, 0, 90);
    const size_t large = emit_unit_variant(f->arena, u, 1, 1, 90);
    emit_unit_entry(f->arena, u, 0, small, "NVIDIA H200", 90)->time_ms = 0.001 * (4 * 64 + 100);
    emit_unit_entry(f->arena, u, 1, large, "NVIDIA H200", 90)->time_ms = 0.0008 * (25 * 1024 + 100);
    emit_unit_write(u, f->folder);

    const char *said =
        emit_unit_output(f->arena,
                         "cd %s && cc " WARNINGS " -I. " TEST_DATA
                         "/emit/scaled.c ./scaled.c -o scaled -ldl -lpthread && ./scaled",
                         f->folder);

    assert_string_equal(said, "1000: 1\n4096: 2\n4097: 1\n90000: 2\n100000: 2\n");
}

static const char *use(const Fixture *f, const char *how)
{
    return emit_unit_output(f->arena, "cd %s && LD_LIBRARY_PATH=. ./launch %s", f->folder, how);
}

static void a_size_gets_what_is_nearest_and_says_by_what_right(void **state)
{
    const Fixture *f = *state;

    const char *said = emit_unit_output(f->arena,
                                        "cd %s && cc -I. " TEST_DATA
                                        "/emit/choose.c mm.c -o choose -ldl -lpthread && ./choose",
                                        f->folder);

    assert_string_equal(
        said,
        "NVIDIA H200 4096 4096 4096: 1 1 exact, M=4096 N=4096 K=4096 on NVIDIA H200\n"
        "NVIDIA H200 1024 1024 1024: 2 2 exact, M=1024 N=1024 K=1024 on NVIDIA H200\n"
        "NVIDIA H200 1500 1500 1500: 2 2 nearest size, M=1024 N=1024 K=1024 on NVIDIA H200\n"
        "NVIDIA H200 2100 2100 2100: 1 1 nearest size, M=4096 N=4096 K=4096 on NVIDIA H200\n"
        "NVIDIA H200 1000000 1000000 64: 1 1 default, M=4096 N=4096 K=4096 on NVIDIA H200\n"
        "NVIDIA H100 4096 4096 4096: 3 3 exact, M=4096 N=4096 K=4096 on NVIDIA H100\n"
        "NVIDIA H100 1000 1000 1000: 3 3 nearest size, M=4096 N=4096 K=4096 on NVIDIA H100\n"
        "NVIDIA GH200 1024 1024 1025: 2 2 same architecture, M=1024 N=1024 K=1024 on NVIDIA H200\n"
        "NVIDIA B200 4096 4096 4096: 1 1 PTX, M=4096 N=4096 K=4096 on NVIDIA H200\n"
        "NVIDIA A40 4096 4096 4096: 4 4 same architecture, M=4096 N=4096 K=4096 on NVIDIA A100\n"
        "NVIDIA T4 4096 4096 4096: none of the variants runs on this device\n"
        "NVIDIA H200 0 4096 4096: none of the variants is valid for this size\n"
        "NVIDIA H200 4096 -1 4096: none of the variants is valid for this size\n"
        "NVIDIA H200 3000000000 1 1: none of the variants is valid for this size\n"
        "NVIDIA H200 2147483647 2147483647 2147483647: none of the variants is valid for this "
        "size\n");
}

static void code_is_loaded_once_and_launched(void **state)
{
    const char *said = use(*state, "plainly");

    assert_string_equal(said, "load cubin 90 1.1: 0\n"
                              "launch kernel_1_1 grid 32 64 1 block 16 8 1 shared 0 stream (nil) "
                              "arguments\n"
                              "ok, 0: entry 1 variant 1\n"
                              "launch kernel_1_1 grid 32 64 1 block 16 8 1 shared 0 stream (nil) "
                              "arguments\n"
                              "ok, 0: entry 1 variant 1\n"
                              "unload 1.1\n");
}

static void what_cannot_be_launched_is_a_status(void **state)
{
    const char *said = use(*state, "bad");

    assert_string_equal(
        said, "load cubin 90 1.1: 0\n"
              "an argument is missing, or a pointer is not aligned, 0: entry 1 variant 1\n"
              "an argument is missing, or a pointer is not aligned, 0: entry 1 variant 1\n"
              "none of the variants is valid for this size, 0: entry 0 variant 0\n"
              "an argument is missing, or a pointer is not aligned, 0: entry 0 variant 0\n"
              "an argument is missing, or a pointer is not aligned\n"
              "an argument is missing, or a pointer is not aligned\n"
              "an argument is missing, or a pointer is not aligned\n"
              "0\n"
              "unload 1.1\n");
}

static void a_newer_device_gets_ptx_and_what_fails_there_the_next_best(void **state)
{
    const char *said = use(*state, "newer");

    assert_string_equal(
        said, "load ptx 90 1.1: 0\n"
              "launch kernel_1_1 grid 32 64 1 block 16 8 1 shared 0 stream (nil) arguments\n"
              "ok, 0: entry 1 variant 1\n"
              "unload 1.1\n"
              "load ptx 90 1.1: 222\n"
              "load ptx 90 3.1: 222\n"
              "load ptx 90 2.1: 222\n"
              "load ptx 80 4.1: 222\n"
              "none of the variants runs on this device, 222: entry 0 variant 0\n"
              "none of the variants runs on this device, 222: entry 0 variant 0\n"
              "load: none of the variants runs on this device, 0\n");
}

static void failures_of_the_driver_keep_their_number(void **state)
{
    const char *said = use(*state, "failures");

    assert_string_equal(
        said, "load: there is no CUDA driver, or no device that it can use, 100\n"
              "load: a CUDA function failed, 3\n"
              "load cubin 90 1.1: 2\n"
              "a CUDA function failed, 2: entry 0 variant 0\n"
              "load cubin 90 1.1: 209\n"
              "load ptx 90 1.1: 0\n"
              "launch kernel_1_1 grid 32 64 1 block 16 8 1 shared 0 stream (nil) arguments\n"
              "ok, 0: entry 1 variant 1\n"
              "launch kernel_1_1 grid 32 64 1 block 16 8 1 shared 0 stream (nil) arguments\n"
              "a CUDA function failed, 701: entry 1 variant 1\n"
              "launch kernel_1_1 grid 32 64 1 block 16 8 1 shared 0 stream (nil) arguments\n"
              "ok, 0: entry 1 variant 1\n"
              "unload 1.1\n");
}

static void a_thread_without_the_context_borrows_it(void **state)
{
    const char *said = use(*state, "context");

    assert_string_equal(
        said, "load: a CUDA function failed, 201\n"
              "push context 1\n"
              "load cubin 90 1.1: 0\n"
              "launch kernel_1_1 grid 32 64 1 block 16 8 1 shared 0 stream (nil) arguments\n"
              "pop context\n"
              "ok, 0: entry 1 variant 1\n"
              "push context 1\n"
              "unload 1.1\n"
              "pop context\n");
}

static void threads_load_each_variant_once(void **state)
{
    const Fixture *f = *state;

    emit_unit_shell("cd %s && cc -g -std=c11 -fsanitize=thread -I. " TEST_DATA
                    "/emit/launch.c mm.c -o threads -L. -lcuda -ldl -lpthread",
                    f->folder);
    const char *said = emit_unit_output(
        f->arena, "cd %s && LD_LIBRARY_PATH=. ./threads threads | grep -v '^launch k' | sort",
        f->folder);

    assert_string_equal(said, "launched\nlaunched\nload cubin 90 1.1: 0\nload cubin 90 2.1: 0\n"
                              "unload 1.1\nunload 2.1\n");
}

static void without_a_driver_it_says_so(void **state)
{
    const Fixture *f = *state;
    if (access("/usr/lib/x86_64-linux-gnu/libcuda.so.1", R_OK) == 0 ||
        access("/usr/lib64/libcuda.so.1", R_OK) == 0)
        skip(); /* there is one */

    const char *said = emit_unit_output(
        f->arena,
        "cd %s && echo '#include \"mm.h\"\n#include <stdio.h>\nint main(void) { mm_kernel *k; "
        "return puts(mm_status_text(mm_load(&k))) < 0; }' > none.c && "
        "cc none.c mm.c -o none -ldl -lpthread && ./none",
        f->folder);

    assert_string_equal(said, "there is no CUDA driver, or no device that it can use\n");
}

/* --- compilers
 * ------------------------------------------------------------------------------------- */

static bool has_program(const char *name)
{
    Arena *a = arena_new();
    const bool has = system(arena_printf(a, "command -v %s > /dev/null", name)) == 0;
    arena_free(a);
    return has;
}

/* Specs that between them have all that is emitted: several launches, scratch, constants, textures,
 * repeats, dynamic shared memory, C++ names, vectors. */
static const char *const VARIED[] = {
    "mm-core",      "reduce-2008",   "scan-two-pass",   "scan",       "sync", "mri-q", "peers/axpy",
    "peers/lookup", "peers/stencil", "peers/reduction", "peers/nbody"};
enum { VARIED_COUNT = sizeof VARIED / sizeof VARIED[0] };

/* Units to the byte: two problems where there are two, two variants. */
static void units_are_the_golden_ones(void **state)
{
    static const EmitFlavour flavours[] = {EMIT_DRIVER, EMIT_DRIVER_LINKED};
    const Fixture *f = *state;
    const char *folder = arena_printf(f->arena, "%s/units", f->folder);
    emit_unit_shell("mkdir %s", folder);
    for (size_t i = 0; i < VARIED_COUNT; i++)
        for (size_t k = 0; k < sizeof flavours / sizeof flavours[0]; k++) {
            const Spec *s = emit_unit_spec(f->arena, VARIED[i]);
            EmitUnit *u = emit_unit_new(f->arena, s, "some_", flavours[k]);
            const size_t last = s->problem_count - 1;
            u->name = arena_printf(f->arena, "%s_%zu", u->name, k);
            emit_unit_entry(f->arena, u, 0, emit_unit_variant(f->arena, u, 0, 0, 90), "NVIDIA H200",
                            90);
            emit_unit_entry(f->arena, u, last, emit_unit_variant(f->arena, u, last, 1, 80),
                            "NVIDIA A100", 80);
            emit_unit_write(u, folder);
        }
    golden_compare_folder("emit", folder);
}

static void compile_as(const char *folder, const char *compiler, EmitFlavour flavour)
{
    for (size_t i = 0; i < VARIED_COUNT; i++) {
        Arena *a = arena_new();
        EmitUnit *u = emit_unit_new(a, emit_unit_spec(a, VARIED[i]), "some_", flavour);
        emit_unit_entry(a, u, 0, emit_unit_variant(a, u, 0, 0, 90), "NVIDIA H200", 90);
        emit_unit_write(u, folder);
        emit_unit_shell("cd %s && %s " WARNINGS " -isystem %s -c %s.c -o %s.o", folder, compiler,
                        CUDA_FOLDER, u->name, u->name);
        arena_free(a);
    }
}

static void c_and_cpp_compile_it_without_a_warning(void **state)
{
    const Fixture *f = *state;
    /* Where all that grows starts small the units are the same, as the next test sees: clang need not read them again. */
    const bool clang = !getenv("APTUNE_STRESS") && has_program("clang") && has_program("clang++");

    compile_as(f->folder, "cc -O1 -std=c11", EMIT_DRIVER);
    compile_as(f->folder, "c++ -x c++ -std=c++17", EMIT_DRIVER_LINKED);
    if (clang) {
        compile_as(f->folder, "clang -std=c11", EMIT_DRIVER_LINKED);
        compile_as(f->folder, "clang++ -x c++ -std=c++17", EMIT_DRIVER);
    }
}

/* Two variants in one file: equal names of kernels, helpers, macros and variables do not meet.
 * Among them are C++ names, variables that only one of the two has, and kernels that are not
 * launched. */
static void nvcc_compiles_several_variants_in_one_file(void **state)
{
    static const char *const specs[] = {"peers/axpy", "peers/reduction", "mri-q", "reduce-2008"};
    const Fixture *f = *state;
    const char *nvcc = has_program("nvcc")                             ? "nvcc"
                       : access("/usr/local/cuda/bin/nvcc", X_OK) == 0 ? "/usr/local/cuda/bin/nvcc"
                                                                       : NULL;
    if (!nvcc) {
        print_message("skipped: there is no nvcc on the path or in /usr/local/cuda\n");
        skip();
    }
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        Arena *a = arena_new();
        EmitUnit *u = emit_unit_new(a, emit_unit_spec(a, specs[i]), "some_", EMIT_RUNTIME);
        for (size_t v = 0; v < 2; v++) {
            emit_unit_variant(a, u, 0, 1 + 7 * v, 90);
            emit_unit_sources(a, u, v);
            emit_unit_entry(a, u, 0, v, "NVIDIA H200", 90);
        }
        emit_unit_write(u, f->folder);
        emit_unit_shell("cd %s && %s -std=c++17 -arch=sm_90 -Werror all-warnings "
                        "-Xcompiler -Wall,-Wextra,-Werror -c %s.cu -o %s.o",
                        f->folder, nvcc, u->name, u->name);
        arena_free(a);
    }
}

/* Header and unit of mm with a prefix that is longer than any mark for it. */
static const char *long_prefix_texts(Arena *a, EmitFlavour flavour)
{
    EmitUnit *u = emit_unit_new(a, emit_unit_spec(a, "mm-core"), "matrix_product_", flavour);
    Buf text = {0};
    Diag d = diag_new(a);
    add(a, u, 4096, 5000, "NVIDIA H200", 90);
    assert_true(emit_text_header(u, &text, &d));
    assert_true(emit_text_unit(u, &text, &d));
    const char *all = arena_string(a, buf_text(&text));
    buf_free(&text);
    return all;
}

static void a_power_is_not_taken_for_the_prefix(void **state)
{
    const Fixture *f = *state;

    const char *text = long_prefix_texts(f->arena, EMIT_DRIVER_LINKED);

    const char *at = strstr(text, "MATRIX_PRODUCT_");
    assert_non_null(at);
    for (; at; at = strstr(at + 1, "MATRIX_PRODUCT_"))
        assert_false(at[-1] >= '0' && at[-1] <= '9');
}

static void nothing_compiled_is_an_error_of_the_driver_flavours(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf out = {0};
    EmitUnit *u = make_unit(a, EMIT_DRIVER);
    u->variants[1].codes[0].cubin = NULL;

    assert_false(emit_text_code(u, &out, &d));
    assert_int_equal(d.errors, 1);

    buf_free(&out);
    arena_free(a);
}

/* 1 is 0x3c00 as half. */
static void numbers_default_to_those_of_the_tuning(void **state)
{
    static const char text[] = "kernel \"../counters/kernels.cu\" scaled\n"
                               "problem N = 1000\nparam T in 10, 20\n"
                               "block 64\ngrid N\nout Y : float[N]\n"
                               "arg I : int = 3 - 7\narg F : float = 2.5\n"
                               "arg H : half = 1\narg V : int2 = [5, 6]\n"
                               "arg S : struct(uchar, float) = [7, 0.25]\n"
                               "arg O : struct(float) = 0.5\n";
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf out = {0};
    const Spec *s = spec_parse(a, spec_source(a, text), &d);
    assert_non_null(s);
    EmitUnit *u = emit_unit_new(a, s, "some_", EMIT_DRIVER);
    emit_unit_entry(a, u, 0, emit_unit_variant(a, u, 0, 0, 90), "sm_90", 90);

    assert_true(emit_text_unit(u, &out, &d));

    const char *at = strstr(buf_text(&out), "some_defaults = ");
    assert_non_null(at);
    assert_string_equal(arena_copy(a, at, strcspn(at, "\n")),
                        "some_defaults = {NULL, -4, 2.5f, 0x3c00, {5, 6}, {7, 0.25f}, {0.5f}};");
    buf_free(&out);
    arena_free(a);
}

/* A variant of such a spec is right at its tuned size; what else was asked is not left out. */
static void what_c_has_no_words_for_is_named(void **state)
{
    static const char head[] = "kernel \"../counters/kernels.cu\" scaled\n"
                               "problem N = 1000\nproblem N = 2000\nparam T in 10, 20\n"
                               "block 64\ngrid N\nout Y : float[N]\n";
    static const struct {
        const char *line, *why;
    } CASES[] = {
        {"require max(divisors(N)) > T\nrequire N > T\n", "max(divisors(N)) > T"},
        {"let D = max(divisors(N))\nlet E = N + T\n", "its derived names"},
        {"param U in 1, max(divisors(N)) - N + 2\nparam V in 1, N\n", "U"},
        {"out Z : float[max(divisors(N)) * T]\nout X : float[T]\n", "its buffer sizes"},
        {"constant Z : float[max(divisors(N))]\nconstant X : float[N]\n", "its buffer sizes"},
        {"require N > T\nlet D = N * T\nparam U in divisors(N)\nout Z : float[D]\n", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        Buf out = {0}, told = {0};
        const char *text = arena_printf(a, "%s%s", head, CASES[i].line);
        const Spec *s = spec_parse(a, spec_source(a, text), &d);
        assert_non_null(s);
        EmitUnit *u = emit_unit_new(a, s, "some_", EMIT_DRIVER);
        emit_unit_entry(a, u, 0, emit_unit_variant(a, u, 0, 0, 90), "sm_90", 90);

        assert_true(emit_text_unit(u, &out, &d));

        for (size_t k = 0; k < d.messages.count; k++)
            buf_printf(&told, "%s\n", d.messages.at[k].text);
        assert_string_equal(buf_text(&told),
                            CASES[i].why ? arena_printf(a,
                                                        "%s serves only the size it was tuned "
                                                        "for: '%s' cannot be expressed in C\n",
                                                        u->variants[0].name, CASES[i].why)
                                         : "");
        buf_free(&told);
        buf_free(&out);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_gets_what_is_nearest_and_says_by_what_right),
        cmocka_unit_test(a_size_gets_what_should_take_the_least_where_times_scale),
        cmocka_unit_test(code_is_loaded_once_and_launched),
        cmocka_unit_test(what_cannot_be_launched_is_a_status),
        cmocka_unit_test(a_newer_device_gets_ptx_and_what_fails_there_the_next_best),
        cmocka_unit_test(failures_of_the_driver_keep_their_number),
        cmocka_unit_test(a_thread_without_the_context_borrows_it),
        cmocka_unit_test(threads_load_each_variant_once),
        cmocka_unit_test(without_a_driver_it_says_so),
        cmocka_unit_test(c_and_cpp_compile_it_without_a_warning),
        cmocka_unit_test(units_are_the_golden_ones),
        cmocka_unit_test(nvcc_compiles_several_variants_in_one_file),
        cmocka_unit_test(a_power_is_not_taken_for_the_prefix),
        cmocka_unit_test(numbers_default_to_those_of_the_tuning),
        cmocka_unit_test(what_c_has_no_words_for_is_named),
        cmocka_unit_test(nothing_compiled_is_an_error_of_the_driver_flavours),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
