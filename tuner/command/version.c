#include "tuner/command/version.h"

#include "commit.h" /* made by the build: APTUNE_COMMIT */
#include "metrics/base/file.h"
#include "tuner/compile/farm.h"
#include "tuner/library/where.h"

#include <stdlib.h>

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

void version_print(Buf *out)
{
    Arena *a = arena_new();
    buf_puts(out, "aptune " APTUNE_VERSION "\n");
    if (*APTUNE_COMMIT)
        print_field(out, "commit", APTUNE_COMMIT);
    print_field(out, "built", APTUNE_BUILD ", headers of CUDA " APTUNE_CUDA_HEADERS);
    print_field(out, "compiler",
                farm_ask_compiler(a, where_helper(a, NULL, "aptune-compile"),
                                  where_data(a, NULL, ".cuda")));
    print_folder(out, a, "helpers", where_helper(a, NULL, "aptune-compile"));
    print_folder(out, a, "metrics", where_data(a, NULL, "metrics/cycles.metrics"));
    arena_free(a);
}
