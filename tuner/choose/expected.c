/* How many better ones a search expects among those that it has not timed. */
#include "tuner/choose/search_parts.h"

#include "metrics/base/stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* How a model's errors were spread so far, over its own deviations.  Faster than it said and slower
 * are two halves of normal deviates, since a model that looks for the fastest errs to one side;
 * each half's width is by its median, since now and then a model is off by fifty deviations, and
 * that says little of the next. */
typedef struct Spread {
    double faster;       /* share of the errors; NaN: there are too few */
    double below, above; /* deviations of either half */
} Spread;

/* What was not shown yet counts as three errors as they should be. */
static double half_width(double *errors, size_t count)
{
    static const double quartiles[] = {0.3186, 0.6745, 1.1503}; /* of a half normal deviate */
    for (int k = 0; k < 3; k++)
        errors[count + (size_t)k] = quartiles[k];
    return stats_median(errors, count + 3) / quartiles[1];
}

static Spread spread_of(const Errors *e)
{
    double side[2][ERRORS_KEPT + 3];
    size_t counts[2] = {0}, n = e->count < ERRORS_KEPT ? e->count : ERRORS_KEPT;
    for (size_t i = 0; i < n; i++) {
        bool slower = e->scaled[i] > 0;
        side[slower][counts[slower]++] = fabs(e->scaled[i]);
    }
    double faster = ((double)counts[0] + 1) / ((double)n + 2);
    return (Spread){n < STARTERS ? NAN : faster, half_width(side[0], counts[0]),
                    half_width(side[1], counts[1])};
}

/* Student's t of four degrees of freedom, which is wide where a normal deviate ends: now and then
 * code is predicted several times too slow, and it waits compiled. */
static double heavy_tail(double d)
{
    return gsl_cdf_tdist_P(d, 4);
}

static double chance(const Spread *s, double goal, const Belief *b, double (*tail)(double))
{
    double d = (goal - b->mean) / b->deviation;
    if (d < 0)
        return 2 * s->faster * tail(d / s->below);
    return s->faster + (1 - s->faster) * (2 * gsl_cdf_ugaussian_P(d / s->above) - 1);
}

/* The sums below are given up once they are `enough`. */
static double among_compiled(Search *s, double goal, double enough)
{
    double expected = 0;
    Spread spread = spread_of(&s->after);
    size_t *rows = memory_new((s->count + 1) * sizeof *rows), count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].state == ROW_COMPILED)
            rows[count++] = i;
    double *means = memory_new((count + 1) * sizeof *means);
    if (count > 0)
        believe_rows(s, &s->time_model, rows, count, means);
    for (size_t k = 0; k < count && expected < enough; k++) {
        Belief b = {means[k], believe_noisy_deviation(s, &s->time_model, rows[k])};
        expected += chance(&spread, goal, &b, heavy_tail);
    }
    free(means);
    free(rows);
    return expected;
}

typedef struct Left {
    double mean;
    double weight; /* candidates that it stands for */
    size_t point;
} Left;

static int left_compare(const void *pa, const void *pb)
{
    const Left *a = pa, *b = pb;
    return (a->mean > b->mean) - (a->mean < b->mean);
}

enum {
    SURE_LEFT = 300,  /* best means of what is left that are all looked at … */
    SPREAD_LEFT = 100 /* … and so many of the others, evenly */
};

static double chance_of(Search *s, const uint16_t *points, const Left *l, double goal,
                        const Spread *spread)
{
    const uint16_t *point = points + l->point * s->space.parameters;
    Belief b = {l->mean, believe_point_deviation(s, point)};
    return l->weight * chance(spread, goal, &b, gsl_cdf_ugaussian_P);
}

/* What was drawn at random stands for all that was not drawn. */
static double among_left(Search *s, double goal, double enough)
{
    size_t count, random;
    double *means, expected = 0;
    Spread spread = spread_of(&s->before);
    if (isnan(spread.faster) || !model_space(s))
        return NAN;
    const uint16_t *points = believe_choice(s, &count, &random, &means);
    double others = (candidates_left(s->candidates) - (double)(count - random)) / (double)random;
    Left *all = ARENA_ARRAY(s->scratch, Left, count);
    for (size_t i = 0; i < count; i++)
        all[i] = (Left){means[i], i < random ? others : 1, i};
    if (count > 1)
        qsort(all, count, sizeof *all, left_compare);
    size_t sure = count < SURE_LEFT ? count : SURE_LEFT, rest = count - sure;
    for (size_t k = 0; k < sure && expected < enough; k++)
        expected += chance_of(s, points, &all[k], goal, &spread);
    size_t looked = rest < SPREAD_LEFT ? rest : SPREAD_LEFT;
    for (size_t k = 0; k < looked && expected < enough; k++)
        expected +=
            (double)rest / (double)looked *
            chance_of(s, points, &all[sure + (2 * k + 1) * rest / (2 * looked)], goal, &spread);
    arena_reset(s->scratch);
    return expected;
}

static double look(Search *s, double enough)
{
    if (s->best == NO_NUMBER || !model_times(s, &s->time_model))
        return NAN;
    double goal = s->rows[s->best].time + log(0.99);
    double expected = among_compiled(s, goal, enough);
    if (expected < enough && candidates_left(s->candidates) > 0)
        expected += among_left(s, goal, enough - expected);
    return expected;
}

double expected_up_to(Search *s, double enough)
{
    bool whole = s->expected < s->expected_enough || isnan(s->expected);
    if (s->expected_timed == s->timed && (whole || enough <= s->expected_enough))
        return s->expected;
    s->expected = look(s, enough); /* it takes long, and compiles alone change little */
    s->expected_timed = s->timed;
    s->expected_enough = enough;
    return s->expected;
}

double search_expected(Search *s)
{
    return expected_up_to(s, INFINITY);
}
