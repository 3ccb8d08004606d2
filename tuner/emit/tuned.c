#include "tuner/emit/tuned.h"

#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tuner/compile/command.h"
#include "tuner/compile/host_code.h"

#include <ctype.h>
#include <string.h>

typedef VEC(const char *) Texts;

/* The options of a job by what becomes of them. */
typedef struct Parted {
    Texts defines; /* "#define BM 64", in order */
    Texts names;   /* that they define */
    Texts folders; /* -I */
    Texts toolkit; /* "-I…" of the toolkit and its libraries, which stay where they are */
    Texts forced;  /* -include */
    Texts rest;    /* to be given to a compiler again, --minimal among them */
} Parted;

/* --- options ---------------------------------------------------------------------------------- */

/* The value of an option by its short or its long name; NULL: it is another option. */
static const char *value_of(const char *option, const char *shortly, const char *name)
{
    size_t n = strlen(shortly), m = strlen(name);
    if (strncmp(option, name, m) == 0 && option[m] == '=')
        return option + m + 1;
    return strncmp(option, shortly, n) == 0 ? option + n + (option[n] == '=') : NULL;
}

/* "BM=64" to "#define BM 64" and "BM"; without a value it is 1. */
static void add_define(Arena *a, Parted *p, const char *text)
{
    size_t n = strcspn(text, "=");
    const char *value = text[n] ? text + n + 1 : "1";
    VEC_PUSH(a, &p->defines,
             arena_printf(a, "#define %.*s%s%s", (int)n, text, *value ? " " : "", value));
    VEC_PUSH(a, &p->names, arena_copy(a, text, strcspn(text, "=( ")));
}

/* Is a folder part of a CUDA toolkit, by the headers that each of them has? */
static bool is_toolkit(Arena *a, const char *folder)
{
    static const char *const headers[] = {"cuda_runtime_api.h", "cuda_fp16.h", "cub/cub.cuh",
                                          "thrust/version.h", "cuda/std/version"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (file_exists(path_join(a, folder, headers[i])))
            return true;
    return false;
}

static void part_option(Arena *a, const char *option, Parted *p)
{
    const char *value;
    if (strncmp(option, "-arch=", 6) == 0)
        return;
    if ((value = value_of(option, "-D", "--define-macro")) != NULL)
        add_define(a, p, value);
    else if ((value = value_of(option, "-U", "--undefine-macro")) != NULL)
        VEC_PUSH(a, &p->defines, arena_printf(a, "#undef %s", value));
    else if ((value = value_of(option, "-include", "--pre-include")) != NULL)
        VEC_PUSH(a, &p->forced, value);
    else if (strncmp(option, "-I", 2) == 0 && is_toolkit(a, option + 2))
        VEC_PUSH(a, &p->toolkit, option);
    else if (strncmp(option, "-I", 2) == 0) /* the source has written all forms of it so */
        VEC_PUSH(a, &p->folders, option + 2);
    else
        VEC_PUSH(a, &p->rest, option);
}

static Parted part_options(Arena *a, const CompileJob *job)
{
    Parted p = {0};
    for (size_t i = 0; i < job->option_count; i++)
        part_option(a, job->options[i], &p);
    return p;
}

/* --minimal only spares the compiler declarations, what is like nvcc nvcc does, and the headers that
 * were not here lie where the code goes. */
static const char *join_rest(Arena *a, const Parted *p)
{
    Buf b = {0};
    for (size_t i = 0; i < p->rest.count; i++)
        if (strcmp(p->rest.at[i], "--minimal") != 0 && !source_option_is_ours(p->rest.at[i]))
            buf_printf(&b, "%s%s", b.size ? " " : "", p->rest.at[i]);
    return buf_keep(&b, a);
}

/* --- the text --------------------------------------------------------------------------------- */

/* Parameters come last among the macros, see run_make_job. */
static size_t count_parameter_macros(const Spec *s)
{
    size_t n = 0;
    for (size_t p = 0; p < s->parameter_count; p++)
        n += spec_parameter_is_macro(s, p);
    return n;
}

/* A value may end in what would join the next line to it. */
static void print_define(const char *text, Buf *out)
{
    size_t n = strlen(text);
    bool joins = n > 0 && (text[n - 1] == '\\' || (n > 2 && strcmp(text + n - 3, "?\?/") == 0));
    buf_printf(out, "%s%s\n", text, joins ? " /**/" : "");
}

static void print_defines(const Spec *s, const Parted *p, Buf *out)
{
    size_t parameters = count_parameter_macros(s), first = p->defines.count - parameters;
    for (size_t i = 0; i < p->defines.count; i++) {
        if (i == 0 && first > 0)
            buf_puts(out, "/* Of the options. */\n");
        if (i == first)
            buf_printf(out, "%s/* What was tuned. */\n", i ? "\n" : "");
        print_define(p->defines.at[i], out);
    }
    if (p->defines.count > 0)
        buf_putc(out, '\n');
}

static bool inline_source(Arena *a, const Launch *l, const CompileSource *s, const Parted *p,
                          const InlineChoice *c, InlineText *out, Diag *d)
{
    const char *folder = l->command ? l->path : path_folder(a, l->path);
    IncludeQuery q = {.name = l->command ? s->name : l->path,
                      .text = s->text,
                      .size = s->size,
                      .folder = folder,
                      .folders = p->folders.at,
                      .folder_count = p->folders.count,
                      .forced = p->forced.at,
                      .forced_count = p->forced.count};
    if (!inline_includes(a, &q, c, out, d))
        return false;
    HostMarks marks = {0};
    host_marks_add(a, out->text, &marks);
    out->text = host_code_cut(a, out->text, out->size, &marks);
    return true;
}

/* Comment, constants and the rest in one. */
static void put_together(Arena *a, const Run *r, const char *comment, const char *options,
                         const Parted *p, InlineText *text)
{
    Buf b = {0};
    Texts macros = {0};
    buf_puts(&b, comment);
    if (*options)
        buf_printf(&b, "/* To be compiled with %s. */\n\n", options);
    print_defines(r->spec, p, &b);
    buf_add(&b, text->text, text->size);
    for (size_t i = 0; i < p->names.count; i++)
        VEC_PUSH(a, &macros, p->names.at[i]);
    for (size_t i = 0; i < text->macro_count; i++) {
        size_t k = 0; /* templates give their parameters values of their own when they have none */
        while (k < p->names.count && strcmp(p->names.at[k], text->macros[i]) != 0)
            k++;
        if (k == p->names.count)
            VEC_PUSH(a, &macros, text->macros[i]);
    }
    text->text = arena_copy(a, buf_text(&b), b.size);
    text->size = b.size;
    text->macros = macros.at;
    text->macro_count = macros.count;
    buf_free(&b);
}

/* What the text and the headers that it still includes are: the template's hash has those. */
static Hash text_hash(const TunedSource *t)
{
    Hasher *h = hasher_new();
    hasher_add(h, t->text.text, t->text.size);
    hasher_string(h, t->text.include_count > 0 ? t->original.source->hash.text : "");
    return hasher_end(h);
}

/* The source goes by the template's name: it is part of the code where that says __FILE__. */
static CompileJob tuned_job(Arena *a, const Run *r, const TunedSource *t, const Parted *p)
{
    CompileSource *s = ARENA_NEW(a, CompileSource);
    *s = (CompileSource){.name = t->original.source->name,
                         .text = t->text.text,
                         .size = t->text.size,
                         .options = p->toolkit.at,
                         .option_count = p->toolkit.count,
                         .hash = text_hash(t)};
    CompileSetting setting = {.architecture = run_architecture(a, r),
                              .options = p->rest.at,
                              .option_count = p->rest.count,
                              .names = (const char *const *)t->original.names,
                              .name_count = t->original.name_count};
    return source_configure(a, s, &setting);
}

bool tuned_make(Arena *a, Run *r, size_t i, size_t l, const char *comment, const InlineChoice *c,
                TunedSource *out, Diag *d)
{
    const Launch *k = &r->spec->launches[l];
    *out = (TunedSource){.expression = k->expression, .kernel = k->entry};
    if (!run_make_job(a, r, i, l, NULL, 0, &out->original))
        return false;
    Parted p = part_options(a, &out->original);
    if (k->expression)
        out->kernel = out->original.names[0];
    out->options = join_rest(a, &p);
    /* It follows from all that could be included: who does not know that cannot have written it. */
    const char *mark = arena_printf(a, "aptune_%s", out->original.source->hash.text);
    out->mark = c ? NULL : mark;
    if (!inline_source(a, k, out->original.source, &p, c ? c : &(InlineChoice){.mark = mark},
                       &out->text, d))
        return false;
    put_together(a, r, comment, out->options, &p, &out->text);
    out->job = tuned_job(a, r, out, &p);
    return true;
}

const char *const *tuned_files(Arena *a, const Run *r, size_t l, size_t *count)
{
    const Launch *k = &r->spec->launches[l];
    Texts files = {0};
    if (!k->command)
        VEC_PUSH(a, &files, k->path);
    for (size_t i = 0; r->code.sources && r->code.sources[l] && i < r->code.sources[l]->file_count;
         i++)
        VEC_PUSH(a, &files, r->code.sources[l]->files[i]);
    char **words = k->command ? command_words(a, k->file) : NULL;
    for (size_t i = 0; words && words[i]; i++) {
        const char *path = path_join(a, k->path, words[i]);
        if (file_exists(path))
            VEC_PUSH(a, &files, path);
    }
    *count = files.count;
    return files.at;
}
