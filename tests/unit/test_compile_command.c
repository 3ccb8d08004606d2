/* Commands that print kernels: what is taken of them, and what is said of those that fail. */
#include "metrics/base/file.h"
#include "tuner/compile/source.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/aptune-command-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* What the script prints, or the error. */
static const char *result_of(Arena *a, const char *script, size_t *size)
{
    Diag d = diag_new(a);
    const char *path = path_join(a, folder, "s");
    assert_true(file_write(path, script, strlen(script), &d));
    const char *text = command_output(a, folder, "  sh \t s ", size, &d);
    assert_int_equal(d.errors, text ? 0 : 1);
    unlink(path);
    return text ? text : d.messages.at[0].text;
}

static void a_command_prints_a_kernel_or_says_why_not(void **state)
{
    (void)state;
    static const struct {
        const char *script, *result;
        size_t size;
    } all[] = {{"printf abc", "abc", 3},
               {"printf 'a\\0b'", "a", 3},
               {"pwd", folder, sizeof folder},
               {"head -c 67108864 /dev/zero", "", 67108864},
               {"head -c 67108865 /dev/zero", "'  sh \t s ' printed more than 64 MB", 0},
               {":", "'  sh \t s ' printed nothing", 0},
               {"echo a; exit 3", "'  sh \t s ' failed (exit status 3)", 0},
               {"kill -9 $$", "'  sh \t s ' failed (signal 9)", 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Arena *a = arena_new();
        size_t size = 0;
        const char *text = result_of(a, all[i].script, &size);
        assert_int_equal(strncmp(text, all[i].result, strlen(all[i].result)), 0);
        assert_int_equal(size, all[i].size);
        arena_free(a);
    }
}

static void what_cannot_be_run_is_an_error(void **state)
{
    (void)state;
    static const char *const all[][2] = {
        {" ", "' ' cannot be run: there is no command"},
        {"./none", "'./none' cannot be run: No such file or directory"}};
    Arena *a = arena_new();
    for (size_t i = 0; i < 2; i++) {
        Diag d = diag_new(a);
        size_t size;
        assert_null(command_output(a, folder, all[i][0], &size, &d));
        assert_string_equal(d.messages.at[0].text, all[i][1]);
    }
    arena_free(a);
}

/* A host may ignore or block what ends writers to a closed pipe or a file too large; other signals stay as
 * they are. */
static void a_command_gets_the_signals_of_writers(void **state)
{
    (void)state;
    Arena *a = arena_new();
    sigset_t writers, before;
    size_t size;
    sigemptyset(&writers);
    sigaddset(&writers, SIGPIPE);
    sigaddset(&writers, SIGXFSZ);
    sigaddset(&writers, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &writers, &before);
    void (*pipe_before)(int) = signal(SIGPIPE, SIG_IGN),
         (*size_before)(int) = signal(SIGXFSZ, SIG_IGN);
    const char *text =
        result_of(a, "exec sed -n 's/^Sig\\(Ign\\|Blk\\):\\t//p' /proc/self/status", &size);
    signal(SIGPIPE, pipe_before);
    signal(SIGXFSZ, size_before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    char *end;
    const unsigned long long of_writers = 1ULL << (SIGPIPE - 1) | 1ULL << (SIGXFSZ - 1);
    const unsigned long long blocked = strtoull(text, &end, 16), ignored = strtoull(end, NULL, 16);
    assert_int_equal(size, 34);
    assert_true((blocked & of_writers) == 0 && (ignored & of_writers) == 0);
    assert_true(blocked & 1ULL << (SIGUSR1 - 1));
    arena_free(a);
}

static void words_are_parted_by_blanks(void **state)
{
    (void)state;
    Arena *a = arena_new();
    char **words = command_words(a, "\t a  bc\td ");
    assert_string_equal(words[0], "a");
    assert_string_equal(words[1], "bc");
    assert_string_equal(words[2], "d");
    assert_null(words[3]);
    assert_null(command_words(a, " \t")[0]);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_prints_a_kernel_or_says_why_not),
        cmocka_unit_test(what_cannot_be_run_is_an_error),
        cmocka_unit_test(a_command_gets_the_signals_of_writers),
        cmocka_unit_test(words_are_parted_by_blanks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
