/* A library in somebody else's process: threads, signals, children, memory, locales. */
#include "support.h"

#include <dirent.h>
#include <locale.h>
#include <sys/stat.h>

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

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "little-memory") == 0) {
        snprintf(folder, sizeof folder, "%s", argv[2]);
        return be_without_memory();
    }
    const struct CMUnitTest tests[] = {
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
