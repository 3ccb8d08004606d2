/* The sources with the options common to all configurations, and the compile job of each launch. */
#include "metrics/base/file.h"
#include "tuner/run/run_parts.h"
#include "tuner/spec/code_text.h"

#include <stdio.h>

/* Sources printed by commands, each with its command. */
struct RunSources {
    Texts commands;
    VEC(const CompileSource *) sources;
};

const char *run_architecture(Arena *a, const Run *r)
{
    return arena_printf(a, "sm_%d", device_arch(r->device));
}

/* --- options of all configurations ------------------------------------------------------------ */

/* The text of an option with its values; NULL if its condition is false. False with ev->error if it
 * cannot be computed or the option is not allowed, which for a text with values is only known here. */
static bool text_of_option(const CompileOption *o, const Value *slots, Evaluation *ev,
                           const char **out)
{
    Value v = value_bool(true);
    *out = NULL;
    if (o->condition && !expr_eval(o->condition, slots, ev, &v))
        return false;
    if (!value_is_true(v)) /* the text may be computable only if the condition holds */
        return true;
    const char *text = spec_text_fill(&o->text, slots, ev);
    if (!text || !*text)
        return text != NULL;
    *out = text;
    const char *refusal = option_refusal(ev->arena, text);
    if (refusal) {
        ev->error = arena_printf(ev->arena, "'%s' %s", text, refusal);
        ev->error_at = o->text.at;
    }
    return !refusal;
}

static bool common_options(Run *r, Texts *out)
{
    const Value *slots = run_slots(r->arena, r, SIZE_MAX);
    Evaluation ev = {.arena = r->arena};
    bool textures = false;
    EACH (const Argument, g, r->spec->arguments, r->spec->argument_count)
        textures = textures || g->role == ARGUMENT_TEXTURE;
    /* Without declarations of textures, surfaces and cuda* types each compile takes 5 ms less
     * (measured, NVRTC 13.0), with the same code. */
    if (!textures)
        VEC_PUSH(r->arena, out, "--minimal");
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        if (spec_parameter_is_macro(r->spec, p))
            VEC_PUSH(r->arena, out,
                     arena_printf(r->arena, SOURCE_PARAMETER "%s", r->spec->parameters[p].name));
    for (size_t i = 0; i < r->spec->include_count; i++)
        VEC_PUSH(r->arena, out, arena_printf(r->arena, "-I%s", r->spec->includes[i]));
    for (size_t i = 0; i < r->options.includes.count; i++)
        VEC_PUSH(r->arena, out, arena_printf(r->arena, "-I%s", r->options.includes.at[i]));
    EACH (const CompileOption, o, r->spec->option_parts, r->spec->option_count) {
        const char *text = NULL;
        if (!o->varies && !text_of_option(o, slots, &ev, &text))
            return run_refuse(r, &ev);
        if (text)
            VEC_PUSH(r->arena, out, text);
    }
    return true;
}

/* --- sources ---------------------------------------------------------------------------------- */

static const CompileSource *earlier_source(const Run *r, size_t l)
{
    for (size_t k = 0; k < l; k++)
        if (!r->spec->launches[k].command &&
            strcmp(r->spec->launches[k].path, r->spec->launches[l].path) == 0)
            return r->code.sources[k];
    return NULL;
}

/* Counts the lines that contain a text; `line` gets the last. */
static size_t count_lines(const CompileSource *s, const char *text, int64_t *line, int64_t *last)
{
    size_t count = 0;
    int64_t at = 1;
    for (const char *p = s->text; *p; p++) {
        if (text && strncmp(p, text, strlen(text)) == 0) {
            count += count == 0 || *line != at;
            *line = at;
        }
        at += *p == '\n';
    }
    *last = at > *last ? at : *last;
    return count;
}

/* The line in which the loop ends whose keyword stands in a line of the text; 0: none does. */
static int64_t loop_end(const char *text, int64_t line)
{
    static const char loops[] = "for while do";
    const char *at = text, *const end = text + strlen(text);
    for (int64_t n = 1; n < line && *at; at++)
        n += *at == '\n';
    Word w = {0};
    for (const char *stop = code_line_end(at); at < stop && !code_among(w, loops);)
        w = code_next_word(text, &at);
    if (!code_among(w, loops))
        return 0;
    for (; *at && *at != ';'; at++) {
        const size_t quiet = code_quiet(text, at);
        const char *close = *at == '(' || *at == '{' ? code_closing(at, end) : NULL;
        if (close && *at == '{')
            return (int64_t)code_line_number(text, close);
        at = close ? close : at + (quiet ? quiet - 1 : 0);
    }
    return (int64_t)code_line_number(text, at);
}

static bool find_line(Run *r, SpecTrips *t)
{
    size_t found = 0;
    int64_t last = 0;
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        const CompileSource *s = r->code.sources[l];
        bool again = !s;
        for (size_t k = 0; k < l; k++)
            again |= r->code.sources[k] == s;
        if (again)
            continue;
        const size_t here = count_lines(s, t->text, &t->line, &last);
        const int64_t until = here || !t->text ? loop_end(s->text, t->line) : 0;
        t->last = until > t->last ? until : t->last;
        found += here;
    }
    if (t->text && found != 1)
        return diag_error(r->diag, t->at,
                          "'%s' occurs in %zu lines of the kernel's source, not in one", t->text,
                          found);
    return t->text || t->line <= last ||
           diag_error(r->diag, t->at, "the kernel's source has no line %lld: its last line is %lld",
                      (long long)t->line, (long long)last);
}

/* A SOURCE_ONLY_FOR option with all words that name launched kernels, too; any other as it is.  Values of
 * parameters have to be listed. */
static const char *with_kernels(Arena *a, const char *option, const Launch *launches, size_t count)
{
    for (size_t i = 0; i < count && source_only_for(option); i++)
        option = arena_printf(a, "%s,%s", option, launches[i].entry);
    return option;
}

/* Those of the kernels' sources. */
static bool kernel_options(Run *r, Texts *out)
{
    if (!common_options(r, out))
        return false;
    for (size_t i = 0; i < out->count; i++)
        out->at[i] = with_kernels(r->arena, out->at[i], r->spec->launches, r->spec->launch_count);
    return true;
}

bool run_open_sources(Run *r)
{
    Texts options = {0};
    if (!kernel_options(r, &options))
        return false;
    r->code.sources = ARENA_ARRAY(r->arena, const CompileSource *, r->spec->launch_count);
    r->code.made = ARENA_NEW(r->arena, struct RunSources);
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        const Launch *k = &r->spec->launches[l];
        if (k->command && !r->options.run_commands)
            return diag_error(
                r->diag, k->at,
                "a command prints this kernel; --run-commands allows aptune to run it");
        if (k->command)
            continue;
        r->code.sources[l] = earlier_source(r, l);
        if (!r->code.sources[l])
            r->code.sources[l] = source_open(r->arena, k->path, options, r->diag);
        if (!r->code.sources[l])
            return false;
    }
    EACH (SpecTrips, t, r->spec->trips, r->spec->trip_count)
        if (!find_line(r, t))
            return false;
    return true;
}

/* The source that a command prints; each command runs once. NULL after a message. */
static const CompileSource *printed_source(Run *r, const Launch *l, const char *command)
{
    struct RunSources *made = r->code.made;
    const size_t known = word_place(command, made->commands.at, made->commands.count);
    if (known != SIZE_MAX)
        return made->sources.at[known];
    size_t size = 0;
    Texts options = {0};
    const char *text = command_output(r->arena, l->path, command, &size, r->diag);
    if (!text || !kernel_options(r, &options))
        return NULL;
    const CompileSource *s = source_make(r->arena, "generated.cu", text, size, l->path, options);
    VEC_PUSH(r->arena, &made->commands, arena_string(r->arena, command));
    VEC_PUSH(r->arena, &made->sources, s);
    return s;
}

/* --- parameters that nothing uses --------------------------------------------------------------- */

static bool declares(const char *statement, const char *name)
{
    static const char word[] = "param ";
    if (strncmp(statement, word, strlen(word)) != 0)
        return false;
    const char *own = statement + strlen(word);
    own += strspn(own, " \t");
    return strcspn(own, " \t") == strlen(name) && strncmp(own, name, strlen(name)) == 0;
}

/* True if a statement other than its own `param` and, unless `required`, `require` contains the name. */
static bool spec_names(const Spec *s, const char *name, bool required)
{
    for (const char *line = s->source->text; *line;
         line += strcspn(line, "\n"), line += *line != 0) {
        char text[1024];
        const char *at = line + strspn(line, " \t");
        snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "#\n"), at);
        if (!declares(text, name) && (required || strncmp(text, "require ", 8) != 0) &&
            code_has_word(text, name))
            return true;
    }
    return false;
}

bool run_parameters_are_used(Run *r)
{
    static const char unused[] = "nothing uses '%s': neither the kernel's source nor a launch, a "
                                 "size or an option; is it misspelt?";
    bool ok = true;
    for (size_t p = 0; p < r->spec->parameter_count; p++) {
        const Parameter *q = &r->spec->parameters[p];
        bool used = !spec_parameter_is_macro(r->spec, p) || run_source_names(r, q->name);
        for (size_t l = 0; l < r->spec->launch_count && !used; l++)
            used = !r->code.sources[l];
        const bool single = r->space.values[p].count == 1;
        if (used || spec_names(r->spec, q->name, single))
            continue;
        if (single)
            diag_warn(r->diag, q->at, unused, q->name);
        else
            ok = diag_error(r->diag, q->at, unused, q->name);
    }
    return ok;
}

/* --- jobs ------------------------------------------------------------------------------------- */

static CompileDefines parameter_macros(Arena *a, const Run *r, size_t i)
{
    CompileDefines defines = {0};
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        if (spec_parameter_is_macro(r->spec, p))
            VEC_PUSH(a, &defines,
                     ((CompileDefine){r->spec->parameters[p].name,
                                      value_text(a, table_value(r->table, i, p))}));
    return defines;
}

static bool varying_options(Arena *a, const Run *r, const Value *slots, Evaluation *ev, Texts *out)
{
    EACH (const CompileOption, o, r->spec->option_parts, r->spec->option_count) {
        const char *text = NULL;
        if (o->varies && !text_of_option(o, slots, ev, &text))
            return false;
        if (text)
            VEC_PUSH(a, out, text);
    }
    return true;
}

bool run_make_job(Arena *a, Run *r, size_t i, size_t l, const char *option, CompileJob *out)
{
    const Launch *k = &r->spec->launches[l];
    const Value *slots = run_slots(a, r, i);
    Evaluation ev = {.arena = a};
    Texts all = {0};
    const char *name = NULL, *command = NULL;
    bool ok = varying_options(a, r, slots, &ev, &all);
    if (ok && k->expression)
        ok = (name = spec_text_fill(&k->name, slots, &ev)) != NULL;
    if (ok && k->command)
        ok = (command = spec_text_fill(&k->command_text, slots, &ev)) != NULL;
    if (!ok)
        return run_refuse(r, &ev);
    const CompileSource *source = command ? printed_source(r, k, command) : r->code.sources[l];
    if (!source)
        return false;
    if (option)
        VEC_PUSH(a, &all, option);
    else if (r->spec->trip_count > 0)
        VEC_PUSH(a, &all, "-lineinfo"); /* to map loops to lines */
    CompileSetting setting = {.architecture = run_architecture(a, r),
                              .defines = parameter_macros(a, r, i),
                              .options = all,
                              .names = {&name, name != NULL, 0}};
    *out = source_configure(a, source, &setting);
    return true;
}

/* --- the reference ---------------------------------------------------------------------------- */

/* True for options that affect how a source is read, not how it computes. */
static bool is_about_text(const char *option)
{
    static const char *const starts[] = {"-D",
                                         "--define-macro",
                                         "-std",
                                         "--std",
                                         "-include",
                                         "--pre-include",
                                         SOURCE_WITHOUT_HEADER};
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        if (strncmp(option, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static bool is_kernels_file(const Spec *s, const char *path)
{
    for (size_t l = 0; l < s->launch_count; l++)
        if (!s->launches[l].command && strcmp(s->launches[l].path, path) == 0)
            return true;
    return false;
}

size_t run_first_config(const Run *r)
{
    for (size_t i = 0; i < r->table->count; i++)
        if (table_fits(r->table, i))
            return i;
    return SIZE_MAX;
}

bool run_reference_job(Run *r, const Launch *l, size_t i, CompileJob *out)
{
    Texts common = {0}, options = {0};
    const Value *slots = run_slots(r->arena, r, SIZE_MAX);
    Evaluation ev = {.arena = r->arena};
    if (!common_options(r, &common))
        return false;
    for (size_t k = 0; k < common.count; k++) {
        const char *o = common.at[k];
        bool own = strncmp(o, SOURCE_PARAMETER, strlen(SOURCE_PARAMETER)) == 0 &&
                   is_kernels_file(r->spec, l->path);
        if (source_only_for(o))
            VEC_PUSH(r->arena, &options, with_kernels(r->arena, o, l, 1));
        if (own || strcmp(o, "--minimal") == 0 || strncmp(o, "-I", 2) == 0 || is_about_text(o))
            VEC_PUSH(r->arena, &options, o);
    }
    const CompileSource *source = source_open(r->arena, l->path, options, r->diag);
    const char *name = l->expression ? spec_text_fill(&l->name, slots, &ev) : NULL;
    if (l->expression && !name)
        return run_refuse(r, &ev);
    CompileSetting setting = {.architecture = run_architecture(r->arena, r),
                              .names = {&name, name != NULL, 0}};
    i = i == SIZE_MAX ? run_first_config(r) : i;
    if (is_kernels_file(r->spec, l->path) && i != SIZE_MAX)
        setting.defines = parameter_macros(r->arena, r, i);
    if (source)
        *out = source_configure(r->arena, source, &setting);
    return source != NULL;
}

/* --- identity --------------------------------------------------------------------------------- */

/* Hashes the words of a command, and the contents of those that are files. */
static void hash_command(Hasher *h, const Launch *l)
{
    SCOPED_ARENA *a = arena_new();
    char **words = command_words(a, l->file);
    for (size_t i = 0; words[i]; i++) {
        const char *path = path_join(a, l->path, words[i]);
        size_t size = 0;
        Diag d = diag_new(a);
        hasher_string(h, words[i]);
        const char *text = file_exists(path) ? file_read(a, path, &size, &d) : NULL;
        if (text)
            hasher_add(h, text, size);
    }
}

Hash run_source_hash(const Run *r)
{
    SCOPED_ARENA *a = arena_new();
    Hasher *h = hasher_new();
    hasher_string(h, run_architecture(a, r));
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        if (r->code.sources[l])
            hasher_string(h, r->code.sources[l]->hash.text);
        else
            hash_command(h, &r->spec->launches[l]);
        hasher_string(h, r->spec->launches[l].entry);
    }
    EACH (const CompileOption, o, r->spec->option_parts, r->spec->option_count) {
        hasher_string(h, o->text.written);
        if (!o->condition)
            continue;
        Span at = expr_span(o->condition);
        hasher_add(h, at.source->text + at.offset, at.length);
    }
    return hasher_end(h);
}
