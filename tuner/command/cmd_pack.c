/* aptune pack: a recording as it is shipped. */
#include "tuner/command/command.h"
#include "tuner/command/options.h"
#include "tuner/record/pack.h"

static bool pack(Call *c)
{
    return record_compress(c->words[0], c->words[1], c->diag);
}

int cmd_pack(int argc, char **argv)
{
    const CommandLine line = {.usage =
                                  "usage: aptune pack FROM TO\n"
                                  "Writes a recording (times or profile) compressed, as those in "
                                  "spaces/recordings are.\n",
                              .least = 2,
                              .most = 2,
                              .wanted = "which recording, and where to? Say aptune pack FROM TO",
                              .work = pack};
    return command_run(&line, argc, argv);
}
