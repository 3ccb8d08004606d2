/* What compute-sanitizer prints, as one line.  The texts have the form of its reports; kernels and
 * addresses are made up. */
#include "tuner/run/run_parts.h"

#include "metrics/base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *finding(Arena *a, const char *printed)
{
    return run_sanitizer_finding(a, printed);
}

static void a_clean_run_has_no_finding(void **state)
{
    (void)state;
    Arena *a = arena_new();
    assert_null(finding(a, ""));
    assert_null(finding(a, "========= COMPUTE-SANITIZER\nprinted by a kernel\n"
                           "========= ERROR SUMMARY: 0 errors\n"));
    arena_free(a);
}

static void the_first_finding_is_one_line_and_the_rest_is_left_out(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const char *text = finding(a, "========= COMPUTE-SANITIZER\n"
                                  "printed by a kernel\n"
                                  "========= Invalid __global__ read of size 4 bytes\n"
                                  "=========     at copy+0x70\n"
                                  "=========     by thread (127,0,0) in block (8191,0,0)\n"
                                  "=========     Access at 0x7f0000400000 is out of bounds\n"
                                  "========= \n"
                                  "========= Invalid __global__ write of size 8 bytes\n"
                                  "========= ERROR SUMMARY: 2 errors\n");
    assert_string_equal(text, "Invalid __global__ read of size 4 bytes; at copy+0x70; by thread "
                              "(127,0,0) in block (8191,0,0); Access at 0x7f0000400000 is out of "
                              "bounds");
    arena_free(a);
}

/* Only the end of what was printed is kept: it may begin anywhere. */
static void text_that_begins_inside_a_report_is_taken_as_it_is(void **state)
{
    (void)state;
    Arena *a = arena_new();
    assert_string_equal(finding(a, "== Invalid\n=========     at copy+0x70\n========="),
                        "at copy+0x70");
    arena_free(a);
}

static void where_it_is_not_installed_that_is_said(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Run r = {.arena = a, .diag = &d};
    char folder[] = "aptune-XXXXXX"; /* what lies below a folder of the moment is not taken */
    assert_non_null(mkdtemp(folder));
    const char *false_one = arena_printf(a, "%s/compute-sanitizer", folder);
    assert_int_equal(symlink("/bin/true", false_one), 0);
    setenv("PATH", arena_printf(a, "%s:/nowhere:/nowhere/else", folder), 1);
    setenv("CUDA_HOME", "/nowhere", 1);

    const char *path = run_sanitizer(&r);

    unlink(false_one);
    rmdir(folder);
    if (path) /* a toolkit stands where toolkits do */
        assert_string_equal(path, "/usr/local/cuda/bin/compute-sanitizer");
    else
        assert_non_null(strstr(d.messages.at[0].text, "--sanitize needs compute-sanitizer"));
    arena_free(a);
}

static const char *put_tool(Arena *a, const char *folder)
{
    Diag d = diag_new(a);
    const char *path = path_join(a, folder, "compute-sanitizer");
    assert_true(folder_create(folder, &d));
    assert_int_equal(symlink("/bin/true", path), 0);
    return path;
}

/* Where it is looked for first is left out in turn. */
static void the_first_on_path_is_taken_and_then_a_toolkit(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Run r = {.arena = a, .diag = &d};
    char top[] = "/tmp/aptune-XXXXXX";
    assert_non_null(mkdtemp(top));
    const char *first = path_join(a, top, "first"), *second = path_join(a, top, "second"),
               *home = path_join(a, top, "home"), *path = path_join(a, top, "path");
    const char *places[] = {put_tool(a, first), put_tool(a, second),
                            put_tool(a, path_join(a, home, "bin")),
                            put_tool(a, path_join(a, path, "bin"))};
    setenv("PATH", arena_printf(a, "%s/none:%s:%s", top, first, second), 1);
    setenv("CUDA_HOME", home, 1);
    setenv("CUDA_PATH", path, 1);

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_string_equal(run_sanitizer(&r), places[i]);
        unlink(places[i]);
        rmdir(path_folder(a, places[i]));
    }

    assert_int_equal(d.errors, 0);
    rmdir(home);
    rmdir(path);
    rmdir(top);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_run_has_no_finding),
        cmocka_unit_test(the_first_finding_is_one_line_and_the_rest_is_left_out),
        cmocka_unit_test(text_that_begins_inside_a_report_is_taken_as_it_is),
        cmocka_unit_test(where_it_is_not_installed_that_is_said),
        cmocka_unit_test(the_first_on_path_is_taken_and_then_a_toolkit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
