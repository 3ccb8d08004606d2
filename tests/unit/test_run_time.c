/* Measuring a space from end to end, with a GPU process that makes its times up: what is timed,
 * what is recorded, and what a second run in the same folder still has to do.
 *
 * The GPU process is this very program, started with FAKE_HELPER in the environment; compiling is
 * real. */
#include "metrics/base/process.h"
#include "tuner/gpu/message.h"
#include "tuner/run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* --- the fake GPU process --------------------------------------------------------------------- */

/* Configurations with an outcome of their own. */
enum { WRONG_ONE = 1, LOST_ONE = 3, FASTEST = 5 };

static void say(json_t *header)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    wire_send(PROCESS_WIRE, header, (Blob){0}, &d);
    arena_free(a);
    json_decref(header);
}

static void say_hello(void)
{
    GpuFacts f = {.device = *device_find("sm_90"), .uuid = "GPU-synthetic", .cuda_version = 13000};
    f.device.name = "Synthetic GPU";
    json_t *devices = json_array();
    json_array_append_new(devices, message_facts(&f));
    say(json_pack("{s:s, s:i, s:o, s:s}", "do", "hello", "protocol", MESSAGE_PROTOCOL, "devices",
                  devices, "why", ""));
}

static void answer_trial(const Trial *t, const char *mode)
{
    double ms = t->id == FASTEST ? 0.5 : 1 + (double)t->id / 8, times[] = {ms, ms};
    TrialResult r = {
        .id = t->id, .status = OUTCOME_OK, .times = times, .time_count = 2, .words = ""};
    if (t->id == WRONG_ONE)
        r.status = OUTCOME_WRONG;
    if (t->id == LOST_ONE && strcmp(mode, "first") == 0)
        r.status = OUTCOME_SKIPPED;
    if (r.status != OUTCOME_OK)
        r.time_count = 0;
    say(message_result(&r));
}

static int fake_helper(const char *mode)
{
    process_become_helper();
    WireReader reader = wire_reader(PROCESS_WIRE);
    say_hello();
    for (WireMessage m; wire_receive(&reader, &m, WIRE_FOREVER) == WIRE_OK; wire_message_free(&m)) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        Trial t;
        const char *verb = message_verb(m.header);
        if (strcmp(verb, "open") == 0)
            say(json_pack("{s:s}", "do", "opened"));
        else if (strcmp(verb, "problem") == 0)
            say(message_outputs(NULL, 0));
        else if (message_read_trial(a, &m, (MessageLimits){2, 0}, &t, &d))
            answer_trial(&t, mode);
        arena_free(a);
    }
    _exit(0);
}

/* --- runs
 * ----------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/aptune-test-XXXXXX";

/* An exhaustive run with the fake process in a mode, all its stages. */
static const char *const metric_files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                           SOURCE_DIR "/metrics/cycles.metrics"};

static Run *measure(const char *mode)
{
    setenv("FAKE_HELPER", mode, 1);
    Arena *a = arena_new();
    Run *r = ARENA_NEW(a, Run);
    *r = (Run){.arena = a,
               .diag = ARENA_NEW(a, Diag),
               .options = {.space = TEST_DATA "/cli/synthetic.spec",
                           .output = folder,
                           .cache = arena_printf(a, "%s/cache", folder),
                           .cache_limit = 1,
                           .jobs = 2,
                           .exhaustive = true},
               .home.compile_helper = BUILD_DIR "/aptune-compile",
               .home.gpu_helper = "/proc/self/exe",
               .home.cuda_folder = SOURCE_DIR "/.cuda",
               .home.compare_source = SOURCE_DIR "/tuner/gpu/compare.cu",
               .home.metric_files = metric_files,
               .home.metric_file_count = 2};
    *r->diag = diag_new(a);
    bool ok = run_open(r) && run_compile(r);
    if (ok)
        run_carve(r);
    ok = ok && run_time(r);
    run_judge(r);
    Buf said = {0};
    diag_print(r->diag, &said);
    if (!ok)
        print_message("%s", buf_text(&said));
    buf_free(&said);
    assert_true(ok);
    return r;
}

static void end_run(Run *r)
{
    run_close(r);
    arena_free(r->arena);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* --- tests
 * ---------------------------------------------------------------------------------------- */

static void a_run_times_all_and_finds_the_fastest_right_one(void **state)
{
    (void)state;
    Run *r = measure("first");

    assert_int_equal(r->source, RUN_MEASURED);
    assert_string_equal(r->device->name, "Synthetic GPU");
    assert_int_equal(r->counts.resumed, 0);
    assert_int_equal(r->best, FASTEST);
    assert_true(r->table->times[0].median == 1);
    assert_int_equal(r->table->outcome[WRONG_ONE], OUTCOME_WRONG);
    assert_true(isnan(r->table->times[WRONG_ONE].median));
    assert_int_equal(r->table->outcome[LOST_ONE], OUTCOME_SKIPPED);
    end_run(r);
}

static void a_second_run_only_times_what_was_skipped(void **state)
{
    (void)state;
    Run *r = measure("second");

    assert_int_equal(r->counts.resumed, r->table->count - 1);
    assert_int_equal(r->counts.workers_started, 0);
    assert_int_equal(r->best, FASTEST);
    assert_int_equal(r->table->outcome[WRONG_ONE], OUTCOME_WRONG);
    assert_int_equal(r->table->outcome[LOST_ONE], OUTCOME_OK);
    assert_true(r->table->times[LOST_ONE].median == 1 + LOST_ONE / 8.0);
    end_run(r);
}

static void its_recording_has_the_latest_outcome_of_each(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);

    const TimesRecording *t = times_read(a, arena_printf(a, "%s/synthetic.times", folder), &d);

    assert_non_null(t);
    assert_int_equal(t->rows.count, 9); /* one of them twice */
    assert_string_equal(t->header.device, "Synthetic GPU");
    size_t ok = 0;
    for (size_t i = 0; i < t->rows.count; i++)
        ok += times_find(t, t->rows.at[i].key) == &t->rows.at[i] &&
              t->rows.at[i].status == OUTCOME_OK;
    assert_int_equal(ok, 7);
    assert_non_null(profiles_read(a, arena_printf(a, "%s/synthetic.profile", folder), &d));
    arena_free(a);
}

int main(void)
{
    const char *mode = getenv("FAKE_HELPER");
    if (mode)
        return fake_helper(mode);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_times_all_and_finds_the_fastest_right_one),
        cmocka_unit_test(a_second_run_only_times_what_was_skipped),
        cmocka_unit_test(its_recording_has_the_latest_outcome_of_each),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
