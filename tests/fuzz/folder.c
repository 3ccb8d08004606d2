#include "tests/fuzz/folder.h"

#include "metrics/base/file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static char folder[] = FUZZ_FOLDER "XXXXXX";

static void remove_folder(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        return;
}

const char *fuzz_folder(void)
{
    static bool made; /* by its name it can't be told: one in 62 ends in an X */
    if (!made && !mkdtemp(folder)) {
        perror(folder);
        abort();
    }
    if (!made)
        atexit(remove_folder);
    made = true;
    return folder;
}

const char *fuzz_put(const char *name, const void *bytes, size_t size)
{
    static char path[256];
    Arena *a = arena_new();
    Diag d = diag_new(a);
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    if (!folder_create(path_folder(a, path), &d) || !file_write(path, bytes, size, &d)) {
        fprintf(stderr, "%s\n", d.messages.at[0].text);
        abort();
    }
    arena_free(a);
    return path;
}
