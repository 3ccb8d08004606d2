/* aptune inspect: what is in a PTX file or a cubin, from anywhere. */
#include "metrics/base/file.h"
#include "metrics/cubin/cubin_print.h"
#include "tuner/command/command.h"

#include <stdio.h>
#include <string.h>

static const char usage_text[] =
    "usage: aptune inspect FILE.ptx|FILE.cubin …\n"
    "Prints kernels, parameters, memory and instructions; of PTX also loops with their trip "
    "counts.\n";

/* Adds what is in a file to the output.  False after messages. */
static bool inspect(const char *path, Buf *out)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Source *source = source_read(a, path, &d);
    if (source)
        code_print(a, source, out, &d);
    bool ok = d.errors == 0;
    command_flush_messages(&d);
    arena_free(a);
    return ok;
}

int cmd_inspect(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return command_print_text(usage_text) ? EXIT_DONE : EXIT_FAILED;
    if (argc < 2) {
        fputs(usage_text, stderr);
        return EXIT_USAGE;
    }
    Buf out = {0};
    bool ok = true;
    for (int i = 1; i < argc; i++)
        ok = inspect(argv[i], &out) && ok;
    if (!command_finish(&out))
        return EXIT_FAILED;
    return ok ? EXIT_DONE : EXIT_USAGE;
}
