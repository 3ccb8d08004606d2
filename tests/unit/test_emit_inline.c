/* Includes in place: what a preprocessor makes of the text alone is what it makes of the files. */
#include "metrics/base/file.h"
#include "tuner/emit/inline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* A folder that the test fills and leaves to be removed. */
typedef struct Fixture {
    Arena *arena;
    Diag diag;
    char folder[64];
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    snprintf(f->folder, sizeof f->folder, "inline-XXXXXX");
    *state = f;
    return mkdtemp(f->folder) ? 0 : 1;
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

static const char *path_of(Fixture *f, const char *name)
{
    return arena_printf(f->arena, "%s/%s", f->folder, name);
}

static void put(Fixture *f, const char *name, const char *text)
{
    const char *path = path_of(f, name);
    assert_true(folder_create(path_folder(f->arena, path), &f->diag));
    assert_true(file_write(path, text, strlen(text), &f->diag));
}

static bool make(Fixture *f, const char *text, InlineText *out)
{
    IncludeQuery q = {.name = "k.cu",
                      .text = text,
                      .size = strlen(text),
                      .folder = f->folder,
                      .folders = TEXTS(f->folder, path_of(f, "inc"))};
    return inline_includes(f->arena, &q, &(InlineChoice){0}, out, &f->diag);
}

/* What the preprocessor makes of a file of the folder, blanks of all kinds as one; NULL: there is
 * no preprocessor. */
static const char *preprocessed(Fixture *f, const char *name, const char *options)
{
    const char *out = path_of(f, "out"), *lines = path_of(f, "lines");
    const char *command = arena_printf(
        f->arena,
        "cc -E -P -x c++ %s %s >%s 2>/dev/null && tr -s ' \\n' ' ' <%s | sed 's/^ //' >%s", options,
        path_of(f, name), lines, lines, out);
    size_t size;
    if (system("cc --version >/dev/null 2>&1") != 0)
        return NULL;
    assert_int_equal(system(command), 0);
    return file_read(f->arena, out, &size, &f->diag);
}

/* The text in a folder with its files, against the text alone elsewhere. */
static void means_the_same(Fixture *f, const char *text)
{
    InlineText t;
    assert_true(make(f, text, &t));
    put(f, "k.cu", text);
    put(f, "alone/k.cu", t.text);
    const char *whole =
        preprocessed(f, "k.cu", arena_printf(f->arena, "-I%s -I%s/inc", f->folder, f->folder));
    const char *alone = preprocessed(f, "alone/k.cu", "");
    if (!whole || !alone)
        skip();
    assert_true(strlen(whole) > 1);
    assert_string_equal(alone, whole);
}

static void put_headers(Fixture *f)
{
    put(f, "guarded.h",
        "/* a guard */\n#ifndef GUARDED_H\n#define GUARDED_H\nint guarded;\n#endif\n");
    put(f, "once.h", "// once\n  #pragma once\nint once = ONE;\n#include \"below/deep.h\"\n");
    put(f, "below/deep.h", "#include \"beside.h\"\n#include \"../guarded.h\"\nint deep;");
    put(f, "below/beside.h", "int beside_deep;\n");
    put(f, "inc/beside.h", "int beside_in_inc;\n");
    put(f, "inc/list.h", "X(a)\nX(b)\n");
    put(f, "inc/a.h", "#ifndef A_H\n#define A_H\n#include \"b.h\"\nint a;\n#endif\n");
    put(f, "inc/b.h", "#if !defined(B_H)\n#define B_H\n#include \"a.h\"\nint b;\n#endif\n");
}

static void files_stand_where_they_were_included(void **state)
{
    static const char *const texts[] = {
        "#include \"guarded.h\"\nint after;\n",
        "#define ONE 1\n#include \"once.h\"\n#include \"once.h\"\n#include <once.h>\nint after;\n",
        "#include \"beside.h\" // the only one is in inc\n#include \"below/deep.h\"\n",
        "#define X(n) int n;\n#include <list.h>\n#undef X\n#define X(n) #n,\n# /* twice */ include "
        "\"list.h\" /* and\n more */ int rest;\n",
        "#include \"a.h\"\nint end;",
        "#if 0\n#include \"guarded.h\"\n#else\n#  include \"list.h\"\n#endif\n",
        "/* text */ #include \"list.h\"\nint x;\n",
        "#include \\\n\"list.h\"\nint x;\n",
        "#if 1\n#include \"guarded.h\"\n#endif\n#include \"once.h\"\n#ifdef GUARDED_H\nint "
        "y;\n#endif",
    };
    Fixture *f = *state;
    put_headers(f);

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        means_the_same(f, texts[i]);
}

static void what_only_looks_like_an_include_is_left_alone(void **state)
{
    static const char *const texts[] = {
        "const char *s = \"\\\n#include \\\"list.h\\\"\";\nint x;\n",
        "const char *s = R\"x(\n#include \"list.h\"\n)x\";\nint x;\n",
        "const char *s = u8R\"(\n#include \"list.h\"\n)\" \"\";\nint x;\n",
        "/*\n#include \"list.h\"\n*/ int x;\n",
        "// a comment \\\n#include \"list.h\"\nint x;\n",
        "#define Y \\\n#include \"list.h\"\nint x = 1'000;\nint y = '\"';\n#include \"list.h\"\n",
        "int x = 0x1'0; // it's\n#include \"list.h\"\n",
    };
    Fixture *f = *state;
    put_headers(f);

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        means_the_same(f, texts[i]);
}

static bool lists(const Texts *list, const char *name)
{
    return word_place(name, list->at, list->count) < SIZE_MAX;
}

static void headers_of_the_toolkit_stay_and_are_listed_once(void **state)
{
    Fixture *f = *state;
    InlineText t;
    put(f, "half.h", "#include <cuda_fp16.h>\n#define HALF __half\n");

    assert_true(make(f, "#include <cuda_fp16.h>\n#include \"half.h\"\n#include \"mma.h\"\n", &t));

    assert_int_equal(t.includes.count, 2);
    assert_string_equal(t.includes.at[0], "<cuda_fp16.h>");
    assert_string_equal(t.includes.at[1], "\"mma.h\"");
    assert_non_null(strstr(t.text, "#include \"mma.h\""));
    assert_null(strstr(t.text, "\"half.h\""));
    assert_true(lists(&t.macros, "HALF"));
}

static void macros_are_listed_with_guards_and_without_bodies(void **state)
{
    Fixture *f = *state;
    InlineText t;
    put_headers(f);

    assert_true(
        make(f, "#define F(x) x\n#  define\tG 1\n#define ONE 1\n#include \"once.h\"\n", &t));

    assert_int_equal(t.macros.count, 5);
    assert_true(lists(&t.macros, "F"));
    assert_true(lists(&t.macros, "G"));
    assert_true(lists(&t.macros, "GUARDED_H"));
    assert_true(lists(&t.macros, "APTUNE_ONCE_1"));
}

static void no_path_gets_into_the_text(void **state)
{
    Fixture *f = *state;
    InlineText t;
    char *whole = realpath(f->folder, NULL);
    put_headers(f);
    const char *text = arena_printf(f->arena, "#include \"%s/guarded.h\"\n", whole);
    free(whole);

    assert_true(make(f, text, &t));

    assert_non_null(strstr(t.text, "int guarded;"));
    assert_null(strstr(t.text, f->folder));
}

static void a_file_without_end_is_refused(void **state)
{
    Fixture *f = *state;
    InlineText t;
    put(f, "loop.h", "int x;\n\n#include \"loop.h\"\n");

    assert_false(make(f, "#include \"loop.h\"\n", &t));

    assert_int_equal(f->diag.errors, 1);
    assert_string_equal(f->diag.messages.at[0].text, "loop.h:3: 'loop.h' includes itself");
}

static void a_file_elsewhere_is_not_copied(void **state)
{
    Fixture *f = *state;
    InlineText t;
    put(f, "secret", "of the user\n");
    put(f, "inc/k.h", "\n");
    IncludeQuery q = {.name = "k.cu", .folder = path_of(f, "inc")};
    q.text = "#if 0\n#include \"../secret\"\n#endif\n";
    q.size = strlen(q.text);
    assert_false(inline_includes(f->arena, &q, &(InlineChoice){0}, &t, &f->diag));
    assert_non_null(strstr(f->diag.messages.at[0].text, "k.cu:2: '../secret' is outside"));

    q.text = "#if 0\n#include \"/etc/passwd\"\n#endif\n";
    q.size = strlen(q.text);
    assert_true(inline_includes(f->arena, &q, &(InlineChoice){0}, &t, &f->diag));
    assert_string_equal(t.text, q.text);
}

static void a_chain_that_is_too_long_is_refused(void **state)
{
    Fixture *f = *state;
    InlineText t;
    for (int i = 0; i < 210; i++) {
        char name[16], text[32];
        snprintf(name, sizeof name, "%d.h", i);
        snprintf(text, sizeof text, "#include \"%d.h\"\n", i + 1);
        put(f, name, text);
    }

    assert_false(make(f, "#include \"0.h\"\n", &t));

    assert_int_equal(f->diag.errors, 1);
}

static void files_of_an_option_stand_in_front(void **state)
{
    Fixture *f = *state;
    InlineText t;
    put_headers(f);
    IncludeQuery q = {.name = "k.cu",
                      .text = "int k;\n",
                      .size = 7,
                      .folder = f->folder,
                      .forced = TEXTS("guarded.h")};

    assert_true(inline_includes(f->arena, &q, &(InlineChoice){0}, &t, &f->diag));

    const char *first = strstr(t.text, "int guarded;"), *second = strstr(t.text, "int k;");
    assert_true(first && second && first < second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_stand_where_they_were_included, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_only_looks_like_an_include_is_left_alone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(headers_of_the_toolkit_stay_and_are_listed_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(macros_are_listed_with_guards_and_without_bodies, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(no_path_gets_into_the_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_without_end_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_chain_that_is_too_long_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_elsewhere_is_not_copied, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_of_an_option_stand_in_front, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
