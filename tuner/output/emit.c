#include "tuner/output/emit.h"

#include "metrics/base/file.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Where the winner comes from; the same lines open both files. */
static void print_origin(const Run *r, size_t config, Buf *out)
{
    const Config *c = &r->configs[config];
    const RecordHeader *h = r->source == RUN_REPLAYED ? &r->recording->header : NULL;
    buf_printf(out, " * Tuned by aptune %s: space %s", APTUNE_VERSION, r->spec->name);
    if (*r->spec->problems[r->space.problem].text)
        buf_printf(out, ", %s", r->spec->problems[r->space.problem].text);
    buf_puts(out, ".\n");
    if (r->source == RUN_MEASURED)
        buf_printf(out, " * Measured on %s: median of %zu launches, %.4f ms.\n", r->device->name,
                   c->time_count, c->median);
    else if (run_is_imported(r))
        buf_printf(out, " * Not measured by aptune: time of %s, %s; %.4f ms.\n", h->device,
                   h->imported, c->median);
    else
        buf_printf(out,
                   " * Replayed from a recording measured on %s on %s: median of %zu launches, "
                   "%.4f ms.\n",
                   h->device, h->date, c->time_count, c->median);
    if (!isnan(r->relative))
        buf_printf(out, " * %.2f %% of the best time recorded for the whole space.\n",
                   100 * r->relative);
    bool imported = r->source == RUN_REPLAYED && run_is_imported(r);
    buf_puts(out, imported ? " * Its result was not verified by aptune.\n"
                  : spec_is_verified(r->spec)
                      ? " * Its result was verified against the reference kernel.\n"
                      : " * Its result was not verified: the spec has no "
                        "reference.\n");
}

static void print_defines(const Run *r, size_t config, const char *prefix, Buf *out)
{
    for (size_t p = 0; p < r->spec->parameter_count; p++) {
        if (!*prefix && !spec_parameter_is_macro(r->spec, p))
            continue; /* a template argument: in the source the name means that */
        buf_printf(out, "#define %s%s ", prefix, r->spec->parameters[p].name);
        value_print_bare(space_value(&r->space, r->configs[config].number, p), out);
        buf_putc(out, '\n');
    }
}

bool emit_source(const Run *r, size_t config, size_t l, Buf *out, Diag *d)
{
    Arena *a = arena_new();
    size_t size;
    const Launch *k = &r->spec->launches[l];
    const char *text =
        k->command ? run_printed_text(a, r, config, l, &size) : file_read(a, k->path, &size, d);
    if (!text && k->command)
        diag_fail(d, "'%s' was not run: there is no source to write out", k->file);
    if (text) {
        buf_puts(out, "/*\n");
        print_origin(r, config, out);
        buf_printf(out, " * The parameters of the template are constants below; compile for sm_%d",
                   device_arch(r->device));
        for (size_t i = 0; i < r->spec->option_count; i++)
            buf_printf(out, " with %s", r->spec->options[i]);
        buf_puts(out, ".\n */\n");
        print_defines(r, config, "", out);
        buf_putc(out, '\n');
        buf_add(out, text, size);
    }
    arena_free(a);
    return text != NULL;
}

/* "mm" to "MM_", a start for macro names. */
static void print_prefix(const char *name, Buf *out)
{
    if (!isalpha((unsigned char)name[0]))
        buf_puts(out, "K_");
    for (; *name; name++)
        buf_putc(out, isalnum((unsigned char)*name) ? (char)toupper((unsigned char)*name) : '_');
    buf_putc(out, '_');
}

static void define_number(Buf *out, const char *prefix, const char *name, int64_t value)
{
    buf_printf(out, "#define %s%s %" PRId64 "\n", prefix, name, value);
}

static void define_string(Buf *out, const char *prefix, const char *name, const char *text)
{
    buf_printf(out, "#define %s%s ", prefix, name);
    value_print(value_string(text), out);
    buf_putc(out, '\n');
}

/* Macros of launch `i`; the first one's have no number in their names. */
static void print_launch(const Run *r, size_t config, size_t i, const char *prefix, Buf *out)
{
    static const char *const axes[] = {"X", "Y", "Z"};
    const Geometry *g = &r->configs[config].geometry[i];
    char number[24] = "", name[64];
    if (i > 0)
        snprintf(number, sizeof number, "%zu_", i + 1);
    snprintf(name, sizeof name, "%sKERNEL", number);
    define_string(out, prefix, name, r->spec->launches[i].entry);
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%sGRID_%s", number, axes[k]);
        define_number(out, prefix, name, g->grid[k]);
    }
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%sBLOCK_%s", number, axes[k]);
        define_number(out, prefix, name, g->block[k]);
    }
    snprintf(name, sizeof name, "%sSHARED_BYTES", number);
    define_number(out, prefix, name, g->shared);
}

static void print_arguments(const Run *r, Buf *out)
{
    bool several = r->spec->launch_count > 1 || r->spec->launches[0].has_items;
    buf_puts(out, several ? "/* What the kernels take; the spec says which of it:\n"
                          : "/* Arguments of the kernel, in order:\n");
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        const Argument *g = &r->spec->arguments[i];
        bool buffer = g->role != ARGUMENT_SCALAR && g->role != ARGUMENT_TEXTURE;
        const char *before = g->role == ARGUMENT_IN         ? "const "
                             : g->role == ARGUMENT_CONSTANT ? "(variable of the device) "
                             : g->role == ARGUMENT_TEXTURE  ? "(texture) "
                             : g->role == ARGUMENT_SCRATCH  ? "(scratch) "
                                                            : "";
        buf_printf(out, " *   %s", before);
        task_type_print(g->element, out);
        buf_printf(out, " %s%s", buffer ? "*" : "", g->name);
        if (buffer) {
            Span at = expr_span(g->count);
            buf_printf(out, "   [%.*s]", (int)at.length, at.source->text + at.offset);
        }
        buf_putc(out, '\n');
    }
    buf_puts(out, " */\n");
}

void emit_header(const Run *r, size_t config, Buf *out)
{
    Buf prefix = {0};
    print_prefix(r->spec->name, &prefix);
    const char *p = buf_text(&prefix);
    buf_puts(out, "/*\n");
    print_origin(r, config, out);
    buf_printf(out,
               " * The grid is for %s; a smaller or larger problem needs another one,\n"
               " * see the spec.\n */\n",
               *r->spec->problems[r->space.problem].text ? r->spec->problems[r->space.problem].text
                                                         : "the problem of the spec");
    buf_printf(out, "#ifndef %sTUNED_H\n#define %sTUNED_H\n\n", p, p);
    print_arguments(r, out);
    for (size_t i = 0; i < r->spec->launch_count; i++)
        print_launch(r, config, i, p, out);
    buf_puts(out, "\n/* The size it was tuned for. */\n");
    for (size_t i = 0; i < r->spec->problem_name_count; i++) {
        buf_printf(out, "#define %sPROBLEM_%s ", p, r->spec->problem_names[i]);
        value_print_bare(r->spec->problems[r->space.problem].values[i], out);
        buf_putc(out, '\n');
    }
    buf_puts(out, "\n/* The parameters of the winner. */\n");
    Buf parameter = {0};
    buf_printf(&parameter, "%sPARAM_", p);
    print_defines(r, config, buf_text(&parameter), out);
    buf_puts(out, "\n/* Where it comes from. */\n");
    define_string(out, p, "DEVICE", r->device->name);
    define_number(out, p, "ARCH", device_arch(r->device));
    define_string(out, p, "SOURCE", r->source == RUN_MEASURED ? "measured" : "replayed");
    buf_printf(out, "#define %sTIME_MS %.7g\n", p, r->configs[config].median);
    buf_puts(out, "\n#endif\n");
    buf_free(&parameter);
    buf_free(&prefix);
}

/* Is launch `l` the first of its file? */
static bool opens_file(const Run *r, size_t l)
{
    for (size_t k = 0; k < l; k++)
        if (strcmp(r->spec->launches[k].path, r->spec->launches[l].path) == 0 &&
            strcmp(r->spec->launches[k].file, r->spec->launches[l].file) == 0)
            return false;
    return true;
}

/* Writes one file, whose text it ends. */
static bool write_file(const char *path, Buf *text, Buf *said, Diag *d)
{
    bool ok = file_write(path, buf_text(text), text->size, d);
    if (ok)
        buf_printf(said, "%s%s", said->size ? ", " : "", path);
    buf_free(text);
    return ok;
}

static bool write_sources(const Run *r, const char *folder, Buf *said, Diag *d)
{
    size_t files = 0;
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        if (!opens_file(r, l))
            continue;
        char number[24] = "";
        if (++files > 1)
            snprintf(number, sizeof number, "_%zu", files);
        Buf text = {0};
        if (!emit_source(r, r->best, l, &text, d))
            return false;
        const char *path = arena_printf(r->arena, "%s/%s%s.cu", folder, r->spec->name, number);
        if (!write_file(path, &text, said, d))
            return false;
    }
    return true;
}

bool emit_winner(const Run *r, const char *folder, Buf *said, Diag *d)
{
    if (r->best == SIZE_MAX)
        return diag_fail(d, "there is no winner to write out");
    if (!write_sources(r, folder, said, d))
        return false;
    Buf text = {0};
    emit_header(r, r->best, &text);
    return write_file(arena_printf(r->arena, "%s/%s.h", folder, r->spec->name), &text, said, d);
}
