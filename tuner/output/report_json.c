/* A run as one JSON object, and as a CSV table of all configurations. */
#include "tuner/output/report.h"
#include "tuner/run/run_parts.h"

#include "metrics/base/csv.h"

static json_t *front_of(const Run *r)
{
    SCOPED_ARENA *a = arena_new();
    json_t *list = json_array();
    size_t count;
    const size_t *front = report_energy_front(a, r, &count);
    for (size_t k = 0; k < count; k++)
        json_array_append_new(list, json_put(json_object(), "parameters",
                                             report_parameters(r, front[k]), "time_ms",
                                             json_known(r->table->times[front[k]].median), "joules",
                                             json_known(r->table->trial[front[k]].joules), NULL));
    return list;
}

static json_t *best_of(const Run *r)
{
    if (r->best == SIZE_MAX)
        return json_null();
    const TableTimes *times = &r->table->times[r->best];
    json_t *o = json_put(json_object(), "parameters", report_parameters(r, r->best), "time_ms",
                         json_known(times->median), "low_ms", json_known(times->low), "high_ms",
                         json_known(times->high), NULL);
    if (r->table->warm[r->best].count > 0)
        json_put(o, "warm_ms", json_known(r->table->warm[r->best].median), NULL);
    if (r->table->trial[r->best].joules > 0)
        json_put(o, "joules", json_known(r->table->trial[r->best].joules), NULL);
    return json_put(o, "metrics", report_metrics(r, r->best), NULL);
}

static json_t *final_of(const Run *r)
{
    const RunFinal *f = &r->final;
    json_t *list = json_array();
    EACH (const Finalist, x, f->list, f->count)
        json_array_append_new(
            list, json_put(json_object(), "parameters", report_parameters(r, x->config), "time_ms",
                           json_known(x->median_ms), "ratio_low", json_known(x->interval.low),
                           "ratio_high", json_known(x->interval.high), "tied",
                           json_boolean(run_final_is_tied(f, x->config)), NULL));
    return json_put(json_object(), "rounds", json_integer(f->rounds), "ties",
                    json_count(f->tie_count), "finalists", list, NULL);
}

static void put_counts(const Run *r, json_t *o)
{
    size_t timed = 0, wrong = 0;
    for (size_t i = 0; i < r->table->count; i++) {
        timed += table_is_timed(r->table, i);
        wrong += table_is_timed(r->table, i) && r->table->outcome[i] == OUTCOME_WRONG;
    }
    json_put(o, "configurations", json_count(r->space.size), "compiled",
             json_count(r->counts.compiled), "failed", json_count(r->counts.failed), "unlaunchable",
             json_count(r->counts.unlaunchable), "distinct", json_count(r->counts.distinct),
             "stale", json_count(r->counts.stale), "from_cache",
             json_count(r->counts.launches_from_cache), "workers_started",
             json_count(r->counts.workers_started), "selected", json_count(r->counts.selected),
             "timed", json_count(timed), "wrong", json_count(wrong), NULL);
}

static json_t *failures_of(const Run *r)
{
    SCOPED_ARENA *a = arena_new();
    const FailureGroup *groups;
    size_t count = run_failures(a, r, &groups);
    json_t *list = json_array();
    for (size_t g = 0; g < count; g++)
        json_array_append_new(list, json_put(json_object(), "count", json_count(groups[g].count),
                                             "message", json_text(groups[g].text), "example",
                                             report_parameters(r, groups[g].example), NULL));
    return list;
}

static json_t *errors_of(const SearchErrors *e)
{
    return json_put(json_object(), "count", json_count(e->count), "median_percent",
                    json_known(e->median), "ninth_percent", json_known(e->p90), NULL);
}

static json_t *lessons_of(const RunSearch *s)
{
    json_t *list = json_array();
    EACH (const RunLesson, l, s->lessons, s->lesson_count)
        json_array_append_new(list, json_put(json_object(), "recording", json_text(l->path),
                                             "problem", json_text(l->problem), "device",
                                             json_text(l->gpu), "times", json_count(l->times),
                                             "parameters", json_count(l->parameters), NULL));
    return list;
}

static json_t *search_of(const Run *r)
{
    const RunSearch *s = &r->search;
    json_t *steps = json_array();
    VEC_EACH (const RunBest, x, s->held)
        json_array_append_new(steps, json_pack("[f, f]", x->seconds, x->ms));
    return json_put(json_object(), "seed", json_integer(r->options.seed), "compiled",
                    json_count(s->state.compiled), "timed", json_count(s->state.timed), "left",
                    json_known(s->state.left), "end",
                    json_string(s->asked ? "ended on request" : search_end_text(s->end)), "seconds",
                    json_known(s->seconds), "held_since_s", json_known(s->held_since), "steps",
                    steps, "played", json_boolean(run_is_played(r)), "expected_better",
                    json_known(s->expected), "errors_before_compiling", errors_of(&s->state.before),
                    "errors_before_timing", errors_of(&s->state.after), "front",
                    json_count(s->front), "front_timed", json_count(s->front_timed),
                    "best_on_front", json_boolean(s->best_on_front), "learned", lessons_of(s),
                    NULL);
}

void report_json(const Run *r, Buf *out)
{
    static const char *const sources[] = {"measured", "replayed", "static"};
    json_t *o = json_put(report_object(r), "source", json_string(sources[r->source]), NULL);
    if (r->source == RUN_REPLAYED)
        json_put(o, "recording", json_text(r->recorded.path), NULL);
    if (r->source == RUN_REPLAYED && run_is_imported(r))
        json_put(o, "imported", json_text(r->recorded.times->header.imported), NULL);
    put_counts(r, o);
    json_put(o, "suspicious", json_integer((json_int_t)r->suspects.found), "failures",
             failures_of(r), NULL);
    if (r->source == RUN_STATIC)
        report_selected_json(r, o);
    json_put(o, "best", best_of(r), NULL);
    if (r->spec->objective == OBJECTIVE_ENERGY)
        json_put(o, "energy_front", front_of(r), NULL);
    json_put(o, "final", final_of(r), NULL);
    if (r->search.done)
        json_put(o, "search", search_of(r), NULL);
    if (r->options.audit > 0)
        json_put(o, "audit", report_audit_json(r), NULL);
    if (r->source == RUN_MEASURED)
        json_put(o, "cache", json_string(task_cache_name(r->l2)), NULL);
    if (r->watch.health.samples > 0)
        json_put(o, "health", report_health(r), NULL);
    json_put(o, "exhaustive_best_ms", json_known(r->recorded.best_ms), "relative_performance",
             json_known(r->recorded.relative), "random_relative_performance",
             json_known(r->recorded.random_relative), NULL);
    if (r->why != SIZE_MAX)
        json_put(o, "why", report_why_text(r, r->why), NULL);
    report_ledger_json(r, o);
    json_print(o, REPORT_DIGITS, out);
}

static json_t *rejections_of(const Run *r)
{
    SCOPED_ARENA *a = arena_new();
    json_t *list = json_array();
    for (size_t i = 0; i < r->spec->constraint_count; i++) {
        size_t line;
        const char *text = report_constraint(a, &r->spec->constraints[i].at, &line);
        json_array_append_new(list, json_put(json_object(), "line", json_count(line), "constraint",
                                             json_string(text), "rejected",
                                             json_count(r->space.rejected[i]), NULL));
    }
    return list;
}

void report_dry_run_json(const Run *r, Buf *out)
{
    json_t *tier0 = r->device ? json_object() : json_null();
    for (int t = OUTCOME_ARITHMETIC; t <= OUTCOME_GRID && r->device; t++)
        json_put(tier0, outcome_name((Outcome)t), json_count(r->counts.tier0_dropped[t]), NULL);
    json_t *o = json_put(report_object(r), "points", json_count(r->space.product), "constraints",
                         rejections_of(r), "configurations", json_count(r->space.size),
                         "tier0_dropped", tier0, NULL);
    if (r->space.diagram) /* tier 0 was judged on a random sample */
        json_put(o, "tier0_drawn", json_count(r->table->count), NULL);
    const RunEstimate e = run_estimate(r);
    json_t *compile = json_put(json_object(), "configurations", json_count(e.compiles), "seconds",
                               json_known(e.seconds), "each_s", json_known(e.each_s), "measured",
                               json_count(e.count), NULL);
    json_put(o, "compile", compile, NULL);
    json_print(o, REPORT_DIGITS, out);
}

enum { CSV_DIGITS = 9 };

/* The reason's lines, joined to one. */
static void why_cell(const Run *r, size_t i, Csv *c)
{
    SCOPED_BUF why = {0}, line = {0};
    report_why(r, i, &why);
    for (const char *p = buf_text(&why); *p; p++) {
        if (*p != '\n')
            buf_putc(&line, *p);
        else if (p[1])
            buf_puts(&line, "; ");
    }
    csv_quoted(c, buf_text(&line));
}

static void csv_row(const Run *r, size_t i, Csv *c)
{
    const Table *t = r->table;
    SCOPED_ARENA *a = arena_new();
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        csv_text(c, value_text(a, table_value(t, i, p)));
    csv_text(c, outcome_name(table_has_code(t, i)            ? OUTCOME_COMPILED
                             : table_failed_to_compile(t, i) ? t->outcome[i]
                                                             : OUTCOME_NONE));
    csv_number(c, t->selected[i], 1);
    csv_text(c, table_is_timed(t, i) ? outcome_name(t->outcome[i]) : "");
    csv_number(c, t->times[i].median, CSV_DIGITS);
    for (int f = 0; f < PROFILE_FIELDS; f++)
        csv_number(c, t->profile[i].whole ? t->profile[i].whole->value[f] : NAN, CSV_DIGITS);
    for (size_t m = 0; m < t->metrics->metrics.count; m++)
        csv_number(c, table_metric(t, i, m), CSV_DIGITS);
    csv_number(c, t->audited[i], 1);
    why_cell(r, i, c);
    csv_end_row(c);
}

void report_csv(const Run *r, Buf *out)
{
    Csv c = {.out = out};
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        csv_text(&c, r->spec->parameters[p].name);
    buf_puts(csv_cell(&c), "code,selected,status,time_ms");
    for (int f = 0; f < PROFILE_FIELDS; f++)
        csv_text(&c, profile_fields[f].name);
    for (size_t m = 0; m < r->table->metrics->metrics.count; m++)
        csv_text(&c, r->table->metrics->metrics.at[m].name);
    buf_puts(csv_cell(&c), "audited,why");
    csv_end_row(&c);
    for (size_t i = 0; i < r->table->count; i++)
        csv_row(r, i, &c);
}
