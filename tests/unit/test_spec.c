/* Specs: what a user is told of every kind of mistake.
 *
 * tests/data/spec holds tables of cases: a title after "=== ", the spec, "---", what is said.
 * APTUNE_UPDATE_GOLDEN=1 rewrites what is said; the difference is the review.  A spec is completed
 * with the lines every spec needs unless the title ends in "(whole)". */
#include "metrics/base/file.h"
#include "tests/support/spec_text.h"
#include "tuner/space/space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Everything said on the way to a space. */
static void say(Arena *a, const char *text, Buf *out)
{
    Diag d = diag_new(a);
    Spec *spec = spec_parse(a, spec_source(a, text), &d);
    Buf counts = {0};
    for (size_t i = 0; spec && i < spec->problem_count; i++) {
        Space space;
        if (!space_build(a, spec, i, NULL, &space, &d))
            continue;
        space_check_divisions(a, &space, 1000, &d);
        buf_printf(&counts, "%zu of %llu configurations\n", space.count,
                   (unsigned long long)space.product);
        space_free(&space);
    }
    spec_messages(&d, out);
    buf_puts(out, buf_text(&counts));
    buf_free(&counts);
}

/* Text up to the line `mark`, which is stepped over; all of it when there is none. */
static const char *take_until(Arena *a, const char **text, const char *mark)
{
    const char *start = *text;
    const char *end = strstr(start, mark);
    if (!end)
        end = start + strlen(start);
    *text = *end ? end + strlen(mark) : end;
    return arena_copy(a, start, (size_t)(end - start));
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* In a table "\xHH" stands for a byte that would not survive an editor. */
static const char *with_bytes(Arena *a, const char *text)
{
    Buf b = {0};
    for (const char *c = text; *c; c++) {
        unsigned byte;
        if (c[0] == '\\' && c[1] == 'x' && sscanf(c + 2, "%2x", &byte) == 1) {
            buf_putc(&b, (char)byte);
            c += 3;
        } else {
            buf_putc(&b, *c);
        }
    }
    const char *out = arena_copy(a, buf_text(&b), b.size);
    buf_free(&b);
    return out;
}

/* Runs a table; its fresh form goes to `fresh`. */
static int run_table(Arena *a, const char *name, const char *rest, Buf *fresh)
{
    bool update = getenv("APTUNE_UPDATE_GOLDEN") != NULL;
    int cases = 0, wrong = 0;
    buf_puts(fresh, take_until(a, &rest, "=== "));
    while (*rest) {
        const char *title = take_until(a, &rest, "\n");
        const char *text = take_until(a, &rest, "---\n");
        const char *expected = take_until(a, &rest, "=== ");
        Buf out = {0};
        const char *spec = with_bytes(a, text);
        say(a, ends_with(title, "(whole)") ? spec : spec_completed(a, spec), &out);
        buf_printf(fresh, "=== %s\n%s---\n%s%s", title, text, buf_text(&out), *rest ? "\n" : "");
        Buf with_gap = {0};
        buf_printf(&with_gap, "%s%s", buf_text(&out), *rest ? "\n" : "");
        if (!update && strcmp(buf_text(&with_gap), expected) != 0) {
            print_error("%s: %s\nexpected:\n%sgot:\n%s", name, title, expected,
                        buf_text(&with_gap));
            wrong++;
        }
        buf_free(&with_gap);
        buf_free(&out);
        cases++;
    }
    assert_int_equal(wrong, 0);
    return cases;
}

static void check_table(const char *name, int least)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    size_t size;
    const char *path = arena_printf(a, TEST_DATA "/spec/%s.test", name);
    const char *text = file_read(a, path, &size, &d);
    assert_non_null(text);
    Buf fresh = {0};

    int cases = run_table(a, name, text, &fresh);

    if (getenv("APTUNE_UPDATE_GOLDEN"))
        assert_true(file_write(path, buf_text(&fresh), fresh.size, &d));
    assert_true(cases >= least);
    buf_free(&fresh);
    arena_free(a);
}

static void a_statement_with_something_missing_says_what(void **state)
{
    (void)state;
    check_table("statements", 60);
}

static void names_are_explained(void **state)
{
    (void)state;
    check_table("names", 15);
}

static void values_are_checked(void **state)
{
    (void)state;
    check_table("values", 20);
}

static void one_mistake_does_not_hide_or_cause_others(void **state)
{
    (void)state;
    check_table("resume", 12);
}

static void data_and_launches_are_checked(void **state)
{
    (void)state;
    check_table("data", 50);
}

static void rivals_are_checked(void **state)
{
    (void)state;
    check_table("rivals", 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_statement_with_something_missing_says_what),
        cmocka_unit_test(names_are_explained),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(one_mistake_does_not_hide_or_cause_others),
        cmocka_unit_test(data_and_launches_are_checked),
        cmocka_unit_test(rivals_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
