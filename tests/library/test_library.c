/* libaptune through its header alone, as somebody else's program has it.  Spaces of this source
 * tree are replayed from their recordings, and what has to be measured is answered by a GPU process
 * that makes its times up (cli/synthetic_gpu.c), so that no GPU is needed. */
#include <aptune.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- helpers ---------------------------------------------------------------------------------- */

/* Everything lies in a folder of this process, made and removed by the group. */
static char folder[64];

static const char *in_folder(const char *name)
{
    static _Thread_local char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void set(aptune *a, const char *name, const char *value)
{
    if (aptune_set(a, name, value) != APTUNE_OK)
        fail_msg("%s", aptune_message(a));
}

static void check(const aptune *a, aptune_status status)
{
    if (status != APTUNE_OK)
        fail_msg("status %d: %s", (int)status, aptune_message(a));
}

/* A handle on a spec of this tree, with the cache of the group. */
static aptune *handle_on(const char *spec)
{
    char path[512];
    aptune *a = aptune_new();
    assert_non_null(a);
    snprintf(path, sizeof path, "%s/%s", SOURCE_DIR, spec);
    set(a, "space", path);
    set(a, "output", in_folder("out"));
    set(a, "cache-dir", in_folder("cache"));
    return a;
}

/* The same where there is no GPU: a replay. */
static aptune *replay_of(const char *spec)
{
    aptune *a = handle_on(spec);
    set(a, "no-gpu", NULL);
    return a;
}

#define TUTORIAL "spaces/transpose-tutorial.spec"
#define SCAN     "spaces/scan-two-pass.spec"
#define ENDLESS  "tests/data/cli/endless.spec"
#define MANY     "tests/data/cli/many.spec"

/* What a command prints. */
static char *output_of(const char *command)
{
    enum { ROOM = 1 << 18 };
    char *text = malloc(ROOM);
    FILE *f = popen(command, "r");
    assert_non_null(text);
    assert_non_null(f);
    size_t n = fread(text, 1, ROOM - 1, f);
    text[n] = '\0';
    assert_int_equal(pclose(f), 0);
    return text;
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* A JSON text without what differs from run to run. */
static char *settled(const char *json)
{
    char command[512];
    write_text(in_folder("one.json"), json);
    snprintf(command, sizeof command, "jq -S 'del(.seconds, .ledger)' %s", in_folder("one.json"));
    return output_of(command);
}

/* The same of what the program prints. */
static char *settled_program(const char *spec)
{
    char command[1024];
    snprintf(
        command, sizeof command,
        "%s/aptune --space %s/%s --no-gpu --output %s/out --json | jq -S 'del(.seconds, .ledger)'",
        BUILD_DIR, SOURCE_DIR, spec, folder);
    return output_of(command);
}

/* --- a whole run ------------------------------------------------------------------------------ */

static void tuning_gives_what_the_program_prints(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);

    check(a, aptune_tune(a));

    char *ours = settled(aptune_text(a, APTUNE_JSON)), *theirs = settled_program(TUTORIAL);
    assert_string_equal(ours, theirs);
    assert_non_null(strstr(aptune_text(a, APTUNE_HEADING), "REPLAYED"));
    assert_non_null(strstr(aptune_text(a, APTUNE_REPORT), "(replayed)"));
    assert_string_equal(aptune_message(a), "");
    free(ours);
    free(theirs);
    aptune_free(a);
}

static void what_is_replayed_is_never_called_measured(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);

    check(a, aptune_open(a));

    assert_int_equal(aptune_source(a), APTUNE_REPLAYED);
    assert_non_null(strstr(aptune_why_not_measured(a), "--no-gpu"));
    assert_non_null(strstr(aptune_recording(a), "transpose-tutorial-h200.times"));
    assert_string_equal(aptune_recorded_on(a), aptune_device(a));
    assert_null(aptune_imported(a));
    aptune_free(a);
}

/* One configuration: its name names it, and its fate, outcome, times and reason fit together. */
static void check_configuration(aptune *a, size_t i)
{
    size_t count;
    const double *times = aptune_times_ms(a, i, &count);
    int timed = aptune_fate(a, i) == APTUNE_TIMED;
    assert_int_equal(aptune_find(a, aptune_name(a, i)), i);
    assert_int_equal(aptune_outcome(a, i) != NULL, timed);
    assert_int_equal(times != NULL && count > 0, timed);
    assert_int_equal(isnan(aptune_time_ms(a, i)), !timed);
    assert_non_null(strstr(aptune_why(a, i), aptune_name(a, i)));
    assert_int_equal(aptune_same_as(a, i), i);
    if (aptune_fate(a, i) == APTUNE_UNDECIDED) { /* the search did not look at it */
        assert_true(isnan(aptune_metric(a, i, "predicted_cycles")));
        assert_true(isnan(aptune_metric(a, i, "registers")));
        return;
    }
    assert_true(aptune_metric(a, i, "predicted_cycles") > 0);
    assert_true(aptune_metric(a, i, "registers") > 0);
}

static void answers_agree_with_each_other(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    check(a, aptune_tune(a));
    size_t best = aptune_best(a), fates[APTUNE_FAILED_TO_RUN + 1] = {0}, as_finalist = 0;

    for (size_t i = 0; i < aptune_count(a); i++) {
        check_configuration(a, i);
        fates[aptune_fate(a, i)]++;
    }
    for (size_t k = 0; k < aptune_finalist_count(a); k++)
        as_finalist += aptune_finalist(a, k) == best;

    assert_int_equal(fates[APTUNE_TIMED] + fates[APTUNE_CARVED] + fates[APTUNE_UNDECIDED],
                     aptune_count(a));
    assert_true(fates[APTUNE_TIMED] > 1);
    assert_int_equal(as_finalist, 1);
    assert_true(aptune_is_tied(a, best));
    assert_true(aptune_time_low_ms(a, best) <= aptune_time_ms(a, best));
    assert_true(aptune_time_ms(a, best) <= aptune_time_high_ms(a, best));
    assert_true(aptune_relative_performance(a) > 0.9);
    aptune_free(a);
}

static void parameters_have_names_texts_and_numbers(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    check(a, aptune_open(a));
    char name[256] = "";
    for (size_t p = 0; p < aptune_parameter_count(a); p++) {
        const char *parameter = aptune_parameter(a, p), *value = aptune_value(a, 5, parameter);
        snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s=%s", p ? " " : "",
                 parameter, value);
        assert_true(aptune_number(a, 5, parameter, -1) == strtod(value, NULL));
    }
    assert_string_equal(name, aptune_name(a, 5));

    assert_null(aptune_parameter(a, aptune_parameter_count(a)));
    assert_null(aptune_value(a, 5, "XYZZY"));
    assert_true(aptune_number(a, 5, "XYZZY", -1) == -1);
    aptune_free(a);
}

static void a_handle_knows_nothing_before_it_is_asked_to(void **state)
{
    (void)state;
    aptune *a = aptune_new();
    size_t count = 1;

    assert_int_equal(aptune_source(a), APTUNE_STATIC);
    assert_int_equal(aptune_count(a), 0);
    assert_true(aptune_best(a) == APTUNE_NOTHING);
    assert_true(aptune_find(a, "A=1") == APTUNE_NOTHING);
    assert_null(aptune_name(a, 0));
    assert_null(aptune_why(a, 0));
    assert_null(aptune_times_ms(a, 0, &count));
    assert_int_equal(count, 0);
    assert_true(isnan(aptune_metric(a, 0, "registers")));
    assert_null(aptune_device(a));
    assert_null(aptune_recording(a));
    for (int kind = 0; kind <= APTUNE_TABLE + 1; kind++)
        assert_null(aptune_text(a, (aptune_text_kind)kind));
    assert_int_equal(aptune_launch_count(a), 0);
    aptune_free(a);
    aptune_free(NULL);
}

static void stages_do_what_comes_before_them(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    set(a, "carve", NULL);

    check(a, aptune_carve(a));
    assert_int_equal(aptune_fate(a, aptune_count(a) - 1), APTUNE_CARVED);
    assert_true(aptune_best(a) == APTUNE_NOTHING);
    assert_null(aptune_text(a, APTUNE_REPORT));
    check(a, aptune_compile(a)); /* was done on the way */
    check(a, aptune_tune(a));
    assert_true(aptune_best(a) != APTUNE_NOTHING);
    aptune_free(a);
}

static void a_search_looks_at_nothing_before_it_measures(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);

    check(a, aptune_carve(a));
    for (size_t i = 0; i < aptune_count(a); i++) {
        assert_int_equal(aptune_fate(a, i), APTUNE_UNDECIDED);
        assert_true(isnan(aptune_metric(a, i, "predicted_cycles")));
    }
    check(a, aptune_measure(a));
    size_t timed = 0;
    for (size_t i = 0; i < aptune_count(a); i++)
        timed += aptune_fate(a, i) == APTUNE_TIMED;
    assert_true(timed > 1);
    assert_true(aptune_best(a) == APTUNE_NOTHING);
    aptune_free(a);
}

static void a_handle_begins_anew_with_its_options(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    check(a, aptune_tune(a));
    char *first = settled(aptune_text(a, APTUNE_JSON));

    assert_int_equal(aptune_set(a, "exhaustive", NULL), APTUNE_TOO_LATE);
    assert_non_null(strstr(aptune_message(a), "aptune_reset"));
    aptune_reset(a);
    assert_int_equal(aptune_count(a), 0);
    check(a, aptune_tune(a));
    char *second = settled(aptune_text(a, APTUNE_JSON));
    assert_string_equal(first, second);

    aptune_reset(a);
    set(a, "exhaustive", NULL);
    check(a, aptune_tune(a));
    for (size_t i = 0; i < aptune_count(a); i++)
        assert_int_equal(aptune_fate(a, i), APTUNE_TIMED);
    free(first);
    free(second);
    aptune_free(a);
}

static void a_dry_run_counts_and_goes_no_further(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    set(a, "dry-run", NULL);

    check(a, aptune_tune(a));

    assert_int_equal(aptune_count(a), 156);
    assert_non_null(strstr(aptune_text(a, APTUNE_COUNTS_JSON), "\"configurations\": 156"));
    assert_null(aptune_text(a, APTUNE_JSON));
    aptune_free(a);
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void wrong_options_are_values_with_a_message(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *words;
    } wrong[] = {
        {"exaustive", NULL, "did you mean '--exhaustive'?"},
        {"xyzzy", "1", "unknown option '--xyzzy'"},
        {"jobs", "0", "--jobs takes a whole number from 1 to 1024, not '0'"},
        {"jobs", NULL, "--jobs needs a value"},
        {"json", NULL, "unknown option"}, /* the command's, not the library's */
        {"exhaustive", "yes", "--exhaustive takes no value"},
        {"cache", "tepid", "--cache takes warm, cold or both"},
        {"compile-limit", "nan", "--compile-limit takes a number of seconds"},
        {"shard", "4/4", "--shard takes i/n"},
    };
    aptune *a = aptune_new();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(aptune_set(a, wrong[i].name, wrong[i].value), APTUNE_WRONG);
        if (!strstr(aptune_message(a), wrong[i].words))
            fail_msg("'%s' has no '%s'", aptune_message(a), wrong[i].words);
    }
    set(a, "jobs", "2");
    assert_string_equal(aptune_message(a), "");
    aptune_free(a);
}

static void every_option_that_is_listed_is_known(void **state)
{
    (void)state;
    aptune *a = aptune_new();
    size_t count = 0;
    for (; aptune_option_name(count); count++) {
        /* An option that takes a value is refused without one, not as unknown, and the reverse;
         * what stands in brackets may be left out. */
        const char *value = aptune_option_value(count), *wrong = value ? NULL : "x";
        aptune_status expected = value && value[0] == '[' ? APTUNE_OK : APTUNE_WRONG;
        assert_int_equal(aptune_set(a, aptune_option_name(count), wrong), expected);
        assert_null(strstr(aptune_message(a), "unknown"));
        assert_true(strlen(aptune_option_help(count)) > 0);
    }
    assert_true(count > 15);
    assert_null(aptune_option_help(count));
    aptune_free(a);
}

static void no_space_no_spec_no_configuration(void **state)
{
    (void)state;
    aptune *a = aptune_new();

    assert_int_equal(aptune_open(a), APTUNE_WRONG);
    assert_non_null(strstr(aptune_message(a), "which space?"));
    assert_int_equal(aptune_tune(a), APTUNE_WRONG); /* the failure stays until a reset */
    assert_non_null(strstr(aptune_message(a), "which space?"));

    aptune_reset(a);
    set(a, "space", "none.spec");
    assert_int_equal(aptune_tune(a), APTUNE_WRONG);
    assert_string_equal(aptune_message(a), "cannot open 'none.spec': No such file or directory");
    aptune_free(a);

    a = replay_of(TUTORIAL);
    check(a, aptune_open(a));
    assert_true(aptune_find(a, "VARIANT=77") == APTUNE_NOTHING);
    assert_true(strlen(aptune_message(a)) > 0);
    assert_int_equal(aptune_fetch(a, 100000), APTUNE_WRONG);
    assert_non_null(strstr(aptune_message(a), "no configuration 100000"));
    aptune_free(a);
}

typedef struct Heard {
    size_t count[APTUNE_ERROR + 1];
    char last[4096];
} Heard;

static void hear(void *context, aptune_severity severity, const char *text)
{
    Heard *h = context;
    h->count[severity]++;
    snprintf(h->last, sizeof h->last, "%s", text);
}

static void mistakes_in_a_spec_come_with_their_place(void **state)
{
    (void)state;
    Heard heard = {0};
    aptune *a = aptune_new();
    write_text(in_folder("k.cu"), "\n");
    write_text(in_folder("x.spec"), "kernel \"k.cu\" k\n"
                                    "param BM in 1, 2\n"
                                    "require BMM > 1\n"
                                    "block 32\n"
                                    "grid 1\n");
    aptune_on_message(a, hear, &heard);
    set(a, "space", in_folder("x.spec"));

    assert_int_equal(aptune_open(a), APTUNE_WRONG);

    const char *message = aptune_message(a);
    assert_non_null(strstr(message, "x.spec:3:9: error: "));
    assert_non_null(strstr(message, "\n            ^~~"));
    assert_int_equal(heard.count[APTUNE_ERROR], 1);
    assert_memory_equal(heard.last, message, strlen(message));
    assert_string_equal(heard.last + strlen(message), "\n");
    aptune_free(a);
}

/* --- progress and stopping -------------------------------------------------------------------- */

typedef struct Seen {
    size_t calls, backwards;
    char stage[64];
    size_t done;
    size_t stop_at; /* steps; 0: never */
} Seen;

static int see(void *context, const char *stage, size_t done, size_t all, const char *what)
{
    Seen *s = context;
    (void)what;
    s->backwards += done > all || (strcmp(s->stage, stage) == 0 && done < s->done);
    snprintf(s->stage, sizeof s->stage, "%s", stage);
    s->done = done;
    return ++s->calls == s->stop_at;
}

/* All configurations of a small space are compiled here, into the cache of the group. */
static aptune *compiling(Seen *seen)
{
    aptune *a = handle_on(MANY);
    set(a, "arch", "sm_90");
    aptune_on_progress(a, see, seen);
    return a;
}

static void progress_is_told_and_never_goes_back(void **state)
{
    (void)state;
    Seen seen = {0};
    aptune *a = compiling(&seen);
    check(a, aptune_carve(a));
    assert_true(seen.calls >= aptune_count(a) - 1);
    assert_int_equal(seen.backwards, 0);
    assert_string_equal(seen.stage, "compile");
    aptune_free(a);
}

static void progress_can_stop_and_a_reset_goes_on(void **state)
{
    (void)state;
    Seen seen = {.stop_at = 3};
    aptune *a = compiling(&seen);
    char cache[256];
    snprintf(cache, sizeof cache, "%s", in_folder("empty-cache"));
    set(a, "cache-dir", cache);

    assert_int_equal(aptune_tune(a), APTUNE_STOPPED);
    assert_string_equal(aptune_message(a), "stopped");
    assert_int_equal(aptune_tune(a), APTUNE_STOPPED);

    aptune_reset(a);
    aptune_on_progress(a, NULL, NULL);
    check(a, aptune_carve(a));
    aptune_free(a);
}

static void a_stop_before_the_call_holds(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    aptune_stop(a);
    assert_int_equal(aptune_open(a), APTUNE_STOPPED);
    aptune_reset(a);
    check(a, aptune_open(a));
    aptune_free(a);
}

static void a_descriptor_can_stop(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    aptune *a = replay_of(TUTORIAL);
    check(a, aptune_stop_on(a, ends[0]));
    check(a, aptune_open(a));
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(aptune_tune(a), APTUNE_STOPPED);

    aptune_reset(a);
    assert_int_equal(aptune_open(a), APTUNE_STOPPED); /* it is readable still */
    aptune_reset(a);
    check(a, aptune_stop_on(a, -1));
    check(a, aptune_tune(a));
    assert_int_equal(aptune_stop_on(a, 12345), APTUNE_WRONG);
    close(ends[0]);
    close(ends[1]);
    aptune_free(a);
}

/* Stops the handle once a compiler is at work on what it never ends. */
static void *stop_soon(void *handle)
{
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    aptune_stop(handle);
    return NULL;
}

static void another_thread_can_stop_a_compiler_at_work(void **state)
{
    (void)state;
    pthread_t other;
    aptune *a = handle_on(ENDLESS);
    set(a, "arch", "sm_90");
    assert_int_equal(pthread_create(&other, NULL, stop_soon, a), 0);

    assert_int_equal(aptune_tune(a), APTUNE_STOPPED);

    pthread_join(other, NULL);
    aptune_free(a);
}

/* --- measuring (times are made up) ------------------------------------------------------------ */

/* An installed prefix whose GPU process makes times up. */
static void make_synthetic_home(void)
{
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && mkdir -p home/libexec/aptune && cd home/libexec/aptune &&"
             " ln -sf %s/aptune-compile . && ln -sf %s/tests/synthetic_gpu aptune-gpu",
             folder, BUILD_DIR, BUILD_DIR);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "library-%ld", (long)getpid());
    setenv("SYNTHETIC_UUID", command, 1);
}

static aptune *measuring(const char *output)
{
    aptune *a = handle_on(MANY);
    make_synthetic_home();
    set(a, "home", in_folder("home"));
    set(a, "output", in_folder(output));
    return a;
}

static void what_was_measured_is_recorded_and_replayed(void **state)
{
    (void)state;
    aptune *a = measuring("measured");
    check(a, aptune_tune(a));
    size_t best = aptune_best(a);
    assert_int_equal(aptune_source(a), APTUNE_MEASURED);
    assert_null(aptune_why_not_measured(a));
    assert_true(best != APTUNE_NOTHING);

    aptune *b = replay_of(MANY);
    set(b, "recordings", in_folder("measured"));
    check(b, aptune_tune(b));
    assert_int_equal(aptune_source(b), APTUNE_REPLAYED);
    assert_string_equal(aptune_name(b, aptune_best(b)), aptune_name(a, best));
    assert_true(aptune_time_ms(b, best) == aptune_time_ms(a, best));
    aptune_free(a);
    aptune_free(b);
}

static void two_handles_do_not_measure_on_one_gpu(void **state)
{
    (void)state;
    aptune *a = measuring("claimed"), *b = measuring("other");
    check(a, aptune_compile(a));
    assert_int_equal(aptune_compile(b), APTUNE_FAILED);
    assert_non_null(strstr(aptune_message(b), "in use by another run"));
    aptune_free(a);
    aptune_reset(b);
    check(b, aptune_compile(b));
    aptune_free(b);
}

typedef struct Job {
    aptune *handle;
    aptune_status (*stage)(aptune *a);
    aptune_status status;
} Job;

static void *do_job(void *job)
{
    Job *j = job;
    j->status = j->stage(j->handle);
    return NULL;
}

/* The call in a thread that ends with it. */
static void in_a_thread(aptune *a, aptune_status (*stage)(aptune *a))
{
    pthread_t thread;
    Job job = {a, stage, APTUNE_FAILED};
    assert_int_equal(pthread_create(&thread, NULL, do_job, &job), 0);
    pthread_join(thread, NULL);
    check(a, job.status);
}

static void a_handle_goes_from_thread_to_thread(void **state)
{
    (void)state;
    Heard heard = {0};
    aptune *a = measuring("threads");
    aptune_on_message(a, hear, &heard);
    in_a_thread(a, aptune_open); /* starts the GPU process */
    in_a_thread(a, aptune_compile);
    in_a_thread(a, aptune_measure);
    check(a, aptune_tune(a));
    assert_int_equal(aptune_source(a), APTUNE_MEASURED);
    assert_int_equal(heard.count[APTUNE_WARNING], 1); /* the spec has no reference */
    aptune_free(a);
}

/* --- code ------------------------------------------------------------------------------------- */

static void code_of_a_configuration_can_be_fetched(void **state)
{
    (void)state;
    aptune *a = handle_on(MANY);
    aptune_launch l = {.struct_size = sizeof l};
    set(a, "arch", "sm_90");
    check(a, aptune_open(a));
    size_t i = aptune_find(a, "THREADS=96 EACH=2");
    check(a, aptune_fetch(a, i));

    assert_int_equal(aptune_launch_count(a), 1);
    check(a, aptune_get_launch(a, 0, &l));
    assert_string_equal(l.kernel, "synthetic");
    assert_true(l.cubin_size > 64);
    assert_memory_equal(l.cubin, "\177ELF", 4);
    assert_non_null(strstr(l.ptx, ".visible .entry synthetic("));
    assert_int_equal(l.grid[0], 65536 / (96 * 2));
    assert_int_equal(l.block[0], 96);
    assert_int_equal(l.block[1], 1);
    assert_int_equal(l.repeat, 1);

    static const char *const names[] = {"Y", "X"};
    assert_int_equal(l.argument_count, 2);
    for (size_t k = 0; k < 2; k++) {
        aptune_argument g = {.struct_size = sizeof g};
        check(a, aptune_get_argument(a, 0, k, &g));
        assert_string_equal(g.name, names[k]);
        assert_string_equal(g.type, "float");
        assert_int_equal(g.kind, APTUNE_BUFFER);
        assert_int_equal(g.count, 65536);
        assert_null(g.value);
    }
    aptune_free(a);
}

static void what_is_asked_for_past_the_end_has_a_message(void **state)
{
    (void)state;
    aptune *a = handle_on(MANY);
    aptune_launch l = {.struct_size = sizeof l};
    aptune_argument g = {.struct_size = sizeof g};
    set(a, "arch", "sm_90");
    assert_int_equal(aptune_get_launch(a, 0, &l), APTUNE_WRONG);
    assert_non_null(strstr(aptune_message(a), "aptune_fetch comes first"));
    check(a, aptune_open(a));
    check(a, aptune_fetch(a, 0));

    assert_int_equal(aptune_get_launch(a, 1, &l), APTUNE_WRONG);
    assert_string_equal(aptune_message(a), "there is no launch 1");
    assert_int_equal(aptune_get_argument(a, 1, 0, &g), APTUNE_WRONG);
    assert_string_equal(aptune_message(a), "there is no launch 1");
    assert_int_equal(aptune_get_argument(a, 0, 2, &g), APTUNE_WRONG);
    assert_string_equal(aptune_message(a), "there is no argument 2");
    assert_int_equal(aptune_get_variable(a, 0, &g), APTUNE_WRONG);
    assert_string_equal(aptune_message(a), "there is no variable 0");

    check(a, aptune_get_argument(a, 0, 1, &g));
    assert_string_equal(aptune_message(a), "");
    aptune_free(a);
}

static void a_problem_that_is_not_there_is_refused(void **state)
{
    (void)state;
    aptune *a = handle_on(MANY);
    set(a, "arch", "sm_90");

    check(a, aptune_choose_problem(a, 99));
    assert_int_equal(aptune_open(a), APTUNE_WRONG);
    assert_non_null(strstr(aptune_message(a), "there is no problem number 99"));

    aptune_reset(a);
    check(a, aptune_choose_problem(a, 0));
    check(a, aptune_open(a));
    aptune_free(a);
}

static void values_of_arguments_are_their_bytes(void **state)
{
    (void)state;
    aptune *a = replay_of("spaces/saxpy.spec");
    check(a, aptune_open(a));
    check(a, aptune_fetch(a, 0));
    size_t values = 0;
    aptune_argument g = {.struct_size = sizeof g};
    for (size_t k = 0; aptune_get_argument(a, 0, k, &g) == APTUNE_OK; k++) {
        assert_int_equal(g.value != NULL, g.kind == APTUNE_VALUE);
        if (g.kind == APTUNE_VALUE && strcmp(g.type, "float") == 0) {
            float value;
            assert_int_equal(g.value_size, sizeof value);
            memcpy(&value, g.value, sizeof value);
            assert_int_equal(isnan(value) != 0, 0);
            values++;
        }
    }
    assert_int_equal(values, 1); /* of y = a x + y */
    aptune_free(a);
}

/* A caller compiled with another version of the header has a shorter or a longer struct. */
static void structs_of_other_versions_are_filled_as_far_as_they_go(void **state)
{
    (void)state;
    struct {
        aptune_launch launch;
        char more[16];
    } longer;
    aptune *a = handle_on(MANY);
    set(a, "arch", "sm_90");
    check(a, aptune_open(a));
    check(a, aptune_fetch(a, 0));

    memset(&longer, 0x55, sizeof longer);
    longer.launch.struct_size = offsetof(aptune_launch, cubin);
    check(a, aptune_get_launch(a, 0, &longer.launch));
    assert_int_equal(longer.launch.struct_size, offsetof(aptune_launch, cubin));
    assert_string_equal(longer.launch.kernel, "synthetic");
    assert_int_equal(((unsigned char *)&longer)[offsetof(aptune_launch, cubin)], 0x55);

    longer.launch.struct_size = sizeof longer;
    check(a, aptune_get_launch(a, 0, &longer.launch));
    assert_true(longer.launch.cubin_size > 0);
    for (size_t i = 0; i < sizeof longer.more; i++)
        assert_int_equal(longer.more[i], 0);
    aptune_free(a);
}

/* --- guests in somebody else's process -------------------------------------------------------- */

static void *tune_tutorial(void *out)
{
    aptune *a = replay_of(TUTORIAL);
    check(a, aptune_tune(a));
    *(char **)out = strdup(aptune_text(a, APTUNE_JSON));
    aptune_free(a);
    return NULL;
}

static void *tune_scan(void *out)
{
    aptune *a = replay_of(SCAN);
    check(a, aptune_tune(a));
    *(char **)out = strdup(aptune_text(a, APTUNE_JSON));
    aptune_free(a);
    return NULL;
}

static void threads_tune_at_the_same_time(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    void *(*const work[2])(void *) = {tune_tutorial, tune_scan};
    pthread_t threads[THREADS];
    char *alone[2], *together[THREADS];
    for (size_t i = 0; i < 2; i++)
        work[i](&alone[i]);

    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work[i % 2], &together[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);

    for (size_t i = 0; i < THREADS; i++) {
        char *one = settled(alone[i % 2]), *other = settled(together[i]);
        assert_string_equal(one, other);
        free(one);
        free(other);
        free(together[i]);
    }
    free(alone[0]);
    free(alone[1]);
}

enum { SIGNALS = 32 };

/* On a GPU of its own, with a compile cache that both write. */
static void *measure_on(void *device)
{
    const char *number = device;
    aptune *a = handle_on(MANY);
    char output[300];
    snprintf(output, sizeof output, "%s-%s", in_folder("together"), number);
    set(a, "home", in_folder("home"));
    set(a, "output", output);
    set(a, "cache-dir", in_folder("together-cache"));
    set(a, "device", number);
    check(a, aptune_tune(a));
    assert_int_equal(aptune_source(a), APTUNE_MEASURED);
    char *best = strdup(aptune_name(a, aptune_best(a)));
    aptune_free(a);
    return best;
}

static void threads_measure_at_the_same_time(void **state)
{
    (void)state;
    char numbers[2][2] = {"0", "1"};
    pthread_t threads[2];
    void *best[2];
    make_synthetic_home();
    setenv("SYNTHETIC_GPUS", "2", 1);

    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, measure_on, numbers[i]), 0);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], &best[i]);

    unsetenv("SYNTHETIC_GPUS");
    assert_string_equal(best[0], best[1]); /* the made-up times are of the code */
    free(best[0]);
    free(best[1]);
}

static size_t descriptors_open(void)
{
    size_t count = 0;
    DIR *d = opendir("/proc/self/fd");
    assert_non_null(d);
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

/* The handlers of all signals. */
static void read_handlers(void (*handler[SIGNALS])(int))
{
    struct sigaction action;
    for (int s = 1; s < SIGNALS; s++)
        handler[s] = sigaction(s, NULL, &action) == 0 ? action.sa_handler : NULL;
}

/* A run that compiles, measures, and writes, in the caller's process as it finds it. */
static void nothing_of_the_callers_is_changed(void **state)
{
    (void)state;
    sigset_t mask_before, mask_after;
    void (*handlers_before[SIGNALS])(int), (*handlers_after[SIGNALS])(int);
    char folder_before[512], folder_after[512];
    make_synthetic_home(); /* sets a variable of the environment, for the GPU process */
    mode_t umask_before = umask(022);
    locale_t locale_before = uselocale((locale_t)0);
    size_t descriptors_before = descriptors_open();
    pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
    read_handlers(handlers_before);
    assert_non_null(getcwd(folder_before, sizeof folder_before));

    aptune *a = measuring("guest");
    check(a, aptune_tune(a));
    assert_true(uselocale((locale_t)0) == locale_before);
    aptune_free(a);

    pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    read_handlers(handlers_after);
    for (int s = 1; s < SIGNALS; s++) {
        assert_int_equal(sigismember(&mask_before, s), sigismember(&mask_after, s));
        assert_true(handlers_before[s] == handlers_after[s]);
    }
    assert_non_null(getcwd(folder_after, sizeof folder_after));
    assert_string_equal(folder_before, folder_after);
    assert_int_equal(umask(umask_before), 022);
    assert_int_equal(descriptors_open(), descriptors_before);
}

static void the_callers_children_are_left_to_it(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    aptune *a = handle_on(MANY);
    set(a, "arch", "sm_90");
    set(a, "cache-dir", in_folder("children-cache"));
    check(a, aptune_open(a));
    check(a, aptune_fetch(a, 3)); /* starts, and ends, a compiler */
    aptune_free(a);

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(waitpid(-1, &status, WNOHANG), -1); /* and none of ours is left behind */
}

static volatile sig_atomic_t children_ended;

static void on_child(int s)
{
    (void)s;
    children_ended++;
}

static void the_callers_handler_of_ended_children_may_stay(void **state)
{
    (void)state;
    struct sigaction before, mine = {.sa_handler = on_child};
    sigaction(SIGCHLD, &mine, &before);
    aptune *a = handle_on(MANY);
    set(a, "arch", "sm_90");
    set(a, "cache-dir", in_folder("handler-cache"));
    check(a, aptune_open(a));
    check(a, aptune_fetch(a, 3));
    aptune_free(a);
    sigaction(SIGCHLD, &before, NULL);
    assert_true(children_ended > 0);
}

/* --- little memory ---------------------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif

/* This program once more, where allocations of more than 16 MB fail: a list of a space that needs
 * more, then one that has room. */
static int be_without_memory(void)
{
    aptune *a = aptune_new();
    write_text(in_folder("k.cu"), "extern \"C\" __global__ void k() {}\n");
    write_text(in_folder("large.spec"), "kernel \"k.cu\" k\n"
                                        "param A in range(0, 1000)\n"
                                        "param B in range(0, 600)\n"
                                        "block 32\n"
                                        "grid 1\n");
    set(a, "space", in_folder("large.spec"));
    set(a, "arch", "sm_90");
    set(a, "exhaustive", NULL); /* a search has no list */
    int failed = aptune_tune(a) == APTUNE_NO_MEMORY && aptune_tune(a) == APTUNE_NO_MEMORY &&
                 strcmp(aptune_message(a), "out of memory") == 0;
    aptune_reset(a);
    int begins_anew = strcmp(aptune_message(a), "") == 0;
    aptune_free(a);
    a = replay_of(TUTORIAL);
    int goes_on = aptune_tune(a) == APTUNE_OK;
    aptune_free(a);
    return failed && begins_anew && goes_on ? 0 : 1;
}

static void out_of_memory_is_a_status(void **state)
{
    (void)state;
#ifndef ADDRESS_SANITIZER
    skip(); /* its allocator can be told to fail */
#endif
    char command[512], self[256];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    snprintf(command, sizeof command,
             "ASAN_OPTIONS=max_allocation_size_mb=16:allocator_may_return_null=1:detect_leaks=0 "
             "%s little-memory %s 2>/dev/null",
             self, folder);
    assert_int_equal(system(command), 0);
}

/* A locale with a comma for a point, made here where the system has none. */
static int set_comma_locale(void)
{
    char command[512];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             folder);
    int made = system(command);
    (void)made; /* 1 after mere warnings */
    setenv("LOCPATH", folder, 1);
    int ok = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    unsetenv("LOCPATH");
    return ok;
}

static void numbers_have_a_point_whatever_the_locale_is(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    check(a, aptune_tune(a));
    char *plain = settled(aptune_text(a, APTUNE_JSON)),
         *table = strdup(aptune_text(a, APTUNE_TABLE));
    aptune_free(a);
    if (!set_comma_locale()) {
        free(plain);
        free(table);
        skip();
    }
    char number[16];
    snprintf(number, sizeof number, "%.1f", 1.5);
    assert_string_equal(number, "1,5"); /* the locale is what it should be */

    a = replay_of(TUTORIAL);
    set(a, "compile-limit", "2.5");
    check(a, aptune_tune(a));
    char *german = settled(aptune_text(a, APTUNE_JSON));
    assert_string_equal(german, plain);
    assert_string_equal(aptune_text(a, APTUNE_TABLE), table);
    snprintf(number, sizeof number, "%.1f", 1.5);
    assert_string_equal(number, "1,5");
    aptune_free(a);
    setlocale(LC_ALL, "C");
    free(plain);
    free(german);
    free(table);
}

static int see_number(void *context, const char *stage, size_t done, size_t all, const char *what)
{
    (void)stage;
    (void)done;
    (void)all;
    (void)what;
    snprintf(context, 16, "%.1f", 1.5);
    return 0;
}

static void callbacks_run_in_the_callers_locale(void **state)
{
    (void)state;
    char number[16] = "";
    if (!set_comma_locale())
        skip();
    aptune *a = handle_on(MANY);
    set(a, "arch", "sm_90");
    aptune_on_progress(a, see_number, number);
    check(a, aptune_compile(a));
    aptune_free(a);
    setlocale(LC_ALL, "C");
    assert_string_equal(number, "1,5");
}

/* --- files ------------------------------------------------------------------------------------ */

static void the_tuned_kernel_is_written_where_asked(void **state)
{
    (void)state;
    char header[300];
    struct stat st;
    aptune *a = replay_of(TUTORIAL);
    char emitted[256];
    snprintf(emitted, sizeof emitted, "%s", in_folder("emitted/here"));
    check(a, aptune_emit(a, emitted));
    assert_non_null(strstr(aptune_emitted(a), ".h"));
    snprintf(header, sizeof header, "ls %s/*.h", emitted);
    char *names = output_of(header);
    names[strcspn(names, "\n")] = '\0';
    assert_int_equal(stat(names, &st), 0);
    assert_true(st.st_size > 100);
    free(names);

    write_text(in_folder("a-file"), "");
    assert_int_equal(aptune_emit(a, in_folder("a-file")), APTUNE_FAILED);
    assert_true(strlen(aptune_message(a)) > 0);
    aptune_free(a);
}

static void recordings_are_written_out_without_opening_the_space(void **state)
{
    (void)state;
    char emitted[256];
    snprintf(emitted, sizeof emitted, "%s", in_folder("of-recordings"));
    aptune *a = handle_on(TUTORIAL);
    set(a, "emit", "runtime");
    set(a, "emit-name", "turned");
    set(a, "emit-prefix", "my_");

    check(a, aptune_emit_recordings(a, emitted, NULL, 0));

    assert_non_null(strstr(aptune_emitted(a), "of-recordings/turned.cu"));
    assert_int_equal(aptune_count(a), 0); /* nothing is open */
    char command[300];
    snprintf(command, sizeof command, "grep -c my_launch %s/turned.h", emitted);
    char *uses = output_of(command);
    assert_true(atoi(uses) > 0);
    free(uses);

    const char *none = "/nonexistent/x.times";
    assert_int_equal(aptune_emit_recordings(a, emitted, &none, 1), APTUNE_WRONG);
    assert_non_null(strstr(aptune_message(a), none));
    const char *other = "/nonexistent/y.times";
    assert_int_equal(aptune_emit_recordings(a, emitted, &other, 1), APTUNE_WRONG);
    assert_null(strstr(aptune_message(a), none)); /* of the last call alone */
    assert_int_equal(aptune_set(a, "emit-prefix", "9-"), APTUNE_WRONG);
    aptune_free(a);
}

/* --- the group -------------------------------------------------------------------------------- */

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/aptune-library-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s /tmp/aptune-GPU-synthetic-library-%ld-*.lock",
             folder, (long)getpid());
    return system(command);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "little-memory") == 0) {
        snprintf(folder, sizeof folder, "%s", argv[2]);
        return be_without_memory();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_knows_nothing_before_it_is_asked_to),
        cmocka_unit_test(wrong_options_are_values_with_a_message),
        cmocka_unit_test(every_option_that_is_listed_is_known),
        cmocka_unit_test(no_space_no_spec_no_configuration),
        cmocka_unit_test(mistakes_in_a_spec_come_with_their_place),
        cmocka_unit_test(tuning_gives_what_the_program_prints),
        cmocka_unit_test(what_is_replayed_is_never_called_measured),
        cmocka_unit_test(answers_agree_with_each_other),
        cmocka_unit_test(parameters_have_names_texts_and_numbers),
        cmocka_unit_test(stages_do_what_comes_before_them),
        cmocka_unit_test(a_search_looks_at_nothing_before_it_measures),
        cmocka_unit_test(a_handle_begins_anew_with_its_options),
        cmocka_unit_test(a_dry_run_counts_and_goes_no_further),
        cmocka_unit_test(a_stop_before_the_call_holds),
        cmocka_unit_test(a_descriptor_can_stop),
        cmocka_unit_test(progress_is_told_and_never_goes_back),
        cmocka_unit_test(progress_can_stop_and_a_reset_goes_on),
        cmocka_unit_test(another_thread_can_stop_a_compiler_at_work),
        cmocka_unit_test(what_was_measured_is_recorded_and_replayed),
        cmocka_unit_test(two_handles_do_not_measure_on_one_gpu),
        cmocka_unit_test(a_handle_goes_from_thread_to_thread),
        cmocka_unit_test(code_of_a_configuration_can_be_fetched),
        cmocka_unit_test(what_is_asked_for_past_the_end_has_a_message),
        cmocka_unit_test(a_problem_that_is_not_there_is_refused),
        cmocka_unit_test(values_of_arguments_are_their_bytes),
        cmocka_unit_test(structs_of_other_versions_are_filled_as_far_as_they_go),
        cmocka_unit_test(the_tuned_kernel_is_written_where_asked),
        cmocka_unit_test(recordings_are_written_out_without_opening_the_space),
        cmocka_unit_test(threads_tune_at_the_same_time),
        cmocka_unit_test(threads_measure_at_the_same_time),
        cmocka_unit_test(nothing_of_the_callers_is_changed),
        cmocka_unit_test(the_callers_children_are_left_to_it),
        cmocka_unit_test(the_callers_handler_of_ended_children_may_stay),
        cmocka_unit_test(out_of_memory_is_a_status),
        cmocka_unit_test(numbers_have_a_point_whatever_the_locale_is),
        cmocka_unit_test(callbacks_run_in_the_callers_locale),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
