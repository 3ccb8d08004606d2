/* aptune convert: translates a T1 file into a spec. */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/spec/convert.h"

static const Option own_options[] = {
    {"output", "FILE", "where the spec goes (default: standard output)", option_text, 0, 0, 0},
};

/* Parses the written spec again, so that no broken one is delivered.  Files that it names may still be
 * missing. */
static bool is_readable(Arena *a, const char *name, const Buf *text, Diag *d)
{
    const Source *s = source_new(a, name, arena_copy(a, buf_text(text), text->size), text->size);
    Diag found = diag_new(a);
    if (spec_parse(a, s, &found))
        return true;
    bool ok = true;
    VEC_EACH (const DiagMessage, m, found.messages) {
        if (strstr(m->text, "there is no file"))
            continue;
        ok = diag_error(d, m->at, "%s", m->text);
    }
    return ok;
}

static bool convert(Call *c)
{
    const char *path = c->words[0], *output = *(const char **)c->options;
    Arena *a = c->arena;
    Diag *d = c->diag;
    output = output && strcmp(output, "-") == 0 ? NULL : output;
    size_t size = 0;
    const char *json = file_read(a, path, &size, d), *name = path_stem(a, path, "");
    const char *folder =
        output ? path_relative(a, path_folder(a, output), path_folder(a, path)) : ".";
    SCOPED_BUF text = {0};
    bool ok =
        json && convert_t1(a, name, folder, json, size, &text, d) &&
        (is_readable(a, output ? output : arena_printf(a, "the spec of %s", name), &text, d) ||
         diag_fail(d, "'%s' cannot be expressed as a spec", path));
    if (ok && !output)
        ok = command_print_data(buf_text(&text));
    else if (ok)
        ok = file_write(output, buf_text(&text), text.size, d) &&
             command_print_text(
                 arena_printf(a, "%s: written; see the comments in it, then `aptune check %s`\n",
                              output, output));
    return ok;
}

static const char *asked;

const CommandLine cmd_convert = {
    .usage = "usage: aptune convert FILE.json [options]\n"
             "Translates a T1 file into a spec.  Its Python-style expressions are "
             "parsed, never\nexecuted.\n",
    .table = {{OPTION_GROUP(own_options, &asked)}},
    .least = 1,
    .most = 1,
    .wanted = "which file? Try aptune convert FILE.json",
    .work = convert,
    .options = &asked,
    .failed = EXIT_USAGE};
