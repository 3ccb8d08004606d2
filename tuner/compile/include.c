#include "tuner/compile/include.h"

#include "metrics/base/file.h"
#include "tuner/spec/code_text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Limits far above what any toolkit's headers include. */
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
    Hasher *hasher, *places; /* of the set's hashes */
    VEC(Text) texts;         /* to be searched in turn: files found, and the source */
    size_t bytes;            /* of files in all */
    IncludeSet set;
} Walk;

/* Where a name occurs. */
typedef struct Place {
    const Text *text;
    size_t line;
    bool sure; /* in a directive, outside comments and literals */
} Place;

static void set_unknown(Walk *w, const Text *t, size_t line, const char *why)
{
    if (!w->set.unknown)
        w->set.unknown = line ? arena_printf(w->arena, "%s:%zu: %s", t->name, line, why)
                              : arena_printf(w->arena, "%s: %s", t->name, why);
}

/* ---- one file ------------------------------------------------------------------------------ */

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
    for (size_t i = 0; i < q->folders.count && !inside; i++)
        inside = is_below(q->folders.at[i], real_path);
    return inside;
}

/* Handles a file that must not be read; where its name may be in a comment, its date is hashed. */
static void note_outside(Walk *w, const Place *at, const char *path)
{
    struct stat st;
    if (at->sure && !w->set.outside)
        w->set.outside = path;
    if (at->sure)
        set_unknown(w, at->text, at->line,
                    "the included file is outside the declared folders (declare one with include "
                    "\"FOLDER\" in the spec)");
    else if (stat(path, &st) == 0)
        hasher_add(w->places, &st.st_mtim, sizeof st.st_mtim);
}

/* Notes the file of a name; the first one found is the compiler's. */
static void note_name(Walk *w, const char *name, size_t file)
{
    IncludeName *known = name ? NAME_FIND(w->set.names.at, w->set.names.count, name, name) : NULL;
    if (known)
        known->several = known->several || known->file != file;
    else if (name)
        VEC_PUSH(w->arena, &w->set.names, ((IncludeName){name, file, false}));
}

/* Expands a CMake header template with nothing configured: all switches off, all substitutions 0. */
static void configure(Arena *a, Text *t)
{
    Buf b = {0};
    for (const char *line = t->at, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        const char *number = code_behind(line, "cmakedefine01");
        if (number)
            buf_printf(&b, "#define %s 0", code_copy(a, code_word(number)));
        else if (!code_behind(line, "cmakedefine"))
            for (const char *at = line; at < end && *at != '\n'; at++) {
                const bool dollar = at[0] == '$' && at[1] == '{';
                const size_t n = code_word(at + 1 + dollar).length;
                const bool hole =
                    n > 0 && at[1 + dollar + n] == (dollar ? '}' : '@') && (dollar || *at == '@');
                buf_putc(&b, hole ? '0' : *at);
                at += hole ? 1 + dollar + n : 0;
            }
        buf_puts(&b, "\n");
    }
    t->size = b.size;
    t->at = buf_keep(&b, a);
}

/* Adds a file's contents the first time it is found. `place`: the index of the folder; `name`: the
 * include's spelling, NULL if an earlier folder had it. */
static bool add_file(Walk *w, const Place *at, size_t place, const char *asked, const char *name)
{
    const bool makes = text_ends_with(asked, ".in");
    const char *path = path_real(w->arena, asked, NULL);
    if (!path)
        return false;
    IncludeSet *set = &w->set;
    const size_t known = word_place(path, set->files.at, set->files.count);
    const size_t found[] = {place, known == SIZE_MAX ? set->files.count : known};
    hasher_add(w->places, found, sizeof found);
    if (found[1] < set->files.count) {
        note_name(w, name, found[1]);
        return true;
    }
    if (!include_is_inside(w->query, path)) {
        note_outside(w, at, path);
        return true;
    }
    Diag quiet = diag_new(w->arena);
    Text t = {.name = arena_string(w->arena, asked)};
    bool many = set->files.count == FILE_LIMIT || w->bytes > ALL_BYTES;
    t.at = many ? NULL : file_read_most(w->arena, path, FILE_BYTES, &t.size, &quiet);
    if (!t.at) {
        set_unknown(w, &t, 0, many ? "too many files are included" : diag_first(&quiet));
        return true;
    }
    const size_t mark = code_bom(t.at);
    t.at += mark;
    t.size -= mark;
    set->made = set->made || makes;
    if (makes)
        configure(w->arena, &t);
    t.folder = path_folder(w->arena, path);
    w->bytes += t.size;
    VEC_PUSH(w->arena, &set->files, path);
    VEC_PUSH(w->arena, &set->texts, t.at);
    VEC_PUSH(w->arena, &w->texts, t);
    note_name(w, name, found[1]);
    hasher_add(w->hasher, t.at, t.size);
    return true;
}

/* Finds the template NAME.in of a header that a build makes. */
static bool add_template(Walk *w, const Place *at, const char *folder, const char *name)
{
    const IncludeQuery *q = w->query;
    const char *const names[] = {arena_printf(w->arena, "%s.in", name),
                                 arena_printf(w->arena, "%s.in", path_stem(w->arena, name, ""))};
    for (size_t n = 0; n < 2; n++) {
        if (add_file(w, at, 0, path_join(w->arena, folder, names[n]), name))
            return true;
        for (size_t i = 0; i < q->folders.count; i++)
            if (add_file(w, at, i + 2, path_join(w->arena, q->folders.at[i], names[n]), name))
                return true;
    }
    return false;
}

/* Finds a file whose name differs in case, as Windows does: StdAfx.h for "stdafx.h". C's own headers are
 * left to the compiler. */
static bool add_any_case(Walk *w, const Place *at, const char *folder, const char *name)
{
    static const char *const OF_C[] = {"assert.h", "ctype.h",  "errno.h",  "float.h",
                                       "limits.h", "math.h",   "memory.h", "stdint.h",
                                       "stdio.h",  "stdlib.h", "string.h", "time.h"};
    const IncludeQuery *q = w->query;
    const char *file = path_slashes(w->arena, name), *path;
    if (word_place(file, OF_C, COUNT_OF(OF_C)) < SIZE_MAX || !strchr(file, '.'))
        return false;
    path = path_any_case(w->arena, folder, file);
    for (size_t i = 0; i < q->folders.count && !path; i++)
        path = path_any_case(w->arena, q->folders.at[i], file);
    const bool found = path && add_file(w, at, 0, path, name);
    w->set.made = w->set.made || found;
    return found;
}

/* Adds every file that the name may mean: in the includer's folder (also for <...>: more is safe), in the
 * source's, along the -I folders. */
static void add_name(Walk *w, const Place *at, const char *folder, const char *name)
{
    const IncludeQuery *q = w->query;
    const char *file = path_slashes(w->arena, name);
    hasher_string(w->hasher, name);
    bool found = add_file(w, at, 0, path_join(w->arena, folder, file), name);
    if (file[0] == '/')
        return;
    found = add_file(w, at, 1, path_join(w->arena, q->folder, file), found ? NULL : name) || found;
    for (size_t i = 0; i < q->folders.count; i++) {
        const char *path = path_join(w->arena, q->folders.at[i], file);
        found = add_file(w, at, i + 2, path, found ? NULL : name) || found;
    }
    w->set.made = w->set.made || (found && strcmp(file, name) != 0);
    if (!found)
        found = add_any_case(w, at, folder, name) || add_template(w, at, folder, name);
    if (!found) {
        hasher_string(w->hasher, "is missing");
        VEC_PUSH(w->arena, &w->set.absent, name);
    }
    hasher_string(w->places, name);
}

/* ---- the directives in a text -------------------------------------------------------------- */

/* Joins spliced lines, as the compiler does first. Adds a terminating zero. */
static const char *splice(Arena *a, const Text *t)
{
    char *out = arena_array(a, t->size + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < t->size;) {
        const size_t splice = code_splice(t->at + i);
        if (!splice)
            out[n++] = t->at[i] ? t->at[i] : ' ';
        i += splice ? splice : 1;
    }
    return out;
}

/* Adds the file named in quotes or angle brackets; returns the text after it, NULL: no name. */
static const char *take_name(Walk *w, const Text *t, const Place *place, const char *at)
{
    const Word name = code_quoted(at);
    if (name.length)
        add_name(w, place, t->folder, code_copy(w->arena, name));
    return name.length ? name.at + name.length + 1 : NULL;
}

/* Scans after a '#' and returns where to go on. `sure`: the '#' begins a directive. */
static const char *scan_directive(Walk *w, const Text *t, const char *text, const char *at,
                                  bool sure)
{
    const Word word = code_word(code_blanks(at));
    if (!code_among(word, "include include_next import"))
        return at;
    at = code_blanks(word.at + word.length);
    const Place place = {t, code_line_number(text, at), sure};
    const char *behind = take_name(w, t, &place, at);
    if (!behind && sure)
        set_unknown(w, t, place.line, "the name of the included file is a macro");
    return behind ? behind : at;
}

/* Scans after __has_include, which asks for a file without including it. */
static const char *scan_has_include(Walk *w, const Text *t, const char *at)
{
    at = code_blanks(at);
    at = code_blanks(at + (*at == '('));
    const char *behind = take_name(w, t, &(Place){t, 0, false}, at);
    return behind ? behind : at;
}

/* Comments are scanned, too, since an apparent comment may lie in a raw string: comments and literals only
 * make it unsure whether a '#' begins a directive. */
static void scan_text(Walk *w, const Text *t)
{
    const char *text = splice(w->arena, t), *quiet_end = text; /* of the last that began */
    bool line_start = true; /* only blanks and comments on this line so far */
    for (const char *at = text; *at;) {
        const bool quiet = at < quiet_end, sure = line_start && !quiet;
        const size_t size = quiet ? 0 : code_quiet(text, at);
        const bool comment = size > 0 && *at == '/';
        quiet_end = size ? at + size : quiet_end;
        line_start =
            *at == '\n' || (line_start && (quiet || comment || isspace((unsigned char)*at)));
        if (*at == '#' || (*at == '%' && at[1] == ':'))
            at = scan_directive(w, t, text, at + (*at == '#' ? 1 : 2), sure);
        else if (*at == '_' && code_same(code_word(at), "__has_include"))
            at = scan_has_include(w, t, at + strlen("__has_include"));
        else
            at++;
    }
}

IncludeSet include_follow(Arena *a, const IncludeQuery *q)
{
    Walk w = {.arena = a, .query = q, .hasher = hasher_new(), .places = hasher_new()};
    hasher_add(w.hasher, q->text, q->size);
    const Text source = {q->name, q->folder, q->text, q->size};
    for (size_t i = 0; i < q->forced.count; i++)
        add_name(&w, &(Place){&source, 1, true}, q->folder, q->forced.at[i]);
    VEC_PUSH(a, &w.texts, source);
    /* The list grows during the loop. */
    for (size_t i = 0; i < w.texts.count; i++) {
        Text t = w.texts.at[i];
        scan_text(&w, &t);
    }
    w.set.hash = hasher_end(w.hasher);
    w.set.places = hasher_end(w.places);
    return w.set;
}
