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

static const struct {
    const char *of, *name, *also, *kind;
} options[] = {
#define OPTION(of, name, also, kind) {#of, name, also, #kind},
#include "tuner/compile/allowed.def"
};

static const char *value_of(const char *kind)
{
    static const char *const values[][2] = {{"TRUTH", "=true|false"}, {"NUMBER", "=NUMBER"},
                                            {"WORD", "=WORD"},        {"MACRO", "=NAME"},
                                            {"PATH", "=PATH"},        {"ASSEMBLER", "=OPTION,…"}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strcmp(values[i][0], kind) == 0)
            return values[i][1];
    return "";
}

static void print_options(Arena *a, const char *of, Buf *out)
{
    enum { WIDTH = 100 };
    size_t column = 0;
    bool first = true;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(options[i].of, of) != 0)
            continue;
        const bool has_short = strcmp(options[i].also, options[i].name) != 0;
        const char *value = value_of(options[i].kind);
        const char *text = arena_printf(a, "%s%s%s%s", has_short ? options[i].also : "",
                                        has_short ? "|" : "", options[i].name, value);
        const size_t size = strlen(text) + 2;
        bool fits = column > 0 && column + size < WIDTH;
        buf_puts(out, fits ? "  " : first ? "    " : "\n    ");
        buf_puts(out, text);
        column = (fits ? column : 0) + size;
        first = false;
    }
    buf_puts(out, "\n");
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
    print_options(a, "COMPILER", &list);
    buf_puts(&list, "\nand behind `-Xptxas=`:\n\n");
    print_options(a, "PTXAS", &list);

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
