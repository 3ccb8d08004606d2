/* Metrics of every profile, and the spec's carving stages over them.
 *
 * Opening resolves every name, so that a mistake in the last line of a spec is told before an hour
 * of compiling and not after it; carving fills in the values. */
#include "tuner/run/run_parts.h"

#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tuner/choose/budget.h"

#include <math.h>
#include <string.h>

/* --- metrics ---------------------------------------------------------------------------------- */

static bool read_metrics(Run *r)
{
    r->metrics = metricset_new(r->arena);
    for (size_t i = 0; i < r->metric_file_count; i++) {
        const Source *shipped = source_read(r->arena, r->metric_files[i], r->diag);
        if (!shipped || !metricset_read(r->metrics, shipped, r->diag))
            return false;
    }
    for (size_t i = 0; i < r->spec->metric_line_count; i++)
        if (!metricset_read(r->metrics, r->spec->metric_lines[i], r->diag))
            return false;
    return true;
}

/* Does anybody ask for the metric: a stage of the carving, or the spec by defining it? */
static bool is_asked_for(const Run *r, const Metric *m)
{
    for (size_t i = 0; i < r->columns.count; i++)
        if (strcmp(r->columns.at[i].name, m->name) == 0)
            return true;
    for (size_t i = 0; i < r->spec->metric_line_count; i++)
        if (m->at.source == r->spec->metric_lines[i])
            return true;
    return false;
}

/* A metric that cannot be computed is NaN and never carves; the first reason is told where it
 * matters. */
static void tell_unknown(Run *r, const MetricValue *values, bool *told)
{
    for (size_t m = 0; m < r->metrics->metrics.count; m++) {
        if (!values[m].reason || told[m])
            continue;
        told[m] = true;
        diag_warn(r->diag, values[m].at, "%s is not known for some configurations: %s",
                  r->metrics->metrics.at[m].name, values[m].reason);
    }
}

static void evaluate_metrics(Arena *scratch, const Run *r, const Config *c, MetricValue *values)
{
    const RunShare *shares;
    size_t n = run_all_shares(scratch, r, c, &shares);
    const Profile *const *profiles = c->profiles ? c->profiles : &c->profile;
    metricset_evaluate_shares(scratch, r->metrics, run_profile_shares(scratch, shares, profiles, n),
                              n, r->device, values);
    for (size_t m = 0; m < r->metrics->metrics.count; m++)
        if (metric_adds(&r->metrics->metrics.at[m]))
            values[m].value /= c->work;
}

static void compute_metrics(Run *r)
{
    size_t n = r->metrics->metrics.count;
    MetricValue *values = ARENA_ARRAY(r->arena, MetricValue, n);
    bool *told = ARENA_ARRAY(r->arena, bool, n);
    Arena *scratch = arena_new();
    for (size_t m = 0; m < n; m++)
        told[m] = !is_asked_for(r, &r->metrics->metrics.at[m]);
    for (size_t i = 0; i < r->config_count; i++) {
        Config *c = &r->configs[i];
        if (!c->profile)
            continue;
        double *numbers = ARENA_ARRAY(r->arena, double, n);
        evaluate_metrics(scratch, r, c, values);
        tell_unknown(r, values, told);
        for (size_t m = 0; m < n; m++)
            numbers[m] = values[m].value;
        c->metrics = numbers;
        arena_reset(scratch);
    }
    arena_free(scratch);
}

/* --- names in carving statements -------------------------------------------------------------- */

/* A threshold may use what metrics may (metricset_scope), and the spec's own names behind them. */
typedef struct Names {
    const Run *run;
    Scope metrics;
} Names;

static size_t own_slot(const Run *r, size_t slot)
{
    return metricset_slot_count(r->metrics) + slot;
}

/* Integers of the spec are doubles here, as all numbers of a threshold. */
static ValueKind real_kind(ValueKind k)
{
    return k == VALUE_INT ? VALUE_REAL : k;
}

static bool find_name(void *context, const char *name, int *slot, ValueKind *kind,
                      const char **reason)
{
    const Names *n = context;
    const Spec *s = n->run->spec;
    if (n->metrics.find(n->metrics.context, name, slot, kind, reason))
        return true;
    for (size_t i = 0; i < s->problem_name_count; i++) {
        if (strcmp(s->problem_names[i], name) != 0)
            continue;
        *slot = (int)own_slot(n->run, i);
        *kind = real_kind(s->problems[n->run->space.problem].values[i].kind);
        return true;
    }
    for (size_t p = 0; p < s->parameter_count; p++) {
        if (strcmp(s->parameters[p].name, name) != 0)
            continue;
        *slot = (int)own_slot(n->run, spec_parameter_slot(s, p));
        *kind = real_kind(s->parameters[p].kind);
        return true;
    }
    for (size_t k = 0; k < s->derived_count; k++) {
        if (strcmp(s->derived[k].name, name) != 0)
            continue;
        *slot = (int)own_slot(n->run, spec_derived_slot(s, k));
        *kind = real_kind(expr_kind(s->derived[k].value));
        return true;
    }
    return false;
}

static size_t list_names(void *context, const char **out, size_t room)
{
    const Names *n = context;
    size_t count = n->metrics.names(n->metrics.context, out, room);
    for (size_t p = 0; p < n->run->spec->parameter_count && count < room; p++)
        out[count++] = n->run->spec->parameters[p].name;
    return count;
}

/* --- the table -------------------------------------------------------------------------------- */

static bool unknown_metric(Run *r, const CarveCriterion *k)
{
    const char *names[256];
    Scope scope = metricset_scope(r->metrics);
    const char *closest = name_closest(k->name, names, scope.names(scope.context, names, 256));
    return diag_error(r->diag, k->at, "unknown metric '%s'%s%s%s", k->name,
                      closest ? "; did you mean '" : "", closest ? closest : "",
                      closest ? "'?" : "");
}

/* The column of a metric or profile field, still without values; added to the table when it is not
 * there yet. */
static bool find_column(Run *r, const CarveCriterion *k, ColumnId *out)
{
    int m = metricset_find(r->metrics, k->name), field = profile_find(k->name);
    if (m < 0 && field < 0)
        return unknown_metric(r, k);
    if (m < 0 && k->direction == 0)
        return diag_error(r->diag, k->at,
                          "'%s' is a field of the profile and has no direction: write 'higher %s' "
                          "or 'lower %s'",
                          k->name, k->name, k->name);
    bool up = k->direction ? k->direction > 0 : r->metrics->metrics.at[m].higher;
    for (size_t i = 0; i < r->columns.count; i++)
        if (strcmp(r->columns.at[i].name, k->name) == 0 && r->columns.at[i].up == up)
            return *out = i, true;
    const char *unit =
        m >= 0 ? r->metrics->metrics.at[m].unit : profile_info((ProfileField)field)->unit;
    VEC_PUSH(r->arena, &r->columns, ((Column){.name = k->name, .unit = unit, .up = up}));
    *out = r->columns.count - 1;
    return true;
}

const double *run_column_values(Run *r, const char *name)
{
    int m = metricset_find(r->metrics, name), field = profile_find(name);
    double *values = ARENA_ARRAY(r->arena, double, r->config_count);
    for (size_t i = 0; i < r->config_count; i++) {
        const Config *c = &r->configs[i];
        values[i] = !c->profile ? NAN : m >= 0 ? c->metrics[m] : c->profile->value[field];
    }
    return values;
}

/* --- stages ----------------------------------------------------------------------------------- */

/* All slots of a configuration that a threshold may use. */
static const Value *threshold_slots(Arena *scratch, Run *r, size_t i)
{
    const Config *c = &r->configs[i];
    size_t own = spec_slot_count(r->spec), n = r->metrics->metrics.count;
    Value *slots = ARENA_ARRAY(scratch, Value, own_slot(r, own));
    MetricValue *values = ARENA_ARRAY(scratch, MetricValue, n);
    for (size_t m = 0; m < n; m++)
        values[m] = (MetricValue){.value = c->metrics[m]};
    metricset_slots(r->metrics, c->profile, r->device, values, slots);
    const Value *config = run_slots(scratch, r, i);
    for (size_t k = 0; config && k < own; k++)
        slots[own_slot(r, k)] =
            config[k].kind == VALUE_INT ? value_real((double)config[k].integer) : config[k];
    return slots;
}

static bool bind_threshold(Run *r, Expr *condition)
{
    Names names = {r, metricset_scope(r->metrics)};
    Scope scope = {.context = &names, .find = find_name, .names = list_names, .real = true};
    return expr_bind(condition, &scope, r->diag);
}

/* The threshold's answer for every configuration that has a profile. */
static const bool *evaluate_threshold(Run *r, const Expr *condition)
{
    bool *holds = ARENA_ARRAY(r->arena, bool, r->config_count);
    Arena *scratch = arena_new();
    size_t failures = 0;
    for (size_t i = 0; i < r->config_count; i++) {
        if (!r->configs[i].profile)
            continue;
        Evaluation ev = {.arena = scratch};
        Value v = value_bool(false);
        bool known = expr_eval(condition, threshold_slots(scratch, r, i), &ev, &v);
        if (!known && failures++ == 0)
            diag_warn(r->diag, ev.error_at, "%s; configurations where this happens are dropped",
                      ev.error);
        holds[i] = known && (v.kind == VALUE_BOOL ? v.boolean : value_as_real(v) != 0);
        arena_reset(scratch);
    }
    arena_free(scratch);
    return holds;
}

/* The line as it stands in the spec. */
static const char *stage_text(Arena *a, Span at)
{
    size_t end = at.offset;
    while (end < at.source->size && at.source->text[end] != '\n' && at.source->text[end] != '#')
        end++;
    while (end > at.offset && at.source->text[end - 1] == ' ')
        end--;
    return arena_copy(a, at.source->text + at.offset, end - at.offset);
}

static bool open_stage(Run *r, const CarveStage *c, Stage *out)
{
    static const StageKind kinds[] = {[CARVE_THRESHOLD] = STAGE_HOLDS,
                                      [CARVE_WITHIN] = STAGE_WITHIN,
                                      [CARVE_FRONT] = STAGE_FRONT,
                                      [CARVE_BEST] = STAGE_FRONT};
    *out = (Stage){.kind = kinds[c->kind], .text = stage_text(r->arena, c->at)};
    ColumnId *ids = ARENA_ARRAY(r->arena, ColumnId, c->criterion_count);
    bool ok = c->kind != CARVE_THRESHOLD || bind_threshold(r, c->condition);
    for (size_t i = 0; i < c->criterion_count; i++)
        ok = find_column(r, &c->criteria[i], &ids[i]) && ok;
    out->columns = ids;
    out->column_count = c->criterion_count;
    out->percent = c->percent;
    out->ties = c->keep_ties ? FRONT_KEEP : FRONT_DROP;
    out->budget = run_share(r, (size_t)c->count);
    /* The best N by one metric are the first layers of a front of one criterion. */
    out->fill = c->kind == CARVE_BEST || c->fill;
    return ok;
}

/* --- the stage -------------------------------------------------------------------------------- */

static void name_points(Run *r, const char ***names)
{
    *names = ARENA_ARRAY(r->arena, const char *, r->config_count);
    for (size_t i = 0; i < r->config_count; i++)
        (*names)[i] = run_config_name(r->arena, r, i);
}

/* What --exhaustive times: everything that compiled. */
static void select_all(Run *r)
{
    for (size_t i = 0; i < r->config_count; i++)
        r->selected[i] = r->configs[i].code == CODE_OK;
}

/* --- values by number ------------------------------------------------------------------------- */

uint16_t *run_value_numbers(const Run *r)
{
    size_t parameters = r->spec->parameter_count;
    uint16_t *numbers = ARENA_ARRAY(r->arena, uint16_t, r->config_count * parameters);
    for (size_t i = 0; i < r->config_count; i++) {
        for (size_t p = 0; p < parameters; p++) {
            uint64_t steps = r->space.ranks[r->configs[i].number] / r->space.stride[p];
            uint64_t value = steps % r->space.values[p].count;
            numbers[i * parameters + p] = (uint16_t)(value < UINT16_MAX ? value : UINT16_MAX);
        }
    }
    return numbers;
}

/* --- where the spec says nothing -------------------------------------------------------------- */

/* Best by predicted_cycles, spread over what that does not tell apart (belief.h).  One number and
 * not the layers of bound and latency: a launch takes about the larger of the two, and where one of
 * them is the same for many, layers fill up with what is good at the other and slow all the same.
 * How many is known when all is compiled (complete_default). */
static bool open_default(Run *r, Stage *out)
{
    CarveCriterion predicted = {.name = "predicted_cycles", .direction = -1};
    ColumnId *id = ARENA_NEW(r->arena, ColumnId);
    *out = (Stage){.kind = STAGE_SPREAD,
                   .text = "the default",
                   .columns = id,
                   .column_count = 1,
                   .parameters = r->spec->parameter_count};
    return find_column(r, &predicted, id);
}

/* A budget counts what is timed: distinct codes, polish included. */
static void complete_default(Run *r, const bool *alive)
{
    size_t distinct = 0;
    for (size_t i = 0; i < r->config_count; i++)
        distinct += alive[i];
    size_t shards = r->options.shards > 1 ? (size_t)r->options.shards : 1;
    size_t budget = run_share(r, budget_default(distinct * shards)); /* shards are about alike */
    if (r->polish == 0)
        r->polish = budget_polish(budget);
    Stage *s = &r->stages[0];
    s->budget = budget > 0 ? budget - budget_polish(budget) : 1;
    s->values = run_value_numbers(r);
    s->text = arena_printf(r->arena,
                           "the default: best %zu by predicted_cycles, spread over the parameters",
                           s->budget);
}

bool run_open_carving(Run *r)
{
    if (!read_metrics(r))
        return false;
    bool silent = r->spec->carving_count == 0, ok = true;
    r->polish = run_share(r, (size_t)r->spec->polish);
    r->stage_count = silent ? 1 : r->spec->carving_count;
    r->stages = ARENA_ARRAY(r->arena, Stage, r->stage_count);
    if (silent)
        return open_default(r, &r->stages[0]);
    for (size_t i = 0; i < r->stage_count; i++)
        ok = open_stage(r, &r->spec->carving[i], &r->stages[i]) && ok;
    return ok;
}

/* What the stages look at, now that profiles are known. */
static const CarvingTable *fill_table(Run *r)
{
    compute_metrics(r);
    for (size_t i = 0; i < r->columns.count; i++)
        r->columns.at[i].values = run_column_values(r, r->columns.at[i].name);
    for (size_t i = 0; i < r->spec->carving_count; i++)
        if (r->spec->carving[i].kind == CARVE_THRESHOLD)
            r->stages[i].holds = evaluate_threshold(r, r->spec->carving[i].condition);
    const char **names;
    name_points(r, &names);
    CarvingTable *table = ARENA_NEW(r->arena, CarvingTable);
    *table = (CarvingTable){r->columns.at, r->columns.count, r->config_count, names};
    return table;
}

void run_carve(Run *r)
{
    double since = clock_seconds();
    const CarvingTable *table = fill_table(r);
    bool *alive = ARENA_ARRAY(r->arena, bool, r->config_count);
    for (size_t i = 0; i < r->config_count; i++)
        alive[i] = r->configs[i].profile != NULL && r->configs[i].same_as == i;
    if (r->spec->carving_count == 0)
        complete_default(r, alive);
    r->carving = carving_run(r->arena, table, alive, r->stages, r->stage_count);
    for (size_t i = 0; i < r->carving.survivor_count; i++)
        r->selected[r->carving.survivors[i]] = true;
    if (r->options.exhaustive)
        select_all(r);
    for (size_t i = 0; i < r->config_count; i++)
        r->selected_count += r->selected[i];
    run_charge(r, LEDGER_CARVE, &since);
}
