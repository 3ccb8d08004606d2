/* aptune profile: what a profile holds, for authors of metrics. */
#include "metrics/base/file.h"
#include "metrics/metric/metricset.h"
#include "tuner/command/command.h"
#include "tuner/library/where.h"

#include <stdio.h>
#include <string.h>

static const char usage_text[] =
    "usage: aptune profile --fields    the fields of a profile: unit, per what, meaning\n"
    "       aptune profile --metrics   the shipped metrics: formula, unit, meaning\n";

static void print_fields(Buf *out)
{
    for (int f = 0; f < PROFILE_FIELDS; f++) {
        const ProfileInfo *i = profile_info((ProfileField)f);
        char unit[64];
        snprintf(unit, sizeof unit, "%s per %s", i->unit, i->per);
        buf_printf(out, "%-20s %-26s %s\n", i->name, unit, i->meaning);
    }
}

/* The columns of the tables that formulas can sum over. */
static void print_columns(Buf *out)
{
    buf_puts(
        out,
        "\nIn sum(stall_regions, …) and sum(sync_regions, …), for one execution of a region:\n");
    for (int c = 0; c < REGION_COLUMNS; c++) {
        const ProfileInfo *i = profile_region_info((RegionColumn)c);
        char unit[64];
        snprintf(unit, sizeof unit, "%s per %s", i->unit, i->per);
        buf_printf(out, "%-20s %-26s %s\n", i->name, unit, i->meaning);
    }
}

static bool print_metrics(Arena *a, Buf *out, Diag *d)
{
    MetricSet *set = metricset_new(a);
    size_t count;
    const char *const *files = where_metrics(a, NULL, &count);
    for (size_t i = 0; i < count; i++) {
        const Source *s = source_read(a, files[i], d);
        if (!s || !metricset_read(set, s, d))
            return false;
    }
    for (size_t i = 0; i < set->metrics.count; i++) {
        const Metric *m = &set->metrics.at[i];
        buf_printf(out, "%-20s %s, %s is better. %s\n%20s = %s\n", m->name, m->unit,
                   m->higher ? "higher" : "lower", m->meaning, "", expr_text(a, m->formula));
    }
    return true;
}

int cmd_profile(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    bool fields = strcmp(what, "--fields") == 0, metrics = strcmp(what, "--metrics") == 0;
    if (!fields && !metrics) {
        bool help = strcmp(what, "--help") == 0;
        fputs(usage_text, help ? stdout : stderr);
        return help ? EXIT_DONE : EXIT_USAGE;
    }
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf out = {0};
    bool ok = true;
    if (fields) {
        print_fields(&out);
        print_columns(&out);
    } else {
        ok = print_metrics(a, &out, &d);
    }
    ok = command_finish(&out) && ok;
    command_flush_messages(&d);
    arena_free(a);
    return ok ? EXIT_DONE : EXIT_FAILED;
}
