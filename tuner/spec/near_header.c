#include "tuner/spec/near_header.h"

#include "metrics/base/file.h"
#include "metrics/base/mangled.h"
#include "metrics/base/vec.h"
#include "tuner/spec/code_text.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Limits of the search, levels up and down and entries: a home folder is too large to search. */
enum { UP = 4, UP_TO_ROOT = 16, DOWN = 4, ENTRIES_MOST = 20000 };

/* What is in a folder and below it: the folders, or the files with certain extensions. */
typedef struct Listing {
    Arena *arena;
    const char *const *extensions; /* NULL: the folders */
    size_t extension_count, entries;
    VEC(const char *) paths;
} Listing;

static void list_below(Listing *l, const char *folder, int depth)
{
    if (!l->extensions)
        VEC_PUSH(l->arena, &l->paths, folder);
    DIR *dir = depth > 0 || l->extensions ? opendir(folder) : NULL;
    for (struct dirent *e; dir && l->entries < ENTRIES_MOST && (e = readdir(dir)) != NULL;) {
        const char *dot = strrchr(e->d_name, '.');
        l->entries++;
        if (e->d_type == DT_DIR && *e->d_name != '.' && depth > 0)
            list_below(l, path_join(l->arena, folder, e->d_name), depth - 1);
        else if (e->d_type != DT_DIR && dot &&
                 word_place(dot, l->extensions, l->extension_count) < SIZE_MAX)
            VEC_PUSH(l->arena, &l->paths, path_join(l->arena, folder, e->d_name));
    }
    if (dir)
        closedir(dir);
}

/* The parent folder if it may belong to the same project; NULL: it does not.  A project's root has a .git
 * folder; neither what is above it or the home folder nor a shared folder such as /tmp (sticky bit) does. */
static const char *folder_above(Arena *a, const char *folder)
{
    struct stat st;
    const char *up = path_folder(a, folder), *home = getenv("HOME");
    const bool root = strcmp(folder, "/") == 0 || (home && strcmp(folder, home) == 0) ||
                      file_exists(path_join(a, folder, ".git"));
    return root || stat(up, &st) != 0 || (st.st_mode & S_ISVTX) ? NULL : up;
}

/* A folder and those above it to search: up to the project's root if there is one, else the nearest. */
static size_t folders_around(Arena *a, const char *folder, const char *out[UP_TO_ROOT + 1])
{
    size_t count = 0;
    for (const char *at = path_real(a, folder, NULL); at && count <= UP_TO_ROOT;
         at = folder_above(a, at))
        out[count++] = at;
    const bool whole = count && file_exists(path_join(a, out[count - 1], ".git"));
    return whole || count <= UP ? count : UP + 1;
}

/* The folder with the shortest path, in the nearest surroundings, that has the file. */
static const char *look_as_named(Arena *a, const char *folder, const char *name, bool any_case)
{
    const char *around[UP_TO_ROOT + 1], *found = NULL;
    Listing l = {.arena = a};
    const size_t count = folders_around(a, folder, around);
    for (size_t i = 0; i < count && !found; i++) {
        l.paths.count = 0;
        list_below(&l, around[i], DOWN);
        VEC_EACH (const char *, at, l.paths)
            if ((!found || strlen(*at) < strlen(found)) &&
                (any_case ? path_any_case(a, *at, path_slashes(a, name)) != NULL
                          : file_exists(path_join(a, *at, path_slashes(a, name)))))
                found = *at;
    }
    return found;
}

static const char *look_around(Arena *a, const char *folder, const char *name)
{
    const char *found = look_as_named(a, folder, name, false);
    return found ? found : look_as_named(a, folder, name, true);
}

/* "/a/b/../../common/x.h(12): error" has ".." in it: the header was reached by leaving the folder. Returns
 * the highest folder on that path. */
static const char *folder_outside(Arena *a, const char *log)
{
    const char *highest = NULL;
    for (const char *at = strstr(log, "/../"); at && *at && *at != '\n'; at++) {
        const char *start = code_line_start(log, at);
        if (*start != '/' || strncmp(at, "/../", 4) != 0)
            continue;
        const char *real = path_real(a, arena_copy(a, start, (size_t)(at + 3 - start)), "");
        if (*real && real[1] && (!highest || strlen(real) < strlen(highest)))
            highest = real;
    }
    return highest;
}

const char *near_header_missing(Arena *a, const char *log)
{
    const char *at = strstr(log, "cannot open source file");
    at = at ? at + strcspn(at, "\"") : "";
    size_t length = *at ? strcspn(at + 1, "\"\n") : 0;
    return length > 0 && at[1 + length] == '"' ? arena_copy(a, at + 1, length) : NULL;
}

const char *near_header_failing(Arena *a, const char *log)
{
    static const char *const ENDS[] = {".h", ".hpp", ".hh", ".hxx", ".cuh", ".inl"};
    const char *at = strstr(log, "): catastrophic error: #error");
    at = at ? at : strstr(log, "): error");
    const char *open = at, *start;
    while (open && open > log && *open != '(' && *open != '\n')
        open--;
    for (start = open; open && start > log && start[-1] != '\n';)
        start--;
    const char *name = open && *open == '(' ? arena_copy(a, start, (size_t)(open - start)) : "";
    const char *end = strrchr(name, '.');
    return end && word_place(end, ENDS, COUNT_OF(ENDS)) < SIZE_MAX ? name : NULL;
}

const char *near_header(Arena *a, const char *folder, const char *log)
{
    const char *missing = near_header_missing(a, log);
    if (!missing)
        return folder_outside(a, log);
    return *missing == '/' ? NULL : look_around(a, folder, missing);
}

const char *near_folder(Arena *a, const char *folder, const char *file)
{
    const char *around[UP_TO_ROOT + 1], *own = path_folder(a, file);
    const size_t count = folders_around(a, folder, around);
    const size_t n = count ? strlen(around[count - 1]) : 0;
    return count && strncmp(own, around[count - 1], n) == 0 && (own[n] == '/' || !own[n]) ? own
                                                                                          : NULL;
}

const char *near_header_made_of(Arena *a, const char *folder, const char *log)
{
    const char *missing = near_header_missing(a, log);
    const char *name = missing ? arena_printf(a, "%s.in", path_stem(a, missing, "")) : NULL;
    const char *found = name ? look_around(a, folder, name) : NULL;
    return found ? path_join(a, found, name) : NULL;
}

static const char *const EXTENSIONS[] = {".cu", ".cuh", ".cpp", ".c", ".h", ".cc"};

/* True if a file includes the target, by a relative path or one that include folders may resolve. */
static bool includes(Arena *a, const char *path, const char *target)
{
    size_t size;
    const char *name = path_stem(a, target, "");
    const char *text = file_read_most(a, path, 1 << 20, &size, DIAG_UNHEARD(a));
    for (const char *at = text; at && (at = strstr(at, "#include")) != NULL;) {
        at += strlen("#include");
        const char *asked = code_copy(a, code_quoted(at + strspn(at, " \t")));
        if (!*asked || strcmp(path_stem(a, asked, ""), name) != 0)
            continue;
        if (strcmp(path_real(a, path_join(a, path_folder(a, path), asked), target), target) == 0)
            return true;
    }
    return false;
}

size_t near_sources(Arena *a, const char *path, const char **out, size_t room)
{
    Listing l = {a, EXTENSIONS, COUNT_OF(EXTENSIONS), 0, {0}};
    list_below(&l, path_folder(a, path), 0);
    const size_t count = l.paths.count < room ? l.paths.count : room;
    if (count)
        memcpy(out, l.paths.at, count * sizeof *out);
    return count;
}

size_t near_includers(Arena *a, const char *path, const char **out, size_t room)
{
    const char *target = path_real(a, path, NULL);
    if (!target)
        return 0;
    const char *folder = path_folder(a, target);
    const char *up = folder_above(a, folder);
    Listing l = {a, EXTENSIONS, 1, 0, {0}};
    size_t count = 0;
    for (; l.extensions < EXTENSIONS + COUNT_OF(EXTENSIONS); l.extensions++)
        list_below(&l, up ? up : folder, up ? 2 : 1);
    for (size_t i = 0; i < l.paths.count && count < room; i++)
        if (includes(a, l.paths.at[i], target))
            out[count++] = l.paths.at[i];
    return count;
}

/* True if a text without comments defines the function: parameter list, perhaps qualifiers or initializers,
 * and '{'; a member function is named "Class::name". */
static bool has_body(const char *text, const Mangled *m)
{
    const bool operates = strcmp(m->name, "operator") == 0;
    bool plain = !m->scope; /* else its scope must be a namespace of the text */
    for (const char *at = text; !plain && (at = code_find_word(at, "namespace", text)) != NULL;) {
        at = code_skip(at + strlen("namespace"), at + strlen(at));
        plain = code_same(code_word(at), m->scope);
    }
    if (m->scope && !code_has_word(text, m->scope))
        return false;
    for (const char *at = text; (at = code_find_word(at, m->name, text)) != NULL;) {
        const bool member = at > text + 1 && at[-1] == ':' && at[-2] == ':';
        at += strlen(m->name);
        const char *open = operates ? at + strcspn(at, "(;{") : code_skip(at, at + strlen(at));
        const char *close = *open == '(' ? code_closing(open, open + strlen(open)) : NULL;
        const char *end = close ? close + strcspn(close, "{;=}") : "";
        if (*end == '{' && (member || plain))
            return true;
    }
    return false;
}

const char *near_body(Arena *a, const char *folder, const char *log, const char **function)
{
    enum { TEXT_MOST = 1 << 19, BYTES_MOST = 8 << 20 };
    static const char *const SAID[] = {"Unresolved extern function '",
                                       "Cannot take address of function '"};
    static const char *const CODE[] = {".cu", ".cuh", ".inl"};
    const char *name = NULL, *around[UP_TO_ROOT + 1];
    for (size_t i = 0; i < COUNT_OF(SAID) && !name; i++)
        name = strstr(log, SAID[i]) ? strstr(log, SAID[i]) + strlen(SAID[i]) : NULL;
    const Mangled m = name ? mangled_read(a, name) : (Mangled){NULL, NULL};
    if (!m.name)
        return NULL;
    *function = m.scope ? arena_printf(a, "%s::%s", m.scope, m.name) : m.name;
    Listing l = {a, CODE, COUNT_OF(CODE), 0, {0}};
    const size_t count = folders_around(a, folder, around);
    size_t bytes = 0, next = 0; /* read so far */
    for (size_t i = 0; i < count && bytes < BYTES_MOST; i++) {
        list_below(&l, around[i], DOWN);
        for (; next < l.paths.count && bytes < BYTES_MOST; next++) {
            size_t size = 0;
            const char *path = l.paths.at[next];
            const char *text = file_read_most(a, path, TEXT_MOST, &size, DIAG_UNHEARD(a));
            bytes += size;
            if (text && code_has_word(text, m.name) && has_body(code_bare(a, text), &m))
                return path;
        }
    }
    return NULL;
}
