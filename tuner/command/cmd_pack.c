/* aptune pack: a recording as it is shipped. */
#include "tuner/command/command.h"
#include "tuner/record/pack.h"

static bool pack(Call *c)
{
    return record_compress(c->words[0], c->words[1], c->diag);
}

const CommandLine cmd_pack = {
    .usage = "usage: aptune pack FROM TO\n"
             "Writes a recording (times or profile) compressed, as those in "
             "spaces/recordings are.\n",
    .least = 2,
    .most = 2,
    .wanted = "which recording, and where to? Say aptune pack FROM TO",
    .work = pack,
};
