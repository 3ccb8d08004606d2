/* What a run knows of its configurations and buffers before it compiles: their work and their sizes. */
#include "tuner/run/run_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char head[] = "kernel \"" TEST_DATA "/cli/synthetic.cu\" synthetic\n"
                           "problem N = 1024\nparam A in 4, 1, 2, 8, 3\nrequire A < 8\n"
                           "block 64\ngrid N / 64\n";

/* False with what is said in `d`.  run_close ends it. */
static bool open_run(Run *r, Arena *a, Diag *d, const char *rest)
{
    static const char *const metrics[] = {SOURCE_DIR "/metrics/cycles.metrics"};
    char path[] = "/tmp/test_open_XXXXXX.spec";
    const int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "%s%s", head, rest);
    fclose(f);
    *d = diag_new(a);
    *r = (Run){
        .arena = a,
        .diag = d,
        .home = {.compile_helper = "/nonexistent", .metric_files = metrics, .metric_file_count = 1},
        .options = {.space = path,
                    .arch = "sm_90",
                    .output = "/nonexistent",
                    .no_gpu = true,
                    .exhaustive = true,
                    .jobs = 1}};
    const bool ok = run_open(r);
    assert_int_equal(unlink(path), 0);
    return ok;
}

/* Of 4096, 1024, 2048 and 3072 items; the buffer is made for the most. */
static void work_counts_against_the_first_and_buffers_hold_the_most(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Run r;
    Diag d;
    assert_true(open_run(&r, a, &d,
                         "in X : float[N + 1]\ninout Y : float[N * A]\nin Z : float[N]\n"
                         "work items = N * A\nobjective items\n"));
    assert_int_equal(r.table->count, 4);
    static const double work[] = {1, 0.25, 0.5, 0.75};
    static const int64_t counts[] = {1025, 4096, 1024};
    for (size_t i = 0; i < 4; i++)
        assert_true(r.table->work[i] == work[i]);
    for (size_t i = 0; i < 3; i++) {
        int64_t count;
        assert_true(run_argument_count(&r, i, &count));
        assert_int_equal(count, counts[i]);
    }
    run_close(&r);
    arena_free(a);
}

static void work_is_the_same_where_the_time_counts(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Run r;
    Diag d;
    assert_true(open_run(&r, a, &d, "inout Y : float[1]\nwork items = N * (A - 1)\n"));
    for (size_t i = 0; i < 4; i++)
        assert_true(r.table->work[i] == 1);
    run_close(&r);
    arena_free(a);
}

static void work_and_sizes_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *says;
    } all[] = {
        {"inout Y : float[N]\nwork items = N * (A - 1)\nobjective items\n",
         "the work of A=1 is not above 0"},
        {"inout Y : float[A - 1]\n", "this must be a whole number, 1 at least"},
        {"inout Y : float[N - 1024]\n", "this must be a whole number, 1 at least"},
        {"inout Y : float[N / (A - 1)]\n", "division by zero"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Arena *a = arena_new();
        Run r;
        Diag d;
        assert_false(open_run(&r, a, &d, all[i].rest));
        Buf said = {0};
        diag_print(&d, &said);
        if (!strstr(buf_text(&said), all[i].says))
            fail_msg("%s, not %s", buf_text(&said), all[i].says);
        buf_free(&said);
        run_close(&r);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_counts_against_the_first_and_buffers_hold_the_most),
        cmocka_unit_test(work_is_the_same_where_the_time_counts),
        cmocka_unit_test(work_and_sizes_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
