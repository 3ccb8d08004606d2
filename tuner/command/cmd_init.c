/* aptune init: a first spec for the kernels of a .cu file. */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/command/options.h"
#include "tuner/compile/farm.h"
#include "tuner/library/where.h"
#include "tuner/spec/first_spec.h"
#include "tuner/spec/kernel_types.h"
#include "tuner/spec/near_header.h"

#include <stdio.h>
#include <string.h>

typedef struct InitOptions {
    const char *kernel, *output, *arch;
    OptionTexts includes;
} InitOptions;

static const Option own_options[] = {
    {"kernel", "NAME", "which kernel (default: the first one)", option_text,
     offsetof(InitOptions, kernel), 0, 0},
    {"output", "FILE", "where the spec goes (default: NAME.spec beside the source)", option_text,
     offsetof(InitOptions, output), 0, 0},
    {"include", "DIR", "where headers are looked for, too (as often as wanted)", option_texts,
     offsetof(InitOptions, includes), 0, 0},
    {"arch", "NAME", "compile for sm_NN (default sm_90)", option_text, offsetof(InitOptions, arch),
     0, 0},
};
enum { OPTIONS = sizeof own_options / sizeof own_options[0] };

/* --- compiling before there is a spec --------------------------------------------------------- */

enum {
    ROUNDS = 12,       /* of names that turn up undefined behind others */
    INCLUDES_MOST = 16 /* folders of headers */
};

typedef struct Trying {
    Arena *arena;
    const CompileSource *source;
    const CompileSource *asking; /* the same with the question for the parameters' types */
    const char *arch;
    Farm *farm;
    FirstGuess guess;
} Trying;

static bool compile(Trying *t, bool ask, CompileResult *out, Diag *d)
{
    CompileDefine *defines = ARENA_ARRAY(t->arena, CompileDefine, t->guess.undefined.count + 1);
    for (size_t i = 0; i < t->guess.undefined.count; i++)
        defines[i] = (CompileDefine){t->guess.undefined.at[i].name, t->guess.undefined.at[i].value};
    CompileJob *job = ARENA_NEW(t->arena, CompileJob);
    *job = source_configure(t->arena, ask ? t->asking : t->source,
                            &(CompileSetting){.architecture = t->arch,
                                              .defines = defines,
                                              .define_count = t->guess.undefined.count,
                                              .names = &t->guess.expression,
                                              .name_count = 1});
    farm_add(t->farm, 0, job);
    return farm_next(t->farm, t->arena, out, d);
}

/* What is compiled with for a name that has no value. */
static KernelMacro guess_of(Trying *t, const KernelMacros *conditions, const char *name)
{
    KernelMacro m = {name, NULL, false, NULL};
    for (size_t i = 0; i < conditions->count; i++)
        if (conditions->at[i].condition && strcmp(conditions->at[i].name, name) == 0)
            m.cases = conditions->at[i].cases, m.value = conditions->at[i].value;
    if (!m.value)
        m.value = first_value(&t->guess, name);
    return m;
}

/* Adds the names that a log calls undefined; false: it has none that is new. */
static bool add_undefined(Trying *t, const KernelMacros *conditions, const char *log)
{
    size_t before = t->guess.undefined.count;
    for (const char *at = log; (at = strstr(at, "identifier \"")) != NULL;) {
        at += strlen("identifier \"");
        size_t n = strcspn(at, "\"\n");
        const char *name = arena_copy(t->arena, at, n);
        bool undefined = strncmp(at + n, "\" is undefined", 14) == 0;
        for (size_t i = 0; i < t->guess.undefined.count; i++)
            undefined = undefined && strcmp(t->guess.undefined.at[i].name, name) != 0;
        if (undefined && kernel_source_has_word(t->source->text, name))
            VEC_PUSH(t->arena, &t->guess.undefined, guess_of(t, conditions, name));
    }
    return t->guess.undefined.count > before;
}

/* Names that only #if lines know begin with the first value they are compared with there, where
 * `chosen`, else undefined; what else is undefined gets a guess, round by round.  False when that
 * does not compile; `log` becomes what the first round said. */
static bool try_names(Trying *t, bool ask, bool chosen, CompileResult *res, const char **log,
                      Diag *d)
{
    const KernelMacros known = kernel_source_macros(t->arena, t->source->text);
    t->guess.undefined.count = 0;
    for (size_t i = 0; chosen && i < known.count; i++)
        if (known.at[i].cases)
            VEC_PUSH(t->arena, &t->guess.undefined, guess_of(t, &known, known.at[i].name));
    if (chosen && t->guess.undefined.count == 0)
        return false;
    *log = NULL;
    for (int round = 0; round < ROUNDS; round++) {
        if (!compile(t, ask, res, d))
            return false;
        if (res->status == OUTCOME_COMPILED)
            return true;
        *log = *log ? *log : res->log;
        if (!t->guess.small && strstr(res->log, "too much shared data")) {
            t->guess.small = true;
            for (size_t i = 0; i < t->guess.undefined.count; i++)
                t->guess.undefined.at[i] = guess_of(t, &known, t->guess.undefined.at[i].name);
            continue;
        }
        if (!add_undefined(t, &known, res->log))
            break;
    }
    return false;
}

/* Compiles the file as it stands and, where names are undefined, with guesses for them, which is
 * how other tuners leave their parameters; without the question for types where that is what fails.
 * False with what the compiler says of the file as it stands; NULL: after a message. */
static bool try_all(Trying *t, CompileResult *res, const char **log, Diag *d)
{
    const char *unused;
    *log = NULL;
    return try_names(t, true, false, res, log, d) ||
           (*log &&
            (try_names(t, true, true, res, &unused, d) || try_names(t, false, false, res, log, d) ||
             try_names(t, false, true, res, &unused, d)));
}

/* Where the spec goes; "-": to the terminal, as if it lay beside the source. */
static const char *output_path(Arena *a, const char *path, const InitOptions *o)
{
    const char *stem = path_stem(a, path, ""), *dot = strrchr(stem, '.');
    const int length = dot && dot > stem ? (int)(dot - stem) : (int)strlen(stem);
    const char *name = arena_printf(a, "%.*s.spec", length, stem);
    return o->output ? o->output : path_join(a, path_folder(a, path), name);
}

static bool write_spec(const char *to, const Buf *text, Arena *a, Diag *d)
{
    if (strcmp(to, "-") == 0)
        return command_print_data(buf_text(text));
    if (file_exists(to))
        return diag_fail(d, "'%s' is there already; --output names another file", to);
    if (!file_write(to, buf_text(text), text->size, d))
        return false;
    return command_print_text(
        arena_printf(a, "%s: written; see the comments in it, then `aptune check %s`\n", to, to));
}

static bool find_kernel(Trying *t, const char *path, const InitOptions *o, KernelSource *k, Diag *d)
{
    if (kernel_source_find(t->arena, t->source->text, o->kernel, k))
        return true;
    const char *names = kernel_source_names(t->arena, t->source->text);
    for (size_t i = 0; !*names && i < t->source->file_count; i++) {
        Diag quiet = diag_new(t->arena);
        size_t size;
        const char *text = file_read(t->arena, t->source->files[i], &size, &quiet);
        const char *there = text ? kernel_source_names(t->arena, text) : "";
        if (*there)
            return diag_fail(d,
                             "'%s' has no kernel; '%s', which it includes, has %s: name that file",
                             path, t->source->files[i], there);
    }
    if (!*names)
        return diag_fail(d, "'%s' has no kernel: no function with __global__", path);
    return diag_fail(d, "'%s' has no kernel '%s', but %s", path, o->kernel, names);
}

static const CompileSource *with_question(const Trying *t, const KernelSource *k)
{
    Buf text = {0};
    buf_printf(&text, "%s\n", t->source->text);
    kernel_types_ask(t->guess.expression, k->parameters.count, &text);
    CompileSource *s = ARENA_NEW(t->arena, CompileSource);
    *s = *t->source;
    s->text = arena_string(t->arena, buf_text(&text));
    s->size = text.size;
    buf_free(&text);
    return k->parameters.count > 0 ? s : t->source;
}

/* Reads the file with the folders of headers known so far. */
static bool open_source(Trying *t, const char *path, const InitOptions *o, KernelSource *k, Diag *d)
{
    Arena *a = t->arena;
    size_t count = t->guess.include_count, size;
    const char **options = ARENA_ARRAY(a, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        options[i] = arena_printf(a, "-I%s", t->guess.includes[i]);
    if (t->guess.standard)
        options[count++] = t->guess.standard;
    t->source = source_open(a, path, options, count, d);
    if (!t->source || !find_kernel(t, path, o, k, d))
        return false;
    const char *whole = file_read(a, path, &size, d);
    if (whole)
        kernel_source_launch(a, whole, k);
    t->guess.kernel = k;
    t->guess.expression = first_expression(a, k);
    t->asking = with_question(t, k);
    return true;
}

/* A folder of the project's headers that is not among the known ones; NULL: there is none. */
static const char *more_headers(const Trying *t, const char *path, const char *log)
{
    const char *found = near_header(t->arena, path_folder(t->arena, path), log);
    for (size_t i = 0; found && i < t->guess.include_count; i++)
        if (strcmp(t->guess.includes[i], found) == 0)
            return NULL;
    return t->guess.include_count < INCLUDES_MOST ? found : NULL;
}

/* Newer ones than nvcc's default for what is new, older ones for `register` and its like. */
static bool try_standards(Trying *t, const char *path, const InitOptions *o, KernelSource *k,
                          CompileResult *res, Diag *d)
{
    static const char *const standards[] = {"-std=c++20", "-std=c++14"};
    for (size_t i = 0; i < sizeof standards / sizeof *standards; i++) {
        const char *log;
        t->guess.standard = standards[i];
        if (open_source(t, path, o, k, d) && try_all(t, res, &log, d))
            return true;
    }
    return false;
}

static bool refuse(const char *path, const char *log, Diag *d)
{
    bool header = strstr(log, "cannot open source file") != NULL;
    return diag_fail(d, "'%s' does not compile%s:\n%s", path,
                     header ? "; --include DIR names another folder of headers" : "", log);
}

/* Compiles with ever more of the project's folders of headers, as its own build names them. */
static bool try_headers(Trying *t, const char *path, const InitOptions *o, KernelSource *k,
                        CompileResult *res, Diag *d)
{
    const char **includes = ARENA_ARRAY(t->arena, const char *, INCLUDES_MOST);
    t->guess.include_count = t->guess.include_given =
        o->includes.count < INCLUDES_MOST ? o->includes.count : INCLUDES_MOST;
    for (size_t i = 0; i < t->guess.include_count; i++)
        includes[i] = o->includes.at[i];
    t->guess.includes = includes;
    const char *log, *more = NULL;
    do {
        if (more)
            includes[t->guess.include_count++] = more;
        if (!open_source(t, path, o, k, d))
            return false;
        if (try_all(t, res, &log, d))
            return true;
        more = log ? more_headers(t, path, log) : NULL;
    } while (more);
    return log && (try_standards(t, path, o, k, res, d) || refuse(path, log, d));
}

static bool init(Arena *a, const char *path, const InitOptions *o, Diag *d)
{
    Trying t = {.arena = a, .arch = o->arch ? o->arch : "sm_90"};
    KernelSource kernel;
    CompileResult res;
    FarmOptions options = {.helper = where_helper(a, NULL, "aptune-compile"),
                           .cuda_folder = where_data(a, NULL, ".cuda"),
                           .jobs = 1};
    t.farm = farm_open(&options);
    Buf text = {0};
    const char *to = output_path(a, path, o);
    bool ok =
        try_headers(&t, path, o, &kernel, &res, d) &&
        first_spec(a, path, path_folder(a, strcmp(to, "-") == 0 ? path : to), &t.guess, res.ptx,
                   res.ptx_size, res.lowered_count ? res.lowered[0] : kernel.name, &text, d) &&
        write_spec(to, &text, a, d);
    farm_close(t.farm);
    buf_free(&text);
    return ok;
}

int cmd_init(int argc, char **argv)
{
    InitOptions o = {0};
    const CommandLine line = {
        .usage = "usage: aptune init FILE.cu [options]\n"
                 "Writes a first spec for a kernel: parameters with values worth trying, the "
                 "launch, data\nand a reference; with comments where you have to decide.\n",
        .table = {{{own_options, OPTIONS, &o}}, 1},
        .least = 1,
        .most = 1,
        .wanted = "which file? Say aptune init FILE.cu"};
    int rest, code = command_line_read(&line, argc, argv, &rest);
    if (code != COMMAND_GOES_ON)
        return code;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    bool ok = init(a, argv[rest], &o, &d);
    command_flush_messages(&d);
    arena_free(a);
    return ok ? EXIT_DONE : EXIT_USAGE;
}
