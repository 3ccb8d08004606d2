/* Makes the sources and code of a unit's variants, and compares the code with what was measured. */
#include "tuner/emit/unit_make.h"

#include "metrics/base/file.h"
#include "metrics/cubin/cubin.h"
#include "tuner/compile/host_code.h"
#include "tuner/compile/yield.h"
#include "tuner/emit/c_expr.h"
#include "tuner/emit/inline.h"

/* A launch of a variant in progress.
 *
 * Its text is the source of the configuration, specialised so that it needs neither spec nor template:
 * parameters and the options' -D become a block of #define in front, and includes are inlined (inline.h),
 * except those of the CUDA toolkit.  With the remaining options, NVRTC should compile it to the same code as
 * the configuration; this is checked. */
typedef struct Item {
    const InlineChoice *choice; /* files to inline; NULL: not known yet */
    const char *mark;           /* of a text that finds out which files are compiled, else NULL */
    InlineText text;            /* macros include those of the block in front */
    CompileJob job;             /* compiles the text */
    CompileJob original_job;    /* compiles the configuration as the space does */
    CompileResult result, original;
} Item;

typedef struct Work {
    UnitMaker *maker;
    Arena *arena;
    Item *items; /* launches of all variants; only the first of those that share code is made */
    size_t launches;
} Work;

static Item *item_of(const Work *w, size_t variant, size_t launch)
{
    return &w->items[variant * w->launches + launch];
}

static const Claim *origin_claim(const UnitMaker *m, size_t variant)
{
    return &m->claims.at[m->origin[variant]];
}

/* The options of a job by kind. */
typedef struct JobOptions {
    Texts defines; /* "#define BM 64", in order */
    Texts names;   /* that they define */
    Texts folders; /* -I */
    Texts toolkit; /* "-I…" of the toolkit and its libraries, which are not inlined */
    Texts forced;  /* -include */
    Texts rest;    /* passed to the compiler again, --minimal among them */
} JobOptions;

/* --- options ---------------------------------------------------------------------------------- */

/* "BM=64" to "#define BM 64" and "BM"; the value defaults to 1. */
static void add_define(Arena *a, JobOptions *p, const char *text)
{
    size_t n = strcspn(text, "=");
    const char *value = text[n] ? text + n + 1 : "1";
    VEC_PUSH(a, &p->defines,
             arena_printf(a, "#define %.*s%s%s", (int)n, text, *value ? " " : "", value));
    VEC_PUSH(a, &p->names, arena_copy(a, text, strcspn(text, "=( ")));
}

/* True if a folder holds headers of a CUDA toolkit. */
static bool is_toolkit(Arena *a, const char *folder)
{
    static const char *const headers[] = {"cuda_runtime_api.h", "cuda_fp16.h", "cub/cub.cuh",
                                          "thrust/version.h", "cuda/std/version"};
    for (size_t i = 0; i < COUNT_OF(headers); i++)
        if (file_exists(path_join(a, folder, headers[i])))
            return true;
    return false;
}

static void sort_option(Arena *a, const char *option, JobOptions *p)
{
    const char *value;
    if (strncmp(option, "-arch=", 6) == 0)
        return;
    if ((value = option_value(option, "-D", "--define-macro")) != NULL)
        add_define(a, p, value);
    else if ((value = option_value(option, "-U", "--undefine-macro")) != NULL)
        VEC_PUSH(a, &p->defines, arena_printf(a, "#undef %s", value));
    else if ((value = option_value(option, "-include", "--pre-include")) != NULL)
        VEC_PUSH(a, &p->forced, value);
    else if (strncmp(option, "-I", 2) == 0 && is_toolkit(a, option + 2))
        VEC_PUSH(a, &p->toolkit, option);
    else if (strncmp(option, "-I", 2) == 0) /* compile/source.c writes all forms of it like this */
        VEC_PUSH(a, &p->folders, option + 2);
    else
        VEC_PUSH(a, &p->rest, option);
}

/* The options for a user.  Left out are --minimal, which only saves the compiler declarations, and options
 * that aptune adds: those that imitate nvcc, and those for missing headers. */
static const char *join_rest(Arena *a, const JobOptions *p)
{
    Buf b = {0};
    for (size_t i = 0; i < p->rest.count; i++)
        if (strcmp(p->rest.at[i], "--minimal") != 0 && !source_option_is_ours(p->rest.at[i]))
            buf_printf(&b, "%s%s", b.size ? " " : "", p->rest.at[i]);
    return buf_keep(&b, a);
}

/* --- the text --------------------------------------------------------------------------------- */

/* Parameters are the last macros, see run_make_job. */
static size_t count_parameter_macros(const Spec *s)
{
    size_t n = 0;
    for (size_t p = 0; p < s->parameter_count; p++)
        n += spec_parameter_is_macro(s, p);
    return n;
}

/* A value may end in a line continuation. */
static void print_define(const char *text, Buf *out)
{
    bool joins = text_ends_with(text, "\\") || text_ends_with(text, "?\?/");
    buf_printf(out, "%s%s\n", text, joins ? " /**/" : "");
}

static void print_defines(const Spec *s, const JobOptions *p, Buf *out)
{
    size_t parameters = count_parameter_macros(s), first = p->defines.count - parameters;
    for (size_t i = 0; i < p->defines.count; i++) {
        if (i == 0 && first > 0)
            buf_puts(out, "/* From the options. */\n");
        if (i == first)
            buf_printf(out, "%s/* Tuned parameters. */\n", i ? "\n" : "");
        print_define(p->defines.at[i], out);
    }
    if (p->defines.count > 0)
        buf_putc(out, '\n');
}

static bool inline_source(Arena *a, const Launch *l, const CompileSource *s, const JobOptions *p,
                          const InlineChoice *c, InlineText *out, Diag *d)
{
    const char *folder = l->command ? l->path : path_folder(a, l->path);
    IncludeQuery q = {.name = l->command ? s->name : l->path,
                      .text = s->text,
                      .size = s->size,
                      .folder = folder,
                      .folders = p->folders,
                      .forced = p->forced};
    if (!inline_includes(a, &q, c, out, d))
        return false;
    Texts texts = {0};
    VEC_PUSH(a, &texts, out->text);
    const HostMarks marks = host_marks(a, &texts);
    out->text = host_code_cut(a, out->text, out->size, &marks);
    out->text = definitions_yield(a, out->text, &s->parameters); /* those of headers */
    return true;
}

/* Puts the comment and the constants in front of the text. */
static void put_together(Arena *a, const Run *r, const char *comment, const char *options,
                         const JobOptions *p, InlineText *text)
{
    SCOPED_BUF b = {0};
    Texts macros = {0};
    buf_puts(&b, comment);
    if (*options)
        buf_printf(&b, "/* Compile with %s. */\n\n", options);
    print_defines(r->spec, p, &b);
    buf_add(&b, text->text, text->size);
    for (size_t i = 0; i < p->names.count; i++)
        VEC_PUSH(a, &macros, p->names.at[i]);
    for (size_t i = 0; i < text->macros.count; i++) /* templates may define their parameters, too */
        text_add_once(a, &macros, text->macros.at[i]);
    text->text = arena_copy(a, buf_text(&b), b.size);
    text->size = b.size;
    text->macros = macros;
}

/* --- the comment in front of a source --------------------------------------------------------- */

static void print_entry(const UnitMaker *m, const EmitEntry *e, Buf *out)
{
    Arena *a = m->arena;
    const char *size = spec_problem_text(a, m->unit->spec, e->problem, NULL);
    buf_printf(out, " *   %s%s%s: %.4f ms", text_comment(a, e->device), *size ? ", " : "", size,
               e->time_ms);
    if (!isnan(e->regret))
        buf_printf(out, ", %.2f %% slower than the best of the space", 100 * e->regret);
    buf_printf(out, "\n *     %s\n *     %s%s%s\n", text_comment(a, e->how),
               text_comment(a, e->recording), e->recorded[0] ? ", " : "",
               text_comment(a, e->recorded));
}

static void print_origin(const UnitMaker *m, size_t variant, size_t launch, Buf *out)
{
    const EmitUnit *u = m->unit;
    const EmitVariant *v = &u->variants[variant];
    buf_printf(
        out, "/* Kernel %s of the space %s, tuned by aptune " APTUNE_VERSION ":\n *\n *   %s\n *\n",
        text_comment(m->arena, u->spec->launches[launch].entry),
        text_comment(m->arena, u->spec->name), text_comment(m->arena, v->name));
    for (size_t i = 0; i < u->entry_count; i++)
        if (u->entries[i].variant == variant)
            print_entry(m, &u->entries[i], out);
    buf_printf(out, " *\n * For sm_%d.  The template's parameters are constants below. */\n\n",
               v->arch);
}

/* --- sources ---------------------------------------------------------------------------------- */

/* The source keeps the template's name, which the code may contain through __FILE__, and the template's
 * replacements for headers of host libraries.  The template's hash covers headers that are still included. */
static CompileJob tuned_job(Arena *a, const Run *r, const Item *it, const JobOptions *p)
{
    const CompileSource *original = it->original_job.source;
    CompileSource *s = ARENA_NEW(a, CompileSource);
    Hasher *h = hasher_new();
    hasher_add(h, it->text.text, it->text.size);
    hasher_string(h, it->text.includes.count > 0 ? original->hash.text : "");
    *s = (CompileSource){.name = original->name,
                         .text = it->text.text,
                         .size = it->text.size,
                         .headers = original->headers,
                         .options = p->toolkit,
                         .hash = hasher_end(h)};
    CompileSetting setting = {.architecture = run_architecture(a, r),
                              .options = p->rest,
                              .names = it->original_job.names};
    return source_configure(a, s, &setting);
}

/* The runs' sources are open (run_open_sources).  False after a message. */
static bool make_source(Work *w, size_t variant, size_t launch)
{
    UnitMaker *m = w->maker;
    Arena *a = m->arena;
    Run *r = origin_claim(m, variant)->run;
    const Launch *l = &r->spec->launches[launch];
    EmitCode *code = &m->unit->variants[variant].codes[launch];
    Item *it = item_of(w, variant, launch);
    SCOPED_BUF comment = {0};
    if (!run_make_job(a, r, origin_claim(m, variant)->config, launch, NULL, &it->original_job))
        return false;
    const CompileSource *original = it->original_job.source;
    JobOptions p = {0};
    for (size_t i = 0; i < it->original_job.options.count; i++)
        sort_option(a, it->original_job.options.at[i], &p);
    /* Contains a hash of all files that could be included, so that none of them can contain it. */
    it->mark = it->choice ? NULL : arena_printf(a, "aptune_%s", original->hash.text);
    const InlineChoice all = {.mark = it->mark};
    if (!inline_source(a, l, original, &p, it->choice ? it->choice : &all, &it->text, m->diag))
        return false;
    code->options = join_rest(a, &p);
    print_origin(m, variant, launch, &comment);
    put_together(a, r, buf_text(&comment), code->options, &p, &it->text);
    it->job = tuned_job(a, r, it, &p);
    code->source = it->text.text;
    code->includes = it->text.includes;
    code->macros = it->text.macros;
    code->expression = l->expression;
    code->kernel = l->expression ? it->original_job.names.at[0] : l->entry;
    return true;
}

/* Launches that share code differ only in the kernel. */
static bool make_sources(Work *w)
{
    EmitUnit *u = w->maker->unit;
    for (size_t v = 0; v < u->variant_count; v++)
        for (size_t l = 0; l < w->launches; l++) {
            EmitCode *codes = u->variants[v].codes;
            if (codes[l].shares == l && !make_source(w, v, l))
                return false;
            codes[l] = codes[codes[l].shares];
            if (!codes[l].expression)
                codes[l].kernel = u->spec->launches[l].entry;
        }
    return true;
}

/* --- compiling -------------------------------------------------------------------------------- */

/* What is compiled. */
typedef enum Which {
    WHICH_MARKED, /* sources with marks, except those that include nothing */
    WHICH_TUNED,
    WHICH_ORIGINAL /* the space's own jobs */
} Which;

typedef enum Compiling {
    COMPILING_DONE,
    COMPILING_REFUSED, /* some source does not compile */
    COMPILING_NONE     /* there is no compiler */
} Compiling;

/* Returns why the result cannot be used; NULL: it can. */
static const char *take_result(Work *w, const CompileResult *res, Which which)
{
    Arena *a = w->maker->arena;
    size_t v = (size_t)res->id / w->launches, l = (size_t)res->id % w->launches;
    Item *it = item_of(w, v, l);
    *(which == WHICH_ORIGINAL ? &it->original : &it->result) = *res;
    if (res->status == OUTCOME_COMPILED)
        return NULL;
    return arena_printf(a, "the source of '%s' does not compile here (%s): %s",
                        w->maker->unit->variants[v].name, outcome_name(res->status),
                        result_first_error(a, res->log));
}

/* Queues the launches of one variant; SIZE_MAX: of all. */
static void queue_items(Work *w, Farm *f, size_t variant, Which which)
{
    const EmitUnit *u = w->maker->unit;
    for (size_t v = 0; v < u->variant_count; v++)
        for (size_t l = 0; l < w->launches; l++)
            if ((variant == SIZE_MAX || variant == v) && u->variants[v].codes[l].shares == l) {
                const Item *it = item_of(w, v, l);
                if (which != WHICH_MARKED || it->text.files.count > 0)
                    farm_add(f, v * w->launches + l,
                             which == WHICH_ORIGINAL ? &it->original_job : &it->job);
            }
}

/* Unless all is done, *why is the reason. */
static Compiling compile_items(Work *w, size_t variant, Which which, const char **why)
{
    Run *r = w->maker->claims.at[0].run;
    Arena *a = w->maker->arena;
    Farm *f = run_open_farm(r);
    Diag quiet = diag_new(w->arena);
    CompileResult res;
    *why = NULL;
    queue_items(w, f, variant, which);
    bool ok = true;
    while (ok && !*why && farm_pending(f) > 0)
        if ((ok = farm_next(f, a, &res, &quiet)))
            *why = take_result(w, &res, which);
    if (!ok)
        *why = arena_string(a, diag_first(&quiet));
    const char *compiler = farm_compiler(f, a);
    if (compiler)
        r->code.compiler = compiler;
    farm_close(f);
    return !ok ? COMPILING_NONE : *why ? COMPILING_REFUSED : COMPILING_DONE;
}

/* The kernel's name in the code. */
static const char *entry_of(const EmitCode *c, const CompileResult *res)
{
    return c->expression && res->lowered.count > 0 ? res->lowered.at[0] : c->kernel;
}

/* --- comparing -------------------------------------------------------------------------------- */

/* The hashes of a variant's code, by launch; NULL after a message. */
static const Hash *code_hashes(const Work *w, size_t variant, bool original)
{
    Diag *d = w->maker->diag;
    Hash *hashes = ARENA_ARRAY(w->arena, Hash, w->launches);
    for (size_t l = 0; l < w->launches; l++) {
        const EmitCode *c = &w->maker->unit->variants[variant].codes[l];
        const Item *it = item_of(w, variant, c->shares);
        const CompileResult *res = original ? &it->original : &it->result;
        const char *name = entry_of(c, res);
        const Cubin *cubin = cubin_read(w->arena, res->cubin, res->cubin_size, d);
        const CubinKernel *k = cubin ? cubin_find(cubin, name) : NULL;
        if (cubin && !k)
            diag_fail(d, "'%s' has no kernel '%s'", c->kernel, name);
        if (!k)
            return NULL;
        hashes[l] = cubin_code_hash(cubin, k);
    }
    return hashes;
}

/* True if the code of a variant is that of the claim, or the claim recorded none. */
static bool is_code_of(const Work *w, const Claim *c, const Hash *hashes)
{
    for (size_t l = 0; l < w->launches; l++) {
        const Hash own = run_code_hash(c->run, c->config, l);
        if (own.text[0] && !hash_equal(&own, &hashes[l]))
            return false;
    }
    return true;
}

/* Uses the template's code if the specialised source compiles to different code, as with __LINE__.  Returns
 * the hashes of the code used; NULL after a message. */
static const Hash *use_original(Work *w, size_t variant, const Hash *hashes)
{
    const char *why;
    if (compile_items(w, variant, WHICH_ORIGINAL, &why) != COMPILING_DONE) {
        diag_fail(w->maker->diag, "%s", why);
        return NULL;
    }
    const Hash *own = code_hashes(w, variant, true);
    size_t same = 0;
    while (own && same < w->launches && hash_equal(&own[same], &hashes[same]))
        same++;
    if (!own || same == w->launches)
        return own;
    diag_warn(w->maker->diag, (Span){0},
              "the emitted source of '%s' compiles to different code than the template (it may use "
              "__LINE__ or the like): cubin and PTX are the template's",
              w->maker->unit->variants[variant].name);
    EACH (Item, it, item_of(w, variant, 0), w->launches)
        it->result = it->original;
    return own;
}

static bool refuse_stale(Work *w, size_t entry, const char *why)
{
    UnitMaker *m = w->maker;
    const Claim *c = &m->claims.at[entry];
    EmitEntry *e = &m->unit->entries[entry];
    e->stale = true;
    e->how = arena_printf(m->arena, "%s; STALE: measured with different code", e->how);
    if (m->options.accept_stale) {
        diag_warn(m->diag, (Span){0}, "'%s' is stale: %s", c->recorded_as, why);
        return true;
    }
    return diag_fail(m->diag,
                     "'%s' is stale: %s; measure the space again, or accept the recording with "
                     "--stale",
                     c->recorded_as, why);
}

/* True if the spec's sources have changed since they were measured. */
static bool sources_changed(const Claim *c)
{
    Hash now = run_source_hash(c->run);
    return c->recorded_as && c->run->recorded.times->header.source_hash[0] &&
           !run_is_imported(c->run) &&
           strcmp(now.text, c->run->recorded.times->header.source_hash) != 0;
}

static bool compare_claim(Work *w, size_t entry, const Hash *hashes)
{
    UnitMaker *m = w->maker;
    const Claim *c = &m->claims.at[entry];
    bool changed = sources_changed(c), same = is_code_of(w, c, hashes);
    if (same && changed)
        diag_warn(m->diag, (Span){0},
                  "the sources of '%s' have changed since '%s' was measured; the code of the "
                  "winner is still the same",
                  m->unit->spec->name, c->recorded_as);
    if (same || !c->recorded_as)
        return true;
    const char *name = m->unit->variants[m->unit->entries[entry].variant].name;
    const char *here = m->claims.at[0].run->code.compiler, *there = c->entry.compiler;
    const char *why = arena_printf(m->arena,
                                   "its winner, '%s', compiles to different code here than was "
                                   "measured (%s here, %s there; the sources %s)",
                                   name, here ? here : "?", *there ? there : "?",
                                   changed ? "have changed" : "are the same");
    return refuse_stale(w, entry, why);
}

static bool compare_variant(Work *w, size_t variant)
{
    UnitMaker *m = w->maker;
    const Hash *hashes = code_hashes(w, variant, false);
    if (hashes && !is_code_of(w, origin_claim(m, variant), hashes))
        hashes = use_original(w, variant, hashes);
    bool ok = hashes != NULL;
    for (size_t i = 0; i < m->unit->entry_count && ok; i++)
        ok = m->unit->entries[i].variant != variant || compare_claim(w, i, hashes);
    return ok;
}

/* The check that is possible without a compiler. */
static bool compare_sources(Work *w)
{
    for (size_t i = 0; i < w->maker->claims.count; i++)
        if (sources_changed(&w->maker->claims.at[i]) &&
            !refuse_stale(w, i,
                          "the spec's sources have changed since, and there is no compiler "
                          "to check the code"))
            return false;
    return true;
}

static bool take_code(Work *w)
{
    for (size_t v = 0; v < w->maker->unit->variant_count; v++) {
        if (!compare_variant(w, v))
            return false;
        EACH (EmitCode, c, w->maker->unit->variants[v].codes, w->launches) {
            const CompileResult *res = &item_of(w, v, c->shares)->result;
            c->entry = entry_of(c, res);
            c->cubin = res->cubin;
            c->cubin_size = res->cubin_size;
            c->ptx = res->ptx;
        }
    }
    return true;
}

static bool do_without_code(Work *w, const char *why)
{
    UnitMaker *m = w->maker;
    m->uncompiled = why;
    if (m->options.fall_back)
        m->unit->flavour = EMIT_RUNTIME;
    if (m->unit->flavour != EMIT_RUNTIME)
        return diag_fail(m->diag,
                         "%s; the flavour '%s' needs compiled code, --flavour runtime does not",
                         why, unit_flavour_name(m->unit->flavour));
    return compare_sources(w);
}

/* Makes the sources again, inlining the files that were compiled, by the marks in the PTX; `all`: every file,
 * if that is not known. */
static bool choose_files(Work *w, bool all)
{
    const size_t items = w->maker->unit->variant_count * w->launches;
    EACH (Item, it, w->items, items) {
        InlineChoice *c = ARENA_NEW(w->arena, InlineChoice);
        c->known = !all;
        for (size_t i = 0; i < it->text.files.count && !all; i++)
            if (strstr(it->result.ptx, arena_printf(w->arena, " %s_%zu;", it->mark, i)))
                VEC_PUSH(w->arena, &c->files, it->text.files.at[i]);
        it->choice = c;
    }
    return make_sources(w);
}

static bool compile_all(Work *w)
{
    const char *why;
    Compiling c = compile_items(w, SIZE_MAX, WHICH_MARKED, &why);
    if (c == COMPILING_DONE) {
        if (!choose_files(w, false))
            return false;
        c = compile_items(w, SIZE_MAX, WHICH_TUNED, &why);
    }
    if (c == COMPILING_DONE)
        return take_code(w);
    if (c == COMPILING_NONE || w->maker->options.fall_back)
        return choose_files(w, true) && do_without_code(w, why);
    return diag_fail(w->maker->diag, "%s", why);
}

bool unit_make_code(UnitMaker *m)
{
    Work w = {.maker = m, .arena = arena_new(), .launches = m->unit->spec->launch_count};
    bool ok = true;
    w.items = ARENA_ARRAY(w.arena, Item, m->unit->variant_count * w.launches);
    for (size_t i = 0; i < m->claims.count && ok; i++)
        ok = m->claims.at[i].run->code.sources || run_open_sources(m->claims.at[i].run);
    ok = ok && make_sources(&w) && compile_all(&w);
    arena_free(w.arena);
    return ok;
}
