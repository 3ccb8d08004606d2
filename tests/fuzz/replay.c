/* Runs a fuzz target over every file of its corpus folder, so that each finding stays a test. */
#include "metrics/base/file.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    Arena *a = arena_new();
    Diag d = diag_new(a);
    int ran = 0;
    for (struct dirent *e; (e = readdir(folder));) {
        if (e->d_name[0] == '.')
            continue;
        size_t size = 0;
        const char *data = file_read(a, arena_printf(a, "%s/%s", argv[1], e->d_name), &size, &d);
        if (!data)
            return 1;
        LLVMFuzzerTestOneInput((const uint8_t *)data, size);
        ran++;
    }
    closedir(folder);
    arena_free(a);
    printf("%d inputs\n", ran);
    return ran > 0 ? 0 : 1;
}
