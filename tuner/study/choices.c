#include "tuner/study/choices.h"

#include "metrics/base/vec.h"
#include "tuner/choose/budget.h"
#include "tuner/choose/carving.h"
#include "tuner/choose/polish.h"

#include <math.h>

/* Which value each parameter has, by number: as tuner/choose wants them. */
static const uint16_t *value_numbers(Arena *a, const PointSet *s)
{
    uint16_t *numbers = ARENA_ARRAY(a, uint16_t, s->count * s->parameter_count);
    for (size_t p = 0; p < s->parameter_count; p++) {
        VEC(RecordValue) seen = {0};
        for (size_t i = 0; i < s->count; i++) {
            size_t k = 0;
            while (k < seen.count && !record_value_equal(&seen.at[k], &s->values[i][p]))
                k++;
            if (k == seen.count)
                VEC_PUSH(a, &seen, s->values[i][p]);
            numbers[i * s->parameter_count + p] = (uint16_t)(k < UINT16_MAX ? k : UINT16_MAX);
        }
    }
    return numbers;
}

/* What may be timed: one of each code. */
static const bool *candidates(Arena *a, const PointSet *s, size_t *count)
{
    bool *alive = ARENA_ARRAY(a, bool, s->count);
    *count = 0;
    for (size_t i = 0; i < s->count; i++) {
        alive[i] = s->same_as[i] == i && s->profiles[i];
        *count += alive[i];
    }
    return alive;
}

static void carve(Arena *a, const BeliefInput *in, size_t budget, bool *chosen)
{
    Column column = {.name = "guess", .values = in->guess};
    CarvingTable table = {.columns = &column, .column_count = 1, .points = in->points};
    Stage stage = {.kind = STAGE_SPREAD,
                   .text = "",
                   .columns = &(ColumnId){0},
                   .column_count = 1,
                   .budget = budget > budget_polish(budget) ? budget - budget_polish(budget) : 1,
                   .values = in->values,
                   .parameters = in->parameters};
    Carving c = carving_run(a, &table, in->alive, &stage, 1);
    for (size_t k = 0; k < c.survivor_count; k++)
        chosen[c.survivors[k]] = true;
}

/* Polish as a run does it, the times looked up. */
static void polish(Arena *a, const PointSet *s, const BeliefInput *in, size_t most, bool *chosen)
{
    Polish p = polish_new(a, in);
    double *times = ARENA_ARRAY(a, double, s->count);
    size_t *batch = ARENA_ARRAY(a, size_t, most);
    for (size_t i = 0; i < s->count; i++) {
        times[i] = chosen[i] ? s->ms[i] : NAN;
        if (chosen[i])
            polish_note(&p, i);
    }
    for (size_t left = most, n; left > 0; left -= n) {
        n = polish_batch(&p, times, batch, polish_batch_size(left));
        if (n == 0)
            break;
        for (size_t k = 0; k < n; k++) {
            chosen[batch[k]] = true;
            times[batch[k]] = s->ms[batch[k]];
        }
    }
}

const bool *choice_default(Arena *a, const PointSet *s, const char *metric)
{
    bool *chosen = ARENA_ARRAY(a, bool, s->count);
    int m = metricset_find(s->metrics, metric);
    size_t distinct;
    const bool *alive = candidates(a, s, &distinct);
    if (m < 0 || distinct == 0)
        return chosen;
    BeliefInput in = {.guess = s->metric[m],
                      .alive = alive,
                      .points = s->count,
                      .values = value_numbers(a, s),
                      .parameters = s->parameter_count};
    size_t budget = budget_default(distinct);
    carve(a, &in, budget, chosen);
    polish(a, s, &in, budget_polish(budget), chosen);
    return chosen;
}

const bool *choice_best(Arena *a, const PointSet *s, const char *metric, size_t count)
{
    bool *chosen = ARENA_ARRAY(a, bool, s->count);
    int m = metricset_find(s->metrics, metric);
    if (m >= 0)
        study_best_by(s, s->metric[m], s->metrics->metrics.at[m].higher, count, chosen);
    return chosen;
}

/* Tradeoff carving (5.2.2) with the two metrics of 5.1 and 6.1. */
static const bool *choice_thesis(Arena *a, const PointSet *s)
{
    static const char *const names[] = {"efficiency", "utilization_simple"};
    bool *chosen = ARENA_ARRAY(a, bool, s->count);
    Column columns[2];
    ColumnId ids[] = {0, 1};
    size_t distinct;
    for (int k = 0; k < 2; k++) {
        int m = metricset_find(s->metrics, names[k]);
        if (m < 0)
            return chosen;
        columns[k] = (Column){.name = names[k], .values = s->metric[m], .up = true};
    }
    CarvingTable table = {.columns = columns, .column_count = 2, .points = s->count};
    Stage stage = {.kind = STAGE_FRONT, .text = "", .columns = ids, .column_count = 2};
    Carving c = carving_run(a, &table, candidates(a, s, &distinct), &stage, 1);
    for (size_t k = 0; k < c.survivor_count; k++)
        chosen[c.survivors[k]] = true;
    return chosen;
}

const StudyChoice *choices_shipped(Arena *a, const PointSet *s, const char *metric, size_t *count)
{
    StudyChoice *c = ARENA_ARRAY(a, StudyChoice, 3);
    size_t distinct;
    candidates(a, s, &distinct);
    c[0] = (StudyChoice){"default", choice_default(a, s, metric)};
    c[1] = (StudyChoice){arena_printf(a, "best by %s", metric),
                         choice_best(a, s, metric, budget_default(distinct))};
    c[2] = (StudyChoice){"thesis front", choice_thesis(a, s)};
    *count = 3;
    return c;
}
