/* aptune profile: lists what a profile holds, for authors of metrics. */
#include "tuner/command/command.h"

typedef struct ProfileOptions {
    bool fields, metrics;
} ProfileOptions;

#define INTO(field) OPTION_INTO(ProfileOptions, field, 0, 0)

static const Option own_options[] = {
    {"fields", NULL, "list the fields of a profile: unit, per what, meaning", INTO(fields)},
    {"metrics", NULL, "list the shipped metrics: formula, unit, meaning", INTO(metrics)},
};

static void print_info(const ProfileInfo *i, Buf *out)
{
    char unit[64];
    snprintf(unit, sizeof unit, "%s per %s", i->unit, i->per);
    buf_printf(out, "%-20s %-26s %s\n", i->name, unit, i->meaning);
}

static bool profile(Call *c)
{
    const ProfileOptions *o = c->options;
    if (o->fields == o->metrics)
        return command_refuse(c, "give --fields or --metrics");
    SCOPED_BUF out = {0};
    for (int f = 0; f < PROFILE_FIELDS && o->fields; f++)
        print_info(&profile_fields[f], &out);
    buf_puts(&out, o->fields ? "\nIn sum(stall_regions, …) and sum(sync_regions, …), for one "
                               "execution of a region:\n"
                             : "");
    for (int n = 0; n < REGION_COLUMNS && o->fields; n++)
        print_info(&profile_columns[n], &out);
    const MetricSet *set = o->metrics ? command_metrics(c->arena, c->diag) : NULL;
    for (size_t i = 0; set && i < set->metrics.count; i++) {
        const Metric *m = &set->metrics.at[i];
        buf_printf(&out, "%-20s %s, %s is better. %s\n%20s = %s\n", m->name, m->unit,
                   m->higher ? "higher" : "lower", m->meaning, "", expr_text(c->arena, m->formula));
    }
    return command_print_text(buf_text(&out)) && (o->fields || set);
}

static ProfileOptions asked;

const CommandLine cmd_profile = {
    .usage = "usage: aptune profile --fields | --metrics\n"
             "Lists what carvings and formulas of your own can use.\n",
    .table = {{OPTION_GROUP(own_options, &asked)}},
    .work = profile,
    .options = &asked,
};
