#include "tuner/choose/cluster.h"

#include "tuner/choose/budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everybody alive stands for himself. */
static size_t *alone(Arena *a, const bool *alive, size_t points)
{
    size_t *representative = ARENA_ARRAY(a, size_t, points);
    for (size_t i = 0; i < points; i++)
        representative[i] = !alive || alive[i] ? i : POINT_NONE;
    return representative;
}

static bool value_alike(double p, double q, double epsilon)
{
    return p == q || fabs(p - q) <= epsilon * fmax(fabs(p), fabs(q));
}

static bool point_alike(const FrontInput *in, size_t i, size_t j, double epsilon)
{
    for (size_t k = 0; k < in->criteria_count; k++) {
        const double *v = in->criteria[k].values;
        /* Two infinities are alike only when equal; infinity is not near anything. */
        if (!value_alike(v[i], v[j], epsilon) || (isinf(v[i]) != isinf(v[j])))
            return false;
    }
    return true;
}

static bool has_values(const FrontInput *in, size_t i)
{
    for (size_t k = 0; k < in->criteria_count; k++) {
        if (isnan(in->criteria[k].values[i]))
            return false;
    }
    return !in->alive || in->alive[i];
}

/* The latest representative alike `point`; they stand in the order of the first criterion, so the
 * search ends where that one is too far away. */
static size_t find_alike(const FrontInput *in, const size_t *leaders, size_t count, size_t point,
                         double epsilon)
{
    const double *first = in->criteria[0].values;
    for (size_t i = count; i-- > 0;) {
        if (point_alike(in, leaders[i], point, epsilon))
            return leaders[i];
        bool done = epsilon <= 0 || !value_alike(first[leaders[i]], first[point], epsilon);
        if (done)
            break;
    }
    return POINT_NONE;
}

size_t *cluster_alike(Arena *a, const FrontInput *in, double epsilon)
{
    size_t *representative = alone(a, in->alive, in->points);
    size_t *order = ARENA_ARRAY(a, size_t, in->points);
    size_t *leaders = ARENA_ARRAY(a, size_t, in->points);
    size_t count = 0, leader_count = 0;
    for (size_t i = 0; i < in->points && in->criteria_count > 0; i++) {
        if (has_values(in, i))
            order[count++] = i;
    }
    budget_order(order, count, in->criteria, in->criteria_count);
    for (size_t i = 0; i < count; i++) {
        size_t leader = find_alike(in, leaders, leader_count, order[i], epsilon);
        if (leader != POINT_NONE) {
            representative[order[i]] = leader;
        } else {
            leaders[leader_count++] = order[i];
        }
    }
    return representative;
}
