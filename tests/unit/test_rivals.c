/* Libraries as rivals, without a GPU: what is asked of cuBLAS and of plugins, and what is said of
 * those that are missing, too old, or refuse.  The libraries are those of tests/rivals, which
 * compute on the host. */
#include "tuner/gpu/worker/launch.h"

/* The worker is a program and not a library. */
#include "tuner/gpu/worker/rival.c"
#include "tuner/gpu/worker/rival_cublas.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* Only "memory" needs a driver. */
DriverStatus driver_copy(Driver *v, DriverAddress to, DriverAddress from, size_t bytes)
{
    (void)v;
    (void)to;
    (void)from;
    (void)bytes;
    return DRIVER_FAULT;
}

DriverStatus driver_wait(Driver *v)
{
    (void)v;
    return DRIVER_FAULT;
}

void driver_clear_error(Driver *v)
{
    (void)v;
}

DriverStatus driver_fail(Driver *v, const char *words)
{
    (void)v;
    (void)words;
    return DRIVER_REFUSED;
}

const char *driver_error(const Driver *v)
{
    (void)v;
    return "";
}

void *driver_stream(const Driver *v)
{
    (void)v;
    return NULL;
}

enum { M = 2, N = 3, K = 4 };

static AptuneRivalArgument floats(const char *name, float *at, long long count)
{
    return (AptuneRivalArgument){.name = name, .type = "float", .buffer = at, .count = count};
}

static AptuneRivalArgument number(const char *name, long long value)
{
    return (AptuneRivalArgument){.name = name, .integer = value, .real = (double)value};
}

static AptuneRivalCall asked_of(const char *name, const AptuneRivalArgument *x, int count)
{
    static int stream;
    return (AptuneRivalCall){.version = APTUNE_RIVAL_VERSION,
                             .name = name,
                             .arguments = x,
                             .argument_count = count,
                             .stream = &stream};
}

/* A toolkit's folder whose libcublas.so is that library of tests/rivals; NULL: there is none. */
static void use_toolkit(const char *library)
{
    char home[] = "/tmp/aptune-toolkit-XXXXXX", path[256], target[4096];
    assert_non_null(mkdtemp(home));
    snprintf(path, sizeof path, "%s/lib64", home);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/lib64/libcublas.so", home);
    snprintf(target, sizeof target, BUILD_DIR "/tests/rivals/%s.so", library);
    assert_int_equal(symlink(target, path), 0);
    setenv("CUDA_HOME", home, 1);
}

static void remove_toolkit(void)
{
    char path[4096];
    const char *home = getenv("CUDA_HOME");
    snprintf(path, sizeof path, "%s/lib64/libcublas.so", home);
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    rmdir(home);
    unsetenv("CUDA_HOME");
}

/* --- cuBLAS ----------------------------------------------------------------------------------- */

static void a_row_major_product_comes_out_of_a_column_major_library(void **state)
{
    (void)state;
    Arena *a = arena_new();
    float A[M * K], B[K * N], C[M * N] = {0};
    for (int i = 0; i < M * K; i++)
        A[i] = (float)(i + 1);
    for (int i = 0; i < K * N; i++)
        B[i] = (float)(i * i);
    AptuneRivalArgument x[] = {floats("C", C, M * N), floats("A", A, M * K), floats("B", B, K * N),
                               number("M", M),        number("N", N),        number("K", K)};
    AptuneRivalCall call = asked_of("gemm", x, 6);
    AptuneRival r = {0};
    bool found = false;
    use_toolkit("fake_cublas");

    int failed = rival_cublas(a, &call, &r, &found);
    assert_string_equal(r.error, "");
    assert_true(!failed && found && r.run(&r) == 0);

    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            assert_true(C[i * N + j] == sum);
        }
    assert_string_equal(r.title, "cuBLAS SGEMM");
    assert_string_equal(r.details, "cuBLAS 12.3.4, default math mode, float32 without TF32");
    assert_string_equal(getenv("NVIDIA_TF32_OVERRIDE"), "0");
    r.end(&r);
    remove_toolkit();
    arena_free(a);
}

/* Each matrix stored as it is and transposed: one product. */
static void matrices_may_be_stored_transposed(void **state)
{
    (void)state;
    use_toolkit("fake_cublas");
    for (int turned = 0; turned < 4; turned++) {
        const int a_turned = turned & 1, b_turned = turned >> 1;
        Arena *a = arena_new();
        float A[M * K], B[K * N], C[M * N] = {0};
        for (int i = 0; i < M; i++)
            for (int k = 0; k < K; k++)
                A[a_turned ? k * M + i : i * K + k] = (float)(i * K + k + 1);
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                B[b_turned ? j * K + k : k * N + j] = (float)((k * N + j) * (k * N + j));
        AptuneRivalArgument x[] = {floats("C", C, M * N),  floats("A", A, M * K),
                                   floats("B", B, K * N),  number("M", M),
                                   number("N", N),         number("K", K),
                                   number("TA", a_turned), number("TB", b_turned)};
        AptuneRivalCall call = asked_of("gemm", x, 8);
        AptuneRival r = {0};
        bool found;

        assert_int_equal(rival_cublas(a, &call, &r, &found), 0);
        assert_int_equal(r.run(&r), 0);

        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float sum = 0;
                for (int k = 0; k < K; k++)
                    sum += (float)(i * K + k + 1) * (float)((k * N + j) * (k * N + j));
                assert_true(C[i * N + j] == sum);
            }
        r.end(&r);
        arena_free(a);
    }
    remove_toolkit();
}

static void a_row_major_transpose_comes_out_of_a_column_major_library(void **state)
{
    (void)state;
    Arena *a = arena_new();
    double in[M * N], out[M * N] = {0};
    for (int i = 0; i < M * N; i++)
        in[i] = i + 0.5;
    AptuneRivalArgument x[] = {{.name = "OUT", .type = "double", .buffer = out, .count = M * N},
                               {.name = "IN", .type = "double", .buffer = in, .count = M * N},
                               number("ROWS", M),
                               number("COLUMNS", N)};
    AptuneRivalCall call = asked_of("transpose", x, 4);
    AptuneRival r = {0};
    bool found;
    use_toolkit("fake_cublas");

    assert_int_equal(rival_cublas(a, &call, &r, &found), 0);
    assert_int_equal(r.run(&r), 0);

    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            assert_true(out[j * M + i] == in[i * N + j]);
    assert_string_equal(r.title, "cuBLAS Dgeam");
    assert_string_equal(r.details, "cuBLAS 12.3.4, default math mode");
    r.end(&r);
    remove_toolkit();
    arena_free(a);
}

static void a_dot_product_is_left_where_it_was_asked_for(void **state)
{
    (void)state;
    Arena *a = arena_new();
    float x[] = {1, 2, 3, 4}, y[] = {10, 100, 1000, 10000}, out[1] = {0};
    AptuneRivalArgument arguments[] = {floats("OUT", out, 1), floats("X", x, 4), floats("Y", y, 4),
                                       number("N", 3)};
    AptuneRivalCall call = asked_of("dot", arguments, 4);
    AptuneRival r = {0};
    bool found;
    use_toolkit("fake_cublas");

    assert_int_equal(rival_cublas(a, &call, &r, &found), 0);
    assert_int_equal(r.run(&r), 0);

    assert_true(out[0] == 3210);
    assert_string_equal(r.title, "cuBLAS Sdot");
    r.end(&r);
    remove_toolkit();
    arguments[2].count = 2;
    assert_int_not_equal(rival_cublas(a, &call, &r, &found), 0);
    assert_non_null(strstr(r.error, "X and Y have at least N elements"));
    arena_free(a);
}

/* One mistake each, in what is otherwise a good call. */
static void what_cublas_cannot_take_is_refused_before_it_is_opened(void **state)
{
    (void)state;
    Arena *a = arena_new();
    float some[100];
    const AptuneRivalArgument good[] = {floats("C", some, 6),  floats("A", some, 8),
                                        floats("B", some, 12), number("M", 2),
                                        number("N", 3),        number("K", 4)};
    const struct {
        int at;
        AptuneRivalArgument bad;
        const char *words;
    } cases[] = {
        {0, floats("C", some, 5), "fewer elements"},
        {1, floats("A", some, 7), "fewer elements"},
        {2, floats("B", some, 11), "fewer elements"},
        {0, {.name = "C", .type = "half", .buffer = some, .count = 6}, "all of float"},
        {1, {.name = "A", .type = "double", .buffer = some, .count = 8}, "all of float"},
        {2, number("B", 12), "all of float"},
        {3, number("M", 0), "sizes from 1"},
        {4, number("N", (long long)INT_MAX + 1), "sizes from 1"},
        {5, floats("K", some, 1), "sizes from 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AptuneRivalArgument x[6];
        AptuneRival r = {0};
        bool found = true;
        memcpy(x, good, sizeof x);
        x[cases[i].at] = cases[i].bad;
        AptuneRivalCall call = asked_of("gemm", x, 6);
        assert_int_not_equal(rival_cublas(a, &call, &r, &found), 0);
        assert_non_null(strstr(r.error, cases[i].words));
        assert_true(found);
    }
    AptuneRivalCall call = asked_of("gemm", good, 5);
    AptuneRival r = {0};
    bool found = true;
    assert_int_not_equal(rival_cublas(a, &call, &r, &found), 0);
    assert_non_null(strstr(r.error, "C, A, B, M, N, K"));
    AptuneRivalArgument turned[8] = {[6] = number("TA", 0), [7] = number("TB", 2)};
    memcpy(turned, good, sizeof good);
    call = asked_of("gemm", turned, 8);
    assert_int_not_equal(rival_cublas(a, &call, &r, &found), 0);
    assert_non_null(strstr(r.error, "0 or 1"));
    call = asked_of("solve", good, 6);
    assert_int_not_equal(rival_cublas(a, &call, &r, &found), 0);
    assert_string_equal(r.error, "'cublas' has only the calls 'gemm', 'transpose' and 'dot'");
    arena_free(a);
}

static void a_call_that_fails_says_how(void **state)
{
    (void)state;
    Arena *a = arena_new();
    float some[13] = {0};
    AptuneRivalArgument x[] = {floats("C", some, 13), floats("A", some, 13), floats("B", some, 13),
                               number("M", 1),        number("N", 13),       number("K", 1)};
    AptuneRivalCall call = asked_of("gemm", x, 6);
    AptuneRival r = {0};
    bool found;
    use_toolkit("fake_cublas");
    assert_int_equal(rival_cublas(a, &call, &r, &found), 0);

    assert_int_not_equal(r.run(&r), 0);

    assert_string_equal(r.error, "cublasSgemm failed: a made-up failure (7)");
    r.end(&r);
    remove_toolkit();
    arena_free(a);
}

static void a_cublas_without_a_function_is_named(void **state)
{
    (void)state;
    Arena *a = arena_new();
    float some[4];
    AptuneRivalArgument x[] = {floats("OUT", some, 4), floats("IN", some, 4), number("ROWS", 2),
                               number("COLUMNS", 2)};
    AptuneRivalCall call = asked_of("transpose", x, 4);
    AptuneRival r = {0};
    bool found = false;
    use_toolkit("old_cublas");

    assert_int_not_equal(rival_cublas(a, &call, &r, &found), 0);

    assert_true(found && r.state == NULL);
    assert_string_equal(r.error, "this cuBLAS has no cublasDestroy_v2");
    remove_toolkit();
    arena_free(a);
}

/* --- plugins ---------------------------------------------------------------------------------- */

static const char *const PLUGIN = BUILD_DIR "/tests/rivals/fake_plugin.so";

static void a_plugin_gets_what_the_spec_says(void **state)
{
    (void)state;
    float some[] = {1, 2, 3};
    AptuneRivalArgument x[] = {floats("Y", some, 3), number("k", 5)};
    AptuneRivalCall call = asked_of("add", x, 2);
    AptuneRival r = {0};
    bool found;

    assert_int_equal(rival_plugin(PLUGIN, &call, &r, &found), 0);
    assert_int_equal(r.run(&r), 0);

    assert_true(found && some[0] == 6 && some[1] == 7 && some[2] == 8);
    assert_string_equal(r.title, "fake add of 2");
    assert_string_equal(r.details, "Y: 3 of float");
}

static void a_plugin_that_refuses_or_breaks_says_why(void **state)
{
    (void)state;
    float some[1];
    AptuneRivalArgument x[] = {floats("Y", some, 1)};
    AptuneRivalCall refused = asked_of("refused", x, 1), broken = asked_of("broken", x, 1);
    AptuneRival r = {0};
    bool found;

    assert_int_not_equal(rival_plugin(PLUGIN, &refused, &r, &found), 0);
    assert_true(found);
    assert_string_equal(r.error, "refused on purpose");

    r = (AptuneRival){0};
    assert_int_equal(rival_plugin(PLUGIN, &broken, &r, &found), 0);
    assert_int_not_equal(r.run(&r), 0);
    assert_string_equal(r.error, "broken on purpose");
}

static void what_is_no_plugin_is_not_taken_for_one(void **state)
{
    (void)state;
    AptuneRivalCall call = asked_of("add", NULL, 0);
    AptuneRival r = {0};
    bool found = true;

    assert_int_not_equal(rival_plugin("./missing.so", &call, &r, &found), 0);
    assert_false(found);
    assert_non_null(strstr(r.error, "missing.so"));

    found = true;
    assert_int_not_equal(rival_plugin(BUILD_DIR "/tests/rivals/fake_cublas.so", &call, &r, &found),
                         0);
    assert_false(found);
    assert_non_null(strstr(r.error, "is not a rival: it has no function aptune_rival"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_major_product_comes_out_of_a_column_major_library),
        cmocka_unit_test(matrices_may_be_stored_transposed),
        cmocka_unit_test(a_row_major_transpose_comes_out_of_a_column_major_library),
        cmocka_unit_test(a_dot_product_is_left_where_it_was_asked_for),
        cmocka_unit_test(what_cublas_cannot_take_is_refused_before_it_is_opened),
        cmocka_unit_test(a_call_that_fails_says_how),
        cmocka_unit_test(a_cublas_without_a_function_is_named),
        cmocka_unit_test(a_plugin_gets_what_the_spec_says),
        cmocka_unit_test(a_plugin_that_refuses_or_breaks_says_why),
        cmocka_unit_test(what_is_no_plugin_is_not_taken_for_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
