/* Names of carving statements: columns, conditions, stages still without values. */
#include "tuner/choose/carve.h"

#include "metrics/base/vec.h"

#include <string.h>

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

/* Integers are doubles here, as all numbers of a condition. */
static ValueKind real_kind(ValueKind k)
{
    return k == VALUE_INT ? VALUE_REAL : k;
}

/* A condition goes over configurations, not over the regions of one. */
static bool is_region_column(const char *name)
{
    return word_place(name, profile_region_names(), REGION_COLUMNS) < SIZE_MAX;
}

static bool find_name(void *context, const char *name, int *slot, ValueKind *kind,
                      const char **reason)
{
    Table *t = context;
    Scope metrics = metricset_scope(t->metrics), own = table_scope(t);
    if (metrics.find(metrics.context, name, slot, kind, reason))
        return true;
    if (is_region_column(name))
        *reason = "is of the regions of a profile: add it up in a metric, and carve by that";
    if (!own.find(own.context, name, slot, kind, reason))
        return false;
    *slot += (int)metricset_slot_count(t->metrics);
    *kind = real_kind(*kind);
    return true;
}

static size_t list_names(void *context, const char **out, size_t room)
{
    Table *t = context;
    Scope metrics = metricset_scope(t->metrics), own = table_scope(t);
    size_t count = metrics.names(metrics.context, out, room);
    return count + own.names(own.context, out + count, room - count);
}

/* Finds a name as conditions do: among the metrics' names, then the own ones. */
static Scope carve_scope(CarvePlan *plan)
{
    return (Scope){.context = plan->rows, .find = find_name, .names = list_names, .real = true};
}

static bool bind_condition(CarvePlan *p, Expr *condition, Diag *d)
{
    Scope scope = carve_scope(p);
    return expr_bind(condition, &scope, d);
}

/* --- columns ---------------------------------------------------------------------------------- */

static bool unknown_metric(const CarvePlan *p, const CarveCriterion *k, Diag *d)
{
    const char *names[SCOPE_NAMES];
    Scope scope = metricset_scope(p->rows->metrics);
    const size_t count = scope.names(scope.context, names, SCOPE_NAMES);
    return diag_error(d, k->at, "unknown metric '%s'%s", k->name,
                      diag_meant(d, name_closest(k->name, names, count)));
}

/* The column of a metric or profile field, still without values; added when it is not there yet. */
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
    const char *unit =
        m >= 0 ? metrics->metrics.at[m].unit : profile_info((ProfileField)field)->unit;
    VEC_PUSH(p->arena, &p->columns, ((Column){.name = k->name, .unit = unit, .up = up}));
    *out = p->columns.count - 1;
    return true;
}

/* --- stages ----------------------------------------------------------------------------------- */

/* The statement as it is written: its first line. */
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

/* One number and not the layers of bound and latency: a launch takes about the larger of the two,
 * and where one of them is the same for many, layers fill up with what is good at the other and
 * slow all the same.  How many it keeps is known when the points are. */
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
