/* Metrics of every profile, and the spec's carving (tuner/carve) over them. */
#include "tuner/run/run_parts.h"

#include "metrics/base/clock.h"
#include "metrics/base/file.h"

#include <math.h>
#include <string.h>

/* --- metrics ---------------------------------------------------------------------------------- */

static bool read_metrics(Run *r)
{
    MetricSet *metrics = metricset_new(r->arena);
    for (size_t i = 0; i < r->home.metric_file_count; i++) {
        const Source *shipped = source_read(r->arena, r->home.metric_files[i], r->diag);
        if (!shipped || !metricset_read(metrics, shipped, r->diag))
            return false;
    }
    for (size_t i = 0; i < r->spec->metric_line_count; i++)
        if (!metricset_read(metrics, r->spec->metric_lines[i], r->diag))
            return false;
    r->table->metrics = metrics;
    return true;
}

/* Does anybody ask for the metric: a stage of the carving, or the spec by defining it? */
static bool is_asked_for(const Run *r, const Metric *m)
{
    for (size_t i = 0; i < r->plan.columns.count; i++)
        if (strcmp(r->plan.columns.at[i].name, m->name) == 0)
            return true;
    for (size_t i = 0; i < r->spec->metric_line_count; i++)
        if (m->at.source == r->spec->metric_lines[i])
            return true;
    return false;
}

/* A metric that cannot be computed is NaN and never carves; the first reason is told where it
 * matters. */
static void tell_unknown(const Run *r)
{
    const Table *t = r->table;
    for (size_t m = 0; m < t->metrics->metrics.count; m++)
        if (t->gaps[m].reason && is_asked_for(r, &t->metrics->metrics.at[m]))
            diag_warn(r->diag, t->gaps[m].at, "%s is not known for some configurations: %s",
                      t->metrics->metrics.at[m].name, t->gaps[m].reason);
}

static void compute_metrics(Run *r)
{
    Table *t = r->table;
    Arena *scratch = arena_new();
    table_set_metrics(t, t->metrics);
    for (size_t i = 0; i < t->count; i++) {
        if (t->profile[i].whole)
            table_evaluate(scratch, t, i, t->profile[i].shares, t->profile[i].share_count);
        arena_reset(scratch);
    }
    arena_free(scratch);
    tell_unknown(r);
}

bool run_open_carving(Run *r)
{
    if (!read_metrics(r))
        return false;
    CarveRequest request = {.stages = r->spec->carving,
                            .count = r->spec->carving_count,
                            .polish = (size_t)r->spec->polish,
                            .guess = "predicted_cycles",
                            .parts = (size_t)r->options.shards};
    return carve_open(r->arena, &request, r->table, &r->plan, r->diag);
}

/* --- the stage -------------------------------------------------------------------------------- */

/* What --exhaustive times: everything that compiled. */
static void select_all(Run *r)
{
    for (size_t i = 0; i < r->table->count; i++)
        r->table->selected[i] = table_has_code(r->table, i);
}

void run_carve(Run *r)
{
    double since = clock_seconds();
    compute_metrics(r);
    bool *alive = ARENA_ARRAY(r->arena, bool, r->table->count);
    for (size_t i = 0; i < r->table->count; i++)
        alive[i] = r->table->profile[i].whole != NULL && r->table->same_as[i] == i;
    r->carving = carve_apply(&r->plan, alive, r->diag);
    for (size_t i = 0; i < r->carving.survivor_count; i++)
        r->table->selected[r->carving.survivors[i]] = true;
    if (r->options.exhaustive)
        select_all(r);
    for (size_t i = 0; i < r->table->count; i++)
        r->counts.selected += r->table->selected[i];
    run_charge(r, LEDGER_CARVE, &since);
}
