/* Kernels in the text of a source. */
#include "tuner/spec/code_text.h"
#include "tuner/spec/kernel_source.h"
#include "tuner/spec/near_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char text[] = "__global__ void later(int n);\n"
                           "namespace math {\n"
                           "__global__ void first(float *a, const int n) { a[n] = 1; }\n"
                           "}\n"
                           "template <class T, int N>\n"
                           "__global__ void second(const T *x) { int mine = 2; }\n";

static void a_kernel_with_a_body_is_found_by_its_name(void **state)
{
    (void)state;
    Arena *a = arena_new();
    KernelSource k;

    assert_true(kernel_source_find(a, text, "first", &k));
    assert_string_equal(k.scope, "math::");
    assert_int_equal(k.parameters.count, 2);
    assert_true(k.parameters.at[0].pointer && !k.parameters.at[0].constant);
    assert_string_equal(k.parameters.at[1].name, "n");
    assert_false(k.is_template);
    assert_null(strstr(k.own, "mine"));

    assert_true(kernel_source_find(a, text, "second", &k));
    assert_string_equal(k.scope, "");
    assert_int_equal(k.parameters.count, 1);
    assert_true(k.parameters.at[0].constant);
    assert_int_equal(k.arguments.count, 2);
    assert_string_equal(k.arguments.at[1].name, "N");
    assert_true(k.arguments.at[0].is_type && !k.arguments.at[1].is_type);

    assert_true(kernel_source_find(a, text, NULL, &k));
    assert_string_equal(k.name, "first");
    assert_string_equal(kernel_source_names(a, text), "first, second");
    arena_free(a);
}

static void what_is_only_declared_or_called_otherwise_is_not_there(void **state)
{
    (void)state;
    Arena *a = arena_new();
    KernelSource k;

    assert_false(kernel_source_find(a, text, "third", &k));
    assert_false(kernel_source_find(a, text, "later", &k));
    assert_false(kernel_source_find(a, "void host() {}\n", NULL, &k));
    assert_string_equal(kernel_source_names(a, "void host() {}\n"), "");
    arena_free(a);
}

static void names_of_conditions_are_those_that_need_a_number(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const KernelMacros m =
        kernel_source_macros(a, "#if LEVEL == 3\n#elif LEVEL == 5 && WIDE\n#endif\n"
                                "#if defined(FAST) && MODE == 2\n#elif !defined CHECKED\n#endif\n");
    assert_int_equal(m.count, 2);
    assert_string_equal(m.at[0].name, "LEVEL");
    assert_string_equal(m.at[0].cases, "3, 5");
    assert_string_equal(m.at[1].name, "WIDE");
    assert_null(m.at[1].cases);
    arena_free(a);
}

/* What stands behind the end of a log is not read: it would lead to /proc. */
static void a_folder_outside_is_read_from_a_log_without_a_line_end(void **state)
{
    (void)state;
    Arena *a = arena_new();
    static const char log[] = "/proc/sys/kernel/../..\0/../\n";
    assert_string_equal(near_header(a, "/", log), "/proc/sys");
    arena_free(a);
}

static void the_second_apostrophe_of_a_number_begins_no_literal(void **state)
{
    (void)state;
    Arena *a = arena_new();
    static const char code[] = "n = 0xab'cd'ef; s = \"'/*\"; c = u'x'; k = 1;";
    assert_string_equal(code_bare(a, code), code);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_with_a_body_is_found_by_its_name),
        cmocka_unit_test(what_is_only_declared_or_called_otherwise_is_not_there),
        cmocka_unit_test(names_of_conditions_are_those_that_need_a_number),
        cmocka_unit_test(the_second_apostrophe_of_a_number_begins_no_literal),
        cmocka_unit_test(a_folder_outside_is_read_from_a_log_without_a_line_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
