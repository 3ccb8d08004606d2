/* aptune import: the results of another tuner as a recording. */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/command/progress.h"
#include "tuner/output/import.h"
#include "tuner/record/find.h"

#include <string.h>
#include <unistd.h>

typedef struct ImportCommand {
    ImportOptions import;
    RunOptions run; /* its space is the spec; NULL: times alone */
    const char *output;
} ImportCommand;

static const Option own_options[] = {
    {"output", "FILE", "the recording, NAME.times", option_text, offsetof(ImportCommand, output), 0,
     0},
    {"space", "NAME", "name of the space (default: the spec's, else that of the kernel)",
     option_text, offsetof(ImportCommand, import.space), 0, 0},
    {"device", "NAME", "what the times were measured on (default: as the file says)", option_text,
     offsetof(ImportCommand, import.device), 0, 0},
    {"arch", "sm_XX", "its architecture (default: by the device's name)", option_text,
     offsetof(ImportCommand, import.arch), 0, 0},
    {"unit", "UNIT", "of the file's times: ns, us, ms or s (default: as it says)", option_text,
     offsetof(ImportCommand, import.unit), 0, 0},
    {"spec", "FILE", "the spec of the same space: compile its kernel and write profiles",
     option_text, offsetof(ImportCommand, run.space), 0, 0},
    {"problem", "\"N=8192\"", "which of the spec's problems (default: the first)", option_text,
     offsetof(ImportCommand, run.problem_text), 0, 0},
};

/* --- with a spec ------------------------------------------------------------------------------ */

/* Opens the run on the imported times; with their architecture, so that it opens without them, too,
 * and can say why they do not fit. */
static bool open_run(Run *r, const ImportCommand *c, const char *part)
{
    RecordHeader h;
    if (!record_header_read(r->arena, part, &h, r->diag))
        return false;
    if (!h.arch[0])
        return diag_fail(r->diag, "--spec compiles, and needs to know for what: --arch sm_XX");
    r->options.arch = h.arch;
    if (!run_open(r))
        return false;
    return r->recorded.times || diag_fail(r->diag,
                                          "the imported times do not fit '%s'; --space, --arch and "
                                          "--problem can say what they are of",
                                          c->run.space);
}

static bool compile_and_attach(Run *r, const ImportCommand *c, const char *part, Buf *out)
{
    ImportMatch match;
    if (!open_run(r, c, part) || !import_attach(r, c->output, &match))
        return false;
    buf_printf(out,
               "%-10s %s: %zu configurations have a row, %zu have none; %zu rows are no "
               "configuration\n",
               "matched", r->spec->name, match.both, match.only_space, match.only_rows);
    buf_printf(out,
               "%-10s %zu failed here with %s; what was timed elsewhere is believed by its "
               "parameters' values\n",
               "compiled", r->counts.failed, r->code.compiler);
    return true;
}

/* The recording of the times alone lies in a folder of its own, where the run finds it and no
 * other. */
static bool import_with_spec(Arena *a, ForeignTable *t, ImportCommand *c, Buf *out, Diag *d)
{
    const char *folder = arena_printf(a, "%s.part", c->output);
    const char *part = arena_printf(a, "%s/imported.times", folder);
    ProgressBar bar = progress_new();
    c->run.recordings = c->run.output = folder;
    c->run.no_gpu = true;
    unlink(part);
    if (!folder_create(folder, d))
        return false;
    Run r = start_run(a, &c->run, &bar, d);
    bool ok = import_write(t, &c->import, part, d) && compile_and_attach(&r, c, part, out);
    progress_end(&bar);
    run_close(&r);
    unlink(part);
    rmdir(folder);
    if (!ok)
        unlink(c->output);
    return ok;
}

/* The times' space is called as the spec is. */
static bool name_space(Arena *a, ImportCommand *c, Diag *d)
{
    const Spec *s = spec_read(a, c->run.space, d);
    if (!s)
        return false;
    if (c->import.space && strcmp(c->import.space, s->name) != 0)
        return diag_fail(d, "the spec's space is '%s', not '%s'", s->name, c->import.space);
    c->import.space = s->name;
    return true;
}

/* --- the command ------------------------------------------------------------------------------ */

static bool import(Call *call)
{
    ImportCommand *c = call->options;
    Arena *a = call->arena;
    Diag *d = call->diag;
    if (!c->output || !text_ends_with(c->output, ".times"))
        return command_refuse(call, "where to? Say --output NAME.times");
    c->import.from = call->words[0];
    if (file_exists(c->output))
        return diag_fail(d, "'%s' is there already", c->output);
    if (c->run.space && !name_space(a, c, d))
        return false;
    ProgressBar bar = progress_new();
    c->import.progress = (RunProgress){&bar, progress_step};
    ForeignTable *t = import_read(a, &c->import, d);
    progress_end(&bar);
    if (!t)
        return false;
    SCOPED_BUF matched = {0}, out = {0};
    bool ok = c->run.space ? import_with_spec(a, t, c, &matched, d)
                           : import_write(t, &c->import, c->output, d);
    if (ok) {
        import_print(t, &out);
        buf_puts(&out, buf_text(&matched));
        if (!c->run.space)
            buf_printf(&out,
                       "%-10s no code and no profile: a study shows samples and searches, but no "
                       "metrics and carvings; --spec FILE.spec compiles what the rows are of\n",
                       "missing");
        buf_printf(&out, "%-10s %s\n", "written", c->output);
        ok = command_print_text(buf_text(&out));
    }
    return ok;
}

static ImportCommand asked = {.run = {.ordinal = -1}};

const CommandLine cmd_import = {
    .usage = "usage: aptune import FILE --output NAME.times [options]\n"
             "  FILE: a cache file of Kernel Tuner (closed or not), T4, or KTT's JSON; gzip "
             "may have packed it\n"
             "  With --spec each row gets the code that its parameters compile to, and "
             "NAME.profile is written: then `aptune study NAME.times` and `aptune --space "
             "FILE --recordings DIR` can carve.\n",
    .table = {{OPTION_GROUP(own_options, &asked), OPTIONS_COMPILE(&asked.run)}},
    .least = 1,
    .most = 1,
    .wanted = "which file? Say aptune import FILE --output NAME.times",
    .work = import,
    .options = &asked};
