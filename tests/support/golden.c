#include "tests/support/golden.h"

#include "metrics/base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

void golden_compare(const char *name, const Buf *got)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const char *path = arena_printf(a, SOURCE_DIR "/tests/golden/%s.txt", name);
    size_t size = 0;
    if (getenv("APTUNE_UPDATE_GOLDEN"))
        assert_true(file_write(path, buf_text(got), got->size, &d));
    const char *expected = file_read(a, path, &size, &d);
    assert_non_null(expected);
    assert_string_equal(buf_text(got), expected);
    arena_free(a);
}

void golden_compare_folder(const char *name, const char *folder)
{
    Arena *a = arena_new();
    Buf got = {0};
    char line[256];
    FILE *sums = popen(
        arena_printf(a, "cd '%s' && find . -type f | LC_ALL=C sort | xargs cksum", folder), "r");
    assert_non_null(sums);
    while (fgets(line, sizeof line, sums))
        buf_puts(&got, line);
    assert_int_equal(pclose(sums), 0);
    golden_compare(name, &got);
    buf_free(&got);
    arena_free(a);
}
