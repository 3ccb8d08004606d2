#include "tuner/compile/include.h"

#include "metrics/base/diag.h"
#include "metrics/base/file.h"
#include "metrics/base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* More files, and more in them, than any toolkit's headers include of one another. */
enum { FILE_LIMIT = 20000, FILE_BYTES = 16 << 20, ALL_BYTES = 256 << 20 };

typedef struct Text {
    const char *name; /* for messages */
    const char *folder;
    const char *at;
    size_t size;
} Text;

typedef struct Walk {
    Arena *arena;
    const IncludeQuery *query;
    Hasher *hasher;
    Hasher *places;          /* which of the folders looked into held which file */
    VEC(Text) texts;         /* those found, to be searched in turn */
    VEC(const char *) files; /* their real paths */
    VEC(const char *) contents;
    size_t bytes; /* in all of them */
    VEC(IncludeName) names;
    const char *unknown;
} Walk;

/* Where a name stands. */
typedef struct Place {
    const Text *text;
    size_t line;
    bool sure; /* in a directive, and neither in a comment nor in a literal */
} Place;

static void set_unknown(Walk *w, const Text *t, size_t line, const char *why)
{
    if (!w->unknown)
        w->unknown = line ? arena_printf(w->arena, "%s:%zu: %s", t->name, line, why)
                          : arena_printf(w->arena, "%s: %s", t->name, why);
}

/* ---- one file ------------------------------------------------------------------------------ */

/* Its number among those found; their count when it is not one. */
static size_t file_number(const Walk *w, const char *path)
{
    size_t i = 0;
    while (i < w->files.count && strcmp(w->files.at[i], path) != 0)
        i++;
    return i;
}

static bool is_below(const char *folder, const char *path)
{
    char whole[PATH_MAX];
    const char *real = realpath(folder, whole) ? whole : folder;
    size_t n = strlen(real);
    return strncmp(real, path, n) == 0 && (n == 1 || path[n] == '/');
}

bool include_is_inside(const IncludeQuery *q, const char *real_path)
{
    bool inside = is_below(q->folder, real_path);
    for (size_t i = 0; i < q->folder_count && !inside; i++)
        inside = is_below(q->folders[i], real_path);
    return inside;
}

/* A file that is not ours to read.  Where it may be a comment that names it, its date stands for
 * what it holds. */
static void note_outside(Walk *w, const Place *at, const char *path)
{
    struct stat st;
    if (at->sure)
        set_unknown(w, at->text, at->line,
                    "the included file lies outside of the folders that are declared "
                    "(include \"FOLDER\" in the spec declares one)");
    else if (stat(path, &st) == 0)
        hasher_add(w->places, &st.st_mtim, sizeof st.st_mtim);
}

/* The first file found for a name is the compiler's. */
static void note_name(Walk *w, const char *name, size_t file)
{
    for (size_t i = 0; i < w->names.count && name; i++) {
        IncludeName *known = &w->names.at[i];
        if (strcmp(known->name, name) == 0) {
            known->several = known->several || known->file != file;
            return;
        }
    }
    if (name)
        VEC_PUSH(w->arena, &w->names, ((IncludeName){name, file, false}));
}

/* Adds a file's content, the first time it is met; `place`: which of the folders is looked into.
 * `name`: what it was found for, NULL when that was found before. */
static bool add_file(Walk *w, const Place *at, size_t place, const char *asked, const char *name)
{
    char path[PATH_MAX];
    if (!realpath(asked, path))
        return false;
    const size_t found[] = {place, file_number(w, path)};
    hasher_add(w->places, found, sizeof found);
    if (found[1] < w->files.count) {
        note_name(w, name, found[1]);
        return true;
    }
    if (!include_is_inside(w->query, path)) {
        note_outside(w, at, path);
        return true;
    }
    Diag quiet = diag_new(w->arena);
    Text t = {.name = arena_string(w->arena, asked)};
    bool many = w->files.count == FILE_LIMIT || w->bytes > ALL_BYTES;
    t.at = many ? NULL : file_read_most(w->arena, path, FILE_BYTES, &t.size, &quiet);
    if (!t.at) {
        set_unknown(w, &t, 0, many ? "too many files are included" : quiet.messages.at[0].text);
        return true;
    }
    t.folder = path_folder(w->arena, path);
    w->bytes += t.size;
    VEC_PUSH(w->arena, &w->files, arena_string(w->arena, path));
    VEC_PUSH(w->arena, &w->contents, t.at);
    VEC_PUSH(w->arena, &w->texts, t);
    note_name(w, name, found[1]);
    hasher_add(w->hasher, t.at, t.size);
    return true;
}

/* Adds every file that the name could mean: in the includer's folder (also for <...>: more is
 * safe), in the source's, along the -I folders. */
static void add_name(Walk *w, const Place *at, const char *folder, const char *name)
{
    const IncludeQuery *q = w->query;
    hasher_string(w->hasher, name);
    bool found = add_file(w, at, 0, path_join(w->arena, folder, name), name);
    if (name[0] == '/')
        return;
    found = add_file(w, at, 1, path_join(w->arena, q->folder, name), found ? NULL : name) || found;
    for (size_t i = 0; i < q->folder_count; i++)
        found =
            add_file(w, at, i + 2, path_join(w->arena, q->folders[i], name), found ? NULL : name) ||
            found;
    if (!found)
        hasher_string(w->hasher, "is missing");
    hasher_string(w->places, name);
}

/* ---- the directives in a text -------------------------------------------------------------- */

/* Where the search stands.  Comments and literals are told apart only to know whether a macro's
 * name is meant: a quoted or bracketed name counts wherever it stands. */
typedef struct Scan {
    const char *at;
    const char *end;
    size_t line;
    bool line_start; /* nothing but blanks and comments on this line so far */
} Scan;

/* Joins lines that end in a backslash, as the compiler does first.  A zero byte is added. */
static const char *splice(Arena *a, const Text *t, const char **end)
{
    char *out = arena_array(a, t->size + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < t->size; i++) {
        size_t skip = 0;
        if (t->at[i] == '\\')
            skip = i + 1 < t->size && t->at[i + 1] == '\n'                           ? 1
                   : i + 2 < t->size && t->at[i + 1] == '\r' && t->at[i + 2] == '\n' ? 2
                                                                                     : 0;
        if (skip)
            i += skip;
        else
            out[n++] = t->at[i] ? t->at[i] : ' ';
    }
    *end = out + n;
    return out;
}

/* Steps over a comment that starts here. */
static bool skip_comment(Scan *s)
{
    if (s->at[0] != '/' || (s->at[1] != '*' && s->at[1] != '/'))
        return false;
    bool block = s->at[1] == '*';
    s->at += 2;
    while (s->at < s->end && (block ? strncmp(s->at, "*/", 2) != 0 : *s->at != '\n'))
        s->line += *s->at++ == '\n';
    if (block && s->at < s->end)
        s->at += 2;
    return true;
}

static void skip_blanks(Scan *s)
{
    while (s->at < s->end)
        if (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\f' || *s->at == '\v')
            s->at++;
        else if (!skip_comment(s))
            return;
}

/* Takes a word that is not the beginning of a longer one. */
static bool take_word(Scan *s, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(s->at, word, n) != 0 || isalnum((unsigned char)s->at[n]) || s->at[n] == '_')
        return false;
    s->at += n;
    return true;
}

/* A name in quotes or brackets on this line; NULL when there is something else. */
static const char *take_name(Arena *a, Scan *s)
{
    char close = *s->at == '"' ? '"' : *s->at == '<' ? '>' : '\0';
    if (!close)
        return NULL;
    const char *first = s->at + 1, *p = first;
    while (*p && *p != close && *p != '\n')
        p++;
    if (*p != close)
        return NULL;
    s->at = p + 1;
    return arena_copy(a, first, (size_t)(p - first));
}

/* After a '#'.  `sure`: it stands where a directive stands. */
static void scan_directive(Walk *w, const Text *t, Scan *s, bool sure)
{
    skip_blanks(s);
    if (!take_word(s, "include") && !take_word(s, "include_next") && !take_word(s, "import"))
        return;
    skip_blanks(s);
    Place at = {t, s->line, sure};
    const char *name = take_name(w->arena, s);
    if (name)
        add_name(w, &at, t->folder, name);
    else if (sure)
        set_unknown(w, t, at.line, "the name of the included file is a macro");
}

/* __has_include asks about a file without including it. */
static void scan_has_include(Walk *w, const Text *t, Scan *s)
{
    skip_blanks(s);
    if (*s->at == '(')
        s->at++;
    skip_blanks(s);
    Place at = {t, s->line, false};
    const char *name = take_name(w->arena, s);
    if (name)
        add_name(w, &at, t->folder, name);
}

/* The end of a string or character literal that starts here, on its line; just after the quote
 * when it has none there (an apostrophe between digits). */
static const char *literal_end(const char *at)
{
    const char *p = at + 1;
    while (*p && *p != *at && *p != '\n')
        p += p[0] == '\\' && p[1] && p[1] != '\n' ? 2 : 1;
    return *p == *at ? p + 1 : at + 1;
}

static const char *comment_end(Scan over)
{
    skip_comment(&over);
    return over.at;
}

/* Nothing is stepped over unseen: what looks like a comment may lie in a raw string.  Comments and
 * literals only make it unsure whether a '#' begins a directive. */
static void scan_text(Walk *w, const Text *t)
{
    Scan s = {.line = 1, .line_start = true};
    s.at = splice(w->arena, t, &s.end);
    const char *quiet_end = s.at; /* of the last comment or literal begun */
    while (s.at < s.end) {
        bool quiet = s.at < quiet_end, start = s.line_start;
        char c = *s.at;
        bool comment = !quiet && c == '/' && (s.at[1] == '/' || s.at[1] == '*');
        if (comment)
            quiet_end = comment_end(s);
        else if (!quiet && (c == '"' || c == '\''))
            quiet_end = literal_end(s.at);
        s.line += c == '\n';
        s.line_start = c == '\n' || (start && (quiet || comment || isspace((unsigned char)c)));
        if (c == '#' || (c == '%' && s.at[1] == ':')) {
            s.at += c == '#' ? 1 : 2;
            scan_directive(w, t, &s, start && !quiet);
        } else if (c == '_' && take_word(&s, "__has_include")) {
            scan_has_include(w, t, &s);
        } else {
            s.at++;
        }
    }
}

IncludeSet include_follow(Arena *a, const IncludeQuery *q)
{
    Walk w = {.arena = a, .query = q, .hasher = hasher_new(), .places = hasher_new()};
    hasher_add(w.hasher, q->text, q->size);
    const Text source = {q->name, q->folder, q->text, q->size};
    for (size_t i = 0; i < q->forced_count; i++)
        add_name(&w, &(Place){&source, 1, true}, q->folder, q->forced[i]);
    VEC_PUSH(a, &w.texts, source);
    /* The list grows while it is walked. */
    for (size_t i = 0; i < w.texts.count; i++) {
        Text t = w.texts.at[i];
        scan_text(&w, &t);
    }
    return (IncludeSet){.hash = hasher_end(w.hasher),
                        .places = hasher_end(w.places),
                        .files = w.files.at,
                        .texts = w.contents.at,
                        .file_count = w.files.count,
                        .names = w.names.at,
                        .name_count = w.names.count,
                        .unknown = w.unknown};
}
