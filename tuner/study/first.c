#include "tuner/study/first.h"

#include "tuner/choose/random.h"
#include "tuner/study/order.h"

#include <math.h>

static bool is_equal(double x, double y)
{
    return !(x < y) && !(x > y);
}

FirstBy first_by(Arena *a, const Table *s, const double *values, bool higher, size_t most)
{
    FirstBy f = {.sure = ARENA_ARRAY(a, bool, s->count), .tied = ARENA_ARRAY(a, bool, s->count)};
    Arena *scratch = arena_new();
    uint32_t *points = ARENA_ARRAY(scratch, uint32_t, s->count);
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->same_as[i] == i && !isnan(values[i]))
            points[n++] = (uint32_t)i;
    order_by(scratch, values, higher, points, n);
    bool splits = most > 0 && most < n && is_equal(values[points[most - 1]], values[points[most]]);
    double cut = splits ? values[points[most]] : NAN;
    for (size_t k = 0; k < n; k++) {
        bool equal = splits && is_equal(values[points[k]], cut);
        f.tied[points[k]] = equal;
        f.tied_count += equal;
        f.drawn += equal && k < most;
        f.sure[points[k]] = k < most && !equal;
    }
    arena_free(scratch);
    return f;
}

double first_best(Arena *scratch, const FirstBy *f, const double *ms, double sure_ms)
{
    double *best = ARENA_ARRAY(scratch, double, f->tied_count);
    if (f->drawn == 0)
        return isfinite(sure_ms) ? sure_ms : NAN;
    for (size_t i = 0, n = 0; n < f->tied_count; i++)
        if (f->tied[i])
            best[n++] = fmin(ms[i], sure_ms);
    return random_best_without(scratch, best, f->tied_count, f->drawn);
}

double first_regret(const Table *s, const FirstBy *f)
{
    if (s->best == SIZE_MAX)
        return NAN;
    Arena *scratch = arena_new();
    double sure_ms = INFINITY;
    for (size_t i = 0; i < s->count; i++)
        if (f->sure[i] && s->ms[i] < sure_ms)
            sure_ms = s->ms[i];
    double regret = first_best(scratch, f, s->ms, sure_ms) / s->ms[s->best] - 1;
    arena_free(scratch);
    return regret > 0 || isnan(regret) ? regret : 0; /* a rounding below the best */
}
