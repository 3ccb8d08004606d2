/* aptune pack: a recording as it is shipped. */
#include "tuner/command/command.h"
#include "tuner/record/pack.h"

#include <stdio.h>
#include <string.h>

static const char usage_text[] =
    "usage: aptune pack FROM TO\n"
    "Writes a recording (times or profile) compressed, as those in spaces/recordings are.\n";

int cmd_pack(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return command_print_text(usage_text) ? EXIT_DONE : EXIT_FAILED;
    if (argc != 3) {
        fputs(usage_text, stderr);
        return EXIT_USAGE;
    }
    Arena *a = arena_new();
    Diag d = diag_new(a);
    bool ok = record_compress(argv[1], argv[2], &d);
    command_flush_messages(&d);
    arena_free(a);
    return ok ? EXIT_DONE : EXIT_FAILED;
}
