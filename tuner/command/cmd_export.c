/* aptune export: a recording for others to read. */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/command/options.h"
#include "tuner/library/where.h"
#include "tuner/output/export.h"

#include <stdio.h>
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
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++) {
        if (strcmp(text, names[i]) == 0) {
            *(ExportFormat *)field = (ExportFormat)i;
            return true;
        }
    }
    return diag_fail(d, "--format takes t4, t4-1.1 or csv, not '%s'", text);
}

static const Option options[] = {
    {"output", "FILE", "where to", option_text, offsetof(ExportCommand, output), 0, 0},
    {"format", "NAME", "t4 (1.0.0, the default), t4-1.1 (with compilation data) or csv",
     take_format, offsetof(ExportCommand, format), 0, 0},
    {"metrics", "FILE", "metrics of your own, beside the shipped ones", option_text,
     offsetof(ExportCommand, metrics), 0, 0},
};

static MetricSet *read_metrics(Arena *a, const char *own, Diag *d)
{
    size_t count;
    const char *const *shipped = where_metrics(a, NULL, &count);
    MetricSet *set = metricset_new(a);
    for (size_t i = 0; i <= count; i++) {
        const char *path = i < count ? shipped[i] : own;
        const Source *s = path ? source_read(a, path, d) : NULL;
        if (path && (!s || !metricset_read(set, s, d)))
            return NULL;
    }
    return set;
}

static bool export(Arena *a, const ExportCommand *c, const char *from, Diag *d)
{
    ExportSource s;
    size_t rows = 0;
    MetricSet *metrics = read_metrics(a, c->metrics, d);
    if (!metrics || !export_open(a, from, metrics, &s, d) ||
        !export_write(&s, c->format, c->output, &rows, d))
        return false;
    Buf out = {0};
    buf_printf(&out, "%-10s %zu rows of %s to %s\n", "exported", rows, from, c->output);
    return command_finish(&out);
}

int cmd_export(int argc, char **argv)
{
    ExportCommand c = {0};
    const CommandLine line = {
        .usage = "usage: aptune export RECORDING --output FILE [options]\n"
                 "  RECORDING: NAME.times or NAME.times.zst; what NAME.profile knows of each row "
                 "goes along\n",
        .table = {{{options, sizeof options / sizeof options[0], &c}}, 1},
        .least = 1,
        .most = 1,
        .wanted = "which recording? Say aptune export NAME.times --output FILE"};
    int rest, code = command_line_read(&line, argc, argv, &rest);
    if (code != COMMAND_GOES_ON)
        return code;
    if (!c.output) {
        fputs("aptune: where to? Say --output FILE\n", stderr);
        return EXIT_USAGE;
    }
    Arena *a = arena_new();
    Diag d = diag_new(a);
    bool ok = export(a, &c, argv[rest], &d);
    command_flush_messages(&d);
    arena_free(a);
    return ok ? EXIT_DONE : EXIT_FAILED;
}
