/* The language as it is written down: every block marked ```spec in spaces/README.md is read
 * without a message, and its space has configurations.  A fragment is completed with what every
 * spec needs. */
#include "metrics/base/file.h"
#include "tuner/compile/source.h"
#include "tests/support/spec_text.h"
#include "tuner/space/space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* The next block, NULL after the last; `rest` moves behind it. */
static const char *next_block(Arena *a, const char **rest)
{
    static const char open[] = "\n```spec\n", close[] = "\n```\n";
    const char *start = strstr(*rest, open);
    if (!start)
        return NULL;
    start += strlen(open);
    const char *end = strstr(start, close);
    assert_non_null(end);
    *rest = end;
    return arena_copy(a, start, (size_t)(end - start) + 1);
}

static void check_block(const char *block)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Spec *s = spec_parse(a, spec_source(a, spec_completed(a, block)), &d);
    Space space = {0};
    bool ok = s && space_build(a, s, 0, NULL, &space, &d);
    if (ok)
        space_check_divisions(a, &space, 1000, &d);
    Buf said = {0};
    spec_messages(&d, &said);

    if (!ok || said.size > 0 || space.count == 0)
        fail_msg("%s\n%zu configurations\n%s", block, space.count, buf_text(&said));

    buf_free(&said);
    space_free(&space);
    arena_free(a);
}

static void every_block_is_a_spec(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    size_t size;
    const char *rest = file_read(a, SOURCE_DIR "/spaces/README.md", &size, &d);
    assert_non_null(rest);
    int blocks = 0;

    for (const char *block; (block = next_block(a, &rest)); blocks++)
        check_block(block);

    assert_true(blocks >= 15);
    arena_free(a);
}

/* Every word of the lists of compiler options stands there. */
static void every_option_that_may_be_given_is_named(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    size_t size;
    const char *readme = file_read(a, SOURCE_DIR "/spaces/README.md", &size, &d);
    Buf list = {0};
    option_print_allowed(&list);

    if (!readme || !strstr(readme, buf_text(&list)))
        fail_msg("spaces/README.md should hold:\n%s", buf_text(&list));

    buf_free(&list);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_is_a_spec),
        cmocka_unit_test(every_option_that_may_be_given_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
