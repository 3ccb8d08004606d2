#include "tuner/study/choices.h"

#include "tuner/choose/polish.h"

/* --- a recorded space in the order of its spec ------------------------------------------------ */

static int row_compare(const void *pa, const void *pb, void *context)
{
    const Table *s = context;
    size_t a = *(const size_t *)pa, b = *(const size_t *)pb, n = s->parameter_count;
    for (size_t p = 0; p < n; p++)
        if (s->values[a * n + p] != s->values[b * n + p])
            return s->values[a * n + p] < s->values[b * n + p] ? -1 : 1;
    return (a > b) - (a < b);
}

/* Sorts the rows into the order of the spec, with values rising as specs list them.  A run carves in that
 * order and takes the first of ties; a recording has the order of timing. */
static Table *line_up(Arena *a, Table *s)
{
    SCOPED_ARENA *scratch = arena_new();
    size_t *rows = ARENA_ARRAY(scratch, size_t, s->count);
    for (size_t k = 0; k < s->count; k++)
        rows[k] = k;
    if (s->count > 1)
        qsort_r(rows, s->count, sizeof *rows, row_compare, s);
    return table_take(a, s, rows, s->count);
}

/* Marks what may be timed: the first row of each code. */
static void find_alive(Choices *c)
{
    const Table *l = c->lined;
    bool *met = ARENA_ARRAY(c->arena, bool, l->count);
    c->alive = ARENA_ARRAY(c->arena, bool, l->count);
    for (size_t k = 0; k < l->count; k++) {
        size_t same = l->same_as[k];
        c->alive[k] = table_profile(l, k) && !met[same];
        met[same] = met[same] || c->alive[k];
        c->distinct += c->alive[k];
    }
}

Choices choices_new(Arena *a, Table *s, const char *guess)
{
    Choices c = {.arena = a, .set = s, .guess = guess, .lined = line_up(a, s)};
    find_alive(&c);
    return c;
}

/* --- one choice ------------------------------------------------------------------------------- */

/* The time of the configuration itself, as a run would find it; else that of the same code. */
static double time_of(const Table *l, size_t k)
{
    return isnan(l->ms[k]) ? l->ms[l->same_as[k]] : l->ms[k];
}

typedef struct Polishing {
    const Table *lined;
    bool *chosen; /* per row */
} Polishing;

static bool look_up(void *context, const size_t *rows, size_t count, double *times)
{
    const Polishing *p = context;
    for (size_t n = 0; n < count; n++) {
        p->chosen[rows[n]] = true;
        times[rows[n]] = time_of(p->lined, rows[n]);
    }
    return true;
}

/* Maps rows of `lined` to the distinct rows of the set that represent them. */
static const bool *points_at(const Choices *c, const bool *lined)
{
    bool *out = ARENA_ARRAY(c->arena, bool, c->set->count);
    for (size_t k = 0; k < c->lined->count; k++)
        if (lined[k])
            out[c->set->same_as[c->lined->number[k]]] = true;
    return out;
}

static const bool *thresholded(Arena *scratch, const Choices *c, const Carving *carving)
{
    bool *out = ARENA_ARRAY(scratch, bool, c->lined->count);
    for (size_t k = 0; k < c->lined->count; k++) {
        Outcome kind = carving->fates[k].kind;
        out[k] = c->alive[k] && (kind == OUTCOME_FAILS || kind == OUTCOME_BEYOND);
    }
    return points_at(c, out);
}

static const StudyStage *stages_of(Arena *a, const Carving *c)
{
    StudyStage *out = ARENA_ARRAY(a, StudyStage, c->stage_count);
    for (size_t s = 0; s < c->stage_count; s++)
        out[s] = (StudyStage){arena_string(a, c->stages[s].text), c->reports[s]};
    return out;
}

static StudyChoice carve(Arena *scratch, const Choices *c, CarvePlan *plan, Diag *d)
{
    const Table *l = c->lined;
    Carving carving = carve_apply(plan, c->alive, d);
    bool *chosen = ARENA_ARRAY(scratch, bool, l->count), ok;
    double *times = ARENA_ARRAY(scratch, double, l->count);
    for (size_t k = 0; k < carving.survivor_count; k++)
        chosen[carving.survivors[k]] = true;
    for (size_t k = 0; k < l->count; k++)
        times[k] = chosen[k] ? time_of(l, k) : NAN;
    StudyChoice out = {.survives = points_at(c, chosen),
                       .thresholded = thresholded(scratch, c, &carving),
                       .stages = stages_of(c->arena, &carving),
                       .stage_count = carving.stage_count};
    PosteriorInput in = carve_polish_input(plan, &carving, c->alive);
    out.polished = polish_spend(scratch, &in, chosen, times, plan->polish, look_up,
                                &(Polishing){l, chosen}, &ok);
    out.chosen = points_at(c, chosen);
    const Stage *front = carve_tradeoff(plan);
    for (size_t k = 0; front && k < 2; k++)
        out.criteria[k] = arena_string(c->arena, plan->columns.at[front->columns[k]].name);
    return out;
}

bool choices_add(Choices *c, const char *name, const Source *text, Diag *d)
{
    SCOPED_ARENA *scratch = arena_new();
    SpecCarving said = {0};
    CarvePlan plan;
    bool ok = !text || spec_parse_carving(scratch, text, &said, d);
    CarveRequest request = {said.stages, said.count, (size_t)said.polish, c->guess, 1};
    ok = ok && carve_open(scratch, &request, c->lined, &plan, d);
    if (ok) {
        StudyChoice choice = carve(scratch, c, &plan, d);
        choice.name = name;
        VEC_PUSH(c->arena, c, choice);
    }
    return ok;
}

/* --- shipped ones ----------------------------------------------------------------------------- */

static const Source *source_of(Arena *a, const char *text)
{
    return source_new(a, "a shipped carving", text, strlen(text));
}

bool choices_add_shipped(Choices *c, Diag *d)
{
    Arena *a = c->arena;
    size_t budget = budget_default(c->distinct);
    const char *best = arena_printf(a, "best %zu by %s", budget > 0 ? budget : 1, c->guess);
    return choices_add(c, "default", NULL, d) &&
           choices_add(c, arena_printf(a, "best by %s", c->guess), source_of(a, best), d) &&
           choices_add(c, "thesis front", source_of(a, "front efficiency, utilization_simple"), d);
}
