/* aptune pack: a recording as it is shipped. */
#include "tuner/command/command.h"
#include "tuner/command/options.h"
#include "tuner/record/pack.h"

int cmd_pack(int argc, char **argv)
{
    const CommandLine line = {.usage =
                                  "usage: aptune pack FROM TO\n"
                                  "Writes a recording (times or profile) compressed, as those in "
                                  "spaces/recordings are.\n",
                              .least = 2,
                              .most = 2,
                              .wanted = "which recording, and where to? Say aptune pack FROM TO"};
    int rest, code = command_line_read(&line, argc, argv, &rest);
    if (code != COMMAND_GOES_ON)
        return code;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    bool ok = record_compress(argv[rest], argv[rest + 1], &d);
    command_flush_messages(&d);
    arena_free(a);
    return ok ? EXIT_DONE : EXIT_FAILED;
}
