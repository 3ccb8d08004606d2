#include "tuner/study/choices.h"

#include <math.h>

static size_t default_budget(const PointSet *s)
{
    size_t n = s->count, least = n / 10 < 40 ? (n + 9) / 10 : 40;
    return n / 100 > least ? n / 100 : least;
}

static const bool *best_by(Arena *a, const PointSet *s, const char *metric, size_t budget)
{
    bool *chosen = ARENA_ARRAY(a, bool, s->count);
    int m = metricset_find(s->metrics, metric);
    if (m >= 0)
        study_best_by(s, s->metric[m], s->metrics->metrics.at[m].higher, budget, chosen);
    return chosen;
}

const StudyChoice *choices_shipped(Arena *a, const PointSet *s, size_t *count)
{
    StudyChoice *c = ARENA_ARRAY(a, StudyChoice, 2);
    c[0] = (StudyChoice){"predicted_cycles", best_by(a, s, "predicted_cycles", default_budget(s))};
    *count = 1;
    return c;
}
