/* NAME.h: the interface of an emitted unit, the same in all flavours. */
#include "tuner/emit/c_wrap.h"
#include "tuner/emit/code.h"
#include "tuner/emit/code_parts.h"
#include "tuner/space/geometry.h"

#include <ctype.h>
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
    text_comment_wrapped(out, " *                ", text);
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
    text_comment_wrapped(out, " *     ", v->variant->name);
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
    buf_printf(out, " as aptune %s tuned it.\n *\n", APTUNE_VERSION);
    code_puts(c, out,
              " *     @kernel *kernel;\n"
              " *     @arguments arguments;\n"
              " *     @problem size = {");
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        buf_puts(out, i ? ", " : "");
        value_print_bare(c->unit->entries[0].problem[i], out);
    }
    code_puts(c, out, c->spec->problem_name_count ? "};\n" : "0};\n");
    code_puts(c, out,
              " *     int status = @load(&kernel); (once for each device)\n"
              " *     @arguments_default(&arguments); (and then the pointers)\n"
              " *     if (status == ^OK)\n"
              " *         status = @launch(kernel, &size, &arguments, stream, NULL);\n"
              " *     if (status != ^OK)\n"
              " *         puts(@status_text(status));\n"
              " *     @unload(kernel);\n"
              " *\n"
              " * Any size may be asked for.  It gets a variant that is valid for it, of those "
              "below the one\n"
              " * that was tuned for it or for the size nearest to it; never a wrong result, but "
              "the status\n"
              " * ^SIZE where none is.\n");
    for (size_t i = 0; i < c->unit->entry_count; i++)
        write_entry(c, i, out);
    for (size_t i = 0; i < c->unit->variant_count; i++)
        write_variant(c, i, out);
    buf_puts(
        out,
        " *\n * SPDX-License-Identifier: 0BSD (free of conditions, but for what the kernels' text "
        "says of\n * itself) */\n");
}

/* --- types ------------------------------------------------------------------------------------ */

/* Lines of a struct: declarations, and comments behind them, one below the other. */
typedef struct Fields {
    Buf text; /* "declaration\tcomment\n" */
} Fields;

static void write_fields(Fields *f, Buf *out)
{
    size_t width = 0;
    for (const char *p = buf_text(&f->text); *p; p = strchr(p, '\n') + 1) {
        const size_t length = strcspn(p, "\t");
        width = length > width ? length : width;
    }
    for (const char *p = buf_text(&f->text); *p; p = strchr(p, '\n') + 1) {
        const size_t length = strcspn(p, "\t"), comment = strcspn(p + length + 1, "\n");
        buf_puts(out, "    ");
        buf_add(out, p, length);
        buf_fill(out, ' ', comment ? width - length + 1 : 0);
        buf_add(out, p + length + 1, comment);
        buf_putc(out, '\n');
    }
    buf_free(&f->text);
}

static void write_problem_type(const Code *c, Buf *out)
{
    Fields fields = {0};
    code_puts(c, out,
              "/* A size.  Numbers that are out of range have no variant. */\ntypedef struct "
              "@problem {\n");
    for (size_t i = 0; i < c->spec->problem_name_count; i++) {
        const bool real = code_problem_is_real(c, i);
        const CRange r = c->names[i].range;
        buf_printf(&fields.text, "%s %s;\t", real ? "double" : "long long", c->problem_fields[i]);
        if (!real)
            buf_printf(&fields.text, "/* from %.0f to %.0f */", r.low, r.high);
        buf_putc(&fields.text, '\n');
    }
    write_fields(&fields, out);
    if (c->spec->problem_name_count == 0)
        buf_puts(out, "    int none; /* there is one size only */\n");
    code_puts(c, out, "} @problem;\n\n");
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
        if (g->fields)
            text_struct(g, out);
        else
            buf_puts(out, text_scalar(g->element.scalar));
        buf_printf(out, " %s", c->fields[i]);
        if (g->element.lanes > 1 && !g->fields)
            buf_printf(out, "[%d]", g->element.lanes);
    } else if (g->role == ARGUMENT_TEXTURE) {
        buf_printf(out, "unsigned long long %s", c->fields[i]);
    } else {
        const bool read = g->role == ARGUMENT_IN || g->role == ARGUMENT_CONSTANT;
        buf_printf(out, "%s%s *%s", read ? "const " : "", text_pointee(g->element), c->fields[i]);
    }
    buf_puts(out, ";\t/* ");
    write_meaning(g, out);
    buf_puts(out, " */\n");
}

static bool has_fields(const Code *c)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (c->fields[i])
            return true;
    return c->has_scratch;
}

static const char CONSTANTS_NOTE[] =
    "/* Variables of the device are written before each launch, and are the code's own: launches\n"
    " * that may run at the same time, in several streams, must give them the same contents. */\n";

static void write_arguments_type(const Code *c, Buf *out)
{
    Fields fields = {0};
    code_puts(c, out,
              "/* What a launch gets.  Pointers are the device's, aligned to 16 bytes; what "
              "follows from the\n"
              " * size is computed. */\n"
              "typedef struct @arguments {\n");
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (c->fields[i])
            write_field(c, i, &fields.text);
    if (c->has_scratch)
        code_puts(c, &fields.text,
                  "void *scratch;\t/* of @scratch_bytes, aligned to 256 bytes */\n");
    if (!has_fields(c))
        buf_puts(&fields.text, "int none;\t\n");
    write_fields(&fields, out);
    code_puts(c, out, "} @arguments;\n\n");
    if (code_has_constants(c))
        buf_printf(out, "%s\n", CONSTANTS_NOTE);
}

static const char ENUMS[] =
    "typedef enum @status {\n"
    "    ^OK,\n"
    "    ^NO_DRIVER, /* no CUDA driver, or no device */\n"
    "    ^NO_CODE,   /* no variant runs on this device */\n"
    "    ^SIZE,      /* no variant is valid for this size */\n"
    "    ^ARGUMENT,  /* NULL, or a pointer that is not aligned */\n"
    "    ^CUDA       /* the driver said no: @cuda_error */\n"
    "} @status;\n"
    "\n"
    "/* How well a variant matches, the best first. */\n"
    "typedef enum @match {\n"
    "    ^EXACT,             /* tuned for this size on this device */\n"
    "    ^NEAREST_SIZE,      /* on this device, for another size */\n"
    "    ^SAME_ARCHITECTURE, /* on another device for which the same code runs */\n"
    "    ^PTX,               /* for an older architecture, compiled by the driver */\n"
    "    ^DEFAULT            /* the declared default: no entry is near this size */\n"
    "} @match;\n"
    "\n"
    "typedef struct @choice {\n"
    "    int entry, variant; /* numbers as above, from 1 */\n"
    "    @match match;\n"
    "    const char *parameters, *tuned_for;\n"
    "    size_t scratch_bytes; /* that a launch of this size needs, whichever variant it takes */\n"
    "} @choice;\n"
    "\n"
    "/* What is loaded for a device. */\n"
    "typedef struct @kernel @kernel;\n"
    "\n";

static const char FUNCTIONS[] =
    "/* Functions give a @status.\n"
    " *\n"
    " * Prepares for the device of this thread's current context, which must outlive the kernel.  "
    "Code is\n"
    " * loaded at its first use.  NULL in `*out` after a failure. */\n"
    "int @load(@kernel **out);\n"
    "\n"
    "/* NULL is fine.  Nothing that was launched may be under way. */\n"
    "void @unload(@kernel *kernel);\n"
    "\n"
    "/* What a launch of this size would take, and by what right. */\n"
    "int @choose(const @kernel *kernel, const @problem *problem, @choice *out);\n"
    "\n"
    "/* The same for a device by its name and compute capability (90 for 9.0); needs no GPU. */\n"
    "int @choose_for(const char *device, int arch, const @problem *problem, @choice *out);\n"
    "\n"
    "/* Launches in a stream (CUstream or cudaStream_t; NULL is the default stream) and does not "
    "wait:\n"
    " * an error of the kernel itself shows where the stream is waited for.  `took` tells what "
    "was\n"
    " * launched and may be NULL.  Several threads may launch at a time. */\n"
    "int @launch(@kernel *kernel, const @problem *problem, const @arguments *arguments, void "
    "*stream, @choice *took);\n"
    "\n"
    "/* Bytes of scratch memory that a launch of this size needs; 0 for none, and where no variant "
    "is\n"
    " * valid. */\n"
    "size_t @scratch_bytes(const @kernel *kernel, const @problem *problem);\n"
    "\n"
    "/* Zeros, no pointers, and the numbers that it was tuned with. */\n"
    "void @arguments_default(@arguments *out);\n"
    "\n"
    "/* \"none of the variants is valid for this size\" … */\n"
    "const char *@status_text(int status);\n"
    "\n"
    "/* The number of the last CUDA error that this thread met here (CUresult or cudaError_t), "
    "after\n"
    " * ^CUDA, ^NO_CODE or ^NO_DRIVER; 0 when there was none.  NULL is fine. */\n"
    "int @cuda_error(const @kernel *kernel);\n";

/* Buffers whose size depends on the variant. */
static void write_element_counts(const Code *c, Buf *out)
{
    for (size_t i = 0; i < c->spec->argument_count; i++)
        if (code_counts_by_variant(c, i))
            code_printf(c, out,
                        "\n/* Elements of `%s` for a variant that is valid for the size; for "
                        "variant 0 the most "
                        "of any\n * that is. */\n"
                        "long long @%s_elements(int variant, const @problem *problem);\n",
                        c->fields[i], c->spec->arguments[i].name);
}

static void write_work(Code *c, const char *name, const char *what, const Expr *e, Buf *out)
{
    if (!e || !code_work_is_sayable(c, e))
        return;
    const Span at = expr_span(e);
    buf_printf(out, "\n/* %s of a launch: ", what);
    text_comment_part(out, at.source->text + at.offset, at.length);
    code_printf(c, out, "; 0 for what is no size */\ndouble @%s(const @problem *problem);\n", name);
}

/* --- macros ----------------------------------------------------------------------------------- */

static void define_shape(const Code *c, const CodeVariant *v, size_t launch, const Geometry *g,
                         Buf *out)
{
    const char *end = code_suffix(c, v, launch);
    code_printf(c, out,
                "#define ^GRID_%s {%" PRId64 ", %" PRId64 ", %" PRId64 "}\n"
                "#define ^BLOCK_%s {%" PRId64 ", %" PRId64 ", %" PRId64 "}\n"
                "#define ^SHARED_BYTES_%s %" PRId64 "\n",
                end, g->grid[0], g->grid[1], g->grid[2], end, g->block[0], g->block[1], g->block[2],
                end, g->shared);
}

/* The launches of a variant at the size that it was tuned for. */
static void define_variant(const Code *c, const CodeVariant *v, Buf *out)
{
    Buf text = {0};
    write_problem(c, v->variant->slots, NULL, &text);
    buf_printf(out, "\n/* Variant %zu, with its launches at ", v->number);
    text_comment(out, buf_text(&text));
    code_printf(c, out, " */\n#define ^PARAMETERS_%zu ", v->number);
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
    code_printf(c, out, "/* What made it, and what it has. */\n#define ^VERSION \"aptune %s\"\n",
                APTUNE_VERSION);
    code_printf(c, out, "#define ^ENTRY_COUNT %zu\n#define ^VARIANT_COUNT %zu\n",
                c->unit->entry_count, c->unit->variant_count);
    for (size_t i = 0; i < c->unit->variant_count; i++)
        define_variant(c, &c->variants[i], out);
    buf_putc(out, '\n');
}

static void write_guard(const Code *c, Buf *out)
{
    Buf name = {0};
    for (const char *p = c->unit->name; *p; p++)
        buf_putc(&name, isalnum((unsigned char)*p) ? (char)toupper((unsigned char)*p) : '_');
    code_printf(c, out, "#ifndef ^UNIT_%s_H\n#define ^UNIT_%s_H\n\n", buf_text(&name),
                buf_text(&name));
    buf_free(&name);
}

bool emit_text_header(const EmitUnit *u, Buf *out, Diag *d)
{
    Arena *a = arena_new();
    Diag silent = diag_new(a); /* emit_text_unit warns of the same */
    Code *c = code_open(a, u, u->entry_count ? &silent : d);
    if (c) {
        Buf text = {0};
        write_top(c, &text);
        write_guard(c, &text);
        buf_puts(&text, "#include <stddef.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
        write_macros(c, &text);
        write_problem_type(c, &text);
        write_arguments_type(c, &text);
        code_puts(c, &text, ENUMS);
        code_puts(c, &text, FUNCTIONS);
        write_element_counts(c, &text);
        write_work(c, "flop", "Floating-point operations", c->spec->work_flop, &text);
        write_work(c, "bytes", "Bytes moved at least", c->spec->work_bytes, &text);
        write_work(c, "items", "Items worked on", c->spec->work_items, &text);
        buf_puts(&text, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
        c_wrap(buf_text(&text), out);
        buf_free(&text);
    }
    arena_free(a);
    return c != NULL;
}
