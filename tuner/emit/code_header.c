/* NAME.h: the interface of an emitted unit, the same in all flavours. */
#include "tuner/emit/unit.h"
#include "tuner/emit/code_parts.h"
#include "tuner/space/geometry.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- what is inside --------------------------------------------------------------------------- */

/* The numbers of a problem; `only` (NULL: all) says which. */
static void write_problem(const Code *c, const Value *problem, const bool *only, Buf *out)
{
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        if (only && !only[i])
            continue;
        buf_printf(out, "%s%s=", out->size ? " " : "", c->spec->problem_names[i]);
        value_print_bare(problem[i], out);
    }
    if (c->spec->problem_name_count == 0)
        buf_puts(out, "the one size");
}

/* Which sizes a variant serves alone, where there is something to say. */
static void write_served(const Code *c, const CodeVariant *v, Buf *out)
{
    Buf text = {0};
    if (c->spec->problem_name_count > 0)
        write_problem(c, v->variant->slots, v->tuned_size_only ? NULL : v->variant->fixed, &text);
    if (text.size > 0) {
        buf_puts(out, " *     serves ");
        text_comment(out, buf_text(&text));
        buf_puts(out, v->why ? " alone, since C has no words for "
                             : " alone: its code was compiled for it\n");
        if (v->why) {
            text_comment(out, v->why);
            buf_putc(out, '\n');
        }
    }
    buf_free(&text);
}

/* A line of the origin, unless nothing is known. */
static void write_fact(const char *what, const char *text, Buf *out)
{
    if (!text || !*text)
        return;
    buf_printf(out, " *     %-10s ", what);
    text_comment(out, text);
    buf_putc(out, '\n');
}

static void write_entry(const Code *c, size_t i, Buf *out)
{
    const EmitEntry *e = &c->unit->entries[i];
    Buf text = {0};
    write_problem(c, e->problem, NULL, &text);
    buf_printf(out, " *\n * %zu. ", i + 1);
    text_comment(out, buf_text(&text));
    buf_puts(out, " on ");
    text_comment(out, e->device);
    buf_printf(out, " (sm_%d): variant %zu%s\n", e->arch, e->variant + 1,
               e->is_default ? ", the default" : "");
    buf_clear(&text);
    if (!isnan(e->time_ms))
        buf_printf(&text, "%.6g ms, median", e->time_ms);
    if (!isnan(e->regret))
        buf_printf(&text, "; %.2f %% above the best of the whole space", 100 * e->regret);
    write_fact("time", buf_text(&text), out);
    write_fact("measured", e->how, out);
    write_fact("recording", e->recording, out);
    write_fact("recorded", e->recorded, out);
    write_fact("driver", e->driver, out);
    write_fact("compiler", e->compiler, out);
    write_fact("aptune", e->version, out);
    if (e->stale)
        write_fact("stale", "what was measured was other code than the variant's", out);
    buf_free(&text);
}

static void write_variant(const Code *c, size_t i, Buf *out)
{
    const CodeVariant *v = &c->variants[i];
    buf_printf(out, " *\n * Variant %zu, for sm_%d: ", i + 1, v->variant->arch);
    text_comment(out, v->variant->name);
    buf_putc(out, '\n');
    for (size_t l = 0; l < c->spec->launch_count; l++) {
        const EmitCode *code = &v->variant->codes[l];
        buf_puts(out, " *     ");
        text_comment(out, code->kernel);
        if (*code->options) {
            buf_puts(out, ", compiled with ");
            text_comment(out, code->options);
        }
        buf_putc(out, '\n');
    }
    write_served(c, v, out);
}

static void write_top(const Code *c, Buf *out)
{
    buf_printf(out, "/* %s.h: ", c->unit->name);
    text_comment(out, c->spec->name);
    buf_printf(out, " as aptune %s tuned it.\n", APTUNE_VERSION);
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
        buf_puts(out, "    int none; /* there is one size only */\n");
    buf_printf(out, "} %sproblem;\n", c->prefix);
}

static void write_elements(const Expr *count, Buf *out)
{
    const Span at = expr_span(count);
    buf_putc(out, '[');
    text_comment_part(out, at.source->text + at.offset, at.length);
    buf_putc(out, ']');
}

static const char *role_of(const Argument *g)
{
    static const char *const names[] = {[ARGUMENT_IN] = "in",
                                        [ARGUMENT_OUT] = "out",
                                        [ARGUMENT_INOUT] = "in and out",
                                        [ARGUMENT_SCALAR] = "number",
                                        [ARGUMENT_SCRATCH] = "scratch, with contents of your own",
                                        [ARGUMENT_CONSTANT] =
                                            "for the device's variable of that name",
                                        [ARGUMENT_TEXTURE] = "texture object"};
    return names[g->role];
}

/* "float[M * K], in" */
static void write_meaning(const Argument *g, Buf *out)
{
    argument_type_print(g, out);
    if (g->count)
        write_elements(g->count, out);
    buf_printf(out, ", %s", role_of(g));
    if (g->contents.kind == CONTENTS_KEPT)
        buf_puts(out, ": zero before the first launch, then left alone; for one launch at a time");
    if (g->role == ARGUMENT_SCALAR) {
        const Span at = expr_span(g->value);
        buf_puts(out, "; tuned with ");
        text_comment_part(out, at.source->text + at.offset, at.length);
    }
    if (g->role == ARGUMENT_OUT && g->contents.kind == CONTENTS_ZERO)
        buf_puts(out, "; set to zero before each launch");
    else if (g->role == ARGUMENT_OUT && g->contents.kind != CONTENTS_UNDEFINED)
        buf_puts(out, "; what it holds before a launch matters");
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
        buf_printf(out, "    %s%s *%s", read ? "const " : "", text_pointee(g->element),
                   c->fields[i]);
    }
    buf_puts(out, "; /* ");
    write_meaning(g, out);
    buf_puts(out, " */\n");
}

static void write_arguments_type(const Code *c, Buf *out)
{
    bool any = c->has_scratch;
    if (c->has_constants)
        buf_puts(out,
                 "/* Variables of the device are written before each launch, and are the code's "
                 "own: launches that\n * may run at the same time, in several streams, must give "
                 "them the same contents. */\n");
    buf_printf(out, "typedef struct %sarguments {\n", c->prefix);
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (c->fields[i]) {
            write_field(c, i, out);
            any = true;
        }
    if (c->has_scratch)
        buf_printf(out, "    void *scratch; /* of %sscratch_bytes, aligned to 256 bytes */\n",
                   c->prefix);
    buf_puts(out, any ? "" : "    int none;\n");
    buf_printf(out, "} %sarguments;\n", c->prefix);
}

/* --- functions that not every unit has -------------------------------------------------------- */

static void declare_work(const Code *c, const char *name, const char *what, const Expr *e, Buf *out)
{
    if (!code_work_is_expressible(c, e))
        return;
    const Span at = expr_span(e);
    buf_printf(out, "\n/* %s of a launch: ", what);
    text_comment_part(out, at.source->text + at.offset, at.length);
    buf_printf(out, "; 0 for what is no size */\ndouble %s%s(const %sproblem *problem);\n",
               c->prefix, name, c->prefix);
}

static void write_more(const Code *c, Buf *out)
{
    const Spec *s = c->spec;
    for (size_t i = 0; i < s->argument_count; i++)
        if (code_counts_by_variant(c, i))
            buf_printf(
                out,
                "\n/* Elements of `%s` for a variant that is valid for the size; for variant 0 "
                "the most of any\n * that is. */\n"
                "long long %s%s_elements(int variant, const %sproblem *problem);\n",
                c->fields[i], c->prefix, s->arguments[i].name, c->prefix);
    declare_work(c, "flop", "Floating-point operations", s->work_flop, out);
    declare_work(c, "bytes", "Bytes moved at least", s->work_bytes, out);
    declare_work(c, "items", "Items worked on", s->work_items, out);
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

/* The launches of a variant at the size that it was tuned for. */
static void define_variant(const Code *c, const CodeVariant *v, Buf *out)
{
    Buf text = {0};
    write_problem(c, v->variant->slots, NULL, &text);
    buf_printf(out, "\n/* Variant %zu, with its launches at ", v->number);
    text_comment(out, buf_text(&text));
    buf_printf(out, " */\n#define %sPARAMETERS_%zu ", c->capitals, v->number);
    text_string(out, v->variant->name);
    buf_putc(out, '\n');
    Value *slots = ARENA_ARRAY(c->arena, Value, spec_slot_count(c->spec));
    memcpy(slots, v->variant->slots, spec_slot_count(c->spec) * sizeof *slots);
    for (size_t l = 0; l < c->spec->launch_count; l++) {
        Evaluation ev = {.arena = c->arena};
        Geometry g;
        if (!c->spec->launches[l].repeat_name &&
            geometry_resolve(&c->spec->launches[l], slots, &ev, &g))
            define_shape(c, v, l, &g, out);
    }
    buf_free(&text);
}

static void write_macros(const Code *c, Buf *out)
{
    buf_printf(out,
               "/* What made it, and what it has. */\n#define %sVERSION \"aptune %s\"\n"
               "#define %sENTRY_COUNT %zu\n#define %sVARIANT_COUNT %zu\n",
               c->capitals, APTUNE_VERSION, c->capitals, c->unit->entry_count, c->capitals,
               c->unit->variant_count);
    for (size_t i = 0; i < c->unit->variant_count; i++)
        define_variant(c, &c->variants[i], out);
}

bool emit_text_header(const EmitUnit *u, Buf *out, Diag *d)
{
    Arena *a = arena_new();
    Diag silent = diag_new(a); /* emit_text_unit warns of the same */
    const Code *c = code_open(a, u, u->entry_count ? &silent : d);
    Buf top = {0}, facts = {0}, problem = {0}, arguments = {0}, more = {0};
    if (c) {
        write_top(c, &top);
        write_macros(c, &facts);
        write_problem_type(c, &problem);
        write_arguments_type(c, &arguments);
        write_more(c, &more);
        const PatternText texts[] = {{"top", buf_text(&top), NULL},
                                     {"facts", buf_text(&facts), NULL},
                                     {"problem", buf_text(&problem), NULL},
                                     {"arguments", buf_text(&arguments), NULL},
                                     {"more", buf_text(&more), NULL}};
        pattern_fill("unit.h", u->prefix, texts, sizeof texts / sizeof texts[0], out);
    }
    Buf *const all[] = {&top, &facts, &problem, &arguments, &more};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        buf_free(all[i]);
    arena_free(a);
    return c != NULL;
}
