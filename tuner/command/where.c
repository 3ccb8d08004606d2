#include "tuner/command/where.h"

#include "metrics/base/file.h"

#include <unistd.h>

/* The folder of the running program. */
static const char *program_folder(Arena *a)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return ".";
    return path_folder(a, arena_copy(a, path, (size_t)n));
}

const char *where_helper(Arena *a, const char *name)
{
    const char *folder = program_folder(a);
    const char *beside = arena_printf(a, "%s/%s", folder, name);
    if (file_exists(beside))
        return beside;
    const char *installed = arena_printf(a, "%s/../libexec/aptune/%s", folder, name);
    return file_exists(installed) ? installed : name;
}

const char *where_data(Arena *a, const char *name)
{
    const char *installed = arena_printf(a, "%s/../share/aptune/%s", program_folder(a), name);
    if (file_exists(installed))
        return installed;
    /* A build folder inside the source tree, which may have been moved since it was built. */
    const char *above = arena_printf(a, "%s/../%s", program_folder(a), name);
    return file_exists(above) ? above : arena_printf(a, "%s/%s", APTUNE_SOURCE_DIR, name);
}

const char *const *where_metrics(Arena *a, size_t *count)
{
    static const char *const names[] = {"metrics/thesis.metrics", "metrics/cycles.metrics"};
    *count = sizeof names / sizeof names[0];
    const char **files = ARENA_ARRAY(a, const char *, *count);
    for (size_t i = 0; i < *count; i++)
        files[i] = where_data(a, names[i]);
    return files;
}
