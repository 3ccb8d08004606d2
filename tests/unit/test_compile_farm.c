/* The farm with helpers that misbehave.  This program is itself the synthetic helper: a script in
 * the test's folder starts it again with --fake, and it then speaks the protocol, or does not. */
#include "metrics/base/file.h"
#include "metrics/base/process.h"
#include "tuner/compile/farm.h"
#include "tuner/compile/result.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- the synthetic helper ------------------------------------------------------------------ */

static void fake_hello(const char *mode, const char *library, Diag *d)
{
    int protocol = strcmp(mode, "protocol") == 0 ? 99 : COMPILE_PROTOCOL;
    json_t *hello =
        json_pack("{s:s, s:i, s:s, s:s, s:[]}", "helper", "aptune-compile", "protocol", protocol,
                  "version", "0.0 (synthetic)", "library", library, "missing");
    if (strcmp(mode, "no compiler") == 0)
        json_object_set_new(hello, "error", json_string("no compiler anywhere"));
    wire_send(PROCESS_WIRE, hello, (Blob){0}, d);
    json_decref(hello);
}

/* Replies as a compiler would: the PTX repeats the last option, the parameter. */
static void fake_reply(int64_t id, bool ok, const char *ptx, Diag *d)
{
    const CompileResult r = {.status = ok ? OUTCOME_COMPILED : OUTCOME_COMPILE_ERROR,
                             .log = ok ? "" : "k.cu(1): error",
                             .ptx = ok ? ptx : "",
                             .cubin = "ELF",
                             .cubin_size = 3,
                             .lowered = TEXTS("_Z1kv"),
                             .seconds = 0.125};
    Buf blob = {0};
    json_t *head = result_json(&r, &blob);
    json_object_set_new(head, "id", json_integer(id));
    wire_send(PROCESS_WIRE, head, (Blob){blob.text, blob.size}, d);
    json_decref(head);
    buf_free(&blob);
}

/* What no message is, or not all of one. */
static void fake_noise(const char *text)
{
    if (write(PROCESS_WIRE, text, strlen(text)) < 0)
        exit(9);
}

/* A child that keeps a lock as long as it lives. */
static void fake_child(const char *lock)
{
    if (fork() != 0)
        return;
    int fd = open(lock, O_RDWR | O_CREAT, 0600);
    flock(fd, LOCK_EX);
    for (;;)
        pause();
}

/* A profile, whose note says what the code was if it came with the request. */
static void fake_profile(const CompileRequest *q, const char *what, Diag *d)
{
    Profile p = profile_new();
    const ProfileRegion regions[] = {{{1, 2}}, {{3, 4}}};
    const ProfileAnswer x = {.error = strcmp(what, "walk:error") == 0 ? "no such kernel" : NULL,
                             .code = hash_bytes(what, strlen(what)),
                             .profiles = &p,
                             .count = strcmp(what, "walk:fewer") != 0,
                             .seconds = 0.5,
                             .cpu_seconds = 0.25};
    Buf numbers = {0};
    p.value[PROFILE_INSTR] = 42;
    p.note = q->ptx;
    profile_set_regions(d->arena, &p, regions, 2);
    json_t *head = profile_answer_json(&x, &numbers);
    json_object_set_new(head, "id", json_integer((json_int_t)q->id));
    wire_send(PROCESS_WIRE, head, (Blob){numbers.text, numbers.size}, d);
    json_decref(head);
    buf_free(&numbers);
}

static void fake_walk(const CompileRequest *q, const char *what, Diag *d)
{
    if (strcmp(what, "walk:hang") == 0)
        for (;;)
            pause();
    if (strcmp(what, "walk:crash") == 0)
        raise(SIGKILL);
    if (strcmp(what, "walk:other") == 0)
        fake_reply((int64_t)q->id, true, what, d);
    else
        fake_profile(q, what, d);
}

/* Ends by _exit(), which looks for no leaks: the thread that watches the host may still be starting. */
static void fake_serve(const WireMessage *m, Diag *d)
{
    CompileRequest q;
    if (!request_read(d->arena, m, &q, d))
        exit(8);
    const char *what = strchr(q.options.at[q.options.count - 1], '=') + 1;
    if (strncmp(what, "lock:", 5) == 0)
        fake_child(what + 5);
    if (strcmp(what, "hang") == 0 || strncmp(what, "lock:", 5) == 0)
        for (;;)
            pause();
    if (strcmp(what, "crash") == 0)
        raise(SIGKILL);
    if (strcmp(what, "exit") == 0) {
        fputs("the synthetic helper had enough\n", stderr);
        _exit(3);
    }
    if (strcmp(what, "prints") == 0)
        puts("a stray line");
    if (strcmp(what, "garbage") == 0)
        fake_noise("glibc detected something\n");
    else if (strcmp(what, "half") == 0)
        fake_noise("APT1 100 50\n{\n");
    else if (strcmp(what, "other") == 0)
        fake_reply(-1, true, what, d);
    else if (q.cubin_size == 0)
        fake_reply((int64_t)q.id, strcmp(what, "error") != 0, what, d);
    if (strcmp(what, "half") == 0)
        _exit(0);
    if (q.profile && strcmp(what, "error") != 0)
        fake_walk(&q, what, d);
}

static int fake_main(const char *mode, const char *library)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    WireReader r = wire_reader(PROCESS_WIRE);
    WireMessage m;
    process_become_helper();
    if (strcmp(mode, "dies") == 0) {
        fputs("cannot load libsynthetic.so\n", stderr);
        return 1;
    }
    if (strcmp(mode, "nonsense") == 0)
        fake_noise("Welcome to the synthetic compiler!\n");
    if (strcmp(mode, "silent") == 0)
        pause();
    fake_hello(mode, library, &d);
    while (wire_receive(&r, &m, WIRE_FOREVER) == WIRE_OK) {
        fake_serve(&m, &d);
        wire_message_free(&m);
    }
    wire_reader_free(&r);
    arena_free(a);
    return 0;
}

/* ---- the tests' frame ---------------------------------------------------------------------- */

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    char folder[128];
    const CompileSource *source;
    FarmOptions options;
    const ProfileJob *profile; /* of all jobs; NULL: none */
} Fixture;

/* A script that starts this program as a helper of the given mode. */
static const char *make_helper(Fixture *f, const char *mode)
{
    const char *path = arena_printf(f->arena, "%s/helper", f->folder);
    const char *script = arena_printf(
        f->arena, "#!/bin/sh\nexec '" BUILD_DIR "/tests/test_compile_farm' --fake '%s' '%s'\n",
        mode, path);
    file_write(path, script, strlen(script), &f->diag);
    chmod(path, 0700);
    return path;
}

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    char here[64];
    if (!getcwd(here, sizeof here))
        snprintf(here, sizeof here, ".");
    snprintf(f->folder, sizeof f->folder, "%s/farm-XXXXXX", here);
    if (!mkdtemp(f->folder))
        return 1;
    f->source = source_make(f->arena, "k.cu", "kernel", 6, f->folder, (Texts){0});
    f->options = (FarmOptions){.helper = make_helper(f, ""), .jobs = 2, .limit_seconds = 20};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    int result = system(command);
    arena_free(f->arena);
    free(f);
    return result;
}

static void use_cache(Fixture *f)
{
    f->options.cache = cache_open(f->arena, f->folder, false, &f->diag);
    assert_non_null(f->options.cache);
}

static CompileJob *job_of(Fixture *f, const char *value)
{
    CompileSetting setting = {
        .architecture = "sm_90",
        .defines = {&(CompileDefine){"WHAT", value}, 1, 0},
    };
    CompileJob *job = ARENA_NEW(f->arena, CompileJob);
    *job = source_configure(f->arena, f->source, &setting);
    job->profile = f->profile;
    return job;
}

/* What a run gave: results by id, and how many workers it started. */
typedef struct Run {
    CompileResult result[16];
    size_t count;
    size_t started;
} Run;

static Run run(Fixture *f, const char *const *values, size_t count)
{
    Run r = {0};
    Farm *farm = farm_open(&f->options);
    for (size_t i = 0; i < count; i++)
        farm_add(farm, i, job_of(f, values[i]));
    CompileResult result;
    while (farm_next(farm, f->arena, &result, &f->diag)) {
        assert_true(result.id < count);
        r.result[result.id] = result;
        r.count++;
    }
    assert_int_equal(farm_pending(farm), f->diag.errors ? count - r.count : 0);
    r.started = farm_started(farm);
    farm_close(farm);
    return r;
}

static CompileResult run_one(Fixture *f, const char *value)
{
    return run(f, &value, 1).result[0];
}

/* ---- tests --------------------------------------------------------------------------------- */

static void every_job_gets_its_own_result(void **state)
{
    Fixture *f = *state;
    const char *values[] = {"0", "1", "2", "3", "4", "5", "6", "error", "8", "9"};

    Run r = run(f, values, 10);

    assert_int_equal(r.count, 10);
    assert_in_range(r.started, 1, 2);
    for (size_t i = 0; i < 10; i++) {
        bool good = i != 7;
        assert_int_equal(r.result[i].status, good ? OUTCOME_COMPILED : OUTCOME_COMPILE_ERROR);
        assert_false(r.result[i].from_cache);
        if (good)
            assert_string_equal(r.result[i].ptx, values[i]);
        assert_string_equal(r.result[i].log, good ? "" : "k.cu(1): error");
        assert_string_equal(r.result[i].lowered.at[0], "_Z1kv");
    }
    assert_int_equal(f->diag.errors, 0);
}

static void a_bad_compile_costs_only_its_configuration(void **state)
{
    Fixture *f = *state;
    f->options.limit_seconds = 2;
    static const struct {
        const char *value;
        Outcome status;
        const char *log;
    } TABLE[] = {
        {"a", OUTCOME_COMPILED, ""},
        {"hang", OUTCOME_COMPILE_TIMEOUT, "longer than 2 s"},
        {"b", OUTCOME_COMPILED, ""},
        {"crash", OUTCOME_COMPILE_CRASH, "signal 9"},
        {"exit", OUTCOME_COMPILE_CRASH, "ended with code 3: the synthetic helper had enough"},
        {"garbage", OUTCOME_COMPILE_CRASH, "'glibc detected something"},
        {"prints", OUTCOME_COMPILED, ""},
        {"half", OUTCOME_COMPILE_CRASH, "in the middle of a message and ended with code 0"},
        {"other", OUTCOME_COMPILE_CRASH, "does not match the request"},
        {"crash", OUTCOME_COMPILE_CRASH, "signal 9"},
        {"crash", OUTCOME_COMPILE_CRASH, "signal 9"},
        {"crash", OUTCOME_COMPILE_CRASH, "signal 9"},
        {"d", OUTCOME_COMPILED, ""},
    };
    enum { COUNT = sizeof TABLE / sizeof *TABLE };
    const char *values[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        values[i] = TABLE[i].value;

    Run r = run(f, values, COUNT);

    assert_int_equal(r.count, COUNT);
    assert_int_equal(f->diag.errors, 0);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(r.result[i].status, TABLE[i].status);
        if (!strstr(r.result[i].log, TABLE[i].log))
            fail_msg("'%s' is not in '%s'", TABLE[i].log, r.result[i].log);
    }
    assert_true(r.result[1].seconds >= 2);
}

static void a_timeout_ends_the_compilers_children_too(void **state)
{
    Fixture *f = *state;
    f->options.limit_seconds = 2;
    const char *lock = arena_printf(f->arena, "%s/lock", f->folder);

    CompileResult r = run_one(f, arena_printf(f->arena, "lock:%s", lock));

    assert_int_equal(r.status, OUTCOME_COMPILE_TIMEOUT);
    int fd = open(lock, O_RDWR); /* made by the child */
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0); /* would wait for ever for a child that lives */
    close(fd);
}

static void a_helper_that_cannot_serve_ends_the_run_with_its_reason(void **state)
{
    Fixture *f = *state;
    static const char *const TABLE[][2] = {
        {"dies", "does not start (3 tries)"},      {"dies", "cannot load libsynthetic.so"},
        {"nonsense", "'Welcome to the synthetic"}, {"silent", "said nothing for 0.2 s"},
        {"no compiler", "no compiler anywhere"},   {"protocol", "protocol 99"},
    };
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
        /* Time enough for those that say something. */
        f->options.start_seconds = strcmp(TABLE[i][0], "silent") == 0 ? 0.2 : 20;
        f->options.helper = make_helper(f, TABLE[i][0]);
        f->diag = diag_new(f->arena);
        assert_int_equal(run(f, (const char *[]){"a", "b"}, 2).count, 0);
        assert_int_equal(f->diag.errors, 1);
        if (!strstr(f->diag.messages.at[0].text, TABLE[i][1]))
            fail_msg("'%s' is not in '%s'", TABLE[i][1], f->diag.messages.at[0].text);
    }
}

static void a_helper_that_is_not_there_is_named(void **state)
{
    Fixture *f = *state;
    f->options.helper = "./no-such-helper";

    assert_int_equal(run(f, (const char *[]){"a"}, 1).count, 0);

    assert_int_equal(f->diag.errors, 1);
    assert_non_null(strstr(f->diag.messages.at[0].text, "./no-such-helper"));
}

static void a_second_run_takes_all_from_the_cache_and_starts_nothing(void **state)
{
    Fixture *f = *state;
    use_cache(f);
    const char *values[] = {"a", "b", "error", "c"};

    Run first = run(f, values, 4), second = run(f, values, 4);

    assert_true(first.started > 0);
    assert_int_equal(second.started, 0);
    assert_int_equal(second.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const CompileResult *x = &first.result[i], *y = &second.result[i];
        assert_true(y->from_cache);
        assert_int_equal(x->status, y->status);
        assert_string_equal(x->log, y->log);
        assert_int_equal(x->ptx_size, y->ptx_size);
        if (x->ptx)
            assert_string_equal(x->ptx, y->ptx);
        assert_int_equal(y->cubin_size, 3);
        assert_memory_equal(y->cubin, "ELF", 3);
        assert_string_equal(y->lowered.at[0], "_Z1kv");
        assert_true(y->seconds > 0.124 && y->seconds < 0.126);
    }
}

static void timeouts_and_crashes_are_tried_again(void **state)
{
    Fixture *f = *state;
    use_cache(f);
    f->options.limit_seconds = 2;
    const char *values[] = {"hang", "crash"};

    Run first = run(f, values, 2), second = run(f, values, 2);

    assert_int_equal(first.result[0].status, OUTCOME_COMPILE_TIMEOUT);
    assert_int_equal(second.result[0].status, OUTCOME_COMPILE_TIMEOUT);
    assert_int_equal(second.result[1].status, OUTCOME_COMPILE_CRASH);
    assert_int_equal(second.started, 2);
}

static void a_changed_include_or_compiler_is_compiled_again(void **state)
{
    Fixture *f = *state;
    use_cache(f);
    const char *header = arena_printf(f->arena, "%s/a.h", f->folder);
    const char *text = "#include \"a.h\"\n";
    for (int round = 0; round < 4; round++) {
        const char *content = round < 2 ? "1" : "2";
        assert_true(file_write(header, content, 1, &f->diag));
        if (round ==
            3) /* the helper's library is the helper here: another one is another compiler */
            make_helper(f, "another");
        f->source = source_make(f->arena, "k.cu", text, strlen(text), f->folder, (Texts){0});
        Run r = run(f, (const char *[]){"a"}, 1);
        assert_int_equal(r.result[0].from_cache, round == 1);
        assert_int_equal(r.started, round == 1 ? 0 : 1);
    }
}

static void a_source_that_is_not_known_whole_is_not_cached(void **state)
{
    Fixture *f = *state;
    use_cache(f);
    const char *text = "#include HEADER\n";
    f->source = source_make(f->arena, "k.cu", text, strlen(text), f->folder, (Texts){0});

    for (size_t round = 0; round < 2; round++) {
        Run r = run(f, (const char *[]){"a", "b"}, 2);
        assert_int_equal(r.result[0].status, OUTCOME_COMPILED);
        assert_false(r.result[0].from_cache);
        assert_int_equal(f->diag.warnings, round + 1); /* one for each run */
        assert_non_null(strstr(f->diag.messages.at[round].text, "k.cu:1"));
    }
}

/* ---- profiles ------------------------------------------------------------------------------ */

static const unsigned char PARAMETERS[] = {1, 2, 3, 4};

static void ask_for_profiles(Fixture *f, int64_t blocks)
{
    ProfileLaunch *launch = ARENA_NEW(f->arena, ProfileLaunch);
    ProfileJob *job = ARENA_NEW(f->arena, ProfileJob);
    *launch = (ProfileLaunch){.grid = {blocks, 1, 1},
                              .block = {32, 1, 1},
                              .parameters = PARAMETERS,
                              .parameter_bytes = sizeof PARAMETERS};
    *job = (ProfileJob){
        .kernel = "k", .device = device_find("sm_90"), .launches = launch, .launch_count = 1};
    f->profile = job;
}

static void a_profile_comes_with_the_code(void **state)
{
    Fixture *f = *state;
    ask_for_profiles(f, 1);

    CompileResult r = run_one(f, "a");

    assert_int_equal(r.status, OUTCOME_COMPILED);
    assert_string_equal(r.ptx, "a");
    assert_int_equal(r.profiled, PROFILE_OK);
    assert_false(r.profile_from_cache);
    assert_int_equal(r.profile.count, 1);
    const Profile *p = &r.profile.profiles[0];
    assert_true(p->value[PROFILE_INSTR] == 42);
    assert_true(isnan(p->value[PROFILE_REGIONS]));
    assert_int_equal(p->region_count, 2);
    assert_true(p->regions[1].value[1] == 4);
    Hash code = hash_bytes("a", 1);
    assert_true(hash_equal(&r.profile.code, &code));
    assert_true(r.profile.seconds == 0.5 && r.profile.cpu_seconds == 0.25);
    assert_int_equal(run_one(f, "error").profiled, PROFILE_NONE);
}

static void a_walk_that_fails_costs_only_the_profile(void **state)
{
    Fixture *f = *state;
    static const struct {
        const char *value;
        ProfileStatus profiled;
        const char *why;
    } TABLE[] = {
        {"a", PROFILE_OK, NULL},
        {"walk:hang", PROFILE_LOST, "longer than 2 s"},
        {"b", PROFILE_OK, NULL},
        {"walk:crash", PROFILE_LOST, "signal 9"},
        {"walk:other", PROFILE_LOST, "does not match the request"},
        {"walk:error", PROFILE_ERROR, "no such kernel"},
        {"walk:fewer", PROFILE_LOST, "does not match the request"},
        {"c", PROFILE_OK, NULL},
    };
    enum { COUNT = sizeof TABLE / sizeof *TABLE };
    const char *values[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        values[i] = TABLE[i].value;
    f->options.limit_seconds = 2;
    ask_for_profiles(f, 1);
    use_cache(f);

    for (int round = 0; round < 2; round++) { /* with the code compiled, and from the cache */
        Run r = run(f, values, COUNT);

        assert_int_equal(f->diag.errors, 0);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(r.result[i].status, OUTCOME_COMPILED);
            assert_int_equal(r.result[i].profiled, TABLE[i].profiled);
            assert_int_equal(r.result[i].from_cache, round == 1);
            if (!TABLE[i].why)
                continue;
            assert_non_null(strstr(r.result[i].lost, TABLE[i].why));
            assert_string_equal(r.result[i].ptx, TABLE[i].value);
        }
    }
}

static void another_profile_of_cached_code_compiles_nothing(void **state)
{
    Fixture *f = *state;
    use_cache(f);
    ask_for_profiles(f, 1);
    assert_string_equal(run_one(f, "a").profile.profiles[0].note, "");

    CompileResult again = run_one(f, "a");
    assert_true(again.from_cache && again.profile_from_cache);
    assert_int_equal(again.profiled, PROFILE_OK);
    assert_string_equal(again.profile.profiles[0].note, "");
    assert_int_equal(again.profile.profiles[0].region_count, 2);

    ask_for_profiles(f, 2);
    CompileResult other = run_one(f, "a");
    assert_true(other.from_cache && !other.profile_from_cache);
    assert_string_equal(other.profile.profiles[0].note, "a");

    f->profile = NULL;
    CompileResult code = run_one(f, "a");
    assert_true(code.from_cache);
    assert_int_equal(code.profiled, PROFILE_NONE);
    assert_string_equal(code.ptx, "a");
}

static void profiles_from_the_cache_start_no_worker(void **state)
{
    Fixture *f = *state;
    use_cache(f);
    ask_for_profiles(f, 1);
    run_one(f, "a");
    assert_int_equal(run(f, (const char *[]){"a"}, 1).started, 0);
}

static void a_cache_that_cannot_be_written_is_one_warning(void **state)
{
    Fixture *f = *state;
    use_cache(f);
    const char *folder = arena_printf(f->arena, "%s/v1", f->folder);
    assert_int_equal(rmdir(folder), 0);
    assert_true(file_write(folder, "", 0, &f->diag)); /* a file where the folder was */

    Run r = run(f, (const char *[]){"a", "b", "c"}, 3);

    assert_int_equal(r.count, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(r.result[i].status, OUTCOME_COMPILED);
    assert_int_equal(f->diag.errors, 0);
    assert_int_equal(f->diag.warnings, 1);
}

/* A run in a process of its own; it ends with 0 when all went well. */
static pid_t run_apart(Fixture *f, const char *const *values, size_t count)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    Run r = run(f, values, count);
    bool good = r.count == count && f->diag.errors == 0 && f->diag.warnings == 0;
    for (size_t i = 0; i < count && good; i++)
        good = strcmp(r.result[i].ptx, values[i]) == 0;
    _exit(good ? 0 : 1);
}

static void two_runs_share_a_cache(void **state)
{
    Fixture *f = *state;
    use_cache(f);
    const char *values[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    int status[2];

    pid_t one = run_apart(f, values, 10), two = run_apart(f, values, 10);
    assert_int_equal(waitpid(one, &status[0], 0), one);
    assert_int_equal(waitpid(two, &status[1], 0), two);
    Run third = run(f, values, 10);

    assert_int_equal(status[0], 0);
    assert_int_equal(status[1], 0);
    assert_int_equal(third.started, 0);
    assert_int_equal(third.count, 10);
}

static void a_poll_loop_can_serve_the_farm_and_others(void **state)
{
    Fixture *f = *state;
    Farm *farm = farm_open(&f->options);
    int other[2];
    assert_int_equal(pipe(other), 0);
    const char *values[] = {"a", "b", "c", "d", "e"};
    size_t done = 0;
    CompileResult r;

    assert_false(farm_take(farm, f->arena, &r));
    for (size_t i = 0; i < 5; i++)
        farm_add(farm, i, job_of(f, values[i]));
    while (farm_pending(farm)) {
        Waits w = waits_new(5);
        waits_add(&w, other[0], POLLIN);
        farm_await(farm, &w);
        assert_true(w.timeout_ms >= 0 && w.timeout_ms <= 5000);
        assert_in_range(w.fds.count, 1, 3);
        waits_end(&w);
        assert_true(farm_service(farm, &f->diag));
        while (farm_take(farm, f->arena, &r))
            done++;
    }
    assert_int_equal(done, 5);
    assert_false(farm_next(farm, f->arena, &r, &f->diag));
    assert_int_equal(f->diag.errors, 0);

    farm_close(farm);
    close(other[0]);
    close(other[1]);
}

static void workers_share_three_quarters_of_the_memory(void **state)
{
    (void)state;
    assert_true(farm_memory_share(16, 4) == 3);
    assert_true(farm_memory_share(1000, 4) == 4);
    assert_true(farm_memory_share(16, 100) == 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
    if (argc >= 4 && strcmp(argv[1], "--fake") == 0)
        return fake_main(argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        CASE(every_job_gets_its_own_result),
        CASE(workers_share_three_quarters_of_the_memory),
        CASE(a_bad_compile_costs_only_its_configuration),
        CASE(a_timeout_ends_the_compilers_children_too),
        CASE(a_helper_that_cannot_serve_ends_the_run_with_its_reason),
        CASE(a_helper_that_is_not_there_is_named),
        CASE(a_second_run_takes_all_from_the_cache_and_starts_nothing),
        CASE(timeouts_and_crashes_are_tried_again),
        CASE(a_changed_include_or_compiler_is_compiled_again),
        CASE(a_source_that_is_not_known_whole_is_not_cached),
        CASE(a_profile_comes_with_the_code),
        CASE(a_walk_that_fails_costs_only_the_profile),
        CASE(another_profile_of_cached_code_compiles_nothing),
        CASE(profiles_from_the_cache_start_no_worker),
        CASE(a_cache_that_cannot_be_written_is_one_warning),
        CASE(two_runs_share_a_cache),
        CASE(a_poll_loop_can_serve_the_farm_and_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
