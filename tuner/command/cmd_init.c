/* aptune init: a first spec for the kernels of a .cu file. */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/command/options.h"
#include "tuner/library/where.h"
#include "tuner/compile/farm.h"
#include "tuner/spec/first_spec.h"

#include <stdio.h>
#include <string.h>

typedef struct InitOptions {
    const char *kernel, *output, *arch;
    bool help;
} InitOptions;

static const Option own_options[] = {
    {"kernel", "NAME", "which kernel (default: the first one)", option_text,
     offsetof(InitOptions, kernel), 0, 0},
    {"output", "FILE", "where the spec goes (default: NAME.spec beside the source)", option_text,
     offsetof(InitOptions, output), 0, 0},
    {"arch", "NAME", "compile for sm_NN (default sm_90)", option_text, offsetof(InitOptions, arch),
     0, 0},
    {"help", NULL, "print this", option_flag, offsetof(InitOptions, help), 0, 0},
};
enum { OPTIONS = sizeof own_options / sizeof own_options[0] };

static bool print_usage(const OptionTable *t)
{
    Buf text = {0};
    buf_puts(&text, "usage: aptune init FILE.cu [options]\n"
                    "Writes a first spec for a kernel: its arguments, the macros under #ifndef as "
                    "parameters,\nits launch bounds; with comments where you have to decide.\n");
    options_print_help(t, &text);
    return command_finish(&text);
}

/* Compiles the file as it stands; its PTX, or NULL with the compiler's words. */
static const char *compile(Arena *a, const char *path, const char *arch, size_t *size, Diag *d)
{
    const CompileSource *source = source_open(a, path, NULL, 0, d);
    if (!source)
        return NULL;
    CompileSetting setting = {.architecture = arch};
    CompileJob job = source_configure(a, source, &setting);
    FarmOptions options = {.helper = where_helper(a, "aptune-compile"),
                           .cuda_folder = where_data(a, ".cuda"),
                           .jobs = 1};
    Farm *farm = farm_open(&options);
    CompileResult res;
    farm_add(farm, 0, &job);
    bool ok = farm_next(farm, a, &res, d);
    farm_close(farm);
    if (ok && res.status != OUTCOME_COMPILED)
        ok = diag_fail(d,
                       "'%s' does not compile as it stands; give its macros values under "
                       "#ifndef:\n%s",
                       path, res.log);
    *size = ok ? res.ptx_size : 0;
    return ok ? res.ptx : NULL;
}

static bool write_spec(Arena *a, const char *path, const InitOptions *o, const Buf *text, Diag *d)
{
    const char *name = path_stem(a, path, ".cu");
    const char *to = o->output
                         ? o->output
                         : path_join(a, path_folder(a, path), arena_printf(a, "%s.spec", name));
    if (strcmp(to, "-") == 0)
        return command_print_text(buf_text(text));
    if (file_exists(to))
        return diag_fail(d, "'%s' is there already; --output names another file", to);
    if (!file_write(to, buf_text(text), text->size, d))
        return false;
    return command_print_text(
        arena_printf(a, "%s: written; see the comments in it, then `aptune check %s`\n", to, to));
}

static bool init(Arena *a, const char *path, const InitOptions *o, Diag *d)
{
    size_t size = 0;
    const Source *source = source_read(a, path, d);
    const char *ptx = source ? compile(a, path, o->arch ? o->arch : "sm_90", &size, d) : NULL;
    Buf text = {0};
    bool ok = ptx && first_spec(a, source, ptx, size, o->kernel, &text, d) &&
              write_spec(a, path, o, &text, d);
    buf_free(&text);
    return ok;
}

int cmd_init(int argc, char **argv)
{
    InitOptions o = {0};
    OptionTable table = {{{own_options, OPTIONS, &o}}, 1};
    int rest;
    if (!options_parse(&table, argc, argv, &rest))
        return EXIT_USAGE;
    if (o.help)
        return print_usage(&table) ? EXIT_DONE : EXIT_FAILED;
    if (rest >= argc) {
        fputs("aptune: which file? Say aptune init FILE.cu\n", stderr);
        return EXIT_USAGE;
    }
    if (!options_end(argc, argv, rest + 1))
        return EXIT_USAGE;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    bool ok = init(a, argv[rest], &o, &d);
    command_flush_messages(&d);
    arena_free(a);
    return ok ? EXIT_DONE : EXIT_USAGE;
}
