#include "tuner/spec/near_header.h"

#include "metrics/base/diag.h"
#include "metrics/base/file.h"
#include "tuner/spec/code_text.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Limits of the search, levels up and down and entries: a home folder is too large to search. */
enum { UP = 4, UP_TO_ROOT = 16, DOWN = 4, ENTRIES_MOST = 20000 };

/* A search in a folder and below it, for folders or for files with certain extensions. */
typedef struct Search {
    Arena *arena;
    const char *const *extensions;
    size_t extension_count, entries;
    bool (*look)(void *context, const char *path);    /* at a file; false: stop */
    void (*enter)(void *context, const char *folder); /* or NULL */
    void *context;
} Search;

static bool search_below(Search *s, const char *folder, int depth)
{
    if (s->enter)
        s->enter(s->context, folder);
    DIR *dir = depth > 0 || s->extension_count > 0 ? opendir(folder) : NULL;
    bool more = true;
    for (struct dirent *e;
         dir && more && s->entries < ENTRIES_MOST && (e = readdir(dir)) != NULL;) {
        const char *dot = strrchr(e->d_name, '.');
        s->entries++;
        if (e->d_type == DT_DIR && *e->d_name != '.' && depth > 0)
            more = search_below(s, path_join(s->arena, folder, e->d_name), depth - 1);
        else if (e->d_type != DT_DIR && dot &&
                 word_place(dot, s->extensions, s->extension_count) < SIZE_MAX)
            more = s->look(s->context, path_join(s->arena, folder, e->d_name));
    }
    if (dir)
        closedir(dir);
    return more;
}

typedef struct HeaderSearch {
    Arena *arena;
    const char *name;  /* "cudacommon.h", "sys/common.h" */
    const char *found; /* the folder that has it, with the shortest path */
    bool any_case;     /* match ignoring case */
} HeaderSearch;

static void look_for_header(void *context, const char *folder)
{
    HeaderSearch *h = context;
    const bool better = !h->found || strlen(folder) < strlen(h->found);
    if (better && (h->any_case ? path_any_case(h->arena, folder, h->name) != NULL
                               : file_exists(path_join(h->arena, folder, h->name))))
        h->found = folder;
}

/* A project's root has a .git folder; a search goes neither above it nor above the home folder. */
static bool is_root(Arena *a, const char *folder)
{
    const char *home = getenv("HOME");
    return strcmp(folder, "/") == 0 || (home && strcmp(folder, home) == 0) ||
           file_exists(path_join(a, folder, ".git"));
}

/* The parent folder if it may belong to the same project: a shared one such as /tmp (sticky bit) does not.
 * NULL: it does not. */
static const char *folder_above(Arena *a, const char *folder)
{
    struct stat st;
    const char *up = path_folder(a, folder);
    return is_root(a, folder) || stat(up, &st) != 0 || (st.st_mode & S_ISVTX) ? NULL : up;
}

/* A folder and those above it to search: up to the project's root if there is one, else the nearest. */
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
    HeaderSearch h = {.arena = a, .name = path_slashes(a, name), .any_case = any_case};
    Search s = {.arena = a, .enter = look_for_header, .context = &h};
    const size_t count = folders_around(a, folder, around);
    for (size_t i = 0; i < count && !h.found; i++)
        search_below(&s, around[i], DOWN);
    return h.found;
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
        char real[PATH_MAX];
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
    const char *at = strstr(log, "): catastrophic error: #error");
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

/* The files found. */
typedef struct Found {
    Arena *arena;
    const char *target; /* real path of the header that they must include; NULL: any file */
    const char **out;
    size_t count, room;
} Found;

/* True if a file includes the target, by a relative path or one that include folders may resolve. */
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
    Search s = {a, EXTENSIONS, EXTENSION_COUNT, 0, take_file, NULL, &f};
    search_below(&s, path_folder(a, path), 0);
    return f.count;
}

size_t near_includers(Arena *a, const char *path, const char **out, size_t room)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return 0;
    Found f = {a, arena_string(a, real), out, 0, room};
    Search s = {a, EXTENSIONS, 1, 0, take_file, NULL, &f};
    const char *folder = path_folder(a, f.target), *up = folder_above(a, folder);
    for (; f.count < room && s.extensions < EXTENSIONS + EXTENSION_COUNT; s.extensions++)
        search_below(&s, up ? up : folder, up ? 2 : 1);
    return f.count;
}

/* --- the body of a function -------------------------------------------------------------------- */

/* A function's name and that of its enclosing class or namespace, from the Itanium C++ ABI's mangling:
 * "_ZN4prcr8ScheduleC1Eddm" is a constructor of Schedule. */
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
    at += nested ? strspn(at, "VKr") : 0; /* cv-qualifiers */
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
    if (*at == 'I' && strchr(at, 'E')) /* template arguments; nested ones end early */
        at = strchr(at, 'E') + 1;
    if (*at == 'C' || *at == 'D') /* constructors have their class's name */
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

/* The text after the parenthesis that closes the one at `at`. */
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

/* True if a text without comments opens a namespace of this name. */
static bool has_namespace(const char *text, const char *name)
{
    for (const char *at = text; (at = code_find_word(at, "namespace", text)) != NULL;) {
        at = code_skip(at + strlen("namespace"), at + strlen(at));
        if (code_same(code_word(at), name))
            return true;
    }
    return false;
}

/* True if a text without comments defines the function: parameter list, perhaps qualifiers or initializers,
 * and '{'; a member function is named "Class::name". */
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
    Search s = {a, CODE, sizeof CODE / sizeof *CODE, 0, look_for_body, NULL, &b};
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
