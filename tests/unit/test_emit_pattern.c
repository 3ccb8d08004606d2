/* The patterns of emitted units: C and C++ by themselves, and what filling them in makes of them.
 */
#include "metrics/base/arena.h"
#include "tests/support/emit_unit.h"
#include "tuner/emit/code_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define PATTERNS SOURCE_DIR "/tuner/emit/unit/"

static bool has_program(const char *name)
{
    Arena *a = arena_new();
    const bool has = system(arena_printf(a, "command -v %s > /dev/null", name)) == 0;
    arena_free(a);
    return has;
}

/* What a unit does not use is left out of it; a pattern has everything. */
static void compile(const char *compiler, const char *more)
{
    const char *program = strncmp(compiler, "clang", 5) == 0 ? "clang++" : "cc";
    if (has_program(program))
        emit_unit_shell("%s -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-unused-function "
                        "-Werror -fsyntax-only -isystem %s %s",
                        compiler, CUDA_FOLDER, more);
}

static void the_driver_is_c_and_cpp_opened_and_linked(void **state)
{
    static const char *const compilers[] = {
        "cc -std=c11",    "cc -std=c17",    "c++ -x c++ -std=c++17",    "c++ -x c++ -std=c++20",
        "clang -std=c11", "clang -std=c17", "clang++ -x c++ -std=c++17"};
    (void)state;
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++) {
        compile(compilers[i], PATTERNS "driver.c");
        compile(compilers[i], "-DUNIT_LINKED " PATTERNS "driver.c");
    }
}

/* As the host sees it: nvcc compiles what is emitted, in test_emit_code.c. */
static void the_runtime_is_cpp(void **state)
{
    (void)state;
    compile("c++ -x c++ -std=c++17", PATTERNS "runtime.cu");
    compile("c++ -x c++ -std=c++20", PATTERNS "runtime.cu");
}

/* The sample of the runtime's pattern launches what it says: steps from 1 to 31, with the numbers
 * of each, after the memory that is set to zero and the variable. */
static void the_runtime_launches(void **state)
{
    Arena *a = arena_new();
    char folder[] = "/tmp/aptune-pattern-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(folder));

    const char *said =
        emit_unit_output(a,
                         "cd %s && c++ -x c++ -std=c++17 -fsanitize=undefined "
                         "-fno-sanitize-recover -Wno-unused-function -isystem %s -I" PATTERNS
                         " " TEST_DATA "/emit/fake_runtime.cpp " PATTERNS "runtime.cu -o program "
                         "&& ./program",
                         folder, CUDA_FOLDER);

    assert_string_equal(said, "load: ok\n"
                              "default alpha 1.5\n"
                              "scratch 256, elements 512, flop 1024\n"
                              "set scratch to 0, 16 bytes\n"
                              "copy 256 bytes\n"
                              "launch grid 4 1 1 block 128 1 1 shared 0: y, 2.5, 512, 1\n"
                              "launch grid 4 1 1 block 128 1 1 shared 0: y, 2.5, 512, 2\n"
                              "launch grid 4 1 1 block 128 1 1 shared 0: y, 2.5, 512, 3\n"
                              "launch: ok\n"
                              "device 1 again\n"
                              "one block: none of the variants is valid for this size\n"
                              "set scratch to 0, 16 bytes\n"
                              "no table: an argument is missing, or a pointer is not aligned\n"
                              "not aligned: an argument is missing, or a pointer is not aligned\n"
                              "set scratch to 0, 16 bytes\n"
                              "copy 256 bytes\n"
                              "refused: a CUDA function failed, 701\n"
                              "no image: none of the variants runs on this device, 209\n"
                              "no device: there is no CUDA driver, or no device that it can use\n");

    emit_unit_shell("rm -r %s", folder);
    arena_free(a);
}

/* --- filling in ---------------------------------------------------------------------------------
 */

static char *fill(const char *file, const char *variants)
{
    const PatternText texts[] = {{"top", "/* top */\n", NULL},
                                 {"driver", NULL, "linked.h"},
                                 {"code", "int code;\n\n", NULL},
                                 {"variants", variants, NULL},
                                 {"more", NULL, NULL}};
    Buf out = {0};
    pattern_fill(file, "my_", texts, sizeof texts / sizeof texts[0], &out);
    char *text = strdup(buf_text(&out));
    buf_free(&out);
    return text;
}

static void names_get_the_prefix_and_samples_make_way(void **state)
{
    (void)state;
    char *text = fill("driver.c", "int variants; /* unit_ stays */\n");

    assert_non_null(strstr(text, "int my_load(my_kernel **out)\n"));
    assert_non_null(strstr(text, "return MY_ARGUMENT;\n"));
    assert_non_null(strstr(text, "#include <cuda.h>\n"));
    assert_non_null(strstr(text, "int code;\n"));
    assert_non_null(strstr(text, "int variants; /* unit_ stays */\n"));
    assert_null(strstr(text, "%%"));
    assert_null(strstr(text, "#include \""));
    assert_null(strstr(text, "unit_load"));
    assert_null(strstr(text, "\n\n\n"));
    free(text);
}

/* my_exact calls my_divide; my_is_count, a part of another word, is not mentioned. */
static void functions_that_nothing_mentions_are_left_out(void **state)
{
    (void)state;
    char *text = fill("driver.c", "int x = my_exact(&ok, 4, 2), this_is_my_is_count;\n");

    assert_non_null(strstr(text, "my_exact(int *ok"));
    assert_non_null(strstr(text, "my_divide(int *ok"));
    assert_null(strstr(text, "my_ceil_div"));
    assert_null(strstr(text, "static int my_is_count"));
    assert_null(strstr(text, "my_set_to_zero"));
    assert_null(strstr(text, "my_clear"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_driver_is_c_and_cpp_opened_and_linked),
        cmocka_unit_test(the_runtime_is_cpp),
        cmocka_unit_test(the_runtime_launches),
        cmocka_unit_test(names_get_the_prefix_and_samples_make_way),
        cmocka_unit_test(functions_that_nothing_mentions_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
