/* Metrics of every profile, and the spec's carving (tuner/carve) over them. */
#include "tuner/run/run_parts.h"

#include "metrics/base/clock.h"
#include "metrics/base/file.h"

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

/* --- names ------------------------------------------------------------------------------------ */

/* The spec's own names, which a condition may use beside those of metrics. */
static bool find_name(void *context, const char *name, int *slot, ValueKind *kind,
                      const char **reason)
{
    const Run *r = context;
    const Spec *s = r->spec;
    (void)reason;
    for (size_t i = 0; i < s->problem_name_count; i++) {
        if (strcmp(s->problem_names[i], name) != 0)
            continue;
        *slot = (int)i;
        *kind = s->problems[r->space.problem].values[i].kind;
        return true;
    }
    for (size_t p = 0; p < s->parameter_count; p++) {
        if (strcmp(s->parameters[p].name, name) != 0)
            continue;
        *slot = (int)spec_parameter_slot(s, p);
        *kind = s->parameters[p].kind;
        return true;
    }
    for (size_t k = 0; k < s->derived_count; k++) {
        if (strcmp(s->derived[k].name, name) != 0)
            continue;
        *slot = (int)spec_derived_slot(s, k);
        *kind = expr_kind(s->derived[k].value);
        return true;
    }
    return false;
}

static size_t list_names(void *context, const char **out, size_t room)
{
    const Spec *s = ((const Run *)context)->spec;
    size_t n = s->parameter_count < room ? s->parameter_count : room;
    for (size_t p = 0; p < n; p++)
        out[p] = s->parameters[p].name;
    return n;
}

bool run_open_carving(Run *r)
{
    if (!read_metrics(r))
        return false;
    CarveNames names = {.metrics = r->metrics,
                        .own = {.context = r, .find = find_name, .names = list_names},
                        .own_slots = spec_slot_count(r->spec)};
    CarveRequest request = {.stages = r->spec->carving,
                            .count = r->spec->carving_count,
                            .polish = (size_t)r->spec->polish,
                            .guess = "predicted_cycles",
                            .parts = (size_t)r->options.shards};
    return carve_open(r->arena, &request, &names, &r->plan, r->diag);
}

/* --- the configurations as points ------------------------------------------------------------- */

static const Profile *point_profile(void *context, size_t i)
{
    return ((const Run *)context)->configs[i].profile;
}

static double point_metric(void *context, size_t metric, size_t i)
{
    return ((const Run *)context)->configs[i].metrics[metric];
}

static const Value *point_own(void *context, Arena *scratch, size_t i)
{
    return run_slots(scratch, context, i);
}

static CarvePoints points_of(Run *r)
{
    return (CarvePoints){.context = r,
                         .count = r->config_count,
                         .device = r->device,
                         .profile = point_profile,
                         .metric = point_metric,
                         .own = point_own,
                         .parameters = r->spec->parameter_count};
}

const double *run_column_values(Run *r, const char *name)
{
    CarvePoints points = points_of(r);
    return carve_values(r->arena, r->metrics, &points, name);
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

/* --- the stage -------------------------------------------------------------------------------- */

static const char *const *name_points(Run *r)
{
    const char **names = ARENA_ARRAY(r->arena, const char *, r->config_count);
    for (size_t i = 0; i < r->config_count; i++)
        names[i] = run_config_name(r->arena, r, i);
    return names;
}

/* What --exhaustive times: everything that compiled. */
static void select_all(Run *r)
{
    for (size_t i = 0; i < r->config_count; i++)
        r->selected[i] = r->configs[i].code == CODE_OK;
}

void run_carve(Run *r)
{
    double since = clock_seconds();
    compute_metrics(r);
    r->points = points_of(r);
    r->points.names = name_points(r);
    r->points.values = run_value_numbers(r);
    bool *alive = ARENA_ARRAY(r->arena, bool, r->config_count);
    for (size_t i = 0; i < r->config_count; i++)
        alive[i] = r->configs[i].profile != NULL && r->configs[i].same_as == i;
    r->carving = carve_apply(&r->plan, &r->points, alive, r->diag);
    for (size_t i = 0; i < r->carving.survivor_count; i++)
        r->selected[r->carving.survivors[i]] = true;
    if (r->options.exhaustive)
        select_all(r);
    for (size_t i = 0; i < r->config_count; i++)
        r->selected_count += r->selected[i];
    run_charge(r, LEDGER_CARVE, &since);
}
