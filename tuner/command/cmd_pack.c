/* aptune pack: compresses a recording for shipping. */
#include "tuner/command/command.h"

static bool pack(Call *c)
{
    return record_compress(c->words[0], c->words[1], c->diag);
}

const CommandLine cmd_pack = {
    .usage = "usage: aptune pack FROM TO\n"
             "Compresses a recording (times or profile) like those in spaces/recordings.\n",
    .least = 2,
    .most = 2,
    .wanted = "which recording, into which file? Try aptune pack FROM TO",
    .work = pack,
};
