/* aptune init: writes a first spec for a kernel of a .cu file. */
#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/command/init_mend.h"
#include "tuner/library/where.h"
#include "tuner/run/run_parts.h"
#include "tuner/spec/kernel_types.h"
#include "tuner/spec/near_header.h"

#include <ctype.h>

typedef struct InitOptions {
    const char *kernel, *output, *arch;
    OptionTexts includes;
} InitOptions;

#define INTO(field) OPTION_INTO(InitOptions, field, 0, 0)

static const Option own_options[] = {
    {"kernel", "NAME", "which kernel (default: the first one)", INTO(kernel)},
    {"output", "FILE", "where the spec goes (default: NAME.spec beside the source)", INTO(output)},
    {"include", "DIR", "search this folder for headers, too (may be repeated)", INTO(includes)},
    {"arch", "NAME", "compile for sm_NN (default sm_90)", INTO(arch)},
};

/* --- compiling before there is a spec --------------------------------------------------------- */

enum {
    ROUNDS = 12,       /* of newly found undefined names */
    UNITS_MOST = 6,    /* files that include the kernel's */
    SOURCES_MOST = 40, /* files beside it that may launch the kernel */
    TEXT_MOST = 1 << 20,
    PATIENCE = 8, /* seconds of compiling after which no attempt starts: refusals stay near 10 s */
    PATIENCE_WHOLE = 4 /* … with the whole of a file and its headers */
};

static bool compile(InitTrying *t, bool ask, CompileResult *out, Diag *d)
{
    CompileSetting setting = {.architecture = t->arch, .names = {&t->guess.expression, 1, 0}};
    for (size_t i = 0; i < t->guess.undefined.count; i++)
        VEC_PUSH(t->arena, &setting.defines,
                 ((CompileDefine){t->guess.undefined.at[i].name, t->guess.undefined.at[i].value}));
    CompileJob *job = ARENA_NEW(t->arena, CompileJob);
    *job = source_configure(t->arena, ask ? t->asking : t->source, &setting);
    farm_add(t->farm, 0, job);
    const bool ok = farm_next(t->farm, t->arena, out, d);
    t->compiled += out->cpu_seconds > 0 ? out->cpu_seconds : out->seconds;
    return ok;
}

static bool has_time(const InitTrying *t)
{
    /* On a busy machine, wall time runs ahead of processor time. */
    return t->compiled < t->patience && clock_seconds() < t->since + 3 * PATIENCE;
}

static KernelMacro guess_of(InitTrying *t, const KernelMacros *conditions, const char *name)
{
    KernelMacro m = {.name = name};
    for (size_t i = 0; i < conditions->count; i++)
        if (conditions->at[i].condition && strcmp(conditions->at[i].name, name) == 0)
            m.cases = conditions->at[i].cases, m.value = conditions->at[i].value;
    if (!m.value)
        m.value = first_value(&t->guess, name);
    return m;
}

/* True for texture and surface references ("texture<float> name"): removed from CUDA, they are no
 * parameters. */
static bool is_reference(const InitTrying *t, const char *name)
{
    const char *text = t->host ? t->host->text : "";
    for (const char *at = text; (at = code_find_word(at, name, text)) != NULL; at++) {
        const char *start = code_blanks(code_back(text, at, ";}\n"));
        if (strncmp(start, "texture<", 8) == 0 || strncmp(start, "surface<", 8) == 0)
            return true;
    }
    return false;
}

/* Adds the names that a log calls undefined; false: no new ones. */
static bool add_undefined(InitTrying *t, const KernelMacros *conditions, const char *log)
{
    size_t before = t->guess.undefined.count;
    for (const char *name; (name = init_undefined(t, &log)) != NULL;)
        if (!init_is_maskless(name) && strcmp(name, t->guess.kernel->name) != 0 &&
            !is_reference(t, name) && code_has_word(t->text, name) &&
            !NAME_FIND(t->guess.undefined.at, t->guess.undefined.count, name, name))
            VEC_PUSH(t->arena, &t->guess.undefined, guess_of(t, conditions, name));
    return t->guess.undefined.count > before;
}

/* Chooses other numbers for undefined names where a log says that those tried do not fit; false: it does not,
 * or they were chosen before. */
static bool guess_otherwise(InitTrying *t, const char *log)
{
    const bool small = !t->guess.small && (strstr(log, "too much shared data") ||
                                           strstr(log, "static assertion failed"));
    const bool alike =
        !t->guess.alike && strstr(log, "the size of an array must be greater than zero");
    t->guess.small = t->guess.small || small;
    t->guess.alike = t->guess.alike || alike;
    return small || alike;
}

/* Compiles, and gives undefined names guesses, round by round.  Names that occur only in #if lines start
 * undefined or, if `chosen`, with the first value that they are compared with.  False if it does not compile;
 * `log` becomes the log of the first round. */
static bool try_names(InitTrying *t, bool ask, bool chosen, CompileResult *res, const char **log,
                      Diag *d)
{
    const KernelMacros known = kernel_source_macros(t->arena, t->text);
    t->guess.undefined.count = 0;
    for (size_t i = 0; chosen && i < known.count; i++)
        if (known.at[i].cases)
            VEC_PUSH(t->arena, &t->guess.undefined, guess_of(t, &known, known.at[i].name));
    if (chosen && t->guess.undefined.count == 0)
        return false;
    *log = NULL;
    for (int round = 0; round < ROUNDS; round++) {
        if (!compile(t, ask, res, d))
            return false;
        if (res->status == OUTCOME_COMPILED)
            return true;
        *log = *log ? *log : res->log;
        t->blamed = t->blamed || (ask && kernel_types_blamed(res->log));
        if (guess_otherwise(t, res->log)) {
            for (size_t i = 0; i < t->guess.undefined.count; i++)
                t->guess.undefined.at[i] = guess_of(t, &known, t->guess.undefined.at[i].name);
            continue;
        }
        /* An undefined name may come from a header that was left out. */
        if (t->guess.without_count > 0 || !add_undefined(t, &known, res->log))
            break;
    }
    return false;
}

/* Compiles the file as it stands, then with guesses for undefined names (other tuners leave their parameters
 * undefined), then without the query for types if that is what fails.  False with the log of the unchanged
 * file; NULL: after a message. */
static bool try_values(InitTrying *t, CompileResult *res, const char **log, Diag *d)
{
    const char *unused;
    *log = NULL;
    t->blamed = false;
    if (try_names(t, true, false, res, log, d))
        return true;
    if (!*log || near_header_missing(t->arena, *log) || init_failing_header(t, *log))
        return false;
    return try_names(t, true, true, res, &unused, d) ||
           (t->blamed && (try_names(t, false, false, res, log, d) ||
                          try_names(t, false, true, res, &unused, d)));
}

static void set_expression(InitTrying *t, KernelSource *k)
{
    t->guess.expression = first_expression(t->arena, k);
    Buf text = {0};
    buf_printf(&text, "%s\n", t->source->text);
    kernel_types_ask(t->guess.expression, k->parameters.count, &text);
    CompileSource *s = ARENA_NEW(t->arena, CompileSource);
    *s = *t->source;
    s->size = text.size;
    s->text = buf_keep(&text, t->arena);
    t->asking = k->parameters.count > 0 ? s : t->source;
}

/* Does the same with other types that the file mentions, for template types that no launch gives, and with
 * small numbers.  `*log` is the log of the first values. */
static bool try_others(InitTrying *t, CompileResult *res, const char **log, Diag *d)
{
    static const char *const TYPES[] = {"double", "int",           "unsigned", "half",
                                        "__half", "__nv_bfloat16", "float2",   "float3",
                                        "float4", "uchar3",        "uchar4"};
    const char *unused;
    KernelSource *k = t->guess.kernel;
    /* The log of an error that depends on the type names the instantiation. */
    const bool typed = *log && !t->guess.standard && !near_header_missing(t->arena, *log) &&
                       (strstr(*log, "detected during") || strstr(*log, "__nv_name_map"));
    for (size_t i = 0; i < COUNT_OF(TYPES) && typed && has_time(t); i++) {
        size_t changed = 0;
        for (size_t n = 0; n < k->arguments.count; n++)
            if (k->arguments.at[n].is_type && !k->arguments.at[n].launched) {
                k->arguments.at[n].initial = TYPES[i];
                changed++;
            }
        set_expression(t, k);
        if (changed && t->host && code_has_word(t->host->text, TYPES[i]) &&
            try_values(t, res, &unused, d))
            return true;
    }
    /* Recursive templates need small numbers. */
    if (!*log || !strstr(*log, "excessive recursion"))
        return false;
    for (size_t n = 0; n < k->arguments.count; n++)
        if (!k->arguments.at[n].is_type && !k->arguments.at[n].launched)
            k->arguments.at[n].initial = "4";
    set_expression(t, k);
    return try_values(t, res, &unused, d);
}

/* The path of the spec; "-": standard output, with paths as if it lay beside the source. */
static const char *output_path(Arena *a, const char *path, const InitOptions *o)
{
    const char *stem = path_stem(a, path, ""), *dot = strrchr(stem, '.');
    const char *name = path_stem(a, path, dot ? dot : "");
    return o->output ? o->output
                     : path_join(a, path_folder(a, path), arena_printf(a, "%s.spec", name));
}

/* Names the kernels that were not taken, unless the user chose. */
static const char *other_kernels(const InitTrying *t, const InitOptions *o)
{
    const char *own = t->guess.kernel->name;
    char *rest = NULL, *names = arena_string(t->arena, kernel_source_names(t->arena, t->text));
    Buf others = {0};
    for (char *name = strtok_r(names, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest))
        if (strcmp(name, own) != 0)
            buf_printf(&others, "%s%s", others.size ? ", " : "", name);
    const char *list = buf_keep(&others, t->arena);
    return *list && !o->kernel
               ? arena_printf(t->arena,
                              "  it tunes '%s'; --kernel takes another of this file: %s\n", own,
                              list)
               : "";
}

static bool write_spec(const char *to, const Buf *text, const char *others, Arena *a, Diag *d)
{
    if (strcmp(to, "-") == 0)
        return command_print_data(buf_text(text));
    if (file_exists(to))
        return diag_fail(d, "'%s' already exists; --output names another file", to);
    if (!file_write(to, buf_text(text), text->size, d))
        return false;
    return command_print_text(arena_printf(
        a, "%s: written; see the comments in it, then `aptune check %s`\n%s", to, to, others));
}

/* The first of some files that has kernels; NULL: none has. */
static const char *file_with_kernels(Arena *a, const char *const *files, size_t count,
                                     const char **names)
{
    size_t i = 0, size;
    for (*names = ""; i < count && !**names; i++) {
        const char *text = file_read(a, files[i], &size, DIAG_UNHEARD(a));
        *names = text ? kernel_source_names(a, text) : "";
    }
    return **names ? files[i - 1] : NULL;
}

static bool find_kernel(InitTrying *t, const InitOptions *o, KernelSource *k, Diag *d)
{
    Arena *a = t->arena;
    if (kernel_source_find(a, t->text, o->kernel, k))
        return true;
    const char *names = kernel_source_names(a, t->text), *there, *beside[SOURCES_MOST];
    if (*names)
        return diag_fail(d, "'%s' has no kernel '%s', but %s", t->home, o->kernel, names);
    const char *file = file_with_kernels(a, t->source->files.at, t->source->files.count, &there);
    if (file)
        return diag_fail(d, "'%s' has no kernel; '%s', which it includes, has %s: give that file",
                         t->home, file, there);
    size_t count =
        strstr(t->text, "__global__") ? near_sources(a, t->home, beside, SOURCES_MOST) : 0;
    file = file_with_kernels(a, beside, count, &there);
    if (file)
        return diag_fail(d, "'%s' only declares kernels; '%s' has the body of %s: give that file",
                         t->home, file, there);
    return diag_fail(d, "'%s' has no kernel: no function with __global__ and a body", t->home);
}

static void add_text(InitTrying *t, const char *path, HostText **last)
{
    size_t size;
    const char *text = file_read_most(t->arena, path, TEXT_MOST, &size, DIAG_UNHEARD(t->arena));
    if (!text)
        return;
    HostText *h = host_text(t->arena, path, code_bare(t->arena, text + code_bom(text)), t->host);
    if (*last)
        (*last)->next = h;
    t->host = t->host ? t->host : h;
    *last = h;
}

/* Finds a launch of the kernel in its file, in the compiled one, or in files beside them; NULL: none. */
static const LaunchSite *find_launch(InitTrying *t, const char *kernel)
{
    const char *beside[SOURCES_MOST];
    HostText *last = NULL;
    t->host = NULL;
    add_text(t, t->home, &last);
    if (t->unit != t->home)
        add_text(t, t->unit, &last);
    for (size_t i = 0; i < t->source->files.count; i++)
        add_text(t, t->source->files.at[i], &last);
    size_t count = near_sources(t->arena, t->home, beside, SOURCES_MOST);
    for (size_t i = 0; i < count; i++)
        if (strcmp(path_stem(t->arena, beside[i], ""), path_stem(t->arena, t->home, "")) != 0)
            add_text(t, beside[i], &last);
    LaunchSite *s = ARENA_NEW(t->arena, LaunchSite);
    return t->host && first_launch_find(t->host, kernel, s) ? s : NULL;
}

/* Reads the files with the include folders known so far. */
static bool open_source(InitTrying *t, const InitOptions *o, KernelSource *k, Diag *d)
{
    Arena *a = t->arena;
    Texts options = {0};
    for (size_t i = 0; i < t->guess.include_count; i++)
        VEC_PUSH(a, &options, arena_printf(a, "-I%s", t->guess.includes[i]));
    for (size_t i = 0; i < t->guess.without_count; i++)
        VEC_PUSH(a, &options, arena_printf(a, SOURCE_WITHOUT_HEADER "=%s", t->guess.without[i]));
    if (t->guess.standard)
        VEC_PUSH(a, &options, t->guess.standard);
    if (t->guess.only)
        VEC_PUSH(a, &options, arena_printf(a, SOURCE_ONLY_FOR "=%s", t->guess.only));
    for (size_t i = 0; i < t->guess.options.count; i++)
        VEC_PUSH(a, &options, t->guess.options.at[i].text);
    const CompileSource *home = source_open(a, t->home, options, d);
    t->source = home && t->unit != t->home ? source_open(a, t->unit, options, d) : home;
    t->text = home ? home->text : NULL;
    if (!t->source || !find_kernel(t, o, k, d))
        return false;
    t->guess.launch = find_launch(t, k->name);
    t->guess.texts = t->host;
    if (t->guess.launch)
        first_launch_template(t->guess.launch, k);
    /* A default is an expression in the kernel's scope: those behind the last launched one are left out. */
    const TemplateParameter *end = k->arguments.at + k->arguments.count;
    for (; k->arguments.count > 0 && end[-1].by_default && !end[-1].launched; end--)
        k->arguments.count--;
    t->guess.kernel = k;
    set_expression(t, k);
    return true;
}

/* --- headers, units --------------------------------------------------------------------------- */

/* Declares the folders of files that the unit includes from outside its own folder, so that their numbers are
 * known and their code can be emitted, as long as it compiles so. */
static bool declare_folders(InitTrying *t, const InitOptions *o, KernelSource *k,
                            CompileResult *res, Diag *d)
{
    const char *log, *here = path_folder(t->arena, t->unit);
    bool compiles = true;
    while (compiles && t->source->outside &&
           init_add_folder(&t->guess, near_folder(t->arena, here, t->source->outside)))
        compiles = open_source(t, o, k, d) && try_values(t, res, &log, d);
    if (compiles)
        return true;
    t->guess.include_count--;
    return open_source(t, o, k, d) && try_values(t, res, &log, d);
}

/* Compiles the unit, adding include folders and leaving out headers that do not exist.  False with the log
 * that says why; the log of a missing header takes precedence over its consequences.  NULL: after a
 * message. */
static bool try_headers(InitTrying *t, const InitOptions *o, KernelSource *k, CompileResult *res,
                        const char **why, Diag *d)
{
    const char *log, *folder, *missing = NULL, *first = NULL, *linked = NULL;
    bool mended;
    do {
        *why = NULL;
        if (!open_source(t, o, k, d))
            return false;
        if (try_values(t, res, &log, d))
            return declare_folders(t, o, k, res, d);
        mended = log && init_mend_options(t, log); /* saves compiles with the same log */
        if (!mended && try_others(t, res, &log, d))
            return true;
        /* Of the header that the log misses, or of the template that it is generated from. */
        const char *here = path_folder(t->arena, t->unit);
        folder = log ? near_header(t->arena, here, log) : NULL;
        const char *made_of = log && !folder ? near_header_made_of(t->arena, here, log) : NULL;
        if (made_of) {
            t->guess.made_of = path_relative(t->arena, here, made_of);
            folder = path_folder(t->arena, made_of);
        }
        missing = missing || !log || folder || !near_header_missing(t->arena, log) ? missing : log;
        /* What an option mends hid the next mistake. */
        first = mended ? NULL : first ? first : log && init_failing_header(t, log) ? log : NULL;
        linked = log && strstr(log, "Unresolved extern function") ? log : linked;
        *why = linked ? linked : missing ? missing : first ? first : log;
    } while (log && has_time(t) && (mended || init_mend_headers(t, log, folder)));
    return false;
}

/* The kernel's name and its template arguments, separated by commas. */
static const char *words_of(const InitTrying *t, const KernelSource *k)
{
    Buf b = {0};
    buf_puts(&b, k->name);
    for (size_t i = 0; i < k->arguments.count; i++)
        for (const char *at = k->arguments.at[i].launched ? k->arguments.at[i].initial : ""; *at;) {
            const Word w = code_word(at);
            if (w.length && !isdigit((unsigned char)*at))
                buf_printf(&b, ",%s", code_copy(t->arena, w));
            at += w.length ? w.length : 1;
        }
    return buf_keep(&b, t->arena);
}

/* Tries the whole file with its headers, then only what the kernel uses, then both with a newer standard than
 * nvcc's default. */
static bool try_unit(InitTrying *t, const char *unit, const InitOptions *o, KernelSource *k,
                     CompileResult *res, const char **why, Diag *d)
{
    static const struct {
        const char *standard;
        bool only;
    } WAYS[] = {{NULL, false}, {NULL, true}, {"-std=c++20", false}, {"-std=c++20", true}};
    FirstGuess *g = &t->guess;
    const char *log;
    t->unit = unit;
    g->include_count = g->include_given;
    for (size_t i = 0; i < COUNT_OF(WAYS) && (i == 0 || has_time(t)); i++) {
        g->standard = WAYS[i].standard;
        g->only = WAYS[i].only && g->kernel ? words_of(t, g->kernel) : NULL;
        g->without_count = i < 2 || g->only ? 0 : g->without_count;
        t->patience = i == 0 ? PATIENCE_WHOLE : PATIENCE;
        if (try_headers(t, o, k, res, &log, i == 0 ? d : DIAG_UNHEARD(t->arena)))
            return true;
        t->patience = PATIENCE;
        if (i == 0)
            *why = log;
        if (!log)
            return false;
    }
    return false;
}

#define SURFACES                                                                                   \
    "; CUDA 12 removed surface references, and a spec has no surfaces: give the kernel a "         \
    "pointer to what it reads and writes"
#define TEXTURES                                                                                   \
    "; CUDA 12 removed texture references: replace the one that the kernel reads by a "            \
    "'const T *' parameter or a cudaTextureObject_t"

/* What to do about the first errors of a log. */
static const char *advice(const char *errors)
{
    static const struct {
        const char *word, *advice;
    } TABLE[] = {
        {"cannot open source file", "; --include DIR names another folder of headers"},
        {"texture", TEXTURES},
        {"tex1D", TEXTURES},
        {"surf1D", SURFACES},
        {"surf2D", SURFACES},
        {"surf3D", SURFACES},
        {"Unresolved extern function",
         "; it calls device code whose body is in another file: include that file in it"},
        {"not supported on .target 'sm_",
         "; it uses instructions of another GPU: --arch sm_NN chooses one that has them"},
        {"instance of overloaded function",
         "; several kernels have this name, and a spec tells kernels apart by name only: rename "
         "the one that you mean"},
        {"instance of function template",
         "; no values were found for some template parameters: an instantiation or a launch in "
         "the file would tell them"},
    };
    for (size_t i = 0; i < COUNT_OF(TABLE); i++)
        if (strstr(errors, TABLE[i].word))
            return TABLE[i].advice;
    return "";
}

/* Compiles the file by itself, else through the files that include it, which may declare what it needs. */
static bool try_units(InitTrying *t, const InitOptions *o, KernelSource *k, CompileResult *res,
                      Diag *d)
{
    const char *why, *unused, *units[UNITS_MOST];
    if (try_unit(t, t->home, o, k, res, &why, d))
        return true;
    size_t count = why ? near_includers(t->arena, t->home, units, UNITS_MOST) : 0;
    for (size_t i = 0; i < count && has_time(t); i++) {
        if (try_unit(t, units[i], o, k, res, &unused, d))
            return true;
        const char **rest = units + count; /* indirect includers */
        count += near_includers(t->arena, units[i], rest, UNITS_MOST - count);
    }
    if (!why)
        return false;
    const char *errors = result_errors(t->arena, why), *made_of = t->guess.made_of;
    if (made_of)
        return diag_fail(
            d,
            "'%s' does not compile; the project's build generates a header from "
            "'%s': build it first and name the header's folder with --include DIR:\n%s",
            t->home, made_of, errors);
    return diag_fail(d, "'%s' does not compile%s:\n%s", t->home, advice(errors), errors);
}

/* --- sizes ------------------------------------------------------------------------------------ */

enum { REACH_MOST = 1 << 30, MEMORY_MOST = 8 }; /* bytes of a buffer; GiB of all of them */

/* The elements that the first configuration of a spec reaches beyond each buffer; NULL: the sizes are too large
 * for the grid or the memory, or scalars are wrong. */
static const int64_t *find_reach(Run *r)
{
    const int64_t *reached = run_open(r) ? run_check_reach(r) : NULL;
    double all = 0;
    for (size_t i = 0; reached && i < r->spec->argument_count; i++) {
        const Argument *g = &r->spec->arguments[i];
        const double size = (double)task_type_size(g->element);
        int64_t count = 0;
        if (g->count && !run_argument_count(r, i, &count))
            return NULL;
        all += (double)count * size;
        if ((double)reached[i] * size > REACH_MOST || all > MEMORY_MOST * 0x1p30)
            return NULL;
    }
    return reached;
}

/* Enlarges the buffers beyond whose end the first configuration reaches.  False: its sizes are too large. */
static bool size_buffers(Arena *a, const char *path, const InitOptions *o, Buf *spec)
{
    const RunOptions options = {.space = path,
                                .space_text = arena_string(a, buf_text(spec)),
                                .arch = o->arch ? o->arch : "sm_90",
                                .includes = o->includes,
                                .drawn = true};
    Run r = run_begin(a, &options, NULL, DIAG_UNHEARD(a));
    const int64_t *reached = find_reach(&r);
    const char *rest = options.space_text; /* not copied yet */
    buf_clear(spec);
    for (size_t i = 0; reached && i < r.spec->argument_count; i++) {
        if (reached[i] == 0)
            continue;
        const Span size = expr_span(r.spec->arguments[i].count);
        const char *at = options.space_text + size.offset, *end = at + size.length;
        const char *line_end = end + strcspn(end, "\n");
        buf_printf(spec, "%.*smax(%.*s, %lld)%.*s; the first configuration reaches that far",
                   (int)(at - rest), rest, (int)size.length, at, (long long)reached[i],
                   (int)(line_end - end), end);
        rest = line_end;
    }
    buf_puts(spec, rest);
    run_close(&r);
    return reached != NULL;
}

/* Writes the spec, with smaller sizes as long as the guessed ones are too large; the first text if all are.
 * What is said of the first is not said again. */
static bool write_sized(InitTrying *t, const InitOptions *o, const char *to,
                        const CompileResult *res, Buf *out, Diag *d)
{
    enum { SHRINKS_MOST = 5 };
    Arena *a = t->arena;
    const bool printed = strcmp(to, "-") == 0;
    const char *beside = printed ? output_path(a, t->home, &(InitOptions){0}) : to;
    const char *entry = res->lowered.count ? res->lowered.at[0] : t->guess.kernel->name;
    const char *first = NULL, *last = "";
    for (bool fits = false; !fits && t->guess.shrunk <= SHRINKS_MOST; t->guess.shrunk++) {
        buf_clear(out);
        if (!first_spec(a, t->unit, path_folder(a, printed ? t->home : to), &t->guess, res->ptx,
                        res->ptx_size, entry, out, first ? DIAG_UNHEARD(a) : d))
            return false;
        /* size_buffers compiles once more. */
        if (res->cpu_seconds > PATIENCE / 2) {
            buf_printf(
                out,
                "\n# decide: the sizes of buffers; they were not tried, since a compile takes "
                "%.0f s\n",
                res->cpu_seconds);
            return true;
        }
        if (strcmp(last, buf_text(out)) == 0)
            break;
        last = arena_string(a, buf_text(out));
        first = first ? first : last;
        if (size_buffers(a, beside, o, out))
            return true;
    }
    buf_clear(out);
    buf_puts(out, first);
    return true;
}

static bool init(Call *c)
{
    const InitOptions *o = c->options;
    const char *path = c->words[0];
    Arena *a = c->arena;
    Diag *d = c->diag;
    InitTrying t = {
        .arena = a, .arch = o->arch ? o->arch : "sm_90", .home = path, .since = clock_seconds()};
    KernelSource kernel;
    CompileResult res;
    FarmOptions options = {.helper = where_helper(a, NULL, "aptune-compile"),
                           .cuda_folder = where_data(a, NULL, ".cuda"),
                           .jobs = 1};
    FirstGuess *g = &t.guess;
    g->includes = ARENA_ARRAY(a, const char *, INIT_INCLUDES_MOST);
    g->without = ARENA_ARRAY(a, const char *, INIT_WITHOUT_MOST);
    for (; g->include_given < o->includes.count && g->include_given < INIT_INCLUDES_MOST;
         g->include_given++)
        g->includes[g->include_given] = o->includes.at[g->include_given];
    t.farm = farm_open(&options);
    SCOPED_BUF text = {0};
    const char *to = output_path(a, path, o);
    const bool ok = try_units(&t, o, &kernel, &res, d) && write_sized(&t, o, to, &res, &text, d);
    farm_close(t.farm);
    return ok && write_spec(to, &text, other_kernels(&t, o), a, d);
}

static InitOptions asked;

const CommandLine cmd_init = {
    .usage = "usage: aptune init FILE.cu [options]\n"
             "Writes a first spec for a kernel: parameters with values worth trying, the "
             "launch, data\nand a reference, with comments where you have to decide.\n",
    .table = {{OPTION_GROUP(own_options, &asked)}},
    .least = 1,
    .most = 1,
    .wanted = "which file? Try aptune init FILE.cu",
    .work = init,
    .options = &asked,
    .failed = EXIT_USAGE};
