/* aptune export: writes a recording for other programs. */
#include "tuner/command/command.h"
#include "tuner/output/export.h"

typedef struct ExportCommand {
    const char *output, *metrics;
    ExportFormat format;
} ExportCommand;

static bool take_format(const Option *o, const char *text, void *field, Diag *d)
{
    (void)o;
    static const char *const names[] = {
        [EXPORT_T4] = "t4", [EXPORT_T4_1_1] = "t4-1.1", [EXPORT_CSV] = "csv"};
    const size_t place = word_place(text, names, COUNT_OF(names));
    if (place == SIZE_MAX)
        return diag_fail(d, "--format takes t4, t4-1.1 or csv, not '%s'", text);
    *(ExportFormat *)field = (ExportFormat)place;
    return true;
}

#define INTO(field) OPTION_INTO(ExportCommand, field, 0, 0)

static const Option options[] = {
    {"output", "FILE", "the file to write", INTO(output)},
    {"format", "NAME", "t4 (1.0.0, the default), t4-1.1 (with compilation data) or csv",
     take_format, offsetof(ExportCommand, format), 0, 0},
    {"metrics", "FILE", "metrics of your own, in addition to the shipped ones", INTO(metrics)},
};

static bool export(Call *call)
{
    const ExportCommand *c = call->options;
    if (!c->output)
        return command_refuse(call, "which file is to be written? Give --output FILE");
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
             "  RECORDING: NAME.times or NAME.times.zst; the metrics of each row are added "
             "if NAME.profile exists\n",
    .table = {{OPTION_GROUP(options, &asked)}},
    .least = 1,
    .most = 1,
    .wanted = "which recording? Try aptune export NAME.times --output FILE",
    .work = export,
    .options = &asked};
