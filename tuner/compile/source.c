#include "tuner/compile/source.h"

#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tuner/compile/host_code.h"
#include "tuner/compile/include.h"
#include "tuner/compile/reached.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(const char *) Texts;

/* Options that name a file or folder, see allowed.c. */
typedef enum PathKind {
    PATH_NONE,
    PATH_FOLDER, /* -I */
    PATH_FORCED  /* -include */
} PathKind;

static const struct {
    const char *name;
    PathKind kind;
} PATH_OPTIONS[] = {
    {"-I", PATH_FOLDER},
    {"--include-path", PATH_FOLDER},
    {"-include", PATH_FORCED},
    {"--pre-include", PATH_FORCED},
};

/* What kind of path an option gives; `value` is what follows the name and '='. */
static PathKind option_kind(const char *option, const char **value)
{
    for (size_t i = 0; i < sizeof PATH_OPTIONS / sizeof *PATH_OPTIONS; i++) {
        size_t n = strlen(PATH_OPTIONS[i].name);
        if (strncmp(option, PATH_OPTIONS[i].name, n) != 0 || (i > 0 && option[n] != '='))
            continue;
        *value = option + n + (option[n] == '=');
        return PATH_OPTIONS[i].kind;
    }
    return PATH_NONE;
}

/* ---- the options that all configurations share --------------------------------------------- */

/* The helper runs in another folder. */
static const char *absolute(Arena *a, const char *path)
{
    char whole[PATH_MAX];
    return arena_string(a, realpath(path, whole) ? whole : path);
}

typedef struct Paths {
    Texts options; /* rewritten */
    Texts folders;
    Texts forced;
    Texts parameters; /* names that #defines yield to */
    const char *only; /* names that all is read for; NULL: all is read */
} Paths;

static void add_include_folder(Arena *a, Paths *p, const char *folder)
{
    const char *whole = absolute(a, folder);
    VEC_PUSH(a, &p->folders, whole);
    VEC_PUSH(a, &p->options, arena_printf(a, "-I%s", whole));
}

static Paths read_options(Arena *a, const char *folder, const char *const *options, size_t count)
{
    Paths p = {0};
    add_include_folder(a, &p, folder);
    for (size_t i = 0; i < count; i++) {
        const char *value;
        PathKind kind = option_kind(options[i], &value);
        if (kind == PATH_FOLDER)
            add_include_folder(a, &p, value);
        else if (strncmp(options[i], SOURCE_PARAMETER, strlen(SOURCE_PARAMETER)) == 0)
            VEC_PUSH(a, &p.parameters, arena_string(a, options[i] + strlen(SOURCE_PARAMETER)));
        else
            VEC_PUSH(a, &p.options, arena_string(a, options[i]));
        if (kind == PATH_NONE &&
            strncmp(options[i], SOURCE_ONLY_FOR "=", strlen(SOURCE_ONLY_FOR) + 1) == 0)
            p.only = arena_string(a, options[i] + strlen(SOURCE_ONLY_FOR) + 1);
        if (kind == PATH_FORCED)
            VEC_PUSH(a, &p.forced, arena_string(a, value));
    }
    return p;
}

/* Marks of device code may be macros of the files that are included. */
static HostMarks find_marks(Arena *a, const char *text, const IncludeSet *set)
{
    HostMarks marks = {0};
    for (size_t i = 0; i < set->file_count; i++)
        host_marks_add(a, set->texts[i], &marks);
    host_marks_add(a, text, &marks);
    return marks;
}

/* The source (the last) and the files that it includes without host code, and without what is not
 * wanted. */
static const char **cut_all(Arena *a, const char *text, size_t size, const IncludeSet *set,
                            const Paths *p)
{
    const HostMarks marks = find_marks(a, text, set);
    const char **texts = ARENA_ARRAY(a, const char *, set->file_count + 1);
    for (size_t i = 0; i < set->file_count; i++)
        texts[i] = host_code_cut(a, set->texts[i], strlen(set->texts[i]), &marks);
    texts[set->file_count] = host_code_cut(a, text, size, &marks);
    if (p->only)
        reached_cut(a, texts, set->file_count + 1, p->only);
    return texts;
}

/* Where one of the files included has something cut, all are given by name, since one that has no
 * folder finds no neighbours. */
static void give_headers(Arena *a, const IncludeSet *set, const char **texts,
                         const Texts *parameters, CompileSource *s)
{
    bool differ = false, yields = false;
    for (size_t i = 0; i < set->file_count; i++) {
        const char *cut = texts[i];
        texts[i] = macros_yield(a, cut, parameters->at, parameters->count);
        yields = yields || texts[i] != cut;
        differ = differ || texts[i] != set->texts[i];
    }
    if (yields) /* the hash was of what the files hold */
        s->hash = hash_bytes(s->hash.text, strlen(s->hash.text));
    Texts headers = {0};
    for (size_t i = 0; differ && i < set->name_count; i++) {
        if (set->names[i].several)
            continue;
        const char **text = &texts[set->names[i].file];
        VEC_PUSH(a, &headers, set->names[i].name);
        VEC_PUSH(a, &headers, *text);
        *text = arena_printf(a, "#include \"%s\"\n", set->names[i].name); /* by other names */
    }
    s->headers = headers.at;
    s->header_count = headers.count / 2;
}

/* Headers may use the types that --minimal leaves out. */
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
                                 const char *folder, const char *const *options,
                                 size_t option_count)
{
    const char *given = text;
    Paths p = read_options(a, folder, options, option_count);
    IncludeQuery query = {
        .name = name,
        .text = text,
        .size = size,
        .folder = absolute(a, folder),
        .folders = p.folders.at,
        .folder_count = p.folders.count,
        .forced = p.forced.at,
        .forced_count = p.forced.count,
    };
    IncludeSet set = include_follow(a, &query);
    const char **texts = cut_all(a, text, size, &set, &p);
    text = texts[set.file_count];
    query.text = text = macros_yield(a, text, p.parameters.at, p.parameters.count);
    if (host_code_expects_headers(text))
        write_for_nvcc(a, &p.options);
    if (text != given)
        set = include_follow(a, &query);
    CompileSource *s = ARENA_NEW(a, CompileSource);
    *s = (CompileSource){
        .name = path_stem(a, name, ""),
        .text = text,
        .size = size,
        .options = p.options.at,
        .option_count = p.options.count,
        .hash = set.hash,
        .places = set.places,
        .files = set.files,
        .file_count = set.file_count,
        .unknown = set.unknown,
    };
    give_headers(a, &set, texts, &p.parameters, s);
    return s;
}

const CompileSource *source_open(Arena *a, const char *path, const char *const *options,
                                 size_t option_count, Diag *d)
{
    size_t size = 0;
    const char *text = file_read(a, path, &size, d);
    if (!text)
        return NULL;
    return source_make(a, path, text, size, path_folder(a, path), options, option_count);
}

bool source_option_is_ours(const char *option)
{
    return strcmp(option, SOURCE_LIKE_NVCC) == 0 ||
           strncmp(option, SOURCE_WITHOUT_HEADER, strlen(SOURCE_WITHOUT_HEADER)) == 0 ||
           strncmp(option, SOURCE_ONLY_FOR, strlen(SOURCE_ONLY_FOR)) == 0;
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
    for (size_t i = 0; i < setting->name_count; i++)
        hasher_string(h, setting->names[i]);
    return hasher_end(h);
}

/* Paths belong into the options of the source, where they are followed once. */
static const char *find_unknown(Arena *a, const CompileSource *s, const CompileSetting *setting)
{
    for (size_t i = 0; i < setting->option_count && !s->unknown; i++) {
        const char *value;
        if (option_kind(setting->options[i], &value) != PATH_NONE)
            return arena_printf(a, "the option %s of one configuration names a file",
                                setting->options[i]);
    }
    return s->unknown;
}

CompileJob source_configure(Arena *a, const CompileSource *s, const CompileSetting *setting)
{
    Texts options = {0}, names = {0};
    VEC_PUSH(a, &options, arena_printf(a, "-arch=%s", setting->architecture));
    for (size_t i = 0; i < s->option_count; i++)
        VEC_PUSH(a, &options, s->options[i]);
    for (size_t i = 0; i < setting->option_count; i++)
        VEC_PUSH(a, &options, arena_string(a, setting->options[i]));
    for (size_t i = 0; i < setting->define_count; i++)
        VEC_PUSH(a, &options,
                 arena_printf(a, "-D%s=%s", setting->defines[i].name, setting->defines[i].value));
    for (size_t i = 0; i < setting->name_count; i++)
        VEC_PUSH(a, &names, arena_string(a, setting->names[i]));
    return (CompileJob){
        .source = s,
        .options = options.at,
        .option_count = options.count,
        .names = names.at,
        .name_count = names.count,
        .hash = hash_job(s, &options, setting),
        .unknown = find_unknown(a, s, setting),
    };
}
