#include "tuner/emit/inline.h"

#include "metrics/base/file.h"
#include "tuner/spec/code_text.h"

#include <ctype.h>

enum {
    DEPTH_LIMIT = 200,   /* nested includes, as in compilers */
    COPY_LIMIT = 20000,  /* inlined files */
    SIZE_LIMIT = 1 << 26 /* bytes: 64 MiB, more than a compiler would take */
};

typedef struct Work {
    Arena *arena;
    const IncludeQuery *query;
    const InlineChoice *choice;
    Buf out;
    InlineText *found;              /* lists of it */
    Texts once;                     /* real paths of files with #pragma once */
    const char *stack[DEPTH_LIMIT]; /* real paths of the files that are being copied */
    size_t depth, copies;
    Diag *diag;
} Work;

/* A file being copied.  Literals and comments are recognised only so that a '#' in one of them is not taken
 * for a directive. */
typedef struct File {
    const char *name; /* as it is included, for messages and comments */
    const char *folder;
    const char *at, *end; /* *end is a zero byte */
    size_t line;
    bool line_start; /* nothing but blanks and comments on this line so far */
} File;

static bool copy_file(Work *w, File *f);

/* --- finding ---------------------------------------------------------------------------------- */

/* The file that the compiler would open; NULL: none that can be inlined. */
static const char *find_file(const Work *w, const File *f, const char *name, bool quoted)
{
    const IncludeQuery *q = w->query;
    const char *path = path_join(w->arena, f->folder, name);
    /* An absolute path outside the folders stays an #include: it is the same file for every compiler. */
    if (name[0] == '/')
        return file_exists(name) && include_is_inside(q, path_real(w->arena, name, name)) ? name
                                                                                          : NULL;
    if (quoted && file_exists(path))
        return path;
    for (size_t i = 0; i < q->folders.count; i++) {
        path = path_join(w->arena, q->folders.at[i], name);
        if (file_exists(path))
            return path;
    }
    return NULL;
}

/* --- copying ---------------------------------------------------------------------------------- */

static bool fail(const Work *w, const File *f, const char *why, const char *name)
{
    return diag_fail(w->diag, "%s:%zu: '%s' %s", f->name, f->line, name, why);
}

static const char *skip_lines(const char *at)
{
    for (;;) {
        const char *next = code_blanks(at);
        next += *next == '\n';
        if (next == at)
            return at;
        at = next;
    }
}

static bool is_pragma_once(const char *line)
{
    const char *what = code_behind(line, "pragma");
    return what && code_same(code_word(what), "once");
}

/* True if the first directive of a text is an include guard or the like. */
static bool is_guarded(const char *text)
{
    const char *first = skip_lines(text), *condition = code_behind(first, "if");
    return condition ? *condition == '!' : code_behind(first, "ifndef") || is_pragma_once(first);
}

/* The guard that replaces a file's #pragma once. */
static const char *once_macro(Work *w, const char *path)
{
    const char *macro =
        arena_printf(w->arena, "APTUNE_ONCE_%zu", text_add_once(w->arena, &w->once, path) + 1);
    text_add_once(w->arena, &w->found->macros, macro);
    return macro;
}

static bool is_once(const char *text)
{
    const char *line = text;
    while (*line && !is_pragma_once(line))
        line = code_next_line(line);
    return *line;
}

static bool is_compiled(const Work *w, const char *real)
{
    return !w->choice->known ||
           word_place(real, w->choice->files.at, w->choice->files.count) < SIZE_MAX;
}

/* In a text with marks the compiler decides whether it is an error: the #include may have no effect. */
static bool put_outside(Work *w, const File *from, const char *real, const char *name)
{
    static const char why[] = "is outside the declared folders; declare its folder with include "
                              "\"FOLDER\" in the spec";
    if (!w->choice->mark)
        return fail(w, from, why, name);
    text_add_once(w->arena, &w->found->files, real); /* so that the text is compiled */
    buf_printf(&w->out, "#error \"%s\" %s", name, why);
    return true;
}

/* Puts a file in place of its #include, up to the end of the line. */
static bool put_file(Work *w, const File *from, const char *path, const char *name)
{
    const char *real = path_real(w->arena, path, path);
    size_t size;
    if (!include_is_inside(w->query, real))
        return put_outside(w, from, real, name);
    const char *text = file_read_most(w->arena, real, SIZE_LIMIT, &size, w->diag);
    if (!text)
        return false;
    bool again = word_place(real, w->stack, w->depth) < SIZE_MAX;
    if (again && is_guarded(text)) {
        buf_printf(&w->out, "/* %s: see above */", path_stem(w->arena, name, ""));
        return true;
    }
    if (again || w->depth == DEPTH_LIMIT || w->copies++ == COPY_LIMIT)
        return fail(w, from, again ? "includes itself" : "is one included file too many", name);
    const char *once = is_once(text) ? once_macro(w, real) : NULL;
    File f = {.name = name,
              .folder = path_folder(w->arena, path),
              .at = text,
              .end = text + size,
              .line = 1,
              .line_start = true};
    buf_printf(&w->out, "/* --- %s --- */\n", path_stem(w->arena, name, ""));
    size_t number = text_add_once(w->arena, &w->found->files, real);
    if (w->choice->mark)
        buf_printf(&w->out, "#define %s_%zu\n", w->choice->mark, number);
    if (once)
        buf_printf(&w->out, "#ifndef %s\n#define %s\n", once, once);
    w->stack[w->depth++] = real;
    bool ok = copy_file(w, &f);
    w->depth--;
    if (w->out.size > 0 && w->out.text[w->out.size - 1] != '\n')
        buf_putc(&w->out, '\n');
    buf_printf(&w->out, "%s/* --- end of %s --- */", once ? "#endif\n" : "",
               path_stem(w->arena, name, ""));
    return ok;
}

/* Advances to `to`, counting lines. */
static void skip_to(File *f, const char *to)
{
    for (; f->at < to; f->at++)
        f->line += *f->at == '\n';
}

static void copy_to(Work *w, File *f, const char *to)
{
    buf_add(&w->out, f->at, (size_t)(to - f->at));
    skip_to(f, to);
}

/* `at`: the text after the word "include". */
static bool copy_include(Work *w, File *f, const char *at)
{
    const Word quoted = code_quoted(at);
    if (!quoted.length) { /* a macro, which only the compiler can expand */
        copy_to(w, f, at);
        return true;
    }
    const char *name = code_copy(w->arena, quoted), *end = quoted.at + quoted.length + 1;
    const char *path = find_file(w, f, name, *at == '"');
    const bool compiled = path && is_compiled(w, path_real(w->arena, path, path));
    if (!path)
        text_add_once(w->arena, &w->found->includes, arena_copy(w->arena, at, (size_t)(end - at)));
    if (!compiled) {
        copy_to(w, f, end);
        return true;
    }
    if (w->out.size > 0 && w->out.text[w->out.size - 1] != '\n')
        buf_putc(&w->out, '\n');
    skip_to(f, code_line_end(end)); /* compilers ignore the rest of the line */
    return put_file(w, f, path, name);
}

/* Copies a directive from its '#' on. */
static bool copy_directive(Work *w, File *f)
{
    const char *included = code_behind(f->at, "include");
    const Word macro = code_defined(f->at);
    if (included)
        return copy_include(w, f, included);
    if (macro.length)
        text_add_once(w->arena, &w->found->macros, code_copy(w->arena, macro));
    if (is_pragma_once(f->at))
        skip_to(f, code_behind(f->at, "pragma") + strlen("once"));
    else
        copy_to(w, f, f->at + 1);
    return true;
}

static bool copy_file(Work *w, File *f)
{
    const char *first = f->at;
    while (f->at < f->end) {
        if (w->out.size > SIZE_LIMIT)
            return diag_fail(w->diag, "'%s' is too long with the files that it includes", f->name);
        size_t quiet = code_quiet(first, f->at), splice = code_splice(f->at);
        char c = *f->at;
        bool start = f->line_start;
        f->line_start =
            c == '\n' || (start && (splice || (quiet && c == '/') || isspace((unsigned char)c)));
        if (c == '#' && start && !copy_directive(w, f))
            return false;
        if (c != '#' || !start)
            copy_to(w, f, f->at + (quiet ? quiet : splice ? splice : 1));
    }
    return true;
}

/* Files that an option includes (-include) come before the source. */
static bool copy_forced(Work *w, const File *source)
{
    const IncludeQuery *q = w->query;
    bool ok = true;
    for (size_t i = 0; i < q->forced.count && ok; i++) {
        const char *name = q->forced.at[i], *path = find_file(w, source, name, true);
        if (path)
            ok = put_file(w, source, path, name);
        else
            buf_printf(&w->out, "#include \"%s\"", name);
        buf_putc(&w->out, '\n');
    }
    return ok;
}

/* A file may be included where no variable can be declared, so marks become variables only here. */
static void declare_marks(Work *w)
{
    const char *mark = w->choice->mark;
    for (size_t i = 0; mark && i < w->found->files.count; i++)
        buf_printf(&w->out,
                   "\n#ifdef %s_%zu\n#undef %s_%zu\nextern \"C\" __device__ int %s_%zu;\n#endif\n",
                   mark, i, mark, i, mark, i);
}

bool inline_includes(Arena *a, const IncludeQuery *q, const InlineChoice *c, InlineText *out,
                     Diag *d)
{
    Work w = {.arena = a, .query = q, .choice = c, .found = out, .diag = d};
    File f = {.name = q->name,
              .folder = q->folder,
              .at = arena_copy(a, q->text, q->size),
              .line = 1,
              .line_start = true};
    f.end = f.at + q->size;
    *out = (InlineText){0};
    bool ok = copy_forced(&w, &f) && copy_file(&w, &f);
    declare_marks(&w);
    out->size = w.out.size;
    out->text = buf_keep(&w.out, a);
    return ok;
}
