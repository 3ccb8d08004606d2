/* The run as one JSON object, and as a table of all configurations. */
#include "tuner/output/report.h"
#include "tuner/output/report_parts.h"
#include "tuner/output/selected.h"
#include "tuner/run/run_failures.h"

#include "tuner/base/csv.h"
#include "tuner/choose/energy.h"
#include "tuner/run/run_final.h"

#include <math.h>

size_t *report_energy_front(Arena *a, const Run *r, size_t *count)
{
    const Table *t = r->table;
    double *ms = ARENA_ARRAY(a, double, t->count), *joules = ARENA_ARRAY(a, double, t->count);
    for (size_t i = 0; i < t->count; i++) {
        bool known = table_is_right(t, i) && t->trial[i].joules > 0;
        ms[i] = known ? t->times[i].median : NAN;
        joules[i] = known ? t->trial[i].joules : NAN;
    }
    return energy_front(a, ms, joules, t->count, count);
}

static json_t *front_of(const Run *r)
{
    Arena *a = arena_new();
    json_t *list = json_array();
    size_t count;
    const size_t *front = report_energy_front(a, r, &count);
    for (size_t k = 0; k < count; k++) {
        json_t *o = json_object();
        json_object_set_new(o, "parameters", report_parameters(r, front[k]));
        json_object_set_new(o, "time_ms", report_number(r->table->times[front[k]].median));
        json_object_set_new(o, "joules", report_number(r->table->trial[front[k]].joules));
        json_array_append_new(list, o);
    }
    arena_free(a);
    return list;
}

static json_t *best_of(const Run *r)
{
    if (r->best == SIZE_MAX)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "parameters", report_parameters(r, r->best));
    json_object_set_new(o, "time_ms", report_number(r->table->times[r->best].median));
    json_object_set_new(o, "low_ms", report_number(r->table->times[r->best].low));
    json_object_set_new(o, "high_ms", report_number(r->table->times[r->best].high));
    if (table_warm(r->table, r->best).count > 0)
        json_object_set_new(o, "warm_ms", report_number(table_warm(r->table, r->best).median));
    if (r->table->trial[r->best].joules > 0)
        json_object_set_new(o, "joules", report_number(r->table->trial[r->best].joules));
    json_object_set_new(o, "metrics", report_metrics(r, r->best));
    return o;
}

/* The finalists, and which of them cannot be told from the winner. */
static json_t *final_of(const Run *r)
{
    const RunFinal *f = &r->final;
    json_t *list = json_array();
    for (size_t k = 0; k < f->count; k++) {
        json_t *o = json_object();
        json_object_set_new(o, "parameters", report_parameters(r, f->list[k]));
        json_object_set_new(o, "time_ms", report_number(f->medians[k]));
        json_object_set_new(o, "ratio_low", report_number(f->ratio_low[k]));
        json_object_set_new(o, "ratio_high", report_number(f->ratio_high[k]));
        json_object_set_new(o, "tied", json_boolean(run_final_is_tied(f, f->list[k])));
        json_array_append_new(list, o);
    }
    return json_pack("{s:i, s:I, s:o}", "rounds", f->rounds, "ties", (json_int_t)f->tie_count,
                     "finalists", list);
}

static void set_counts(const Run *r, json_t *o)
{
    size_t timed = 0, wrong = 0;
    for (size_t i = 0; i < r->table->count; i++) {
        timed += table_is_timed(r->table, i);
        wrong += table_is_timed(r->table, i) && r->table->outcome[i] == OUTCOME_WRONG;
    }
    json_object_set_new(o, "configurations", json_integer((json_int_t)r->space.size));
    json_object_set_new(o, "compiled", json_integer((json_int_t)r->counts.compiled));
    json_object_set_new(o, "failed", json_integer((json_int_t)r->counts.failed));
    json_object_set_new(o, "unlaunchable", json_integer((json_int_t)r->counts.unlaunchable));
    json_object_set_new(o, "distinct", json_integer((json_int_t)r->counts.distinct));
    json_object_set_new(o, "stale", json_integer((json_int_t)r->counts.stale));
    json_object_set_new(o, "from_cache", json_integer((json_int_t)r->counts.launches_from_cache));
    json_object_set_new(o, "workers_started", json_integer((json_int_t)r->counts.workers_started));
    json_object_set_new(o, "selected", json_integer((json_int_t)r->counts.selected));
    json_object_set_new(o, "timed", json_integer((json_int_t)timed));
    json_object_set_new(o, "wrong", json_integer((json_int_t)wrong));
}

static json_t *failures_of(const Run *r)
{
    Arena *a = arena_new();
    const FailureGroup *groups;
    size_t count = run_failures(a, r, &groups);
    json_t *list = json_array();
    for (size_t g = 0; g < count; g++)
        json_array_append_new(
            list, json_pack("{s:I, s:s, s:o}", "count", (json_int_t)groups[g].count, "message",
                            groups[g].text, "example", report_parameters(r, groups[g].example)));
    arena_free(a);
    return list;
}

void report_json(const Run *r, size_t why, Buf *out)
{
    static const char *const sources[] = {"measured", "replayed", "static"};
    json_t *o = report_object(r);
    json_object_set_new(o, "source", json_string(sources[r->source]));
    if (r->source == RUN_REPLAYED)
        json_object_set_new(o, "recording", json_string(r->recorded.path));
    if (r->source == RUN_REPLAYED && run_is_imported(r))
        json_object_set_new(o, "imported", json_string(r->recorded.times->header.imported));
    set_counts(r, o);
    json_object_set_new(o, "failures", failures_of(r));
    if (r->source == RUN_STATIC)
        json_object_set_new(o, "predicted", report_selected_json(r));
    json_object_set_new(o, "best", best_of(r));
    if (r->spec->objective == OBJECTIVE_ENERGY)
        json_object_set_new(o, "energy_front", front_of(r));
    json_object_set_new(o, "final", final_of(r));
    if (r->search.done)
        json_object_set_new(o, "search", report_search_json(r));
    if (r->options.audit > 0)
        json_object_set_new(o, "audit", report_audit_json(r));
    if (r->source == RUN_MEASURED)
        json_object_set_new(o, "cache", json_string(task_cache_name(r->l2)));
    if (r->watch.health.looks > 0)
        json_object_set_new(o, "health", report_health(r));
    json_object_set_new(o, "exhaustive_best_ms", report_number(r->recorded.best_ms));
    json_object_set_new(o, "relative_performance", report_number(r->recorded.relative));
    json_object_set_new(o, "random_relative_performance",
                        report_number(r->recorded.random_relative));
    if (why != SIZE_MAX)
        json_object_set_new(o, "why", report_why_text(r, why));
    json_object_set_new(o, "seconds", report_stage_seconds(r->ledger.seconds));
    json_object_set_new(o, "ledger", report_ledger_json(r));
    report_print_object(o, out);
}

/* --- dry run ---------------------------------------------------------------------------------- */

static json_t *rejections_of(const Run *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->spec->constraint_count; i++) {
        Span at = r->spec->constraints[i].at;
        size_t line, column;
        source_position(at.source, at.offset, &line, &column);
        json_t *o = json_object();
        json_object_set_new(o, "line", json_integer((json_int_t)line));
        json_object_set_new(o, "constraint", json_stringn(at.source->text + at.offset, at.length));
        json_object_set_new(o, "rejected", json_integer((json_int_t)r->space.rejected[i]));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *tier0_of(const Run *r)
{
    if (!r->device)
        return json_null();
    json_t *o = json_object();
    for (int t = OUTCOME_ARITHMETIC; t <= OUTCOME_GRID; t++)
        json_object_set_new(o, outcome_name((Outcome)t),
                            json_integer((json_int_t)r->counts.tier0_dropped[t]));
    return o;
}

void report_dry_run_json(const Run *r, Buf *out)
{
    json_t *o = report_object(r);
    json_object_set_new(o, "points", json_integer((json_int_t)r->space.product));
    json_object_set_new(o, "constraints", rejections_of(r));
    json_object_set_new(o, "configurations", json_integer((json_int_t)r->space.size));
    json_object_set_new(o, "tier0_dropped", tier0_of(r));
    if (r->space.diagram) /* of so many, drawn at random */
        json_object_set_new(o, "tier0_drawn", json_integer((json_int_t)r->table->count));
    report_print_object(o, out);
}

/* --- CSV -------------------------------------------------------------------------------------- */

enum { DIGITS = 9 };

static void put_number(Buf *out, double v)
{
    buf_putc(out, ',');
    csv_number(out, v, DIGITS);
}

/* The reason's lines become one. */
static void put_why(const Run *r, size_t i, Buf *out)
{
    Buf why = {0}, line = {0};
    report_why(r, i, &why);
    for (const char *p = buf_text(&why); *p; p++) {
        if (*p != '\n')
            buf_putc(&line, *p);
        else if (p[1])
            buf_puts(&line, "; ");
    }
    csv_text(out, buf_text(&line), true);
    buf_free(&why);
    buf_free(&line);
}

static void csv_heading(const Run *r, Buf *out)
{
    for (size_t p = 0; p < r->spec->parameter_count; p++)
        buf_printf(out, "%s,", r->spec->parameters[p].name);
    buf_puts(out, "code,selected,status,time_ms");
    for (int f = 0; f < PROFILE_FIELDS; f++)
        buf_printf(out, ",%s", profile_info((ProfileField)f)->name);
    for (size_t m = 0; m < r->table->metrics->metrics.count; m++)
        buf_printf(out, ",%s", r->table->metrics->metrics.at[m].name);
    buf_puts(out, ",audited,why\n");
}

/* What the compiler made of it. */
static const char *code_word(const Table *t, size_t i)
{
    return table_has_code(t, i)            ? outcome_name(OUTCOME_COMPILED)
           : table_failed_to_compile(t, i) ? outcome_name(t->outcome[i])
                                           : outcome_name(OUTCOME_NONE);
}

static void csv_row(const Run *r, size_t i, Buf *out)
{
    const Table *t = r->table;
    Buf value = {0};
    for (size_t p = 0; p < r->spec->parameter_count; p++) {
        buf_clear(&value);
        value_print_bare(table_value(t, i, p), &value);
        csv_text(out, buf_text(&value), false);
        buf_putc(out, ',');
    }
    buf_printf(out, "%s,%d,%s", code_word(t, i), r->table->selected[i],
               table_is_timed(t, i) ? outcome_name(t->outcome[i]) : "");
    put_number(out, t->times[i].median);
    for (int f = 0; f < PROFILE_FIELDS; f++)
        put_number(out, t->profile[i].whole ? t->profile[i].whole->value[f] : NAN);
    for (size_t m = 0; m < r->table->metrics->metrics.count; m++)
        put_number(out, table_metric(t, i, m));
    buf_printf(out, ",%d,", table_is_audited(t, i));
    put_why(r, i, out);
    buf_putc(out, '\n');
    buf_free(&value);
}

void report_csv(const Run *r, Buf *out)
{
    csv_heading(r, out);
    for (size_t i = 0; i < r->table->count; i++)
        csv_row(r, i, out);
}
