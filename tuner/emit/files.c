#include "tuner/emit/unit.h"

#include "metrics/base/file.h"
#include "metrics/base/json.h"
#include "metrics/base/vec.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

typedef struct File {
    const char *name;
    bool (*write)(const EmitUnit *u, Buf *out, Diag *d); /* NULL: it has these bytes */
    const void *bytes;
    size_t size;
    const char *temporary; /* its path until all are written; NULL: not written yet */
} File;

typedef VEC(File) Files;

static void add_file(Arena *a, Files *files, const char *name,
                     bool (*write)(const EmitUnit *u, Buf *out, Diag *d))
{
    VEC_PUSH(a, files, ((File){.name = name, .write = write}));
}

static void add_bytes(Arena *a, Files *files, const char *name, const void *bytes, size_t size)
{
    VEC_PUSH(a, files, ((File){.name = name, .bytes = bytes, .size = size}));
}

static bool write_manifest(const EmitUnit *u, Buf *out, Diag *d)
{
    (void)d;
    files_print_manifest(u, out);
    return true;
}

static void add_code(Arena *a, Files *files, const EmitUnit *u, size_t v, size_t l)
{
    const EmitCode *c = &u->variants[v].codes[l];
    const char *cubin = arena_printf(a, "_sm%d.cubin", u->variants[v].arch);
    if (c->shares != l)
        return;
    add_bytes(a, files, unit_file_name(a, u, v, l, ".cu"), c->source, strlen(c->source));
    if (u->flavour == EMIT_RUNTIME)
        return;
    add_bytes(a, files, unit_file_name(a, u, v, l, cubin), c->cubin, c->cubin_size);
    add_bytes(a, files, unit_file_name(a, u, v, l, ".ptx"), c->ptx, c->ptx ? strlen(c->ptx) : 0);
}

static Files all_files(Arena *a, const EmitUnit *u)
{
    Files files = {0};
    bool compiled = u->flavour != EMIT_RUNTIME;
    add_file(a, &files, arena_printf(a, "%s.h", u->name), emit_text_header);
    add_file(a, &files, arena_printf(a, "%s.%s", u->name, compiled ? "c" : "cu"), emit_text_unit);
    if (compiled)
        add_file(a, &files, arena_printf(a, "%s_code.h", u->name), emit_text_code);
    for (size_t v = 0; v < u->variant_count; v++)
        for (size_t l = 0; l < u->spec->launch_count; l++)
            add_code(a, &files, u, v, l);
    add_file(a, &files, arena_printf(a, "%s.json", u->name), write_manifest);
    return files;
}

Texts files_list(Arena *a, const EmitUnit *u)
{
    const Files files = all_files(a, u);
    Texts names = {0};
    VEC_EACH (const File, f, files)
        VEC_PUSH(a, &names, f->name);
    return names;
}

/* --- the manifest ----------------------------------------------------------------------------- */

static json_t *parameters_json(const Spec *s, const EmitVariant *v)
{
    json_t *o = json_object();
    for (size_t p = 0; p < s->parameter_count; p++)
        json_put(o, s->parameters[p].name, json_value(v->slots[spec_parameter_slot(s, p)]), NULL);
    return o;
}

static json_t *problem_json(const Spec *s, const Value *values)
{
    json_t *o = json_object();
    for (size_t i = 0; i < s->problem_name_count; i++)
        json_put(o, s->problem_names[i], json_value(values[i]), NULL);
    return o;
}

static json_t *code_json(Arena *a, const EmitUnit *u, size_t variant, size_t launch)
{
    const EmitCode *c = &u->variants[variant].codes[launch];
    json_t *o = json_put(json_object(), "kernel", json_text(c->kernel), "entry",
                         json_text(c->entry), "options", json_text(c->options), "source",
                         json_string(unit_file_name(a, u, variant, launch, ".cu")), NULL);
    if (u->flavour == EMIT_RUNTIME)
        return o;
    const char *suffix = arena_printf(a, "_sm%d.cubin", u->variants[variant].arch);
    return json_put(o, "cubin", json_string(unit_file_name(a, u, variant, launch, suffix)), "ptx",
                    json_string(unit_file_name(a, u, variant, launch, ".ptx")), NULL);
}

static json_t *variant_json(Arena *a, const EmitUnit *u, size_t i)
{
    const EmitVariant *v = &u->variants[i];
    json_t *codes = json_array(),
           *fixed = json_array(); /* problem names that the code depends on */
    for (size_t l = 0; l < u->spec->launch_count; l++)
        json_array_append_new(codes, code_json(a, u, i, l));
    for (size_t n = 0; n < u->spec->problem_name_count; n++)
        if (v->fixed[n])
            json_array_append_new(fixed, json_string(u->spec->problem_names[n]));
    return json_pack("{s:I, s:o, s:o, s:o, s:o}", "number", (json_int_t)i + 1, "parameters",
                     parameters_json(u->spec, v), "arch",
                     json_string(arena_printf(a, "sm_%d", v->arch)), "fixed", fixed, "launches",
                     codes);
}

static json_t *entry_json(const EmitUnit *u, size_t i)
{
    const EmitEntry *e = &u->entries[i];
    return json_put(json_object(), "number", json_count(i + 1), "variant",
                    json_count(e->variant + 1), "problem", problem_json(u->spec, e->problem),
                    "device", json_text(e->device), "arch", json_sprintf("sm_%d", e->arch),
                    "time_ms", json_known(e->time_ms), "regret", json_known(e->regret), "default",
                    json_boolean(e->is_default), "stale", json_boolean(e->stale), "recording",
                    json_text(e->recording), "recorded", json_text(e->recorded), "driver",
                    json_text(e->driver), "compiler", json_text(e->compiler), "version",
                    json_text(e->version), "how", json_text(e->how), NULL);
}

void files_print_manifest(const EmitUnit *u, Buf *out)
{
    SCOPED_ARENA *a = arena_new();
    json_t *files = json_array(), *variants = json_array(), *entries = json_array();
    const Texts names = files_list(a, u);
    for (size_t i = 0; i < names.count; i++)
        json_array_append_new(files, json_string(names.at[i]));
    for (size_t i = 0; i < u->variant_count; i++)
        json_array_append_new(variants, variant_json(a, u, i));
    for (size_t i = 0; i < u->entry_count; i++)
        json_array_append_new(entries, entry_json(u, i));
    json_t *o = json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "aptune", "unit",
                          "format", 1, "version", APTUNE_VERSION, "space", u->spec->name, "name",
                          u->name, "prefix", u->prefix, "flavour", unit_flavour_name(u->flavour),
                          "files", files, "entries", entries, "variants", variants);
    json_print(o, 9, out);
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool write_part(Arena *a, const EmitUnit *u, const char *folder, File *f, Diag *d)
{
    SCOPED_BUF content = {0};
    const char *path = arena_printf(a, "%s/%s", folder, f->name);
    if (!f->write)
        buf_add(&content, f->bytes, f->size);
    if (!f->write || f->write(u, &content, d))
        f->temporary = file_write_beside(a, path, buf_text(&content), content.size, d);
    return f->temporary != NULL;
}

/* Removes files that an earlier unit of this name has and this one has not, by its manifest if it can be
 * read. */
static void remove_others(Arena *a, const EmitUnit *u, const char *folder, const Files *files)
{
    size_t size;
    const char *text =
        file_read(a, arena_printf(a, "%s/%s.json", folder, u->name), &size, DIAG_UNHEARD(a));
    json_auto_t *old = text ? json_loadb(text, size, 0, NULL) : NULL;
    const char *what = json_string_value(json_object_get(old, "aptune"));
    json_t *list = what && strcmp(what, "unit") == 0 ? json_object_get(old, "files") : NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        bool own = name && strncmp(name, u->name, strlen(u->name)) == 0 && !strchr(name, '/');
        if (own && !NAME_FIND(files->at, files->count, name, name))
            unlink(arena_printf(a, "%s/%s", folder, name));
    }
}

static bool move_parts(Arena *a, const char *folder, const Files *files, Diag *d)
{
    for (size_t i = 0; i < files->count; i++) {
        const char *path = arena_printf(a, "%s/%s", folder, files->at[i].name);
        if (rename(files->at[i].temporary, path) != 0)
            return diag_fail(d, "cannot write '%s': %s", path, strerror(errno));
    }
    return true;
}

bool files_write(const EmitUnit *u, const char *folder, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    Files files = all_files(a, u);
    bool ok = folder_create(folder, d);
    for (size_t i = 0; i < files.count && ok; i++)
        ok = write_part(a, u, folder, &files.at[i], d);
    if (ok) {
        remove_others(a, u, folder, &files);
        ok = move_parts(a, folder, &files, d);
    }
    for (size_t i = 0; i < files.count && !ok; i++)
        if (files.at[i].temporary)
            unlink(files.at[i].temporary);
    return ok;
}

/* --- dependencies ----------------------------------------------------------------------------- */

/* Escapes Make's special characters.  A newline in a name could start another rule. */
static bool print_path(const char *path, Buf *out, Diag *d)
{
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ')
            return diag_fail(d, "a rule of Make cannot name '%s'; rename it", path);
    for (; *path; path++) {
        if (*path == ' ' || *path == '#')
            buf_putc(out, '\\');
        if (*path == '$')
            buf_putc(out, '$');
        buf_putc(out, *path);
    }
    return true;
}

bool files_print_depend(const EmitUnit *u, const char *folder, const Texts *inputs, Buf *out,
                        Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    Files files = all_files(a, u);
    bool ok = print_path(arena_printf(a, "%s/%s", folder, files.at[0].name), out, d);
    buf_putc(out, ' ');
    ok = ok && print_path(arena_printf(a, "%s/%s", folder, files.at[1].name), out, d);
    buf_putc(out, ':');
    for (size_t i = 0; ok && i < inputs->count; i++) {
        buf_puts(out, " \\\n  ");
        ok = print_path(inputs->at[i], out, d);
    }
    buf_putc(out, '\n');
    return ok;
}
