/* The parent's side of measuring, against a helper that misbehaves in every way.
 *
 * The helper is this very program: started with FAKE_HELPER in the environment it speaks the
 * protocol, and what it does with a trial is said by the name of the trial's kernel.  Its times
 * and facts are made up. */
#include "metrics/base/process.h"
#include "tests/support/gpu.h"
#include "tuner/gpu/message.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* --- the fake helper ------------------------------------------------------------------------ */

static void say(json_t *header)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    wire_send(PROCESS_WIRE, header, (Blob){0}, &d);
    json_decref(header);
    arena_free(a);
}

static void say_noise(void)
{
    if (write(PROCESS_WIRE, "Segmentation fault, probably\n", 29) != 29)
        _exit(9);
}

static void fake_hello(const char *mode)
{
    GpuFacts f = {
        .device = {.name = "Synthetic GPU", .major = 9, .sms = 4, .grid_limit = {7, 8, 9}},
        .uuid = strcmp(mode, "other-gpu") == 0 ? "GPU-other" : "GPU-synthetic",
        .cuda_version = 13000};
    json_t *devices = json_array();
    if (strcmp(mode, "no-gpu") != 0)
        json_array_append_new(devices,
                              strcmp(mode, "nothing") == 0 ? json_object() : message_facts(&f));
    int protocol = strcmp(mode, "old") == 0 ? MESSAGE_PROTOCOL - 1 : MESSAGE_PROTOCOL;
    say(json_pack("{s:s, s:i, s:o, s:s}", "do", "hello", "protocol", protocol, "devices", devices,
                  "why", "synthetic reason"));
}

static void fake_result(const Trial *t, int64_t id, bool restart)
{
    double times[] = {(double)t->id, 0.1};
    TrialResult r = {.id = id, .status = OUTCOME_OK, .times = times, .time_count = 2, .words = ""};
    json_t *j = message_result(&r);
    json_object_set_new(j, "restart", json_boolean(restart));
    say(j);
}

static void fake_trial(const Trial *t)
{
    const char *kernel = t->runs->launches[0].kernel;
    if (strcmp(kernel, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(kernel, "die") == 0)
        raise(SIGKILL);
    if (strcmp(kernel, "stop") == 0)
        raise(SIGSTOP);
    if (strcmp(kernel, "exit") == 0) {
        puts("the synthetic kernel's last words");
        _exit(3);
    }
    if (strcmp(kernel, "prints") == 0)
        puts("printed by a synthetic kernel");
    if (strcmp(kernel, "noise") == 0)
        say_noise();
    else if (strcmp(kernel, "error") == 0)
        say(json_pack("{s:s, s:s}", "do", "error", "words", "synthetic complaint"));
    else if (strcmp(kernel, "other id") == 0)
        fake_result(t, t->id + 1, false);
    else if (strcmp(kernel, "twice") == 0) {
        fake_result(t, t->id, false);
        fake_result(t, t->id, false);
    } else
        fake_result(t, t->id, strcmp(kernel, "restart") == 0);
    if (strcmp(kernel, "die after") == 0)
        _exit(4);
}

static void fake_problem(const TaskProblem *p)
{
    TaskOutput o = {.buffer = 1, .rms = 0.5, .max = 2, .unwritten = 3};
    if (strcmp(p->buffers[0].name, "unsettable") == 0)
        say(json_pack("{s:s, s:s}", "do", "error", "words", "synthetic refusal"));
    else
        say(message_outputs(&o, 1));
}

static int fake_helper(const char *mode)
{
    process_become_helper();
    Arena *a = arena_new();
    WireReader reader = wire_reader(PROCESS_WIRE);
    WireMessage m;
    if (strcmp(mode, "crash") == 0)
        _exit(5);
    if (strcmp(mode, "killed") == 0)
        raise(SIGKILL);
    if (strcmp(mode, "noise") == 0)
        say_noise();
    if (strcmp(mode, "noise") == 0 || strcmp(mode, "silent") == 0) /* nothing follows */
        for (;;)
            pause();
    fake_hello(mode);
    while (wire_receive(&reader, &m, WIRE_FOREVER) == WIRE_OK) {
        Diag d = diag_new(a);
        Trial t;
        TaskProblem p;
        const char *verb = message_verb(m.header);
        if (strcmp(mode, "closed") == 0)
            say(json_pack("{s:s, s:s}", "do", "error", "words", "synthetic complaint"));
        else if (strcmp(verb, "open") == 0)
            say(json_pack("{s:s}", "do", "opened"));
        else if (strcmp(verb, "problem") == 0 && message_read_problem(a, &m, &p, &d))
            fake_problem(&p);
        else if (strcmp(verb, "trial") == 0 &&
                 message_read_trial(a, &m, (MessageLimits){2, 0}, &t, &d))
            fake_trial(&t);
        else
            _exit(6);
        wire_message_free(&m);
    }
    _exit(0);
}

/* --- helpers of the tests ------------------------------------------------------------------- */

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    Gpu *gpu;
} Fixture;

static GpuOptions fake_options(Fixture *f, const char *mode)
{
    setenv("FAKE_HELPER", mode, 1);
    GpuOptions o = gpu_options("/proc/self/exe", 0);
    o.retry_delay_s = 0.01;
    o.start_limit_s = strcmp(mode, "silent") == 0 ? 0.05 : 20;
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    return o;
}

static Gpu *open_fake(Fixture *f, const char *mode)
{
    const GpuOptions o = fake_options(f, mode);
    f->gpu = open_gpu(&o, &f->diag);
    return f->gpu;
}

static void end(Fixture *f)
{
    gpu_close(f->gpu);
    arena_free(f->arena);
}

static bool set_problem(Fixture *f, const char *first_buffer)
{
    TaskBuffer buffers[] = {
        {.name = first_buffer, .type = {TASK_FLOAT, 4}, .count = 100, .contents = {.seed = 1}},
        {.name = "C", .type = {TASK_HALF, 1}, .count = 100, .role = TASK_OUT},
    };
    TaskProblem p = {.buffers = buffers, .buffer_count = 2, .checking = {"synthetic", 9}};
    return set_gpu_problem(f->gpu, &p, &f->diag);
}

static void start(Fixture *f)
{
    assert_non_null(open_fake(f, "well"));
    assert_true(set_problem(f, "A"));
}

static void submit(Fixture *f, int64_t id, const char *kernel, double limit_s)
{
    TaskArgument arguments[] = {{.buffer = 1}, {.buffer = -1, .size = 4, .bytes = {1, 2, 3, 255}}};
    TaskLaunch launch = {.kernel = kernel,
                         .grid = {1, 1, 1},
                         .block = {32, 1, 1},
                         .arguments = arguments,
                         .argument_count = 2};
    TaskModule module = {"synthetic cubin", 15};
    Trial t = {
        .id = id,
        .runs = &(
            TaskRun){.modules = &module, .module_count = 1, .launches = &launch, .launch_count = 1},
        .run_count = 1,
        .sampling = {.least = 2},
        .limit_s = limit_s};
    gpu_submit(f->gpu, &t);
}

static void expect(Fixture *f, int64_t id, Outcome status, const char *words)
{
    TrialResult r;
    assert_true(next_result(f->gpu, f->arena, &r, 30));
    assert_int_equal(r.id, id);
    assert_string_equal(outcome_name(r.status), outcome_name(status));
    if (!strstr(r.words, words))
        fail_msg("'%s' is not in '%s'", words, r.words);
    if (status == OUTCOME_OK) {
        assert_int_equal(r.time_count, 2);
        assert_true(r.times[0] == (double)id && r.times[1] == 0.1);
    }
}

/* The milliseconds after which gpu_next has to be called in any case; negative: none. */
static int patience_ms(const Gpu *g)
{
    Waits w = waits_new(-1);
    gpu_await(g, &w);
    const int ms = w.timeout_ms;
    arena_free(w.arena);
    return ms;
}

/* --- tests ---------------------------------------------------------------------------------- */

static void results_come_in_order_with_their_own_times(void **state)
{
    (void)state;
    Fixture f;
    TrialResult r;
    start(&f);

    for (int i = 0; i < 50; i++)
        submit(&f, 1000 + i, "well", 20);
    assert_int_equal(gpu_pending(f.gpu), 50);

    for (int i = 0; i < 50; i++)
        expect(&f, 1000 + i, OUTCOME_OK, "");
    assert_false(gpu_next(f.gpu, f.arena, &r));
    assert_int_equal(gpu_pending(f.gpu), 0);
    assert_int_equal(gpu_starts(f.gpu), 1);
    end(&f);
}

static void the_device_and_the_outputs_are_told(void **state)
{
    (void)state;
    Fixture f;
    size_t count;
    start(&f);

    const TaskOutput *o = gpu_outputs(f.gpu, &count);

    assert_int_equal(count, 1);
    assert_true(o->buffer == 1 && o->rms == 0.5 && o->unwritten == 3);
    assert_string_equal(gpu_device(f.gpu)->name, "Synthetic GPU");
    assert_int_equal(gpu_device(f.gpu)->grid_limit[2], 9);
    assert_string_equal(gpu_facts(f.gpu)->uuid, "GPU-synthetic");
    assert_int_equal(gpu_device_count(f.gpu), 1);
    end(&f);
}

static void a_bad_trial_costs_itself_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        Outcome status;
        const char *words;
        int restarts;
    } BAD[] = {
        {"hang", OUTCOME_TIMEOUT, "time limit of 0.1 s", 1},
        {"die", OUTCOME_FAULT, "killed by signal 9", 1},
        {"stop", OUTCOME_FAULT, "stopped by a signal", 1},
        {"exit", OUTCOME_FAULT, "ended with code 3: the synthetic kernel's last words", 1},
        {"noise", OUTCOME_FAULT, "not a message: 'Segmentation fault, probably", 1},
        {"other id", OUTCOME_FAULT, "another trial", 1},
        {"error", OUTCOME_LAUNCH_FAILED, "synthetic complaint", 0},
        {"prints", OUTCOME_OK, "", 0},
        {"restart", OUTCOME_OK, "", 1},
        {"die after", OUTCOME_OK, "", 1},
        {"twice", OUTCOME_OK, "", 1},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        Fixture f;
        start(&f);

        submit(&f, 1, "well", 20);
        bool ends = strcmp(BAD[i].kernel, "hang") != 0 && strcmp(BAD[i].kernel, "stop") != 0;
        submit(&f, 2, BAD[i].kernel, ends ? 20 : 0.1);

        expect(&f, 1, OUTCOME_OK, "");
        expect(&f, 2, BAD[i].status, BAD[i].words);
        /* A helper that goes wrong after a good answer is replaced before the next trial comes. */
        for (int n = 0; gpu_starts(f.gpu) < 1 + BAD[i].restarts && n < 1000; n++) {
            TrialResult none;
            assert_false(gpu_next(f.gpu, f.arena, &none));
            poll(NULL, 0, 10);
        }
        submit(&f, 3, "well", 20);
        expect(&f, 3, OUTCOME_OK, "");
        assert_int_equal(gpu_starts(f.gpu), 1 + BAD[i].restarts);
        end(&f);
    }
}

static void a_trial_too_large_for_a_message_costs_itself_and_nothing_else(void **state)
{
    (void)state;
    Fixture f;
    start(&f);
    char *name = malloc(WIRE_HEADER_LIMIT + 1);
    memset(name, 'x', WIRE_HEADER_LIMIT);
    name[WIRE_HEADER_LIMIT] = '\0';

    submit(&f, 1, name, 20);
    submit(&f, 2, "well", 20);

    assert_int_equal(patience_ms(f.gpu), 0); /* there is an answer */
    expect(&f, 1, OUTCOME_LAUNCH_FAILED, "too much for a message");
    expect(&f, 2, OUTCOME_OK, "");
    assert_int_equal(gpu_starts(f.gpu), 1);
    free(name);
    end(&f);
}

static void asking_without_waiting_gives_nothing_yet(void **state)
{
    (void)state;
    Fixture f;
    TrialResult r;
    start(&f);
    submit(&f, 1, "hang", 0.2);

    assert_false(gpu_next(f.gpu, f.arena, &r));
    assert_in_range(patience_ms(f.gpu), 0, 200);

    expect(&f, 1, OUTCOME_TIMEOUT, "");
    end(&f);
}

/* As a program does that waits for compilers too. */
static void a_poll_loop_sees_every_result_and_every_timeout(void **state)
{
    (void)state;
    Fixture f;
    int results = 0, timeouts = 0;
    start(&f);
    for (int i = 0; i < 6; i++)
        submit(&f, i, i % 3 == 2 ? "hang" : "well", 0.2);

    while (gpu_pending(f.gpu)) {
        TrialResult r;
        Waits w = waits_new(-1);
        gpu_await(f.gpu, &w);
        waits_end(&w);
        while (gpu_next(f.gpu, f.arena, &r)) {
            assert_int_equal(r.id, results);
            results++;
            timeouts += r.status == OUTCOME_TIMEOUT;
        }
    }

    assert_int_equal(results, 6);
    assert_int_equal(timeouts, 2);
    end(&f);
}

static void a_device_that_cannot_be_started_again_is_given_up(void **state)
{
    (void)state;
    /* What is tried again is tried as often as the options say; five kills from outside are forgiven. */
    static const struct {
        const char *mode, *said;
        int starts;
    } MODES[] = {{"no-gpu", "synthetic reason", 4},
                 {"crash", "ended with code 5", 4},
                 {"noise", "not a message", 4},
                 {"killed", "signal 9", 5 + 4},
                 {"other-gpu", "no longer the same", 1}};
    for (size_t i = 0; i < sizeof MODES / sizeof MODES[0]; i++) {
        Fixture f;
        start(&f);
        setenv("FAKE_HELPER", MODES[i].mode, 1);

        submit(&f, 1, "die", 20);
        submit(&f, 2, "well", 20);
        submit(&f, 3, "well", 20);

        expect(&f, 1, OUTCOME_FAULT, "signal 9");
        expect(&f, 2, OUTCOME_SKIPPED, MODES[i].said);
        expect(&f, 3, OUTCOME_SKIPPED, MODES[i].said);
        assert_int_equal(gpu_starts(f.gpu), 1 + MODES[i].starts);
        end(&f);
    }
}

static void a_helper_has_its_usual_limits(void **state)
{
    (void)state;
    const GpuOptions o = gpu_options("helper", 3);
    assert_string_equal(o.helper, "helper");
    assert_int_equal(o.device, 3);
    assert_true(o.start_limit_s == 60 && o.problem_limit_s == 300 && o.kill_limit_s == 30);
    assert_int_equal(o.tries, 4);
    assert_true(o.retry_delay_s == 0.5 && !o.wrap && !o.wrapper);
}

/* Milliseconds until each further start, as of the moment when the one before has failed. */
static void failed_starts_wait_twice_as_long_each_time(void **state)
{
    (void)state;
    Fixture f;
    TrialResult r;
    int waits[8] = {0};
    GpuOptions o = fake_options(&f, "well");
    o.retry_delay_s = 0.1;
    f.gpu = open_gpu(&o, &f.diag);
    assert_true(set_problem(&f, "A"));
    setenv("FAKE_HELPER", "crash", 1);

    submit(&f, 1, "die", 20);
    submit(&f, 2, "well", 20);
    while (gpu_pending(f.gpu)) {
        Waits w = waits_new(-1);
        int *wait = &waits[gpu_starts(f.gpu)];
        gpu_await(f.gpu, &w);
        *wait = w.fds.at[0].fd < 0 && w.timeout_ms > *wait ? w.timeout_ms : *wait;
        waits_lower(&w, 0.005);
        waits_end(&w);
        gpu_next(f.gpu, f.arena, &r);
    }

    assert_int_equal(gpu_starts(f.gpu), 5);
    for (int i = 2; i < 5; i++) /* some of it has passed */
        assert_true(waits[i] > 50 << (i - 2) && waits[i] <= 100 << (i - 2));
    end(&f);
}

static void a_restart_that_fails_at_first_is_tried_again(void **state)
{
    (void)state;
    Fixture f;
    TrialResult r;
    start(&f);
    setenv("FAKE_HELPER", "crash", 1);
    submit(&f, 1, "die", 20);
    submit(&f, 2, "well", 20);
    expect(&f, 1, OUTCOME_FAULT, "");

    while (gpu_starts(f.gpu) < 2)
        assert_false(gpu_next(f.gpu, f.arena, &r));
    setenv("FAKE_HELPER", "well", 1);

    expect(&f, 2, OUTCOME_OK, "");
    assert_true(gpu_starts(f.gpu) >= 3);
    end(&f);
}

static void opening_fails_with_the_reason(void **state)
{
    (void)state;
    static const char *const MODES[][2] = {
        {"no-gpu", "synthetic reason"},
        {"crash", "the GPU process ended with code 5"},
        {"killed", "the GPU process was killed by signal 9 (Killed)"},
        {"noise",
         "the GPU process sent something that is not a message: 'Segmentation fault, probably '"},
        {"silent", "the GPU process did not start within its time limit"},
        {"nothing", "the GPU process sent a device without properties"},
        {"closed", "synthetic complaint"},
        {"old", "'/proc/self/exe' belongs to another version of this program"}};
    for (size_t i = 0; i < sizeof MODES / sizeof MODES[0]; i++) {
        Fixture f;

        assert_null(open_fake(&f, MODES[i][0]));

        assert_int_equal(f.diag.errors, 1);
        assert_string_equal(f.diag.messages.at[0].text, MODES[i][1]);
        end(&f);
    }
}

static void a_device_that_is_not_there_is_named(void **state)
{
    (void)state;
    for (int device = -1; device < 3; device++) {
        Fixture f;
        GpuOptions o = fake_options(&f, "well");
        o.device = device;

        f.gpu = open_gpu(&o, &f.diag);

        assert_int_equal(f.gpu != NULL, device == 0);
        if (device != 0)
            assert_string_equal(
                diag_first(&f.diag),
                arena_printf(f.arena, "there is no GPU %d: this machine has 1", device));
        end(&f);
    }
}

static void a_problem_that_is_refused_can_be_followed_by_another(void **state)
{
    (void)state;
    Fixture f;
    assert_non_null(open_fake(&f, "well"));

    assert_false(set_problem(&f, "unsettable"));
    assert_non_null(strstr(f.diag.messages.at[0].text, "synthetic refusal"));
    assert_true(set_problem(&f, "A"));

    submit(&f, 5, "well", 20);
    expect(&f, 5, OUTCOME_OK, "");
    end(&f);
}

/* As compute-sanitizer is: started first, it starts the helper and prints beside it. */
static void what_is_printed_under_a_wrapper_comes_with_the_result(void **state)
{
    (void)state;
    Fixture f;
    TrialResult r;
    static const char *const options[] = {"FAKE_HELPER=well", NULL};
    GpuOptions o = gpu_options("/proc/self/exe", 0);
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = 0;
    o.helper = self; /* not the wrapper itself */
    o.wrapper = "env";
    o.wrapper_options = options;
    f.arena = arena_new();
    f.diag = diag_new(f.arena);
    f.gpu = open_gpu(&o, &f.diag);
    assert_non_null(f.gpu);
    assert_true(set_problem(&f, "A"));

    submit(&f, 1, "prints", 20);
    submit(&f, 2, "well", 20);
    submit(&f, 3, "exit", 20);

    assert_true(next_result(f.gpu, f.arena, &r, 30));
    assert_non_null(strstr(r.printed, "printed by a synthetic kernel"));
    assert_true(next_result(f.gpu, f.arena, &r, 30));
    assert_string_equal(r.printed, "");
    expect(&f, 3, OUTCOME_FAULT, "last words");
    end(&f);
}

/* The real helper, on a machine without a driver. */
static void without_a_driver_the_reason_is_said(void **state)
{
    (void)state;
    if (access("/proc/driver/nvidia/version", F_OK) == 0)
        skip();
    Arena *a = arena_new();
    Diag d = diag_new(a);

    const GpuOptions o = gpu_options(BUILD_DIR "/aptune-gpu", 0);
    assert_null(open_gpu(&o, &d));

    assert_int_equal(d.errors, 1);
    assert_non_null(strstr(d.messages.at[0].text, "no CUDA driver on this machine"));
    assert_non_null(strstr(d.messages.at[0].text, "libcuda.so.1"));
    arena_free(a);
}

static void without_a_helper_its_path_is_said(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);

    const GpuOptions o = gpu_options("/nowhere/aptune-gpu", 0);
    assert_null(open_gpu(&o, &d));

    assert_non_null(strstr(d.messages.at[0].text, "/nowhere/aptune-gpu"));
    arena_free(a);
}

int main(void)
{
    const char *mode = getenv("FAKE_HELPER");
    if (mode)
        return fake_helper(mode);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_in_order_with_their_own_times),
        cmocka_unit_test(the_device_and_the_outputs_are_told),
        cmocka_unit_test(a_bad_trial_costs_itself_and_nothing_else),
        cmocka_unit_test(a_trial_too_large_for_a_message_costs_itself_and_nothing_else),
        cmocka_unit_test(asking_without_waiting_gives_nothing_yet),
        cmocka_unit_test(a_poll_loop_sees_every_result_and_every_timeout),
        cmocka_unit_test(a_device_that_cannot_be_started_again_is_given_up),
        cmocka_unit_test(a_helper_has_its_usual_limits),
        cmocka_unit_test(failed_starts_wait_twice_as_long_each_time),
        cmocka_unit_test(a_restart_that_fails_at_first_is_tried_again),
        cmocka_unit_test(opening_fails_with_the_reason),
        cmocka_unit_test(a_device_that_is_not_there_is_named),
        cmocka_unit_test(a_problem_that_is_refused_can_be_followed_by_another),
        cmocka_unit_test(what_is_printed_under_a_wrapper_comes_with_the_result),
        cmocka_unit_test(without_a_driver_the_reason_is_said),
        cmocka_unit_test(without_a_helper_its_path_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
