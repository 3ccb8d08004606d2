/* What is said of errors of the compiler that the spec can mend. */
#include "tests/support/spec_text.h"

#include "tuner/run/run_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* The notes to a log of a source and to missing headers. */
static const char *notes(Arena *a, const char *text, const char *log, const Texts *missing)
{
    static const char SPEC[] =
        "kernel \"k.cu\" \"k<{WIDE}>\"\nparam TILE in 1, 2\nparam WIDE in 1\n"
        "block 1\ngrid 1\n";
    Diag d = diag_new(a), said = diag_new(a);
    const Spec *s = spec_parse(a, spec_source(a, SPEC), &d);
    assert_non_null(s);
    const CompileSource source = {.text = text};
    run_explain_log(s, &source, log, missing, &said);
    Buf out = {0};
    diag_print(&said, &out);
    return buf_keep(&out, a);
}

static void a_name_of_the_source_that_is_a_parameter(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        bool noted;
    } CASES[] = {
        {"k.cu(3): error: expected an identifier\n    int TILE = blockDim.x;\n        ^\n", true},
        {"k.cu(7): error: expected a \")\"\n  void f(int TILE, int x) {}\n                 ^\n",
         true},
        {"k.cu(1): warning #1: x\n\nk.cu(2): error: expected an identifier\n  DECLARE(x);\n  ^\n",
         true},
        /* Elsewhere in the line, another error, a template argument, no caret. */
        {"k.cu(3): error: expected a \";\"\n  int x[TILE] int y;\n              ^\n", false},
        {"k.cu(3): error: identifier \"y\" is undefined\n  int x = TILE + y;\n          ^\n",
         false},
        {"k.cu(3): error: expected an identifier\n  int WIDE = 1;\n      ^\n", false},
        {"k.cu(3): error: expected an identifier\n", false},
        {"k.cu(3): error: expected a declaration\n  \n  ^\n", false},
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        const char *said = notes(a, "#define DECLARE(x) \\\n  int x##TILE, TILE\n#define OTHER 1\n",
                                 CASES[i].log, &(Texts){0});
        if (CASES[i].noted)
            assert_non_null(strstr(said, ":2:7: note: 'TILE' is a parameter, and thus a macro"));
        else
            assert_string_equal(said, "");
    }
    const char *twice = arena_printf(a, "%s\n%s", CASES[0].log, CASES[1].log);
    const char *first = strstr(notes(a, "", twice, &(Texts){0}), "note:");
    assert_non_null(first);
    assert_null(strstr(first + 1, "note:"));
    arena_free(a);
}

static void headers_that_are_missing(void **state)
{
    (void)state;
    Arena *a = arena_new();
    assert_non_null(
        strstr(notes(a, "", "", &TEXTS("u/t.h", "v.h")),
               "\noption \"--without-header=u/t.h\"\noption \"--without-header=v.h\"\n"));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_of_the_source_that_is_a_parameter),
        cmocka_unit_test(headers_that_are_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
