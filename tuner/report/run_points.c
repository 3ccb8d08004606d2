/* A run's configurations as points to be looked at. */
#include "tuner/report/run_points.h"

#include "tuner/run/run_parts.h"

#include <math.h>

static bool is_point(const Run *r, size_t i)
{
    return r->configs[i].tier0 == OUTCOME_NONE && run_is_mine(r, i);
}

static Outcome status_of(const Config *c)
{
    if (c->code != CODE_OK && c->code != CODE_NONE)
        return OUTCOME_COMPILE_ERROR;
    return c->timed ? c->status : OUTCOME_SKIPPED;
}

/* For equal work; NaN where it is not known. */
static double time_of(const Run *r, size_t i)
{
    if (r->source == RUN_REPLAYED && r->recorded_ms)
        return r->recorded_ms[i];
    return r->configs[i].timed ? r->configs[i].median / r->configs[i].work : NAN;
}

static const RecordValue *values_of(const Run *r, size_t i)
{
    size_t n = r->spec->parameter_count;
    RecordValue *values = ARENA_ARRAY(r->arena, RecordValue, n);
    for (size_t p = 0; p < n; p++)
        values[p] = run_record_value(r->arena, space_value(&r->space, r->configs[i].number, p));
    return values;
}

static void take_config(const Run *r, PointSet *s, size_t i)
{
    const Config *c = &r->configs[i];
    size_t k = s->count++;
    s->values[k] = values_of(r, i);
    s->names[k] = run_config_name(r->arena, r, i);
    s->ms[k] = time_of(r, i);
    s->status[k] = isnan(s->ms[k]) ? status_of(c) : OUTCOME_OK;
    s->samples[k] = c->times;
    s->sample_count[k] = c->time_count;
}

static void allocate(Arena *a, PointSet *s, size_t n)
{
    points_allocate(a, s, n);
    s->shares = ARENA_ARRAY(a, const ProfileShare *, n);
    s->share_count = ARENA_ARRAY(a, size_t, n);
}

/* Profiles, and metrics, which the run has evaluated already. */
static void take_metrics(const Run *r, const RunPoints *p, PointSet *s)
{
    size_t n = r->metrics->metrics.count;
    s->metrics = r->metrics;
    s->profiled = 0;
    s->metric = ARENA_ARRAY(r->arena, double *, n);
    for (size_t m = 0; m < n; m++)
        s->metric[m] = ARENA_ARRAY(r->arena, double, s->count);
    for (size_t k = 0; k < s->count; k++) {
        const double *values = r->configs[p->config[k]].metrics;
        s->profiles[k] = r->configs[p->config[k]].profile;
        s->profiled += s->profiles[k] != NULL;
        for (size_t m = 0; m < n; m++)
            s->metric[m][k] = values ? values[m] : NAN;
    }
}

/* Texts that are equal where the code is: the name of the first configuration that has it. */
static const char *const *code_names(const Run *r, const RunPoints *p, const PointSet *s)
{
    const char **codes = ARENA_ARRAY(r->arena, const char *, s->count);
    for (size_t k = 0; k < s->count; k++) {
        const Config *c = &r->configs[p->config[k]];
        if (c->code == CODE_OK && p->point[c->same_as] != SIZE_MAX)
            codes[k] = s->names[p->point[c->same_as]];
    }
    return codes;
}

RunPoints run_points(Run *r)
{
    Arena *a = r->arena;
    RunPoints p = {ARENA_NEW(a, PointSet), ARENA_ARRAY(a, size_t, r->config_count),
                   ARENA_ARRAY(a, size_t, r->config_count)};
    PointSet *s = p.set;
    *s = (PointSet){.name = r->spec->name,
                    .origin = r->recording_path ? r->recording_path : "this run",
                    .problem = r->spec->problems[r->space.problem].text,
                    .gpu = r->device ? r->device->name : "",
                    .date = "",
                    .device = r->device,
                    .parameters = run_record_parameters(r),
                    .parameter_count = r->spec->parameter_count};
    allocate(a, s, r->config_count);
    for (size_t i = 0; i < r->config_count; i++) {
        p.point[i] = is_point(r, i) ? s->count : SIZE_MAX;
        if (p.point[i] == SIZE_MAX)
            continue;
        p.config[s->count] = i;
        take_config(r, s, i);
    }
    points_finish(a, s, code_names(r, &p, s), metricset_new(a));
    take_metrics(r, &p, s);
    return p;
}
