/* Evaluates the metrics of every profile and carves by them (tuner/choose). */
#include "tuner/run/run_search.h"

#include "metrics/base/clock.h"

static bool read_metrics(Run *r)
{
    MetricSet *metrics = metricset_new(r->arena);
    for (size_t i = 0; i < r->home.metric_file_count; i++)
        if (!metricset_read_file(metrics, r->home.metric_files[i], r->diag))
            return false;
    if (r->options.metrics && !metricset_read_file(metrics, r->options.metrics, r->diag))
        return false;
    for (size_t i = 0; i < r->spec->metric_line_count; i++)
        if (!metricset_read(metrics, r->spec->metric_lines[i], r->diag))
            return false;
    r->table->metrics = metrics;
    return true;
}

/* True if a stage of the carving uses the metric, or the spec defines it. */
static bool is_asked_for(const Run *r, const Metric *m)
{
    if (NAME_FIND(r->plan.columns.at, r->plan.columns.count, name, m->name))
        return true;
    for (size_t i = 0; i < r->spec->metric_line_count; i++)
        if (m->at.source == r->spec->metric_lines[i])
            return true;
    return false;
}

static void compute_metrics(Run *r)
{
    Table *t = r->table;
    SCOPED_ARENA *scratch = arena_new();
    table_set_metrics(t, t->metrics);
    for (size_t i = 0; i < t->count; i++) {
        if (t->profile[i].whole)
            table_evaluate(scratch, t, i, t->profile[i].shares, t->profile[i].share_count);
        arena_reset(scratch);
    }
    run_suspects_find(r);
    /* A metric that cannot be computed is NaN and never carves; report the first reason. */
    for (size_t m = 0; m < t->metrics->metrics.count; m++)
        if (t->gaps[m].reason && is_asked_for(r, &t->metrics->metrics.at[m]))
            diag_warn(r->diag, t->gaps[m].at, "%s is not known for some configurations: %s",
                      t->metrics->metrics.at[m].name, t->gaps[m].reason);
}

/* The carving of a search: the spec's thresholds, and the front that its report shows. */
static bool read_search(Run *r, SpecCarving *out)
{
    static const char front[] = "carve front bound_cycles, latency_cycles";
    const Spec *s = r->spec;
    const Source *source = source_new(r->arena, "the search", front, sizeof front - 1);
    SpecCarving last;
    if (!spec_parse_carving(r->arena, source, &last, r->diag))
        return false;
    CarveStage *stages = ARENA_ARRAY(r->arena, CarveStage, s->carving_count + last.count);
    size_t count = 0;
    for (size_t i = 0; i < s->carving_count; i++)
        if (s->carving[i].kind == CARVE_THRESHOLD)
            stages[count++] = s->carving[i];
    if (count < s->carving_count || s->polish > 0)
        diag_note(
            r->diag, (Span){0},
            "%s: of its carving lines, a search uses only conditions; the rest is for --carve",
            r->options.space);
    for (size_t i = 0; i < last.count; i++)
        stages[count++] = last.stages[i];
    *out = (SpecCarving){stages, count, 0};
    return true;
}

static bool read_carving(Run *r, SpecCarving *out)
{
    const Spec *s = r->spec;
    *out = (SpecCarving){s->carving, s->carving_count, s->polish};
    if (run_searches(r))
        return read_search(r, out);
    const char *text = r->options.carve_text;
    return !text ||
           spec_parse_carving(r->arena, source_new(r->arena, "--carve", text, strlen(text)), out,
                              r->diag);
}

bool run_open_carving(Run *r)
{
    if (!read_metrics(r))
        return false;
    SpecCarving carving;
    if (!read_carving(r, &carving))
        return false;
    CarveRequest request = {.stages = carving.stages,
                            .count = carving.count,
                            .polish = (size_t)carving.polish,
                            .guess = r->options.guess ? r->options.guess : "predicted_cycles",
                            .parts = (size_t)r->options.shards};
    if (metricset_find(r->table->metrics, request.guess) < 0 && r->options.guess)
        return diag_fail(r->diag, "--guess: unknown metric '%s'; `aptune profile` lists them",
                         request.guess);
    return carve_open(r->arena, &request, r->table, &r->plan, r->diag);
}

void run_carve(Run *r)
{
    double since = clock_seconds();
    compute_metrics(r);
    bool *alive = ARENA_ARRAY(r->arena, bool, r->table->count);
    for (size_t i = 0; i < r->table->count; i++)
        alive[i] = r->table->profile[i].whole != NULL && r->table->same_as[i] == i;
    r->carving = carve_apply(&r->plan, alive, r->diag);
    bool search = run_searches(r); /* selects what it times */
    for (size_t i = 0; i < r->carving.survivor_count && !search; i++)
        r->table->selected[r->carving.survivors[i]] = true;
    for (size_t i = 0; i < r->table->count && !search; i++) {
        if (r->options.exhaustive)
            r->table->selected[i] = table_has_code(r->table, i);
        r->counts.selected += r->table->selected[i];
    }
    run_charge(r, LEDGER_CARVE, &since);
}
