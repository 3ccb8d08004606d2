/* What a run knows of its configurations and buffers before it compiles: their work and their sizes. */
#include "tuner/run/run_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char head[] = "kernel \"" TEST_DATA "/cli/synthetic.cu\" synthetic\n"
                           "problem N = 1024\nparam A in 4, 1, 2, 8, 3\nrequire A < 8\n"
                           "block 64\ngrid N / 64\n";

/* A run of the spec `text`; run_close ends it. */
static Run run_of(Arena *a, const char *text, const char *problem)
{
    static const char *const metrics[] = {SOURCE_DIR "/metrics/cycles.metrics"};
    Run r = {
        .arena = a,
        .diag = ARENA_NEW(a, Diag),
        .home = {.compile_helper = "/nonexistent", .metric_files = metrics, .metric_file_count = 1},
        .options = {.space = "x.spec",
                    .space_text = text,
                    .problem_text = problem,
                    .arch = "sm_90",
                    .output = "/nonexistent",
                    .no_gpu = true,
                    .exhaustive = true,
                    .jobs = 1}};
    *r.diag = diag_new(a);
    return r;
}

/* Of 4096, 1024, 2048 and 3072 items; the buffer is made for the most. */
static void work_counts_against_the_first_and_buffers_hold_the_most(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Run r = run_of(a,
                   arena_printf(a, "%s%s", head,
                                "in X : float[N + 1]\ninout Y : float[N * A]\nin Z : float[N]\n"
                                "work items = N * A\nobjective items\n"),
                   NULL);
    assert_true(run_open(&r));
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

static void rows_of_a_recording_are_found_by_their_values(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Run r = run_of(a, arena_printf(a, "%s%s", head, "inout Y : float[N]\n"), NULL);
    assert_true(run_open(&r));
    const RecordParameter other = {.name = "B"};
    const RecordHeader own = run_record_about(&r),
                       others = {.parameters = &other, .parameter_count = 1};
    for (size_t i = 0; i < 4; i++) {
        const RecordRow row = {.values = run_record_values(a, &r, &own, i)};
        assert_int_equal(run_row_of(&r, &own, &row), i);
        assert_int_equal(run_row_of(&r, &others, &row), SIZE_MAX);
    }
    Value value = *run_record_values(a, &r, &own, 0);
    value.integer = 8; /* a value that A has, but not where it is valid */
    assert_int_equal(run_row_of(&r, &own, &(RecordRow){.values = &value}), SIZE_MAX);
    run_close(&r);
    arena_free(a);
}

static void work_is_the_same_where_the_time_counts(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Run r = run_of(
        a, arena_printf(a, "%s%s", head, "inout Y : float[1]\nwork items = N * (A - 1)\n"), NULL);
    assert_true(run_open(&r));
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
         "the work of A=1 must be above 0"},
        {"inout Y : float[A - 1]\n", "this must be a whole number of at least 1"},
        {"inout Y : float[N - 1024]\n", "this must be a whole number of at least 1"},
        {"inout Y : float[N / (A - 1)]\n", "division by zero"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Arena *a = arena_new();
        Run r = run_of(a, arena_printf(a, "%s%s", head, all[i].rest), NULL);
        assert_false(run_open(&r));
        Buf said = {0};
        diag_print(r.diag, &said);
        if (!strstr(buf_text(&said), all[i].says))
            fail_msg("%s, not %s", buf_text(&said), all[i].says);
        buf_free(&said);
        run_close(&r);
        arena_free(a);
    }
}

/* Of two problems, by the settings that the words name, in any order, or a new one. */
static void a_problem_is_known_by_some_of_its_settings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t problem; /* SIZE_MAX: there is none */
    } all[] = {{"N=64 M=2", 0},  {"M=2", 0},  {" , M=3,N=64 ", 1},   {"N=64", 0},
               {"N=64, M=3", 1}, {"M=23", 2}, {"M=3 K=1", SIZE_MAX}, {"K=1 M=3", SIZE_MAX},
               {"=3", SIZE_MAX}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Arena *a = arena_new();
        Run r = run_of(a,
                       "kernel \"" TEST_DATA "/cli/synthetic.cu\" synthetic\n"
                       "problem N = 64, M = 2\nproblem N = 64, M = 3\nparam A in 1, 2\nblock 64\n"
                       "grid M\ninout Y : float[N]\n",
                       all[i].text);
        const bool ok = run_open(&r);
        if (ok != (all[i].problem < SIZE_MAX) || (ok && r.space.problem != all[i].problem))
            fail_msg("'%s': %zu", all[i].text, ok ? r.space.problem : SIZE_MAX);
        run_close(&r);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_counts_against_the_first_and_buffers_hold_the_most),
        cmocka_unit_test(rows_of_a_recording_are_found_by_their_values),
        cmocka_unit_test(work_is_the_same_where_the_time_counts),
        cmocka_unit_test(a_problem_is_known_by_some_of_its_settings),
        cmocka_unit_test(work_and_sizes_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
