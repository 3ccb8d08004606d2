#include "tuner/study/judge.h"

#include "tuner/choose/random.h"
#include "tuner/study/order.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

double *judge_times(Arena *a, const Table *s)
{
    double *times = ARENA_ARRAY(a, double, s->count);
    for (size_t i = 0; i < s->count; i++)
        times[i] = s->same_as[i] == i ? s->ms[i] : NAN;
    return times;
}

/* Sums over the distinct points, all and chosen ones. */
typedef struct Sums {
    size_t near, near_chosen;
    double ms, ms_chosen;
} Sums;

static Sums add_up(const Table *s, const bool *chosen, Judgement *j)
{
    Sums sums = {0};
    double limit = s->ms[s->best] * (1 + JUDGE_NEAR);
    for (size_t i = 0; i < s->count; i++) {
        if (s->same_as[i] != i)
            continue;
        if (isnan(s->ms[i])) {
            j->unknown += chosen[i];
            continue;
        }
        bool near = s->ms[i] <= limit;
        sums.near += near;
        sums.ms += s->ms[i];
        if (!chosen[i])
            continue;
        sums.near_chosen += near;
        sums.ms_chosen += s->ms[i];
        j->chosen++;
        if (j->best == SIZE_MAX || s->ms[i] < s->ms[j->best])
            j->best = i;
    }
    return sums;
}

static size_t rank_of(const Table *s, double ms)
{
    size_t rank = 1;
    for (size_t i = 0; i < s->count; i++)
        rank += s->same_as[i] == i && s->ms[i] < ms;
    return rank;
}

double judge_random_regret(const Table *s, size_t sample)
{
    double regret = random_sorted_without(s->sorted, s->distinct, sample) / s->ms[s->best] - 1;
    return regret > 0 || isnan(regret) ? regret : 0; /* a rounding below the best */
}

Judgement judge(const Table *s, const bool *chosen)
{
    Judgement j = {.best = SIZE_MAX,
                   .best_ms = NAN,
                   .regret = NAN,
                   .space_reduction = NAN,
                   .time_reduction = NAN,
                   .random_regret = NAN};
    if (s->best == SIZE_MAX)
        return j;
    Sums sums = add_up(s, chosen, &j);
    j.recall = (double)sums.near_chosen / (double)sums.near;
    if (j.best == SIZE_MAX)
        return j;
    j.space_reduction = 1 - (double)j.chosen / (double)s->distinct;
    j.time_reduction = 1 - sums.ms_chosen / sums.ms;
    j.best_ms = s->ms[j.best];
    j.regret = j.best_ms / s->ms[s->best] - 1;
    j.found = !(j.best_ms > s->ms[s->best]);
    j.rank = rank_of(s, j.best_ms);
    j.random_regret = judge_random_regret(s, j.chosen);
    return j;
}

/* --- samples ---------------------------------------------------------------------------------- */

typedef double ExpectedBest(const double *sorted, size_t count, size_t sample);

/* The expected best only falls as the sample grows. */
static size_t sample_for(ExpectedBest *expected, const double *sorted, size_t count,
                         double performance, size_t most)
{
    if (count == 0)
        return 0;
    if (!(sorted[0] / expected(sorted, count, most) >= performance))
        return most;
    size_t low = 1, high = most;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[0] / expected(sorted, count, middle) >= performance)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

size_t judge_sample_for(const double *sorted, size_t count, double performance)
{
    return sample_for(random_sorted_without, sorted, count, performance, count);
}

size_t judge_draws_for(const double *sorted, size_t count, double performance, size_t limit)
{
    return sample_for(random_sorted_with, sorted, count, performance, limit);
}

/* --- metrics ---------------------------------------------------------------------------------- */

double judge_rank_correlation(Arena *scratch, const double *x, const double *y, size_t n)
{
    double *p = ARENA_ARRAY(scratch, double, n), *q = ARENA_ARRAY(scratch, double, n);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]))
            continue;
        p[count] = x[i];
        q[count++] = y[i];
    }
    if (count < 3)
        return NAN;
    order_ranks(scratch, p, count, p);
    order_ranks(scratch, q, count, q);
    return gsl_stats_correlation(p, 1, q, 1, count);
}

size_t judge_place(const double *values, size_t n, bool up, size_t i)
{
    if (isnan(values[i]))
        return 0;
    size_t place = 0;
    for (size_t k = 0; k < n; k++)
        place += up ? values[k] >= values[i] : values[k] <= values[i];
    return place;
}
