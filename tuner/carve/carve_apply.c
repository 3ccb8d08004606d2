/* Values for the columns and answers for the conditions of a plan, and what follows from them. */
#include "tuner/carve/carve.h"

#include "tuner/choose/budget.h"

#include <math.h>
#include <string.h>

const double *carve_values(Arena *a, const MetricSet *metrics, const CarvePoints *points,
                           const char *name)
{
    int m = metricset_find(metrics, name), field = profile_find(name);
    double *values = ARENA_ARRAY(a, double, points->count);
    for (size_t i = 0; i < points->count; i++) {
        const Profile *p = points->profile(points->context, i);
        if (!p || (m < 0 && field < 0))
            values[i] = NAN;
        else
            values[i] = m >= 0 ? points->metric(points->context, (size_t)m, i) : p->value[field];
    }
    return values;
}

/* --- conditions ------------------------------------------------------------------------------- */

/* A condition on its way over the points. */
typedef struct Condition {
    const CarvePlan *plan;
    const CarvePoints *points;
    const Expr *expr;
    Arena *scratch; /* of one point */
    size_t unknown; /* points so far that it cannot be computed for */
    Diag *d;
} Condition;

/* All slots of a point, as carve_scope numbers them; what has no value is NaN, or of no kind. */
static const Value *slots_of(const Condition *c, size_t i)
{
    const CarveNames *names = &c->plan->names;
    const CarvePoints *points = c->points;
    size_t first = metricset_slot_count(names->metrics), n = names->metrics->metrics.count;
    Value *slots = ARENA_ARRAY(c->scratch, Value, first + names->own_slots);
    MetricValue *values = ARENA_ARRAY(c->scratch, MetricValue, n);
    for (size_t m = 0; m < n; m++)
        values[m].value = points->metric(points->context, m, i);
    metricset_slots(names->metrics, points->profile(points->context, i), points->device, values,
                    slots);
    const Value *own = points->own ? points->own(points->context, c->scratch, i) : NULL;
    for (size_t k = 0; own && k < names->own_slots; k++)
        slots[first + k] = own[k].kind == VALUE_INT ? value_real((double)own[k].integer) : own[k];
    return slots;
}

static const char *missing_name(const CarvePlan *p, int slot)
{
    bool metric = (size_t)slot < metricset_slot_count(p->names.metrics);
    return metric ? arena_printf(p->arena, "'%s' is not known",
                                 metricset_slot_name(p->names.metrics, slot))
                  : "a name of the spec cannot be computed";
}

/* Why the condition cannot be computed for a point; NULL when it can.  A name without a value ends
 * it before it is looked at: "not (x > 1)" would make an answer of it. */
static const char *judge_point(Condition *c, size_t i, bool *holds, Span *at)
{
    const Value *slots = slots_of(c, i);
    int missing = expr_without_value(c->expr, slots);
    *at = expr_span(c->expr);
    if (missing >= 0)
        return missing_name(c->plan, missing);
    Evaluation ev = {.arena = c->scratch};
    Value v;
    if (!expr_eval(c->expr, slots, &ev, &v)) {
        *at = ev.error_at;
        return ev.error;
    }
    *holds = v.kind == VALUE_BOOL ? v.boolean : value_as_real(v) != 0;
    return NULL;
}

static void evaluate_condition(Condition *c, const bool *alive, Stage *stage)
{
    CarvePlan const *p = c->plan;
    size_t n = c->points->count;
    bool *holds = ARENA_ARRAY(p->arena, bool, n);
    const char **unknown = ARENA_ARRAY(p->arena, const char *, n), *first = NULL;
    Span first_at = {0}, at;
    for (size_t i = 0; i < n; i++) {
        if (!alive[i])
            continue;
        const char *why = judge_point(c, i, &holds[i], &at);
        if (why && c->unknown++ == 0) {
            first = arena_string(p->arena, why);
            first_at = at;
        }
        unknown[i] = !why ? NULL : strcmp(why, first) == 0 ? first : arena_string(p->arena, why);
        arena_reset(c->scratch);
    }
    if (first)
        diag_warn(c->d, first_at, "%s for %zu configuration%s: unknown here, and not kept", first,
                  c->unknown, c->unknown == 1 ? "" : "s");
    stage->holds = holds;
    stage->unknown = unknown;
}

static void evaluate_conditions(CarvePlan *p, const CarvePoints *points, const bool *alive, Diag *d)
{
    Arena *scratch = arena_new();
    for (size_t i = 0; i < p->request.count; i++) {
        Condition c = {p, points, p->request.stages[i].condition, scratch, 0, d};
        if (p->request.stages[i].kind == CARVE_THRESHOLD)
            evaluate_condition(&c, alive, &p->stages[i]);
    }
    arena_free(scratch);
}

/* --- the default ------------------------------------------------------------------------------ */

/* A budget counts what is timed: distinct codes, polish included. */
static void complete_default(CarvePlan *p, const CarvePoints *points, const bool *alive)
{
    size_t distinct = 0, parts = p->request.parts > 1 ? p->request.parts : 1;
    for (size_t i = 0; i < points->count; i++)
        distinct += alive[i];
    /* Parts are about alike. */
    size_t budget = carve_share(&p->request, budget_default(distinct * parts));
    if (p->polish == 0)
        p->polish = budget_polish(budget);
    Stage *s = &p->stages[0];
    s->budget = budget > 0 ? budget - budget_polish(budget) : 1;
    s->values = points->values;
    s->parameters = points->parameters;
    s->text = arena_printf(p->arena, "the default: best %zu by %s, spread over the parameters",
                           s->budget, p->request.guess);
}

Carving carve_apply(CarvePlan *plan, const CarvePoints *points, const bool *alive, Diag *d)
{
    CarvePlan *p = plan;
    for (size_t i = 0; i < p->columns.count; i++)
        p->columns.at[i].values =
            carve_values(p->arena, p->names.metrics, points, p->columns.at[i].name);
    evaluate_conditions(p, points, alive, d);
    if (p->request.count == 0)
        complete_default(p, points, alive);
    p->table = (CarvingTable){p->columns.at, p->columns.count, points->count, points->names};
    return carving_run(p->arena, &p->table, alive, p->stages, p->stage_count);
}

/* --- polish ----------------------------------------------------------------------------------- */

/* The one column that the last stage carves by if that is a time, so that a better prediction
 * guides polish too; else the metric that stands for the time. */
static const double *guide(const CarvePlan *p, const CarvePoints *points)
{
    for (size_t s = p->stage_count; s-- > 0;) {
        const Stage *stage = &p->stages[s];
        if (stage->kind == STAGE_HOLDS)
            continue;
        if (stage->column_count != 1)
            break;
        const Column *column = &p->columns.at[stage->columns[0]];
        bool time = !column->up && column->unit && strcmp(column->unit, "cycles") == 0;
        if (time || stage->kind == STAGE_SPREAD)
            return column->values;
        break;
    }
    return carve_values(p->arena, p->names.metrics, points, p->request.guess);
}

static bool is_forbidden(const Carving *c, size_t point)
{
    size_t stage = c->fates[point].stage;
    return stage < c->stage_count && c->stages[stage].kind == STAGE_HOLDS;
}

BeliefInput carve_polish_input(const CarvePlan *plan, const CarvePoints *points,
                               const Carving *carving, const bool *alive)
{
    bool *may = ARENA_ARRAY(plan->arena, bool, points->count);
    for (size_t i = 0; i < points->count; i++)
        may[i] = alive[i] && !is_forbidden(carving, i);
    return (BeliefInput){.guess = guide(plan, points),
                         .alive = may,
                         .points = points->count,
                         .values = points->values,
                         .parameters = points->parameters};
}
