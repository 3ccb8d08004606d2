/* What of a run is searched: its parameters that vary, its points, its metrics. */
#include "tuner/run/run_searched.h"

#include "tuner/space/diagram.h"

#include <math.h>
#include <string.h>

/* The values of all parameters of a candidate, in `full`. */
static void widen(const Searched *q, const uint16_t *point, uint16_t *full)
{
    memset(full, 0, q->run->space.spec->parameter_count * sizeof *full);
    for (size_t k = 0; k < q->varying_count; k++)
        full[q->varying[k]] = point[k];
}

static bool draw_point(void *context, gsl_rng *random, uint16_t *point)
{
    const Searched *q = context;
    bool any = space_diagram_draw(q->run->space.diagram, random, q->full);
    for (size_t k = 0; k < q->varying_count; k++)
        point[k] = q->full[q->varying[k]];
    return any;
}

static bool is_valid(void *context, const uint16_t *point)
{
    const Searched *q = context;
    widen(q, point, q->full);
    return space_diagram_has(q->run->space.diagram, q->full);
}

static SearchSpace space_of(Searched *q)
{
    Run *r = q->run;
    const Table *t = r->table;
    q->varying = run_varying(r, &q->varying_count);
    q->values = ARENA_ARRAY(r->arena, size_t, q->varying_count);
    for (size_t k = 0; k < q->varying_count; k++)
        q->values[k] = t->parameters[q->varying[k]].values.count;
    q->full = ARENA_ARRAY(r->arena, uint16_t, t->parameter_count);
    if (r->space.diagram && !r->space.ranks)
        return (SearchSpace){.parameters = q->varying_count,
                             .values = q->values,
                             .draw = draw_point,
                             .valid = is_valid,
                             .context = q,
                             .size = (double)r->space.size};
    q->ranks = ARENA_ARRAY(r->arena, uint64_t, t->count);
    for (size_t i = 0; i < t->count; i++) /* what the device cannot run is no candidate */
        if (table_fits(t, i) && run_is_in_shard(r, i))
            q->ranks[q->rank_count++] = t->number[i];
    return (SearchSpace){.parameters = q->varying_count,
                         .values = q->values,
                         .ranks = q->ranks,
                         .count = q->rank_count,
                         .size = (double)q->rank_count};
}

SearchOptions searched_options(const Run *r)
{
    const RunOptions *o = &r->options;
    return (SearchOptions){.seed = (unsigned long)o->seed,
                           .workers = (size_t)o->jobs,
                           .endless = o->seconds > 0 || o->trials > 0 || o->compiles > 0,
                           .seconds = o->seconds,
                           .trials = (size_t)o->trials,
                           .compiles = (size_t)o->compiles,
                           .learned = r->search.learned};
}

void searched_open(Searched *q, Run *r, Timer *t)
{
    *q = (Searched){.run = r, .timer = t, .scratch = arena_new()};
    const MetricSet *m = r->table->metrics;
    q->guess = metricset_find(m, r->options.guess ? r->options.guess : "predicted_cycles");
    q->bound = metricset_find(m, "bound_cycles");
    q->latency = metricset_find(m, "latency_cycles");
    q->space = space_of(q);
}

double searched_metric(const Searched *q, int metric, size_t row)
{
    return metric < 0 ? NAN : table_metric(q->run->table, row, (size_t)metric);
}

double searched_doubt(const Profile *p)
{
    double deviation = p ? p->value[PROFILE_UNCERTAINTY] : 0;
    return deviation > 0 ? deviation * deviation : 0;
}
