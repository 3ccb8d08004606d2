#include "tuner/library/where.h"

#include "metrics/base/file.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of libaptune.so in PREFIX/lib/x86_64-linux-gnu, PREFIX is the second folder above. */
enum { FOLDERS_ABOVE = 3 };

/* The file that holds this code.  The system knows the main program under no name of its own. */
static bool find_own_file(char path[PATH_MAX])
{
    static const char here;
    Dl_info info;
    struct link_map *map = NULL;
    bool known = dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 && map;
    const char *name = known && map->l_name[0] ? map->l_name : "/proc/self/exe";
    return realpath(name, path) != NULL;
}

/* `folder` is looked into as a build folder and as a PREFIX. */
static const char *helper_below(Arena *a, const char *folder, const char *name)
{
    const char *installed = arena_printf(a, "%s/libexec/aptune/%s", folder, name);
    if (file_exists(installed))
        return installed;
    const char *beside = arena_printf(a, "%s/%s", folder, name);
    return file_exists(beside) ? beside : NULL;
}

/* The same of the source tree, which may have been moved since it was built. */
static const char *data_below(Arena *a, const char *folder, const char *name)
{
    const char *installed = arena_printf(a, "%s/share/aptune/%s", folder, name);
    if (file_exists(installed))
        return installed;
    const char *source = arena_printf(a, "%s/%s", folder, name);
    return file_exists(source) ? source : NULL;
}

typedef const char *(*Look)(Arena *a, const char *folder, const char *name);

static const char *look_around(Arena *a, Look look, const char *prefix, const char *name)
{
    if (!prefix)
        prefix = getenv("APTUNE_HOME");
    const char *found = prefix && *prefix ? look(a, prefix, name) : NULL;
    char path[PATH_MAX];
    if (!find_own_file(path))
        return found;
    for (int up = 0; up <= FOLDERS_ABOVE && !found; up++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            break;
        *slash = '\0';
        found = look(a, path, name);
    }
    return found;
}

const char *where_helper_in(Arena *a, const char *prefix, const char *name)
{
    const char *found = look_around(a, helper_below, prefix, name);
    return found ? found : name;
}

const char *where_data_in(Arena *a, const char *prefix, const char *name)
{
    const char *found = look_around(a, data_below, prefix, name);
    return found ? found : arena_printf(a, "%s/%s", APTUNE_SOURCE_DIR, name);
}

const char *const *where_metrics_in(Arena *a, const char *prefix, size_t *count)
{
    static const char *const names[] = {"metrics/thesis.metrics", "metrics/cycles.metrics"};
    *count = sizeof names / sizeof names[0];
    const char **files = ARENA_ARRAY(a, const char *, *count);
    for (size_t i = 0; i < *count; i++)
        files[i] = where_data_in(a, prefix, names[i]);
    return files;
}

const char *where_helper(Arena *a, const char *name)
{
    return where_helper_in(a, NULL, name);
}

const char *where_data(Arena *a, const char *name)
{
    return where_data_in(a, NULL, name);
}

const char *const *where_metrics(Arena *a, size_t *count)
{
    return where_metrics_in(a, NULL, count);
}
