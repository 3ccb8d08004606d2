#include "tuner/spec/near_header.h"

#include "metrics/base/file.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A home folder holds more than anyone wants to wait for. */
enum { UP = 4, DOWN = 4, ENTRIES_MOST = 20000 };

typedef struct Hunt {
    Arena *arena;
    const char *name;  /* "cudacommon.h", "sys/common.h" */
    const char *found; /* the folder that has it, the one with the shortest path */
    size_t entries;
} Hunt;

static void look_below(Hunt *h, const char *folder, int depth)
{
    bool better = !h->found || strlen(folder) < strlen(h->found);
    if (better && file_exists(path_join(h->arena, folder, h->name)))
        h->found = folder;
    DIR *dir = depth < DOWN ? opendir(folder) : NULL;
    for (struct dirent *e; dir && h->entries < ENTRIES_MOST && (e = readdir(dir)) != NULL;) {
        h->entries++;
        if (e->d_type == DT_DIR && *e->d_name != '.')
            look_below(h, path_join(h->arena, folder, e->d_name), depth + 1);
    }
    if (dir)
        closedir(dir);
}

/* A project's root has its history; nothing above it, and above no home, is the project's. */
static bool is_root(Arena *a, const char *folder)
{
    const char *home = getenv("HOME");
    return strcmp(folder, "/") == 0 || (home && strcmp(folder, home) == 0) ||
           file_exists(path_join(a, folder, ".git"));
}

static const char *look_around(Arena *a, const char *folder, const char *name)
{
    char real[PATH_MAX];
    if (!realpath(folder, real))
        return NULL;
    Hunt h = {.arena = a, .name = name};
    const char *from = arena_string(a, real);
    for (int up = 0; up <= UP && !h.found; up++) {
        look_below(&h, from, 0);
        if (is_root(a, from))
            break;
        from = path_folder(a, from);
    }
    return h.found;
}

/* "/a/b/../../common/x.h(12): error" says by its dots that it was reached by a way out. */
static const char *folder_outside(Arena *a, const char *log)
{
    for (const char *at = strstr(log, "/../"); at; at = strstr(at + 1, "/../")) {
        const char *start = at;
        while (start > log && start[-1] != '\n')
            start--;
        size_t length = strcspn(start, "(\n");
        char real[PATH_MAX];
        if (*start == '/' && start[length] == '(' && realpath(arena_copy(a, start, length), real))
            return path_folder(a, arena_string(a, real));
    }
    return NULL;
}

const char *near_header(Arena *a, const char *folder, const char *log)
{
    static const char missing[] = "cannot open source file";
    const char *at = strstr(log, missing);
    if (!at)
        return folder_outside(a, log);
    at += strcspn(at, "\"");
    size_t length = *at ? strcspn(at + 1, "\"\n") : 0;
    bool named = length > 0 && at[1 + length] == '"' && at[1] != '/';
    return named ? look_around(a, folder, arena_copy(a, at + 1, length)) : NULL;
}
