#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tuner/emit/c_wrap.h"

#include <string.h>

static void becomes(const char *text, const char *expected)
{
    Buf out = {0};
    c_wrap(text, &out);
    assert_string_equal(buf_text(&out), expected);
    buf_free(&out);
}

static void stays(const char *text)
{
    becomes(text, text);
}

#define TEN   "abcdefghij"
#define FORTY TEN TEN TEN TEN

static void lines_that_fit_stay_as_they_are(void **state)
{
    (void)state;
    stays("");
    stays("int a, b;\n\n    return a && b;\n");
    stays("    f(" FORTY ", " FORTY ", 12345678);\n"); /* 100 columns */
}

static void parameters_go_on_below_the_first_one(void **state)
{
    (void)state;
    becomes("int f(int " FORTY ", int " FORTY ", int c)\n{\n",
            "int f(int " FORTY ", int " FORTY ",\n      int c)\n{\n");
}

static void brackets_within_brackets_are_kept_together(void **state)
{
    (void)state;
    becomes("    x = f(" FORTY ", g(" FORTY ", b, c));\n    y = 1;\n",
            "    x = f(" FORTY ",\n          g(" FORTY ", b, c));\n    y = 1;\n");
}

static void conditions_are_broken_behind_operators(void **state)
{
    (void)state;
    becomes("    if (" FORTY " && " FORTY " || " TEN " > 0)\n",
            "    if (" FORTY " && " FORTY " ||\n        " TEN " > 0)\n");
}

static void choices_outside_of_brackets_are_indented(void **state)
{
    (void)state;
    becomes("    return " FORTY " ? " FORTY " : " FORTY ";\n",
            "    return " FORTY " ? " FORTY "\n        : " FORTY ";\n");
}

static void what_is_still_too_long_is_broken_again(void **state)
{
    (void)state;
    becomes("f(" FORTY ", " FORTY ", " FORTY ", " FORTY ", " FORTY ");\n",
            "f(" FORTY ", " FORTY ",\n  " FORTY ", " FORTY ",\n  " FORTY ");\n");
}

static void behind_a_bracket_it_goes_on_where_that_began(void **state)
{
    (void)state;
    becomes("f(g(" FORTY ", " FORTY ", " FORTY "), " FORTY ", " FORTY ");\n",
            "f(g(" FORTY ", " FORTY ",\n    " FORTY "), " FORTY ",\n  " FORTY ");\n");
}

static void brackets_far_to_the_right_are_not_aligned_to(void **state)
{
    (void)state;
    becomes("x = f(" FORTY ", " TEN " + " TEN "(" FORTY ", " FORTY "));\n",
            "x = f(" FORTY ",\n      " TEN " + " TEN "(" FORTY
            ",\n                              " FORTY "));\n");
    becomes("x = " FORTY TEN TEN "(" TEN ", " FORTY ");\n",
            "x = " FORTY TEN TEN "(" TEN ",\n        " FORTY ");\n");
}

static void strings_and_comments_behind_code_are_not_broken(void **state)
{
    (void)state;
    becomes("    {1, 2, \"" FORTY ", (" FORTY ", " TEN TEN "\", 3},\n",
            "    {1, 2,\n     \"" FORTY ", (" FORTY ", " TEN TEN "\", 3},\n");
    stays("    int a, b; /* " FORTY ", " FORTY ", " FORTY " */\n");
}

static void lines_of_the_preprocessor_are_not_broken(void **state)
{
    (void)state;
    stays("#define F " FORTY ", " FORTY ", " FORTY "\n");
}

static void comments_go_on_below_their_star(void **state)
{
    (void)state;
    becomes("/* " FORTY " " FORTY " " TEN " " TEN " */\n",
            "/* " FORTY " " FORTY " " TEN "\n * " TEN " */\n");
    becomes("/* a\n *   " FORTY " " FORTY ", " TEN " " TEN "\n */\nint a;\n",
            "/* a\n *   " FORTY " " FORTY ", " TEN "\n *   " TEN "\n */\nint a;\n");
}

static void the_end_of_a_comment_is_not_left_alone(void **state)
{
    (void)state;
    becomes("/* " FORTY " " FORTY " " TEN "1234 */\n",
            "/* " FORTY " " FORTY "\n * " TEN "1234 */\n");
}

static void columns_are_characters(void **state)
{
    (void)state;
    stays("    f(ä" FORTY ", " FORTY ", 1234567);\n"); /* 100 columns, 101 bytes */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_fit_stay_as_they_are),
        cmocka_unit_test(parameters_go_on_below_the_first_one),
        cmocka_unit_test(brackets_within_brackets_are_kept_together),
        cmocka_unit_test(conditions_are_broken_behind_operators),
        cmocka_unit_test(choices_outside_of_brackets_are_indented),
        cmocka_unit_test(what_is_still_too_long_is_broken_again),
        cmocka_unit_test(behind_a_bracket_it_goes_on_where_that_began),
        cmocka_unit_test(brackets_far_to_the_right_are_not_aligned_to),
        cmocka_unit_test(strings_and_comments_behind_code_are_not_broken),
        cmocka_unit_test(lines_of_the_preprocessor_are_not_broken),
        cmocka_unit_test(comments_go_on_below_their_star),
        cmocka_unit_test(the_end_of_a_comment_is_not_left_alone),
        cmocka_unit_test(columns_are_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
