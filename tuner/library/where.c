#include "tuner/library/where.h"

#include "metrics/base/file.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* folder/part/name if it exists, else NULL. */
static const char *existing(Arena *a, const char *folder, const char *part, const char *name)
{
    const char *path = arena_printf(a, "%s/%s%s", folder, part, name);
    return file_exists(path) ? path : NULL;
}

/* True if only root and the user can write to a folder; anybody can write above a build folder in /tmp. */
static bool is_ours(const char *folder)
{
    struct stat st;
    return stat(folder, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()) &&
           !(st.st_mode & S_IWOTH);
}

static const char *const libexec = "libexec/aptune/", *const share = "share/aptune/";

/* Steps 1 to 3 of where.h; `part` is where the file is installed below a prefix. */
static const char *look_around(Arena *a, const char *part, const char *prefix, const char *name)
{
    const char *found = NULL;
    if (!prefix)
        prefix = getenv("APTUNE_HOME");
    if (prefix && *prefix && !(found = existing(a, prefix, part, name)))
        found = existing(a, prefix, "", name);
    /* The file that holds this code.  The link map has no name for the main program. */
    static const char here;
    char path[PATH_MAX];
    Dl_info info;
    struct link_map *map = NULL;
    const bool known = dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 && map;
    if (found || !realpath(known && map->l_name[0] ? map->l_name : "/proc/self/exe", path))
        return found;
    *strrchr(path, '/') = '\0';
    found = existing(a, path, "", name);
    /* One folder up from PREFIX/bin/aptune, two from PREFIX/lib/x86_64-linux-gnu/libaptune.so. */
    for (char *slash; !found && (slash = strrchr(path, '/')) != NULL && slash != path;) {
        *slash = '\0';
        if (is_ours(path) && !(found = existing(a, path, part, name)) && part == share)
            found =
                existing(a, path, "", name); /* a source tree that was moved after it was built */
        slash = strrchr(path, '/');
        if (!slash || strcmp(slash, "/lib") != 0)
            break;
    }
    return found;
}

const char *where_helper(Arena *a, const char *prefix, const char *name)
{
    const char *found = look_around(a, libexec, prefix, name);
    return found ? found : arena_printf(a, "%s/%s", APTUNE_LIBEXEC_DIR, name);
}

const char *where_data(Arena *a, const char *prefix, const char *name)
{
    const char *found = look_around(a, share, prefix, name);
    return found ? found
                 : arena_printf(a, "%s/%s",
                                is_ours(APTUNE_SOURCE_DIR) ? APTUNE_SOURCE_DIR : APTUNE_DATA_DIR,
                                name);
}

const char *const *where_metrics(Arena *a, const char *prefix, size_t *count)
{
    static const char *const names[] = {"metrics/thesis.metrics", "metrics/cycles.metrics"};
    *count = COUNT_OF(names);
    const char **files = ARENA_ARRAY(a, const char *, *count);
    for (size_t i = 0; i < *count; i++)
        files[i] = where_data(a, prefix, names[i]);
    return files;
}
