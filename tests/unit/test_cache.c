/* The compile cache as a store: what goes in comes out, and nothing in it is needed. */
#include "metrics/base/file.h"
#include "tuner/compile/cache.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    char folder[64];
    Cache *cache;
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    snprintf(f->folder, sizeof f->folder, "cache-XXXXXX");
    if (!mkdtemp(f->folder))
        return 1;
    f->cache = cache_open(f->arena, f->folder, false, &f->diag);
    *state = f;
    return f->cache ? 0 : 1;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf './%s'", f->folder);
    int result = system(command);
    arena_free(f->arena);
    free(f);
    return result;
}

static Hash key_of(const char *text)
{
    return hash_bytes(text, strlen(text));
}

static bool put(Fixture *f, const char *name, const char *text)
{
    Hash key = key_of(name);
    json_t *head = json_pack("{s:s}", "name", name);
    Buf blob = {0};
    buf_puts(&blob, text);
    buf_add(&blob, "\0\xff", 2);
    bool ok = cache_put(f->cache, &key, head, (Blob){blob.text, blob.size}, &f->diag);
    json_decref(head);
    buf_free(&blob);
    return ok;
}

static bool has(Fixture *f, const char *name)
{
    Hash key = key_of(name);
    WireMessage m = {0};
    bool found = cache_get(f->cache, &key, &m);
    wire_message_free(&m);
    return found;
}

static void what_is_put_is_got(void **state)
{
    Fixture *f = *state;
    Hash key = key_of("one");
    WireMessage m;

    assert_false(has(f, "one"));
    assert_true(put(f, "one", "the PTX"));
    assert_true(cache_get(f->cache, &key, &m));

    assert_string_equal(json_string_value(json_object_get(m.header, "name")), "one");
    assert_int_equal(m.blob.size, 9);
    assert_memory_equal(m.blob.bytes, "the PTX\0\xff", 9);
    assert_false(has(f, "two"));

    wire_message_free(&m);
}

static void an_entry_under_another_name_is_not_believed(void **state)
{
    Fixture *f = *state;
    Hash one = key_of("one"), two = key_of("two");
    assert_true(put(f, "one", "1"));
    assert_true(put(f, "two", "2"));

    assert_int_equal(
        rename(cache_path(f->cache, f->arena, &one), cache_path(f->cache, f->arena, &two)), 0);

    assert_false(has(f, "two"));
    assert_true(put(f, "two", "2"));
    assert_true(has(f, "two"));
}

static void set_age(Fixture *f, const char *name, time_t seconds)
{
    Hash key = key_of(name);
    struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    assert_int_equal(utimensat(AT_FDCWD, cache_path(f->cache, f->arena, &key), times, 0), 0);
}

static void trimming_takes_what_was_longest_not_used(void **state)
{
    Fixture *f = *state;
    const char *names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) {
        assert_true(put(f, names[i], "same size"));
        set_age(f, names[i], 1000 + i);
    }
    Hash key = key_of("a");
    struct stat st;
    assert_int_equal(stat(cache_path(f->cache, f->arena, &key), &st), 0);
    uint64_t size = (uint64_t)st.st_size;

    assert_true(has(f, "a")); /* a use: "a" is now the youngest */
    assert_int_equal(cache_trim(f->cache, 4 * size), 4 * size);
    assert_int_equal(cache_trim(f->cache, 2 * size + 1), 2 * size);

    assert_true(has(f, "a"));
    assert_false(has(f, "b"));
    assert_false(has(f, "c"));
    assert_true(has(f, "d"));
}

static void a_leftover_of_a_killed_run_goes(void **state)
{
    Fixture *f = *state;
    assert_true(put(f, "a", "text"));
    Hash key = key_of("a");
    const char *old = arena_printf(f->arena, "%s.17.tmp", cache_path(f->cache, f->arena, &key));
    const char *young = arena_printf(f->arena, "%s.18.tmp", cache_path(f->cache, f->arena, &key));
    assert_true(file_write(old, "half", 4, &f->diag));
    assert_true(file_write(young, "half", 4, &f->diag));
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);

    cache_trim(f->cache, UINT64_MAX);

    assert_false(file_exists(old));
    assert_true(file_exists(young));
    assert_true(has(f, "a"));
}

/* A file size limit stands for the full disk: a write beyond it fails in the same way. */
static void a_full_disk_is_an_error_that_leaves_no_entry(void **state)
{
    Fixture *f = *state;
    struct rlimit before, tiny;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tiny = (struct rlimit){.rlim_cur = 10, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);

    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    bool ok = put(f, "one", "text");
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);

    assert_false(ok);
    assert_int_equal(f->diag.errors, 1);
    assert_false(has(f, "one"));
    assert_true(put(f, "one", "text"));
    assert_true(has(f, "one"));
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
    Fixture *f = *state;
    const char *file = arena_printf(f->arena, "%s/file", f->folder);
    assert_true(file_write(file, "", 0, &f->diag));

    assert_null(cache_open(f->arena, file, false, &f->diag));
    assert_non_null(strstr(f->diag.messages.at[0].text, file));
}

static void the_folder_comes_from_the_environment(void **state)
{
    Fixture *f = *state;
    const char *kept[3];
    const char *names[] = {"APTUNE_CACHE", "XDG_CACHE_HOME", "HOME"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        kept[i] = value ? arena_string(f->arena, value) : NULL;
        setenv(names[i], names[i], 1);
    }

    assert_string_equal(cache_default_folder(f->arena), "APTUNE_CACHE");
    setenv("APTUNE_CACHE", "", 1);
    assert_string_equal(cache_default_folder(f->arena), "XDG_CACHE_HOME/aptune");
    unsetenv("APTUNE_CACHE");
    assert_string_equal(cache_default_folder(f->arena), "XDG_CACHE_HOME/aptune");
    setenv("XDG_CACHE_HOME", "", 1);
    assert_string_equal(cache_default_folder(f->arena), "HOME/.cache/aptune");
    unsetenv("XDG_CACHE_HOME");
    assert_string_equal(cache_default_folder(f->arena), "HOME/.cache/aptune");
    setenv("HOME", "", 1);
    assert_null(cache_default_folder(f->arena));
    unsetenv("HOME");
    assert_null(cache_default_folder(f->arena));

    for (int i = 0; i < 3; i++)
        if (kept[i])
            setenv(names[i], kept[i], 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_put_is_got),
        CASE(an_entry_under_another_name_is_not_believed),
        CASE(trimming_takes_what_was_longest_not_used),
        CASE(a_leftover_of_a_killed_run_goes),
        CASE(a_full_disk_is_an_error_that_leaves_no_entry),
        CASE(a_folder_that_cannot_be_made_is_named),
        CASE(the_folder_comes_from_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
