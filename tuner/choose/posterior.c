#include "tuner/choose/posterior.h"

#include <math.h>

/* Effects of one parameter; if it has more values, neighbours share one. */
enum { EFFECTS_MOST = 64 };

/* Residuals are clamped to this, in logarithms and relative to the median: a larger one has a reason of its
 * own, which says nothing about other points. */
static const double residual_most = 5 * PRIOR_SHARED;

struct Posterior {
    PosteriorInput in;
    size_t parameters;  /* with several values among the points */
    uint32_t *effect;   /* points × parameters: the effect that applies */
    size_t effects;     /* in all */
    double *log_guess;  /* per point */
    double *covariance; /* effects × effects, posterior */
    double *mean;       /* of the effects; zero at first */
    double *expected;   /* per point: its expected log time */
    double *deviation;  /* per point: as last computed; now it is no larger */
    bool *chosen;       /* per point */
    double *scratch;    /* effects, twice */
};

size_t posterior_distance(const PosteriorInput *in, size_t i, size_t j)
{
    const uint32_t *x = in->values + i * in->parameters, *y = in->values + j * in->parameters;
    size_t n = 0;
    for (size_t k = 0; k < in->parameters; k++)
        n += x[k] != y[k];
    return n;
}

/* --- guesses and effects ---------------------------------------------------------------------- */

static bool is_alive(const PosteriorInput *in, size_t i)
{
    return !in->alive || in->alive[i];
}

static bool is_known(double guess)
{
    return isfinite(guess) && guess > 0;
}

static void take_guesses(Arena *a, Posterior *b)
{
    const PosteriorInput *in = &b->in;
    double worst = NAN;
    for (size_t i = 0; i < in->points; i++)
        if (is_alive(in, i) && is_known(in->guess[i]))
            worst = fmax(worst, in->guess[i]);
    b->log_guess = ARENA_ARRAY(a, double, in->points);
    for (size_t i = 0; i < in->points; i++)
        b->log_guess[i] = log(is_known(in->guess[i]) ? in->guess[i] : isnan(worst) ? 1 : worst);
}

/* The values that a parameter has among the alive points. */
typedef struct Range {
    size_t least, most;
} Range;

static Range range_of(const PosteriorInput *in, size_t p)
{
    Range r = {SIZE_MAX, 0};
    for (size_t i = 0; i < in->points; i++) {
        size_t value = in->values[i * in->parameters + p];
        if (!is_alive(in, i))
            continue;
        r.least = value < r.least ? value : r.least;
        r.most = value > r.most ? value : r.most;
    }
    return r;
}

/* Numbers the effects, parameter by parameter.  A parameter with a single value has none, since it could not
 * be told from the constant. */
static void number_effects(Arena *a, Posterior *b)
{
    const PosteriorInput *in = &b->in;
    b->effect = ARENA_ARRAY(a, uint32_t, in->points * in->parameters);
    for (size_t p = 0; p < in->parameters; p++) {
        Range r = range_of(in, p);
        if (r.least >= r.most)
            continue;
        size_t span = r.most - r.least + 1, count = span < EFFECTS_MOST ? span : EFFECTS_MOST;
        for (size_t i = 0; i < in->points; i++) {
            size_t value = in->values[i * in->parameters + p] - r.least;
            if (is_alive(in, i))
                b->effect[i * in->parameters + b->parameters] =
                    (uint32_t)(b->effects + value * count / span);
        }
        b->effects += count;
        b->parameters++;
    }
}

/* --- one point -------------------------------------------------------------------------------- */

static const uint32_t *effects_of(const Posterior *b, size_t point)
{
    return b->effect + point * b->in.parameters;
}

static double log_time(const Posterior *b, size_t point)
{
    double sum = b->log_guess[point];
    for (size_t p = 0; p < b->parameters; p++)
        sum += b->mean[effects_of(b, point)[p]];
    return sum;
}

/* Standard deviation of the log time: of the sum of effects and the residual. */
static double deviation(const Posterior *b, size_t point)
{
    const uint32_t *e = effects_of(b, point);
    double variance = PRIOR_OWN * PRIOR_OWN;
    for (size_t p = 0; p < b->parameters; p++)
        for (size_t q = 0; q < b->parameters; q++)
            variance += b->covariance[e[p] * b->effects + e[q]];
    return sqrt(fmax(variance, 0));
}

static void predict_all(Posterior *b)
{
    for (size_t i = 0; i < b->in.points; i++)
        b->expected[i] = log_time(b, i);
}

Posterior *posterior_new(Arena *a, const PosteriorInput *in)
{
    Posterior *b = ARENA_NEW(a, Posterior);
    b->in = *in;
    take_guesses(a, b);
    number_effects(a, b);
    size_t n = b->effects;
    b->covariance = ARENA_ARRAY(a, double, n *n);
    b->mean = ARENA_ARRAY(a, double, n);
    b->scratch = ARENA_ARRAY(a, double, 2 * n);
    b->chosen = ARENA_ARRAY(a, bool, in->points);
    b->expected = ARENA_ARRAY(a, double, in->points);
    b->deviation = ARENA_ARRAY(a, double, in->points);
    for (size_t i = 0; i < in->points; i++)
        b->deviation[i] = INFINITY;
    for (size_t e = 0; e < n; e++)
        b->covariance[e * n + e] = PRIOR_SHARED * PRIOR_SHARED / (double)b->parameters;
    predict_all(b);
    return b;
}

/* --- choosing --------------------------------------------------------------------------------- */

/* By rounding, a later deviation may exceed an earlier one by this. */
static const double rounding_most = 1e-9;

size_t posterior_next(Posterior *b, const bool *among)
{
    size_t next = POINT_NONE;
    double least = INFINITY;
    for (size_t i = 0; i < b->in.points; i++) {
        if (!is_alive(&b->in, i) || b->chosen[i] || (among && !among[i]))
            continue;
        if (b->expected[i] - b->deviation[i] - rounding_most > least)
            continue; /* its bound is too high even with the older, larger deviation */
        b->deviation[i] = deviation(b, i);
        double lucky = b->expected[i] - b->deviation[i];
        if (lucky < least) {
            least = lucky;
            next = i;
        }
    }
    return next;
}

/* The covariance after one more time, whose residual is noise: C - (C x)(C x)' / (x' C x + noise), where x
 * has a one for each effect of the point. */
void posterior_choose(Posterior *b, size_t point)
{
    size_t n = b->effects;
    const uint32_t *e = effects_of(b, point);
    double *cx = b->scratch, total = PRIOR_OWN * PRIOR_OWN;
    b->chosen[point] = true;
    for (size_t k = 0; k < n; k++) {
        cx[k] = 0;
        for (size_t p = 0; p < b->parameters; p++)
            cx[k] += b->covariance[k * n + e[p]];
    }
    for (size_t p = 0; p < b->parameters; p++)
        total += cx[e[p]];
    for (size_t k = 0; k < n; k++)
        for (size_t m = 0; m < n; m++)
            b->covariance[k * n + m] -= cx[k] * cx[m] / total;
}

/* --- learning --------------------------------------------------------------------------------- */

static bool is_timed(const Posterior *b, const double *times, size_t i)
{
    return b->chosen[i] && is_known(times[i]);
}

static double residual(const Posterior *b, const double *times, size_t i)
{
    return log(times[i]) - b->log_guess[i];
}

/* The constant c is the median of all residuals; NaN without any. */
static double median_residual(const Posterior *b, const double *times)
{
    SCOPED_ARENA *a = arena_new();
    double *all = ARENA_ARRAY(a, double, b->in.points);
    size_t count = 0;
    for (size_t i = 0; i < b->in.points; i++)
        if (is_timed(b, times, i))
            all[count++] = residual(b, times, i);
    return stats_median(all, count);
}

/* Mean of the effects: C times the sum of x (residual - c) / noise. */
void posterior_learn(Posterior *b, const double *times)
{
    size_t n = b->effects;
    double c = median_residual(b, times), *sum = b->scratch + n;
    for (size_t k = 0; k < n; k++)
        sum[k] = 0;
    for (size_t i = 0; i < b->in.points; i++) {
        if (!is_timed(b, times, i))
            continue;
        double more = fmax(-residual_most, fmin(residual_most, residual(b, times, i) - c));
        for (size_t p = 0; p < b->parameters; p++)
            sum[effects_of(b, i)[p]] += more / (PRIOR_OWN * PRIOR_OWN);
    }
    for (size_t k = 0; k < n; k++) {
        b->mean[k] = 0;
        for (size_t m = 0; m < n; m++)
            b->mean[k] += b->covariance[k * n + m] * sum[m];
    }
    predict_all(b);
}
