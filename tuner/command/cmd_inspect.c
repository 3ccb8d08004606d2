/* aptune inspect: prints what is in a PTX file or a cubin, whatever made it. */
#include "metrics/base/file.h"
#include "tuner/command/command.h"

#include <limits.h>

static bool inspect(Call *c)
{
    SCOPED_BUF out = {0};
    bool ok = true;
    for (int i = 0; i < c->count; i++) {
        SCOPED_ARENA *a = arena_new();
        Diag d = diag_new(a);
        const Source *source = source_read(a, c->words[i], &d);
        if (source)
            code_print(a, source, &out, &d);
        ok = ok && d.errors == 0;
        command_flush_messages(&d);
    }
    if (!ok)
        c->code = EXIT_USAGE;
    return command_print_text(buf_text(&out)) && ok;
}

const CommandLine cmd_inspect = {
    .usage = "usage: aptune inspect FILE.ptx|FILE.cubin …\n"
             "Prints kernels, parameters, memory and instructions; for PTX also loops.\n",
    .least = 1,
    .most = INT_MAX,
    .wanted = "which file? Try aptune inspect FILE.ptx",
    .work = inspect};
