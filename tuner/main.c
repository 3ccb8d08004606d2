/* The program: options before the command, then the command. */
#include "commit.h" /* made by the build: APTUNE_COMMIT */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/library/where.h"

#include <signal.h>

typedef struct Command {
    const char *name;
    const char *summary;
    const CommandLine *line;
} Command;

static const Command commands[] = {
    {"tune", "carve a space, time what is left, and write out the winner (the default)", &cmd_tune},
    {"check", "check that a spec is sound, without running anything", &cmd_check},
    {"init", "write a first spec for a kernel of a .cu file", &cmd_init},
    {"convert", "translate a T1 file into a spec", &cmd_convert},
    {"explain", "say what bounds a configuration, where its cycles go, and what would help",
     &cmd_explain},
    {"emit", "write the tuned kernel as C, CUDA and cubin for your own project", &cmd_emit},
    {"inspect", "print what is in a PTX file or a cubin: kernels, loops, instructions",
     &cmd_inspect},
    {"profile", "list the fields and metrics that carving can use", &cmd_profile},
    {"merge", "join the recordings of parts of a space", &cmd_merge},
    {"study", "judge carvings and searches on recordings: tables, pictures, a report", &cmd_study},
    {"bench", "time a recording's winner, or an emitted kernel, against a vendor's library",
     &cmd_bench},
    {"pack", "compress a recording for shipping", &cmd_pack},
    {"import", "make a recording of another tuner's results", &cmd_import},
    {"export", "write a recording as T4 or CSV for other programs", &cmd_export},
    {"cache", "show what the cache of compiled code holds, or shrink it", &cmd_cache},
    {"devices", "list the devices known by name, with their limits", &cmd_devices},
    {"platform", "measure what a GPU's operations cost, fit models, compare devices",
     &cmd_platform},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_usage(Buf *out)
{
    buf_puts(out, "usage: aptune [tune] FILE.spec [options]\n"
                  "       aptune FILE.cu            write a first spec for it, as init does\n");
    for (int i = 0; i < COMMANDS; i++)
        buf_printf(out, "  aptune %-9s %s\n", commands[i].name, commands[i].summary);
    buf_puts(out, "`aptune help COMMAND` says more; `aptune version` prints the version.\n");
}

/* --- version ----------------------------------------------------------------------------------- */

static void print_field(Buf *out, const char *name, const char *value)
{
    buf_printf(out, "  %-9s %s\n", name, value);
}

/* The folder of a file, with symbolic links resolved. */
static void print_folder(Buf *out, Arena *a, const char *name, const char *file)
{
    char *folder = realpath(path_folder(a, file), NULL);
    print_field(out, name, folder ? folder : "not found");
    free(folder);
}

static void print_version(Buf *out)
{
    SCOPED_ARENA *a = arena_new();
    buf_puts(out, "aptune " APTUNE_VERSION "\n");
    if (*APTUNE_COMMIT)
        print_field(out, "commit", APTUNE_COMMIT);
    print_field(out, "built", APTUNE_BUILD ", headers of CUDA " APTUNE_CUDA_HEADERS);
    print_field(out, "compiler",
                farm_ask_compiler(a, where_helper(a, NULL, "aptune-compile"),
                                  where_data(a, NULL, ".cuda")));
    print_folder(out, a, "helpers", where_helper(a, NULL, "aptune-compile"));
    print_folder(out, a, "metrics", where_data(a, NULL, "metrics/cycles.metrics"));
}

static int show(void (*print)(Buf *out))
{
    SCOPED_BUF out = {0};
    print(&out);
    return command_print_text(buf_text(&out)) ? EXIT_DONE : EXIT_FAILED;
}

static const Command *find_command(const char *name)
{
    return NAME_FIND(commands, COMMANDS, name, name);
}

static int unknown_command(const char *name)
{
    const char *closest = NAME_LIKE(commands, COMMANDS, name, name);
    fprintf(stderr, "aptune: unknown command '%s'", name);
    if (closest)
        fprintf(stderr, "; did you mean '%s'?", closest);
    fputs("; `aptune help` lists all\n" + (closest ? 1 : 0), stderr);
    return EXIT_USAGE;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

/* Rewrites the other spellings of help and version: -h, `help X` and `X help` to --help; `X version` to
 * version. */
static void normalize_help(int argc, char **argv)
{
    static char help_option[] = "--help";
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "-h") == 0)
            argv[i] = help_option;
    if (argc != 3)
        return;
    if (find_command(argv[1]) && strcmp(argv[2], "help") == 0)
        argv[2] = help_option;
    if (find_command(argv[1]) && is_one_of(argv[2], "--version", "-V", "version"))
        argv[1] = argv[2];
    if (strcmp(argv[1], "help") == 0) {
        argv[1] = argv[2];
        argv[2] = help_option;
    }
}

int main(int argc, char **argv)
{
    /* A dead helper, a closed pager or a file at its size limit must be an error code, not a signal. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2) {
        SCOPED_BUF out = {0};
        print_usage(&out);
        fputs(buf_text(&out), stderr);
        return EXIT_USAGE;
    }
    normalize_help(argc, argv);
    if (is_one_of(argv[1], "--version", "-V", "version"))
        return show(print_version);
    if (is_one_of(argv[1], "--help", "-h", "help"))
        return show(print_usage);
    static char tune[] = "tune", init[] = "init";
    if (argv[1][0] == '-' || text_ends_with(argv[1], ".spec")) {
        argv[0] = tune;
        return command_run(&cmd_tune, argc, argv);
    }
    if (text_ends_with(argv[1], ".cu") || text_ends_with(argv[1], ".cuh")) {
        argv[0] = init;
        return command_run(&cmd_init, argc, argv);
    }
    const Command *c = find_command(argv[1]);
    return c ? command_run(c->line, argc - 1, argv + 1) : unknown_command(argv[1]);
}
