#include "tuner/study/choices.h"

#include "metrics/base/vec.h"
#include "tuner/choose/budget.h"
#include "tuner/choose/polish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- a recorded space as carving sees it ------------------------------------------------------ */

/* A run carves configurations in the order of its spec, values rising as specs list them, and of
 * equals takes the first.  Rows stand as they were timed, so they are put in that order: then a
 * study carves what a run does. */
typedef struct Lined {
    const PointSet *set;
    size_t *at;         /* per place in that order: which point of the set */
    bool *alive;        /* per place: what may be timed, the first of each code */
    size_t distinct;    /* places alive */
    uint16_t *values;   /* per place and parameter: which value it has, by number */
    const char **names; /* per place */
} Lined;

static int value_compare(const RecordValue *a, const RecordValue *b)
{
    if (a->text && b->text)
        return strcmp(a->text, b->text);
    return (a->number > b->number) - (a->number < b->number);
}

static int point_compare(const void *pa, const void *pb, void *context)
{
    const Lined *l = context;
    const PointSet *s = l->set;
    size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    for (size_t p = 0; p < s->parameter_count; p++) {
        int order = value_compare(&s->values[a][p], &s->values[b][p]);
        if (order != 0)
            return order;
    }
    return (a > b) - (a < b);
}

static void line_up(Arena *a, Lined *l)
{
    size_t n = l->set->count;
    l->at = ARENA_ARRAY(a, size_t, n);
    l->names = ARENA_ARRAY(a, const char *, n);
    for (size_t k = 0; k < n; k++)
        l->at[k] = k;
    if (n > 1)
        qsort_r(l->at, n, sizeof *l->at, point_compare, l);
    for (size_t k = 0; k < n; k++)
        l->names[k] = l->set->names[l->at[k]];
}

static void find_alive(Arena *a, Lined *l)
{
    const PointSet *s = l->set;
    bool *met = ARENA_ARRAY(a, bool, s->count);
    l->alive = ARENA_ARRAY(a, bool, s->count);
    for (size_t k = 0; k < s->count; k++) {
        size_t i = l->at[k], same = s->same_as[i];
        l->alive[k] = s->profiles[i] && !met[same];
        met[same] = met[same] || l->alive[k];
        l->distinct += l->alive[k];
    }
}

typedef VEC(RecordValue) Values;

/* Place of a value among rising ones; that of the next larger where it is not there. */
static size_t find_value(const Values *v, const RecordValue *x)
{
    size_t low = 0, high = v->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (value_compare(&v->at[middle], x) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void note_value(Arena *a, Values *v, const RecordValue *x)
{
    size_t at = find_value(v, x);
    if (at < v->count && value_compare(&v->at[at], x) == 0)
        return;
    VEC_PUSH(a, v, *x);
    memmove(v->at + at + 1, v->at + at, (v->count - 1 - at) * sizeof *v->at);
    v->at[at] = *x;
}

static void number_values(Arena *a, Lined *l)
{
    const PointSet *s = l->set;
    Arena *scratch = arena_new();
    l->values = ARENA_ARRAY(a, uint16_t, s->count * s->parameter_count);
    for (size_t p = 0; p < s->parameter_count; p++) {
        Values met = {0};
        for (size_t i = 0; i < s->count; i++)
            note_value(scratch, &met, &s->values[i][p]);
        for (size_t k = 0; k < s->count; k++) {
            size_t number = find_value(&met, &s->values[l->at[k]][p]);
            l->values[k * s->parameter_count + p] =
                (uint16_t)(number < UINT16_MAX ? number : UINT16_MAX);
        }
    }
    arena_free(scratch);
}

/* --- names and values ------------------------------------------------------------------------- */

static const Profile *place_profile(void *context, size_t k)
{
    const Lined *l = context;
    return l->set->profiles[l->at[k]];
}

static double place_metric(void *context, size_t metric, size_t k)
{
    const Lined *l = context;
    return l->set->metric[metric][l->at[k]];
}

/* Own names: the problem's, then the parameters. */
static Value value_of(const RecordValue *v)
{
    return v->text ? value_string(v->text) : value_int(v->number);
}

static const Value *place_own(void *context, Arena *scratch, size_t k)
{
    const Lined *l = context;
    const PointSet *s = l->set;
    Value *own = ARENA_ARRAY(scratch, Value, s->size_count + s->parameter_count);
    for (size_t i = 0; i < s->size_count; i++)
        own[i] = value_of(&s->sizes[i].value);
    for (size_t p = 0; p < s->parameter_count; p++)
        own[s->size_count + p] = value_of(&s->values[l->at[k]][p]);
    return own;
}

static bool find_name(void *context, const char *name, int *slot, ValueKind *kind,
                      const char **reason)
{
    const PointSet *s = ((const Lined *)context)->set;
    (void)reason;
    for (size_t i = 0; i < s->size_count; i++) {
        if (strcmp(s->sizes[i].name, name) != 0)
            continue;
        *slot = (int)i;
        *kind = s->sizes[i].value.text ? VALUE_STRING : VALUE_INT;
        return true;
    }
    for (size_t p = 0; p < s->parameter_count; p++) {
        if (strcmp(s->parameters[p].name, name) != 0)
            continue;
        *slot = (int)(s->size_count + p);
        *kind = s->parameters[p].is_text ? VALUE_STRING : VALUE_INT;
        return true;
    }
    return false;
}

static size_t list_names(void *context, const char **out, size_t room)
{
    const PointSet *s = ((const Lined *)context)->set;
    size_t n = s->parameter_count < room ? s->parameter_count : room;
    for (size_t p = 0; p < n; p++)
        out[p] = s->parameters[p].name;
    return n;
}

Choices choices_new(Arena *a, const PointSet *s, MetricSet *metrics, const char *guess)
{
    Lined *l = ARENA_NEW(a, Lined);
    l->set = s;
    line_up(a, l);
    find_alive(a, l);
    number_values(a, l);
    return (Choices){.arena = a, .set = s, .metrics = metrics, .guess = guess, .lined = l};
}

/* --- one choice ------------------------------------------------------------------------------- */

/* The time of the very configuration, as a run would find it; else that of the same code. */
static double time_of(const Lined *l, size_t k)
{
    const PointSet *s = l->set;
    double own = s->ms[l->at[k]];
    return isnan(own) ? s->ms[s->same_as[l->at[k]]] : own;
}

typedef struct Polishing {
    const Lined *lined;
    bool *chosen; /* per place */
} Polishing;

static bool look_up(void *context, const size_t *places, size_t count, double *times)
{
    const Polishing *p = context;
    for (size_t n = 0; n < count; n++) {
        p->chosen[places[n]] = true;
        times[places[n]] = time_of(p->lined, places[n]);
    }
    return true;
}

/* Places as the points that stand for them. */
static const bool *points_at(Arena *a, const Lined *l, const bool *places)
{
    bool *out = ARENA_ARRAY(a, bool, l->set->count);
    for (size_t k = 0; k < l->set->count; k++)
        if (places[k])
            out[l->set->same_as[l->at[k]]] = true;
    return out;
}

static const bool *thresholded(Arena *a, const Lined *l, const Carving *c)
{
    bool *out = ARENA_ARRAY(a, bool, l->set->count);
    for (size_t k = 0; k < l->set->count; k++) {
        Outcome kind = c->fates[k].kind;
        if (l->alive[k] && (kind == OUTCOME_FAILS || kind == OUTCOME_BEYOND))
            out[l->set->same_as[l->at[k]]] = true;
    }
    return out;
}

static const StudyStage *stages_of(Arena *a, const Carving *c)
{
    StudyStage *out = ARENA_ARRAY(a, StudyStage, c->stage_count);
    for (size_t s = 0; s < c->stage_count; s++)
        out[s] = (StudyStage){arena_string(a, c->stages[s].text), c->reports[s]};
    return out;
}

/* The first two criteria of the first front. */
static void name_criteria(Arena *a, const CarvePlan *plan, StudyChoice *out)
{
    for (size_t s = 0; s < plan->stage_count; s++) {
        const Stage *stage = &plan->stages[s];
        if (stage->kind != STAGE_FRONT || stage->column_count < 2)
            continue;
        for (size_t k = 0; k < 2; k++)
            out->criteria[k] = arena_string(a, plan->columns.at[stage->columns[k]].name);
        return;
    }
}

static StudyChoice carve(Arena *scratch, const Choices *c, CarvePlan *plan, Diag *d)
{
    Lined *l = c->lined;
    size_t n = l->set->count;
    CarvePoints points = {.context = l,
                          .count = n,
                          .device = l->set->device,
                          .profile = place_profile,
                          .metric = place_metric,
                          .own = place_own,
                          .names = l->names,
                          .values = l->values,
                          .parameters = l->set->parameter_count};
    Carving carving = carve_apply(plan, &points, l->alive, d);
    bool *chosen = ARENA_ARRAY(scratch, bool, n), ok;
    double *times = ARENA_ARRAY(scratch, double, n);
    for (size_t k = 0; k < carving.survivor_count; k++)
        chosen[carving.survivors[k]] = true;
    for (size_t k = 0; k < n; k++)
        times[k] = chosen[k] ? time_of(l, k) : NAN;
    StudyChoice out = {.survives = points_at(c->arena, l, chosen),
                       .thresholded = thresholded(c->arena, l, &carving),
                       .stages = stages_of(c->arena, &carving),
                       .stage_count = carving.stage_count};
    BeliefInput in = carve_polish_input(plan, &points, &carving, l->alive);
    out.polished = polish_spend(scratch, &in, chosen, times, plan->polish, look_up,
                                &(Polishing){l, chosen}, &ok);
    out.chosen = points_at(c->arena, l, chosen);
    name_criteria(c->arena, plan, &out);
    return out;
}

bool choices_add(Choices *c, const char *name, const Source *text, Diag *d)
{
    Arena *scratch = arena_new();
    SpecCarving said = {0};
    CarvePlan plan;
    CarveNames names = {.metrics = c->metrics,
                        .own = {.context = c->lined, .find = find_name, .names = list_names},
                        .own_slots = c->set->size_count + c->set->parameter_count};
    bool ok = !text || spec_parse_carving(scratch, text, &said, d);
    CarveRequest request = {said.stages, said.count, (size_t)said.polish, c->guess, 1};
    ok = ok && carve_open(scratch, &request, &names, &plan, d);
    if (ok) {
        StudyChoice choice = carve(scratch, c, &plan, d);
        choice.name = name;
        VEC_PUSH(c->arena, c, choice);
    }
    arena_free(scratch);
    return ok;
}

/* --- shipped ones ----------------------------------------------------------------------------- */

static const Source *source_of(Arena *a, const char *text)
{
    Source *s = ARENA_NEW(a, Source);
    *s = (Source){"a shipped carving", text, strlen(text)};
    return s;
}

bool choices_add_shipped(Choices *c, Diag *d)
{
    Arena *a = c->arena;
    size_t budget = budget_default(c->lined->distinct);
    const char *best = arena_printf(a, "best %zu by %s", budget > 0 ? budget : 1, c->guess);
    return choices_add(c, "default", NULL, d) &&
           choices_add(c, arena_printf(a, "best by %s", c->guess), source_of(a, best), d) &&
           choices_add(c, "thesis front", source_of(a, "front efficiency, utilization_simple"), d);
}
