/* NAME.h: the interface of an emitted unit, the same in all flavours. */
#include "tuner/emit/code_parts.h"
#include "tuner/space/geometry.h"

#include <inttypes.h>
#include <math.h>

/* --- entries and variants --------------------------------------------------------------------- */

/* The sizes that a variant is restricted to, if it is. */
static void write_served(const Code *c, const CodeVariant *v, Buf *out)
{
    const bool *only = v->tuned_size_only ? NULL : v->variant->fixed;
    const char *text = spec_problem_text(c->arena, c->spec, v->variant->slots, only);
    if (!*text)
        return;
    buf_printf(out, " *     serves only %s, ", text_comment(c->arena, text));
    if (v->why)
        buf_printf(out, "since C cannot express: %s\n", text_comment(c->arena, v->why));
    else
        buf_puts(out, "which its code was compiled for\n");
}

/* A line about the origin, unless the text is empty. */
static void write_fact(const Code *c, const char *what, const char *text, Buf *out)
{
    if (text && *text)
        buf_printf(out, " *     %-10s %s\n", what, text_comment(c->arena, text));
}

/* "M=4096 N=4096" in a comment. */
static const char *size_text(const Code *c, const Value *problem)
{
    const char *text = spec_problem_text(c->arena, c->spec, problem, NULL);
    return *text ? text_comment(c->arena, text) : "the only size";
}

static void write_entry(const Code *c, size_t i, Buf *out)
{
    const EmitEntry *e = &c->unit->entries[i];
    SCOPED_BUF text = {0};
    buf_printf(out, " *\n * %zu. %s on %s (sm_%d): variant %zu%s\n", i + 1,
               size_text(c, e->problem), text_comment(c->arena, e->device), e->arch, e->variant + 1,
               e->is_default ? ", the default" : "");
    if (!isnan(e->time_ms))
        buf_printf(&text, "%.6g ms, median", e->time_ms);
    if (!isnan(e->regret))
        buf_printf(&text, "; %.2f %% slower than the best of the whole space", 100 * e->regret);
    write_fact(c, "time", buf_text(&text), out);
    write_fact(c, "measured", e->how, out);
    write_fact(c, "recording", e->recording, out);
    write_fact(c, "recorded", e->recorded, out);
    write_fact(c, "driver", e->driver, out);
    write_fact(c, "compiler", e->compiler, out);
    write_fact(c, "aptune", e->version, out);
    if (e->stale)
        write_fact(c, "stale", "the measured code was not this variant's", out);
}

static void write_variant(const Code *c, size_t i, Buf *out)
{
    const CodeVariant *v = &c->variants[i];
    buf_printf(out, " *\n * Variant %zu, for sm_%d: %s\n", i + 1, v->variant->arch,
               text_comment(c->arena, v->variant->name));
    EACH (const EmitCode, code, v->variant->codes, c->spec->launch_count)
        buf_printf(out, " *     %s%s%s\n", text_comment(c->arena, code->kernel),
                   *code->options ? ", compiled with " : "", text_comment(c->arena, code->options));
    write_served(c, v, out);
}

static void write_top(const Code *c, Buf *out)
{
    buf_printf(out, "/* %s.h: %s, tuned by aptune %s.\n", c->unit->name,
               text_comment(c->arena, c->spec->name), APTUNE_VERSION);
    for (size_t i = 0; i < c->unit->entry_count; i++)
        write_entry(c, i, out);
    for (size_t i = 0; i < c->unit->variant_count; i++)
        write_variant(c, i, out);
    buf_puts(out, " */\n");
}

/* --- types ------------------------------------------------------------------------------------ */

static void write_problem_type(const Code *c, Buf *out)
{
    buf_printf(out, "typedef struct %sproblem {\n", c->prefix);
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        const CRange r = c->names[i].range;
        if (code_problem_is_real(c, i))
            buf_printf(out, "    double %s;\n", c->problem_fields[i]);
        else
            buf_printf(out, "    long long %s; /* from %.0f to %.0f */\n", c->problem_fields[i],
                       r.low, r.high);
    }
    if (c->spec->problem_name_count == 0)
        buf_puts(out, "    int none; /* there is only one size */\n");
    buf_printf(out, "} %sproblem;\n", c->prefix);
}

static const char *role_of(const Argument *g)
{
    static const char *const names[] = {[ARGUMENT_IN] = "in",
                                        [ARGUMENT_OUT] = "out",
                                        [ARGUMENT_INOUT] = "in and out",
                                        [ARGUMENT_SCALAR] = "number",
                                        [ARGUMENT_SCRATCH] = "scratch that you fill",
                                        [ARGUMENT_CONSTANT] =
                                            "for the device variable of that name",
                                        [ARGUMENT_TEXTURE] = "texture object"};
    return names[g->role];
}

/* "float[M * K], in" */
static void write_meaning(const Code *c, const Argument *g, Buf *out)
{
    buf_puts(out, argument_type_text(c->arena, g));
    if (g->count)
        buf_printf(out, "[%s]", text_comment_span(c->arena, expr_span(g->count)));
    buf_printf(out, ", %s", role_of(g));
    if (g->contents.kind == CONTENTS_KEPT)
        buf_puts(out,
                 ": zero it before the first launch, then leave it alone; one launch at a time");
    if (g->role == ARGUMENT_SCALAR)
        buf_printf(out, "; tuned with %s", text_comment_span(c->arena, expr_span(g->value)));
    if (g->role == ARGUMENT_OUT && g->contents.kind == CONTENTS_ZERO)
        buf_puts(out, "; set to zero before each launch");
    else if (g->role == ARGUMENT_OUT && g->contents.kind != CONTENTS_UNDEFINED)
        buf_puts(out, "; its contents before a launch matter");
}

/* The type that a pointer of the interface points to; "void" if plain C lacks it. */
static const char *pointee(TaskType t)
{
    return t.lanes > 1 || task_scalar_in_c(t.scalar) != t.scalar ? "void" : text_scalar(t.scalar);
}

static void write_field(const Code *c, size_t i, Buf *out)
{
    const Argument *g = &c->spec->arguments[i];
    if (g->role == ARGUMENT_SCALAR) {
        buf_puts(out, "    ");
        text_number(g, c->fields[i], out);
    } else if (g->role == ARGUMENT_TEXTURE) {
        buf_printf(out, "    unsigned long long %s", c->fields[i]);
    } else {
        const bool read = g->role == ARGUMENT_IN || g->role == ARGUMENT_CONSTANT;
        buf_printf(out, "    %s%s *%s", read ? "const " : "", pointee(g->element), c->fields[i]);
    }
    buf_puts(out, "; /* ");
    write_meaning(c, g, out);
    buf_puts(out, " */\n");
}

static void write_arguments_type(const Code *c, Buf *out)
{
    bool any = c->has_scratch;
    if (c->has_constants)
        buf_puts(out,
                 "/* Each launch writes the device variables, which all launches share: launches "
                 "that may run\n * concurrently, in several streams, must give them the same "
                 "contents. */\n");
    buf_printf(out, "typedef struct %sarguments {\n", c->prefix);
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (c->fields[i]) {
            write_field(c, i, out);
            any = true;
        }
    if (c->has_scratch)
        buf_printf(out, "    void *scratch; /* %sscratch_bytes, aligned to 256 bytes */\n",
                   c->prefix);
    buf_puts(out, any ? "" : "    int none;\n");
    buf_printf(out, "} %sarguments;\n", c->prefix);
}

/* --- optional functions ----------------------------------------------------------------------- */

static void declare_work(const Code *c, const char *name, const char *what, const Expr *e, Buf *out)
{
    if (code_work_is_expressible(c, e))
        buf_printf(out,
                   "\n/* %s per launch: %s; 0 for an invalid size */\n"
                   "double %s%s(const %sproblem *problem);\n",
                   what, text_comment_span(c->arena, expr_span(e)), c->prefix, name, c->prefix);
}

static void write_more(const Code *c, Buf *out)
{
    const Spec *s = c->spec;
    for (size_t i = 0; i < s->argument_count; i++)
        if (code_counts_by_variant(c, i))
            buf_printf(
                out,
                "\n/* Elements of `%s` for a variant that is valid for the size; variant 0: the "
                "most that any valid\n * variant needs. */\n"
                "long long %s%s_elements(int variant, const %sproblem *problem);\n",
                c->fields[i], c->prefix, s->arguments[i].name, c->prefix);
    declare_work(c, "flop", "Floating-point operations", s->work[OBJECTIVE_FLOP], out);
    declare_work(c, "bytes", "Minimum bytes moved", s->work[OBJECTIVE_BYTES], out);
    declare_work(c, "items", "Items processed", s->work[OBJECTIVE_ITEMS], out);
}

/* --- macros ----------------------------------------------------------------------------------- */

static void define_shape(const Code *c, const CodeVariant *v, size_t launch, const Geometry *g,
                         Buf *out)
{
    const char *end = c->spec->launch_count == 1
                          ? arena_printf(c->arena, "%zu", v->number)
                          : arena_printf(c->arena, "%zu_%zu", v->number, launch + 1);
    buf_printf(out,
               "#define %sGRID_%s {%" PRId64 ", %" PRId64 ", %" PRId64 "}\n"
               "#define %sBLOCK_%s {%" PRId64 ", %" PRId64 ", %" PRId64 "}\n"
               "#define %sSHARED_BYTES_%s %" PRId64 "\n",
               c->capitals, end, g->grid[0], g->grid[1], g->grid[2], c->capitals, end, g->block[0],
               g->block[1], g->block[2], c->capitals, end, g->shared);
}

/* The launches of a variant at the size it was tuned for. */
static void define_variant(const Code *c, const CodeVariant *v, Buf *out)
{
    buf_printf(out, "\n/* Variant %zu, and its launches at %s */\n#define %sPARAMETERS_%zu %s\n",
               v->number, size_text(c, v->variant->slots), c->capitals, v->number,
               text_quoted(c->arena, v->variant->name));
    const size_t size = spec_slot_count(c->spec) * sizeof(Value);
    Value *slots = arena_keep(c->arena, v->variant->slots, size);
    for (size_t l = 0; l < c->spec->launch_count; l++) {
        Evaluation ev = {.arena = c->arena};
        Geometry g;
        if (!c->spec->launches[l].repeat_name &&
            geometry_resolve(&c->spec->launches[l], slots, &ev, &g))
            define_shape(c, v, l, &g, out);
    }
}

static void write_macros(const Code *c, Buf *out)
{
    buf_printf(out,
               "/* The generator, and the table sizes. */\n#define %sVERSION \"aptune %s\"\n"
               "#define %sENTRY_COUNT %zu\n#define %sVARIANT_COUNT %zu\n",
               c->capitals, APTUNE_VERSION, c->capitals, c->unit->entry_count, c->capitals,
               c->unit->variant_count);
    for (size_t i = 0; i < c->unit->variant_count; i++)
        define_variant(c, &c->variants[i], out);
}

bool emit_text_header(const EmitUnit *u, Buf *out, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    Diag silent = diag_new(a); /* emit_text_unit gives the same warnings */
    const Code *c = code_open(a, u, u->entry_count ? &silent : d);
    if (c) {
        const PatternText texts[] = {{"top", code_text(c, write_top), NULL},
                                     {"facts", code_text(c, write_macros), NULL},
                                     {"problem", code_text(c, write_problem_type), NULL},
                                     {"arguments", code_text(c, write_arguments_type), NULL},
                                     {"more", code_text(c, write_more), NULL}};
        pattern_fill("unit.h", u->prefix, texts, COUNT_OF(texts), out);
    }
    return c != NULL;
}
