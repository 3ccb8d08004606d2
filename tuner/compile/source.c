#include "tuner/compile/source.h"

#include "metrics/base/file.h"
#include "metrics/base/map.h"
#include "tuner/compile/host_code.h"
#include "tuner/compile/include.h"
#include "tuner/compile/yield.h"
#include "tuner/spec/code_text.h"

/* --- reachable declarations --------------------------------------------------------------------
 *
 * Headers of large projects declare much that a device-only compiler rejects and no kernel needs: host
 * classes with missing libraries, traits, specializations for foreign types. A declaration at file or
 * namespace scope is reached when a kernel, or a reached declaration or macro, has its name in its text.
 * Names are words: more is kept than needed, but nothing that is named is lost. */

typedef struct Reachable {
    HostDeclaration d; /* of a macro: the rest of its line */
    size_t text;
    bool macro, kept;
} Reachable;

/* A name and its declarations. */
typedef struct Name {
    VEC(size_t) items;
    bool reached, space, toolkit; /* a namespace or class; one of the toolkit's */
} Name;

typedef struct Reach {
    Arena *arena;
    VEC(Reachable) items;
    Map names;            /* to a Name each */
    VEC(Name *) followed; /* worklist of reached names */
} Reach;

static Name *name_of(Reach *r, const char *at, size_t length)
{
    MapEntry *e = map_add(&r->names, at, length, 0);
    if (!e->pointer)
        e->pointer = ARENA_NEW(r->arena, Name);
    return e->pointer;
}

static Name *name_called(Reach *r, const char *name)
{
    return name_of(r, name, strlen(name));
}

static void add_item(Reach *r, HostDeclaration d, size_t text, bool macro)
{
    for (size_t i = 0; i < d.names.count; i++)
        VEC_PUSH(r->arena, &name_called(r, d.names.at[i])->items, r->items.count);
    for (size_t i = 0; i < d.special.count; i++)
        VEC_PUSH(r->arena, &name_called(r, d.special.at[i])->items, r->items.count);
    if (d.owner)
        VEC_PUSH(r->arena, &name_called(r, d.owner)->items, r->items.count);
    VEC_PUSH(r->arena, &r->items, ((Reachable){d, text, macro, false}));
}

/* Notes the names after "namespace", "class" … */
static void note_spaces(Reach *r, const char *text)
{
    static const char *const WORDS[] = {"namespace", "class",    "struct",
                                        "enum",      "typename", "define"};
    text = code_bare(r->arena, text);
    for (size_t i = 0; i < COUNT_OF(WORDS); i++)
        for (const char *at = text; (at = code_find_word(at, WORDS[i], text)) != NULL; at++) {
            const Word w = code_word(code_skip(at + strlen(WORDS[i]), text + strlen(text)));
            const bool used = at - text > 6 && strncmp(at - 6, "using ", 6) == 0;
            if (w.length && !used)
                name_of(r, w.at, w.length)->space = true;
        }
}

static void add_text(Reach *r, const char *text, size_t number, const HostMarks *marks)
{
    HostDeclarations all = {0};
    host_declarations(r->arena, text, marks, &all);
    for (size_t i = 0; i < all.count; i++)
        add_item(r, all.at[i], number, false);
    for (const char *line = text; *line; line = code_next_line(line)) {
        const Word w = code_defined(line);
        HostDeclaration d = {.start = w.at + w.length, .end = code_line_end(line)};
        if (!w.length)
            continue;
        VEC_PUSH(r->arena, &d.names, code_copy(r->arena, w));
        add_item(r, d, number, true);
    }
}

static void reach(Reach *r, Name *n)
{
    if (!n->reached)
        VEC_PUSH(r->arena, &r->followed, n);
    n->reached = true;
}

static void reach_words(Reach *r, const char *start, const char *end)
{
    for (const char *at = start; at < end;) {
        const Word w = code_next_word(start, &at);
        if (w.length)
            reach(r, name_of(r, w.at, w.length));
    }
}

/* True if it names a namespace or class that no text declares. */
static bool is_foreign(Reach *r, const HostDeclaration *d)
{
    bool foreign = d->spaces && d->names.count && !name_called(r, d->names.at[0])->space;
    for (size_t i = 0; i < d->scopes.count; i++)
        foreign = foreign || !name_called(r, d->scopes.at[i])->space;
    return foreign;
}

static void keep(Reach *r, size_t item)
{
    Reachable *x = &r->items.at[item];
    const HostDeclaration d = x->d;
    bool named = d.names.count == 0 || d.spaces;
    for (size_t i = 0; i < d.names.count; i++)
        named = named || name_called(r, d.names.at[i])->reached;
    for (size_t i = 0; i < d.names.count && d.operates; i++)
        named = named &&
                (name_called(r, d.names.at[i])->reached || !name_called(r, d.names.at[i])->space);
    for (size_t i = 0; i < d.special.count; i++) /* specialized for unreached types: not needed */
        named = named && (name_called(r, d.special.at[i])->reached ||
                          name_called(r, d.special.at[i])->toolkit);
    if (x->kept || !named || (d.owner && !name_called(r, d.owner)->reached) || is_foreign(r, &d))
        return;
    x->kept = true;
    reach_words(r, d.start, d.end);
}

/* Replaces the texts by copies in which unreached declarations are blanked; lines and columns stay.
 * `roots`: the names to start from. */
static void reached_cut(Arena *a, const char **texts, size_t count, const char *roots,
                        const HostMarks *marks)
{
    static const char *const SPACES[] = {
        "std", "cuda", "cub", "thrust", "nvcuda", "cooperative_groups", "cg", "wmma"};
    Reach r = {.arena = a, .names.arena = a};
    for (size_t i = 0; i < COUNT_OF(SPACES); i++)
        name_called(&r, SPACES[i])->space = name_called(&r, SPACES[i])->toolkit = true;
    for (size_t i = 0; i < count; i++) {
        note_spaces(&r, texts[i]);
        add_text(&r, texts[i], i, marks);
    }
    reach_words(&r, roots, roots + strlen(roots));
    for (size_t i = 0; i < r.items.count; i++)
        if (r.items.at[i].d.names.count == 0 || r.items.at[i].d.spaces)
            keep(&r, i);
    for (size_t i = 0; i < r.followed.count; i++) {
        const Name *n = r.followed.at[i];
        for (size_t k = 0; k < n->items.count; k++)
            keep(&r, n->items.at[k]);
    }
    char **copies = ARENA_ARRAY(a, char *, count);
    for (size_t i = 0; i < count; i++)
        copies[i] = arena_copy(a, texts[i], strlen(texts[i]));
    VEC_EACH (const Reachable, x, r.items) {
        const char *text = texts[x->text];
        if (!x->kept && !x->macro)
            code_cut(copies[x->text], text, (size_t)(x->d.start - text), (size_t)(x->d.end - text));
    }
    for (size_t i = 0; i < count; i++)
        texts[i] = copies[i];
}

/* --- reading a source ------------------------------------------------------------------------- */

/* Options that name a file or folder, see allowed.c. */
typedef enum PathKind {
    PATH_NONE,
    PATH_FOLDER, /* -I */
    PATH_FORCED  /* -include */
} PathKind;

const char *option_value(const char *option, const char *short_name, const char *name)
{
    size_t n = strlen(short_name), m = strlen(name);
    if (strncmp(option, name, m) == 0 && option[m] == '=')
        return option + m + 1;
    return strncmp(option, short_name, n) == 0 ? option + n + (option[n] == '=') : NULL;
}

/* The kind of path that an option names, and the path. */
static PathKind option_kind(const char *option, const char **path)
{
    if ((*path = option_value(option, "-I", "--include-path")) != NULL)
        return PATH_FOLDER;
    *path = option_value(option, "-include", "--pre-include");
    return *path ? PATH_FORCED : PATH_NONE;
}

/* ---- the options that all configurations share --------------------------------------------- */

typedef struct Paths {
    Texts options; /* with absolute folders */
    Texts folders;
    Texts forced;
    Texts parameters; /* names that definitions yield to */
    const char *only; /* names to which reading is limited; NULL: none */
} Paths;

static void add_include_folder(Arena *a, Paths *p, const char *folder)
{
    const char *whole = path_real(a, folder, folder); /* the worker runs in another one */
    VEC_PUSH(a, &p->folders, whole);
    VEC_PUSH(a, &p->options, arena_printf(a, "-I%s", whole));
}

static Paths read_options(Arena *a, const char *folder, Texts options)
{
    Paths p = {0};
    add_include_folder(a, &p, folder);
    for (size_t i = 0; i < options.count; i++) {
        const char *value, *option = options.at[i];
        PathKind kind = option_kind(option, &value);
        if (kind == PATH_FOLDER)
            add_include_folder(a, &p, value);
        else if (strncmp(option, SOURCE_PARAMETER, strlen(SOURCE_PARAMETER)) == 0)
            VEC_PUSH(a, &p.parameters, arena_string(a, option + strlen(SOURCE_PARAMETER)));
        else
            VEC_PUSH(a, &p.options, arena_string(a, option));
        if (source_only_for(option))
            p.only = arena_string(a, source_only_for(option));
        if (kind == PATH_FORCED)
            VEC_PUSH(a, &p.forced, arena_string(a, value));
    }
    return p;
}

/* Device marks may be macros of included files. */
static HostMarks find_marks(Arena *a, const char *text, const IncludeSet *set)
{
    Texts texts = {0};
    for (size_t i = 0; i < set->texts.count; i++)
        VEC_PUSH(a, &texts, set->texts.at[i]);
    VEC_PUSH(a, &texts, text);
    return host_marks(a, &texts);
}

/* The includes and the source (the last), without host code and unreached declarations. */
static const char **cut_all(Arena *a, const char *text, size_t size, const IncludeSet *set,
                            const Paths *p)
{
    HostMarks marks = find_marks(a, text, set);
    marks.knows_macros = p->only;
    const size_t count = set->texts.count;
    const char **texts = ARENA_ARRAY(a, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        texts[i] = host_code_cut(a, set->texts.at[i], strlen(set->texts.at[i]), &marks);
    texts[count] = host_code_cut(a, text, size, &marks);
    if (p->only)
        reached_cut(a, texts, count + 1, p->only, &marks);
    return texts;
}

/* True for headers of the toolkit's libraries that launch kernels themselves: the device compiler rejects
 * them, and device code uses nothing of them. */
static bool is_hosts(const char *name)
{
    static const char *const HOST[] = {"thrust/", "cub/device/", "cub/util_allocator.cuh"};
    static const char *const DEVICE[] = {
        "thrust/complex.h", "thrust/detail/config", "thrust/functional.h", "thrust/iterator/",
        "thrust/pair.h",    "thrust/random",        "thrust/swap.h",       "thrust/tuple.h"};
    bool host = false;
    for (size_t i = 0; i < COUNT_OF(HOST); i++)
        host = host || strncmp(name, HOST[i], strlen(HOST[i])) == 0;
    for (size_t i = 0; i < COUNT_OF(DEVICE); i++)
        host = host && strncmp(name, DEVICE[i], strlen(DEVICE[i])) != 0;
    return host;
}

/* If an include has something cut, all are passed by name: one without a folder finds no neighbours. */
static void give_headers(Arena *a, const IncludeSet *set, const char **texts,
                         const Texts *parameters, CompileSource *s)
{
    bool differ = set->made, yields = false;
    for (size_t i = 0; i < set->texts.count; i++) {
        const char *cut = texts[i];
        texts[i] = definitions_yield(a, cut, parameters);
        yields = yields || texts[i] != cut;
        differ = differ || texts[i] != set->texts.at[i];
    }
    if (yields) /* the hash covered the original contents */
        s->hash = hash_bytes(s->hash.text, strlen(s->hash.text));
    VEC_EACH (const IncludeName, n, set->names) {
        if (!differ || n->several)
            continue;
        VEC_PUSH(a, &s->headers, n->name);
        VEC_PUSH(a, &s->headers, texts[n->file]);
        texts[n->file] = arena_printf(a, "#include \"%s\"\n", n->name); /* for its other names */
    }
    for (size_t i = 0; i < set->absent.count; i++)
        if (is_hosts(set->absent.at[i])) {
            VEC_PUSH(a, &s->headers, set->absent.at[i]);
            VEC_PUSH(a, &s->headers, "#include <aptune/thrust.h>\n"); /* the worker's own */
        }
}

/* Adds SOURCE_LIKE_NVCC, and drops --minimal: headers may use types that it leaves out. */
static void write_for_nvcc(Arena *a, Texts *options)
{
    Texts kept = {0};
    for (size_t i = 0; i < options->count; i++)
        if (strcmp(options->at[i], "--minimal") != 0)
            VEC_PUSH(a, &kept, options->at[i]);
    VEC_PUSH(a, &kept, SOURCE_LIKE_NVCC);
    *options = kept;
}

const CompileSource *source_make(Arena *a, const char *name, const char *text, size_t size,
                                 const char *folder, Texts options)
{
    const char *given = text;
    Paths p = read_options(a, folder, options);
    IncludeQuery query = {
        .name = name,
        .text = text,
        .size = size,
        .folder = path_real(a, folder, folder),
        .folders = p.folders,
        .forced = p.forced,
    };
    IncludeSet set = include_follow(a, &query);
    const char **texts = cut_all(a, text, size, &set, &p);
    text = texts[set.texts.count];
    query.text = text = definitions_yield(a, text, &p.parameters);
    bool expects = host_code_expects_headers(text);
    for (size_t i = 0; i < set.texts.count && !expects; i++) /* of files included by an option */
        expects = host_code_expects_headers(texts[i]);
    if (expects)
        write_for_nvcc(a, &p.options);
    if (text != given)
        set = include_follow(a, &query);
    CompileSource *s = ARENA_NEW(a, CompileSource);
    *s = (CompileSource){
        .name = path_stem(a, name, ""),
        .text = text,
        .size = size,
        .options = p.options,
        .hash = set.hash,
        .places = set.places,
        .files = set.files,
        .unknown = set.unknown,
        .outside = set.outside,
        .parameters = p.parameters,
    };
    give_headers(a, &set, texts, &p.parameters, s);
    return s;
}

const CompileSource *source_open(Arena *a, const char *path, Texts options, Diag *d)
{
    size_t size = 0;
    const char *text = file_read(a, path, &size, d);
    if (!text)
        return NULL;
    const size_t mark = code_bom(text);
    return source_make(a, path, text + mark, size - mark, path_folder(a, path), options);
}

bool source_option_is_ours(const char *option)
{
    return strcmp(option, SOURCE_LIKE_NVCC) == 0 ||
           strncmp(option, SOURCE_WITHOUT_HEADER, strlen(SOURCE_WITHOUT_HEADER)) == 0 ||
           source_only_for(option);
}

const char *source_only_for(const char *option)
{
    const size_t n = strlen(SOURCE_ONLY_FOR "=");
    return strncmp(option, SOURCE_ONLY_FOR "=", n) == 0 ? option + n : NULL;
}

/* ---- one configuration --------------------------------------------------------------------- */

static Hash hash_job(const CompileSource *s, const Texts *options, const CompileSetting *setting)
{
    Hasher *h = hasher_new();
    hasher_string(h, s->hash.text);
    hasher_string(h, s->name);
    for (size_t i = 0; i < options->count; i++) {
        const char *value;
        if (option_kind(options->at[i], &value) != PATH_FOLDER)
            hasher_string(h, options->at[i]);
    }
    hasher_string(h, "names");
    for (size_t i = 0; i < setting->names.count; i++)
        hasher_string(h, setting->names.at[i]);
    return hasher_end(h);
}

/* Only the source's options may name paths, since they are followed once. */
static const char *find_unknown(Arena *a, const CompileSource *s, const CompileSetting *setting)
{
    for (size_t i = 0; i < setting->options.count && !s->unknown; i++) {
        const char *value, *option = setting->options.at[i];
        if (option_kind(option, &value) != PATH_NONE)
            return arena_printf(a, "the option %s of one configuration names a file", option);
    }
    return s->unknown;
}

CompileJob source_configure(Arena *a, const CompileSource *s, const CompileSetting *setting)
{
    Texts options = {0}, names = {0};
    VEC_PUSH(a, &options, arena_printf(a, "-arch=%s", setting->architecture));
    for (size_t i = 0; i < s->options.count; i++)
        VEC_PUSH(a, &options, s->options.at[i]);
    for (size_t i = 0; i < setting->options.count; i++)
        VEC_PUSH(a, &options, arena_string(a, setting->options.at[i]));
    VEC_EACH (const CompileDefine, d, setting->defines)
        VEC_PUSH(a, &options, arena_printf(a, "-D%s=%s", d->name, d->value));
    for (size_t i = 0; i < setting->names.count; i++)
        VEC_PUSH(a, &names, arena_string(a, setting->names.at[i]));
    return (CompileJob){
        .source = s,
        .options = options,
        .names = names,
        .hash = hash_job(s, &options, setting),
        .unknown = find_unknown(a, s, setting),
    };
}
