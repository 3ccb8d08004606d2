#include "tuner/choose/carve.h"

size_t carve_share(const CarveRequest *request, size_t count)
{
    size_t n = request->parts > 1 ? request->parts : 1;
    return (count + n - 1) / n;
}

const Stage *carve_tradeoff(const CarvePlan *plan)
{
    for (size_t s = 0; s < plan->stage_count; s++)
        if (plan->stages[s].kind == STAGE_FRONT && plan->stages[s].column_count > 1)
            return &plan->stages[s];
    return NULL;
}

size_t budget_default(size_t configurations)
{
    enum { FEWEST = 4, USUAL = 40 };
    size_t tenth = configurations / 10, hundredth = configurations / 100;
    if (tenth < FEWEST)
        return configurations < FEWEST ? configurations : FEWEST;
    if (hundredth > USUAL)
        return hundredth;
    return tenth < USUAL ? tenth : USUAL;
}

size_t budget_polish(size_t budget)
{
    return budget / 3;
}

/* --- names in conditions ---------------------------------------------------------------------- */

/* Names of metrics come before those of the table. */
static bool bind_condition(CarvePlan *p, Expr *condition, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    const Table *t = p->rows;
    Scope scope = metricset_scope(a, t->metrics);
    table_names(t, metricset_slot_count(t->metrics), &scope);
    for (int k = 0; k < REGION_COLUMNS; k++)
        scope_hide(&scope, profile_column_names[k],
                   "is a column of a profile's regions: sum it in a metric, and carve by that");
    return expr_bind(condition, &scope, d);
}

/* --- columns ---------------------------------------------------------------------------------- */

static bool unknown_metric(const CarvePlan *p, const CarveCriterion *k, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    const Scope scope = metricset_scope(a, p->rows->metrics);
    return diag_error(d, k->at, "unknown metric '%s'%s", k->name,
                      diag_meant(d, scope_closest(&scope, k->name)));
}

/* Finds or adds the column of a metric or profile field, still without values. */
static bool find_column(CarvePlan *p, const CarveCriterion *k, ColumnId *out, Diag *d)
{
    const MetricSet *metrics = p->rows->metrics;
    int m = metricset_find(metrics, k->name), field = profile_find(k->name);
    if (m < 0 && field < 0)
        return unknown_metric(p, k, d);
    if (m < 0 && k->direction == 0)
        return diag_error(d, k->at,
                          "'%s' is a field of the profile and has no direction: write 'higher %s' "
                          "or 'lower %s'",
                          k->name, k->name, k->name);
    bool up = k->direction ? k->direction > 0 : metrics->metrics.at[m].higher;
    for (size_t i = 0; i < p->columns.count; i++)
        if (strcmp(p->columns.at[i].name, k->name) == 0 && p->columns.at[i].up == up)
            return *out = i, true;
    const char *unit = m >= 0 ? metrics->metrics.at[m].unit : profile_fields[field].unit;
    VEC_PUSH(p->arena, &p->columns, ((Column){.name = k->name, .unit = unit, .up = up}));
    *out = p->columns.count - 1;
    return true;
}

/* --- stages ----------------------------------------------------------------------------------- */

/* The first line of the statement. */
static const char *stage_text(Arena *a, Span at)
{
    const char *text = at.source->text + at.offset;
    size_t size = 0;
    while (size < at.length && text[size] != '\n' && text[size] != '#')
        size++;
    while (size > 0 && text[size - 1] == ' ')
        size--;
    return arena_copy(a, text, size);
}

static bool open_stage(CarvePlan *p, const CarveStage *c, Stage *out, Diag *d)
{
    static const StageKind kinds[] = {[CARVE_THRESHOLD] = STAGE_HOLDS,
                                      [CARVE_WITHIN] = STAGE_WITHIN,
                                      [CARVE_FRONT] = STAGE_FRONT,
                                      [CARVE_BEST] = STAGE_FRONT};
    *out = (Stage){.kind = kinds[c->kind], .text = stage_text(p->arena, c->at)};
    ColumnId *ids = ARENA_ARRAY(p->arena, ColumnId, c->criterion_count);
    bool ok = c->kind != CARVE_THRESHOLD || bind_condition(p, c->condition, d);
    for (size_t i = 0; i < c->criterion_count; i++)
        ok = find_column(p, &c->criteria[i], &ids[i], d) && ok;
    out->columns = ids;
    out->column_count = c->criterion_count;
    out->percent = c->percent;
    out->ties = c->keep_ties ? FRONT_KEEP : FRONT_DROP;
    out->budget = carve_share(&p->request, (size_t)c->count);
    /* The best N by one metric are the first layers of a front of one criterion. */
    out->fill = c->kind == CARVE_BEST || c->fill;
    return ok;
}

/* By one number and not by layers of bound and latency: a launch takes about the larger of the two, and where
 * many share one of them, layers fill up with what is good at the other and still slow.  complete_default
 * sets the budget. */
static bool open_default(CarvePlan *p, Stage *out, Diag *d)
{
    CarveCriterion guess = {.name = p->request.guess, .direction = -1};
    ColumnId *id = ARENA_NEW(p->arena, ColumnId);
    *out = (Stage){.kind = STAGE_SPREAD, .text = "the default", .columns = id, .column_count = 1};
    return find_column(p, &guess, id, d);
}

bool carve_open(Arena *a, const CarveRequest *request, Table *rows, CarvePlan *out, Diag *d)
{
    CarvePlan *p = out;
    bool silent = request->count == 0, ok = true;
    *p = (CarvePlan){.arena = a, .request = *request, .rows = rows};
    p->polish = carve_share(request, request->polish);
    p->stage_count = silent ? 1 : request->count;
    p->stages = ARENA_ARRAY(a, Stage, p->stage_count);
    if (silent)
        return open_default(p, &p->stages[0], d);
    for (size_t i = 0; i < p->stage_count; i++)
        ok = open_stage(p, &request->stages[i], &p->stages[i], d) && ok;
    return ok;
}

/* --- evaluating conditions --------------------------------------------------------------------- */

/* A condition that is evaluated for each point. */
typedef struct Condition {
    const CarvePlan *plan;
    const Expr *expr;
    Arena *scratch; /* of one point */
    size_t unknown; /* points so far for which it cannot be computed */
    Diag *d;
} Condition;

/* All slots of a point, as bind_condition numbers them; without a value they are NaN, or of no kind. */
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

/* Why the condition cannot be computed for a point; NULL when it can.  A name without a value fails it before
 * it is evaluated, since "not (x > 1)" would be true. */
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
    SCOPED_ARENA *scratch = arena_new();
    for (size_t i = 0; i < p->request.count; i++) {
        Condition c = {p, p->request.stages[i].condition, scratch, 0, d};
        if (p->request.stages[i].kind == CARVE_THRESHOLD)
            evaluate_condition(&c, alive, &p->stages[i]);
    }
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

/* A budget counts what is timed: distinct codes, polish included.  Parts are about alike. */
static void complete_default(CarvePlan *p, const bool *alive)
{
    size_t distinct = 0, parts = p->request.parts > 1 ? p->request.parts : 1;
    for (size_t i = 0; i < p->rows->count; i++)
        distinct += alive[i];
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

/* The column of the last stage if it is its only one and a time, so that a better prediction also guides
 * polish; else the metric that stands for the time. */
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
