/* The true compiler, through the helper program as it was built.  Without NVRTC these tests fail
 * and say where it was looked for: it is part of what aptune needs to be tested. */
#include "metrics/base/file.h"
#include "metrics/base/process.h"
#include "metrics/base/wire.h"
#include "tuner/compile/farm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

extern char **environ;

static const char HELPER[] = BUILD_DIR "/aptune-compile";
static const char CUDA[] = SOURCE_DIR "/.cuda";

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    char folder[64];
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    snprintf(f->folder, sizeof f->folder, "nvrtc-XXXXXX");
    *state = f;
    return mkdtemp(f->folder) ? 0 : 1;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf './%s'", f->folder);
    int result = system(command);
    arena_free(f->arena);
    free(f);
    return result;
}

/* Compiles one text, with options and perhaps a name expression. */
static CompileResult compile(Fixture *f, const char *text, Texts options, const char *name)
{
    const CompileSource *s = source_make(f->arena, "k.cu", text, strlen(text), f->folder, options);
    CompileSetting setting = {
        .architecture = "sm_90",
        .defines = {&(CompileDefine){"SCALE", "3.f"}, 1, 0},
        .names = {&name, name != NULL, 0},
    };
    CompileJob job = source_configure(f->arena, s, &setting);
    Farm *farm = farm_open(&(FarmOptions){.helper = HELPER, .cuda_folder = CUDA, .jobs = 1});
    CompileResult r = {0};
    farm_add(farm, 1, &job);
    if (!farm_next(farm, f->arena, &r, &f->diag))
        fail_msg("%s", f->diag.messages.at[0].text);
    farm_close(farm);
    return r;
}

static const char KERNEL[] = "extern \"C\" __global__ void scale(float *x)\n"
                             "{\n"
                             "    x[threadIdx.x] *= SCALE;\n"
                             "}\n";

static void one_compile_gives_ptx_and_cubin(void **state)
{
    Fixture *f = *state;

    CompileResult r = compile(f, KERNEL, TEXTS("--minimal"), NULL);

    assert_string_equal(r.log, "");
    assert_int_equal(r.status, OUTCOME_COMPILED);
    assert_int_equal(r.ptx_size, strlen(r.ptx));
    assert_non_null(strstr(r.ptx, ".target sm_90"));
    assert_non_null(strstr(r.ptx, ".entry scale("));
    assert_non_null(strstr(r.ptx, "0f40400000")); /* 3.f, from the parameter */
    assert_true(r.cubin_size > 64);
    assert_memory_equal(r.cubin, "\177ELF", 4);
    assert_true(r.seconds > 0);
}

static void a_mistake_is_an_error_with_the_compilers_words(void **state)
{
    Fixture *f = *state;

    CompileResult syntax = compile(f, "const int a = 1;\nconst int b = ;\n", (Texts){0}, NULL);
    CompileResult option = compile(f, KERNEL, TEXTS("--no-such-option"), NULL);
    CompileResult shared = compile(f,
                                   "__global__ void k(int *p) { __shared__ int s[40000];\n"
                                   "s[threadIdx.x] = 1; __syncthreads(); *p = s[*p]; }\n",
                                   (Texts){0}, NULL);

    assert_int_equal(syntax.status, OUTCOME_COMPILE_ERROR);
    assert_non_null(strstr(syntax.log, "k.cu(2): error:"));
    assert_null(syntax.ptx);
    assert_null(syntax.cubin);
    assert_int_equal(option.status, OUTCOME_COMPILE_ERROR);
    assert_non_null(strstr(option.log, "--no-such-option"));
    assert_int_equal(shared.status, OUTCOME_COMPILE_ERROR);
    assert_non_null(strstr(shared.log, "too much shared data"));
}

/* What is written for nvcc: headers of the host and of the toolkit, host code beside the kernel and
 * in a header, and names that nvcc declares unasked. */
static void a_file_for_nvcc_compiles_as_it_is(void **state)
{
    Fixture *f = *state;
    static const char HEADER[] = "#pragma once\n#include <vector>\n#include <stdio.h>\n"
                                 "#define GPU __device__ inline\n"
                                 "void check(cudaError_t e, FILE *f) { if (e) fprintf(f, \"%s\", "
                                 "cudaGetErrorString(e)); }\n"
                                 "GPU float half_of(float x) { return x / 2; }\n";
    assert_true(file_write(path_join(f->arena, f->folder, "common.h"), HEADER, sizeof HEADER - 1,
                           &f->diag));
    static const char TEXT[] = "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n"
                               "#include <cstdio>\n#include <algorithm>\n#include <cmath>\n"
                               "#include \"common.h\"\n"
                               "using namespace std;\n"
                               "GPU float twice(float x) { return 2 * x; }\n"
                               "struct size { int n; size(int m) : n(m) {} };\n"
                               "__global__ void k(float *p, half *h, uint8_t u) {\n"
                               "    assert(u < INT_MAX);\n"
                               "    *p = std::sqrt(twice(half_of(*p))) + M_PI + std::max(u, u) + "
                               "__half2float(*h); }\n"
                               "int main() { vector<float> x; k<<<1, 1>>>(0, 0, 0); check("
                               "cudaDeviceSynchronize(), stderr); }\n";
    CompileResult r = compile(f, TEXT, TEXTS("--minimal"), NULL);
    CompileResult missing = compile(f, "#include \"nowhere.h\"\n", (Texts){0}, NULL);

    assert_string_equal(r.log, "");
    assert_int_equal(r.status, OUTCOME_COMPILED);
    assert_int_equal(missing.status, OUTCOME_COMPILE_ERROR);
    assert_non_null(strstr(missing.log, "nowhere.h"));
}

/* One name of each file that stands in for headers, and all of them included again. */
static void headers_that_stand_in_for_others_stand_beside_each_other(void **state)
{
    static const char NAMES[] =
        "algorithm assert.h bits/stdc++.h chrono climits cuda/std/cstdint cstdint cstdio cstdlib "
        "cub/cub.cuh cublas.h cufft.h exception filesystem float.h functional GL/gl.h iostream "
        "helper_cuda.h limits map math.h memory memory.h mpi.h mutex queue random string thread "
        "string_view thrust/complex.h thrust/sort.h tuple unistd.h unordered_map vector";
    SCOPED_BUF text = {0};
    for (int i = 0; i < 2; i++)
        for (const char *at = NAMES; *at; at += strcspn(at, " "), at += *at == ' ')
            buf_printf(&text, "#include <%.*s>\n", (int)strcspn(at, " "), at);
    buf_puts(&text, "struct host { std::vector<std::string> names; std::map<int, std::mutex> of;\n"
                    "    std::thread *t; std::chrono::seconds s; std::mt19937_64 r; GLuint g;\n"
                    "    thrust::device_vector<float> v; cufftHandle h; std::ofstream file; };\n"
                    "extern \"C\" __global__ void k(int *n, host h) { *n = sizeof(std::vector<int>); }\n");
    CompileResult r = compile(*state, buf_text(&text), (Texts){0}, NULL);

    if (r.status != OUTCOME_COMPILED)
        fail_msg("%s", r.log);
}

/* Types that are the same there are the same here, also to libcu++. */
static void integers_strings_and_errors_are_those_of_nvcc(void **state)
{
    static const char TEXT[] =
        "#include <inttypes.h>\n#include <string_view>\n#include <cuda/std/limits>\n"
        "#include <type_traits>\n"
        "#if UINT64_C(1) << 40 < INT64_C(5) || INTMAX_MAX < UINT32_MAX\n#error range\n#endif\n"
        "struct label { std::string_view text; };\n"
        "template <class A, class B> constexpr bool same = std::is_same<A, B>::value;\n"
        "static_assert(same<uint64_t, size_t> && same<cuda::std::int64_t, long>);\n"
        "static_assert(same<std::int_fast16_t, intmax_t> && same<int_least32_t, int>);\n"
        "static_assert(same<decltype(INT64_C(1)), int64_t>);\n"
        "__device__ void check(cudaError_t e) { if (e) printf(\"%s %\" PRIu64 \"\\n\", "
        "cudaGetErrorString(e), UINT64_MAX); }\n"
        "extern \"C\" __global__ void k(uint64_t *p) { check(cudaSuccess); *p = INT8_C(3); }\n";
    CompileResult r = compile(*state, TEXT, TEXTS("--minimal"), NULL);

    assert_string_equal(r.log, "");
    assert_int_equal(r.status, OUTCOME_COMPILED);
}

static void a_name_expression_gives_the_lowered_name(void **state)
{
    Fixture *f = *state;
    const char *text = "template <int N> __global__ void k(int *p) { *p = N; }\n";

    CompileResult r = compile(f, text, (Texts){0}, "k<1 + 4>");
    CompileResult bad = compile(f, text, (Texts){0}, "no_such_kernel<5>");

    assert_int_equal(r.status, OUTCOME_COMPILED);
    assert_int_equal(r.lowered.count, 1);
    assert_string_equal(r.lowered.at[0], "_Z1kILi5EEvPi");
    assert_non_null(strstr(r.ptx, "_Z1kILi5EEvPi"));
    assert_int_equal(bad.status, OUTCOME_COMPILE_ERROR);
    assert_non_null(strstr(bad.log, "no_such_kernel"));
}

static void includes_beside_the_template_are_found_and_line_info_has_no_folder(void **state)
{
    Fixture *f = *state;
    const char *header = arena_printf(f->arena, "%s/op.cuh", f->folder);
    assert_true(file_write(header, "#define OP *=\n", 14, &f->diag));
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    const char *text = "#include \"op.cuh\"\n"
                       "extern \"C\" __global__ void k(float *x) { *x OP SCALE; }\n";

    CompileResult r = compile(f, text, TEXTS("-lineinfo"), NULL);

    assert_string_equal(r.log, "");
    assert_non_null(strstr(r.ptx, "\"/k.cu\""));
    assert_null(strstr(r.ptx, here));
}

static void variables_that_change_the_compiler_are_not_heard(void **state)
{
    Fixture *f = *state;

    assert_int_equal(setenv("NVRTC_APPEND_FLAGS", "--no-such-option", 1), 0);
    assert_int_equal(setenv("NVRTC_PREPEND_FLAGS", "--no-such-option", 1), 0);
    CompileResult r = compile(f, KERNEL, (Texts){0}, NULL);
    unsetenv("NVRTC_APPEND_FLAGS");
    unsetenv("NVRTC_PREPEND_FLAGS");

    assert_int_equal(r.status, OUTCOME_COMPILED);
}

static void an_entry_of_the_environment_without_a_value_does_no_harm(void **state)
{
    Fixture *f = *state;
    char **ours = environ;
    size_t count = 0;
    while (ours[count])
        count++;
    char **odd = arena_array(f->arena, count + 2, sizeof *odd);
    odd[0] = arena_string(f->arena, "NVRTC_NO_VALUE");
    memcpy(odd + 1, ours, count * sizeof *ours);

    environ = odd;
    const char *compiler = farm_ask_compiler(f->arena, HELPER, CUDA);
    environ = ours;

    assert_memory_equal(compiler, "NVRTC ", 6);
}

static void without_a_library_the_message_says_where_it_looked(void **state)
{
    Fixture *f = *state;
    CompileSetting setting = {.architecture = "sm_90"};
    const CompileSource *s = source_make(f->arena, "k.cu", "", 0, f->folder, (Texts){0});
    CompileJob job = source_configure(f->arena, s, &setting);
    CompileResult r;

    assert_int_equal(setenv("APTUNE_NVRTC", "/no/such/place", 1), 0);
    Farm *farm = farm_open(&(FarmOptions){.helper = HELPER, .jobs = 2});
    farm_add(farm, 1, &job);
    bool ok = farm_next(farm, f->arena, &r, &f->diag);
    farm_close(farm);
    unsetenv("APTUNE_NVRTC");

    assert_false(ok);
    assert_int_equal(f->diag.errors, 1);
    assert_non_null(strstr(f->diag.messages.at[0].text, "looked in /no/such/place"));
}

/* What the helper says first: which compiler it has, and where. */
static json_t *get_hello(Fixture *f)
{
    Process p;
    WireMessage m;
    assert_true(process_start(&p, HELPER, (const char *[]){CUDA, NULL}, &f->diag));
    WireReader reader = wire_reader(p.fd);
    assert_int_equal(wire_receive(&reader, &m, WIRE_FOREVER), WIRE_OK);
    json_t *hello = json_incref(m.header);
    wire_message_free(&m);
    wire_reader_free(&reader);
    assert_true(process_stop(&p, 10));
    return hello;
}

/* The compiler's second library, which lies beside it and is named after its version: here one that
 * is empty, so that the compiler complains when it is given this one. */
static void the_compilers_builtins_are_taken_from_its_own_folder(void **state)
{
    Fixture *f = *state;
    json_t *hello = get_hello(f);
    const char *version = json_string_value(json_object_get(hello, "version"));
    const char *library = json_string_value(json_object_get(hello, "library"));
    assert_non_null(library);
    const char *name = arena_printf(f->arena, "libnvrtc-builtins.so.%s", version);
    const char *command = arena_printf(
        f->arena, "ln -s '%s' '%s/' && cc -shared -Wl,-soname,%s -o '%s/%s' -x c /dev/null",
        library, f->folder, name, f->folder, name);
    json_decref(hello);
    if (system("cc --version >/dev/null") != 0)
        skip();
    assert_int_equal(system(command), 0);

    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    const char *folder = arena_printf(f->arena, "%s/%s", here, f->folder);
    assert_int_equal(setenv("APTUNE_NVRTC", folder, 1), 0);
    CompileResult r = compile(f, KERNEL, (Texts){0}, NULL);
    unsetenv("APTUNE_NVRTC");

    assert_int_equal(r.status, OUTCOME_COMPILE_ERROR);
    assert_non_null(strstr(r.log, name));
}

static void the_helper_ends_when_its_input_closes(void **state)
{
    Fixture *f = *state;
    Process p;
    WireMessage hello, none;
    Buf how = {0};
    assert_true(process_start(&p, HELPER, (const char *[]){CUDA, NULL}, &f->diag));
    WireReader reader = wire_reader(p.fd);

    assert_int_equal(wire_receive(&reader, &hello, WIRE_FOREVER), WIRE_OK);
    assert_null(json_object_get(hello.header, "error"));
    assert_int_equal(shutdown(p.fd, SHUT_WR), 0);
    WireStatus end = wire_receive(&reader, &none, WIRE_FOREVER);
    assert_true(process_wait(&p, 60));
    process_describe(&p, &how);

    assert_int_equal(end, WIRE_END);
    assert_string_equal(buf_text(&how), "ended with code 0");
    buf_free(&how);
    wire_message_free(&hello);
    wire_reader_free(&reader);
    assert_true(process_stop(&p, 0));
}

static void the_cache_serves_what_nvrtc_gave(void **state)
{
    Fixture *f = *state;
    const CompileSource *s =
        source_make(f->arena, "k.cu", KERNEL, strlen(KERNEL), f->folder, (Texts){0});
    CompileDefine scale = {"SCALE", "5.f"};
    CompileSetting setting = {.architecture = "sm_80", .defines = {&scale, 1, 0}};
    CompileJob job = source_configure(f->arena, s, &setting);
    CompileResult r[2];
    FarmOptions options = {.helper = HELPER, .cuda_folder = CUDA, .jobs = 1};
    options.cache = cache_open(f->arena, f->folder, false, &f->diag);
    size_t started[2];

    for (int i = 0; i < 2; i++) {
        Farm *farm = farm_open(&options);
        farm_add(farm, 1, &job);
        if (!farm_next(farm, f->arena, &r[i], &f->diag))
            fail_msg("%s", f->diag.messages.at[0].text);
        started[i] = farm_started(farm);
        farm_close(farm);
    }

    assert_int_equal(started[0], 1);
    assert_int_equal(started[1], 0);
    assert_false(r[0].from_cache);
    assert_true(r[1].from_cache);
    assert_string_equal(r[0].ptx, r[1].ptx);
    assert_int_equal(r[0].cubin_size, r[1].cubin_size);
    assert_memory_equal(r[0].cubin, r[1].cubin, r[0].cubin_size);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(one_compile_gives_ptx_and_cubin),
        CASE(a_mistake_is_an_error_with_the_compilers_words),
        CASE(a_file_for_nvcc_compiles_as_it_is),
        CASE(headers_that_stand_in_for_others_stand_beside_each_other),
        CASE(integers_strings_and_errors_are_those_of_nvcc),
        CASE(a_name_expression_gives_the_lowered_name),
        CASE(includes_beside_the_template_are_found_and_line_info_has_no_folder),
        CASE(variables_that_change_the_compiler_are_not_heard),
        CASE(an_entry_of_the_environment_without_a_value_does_no_harm),
        CASE(without_a_library_the_message_says_where_it_looked),
        CASE(the_compilers_builtins_are_taken_from_its_own_folder),
        CASE(the_helper_ends_when_its_input_closes),
        CASE(the_cache_serves_what_nvrtc_gave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
