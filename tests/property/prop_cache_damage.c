/* An entry cut off at any byte, or with any one bit turned, is never believed. */
#include "metrics/base/file.h"
#include "tuner/compile/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    char folder[64];
    Cache *cache;
    Hash key;
    json_t *head;
    const char *path;  /* of the entry */
    const char *bytes; /* of it, undamaged */
    size_t size;
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    snprintf(f->folder, sizeof f->folder, "damage-XXXXXX");
    if (!mkdtemp(f->folder))
        return 1;
    f->cache = cache_open(f->arena, f->folder, false, &f->diag);
    f->key = hash_bytes("key", 3);
    f->head = json_pack("{s:b, s:f}", "ok", 1, "seconds", 0.25);
    const Blob blob = {"some log.version 9.0 .target sm_90 .target sm_90", 48};
    cache_put(f->cache, &f->key, f->head, blob, &f->diag);
    f->path = cache_path(f->cache, f->arena, &f->key);
    f->bytes = file_read(f->arena, f->path, &f->size, &f->diag);
    *state = f;
    return f->bytes && f->diag.errors == 0 ? 0 : 1;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf './%s'", f->folder);
    int result = system(command);
    json_decref(f->head);
    arena_free(f->arena);
    free(f);
    return result;
}

/* Overwrites in place: quicker than a new file for each of some thousand damages. */
static void damage(Fixture *f, const char *bytes, size_t size)
{
    FILE *file = fopen(f->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static bool is_believed(Fixture *f)
{
    WireMessage m;
    bool believed = cache_get(f->cache, &f->key, &m);
    if (believed) {
        assert_true(json_equal(m.header, f->head));
        wire_message_free(&m);
    }
    return believed;
}

static void an_entry_cut_off_anywhere_is_none(void **state)
{
    Fixture *f = *state;

    for (size_t size = 0; size < f->size; size++) {
        damage(f, f->bytes, size);
        assert_false(is_believed(f));
    }
    damage(f, f->bytes, f->size);
    assert_true(is_believed(f));
}

static void an_entry_with_bytes_after_it_is_none(void **state)
{
    Fixture *f = *state;
    char *longer = arena_copy(f->arena, f->bytes, f->size + 1); /* file_read's zero byte */

    damage(f, longer, f->size + 1);

    assert_false(is_believed(f));
}

static void an_entry_with_any_bit_turned_is_none(void **state)
{
    Fixture *f = *state;
    char *copy = arena_copy(f->arena, f->bytes, f->size);

    for (size_t bit = 0; bit < f->size * 8; bit++) {
        copy[bit / 8] = (char)(copy[bit / 8] ^ (1 << bit % 8));
        damage(f, copy, f->size);
        assert_false(is_believed(f));
        copy[bit / 8] = f->bytes[bit / 8];
    }
}

static void a_damaged_entry_is_written_over(void **state)
{
    Fixture *f = *state;
    damage(f, "rubbish", 7);
    assert_false(is_believed(f));

    assert_true(cache_put(f->cache, &f->key, f->head, (Blob){0}, &f->diag));

    assert_true(is_believed(f));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_entry_cut_off_anywhere_is_none),
        CASE(an_entry_with_bytes_after_it_is_none),
        CASE(an_entry_with_any_bit_turned_is_none),
        CASE(a_damaged_entry_is_written_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
