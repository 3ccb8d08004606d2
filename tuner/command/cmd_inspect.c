/* aptune inspect: what is in a PTX file, from anywhere. */
#include "metrics/base/file.h"
#include "metrics/flow/inspect.h"
#include "metrics/ptx/ptx_parse.h"
#include "tuner/command/command.h"

#include <stdio.h>
#include <string.h>

static const char usage_text[] =
    "usage: aptune inspect FILE.ptx …\n"
    "Prints kernels, parameters, memory, loops with their trip counts, and instructions.\n";

static bool inspect(const char *path, Buf *out, Diag *d)
{
    Arena *a = arena_new();
    Diag own = diag_new(a);
    const Source *source = source_read(a, path, &own);
    if (source) {
        const PtxModule *module = ptx_parse(a, source, &own);
        inspect_print(out, a, module, NULL);
    }
    bool ok = own.errors == 0;
    command_print_messages(&own);
    d->errors += own.errors;
    arena_free(a);
    return ok;
}

int cmd_inspect(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        fputs(usage_text, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf out = {0};
    bool ok = true;
    for (int i = 1; i < argc; i++)
        ok = inspect(argv[i], &out, &d) && ok;
    bool printed = command_print(&out);
    buf_free(&out);
    arena_free(a);
    return !printed ? EXIT_FAILED : ok ? EXIT_DONE : EXIT_USAGE;
}
