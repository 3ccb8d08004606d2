/* The program: options before the command, then the command. */
#include "commit.h" /* made by the build: APTUNE_COMMIT */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/compile/farm.h"
#include "tuner/library/where.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Command {
    const char *name;
    const char *summary;
    const CommandLine *line;
} Command;

static const Command commands[] = {
    {"tune", "carve a space, time what is left, write the winner out (the default)", &cmd_tune},
    {"check", "is a spec sound? Found out without running it", &cmd_check},
    {"init", "a first spec for the kernels of a .cu file", &cmd_init},
    {"convert", "a spec from a T1 file", &cmd_convert},
    {"explain", "what bounds one configuration, where its cycles go, and what would help",
     &cmd_explain},
    {"emit", "the tuned kernel of recordings as C, CUDA and cubin for your own project", &cmd_emit},
    {"inspect", "what is in a PTX file or a cubin: kernels, loops, trip counts, instructions",
     &cmd_inspect},
    {"profile", "the fields and metrics that carving can use", &cmd_profile},
    {"merge", "join the recordings of parts of a space", &cmd_merge},
    {"study", "how well a pruning works, on recordings: tables, pictures, a report", &cmd_study},
    {"bench", "a recording's winner, or an emitted kernel, again, against the vendor's library",
     &cmd_bench},
    {"pack", "compress a recording as it is shipped", &cmd_pack},
    {"import", "a recording from the results of another tuner", &cmd_import},
    {"export", "a recording as T4 or CSV, for others to read", &cmd_export},
    {"cache", "what the cache of compiled code holds; remove what is not used", &cmd_cache},
    {"devices", "the devices known by name, and their limits", &cmd_devices},
    {"platform", "measure what a GPU costs, fit models to it, compare devices", &cmd_platform},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_usage(Buf *out)
{
    buf_puts(out, "usage: aptune [tune] FILE.spec [options]\n"
                  "       aptune FILE.cu            a first spec for it, as init\n");
    for (int i = 0; i < COMMANDS; i++)
        buf_printf(out, "  aptune %-9s %s\n", commands[i].name, commands[i].summary);
    buf_puts(out,
             "`aptune help COMMAND` says more; `aptune version` says which version this is.\n");
}

static int refuse_usage(void)
{
    SCOPED_BUF out = {0};
    print_usage(&out);
    fputs(buf_text(&out), stderr);
    return EXIT_USAGE;
}

static int help(void)
{
    SCOPED_BUF out = {0};
    print_usage(&out);
    return command_print_text(buf_text(&out)) ? EXIT_DONE : EXIT_FAILED;
}

/* --- which version this is, and with what it works --------------------------------------------- */

static void print_field(Buf *out, const char *name, const char *value)
{
    buf_printf(out, "  %-9s %s\n", name, value);
}

/* The folder of a file, without detours. */
static void print_folder(Buf *out, Arena *a, const char *name, const char *file)
{
    char *folder = realpath(path_folder(a, file), NULL);
    print_field(out, name, folder ? folder : "not found");
    free(folder);
}

static void version_print(Buf *out)
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

static int version(void)
{
    SCOPED_BUF out = {0};
    version_print(&out);
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

/* `-h` means what --help means, `help X` and `X help` what `X --help` means, and `X version` what
 * --version means. */
static void understand_help(int argc, char **argv)
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
    /* A dead helper, a closed pager or a file that may not grow is an error code, not a death. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2)
        return refuse_usage();
    understand_help(argc, argv);
    if (is_one_of(argv[1], "--version", "-V", "version"))
        return version();
    if (is_one_of(argv[1], "--help", "-h", "help"))
        return help();
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
