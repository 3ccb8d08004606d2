/* aptune import: makes a recording of another tuner's results. */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/output/import.h"

#include <unistd.h>

typedef struct ImportCommand {
    ImportOptions import;
    RunOptions run; /* run.space is the spec; NULL: import times only */
    const char *output;
} ImportCommand;

#define INTO(field) OPTION_INTO(ImportCommand, field, 0, 0)

static const Option own_options[] = {
    {"output", "FILE", "the recording to write, NAME.times", INTO(output)},
    {"space", "NAME", "name of the space (default: the spec's, else the kernel's)",
     INTO(import.space)},
    {"device", "NAME", "what the times were measured on (default: from the file)",
     INTO(import.device)},
    {"arch", "sm_XX", "its architecture (default: from the device's name)", INTO(import.arch)},
    {"unit", "UNIT", "of the file's times: ns, us, ms or s (default: from the file)",
     INTO(import.unit)},
    {"spec", "FILE", "a spec of the same space: compile its kernel and write profiles",
     INTO(run.space)},
    {"problem", "\"N=8192\"", "which of the spec's problems (default: the first)",
     INTO(run.problem_text)},
};

/* Opens the run on the imported times, and compiles the code of their rows.  It is given their architecture, so
 * that it also opens if they do not fit, and can say so. */
static bool compile_and_attach(Run *r, const ImportCommand *c, const char *part, Buf *out)
{
    RecordHeader h;
    ImportMatch match;
    if (!record_header_read(r->arena, part, &h, r->diag))
        return false;
    if (!h.arch[0])
        return diag_fail(r->diag,
                         "--spec compiles the kernel and needs an architecture: --arch sm_XX");
    r->options.arch = h.arch;
    if (!run_open(r))
        return false;
    if (!r->recorded.times)
        return diag_fail(r->diag,
                         "the imported times do not fit '%s'; --space, --arch or --problem may say "
                         "what they belong to",
                         c->run.space);
    if (!import_attach(r, c->output, &match))
        return false;
    buf_printf(out,
               "%-10s %s: %zu configurations have a row, %zu have none; %zu rows match no "
               "configuration\n",
               "matched", r->spec->name, match.both, match.only_space, match.only_rows);
    buf_printf(out,
               "%-10s %zu failed here with %s; times are matched to code by parameter values "
               "alone\n",
               "compiled", r->counts.failed, r->code.compiler);
    return true;
}

/* Writes the times to a folder of their own, where the run finds no other recording. */
static bool import_with_spec(Call *call, ForeignTable *t, Buf *out)
{
    ImportCommand *c = call->options;
    Arena *a = call->arena;
    Diag *d = call->diag;
    const char *folder = arena_printf(a, "%s.part", c->output);
    const char *part = arena_printf(a, "%s/imported.times", folder);
    c->run.recordings = c->run.output = folder;
    c->run.no_gpu = true;
    unlink(part);
    if (!folder_create(folder, d))
        return false;
    Run r = start_run(a, &c->run, &call->bar, d);
    bool ok = import_write(t, &c->import, part, d) && compile_and_attach(&r, c, part, out);
    progress_end(&call->bar);
    run_close(&r);
    unlink(part);
    rmdir(folder);
    if (!ok)
        unlink(c->output);
    return ok;
}

static bool import(Call *call)
{
    ImportCommand *c = call->options;
    Arena *a = call->arena;
    Diag *d = call->diag;
    if (!c->output || !text_ends_with(c->output, ".times"))
        return command_refuse(call, "which file is to be written? Give --output NAME.times");
    c->import.from = call->words[0];
    if (file_exists(c->output))
        return diag_fail(d, "'%s' already exists", c->output);
    const Spec *s = c->run.space ? spec_read(a, c->run.space, d) : NULL;
    if (c->run.space && !s)
        return false;
    if (s && c->import.space && strcmp(c->import.space, s->name) != 0)
        return diag_fail(d, "the spec's space is '%s', not '%s'", s->name, c->import.space);
    c->import.space = s ? s->name : c->import.space;
    c->import.progress = (RunProgress){&call->bar, progress_step};
    ForeignTable *t = import_read(a, &c->import, d);
    progress_end(&call->bar);
    if (!t)
        return false;
    SCOPED_BUF matched = {0}, out = {0};
    bool ok = c->run.space ? import_with_spec(call, t, &matched)
                           : import_write(t, &c->import, c->output, d);
    if (ok) {
        import_print(t, &out);
        buf_puts(&out, buf_text(&matched));
        if (!c->run.space)
            buf_printf(&out,
                       "%-10s code and profiles: a study shows samples and searches, but no "
                       "metrics and no carvings; --spec FILE.spec compiles the rows' code\n",
                       "missing");
        buf_printf(&out, "%-10s %s\n", "written", c->output);
        ok = command_print_text(buf_text(&out));
    }
    return ok;
}

static ImportCommand asked = {.run = {.ordinal = -1}};

const CommandLine cmd_import = {
    .usage = "usage: aptune import FILE --output NAME.times [options]\n"
             "  FILE: a cache file of Kernel Tuner (closed or not), T4, or KTT's JSON, plain "
             "or gzipped\n"
             "  With --spec each row's code is compiled and NAME.profile is written, so that "
             "`aptune study NAME.times` and `aptune --space FILE --recordings DIR` can carve.\n",
    .table = {{OPTION_GROUP(own_options, &asked), OPTIONS_COMPILE(&asked.run)}},
    .least = 1,
    .most = 1,
    .wanted = "which file? Try aptune import FILE --output NAME.times",
    .work = import,
    .options = &asked};
