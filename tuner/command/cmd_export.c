/* aptune export: a recording for others to read. */
#include "tuner/command/command.h"
#include "tuner/output/export.h"

#include <string.h>

typedef struct ExportCommand {
    const char *output, *metrics;
    ExportFormat format;
} ExportCommand;

/* The name of a format. */
static bool take_format(const Option *o, const char *text, void *field, Diag *d)
{
    (void)o;
    static const char *const names[] = {
        [EXPORT_T4] = "t4", [EXPORT_T4_1_1] = "t4-1.1", [EXPORT_CSV] = "csv"};
    const size_t place = word_place(text, names, sizeof names / sizeof names[0]);
    if (place == SIZE_MAX)
        return diag_fail(d, "--format takes t4, t4-1.1 or csv, not '%s'", text);
    *(ExportFormat *)field = (ExportFormat)place;
    return true;
}

static const Option options[] = {
    {"output", "FILE", "where to", option_text, offsetof(ExportCommand, output), 0, 0},
    {"format", "NAME", "t4 (1.0.0, the default), t4-1.1 (with compilation data) or csv",
     take_format, offsetof(ExportCommand, format), 0, 0},
    {"metrics", "FILE", "metrics of your own, beside the shipped ones", option_text,
     offsetof(ExportCommand, metrics), 0, 0},
};

static bool export(Call *call)
{
    const ExportCommand *c = call->options;
    if (!c->output)
        return command_refuse(call, "where to? Say --output FILE");
    ExportSource s;
    size_t rows = 0;
    const char *from = call->words[0];
    MetricSet *metrics = command_metrics(call->arena, call->diag);
    if (!metrics || (c->metrics && !metricset_read_file(metrics, c->metrics, call->diag)) ||
        !export_open(call->arena, from, metrics, &s, call->diag) ||
        !export_write(&s, c->format, c->output, &rows, call->diag))
        return false;
    SCOPED_BUF out = {0};
    buf_printf(&out, "%-10s %zu rows of %s to %s\n", "exported", rows, from, c->output);
    return command_print_text(buf_text(&out));
}

static ExportCommand asked;

const CommandLine cmd_export = {
    .usage = "usage: aptune export RECORDING --output FILE [options]\n"
             "  RECORDING: NAME.times or NAME.times.zst; what NAME.profile knows of each row "
             "goes along\n",
    .table = {{OPTION_GROUP(options, &asked)}},
    .least = 1,
    .most = 1,
    .wanted = "which recording? Say aptune export NAME.times --output FILE",
    .work = export,
    .options = &asked};
