/* What a configuration is compiled from: includes, options, identities. */
#include "metrics/base/file.h"
#include "tuner/compile/source.h"
#include "tuner/compile/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    snprintf(f->folder, sizeof f->folder, "source-XXXXXX");
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

static void put(Fixture *f, const char *name, const char *text)
{
    const char *path = arena_printf(f->arena, "%s/%s", f->folder, name);
    assert_true(folder_create(path_folder(f->arena, path), &f->diag));
    assert_true(file_write(path, text, strlen(text), &f->diag));
}

/* The source of a text in the folder, with -I of its subfolder "inc". */
static const CompileSource *make(Fixture *f, const char *text)
{
    const Texts options = TEXTS(arena_printf(f->arena, "-I%s/inc", f->folder));
    return source_make(f->arena, "k.cu", text, strlen(text), f->folder, options);
}

static const char *hash_of(Fixture *f, const char *text)
{
    return make(f, text)->hash.text;
}

static void an_included_file_counts_however_it_is_included(void **state)
{
    static const char *const TEXTS[] = {
        "#include \"a.h\"\n",
        "  #  include <a.h>\n",
        "#include/* c */\"a.h\"\n",
        "/* c */ #include \"a.h\"\n",
        "/* c\n c */ #include \"a.h\"\n",
        "#inc\\\nlude \"a.h\"\n",
        "%:include \"a.h\"\n",
        "#include \"deep.h\"\n",
        "#if 0\n#include \"a.h\"\n#endif\n",
        "#if __has_include(<a.h>)\n#endif\n",
        "const char *s = \"/*\";\n#include \"a.h\"\n",
        "int n = 1'000; /* '\n*/\n#include \"a.h\"\n",
        "auto r = R\"(/*)\";\n#include \"a.h\"\n",
        "#include \"../inc/a.h\"\n",
        "#include \"a.h\"",
    };
    Fixture *f = *state;
    put(f, "inc/deep.h", "#include <deeper.h>\n");
    put(f, "inc/deeper.h", "#include \"a.h\"\n");

    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        put(f, "inc/a.h", "#define A 1\n");
        const char *before = hash_of(f, TEXTS[i]), *again = hash_of(f, TEXTS[i]);
        put(f, "inc/a.h", "#define A 2\n");
        const char *after = hash_of(f, TEXTS[i]);
        if (strcmp(before, again) != 0 || strcmp(before, after) == 0)
            fail_msg("include not followed in: %s", TEXTS[i]);
        assert_null(make(f, TEXTS[i])->unknown);
    }
}

static void a_file_that_appears_changes_the_source(void **state)
{
    Fixture *f = *state;
    put(f, "inc/a.h", "#define A 1\n");
    const char *text = "#include \"a.h\"\n#include \"b.h\"\n";

    const char *missing = hash_of(f, text);
    put(f, "inc/b.h", "");
    const char *there = hash_of(f, text);
    put(f, "a.h", "#define A 3\n"); /* before inc/a.h on the way */
    const char *shadowed = hash_of(f, text);

    assert_string_not_equal(missing, there);
    assert_string_not_equal(there, shadowed);
}

/* A copy of a folder has the same places; a file that goes to another folder on the way has not. */
static void which_folder_held_a_file_is_told_apart(void **state)
{
    Fixture *f = *state;
    const char *text = "#include \"a.h\"\n", *header = "#define A 1\n";
    const char *copy = arena_printf(f->arena, "%s/copy", f->folder);
    const Texts options = TEXTS(arena_printf(f->arena, "-I%s/inc", copy));
    put(f, "inc/a.h", header);
    put(f, "copy/inc/a.h", header);

    const CompileSource *in_inc = make(f, text);
    const CompileSource *copied = source_make(f->arena, "k.cu", text, strlen(text), copy, options);
    unlink(arena_printf(f->arena, "%s/inc/a.h", f->folder));
    put(f, "a.h", header);
    const CompileSource *beside = make(f, text);

    assert_string_equal(copied->hash.text, in_inc->hash.text);
    assert_string_equal(copied->places.text, in_inc->places.text);
    assert_string_equal(beside->hash.text, in_inc->hash.text);
    assert_string_not_equal(beside->places.text, in_inc->places.text);
}

static void files_that_include_each_other_end(void **state)
{
    Fixture *f = *state;
    put(f, "inc/a.h", "#include \"b.h\"\n#include \"../inc/a.h\"\n");
    put(f, "inc/b.h", "#include \"a.h\"\n");

    const CompileSource *s = make(f, "#include \"a.h\"\n");

    assert_int_equal(s->files.count, 2);
    assert_null(s->unknown);
}

static void an_include_by_macro_is_said_and_one_in_a_comment_is_not(void **state)
{
    Fixture *f = *state;

    const CompileSource *macro = make(f, "int a;\n#include HEADER\n");
    const CompileSource *comment = make(f, "// #include HEADER\n/* or\n#include HEADER */\n"
                                           "const char *s = \"#include HEADER\";\n");
    const CompileSource *behind = make(f, "__device__ int a; # include HEADER\n");

    assert_string_equal(macro->unknown, "k.cu:2: the name of the included file is a macro");
    assert_null(comment->unknown);
    assert_null(behind->unknown);
}

/* Only the folders that a spec declares are its own: what others hold is not read, nor hashed. */
static const char *header_of(const CompileSource *s, const char *name)
{
    for (size_t i = 0; i < s->headers.count; i += 2)
        if (strcmp(s->headers.at[i], name) == 0)
            return s->headers.at[i + 1];
    return NULL;
}

static void a_template_stands_in_for_a_header_that_is_made_of_it(void **state)
{
    Fixture *f = *state;
    const char *text = "#include \"lib/config.h\"\n";
    put(f, "inc/config.h.in",
        "#cmakedefine01 FAST\n#cmakedefine SLOW @SLOW@\n#define A @A@\n#define B \"v${B}.@C\"\n");
    const CompileSource *s = make(f, text);
    assert_string_equal(header_of(s, "lib/config.h"),
                        "#define FAST 0\n\n#define A 0\n#define B \"v0.@C\"\n");
    const Hash before = s->hash;
    put(f, "inc/lib/config.h", "#define FAST 1\n");
    s = make(f, text);
    assert_null(header_of(s, "lib/config.h")); /* the compiler finds it */
    assert_string_not_equal(s->hash.text, before.text);
}

static void backslashes_in_a_name_are_slashes(void **state)
{
    Fixture *f = *state;
    put(f, "sub/deep.h", "#include \"..\\sub\\two.h\"\n");
    put(f, "sub/two.h", "#define TWO 2\n");
    const CompileSource *s = make(f, "#include \"sub\\deep.h\"\n");
    assert_non_null(header_of(s, "sub\\deep.h"));
    assert_string_equal(header_of(s, "..\\sub\\two.h"), "#define TWO 2\n");
    s = make(f, "#include \"sub/two.h\"\n");
    assert_null(header_of(s, "sub/two.h")); /* the compiler finds it */
}

static void letters_case_does_not_count_where_no_name_is_the_same(void **state)
{
    Fixture *f = *state;
    put(f, "Defines.h", "#define A 1\n");
    put(f, "Sub/StdAfx.h", "#include \"two.h\"\n");
    put(f, "Sub/Two.h", "#define TWO 2\n");
    put(f, "Math.h", "#define NOT_C 1\n");
    const CompileSource *s =
        make(f, "#include \"defines.h\"\n#include \"sub\\stdafx.h\"\n#include <math.h>\n");
    assert_string_equal(header_of(s, "defines.h"), "#define A 1\n");
    assert_string_equal(header_of(s, "two.h"), "#define TWO 2\n");
    assert_null(header_of(s, "math.h")); /* the compiler's own */
    const Hash before = s->hash;
    put(f, "Sub/Two.h", "#define TWO 3\n");
    s = make(f, "#include \"defines.h\"\n#include \"sub\\stdafx.h\"\n#include <math.h>\n");
    assert_string_not_equal(s->hash.text, before.text);
    put(f, "defines.h", "#define A 2\n");
    s = make(f, "#include \"defines.h\"\n");
    assert_null(header_of(s, "defines.h")); /* the compiler finds it */
}

static void of_thrust_and_cub_what_is_the_hosts_is_empty(void **state)
{
    Fixture *f = *state;
    const CompileSource *s =
        make(f, "#include <thrust/system/cuda/memory.h>\n#include <thrust/tuple.h>\n"
                "#include <cub/device/device_reduce.cuh>\n#include <cub/cub.cuh>\n");
    assert_non_null(header_of(s, "thrust/system/cuda/memory.h"));
    assert_non_null(header_of(s, "cub/device/device_reduce.cuh"));
    assert_null(header_of(s, "thrust/tuple.h"));
    assert_null(header_of(s, "cub/cub.cuh"));
}

static void a_byte_order_mark_hides_no_directive(void **state)
{
    Fixture *f = *state;
    put(f, "k.cu", "\xef\xbb\xbf#include \"a.h\"\nint main() {}\n");
    put(f, "a.h", "\xef\xbb\xbf#define A 1\n");
    const char *path = arena_printf(f->arena, "%s/k.cu", f->folder);
    const CompileSource *s = source_open(f->arena, path, (Texts){0}, &f->diag);
    assert_int_equal(s->files.count, 1);
    assert_string_equal(s->text, "#include \"a.h\"\n             \n");
}

static void a_file_elsewhere_is_not_read(void **state)
{
    Fixture *f = *state;
    put(f, "secret/a", "of the user\n");
    put(f, "project/k.h", "\n");
    const char *folder = arena_printf(f->arena, "%s/project", f->folder);
    assert_int_equal(symlink("../secret/a", arena_printf(f->arena, "%s/link.h", folder)), 0);
    static const char *const TEXTS[] = {"#include \"../secret/a\"\n", "#include \"link.h\"\n",
                                        "#if 0\n#include <../secret/a>\n#endif\n"};
    for (size_t i = 0; i < 3; i++) {
        const CompileSource *s =
            source_make(f->arena, "k.cu", TEXTS[i], strlen(TEXTS[i]), folder, (Texts){0});
        assert_int_equal(s->files.count, 0);
        assert_non_null(strstr(s->unknown, "outside the declared folders"));
    }
    const char *comment = "// #include \"../secret/a\"\n#include \"k.h\"\n";
    const CompileSource *s =
        source_make(f->arena, "k.cu", comment, strlen(comment), folder, (Texts){0});
    assert_int_equal(s->files.count, 1);
    assert_null(s->unknown);
    const Texts declared = TEXTS(arena_printf(f->arena, "-I%s/secret", f->folder));
    s = source_make(f->arena, "k.cu", TEXTS[0], strlen(TEXTS[0]), folder, declared);
    assert_int_equal(s->files.count, 1);
    assert_null(s->unknown);
}

static void what_is_no_file_is_not_followed(void **state)
{
    Fixture *f = *state;
    const char *fifo = arena_printf(f->arena, "%s/fifo", f->folder);
    const char *zero = arena_printf(f->arena, "%s/zero", f->folder);
    const char *text =
        "// #include \"fifo\"\n#if 0\n#include \"zero\"\n#include \"/dev/zero\"\n#endif\n";
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(symlink("/dev/zero", zero), 0);
    alarm(20); /* else for ever */
    assert_non_null(make(f, text)->unknown);
    alarm(0);
}

static CompileJob job_of(Fixture *f, const CompileSource *s, const char *value,
                         const char *architecture)
{
    CompileSetting setting = {
        .architecture = architecture,
        .defines = {&(CompileDefine){"BM", value}, 1, 0},
    };
    return source_configure(f->arena, s, &setting);
}

static void parameters_become_definitions(void **state)
{
    Fixture *f = *state;
    const Texts options = TEXTS("--minimal", arena_printf(f->arena, "-I%s", f->folder));
    const CompileSource *s = source_make(f->arena, "x/k.cu", "", 0, f->folder, options);

    CompileJob job = job_of(f, s, "64", "sm_90");

    assert_string_equal(s->name, "k.cu");
    assert_int_equal(job.options.count, 5);
    assert_string_equal(job.options.at[0], "-arch=sm_90");
    assert_memory_equal(job.options.at[1], "-I/", 3); /* the source's folder, absolute */
    assert_string_equal(job.options.at[2], "--minimal");
    assert_memory_equal(job.options.at[3], "-I/", 3);
    assert_string_equal(job.options.at[4], "-DBM=64");
}

static void a_jobs_hash_knows_options_but_not_folders(void **state)
{
    Fixture *f = *state;
    put(f, "one/a.h", "#define A 1\n");
    put(f, "two/a.h", "#define A 1\n");
    const char *text = "#include \"a.h\"\n";
    const char *one = arena_printf(f->arena, "%s/one", f->folder);
    const char *two = arena_printf(f->arena, "%s/two", f->folder);
    const CompileSource *s1 = source_make(f->arena, "k.cu", text, strlen(text), one, (Texts){0});
    const CompileSource *s2 = source_make(f->arena, "k.cu", text, strlen(text), two, (Texts){0});

    CompileJob a = job_of(f, s1, "64", "sm_90"), b = job_of(f, s2, "64", "sm_90");
    CompileJob c = job_of(f, s1, "32", "sm_90"), e = job_of(f, s1, "64", "sm_80");

    assert_string_equal(a.hash.text, b.hash.text);
    assert_string_not_equal(a.hash.text, c.hash.text);
    assert_string_not_equal(a.hash.text, e.hash.text);
}

/* The cache's key of a text that lies in `folder` with two -I folders and an option more. */
static const char *key_of(Fixture *f, const char *folder, const char *first, const char *second,
                          const char *option)
{
    static const char TEXT[] = "#include <a.h>\n#include \"one/a.h\"\n#include \"two/a.h\"\n";
    const Texts options = TEXTS(arena_printf(f->arena, "-I%s/%s", folder, first),
                                arena_printf(f->arena, "-I%s/%s", folder, second), option);
    const CompileSource *s = source_make(f->arena, "k.cu", TEXT, sizeof TEXT - 1, folder, options);
    CompileJob job = job_of(f, s, "64", "sm_90");
    Hash key = result_key("a compiler", &job);
    return arena_string(f->arena, key.text);
}

static void two_checkouts_share_what_is_cached(void **state)
{
    Fixture *f = *state;
    static const char *const CHECKOUTS[] = {"here", "there"};
    const char *folder[2];
    for (size_t i = 0; i < 2; i++) {
        folder[i] = arena_printf(f->arena, "%s/%s", f->folder, CHECKOUTS[i]);
        put(f, arena_printf(f->arena, "%s/one/a.h", CHECKOUTS[i]), "#define A 1\n");
        put(f, arena_printf(f->arena, "%s/two/a.h", CHECKOUTS[i]), "#define A 2\n");
    }
    const char *here = key_of(f, folder[0], "one", "two", "--minimal");

    assert_string_equal(here, key_of(f, folder[1], "one", "two", "--minimal"));
    assert_string_not_equal(here, key_of(f, folder[0], "two", "one", "--minimal"));
    assert_string_not_equal(here, key_of(f, folder[0], "one", "two", "-DB"));
    /* The folders stand in the code. */
    assert_string_not_equal(key_of(f, folder[0], "one", "two", "-lineinfo"),
                            key_of(f, folder[1], "one", "two", "-lineinfo"));
    put(f, "there/two/a.h", "#define A 3\n");
    assert_string_not_equal(here, key_of(f, folder[1], "one", "two", "--minimal"));
}

static void an_option_that_names_a_file_is_followed_or_said(void **state)
{
    Fixture *f = *state;
    put(f, "pre.h", "#define A 1\n");
    const Texts forced = TEXTS("-include=pre.h");

    Hash before = source_make(f->arena, "k.cu", "", 0, f->folder, forced)->hash;
    put(f, "pre.h", "#define A 2\n");
    Hash after = source_make(f->arena, "k.cu", "", 0, f->folder, forced)->hash;

    assert_string_not_equal(before.text, after.text);
}

static void an_option_that_may_write_a_file_is_refused(void **state)
{
    static const char *const FINE[] = {
        "-use_fast_math",
        "--maxrregcount=32",
        "-DX",
        "-DF(x)=x y",
        "-D=X=1",
        "-I/usr/include",
        "--pre-include=a.h",
        "-std=c++20",
        "-ftz=true",
        "-Xptxas=-v,-O1,-dlcm=cg",
        "-diag-suppress=177,20012",
    };
    static const char *const REFUSED[] = {
        "--time=/tmp/x",
        "-time=/tmp/x",
        "--create-pch=x",
        "--pch",
        "--pch-dir=/tmp",
        "--use-pch=x",
        "-x",
        "x.h",
        "--options-file=x",
        "-optf=x",
        "@x",
        "",
        "-fdevice-time-trace=x",
        "--fdevice-time-trace=x",
        "-Xptxas=-o,x",
        "-Xptxas=-v,--output-file=x",
        "--ptxas-options=-optf=x",
        "-Xptxas=-O/x",
        "-ftz=true --time=x",
        "-maxrregcount=3 --time=x",
        "-maxrregcount",
        "-maxrregcount=-1",
        "-arch=sm_90",
        "-DX\n#include \"/etc/passwd\"",
        "-D",
        "-I",
        "--minimal=1",
        "-include",
        "-std=c++17 --time=x",
        "-split-compile=x",
        "-dlto",
        "-optix-ir",
    };
    Fixture *f = *state;
    for (size_t i = 0; i < sizeof FINE / sizeof *FINE; i++)
        assert_null(option_refusal(f->arena, FINE[i]));
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++)
        assert_non_null(option_refusal(f->arena, REFUSED[i]));
}

static void what_is_wrong_with_an_option_is_said(void **state)
{
    static const struct {
        const char *option, *refusal; /* NULL: it may be given */
    } CASES[] = {
        {"--define-macro=N", NULL},
        {"--define-macroN",
         "is not a compiler option that a spec may use (see option in spaces/README.md)"},
        {"-D", "needs its value in the same string, as in \"-maxrregcount=32\""},
        {"-D1N", "takes a macro's name"},
        {"-D_n", NULL},
        {"-D=", "needs its value in the same string, as in \"-maxrregcount=32\""},
        {"-I=/a b", NULL},
        {"-I", "needs its value in the same string, as in \"-maxrregcount=32\""},
        {"-includex.h",
         "is not a compiler option that a spec may use (see option in spaces/README.md)"},
        {"-include=x.h", NULL},
        {"-std=", "needs its value in the same string, as in \"-maxrregcount=32\""},
        {"-stdc++17",
         "is not a compiler option that a spec may use (see option in spaces/README.md)"},
        {"-std=c++17;x", "takes a word, or numbers with commas"},
        {"--use_fast_math", NULL},
        {"-use_fast_math=1", "takes no value"},
        {"-use_fast_mat",
         "is not a compiler option that a spec may use (see option in spaces/README.md)"},
        {"-ftz=false", NULL},
        {"-ftz=yes", "takes true or false"},
        {"-maxrregcount=3x", "takes a number"},
        {"-Xptxas=-O=3", NULL},
        {"-Xptxas=-vx", "passes '-vx' to ptxas, which a spec may not"},
        {"-Xptxas=-O", "passes '-O' to ptxas, which a spec may not"},
        {"-Xptxas=-warn-spills,-w", NULL},
        {"-Xptxas=-dlcmca", "passes '-dlcmca' to ptxas, which a spec may not"},
        {"-Xptxas=-O3,-o=/x", "passes '-o=/x' to ptxas, which a spec may not"},
        {"-Xptxas=-dlcm=a/b", "passes '-dlcm=a/b' to ptxas, which a spec may not"},
        {"-Xptxas=--verbose=1", "passes '--verbose=1' to ptxas, which a spec may not"},
        {"-Xptxas=-O3,,-v", "passes '' to ptxas, which a spec may not"},
        {"-Gx",
         "is not a compiler option that a spec may use (see option in spaces/README.md)"},
        {"", "is not a compiler option that a spec may use (see option in spaces/README.md)"},
        {"-w\n", "contains a control character"}};
    const Fixture *f = *state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *said = option_refusal(f->arena, CASES[i].option);
        if (strcmp(said ? said : "", CASES[i].refusal ? CASES[i].refusal : "") != 0)
            fail_msg("%s: %s", CASES[i].option, said ? said : "may be given");
    }
}

static void a_template_that_is_not_there_is_named(void **state)
{
    Fixture *f = *state;

    assert_null(source_open(f->arena, "no-such.cu", (Texts){0}, &f->diag));
    assert_non_null(strstr(f->diag.messages.at[0].text, "no-such.cu"));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_included_file_counts_however_it_is_included),
        CASE(a_file_that_appears_changes_the_source),
        CASE(which_folder_held_a_file_is_told_apart),
        CASE(files_that_include_each_other_end),
        CASE(an_include_by_macro_is_said_and_one_in_a_comment_is_not),
        CASE(a_template_stands_in_for_a_header_that_is_made_of_it),
        CASE(backslashes_in_a_name_are_slashes),
        CASE(letters_case_does_not_count_where_no_name_is_the_same),
        CASE(of_thrust_and_cub_what_is_the_hosts_is_empty),
        CASE(a_byte_order_mark_hides_no_directive),
        CASE(a_file_elsewhere_is_not_read),
        CASE(what_is_no_file_is_not_followed),
        CASE(parameters_become_definitions),
        CASE(a_jobs_hash_knows_options_but_not_folders),
        CASE(two_checkouts_share_what_is_cached),
        CASE(an_option_that_names_a_file_is_followed_or_said),
        CASE(an_option_that_may_write_a_file_is_refused),
        CASE(what_is_wrong_with_an_option_is_said),
        CASE(a_template_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
