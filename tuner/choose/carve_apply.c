/* Values for the columns and answers for the conditions of a plan, and what follows from them. */
#include "tuner/choose/carve.h"

#include <math.h>
#include <string.h>

/* --- conditions ------------------------------------------------------------------------------- */

/* A condition on its way over the points. */
typedef struct Condition {
    const CarvePlan *plan;
    const Expr *expr;
    Arena *scratch; /* of one point */
    size_t unknown; /* points so far that it cannot be computed for */
    Diag *d;
} Condition;

/* All slots of a point, as carve_scope numbers them; what has no value is NaN, or of no kind. */
static const Value *slots_of(const Condition *c, size_t i)
{
    const Table *t = c->plan->rows;
    size_t first = metricset_slot_count(t->metrics), n = t->metrics->metrics.count;
    size_t names = table_slot_count(t);
    Value *slots = ARENA_ARRAY(c->scratch, Value, first + names);
    MetricValue *values = ARENA_ARRAY(c->scratch, MetricValue, n);
    for (size_t m = 0; m < n; m++)
        values[m].value = table_metric(t, i, m);
    metricset_slots(t->metrics, table_profile(t, i), t->device, values, slots);
    const Value *own = table_slots(c->scratch, t, i);
    for (size_t k = 0; own && k < names; k++)
        slots[first + k] = own[k].kind == VALUE_INT ? value_real((double)own[k].integer) : own[k];
    return slots;
}

static const char *missing_name(const CarvePlan *p, int slot)
{
    bool metric = (size_t)slot < metricset_slot_count(p->rows->metrics);
    return metric ? arena_printf(p->arena, "'%s' is not known",
                                 metricset_slot_name(p->rows->metrics, slot))
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
    *holds = value_is_true(v);
    return NULL;
}

static void evaluate_condition(Condition *c, const bool *alive, Stage *stage)
{
    CarvePlan const *p = c->plan;
    size_t n = c->plan->rows->count;
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

static void evaluate_conditions(CarvePlan *p, const bool *alive, Diag *d)
{
    Arena *scratch = arena_new();
    for (size_t i = 0; i < p->request.count; i++) {
        Condition c = {p, p->request.stages[i].condition, scratch, 0, d};
        if (p->request.stages[i].kind == CARVE_THRESHOLD)
            evaluate_condition(&c, alive, &p->stages[i]);
    }
    arena_free(scratch);
}

bool carve_allows(const CarvePlan *plan, Arena *scratch, size_t row)
{
    for (size_t i = 0; i < plan->request.count; i++) {
        Condition c = {plan, plan->request.stages[i].condition, scratch, 0, NULL};
        bool holds = false;
        Span at;
        if (plan->request.stages[i].kind == CARVE_THRESHOLD &&
            (judge_point(&c, row, &holds, &at) || !holds))
            return false;
    }
    return true;
}

/* --- the default ------------------------------------------------------------------------------ */

/* A budget counts what is timed: distinct codes, polish included. */
static void complete_default(CarvePlan *p, const bool *alive)
{
    size_t distinct = 0, parts = p->request.parts > 1 ? p->request.parts : 1;
    for (size_t i = 0; i < p->rows->count; i++)
        distinct += alive[i];
    /* Parts are about alike. */
    size_t budget = carve_share(&p->request, budget_default(distinct * parts));
    if (p->polish == 0)
        p->polish = budget_polish(budget);
    Stage *s = &p->stages[0];
    s->budget = budget > 0 ? budget - budget_polish(budget) : 1;
    s->values = p->rows->values;
    s->parameters = p->rows->parameter_count;
    s->text = arena_printf(p->arena, "the default: best %zu by %s, spread over the parameters",
                           s->budget, p->request.guess);
}

Carving carve_apply(CarvePlan *plan, const bool *alive, Diag *d)
{
    CarvePlan *p = plan;
    for (size_t i = 0; i < p->columns.count; i++)
        p->columns.at[i].values = table_column(p->arena, p->rows, p->columns.at[i].name);
    evaluate_conditions(p, alive, d);
    if (p->request.count == 0)
        complete_default(p, alive);
    p->table = (CarvingTable){p->columns.at, p->columns.count, p->rows->count, p->rows};
    return carving_run(p->arena, &p->table, alive, p->stages, p->stage_count);
}

/* --- polish ----------------------------------------------------------------------------------- */

/* The one column that the last stage carves by if that is a time, so that a better prediction
 * guides polish too; else the metric that stands for the time. */
static const double *guide(const CarvePlan *p)
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
    return table_column(p->arena, p->rows, p->request.guess);
}

static bool is_forbidden(const Carving *c, size_t point)
{
    size_t stage = c->fates[point].stage;
    return stage < c->stage_count && c->stages[stage].kind == STAGE_HOLDS;
}

PosteriorInput carve_polish_input(const CarvePlan *plan, const Carving *carving, const bool *alive)
{
    const Table *t = plan->rows;
    bool *may = ARENA_ARRAY(plan->arena, bool, t->count);
    for (size_t i = 0; i < t->count; i++)
        may[i] = alive[i] && !is_forbidden(carving, i);
    return (PosteriorInput){.guess = guide(plan),
                            .alive = may,
                            .points = t->count,
                            .values = t->values,
                            .parameters = t->parameter_count};
}
