/* Kernels in the text of a source. */
#include "tuner/spec/code_text.h"
#include "tuner/spec/kernel_source.h"
#include "tuner/spec/near_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

static const char text[] = "__global__ void later(int n);\n"
                           "namespace math {\n"
                           "__global__ void first(float *a, const int n) { a[n] = 1; }\n"
                           "}\n"
                           "template <class T, int N>\n"
                           "__global__ void second(const T *x) { int mine = 2; }\n";

static void parameters_under_conditions_count_where_their_name_is_defined(void **state)
{
    (void)state;
    static const char LIST[] =
        "__global__ void k(int a\n#ifdef MORE\n, float *b\n#else\n, int b\n"
        "#ifndef LESS\n, int c\n#endif\n#endif\n#if !defined(MORE) && 0\n, int d\n"
        "#endif\n#if 0\n, int e\n#endif\n) {}\n";
    Arena *a = arena_new();
    KernelSource k;

    assert_true(kernel_source_find(a, LIST, "k", &k));
    assert_int_equal(k.parameters.count, 4);
    assert_string_equal(k.parameters.at[2].name, "c");
    assert_false(k.parameters.at[1].pointer);

    assert_true(kernel_source_find(a, arena_printf(a, "#define MORE\n%s", LIST), "k", &k));
    assert_int_equal(k.parameters.count, 2);
    assert_true(k.parameters.at[1].pointer);
    arena_free(a);
}

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

static void put_file(const char *folder, const char *name, const char *content)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(content, f);
    fclose(f);
}

/* Names as the C++ ABI mangles them; bodies in files beside the kernel and below. */
static void the_file_with_a_missing_body_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *mangled, *function, *file; /* NULL: none */
    } all[] = {
        {"_Z4plusii", "plus", "plain.cu"},
        {"plain_c", "plain_c", "plain.cu"},
        {"_ZN4prcr8ScheduleC1Eddm", "Schedule::Schedule", "below/schedule.inl"},
        {"_ZNK4prcr8Schedule4stepEv", "Schedule::step", "below/schedule.inl"},
        {"_ZN3VeciplERKS_", "Vec::operator", "vec.cuh"},
        {"_ZN5space4freeEv", "space::free", "vec.cuh"},
        {"_ZN5other4freeEv", NULL, NULL},
        {"_Z8declaredv", NULL, NULL}, /* nowhere but declared */
        {"_Z6calledv", NULL, NULL},   /* called by a body */
        {"_Z99brokenv", NULL, NULL},
        {"_ZN3vec3addIfEEvT_", "vec::add", "vec.cuh"},
        {"_Z4makeIiEvT_", "make", "plain.cu"},
        {"_ZN4prcr8ScheduleD1Ev", "Schedule::Schedule", "below/schedule.inl"},
        {"_ZNVK4prcr8Schedule4stepEv", "Schedule::step", "below/schedule.inl"},
        {"_ZN4prcr8Schedule99stepEv", NULL, NULL},
    };
    char folder[] = "/tmp/test_near_XXXXXX", below[100], root[100];
    assert_non_null(mkdtemp(folder));
    snprintf(below, sizeof below, "%s/below", folder);
    snprintf(root, sizeof root, "%s/.git", folder);
    assert_int_equal(mkdir(below, 0700), 0);
    assert_int_equal(mkdir(root, 0700), 0);
    put_file(folder, "plain.cu",
             "int declared(void);\n// int declared(void) { }\nint plus(int a, int b)\n"
             "{ return a + called(); }\nextern \"C\" void plain_c(int (*f)(int)) {}\n"
             "template <class T> void make(T t) { }\n");
    put_file(folder, "vec.cuh",
             "Vec Vec::operator+(const Vec &o) const { return o; }\n"
             "namespace space { inline void free() { } }\n"
             "namespace vec { template <class T> void add(T t) { } }\n");
    put_file(below, "schedule.inl",
             "Schedule::Schedule(double a, double b, size_t n) : a_(a) { }\n"
             "int Schedule::step() const { return 1; }\n");
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const char *function = "";
        const char *found = near_body(
            a, folder,
            arena_printf(a, "ptxas fatal   : Unresolved extern function '%s'\n", all[i].mangled),
            &function);
        if (all[i].file) {
            assert_non_null(found);
            assert_string_equal(found + strlen(folder) + 1, all[i].file);
            assert_string_equal(function, all[i].function);
        } else {
            assert_null(found);
        }
    }
    assert_null(near_body(a, folder, "ptxas fatal   : something else", &(const char *){0}));
    arena_free(a);
    const char *const files[] = {"plain.cu", "vec.cuh", "below/schedule.inl", "below", ".git", ""};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        assert_int_equal(remove(path), 0);
    }
}

/* By their ends, those of CUDA first; what includes another file of that name is none, nor what lies
 * deeper than two folders below the one above. */
static void files_that_include_a_header_are_found(void **state)
{
    (void)state;
    static const char *const folders[] = {".git", ".hid", "src", "src/deep", "src/deep/er"};
    static const struct {
        const char *name, *text;
    } files[] = {
        {"any.c", "int k;\n#include  <lib/k.cuh>\n"}, /* by a folder of headers */
        {"k.cuh", ""},
        {"other.cu", "#include \"k.cuh\"\n"}, /* the one beside it */
        {"root.cpp", "#include k.cuh\n#include \"a.h\"\n#include \"src/k.cuh\""},
        {".hid/in.cu", "#include \"../src/k.cuh\"\n"},
        {"src/k.cuh", "#pragma once\n"},
        {"src/kk.cu", "#include \"kk.cuh\"\n"},
        {"src/main.cu", "#include \"k.cuh\"\n"},
        {"src/k", "#include \"k.cuh\"\n"},
        {"src/readme.txt", "#include \"k.cuh\"\n"},
        {"src/deep/far.cuh", "#include \"../k.cuh\"\n"},
        {"src/deep/er/x.cu", "#include \"../../k.cuh\"\n"},
    };
    static const char *const includers[] = {"src/main.cu", "src/deep/far.cuh", "root.cpp", "any.c"};
    enum { FOLDERS = sizeof folders / sizeof *folders, FILES = sizeof files / sizeof *files };
    char folder[] = "/tmp/test_near_XXXXXX";
    assert_non_null(mkdtemp(folder));
    Arena *a = arena_new();
    for (size_t i = 0; i < FOLDERS; i++)
        assert_int_equal(mkdir(arena_printf(a, "%s/%s", folder, folders[i]), 0700), 0);
    for (size_t i = 0; i < FILES; i++)
        put_file(folder, files[i].name, files[i].text);

    const char *found[8], *header = arena_printf(a, "%s/src/k.cuh", folder);
    assert_int_equal(near_includers(a, header, found, 8), 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(found[i] + strlen(folder) + 1, includers[i]);
    assert_int_equal(near_includers(a, header, found, 3), 3);
    assert_int_equal(near_includers(a, "/tmp/is/not/there.h", found, 8), 0);

    assert_int_equal(near_sources(a, header, found, 8), 3);
    bool seen[3] = {false};
    static const char *const sources[] = {"src/k.cuh", "src/kk.cu", "src/main.cu"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            seen[k] |= strcmp(found[i] + strlen(folder) + 1, sources[k]) == 0;
    assert_true(seen[0] && seen[1] && seen[2]);
    assert_int_equal(near_sources(a, header, found, 2), 2);

    for (size_t i = 0; i < FILES; i++)
        assert_int_equal(remove(arena_printf(a, "%s/%s", folder, files[i].name)), 0);
    for (size_t i = FOLDERS; i-- > 0;)
        assert_int_equal(remove(arena_printf(a, "%s/%s", folder, folders[i])), 0);
    assert_int_equal(remove(folder), 0);
    arena_free(a);
}

/* From the place on that is marked by a '@'. */
static void literals_and_comments_are_as_long_as_the_compiler_has_them(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } CASES[] = {
        {"@// a\n", 4},
        {"@// a\\\nb\nc", 7},
        {"@// a", 4},
        {"@/* a */ b", 7},
        {"@/* a ", 5},
        {"@/ 2", 0},
        {"@a", 0},
        {"@\"a\\\"b\" c", 6},
        {"@\"a\\\nb\" c", 6},
        {"@\"a\n\"", 1},
        {"@'\\'' x", 4},
        {"x = @'y' z", 3},
        {"0xab@'cd'ef", 0},
        {"0xab'cd@'ef", 0},
        {"u8R@\"(a\"b)\" x", 7},
        {"R@\"x1(a)\")x1\" x", 11},
        {"R@\"aaaaaaaaaaaaaaaa(x\" y)aaaaaaaaaaaaaaaa\"", 40},
        {"R@\"aaaaaaaaaaaaaaaaa(x\" y)aaaaaaaaaaaaaaaaa\"", 21},
        {"R@\"a b\" (x)a\"", 5},
        {"R@\"(a\" b", 4},
        {"aR@\"(a\" b)\"", 4},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char bare[80] = "";
        const size_t at = strcspn(CASES[i].text, "@");
        strncat(bare, CASES[i].text, at);
        strcat(bare, CASES[i].text + at + 1);
        assert_int_equal(code_quiet(bare, bare + at), CASES[i].size);
    }
}

static void a_line_ends_where_the_compiler_ends_it(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "#define A 1 // of a/*", "#define A \"/*\"", "#define A 1 /* a\nb */ + 1",
        "#define A \\\n1",       "#error don't",     "int a; // http://b \\\nc"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char lined[80];
        snprintf(lined, sizeof lined, "%s\n#define B 2 /* b */\n", lines[i]);
        assert_ptr_equal(code_line_end(lined), lined + strlen(lines[i]));
        assert_true(code_same(code_word(code_behind(code_next_line(lined), "define")), "B"));
    }
    assert_true(code_same(code_word(code_behind("/* a */ # /*\n*/ define \\\n B", "define")), "B"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_with_a_missing_body_is_found),
        cmocka_unit_test(files_that_include_a_header_are_found),
        cmocka_unit_test(parameters_under_conditions_count_where_their_name_is_defined),
        cmocka_unit_test(a_kernel_with_a_body_is_found_by_its_name),
        cmocka_unit_test(what_is_only_declared_or_called_otherwise_is_not_there),
        cmocka_unit_test(names_of_conditions_are_those_that_need_a_number),
        cmocka_unit_test(the_second_apostrophe_of_a_number_begins_no_literal),
        cmocka_unit_test(literals_and_comments_are_as_long_as_the_compiler_has_them),
        cmocka_unit_test(a_line_ends_where_the_compiler_ends_it),
        cmocka_unit_test(a_folder_outside_is_read_from_a_log_without_a_line_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
