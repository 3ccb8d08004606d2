#include "tuner/spec/near_header.h"

#include "metrics/base/diag.h"
#include "metrics/base/file.h"
#include "tuner/spec/code_text.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A home folder holds more than anyone wants to wait for. */
enum { UP = 4, UP_TO_ROOT = 16, DOWN = 4, ENTRIES_MOST = 20000 };

typedef struct Hunt {
    Arena *arena;
    const char *name;  /* "cudacommon.h", "sys/common.h" */
    const char *found; /* the folder that has it, the one with the shortest path */
    size_t entries;
    bool any_case; /* it may be written with other letters */
} Hunt;

static void look_below(Hunt *h, const char *folder, int depth)
{
    const bool better = !h->found || strlen(folder) < strlen(h->found);
    if (better && (h->any_case ? path_any_case(h->arena, folder, h->name) != NULL
                               : file_exists(path_join(h->arena, folder, h->name))))
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

/* The folder above one, where that may be of its project, too: one as /tmp, in which everybody has
 * files of his own, is no project's.  NULL: it is not. */
static const char *folder_above(Arena *a, const char *folder)
{
    struct stat st;
    const char *up = path_folder(a, folder);
    return is_root(a, folder) || stat(up, &st) != 0 || (st.st_mode & S_ISVTX) ? NULL : up;
}

/* A folder and those above it that are looked through: all of its project, else the nearest. */
static size_t folders_around(Arena *a, const char *folder, const char *out[UP_TO_ROOT + 1])
{
    char real[PATH_MAX];
    size_t count = 0;
    const char *at = realpath(folder, real) ? arena_string(a, real) : NULL;
    for (; at && count <= UP_TO_ROOT; at = folder_above(a, at))
        out[count++] = at;
    const bool whole = count && file_exists(path_join(a, out[count - 1], ".git"));
    return whole || count <= UP ? count : UP + 1;
}

static const char *look_as_named(Arena *a, const char *folder, const char *name, bool any_case)
{
    const char *around[UP_TO_ROOT + 1];
    Hunt h = {.arena = a, .name = path_slashes(a, name), .any_case = any_case};
    const size_t count = folders_around(a, folder, around);
    for (size_t i = 0; i < count && !h.found; i++)
        look_below(&h, around[i], 0);
    return h.found;
}

static const char *look_around(Arena *a, const char *folder, const char *name)
{
    const char *found = look_as_named(a, folder, name, false);
    return found ? found : look_as_named(a, folder, name, true);
}

/* "/a/b/../../common/x.h(12): error" says by its dots that it was reached by a way out: the highest
 * folder on that way, below which all of it lies. */
static const char *folder_outside(Arena *a, const char *log)
{
    const char *highest = NULL;
    for (const char *at = strstr(log, "/../"); at && *at && *at != '\n'; at++) {
        const char *start = at;
        char real[PATH_MAX];
        while (start > log && start[-1] != '\n')
            start--;
        if (*start != '/' || strncmp(at, "/../", 4) != 0 ||
            !realpath(arena_copy(a, start, (size_t)(at + 3 - start)), real) || !real[1])
            continue;
        if (!highest || strlen(real) < strlen(highest))
            highest = arena_string(a, real);
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
    const char *at = strstr(log, "): catastrophic error: #error"); /* "no POSIX timers" */
    at = at ? at : strstr(log, "): error");
    const char *open = at, *start;
    while (open && open > log && *open != '(' && *open != '\n')
        open--;
    for (start = open; open && start > log && start[-1] != '\n';)
        start--;
    const char *name = open && *open == '(' ? arena_copy(a, start, (size_t)(open - start)) : "";
    const char *end = strrchr(name, '.');
    return end && word_place(end, ENDS, sizeof ENDS / sizeof *ENDS) < SIZE_MAX ? name : NULL;
}

const char *near_header(Arena *a, const char *folder, const char *log)
{
    const char *missing = near_header_missing(a, log);
    if (!missing)
        return folder_outside(a, log);
    return *missing == '/' ? NULL : look_around(a, folder, missing);
}

const char *near_header_made_of(Arena *a, const char *folder, const char *log)
{
    const char *missing = near_header_missing(a, log);
    const char *name = missing ? arena_printf(a, "%s.in", path_stem(a, missing, "")) : NULL;
    const char *found = name ? look_around(a, folder, name) : NULL;
    return found ? path_join(a, found, name) : NULL;
}

/* --- files of a project ----------------------------------------------------------------------- */

static const char *const EXTENSIONS[] = {".cu", ".cuh", ".cpp", ".c", ".h", ".cc"};

/* A look at files with certain endings, in a folder and below it. */
typedef struct Search {
    Arena *arena;
    const char *const *extensions;
    size_t extension_count, entries;
    bool (*look)(void *context, const char *path); /* false: it was the last */
    void *context;
} Search;

static bool search_below(Search *s, const char *folder, int depth)
{
    DIR *dir = opendir(folder);
    bool more = true;
    for (struct dirent *e;
         dir && more && s->entries < ENTRIES_MOST && (e = readdir(dir)) != NULL;) {
        const char *dot = strrchr(e->d_name, '.'), *path = path_join(s->arena, folder, e->d_name);
        s->entries++;
        if (e->d_type == DT_DIR && *e->d_name != '.' && depth > 0)
            more = search_below(s, path, depth - 1);
        else if (e->d_type != DT_DIR && dot &&
                 word_place(dot, s->extensions, s->extension_count) < SIZE_MAX)
            more = s->look(s->context, path);
    }
    if (dir)
        closedir(dir);
    return more;
}

/* Files that are found. */
typedef struct Found {
    Arena *arena;
    const char *target; /* real path of what they include; NULL: whatever they do */
    const char **out;
    size_t count, room;
} Found;

/* Does a line include the target, by a name that leads there or that a folder of headers may? */
static bool includes_target(const Found *n, const char *path)
{
    size_t size;
    const char *name = path_stem(n->arena, n->target, ""), *text;
    text = file_read_most(n->arena, path, 1 << 20, &size, DIAG_UNHEARD(n->arena));
    for (const char *at = text; at && (at = strstr(at, "#include")) != NULL;) {
        at += strlen("#include");
        const char *open = at + strspn(at, " \t");
        size_t length = *open == '"' || *open == '<' ? strcspn(open + 1, "\">\n") : 0;
        const char *asked = arena_copy(n->arena, open + 1, length);
        char real[PATH_MAX];
        if (length == 0 || strcmp(path_stem(n->arena, asked, ""), name) != 0)
            continue;
        if (!realpath(path_join(n->arena, path_folder(n->arena, path), asked), real) ||
            strcmp(real, n->target) == 0)
            return true;
    }
    return false;
}

static bool take_file(void *context, const char *path)
{
    Found *f = context;
    if (!f->target || includes_target(f, path))
        f->out[f->count++] = path;
    return f->count < f->room;
}

enum { EXTENSION_COUNT = sizeof EXTENSIONS / sizeof *EXTENSIONS };

size_t near_sources(Arena *a, const char *path, const char **out, size_t room)
{
    Found f = {.out = out, .room = room};
    Search s = {a, EXTENSIONS, EXTENSION_COUNT, 0, take_file, &f};
    search_below(&s, path_folder(a, path), 0);
    return f.count;
}

size_t near_includers(Arena *a, const char *path, const char **out, size_t room)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return 0;
    Found f = {a, arena_string(a, real), out, 0, room};
    Search s = {a, EXTENSIONS, 1, 0, take_file, &f};
    const char *folder = path_folder(a, f.target), *up = folder_above(a, folder);
    for (; f.count < room && s.extensions < EXTENSIONS + EXTENSION_COUNT; s.extensions++)
        search_below(&s, up ? up : folder, up ? 2 : 1);
    return f.count;
}

/* --- the body of a function -------------------------------------------------------------------- */

/* A function's name and that of the class or namespace around it, as the C++ ABI for Itanium
 * mangles them: "_ZN4prcr8ScheduleC1Eddm" is a constructor of Schedule. */
typedef struct Mangled {
    const char *scope, *name; /* NULL: none */
} Mangled;

static Mangled demangle(Arena *a, const char *at)
{
    Mangled m = {NULL, NULL};
    const bool nested = strncmp(at, "_ZN", 3) == 0;
    if (strncmp(at, "_Z", 2) != 0)
        return (Mangled){NULL, arena_copy(a, at, code_word(at).length)};
    at += nested ? 3 : 2;
    at += nested ? strspn(at, "VKr") : 0; /* const member functions */
    while (*at >= '1' && *at <= '9') {
        char *word;
        const size_t n = strtoul(at, &word, 10);
        if (n > strlen(word))
            return (Mangled){NULL, NULL};
        m = (Mangled){m.name, arena_copy(a, word, n)};
        at = word + n;
        if (!nested)
            return m;
    }
    if (*at == 'I' && strchr(at, 'E')) /* arguments of a template; nested ones end early */
        at = strchr(at, 'E') + 1;
    if (*at == 'C' || *at == 'D') /* a constructor goes by its class's name */
        m.scope = m.name;
    else if (*at >= 'a' && *at <= 'z')
        m = (Mangled){m.name, "operator"};
    else if (*at >= '1' && *at <= '9') {
        char *word;
        const size_t n = strtoul(at, &word, 10);
        m = (Mangled){m.name, n <= strlen(word) ? arena_copy(a, word, n) : NULL};
    }
    return m;
}

typedef struct Body {
    Arena *arena;
    Mangled of;
    const char *found;
    size_t bytes; /* read so far */
} Body;

/* Behind the parenthesis that closes the one at `at`. */
static const char *behind_parentheses(const char *at)
{
    size_t depth = 0;
    for (; *at; at++) {
        depth += *at == '(';
        depth -= *at == ')';
        if (depth == 0)
            return at + 1;
    }
    return at;
}

/* Does a text without comments say "namespace" of this name? */
static bool has_namespace(const char *text, const char *name)
{
    for (const char *at = text; (at = code_find_word(at, "namespace", text)) != NULL;) {
        at = code_skip(at + strlen("namespace"), at + strlen(at));
        if (code_same(code_word(at), name))
            return true;
    }
    return false;
}

/* Does a text without comments have the function's body?  A parameter list and '{', with words as
 * "const" or a constructor's members between; a class's function stands behind "Class::". */
static bool has_body(const char *text, const Mangled *m)
{
    const bool operates = strcmp(m->name, "operator") == 0;
    const bool plain = !m->scope || has_namespace(text, m->scope);
    if (m->scope && !code_has_word(text, m->scope))
        return false;
    for (const char *at = text; (at = code_find_word(at, m->name, text)) != NULL;) {
        const bool member = at > text + 1 && at[-1] == ':' && at[-2] == ':';
        at += strlen(m->name);
        const char *open = operates ? at + strcspn(at, "(;{") : code_skip(at, at + strlen(at));
        const char *end = *open == '(' ? behind_parentheses(open) : "";
        end += strcspn(end, "{;=}");
        if (*end == '{' && (member || plain))
            return true;
    }
    return false;
}

static bool look_for_body(void *context, const char *path)
{
    enum { TEXT_MOST = 1 << 19, BYTES_MOST = 8 << 20 };
    Body *b = context;
    size_t size = 0;
    const char *text = file_read_most(b->arena, path, TEXT_MOST, &size, DIAG_UNHEARD(b->arena));
    b->bytes += size;
    if (text && code_has_word(text, b->of.name) && has_body(code_bare(b->arena, text), &b->of))
        b->found = path;
    return !b->found && b->bytes < BYTES_MOST;
}

const char *near_body(Arena *a, const char *folder, const char *log, const char **function)
{
    static const char *const SAID[] = {"Unresolved extern function '",
                                       "Cannot take address of function '"};
    static const char *const CODE[] = {".cu", ".cuh", ".inl"};
    const char *name = NULL, *around[UP_TO_ROOT + 1];
    Body b = {.arena = a};
    Search s = {a, CODE, sizeof CODE / sizeof *CODE, 0, look_for_body, &b};
    for (size_t i = 0; i < sizeof SAID / sizeof *SAID && !name; i++)
        name = strstr(log, SAID[i]) ? strstr(log, SAID[i]) + strlen(SAID[i]) : NULL;
    if (name)
        b.of = demangle(a, name);
    if (!b.of.name)
        return NULL;
    const size_t count = folders_around(a, folder, around);
    bool more = true;
    for (size_t i = 0; i < count && more; i++)
        more = search_below(&s, around[i], DOWN);
    *function = b.of.scope ? arena_printf(a, "%s::%s", b.of.scope, b.of.name) : b.of.name;
    return b.found;
}
