/* Whole files in and out, in folders that others write into, too. */
#include "metrics/base/file.h"
#include "tuner/record/append.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    char folder[32];
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    snprintf(f->folder, sizeof f->folder, "file-XXXXXX");
    *state = f;
    return mkdtemp(f->folder) ? 0 : 1;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    int result = system(arena_printf(f->arena, "rm -rf './%s'", f->folder));
    arena_free(f->arena);
    free(f);
    return result;
}

static const char *in(Fixture *f, const char *name)
{
    return arena_printf(f->arena, "%s/%s", f->folder, name);
}

static const char *content(Fixture *f, const char *path)
{
    size_t size;
    return file_read(f->arena, path, &size, &f->diag);
}

/* What a shared folder may hold beside a file's place: links by every name that could be guessed.
 */
static void a_planted_link_is_not_written_through(void **state)
{
    Fixture *f = *state;
    const char *victim = in(f, "victim"), *path = in(f, "result");
    assert_true(file_write(victim, "mine", 4, &f->diag));
    const char *links[] = {arena_printf(f->arena, "%s.%ld.tmp", path, (long)gettid()),
                           arena_printf(f->arena, "%s.tmp", path), path};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(symlink("victim", links[i]), 0);

    assert_true(file_write(path, "new", 3, &f->diag));

    assert_string_equal(content(f, victim), "mine");
    assert_string_equal(content(f, path), "new");
}

static struct {
    int from, signals;
    size_t count;
    char bytes[1 << 20];
} drained;

/* Makes room in the pipe that file_write_all waits for, from the second signal on. */
static void drain(int signal)
{
    (void)signal;
    if (drained.signals++ == 0)
        return;
    const ssize_t n = read(drained.from, drained.bytes + drained.count, 1 << 16);
    drained.count += n > 0 ? (size_t)n : 0;
}

/* The pipe is full: a write is interrupted before it wrote anything, then after some of it. */
static void a_write_that_is_interrupted_goes_on_where_it_was(void **state)
{
    enum { FULL = 1 << 16, SIZE = 3 * FULL + 1000 };
    static char full[FULL], bytes[SIZE];
    int ends[2];
    size_t written = 0;
    (void)state;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)((uint32_t)i * 2654435761u >> 24);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0); /* a signal may find it empty */
    drained.from = ends[0];
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, FULL), FULL);
    assert_int_equal(write(ends[1], full, FULL), FULL);
    struct sigaction on = {.sa_handler = drain}, before;
    sigaction(SIGALRM, &on, &before);
    const struct itimerval often = {{.tv_usec = 5000}, {.tv_usec = 5000}}, never = {0};
    setitimer(ITIMER_REAL, &often, NULL);

    const bool ok = file_write_all(ends[1], bytes, SIZE, &written);

    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_true(ok && written == SIZE);
    while (drained.count < FULL + SIZE)
        drain(0);
    assert_memory_equal(drained.bytes + FULL, bytes, SIZE);
    close(ends[0]);
    close(ends[1]);
}

static void a_recording_is_not_continued_through_a_link(void **state)
{
    Fixture *f = *state;
    bool fresh;
    assert_true(file_write(in(f, "victim"), "mine", 4, &f->diag));
    assert_int_equal(symlink("victim", in(f, "there")), 0);
    assert_int_equal(symlink("made", in(f, "dangling")), 0);

    assert_null(append_open(f->arena, in(f, "there"), "times", &fresh, &f->diag));
    assert_null(append_open(f->arena, in(f, "dangling"), "times", &fresh, &f->diag));

    assert_false(file_exists(in(f, "made")));
    assert_non_null(strstr(f->diag.messages.at[0].text, "it is a link"));
}

static void what_is_no_file_is_not_read(void **state)
{
    Fixture *f = *state;
    size_t size;
    bool fresh;
    assert_int_equal(mkfifo(in(f, "fifo"), 0600), 0);
    alarm(20); /* a reader that waits for a writer waits for ever */

    assert_null(file_read(f->arena, in(f, "fifo"), &size, &f->diag));
    assert_null(file_read(f->arena, "/dev/zero", &size, &f->diag));
    assert_null(file_read(f->arena, f->folder, &size, &f->diag));
    assert_null(append_open(f->arena, in(f, "fifo"), "times", &fresh, &f->diag));

    alarm(0);
    assert_non_null(strstr(f->diag.messages.at[0].text, "a device or a pipe"));
    assert_non_null(strstr(f->diag.messages.at[2].text, "a folder"));
}

static void a_file_beyond_the_limit_is_not_read(void **state)
{
    Fixture *f = *state;
    size_t size;
    assert_true(file_write(in(f, "ten"), "0123456789", 10, &f->diag));
    assert_true(file_write(in(f, "huge"), "", 0, &f->diag));
    assert_int_equal(truncate(in(f, "huge"), (off_t)1 << 40), 0);

    assert_null(file_read_most(f->arena, in(f, "ten"), 9, &size, &f->diag));
    assert_null(file_read(f->arena, in(f, "huge"), &size, &f->diag));
    assert_non_null(file_read_most(f->arena, in(f, "ten"), 10, &size, &f->diag));
    assert_int_equal(size, 10);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_planted_link_is_not_written_through),
        CASE(a_write_that_is_interrupted_goes_on_where_it_was),
        CASE(a_recording_is_not_continued_through_a_link),
        CASE(what_is_no_file_is_not_read),
        CASE(a_file_beyond_the_limit_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
