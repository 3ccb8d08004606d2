#include "tuner/emit/files.h"

#include "tuner/base/file.h"
#include "tuner/base/vec.h"
#include "tuner/emit/code.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef enum FileKind {
    FILE_HEADER,
    FILE_UNIT,
    FILE_CODE,
    FILE_SOURCE,
    FILE_CUBIN,
    FILE_PTX,
    FILE_MANIFEST
} FileKind;

typedef struct File {
    const char *name;
    FileKind kind;
    const EmitCode *code; /* of the last kinds but the manifest */
    const char *waiting;  /* where it waits for the others; NULL: it is not written */
} File;

typedef VEC(File) Files;

static void add_file(Arena *a, Files *files, FileKind kind, const char *name, const EmitCode *code)
{
    VEC_PUSH(a, files, ((File){name, kind, code, NULL}));
}

static void add_code(Arena *a, Files *files, const EmitUnit *u, size_t v, size_t l)
{
    const EmitCode *c = &u->variants[v].codes[l];
    const char *cubin = arena_printf(a, "_sm%d.cubin", u->variants[v].arch);
    if (c->shares != l)
        return;
    add_file(a, files, FILE_SOURCE, unit_file_name(a, u, v, l, ".cu"), c);
    if (u->flavour == EMIT_RUNTIME)
        return;
    add_file(a, files, FILE_CUBIN, unit_file_name(a, u, v, l, cubin), c);
    add_file(a, files, FILE_PTX, unit_file_name(a, u, v, l, ".ptx"), c);
}

static Files all_files(Arena *a, const EmitUnit *u)
{
    Files files = {0};
    bool compiled = u->flavour != EMIT_RUNTIME;
    add_file(a, &files, FILE_HEADER, arena_printf(a, "%s.h", u->name), NULL);
    add_file(a, &files, FILE_UNIT, arena_printf(a, "%s.%s", u->name, compiled ? "c" : "cu"), NULL);
    if (compiled)
        add_file(a, &files, FILE_CODE, arena_printf(a, "%s_code.h", u->name), NULL);
    for (size_t v = 0; v < u->variant_count; v++)
        for (size_t l = 0; l < u->spec->launch_count; l++)
            add_code(a, &files, u, v, l);
    add_file(a, &files, FILE_MANIFEST, arena_printf(a, "%s.json", u->name), NULL);
    return files;
}

const char *const *files_list(Arena *a, const EmitUnit *u, size_t *count)
{
    Files files = all_files(a, u);
    const char **names = ARENA_ARRAY(a, const char *, files.count);
    for (size_t i = 0; i < files.count; i++)
        names[i] = files.at[i].name;
    *count = files.count;
    return names;
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool make_content(const EmitUnit *u, const File *f, Buf *out, Diag *d)
{
    switch (f->kind) {
    case FILE_HEADER:
        return emit_text_header(u, out, d);
    case FILE_UNIT:
        return emit_text_unit(u, out, d);
    case FILE_CODE:
        return emit_text_code(u, out, d);
    case FILE_SOURCE:
        buf_puts(out, f->code->source);
        return true;
    case FILE_CUBIN:
        buf_add(out, f->code->cubin, f->code->cubin_size);
        return true;
    case FILE_PTX:
        buf_puts(out, f->code->ptx);
        return true;
    case FILE_MANIFEST:
        files_print_manifest(u, out);
        return true;
    }
    return true;
}

static bool write_part(Arena *a, const EmitUnit *u, const char *folder, File *f, Diag *d)
{
    Buf content = {0};
    const char *path = arena_printf(a, "%s/%s", folder, f->name);
    if (make_content(u, f, &content, d))
        f->waiting = file_write_beside(a, path, buf_text(&content), content.size, d);
    buf_free(&content);
    return f->waiting != NULL;
}

static bool is_listed(const Files *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->at[i].name, name) == 0)
            return true;
    return false;
}

/* Removes what an earlier unit of this name has and this one has not.  A manifest that cannot be
 * read tells of nothing. */
static void remove_others(Arena *a, const EmitUnit *u, const char *folder, const Files *files)
{
    size_t size;
    Diag quiet = diag_new(a);
    const char *text = file_read(a, arena_printf(a, "%s/%s.json", folder, u->name), &size, &quiet);
    json_t *old = text ? json_loadb(text, size, 0, NULL) : NULL;
    const char *what = json_string_value(json_object_get(old, "aptune"));
    json_t *list = what && strcmp(what, "unit") == 0 ? json_object_get(old, "files") : NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        bool own = name && strncmp(name, u->name, strlen(u->name)) == 0 && !strchr(name, '/');
        if (own && !is_listed(files, name))
            unlink(arena_printf(a, "%s/%s", folder, name));
    }
    json_decref(old);
}

static bool move_parts(Arena *a, const char *folder, const Files *files, Diag *d)
{
    for (size_t i = 0; i < files->count; i++) {
        const char *path = arena_printf(a, "%s/%s", folder, files->at[i].name);
        if (rename(files->at[i].waiting, path) != 0)
            return diag_fail(d, "cannot write '%s': %s", path, strerror(errno));
    }
    return true;
}

bool files_write(const EmitUnit *u, const char *folder, Diag *d)
{
    Arena *a = arena_new();
    Files files = all_files(a, u);
    bool ok = folder_create(folder, d);
    for (size_t i = 0; i < files.count && ok; i++)
        ok = write_part(a, u, folder, &files.at[i], d);
    if (ok) {
        remove_others(a, u, folder, &files);
        ok = move_parts(a, folder, &files, d);
    }
    for (size_t i = 0; i < files.count && !ok; i++)
        if (files.at[i].waiting)
            unlink(files.at[i].waiting);
    arena_free(a);
    return ok;
}

/* --- dependences ------------------------------------------------------------------------------ */

/* Make's own characters. */
static void print_path(const char *path, Buf *out)
{
    for (; *path; path++) {
        if (*path == ' ' || *path == '#')
            buf_putc(out, '\\');
        if (*path == '$')
            buf_putc(out, '$');
        buf_putc(out, *path);
    }
}

void files_print_depend(const EmitUnit *u, const char *folder, const char *const *inputs,
                        size_t count, Buf *out)
{
    Arena *a = arena_new();
    Files files = all_files(a, u);
    print_path(arena_printf(a, "%s/%s", folder, files.at[0].name), out);
    buf_putc(out, ' ');
    print_path(arena_printf(a, "%s/%s", folder, files.at[1].name), out);
    buf_putc(out, ':');
    arena_free(a);
    for (size_t i = 0; i < count; i++) {
        buf_puts(out, " \\\n  ");
        print_path(inputs[i], out);
    }
    buf_putc(out, '\n');
}
