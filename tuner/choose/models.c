/* The two models of a search: what they are fitted to, what they say, and how many better ones they expect
 * among those that are not timed. */
#include "tuner/choose/samples.h"
#include "tuner/choose/search_parts.h"

#include "metrics/base/stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double search_learned(const Search *s, const uint16_t *point)
{
    double learned = 0;
    if (s->options.learned)
        learned_means(s->options.learned, point, 1, &learned);
    return learned;
}

/* --- what a model is fitted to ---------------------------------------------------------------- */

double row_time(const Search *s, size_t i)
{
    const Row *r = &s->rows[s->rows[i].same_as];
    return r->state == ROW_TIMED ? r->time : NAN;
}

static const uint16_t *row_point(const Search *s, size_t i)
{
    return s->points + i * s->space.parameters;
}

/* The values that models look at, packed. */
static void pack(const Search *s, const uint16_t *point, uint16_t *out)
{
    if (s->parameters > 0)
        memcpy(out, point, s->parameters * sizeof *out);
}

/* Part of a prediction that is to be believed: an unsure one is drawn to the usual, as the mean of
 * a normal deviate is whose value was read with an error. */
static double trust(const Search *s, size_t i)
{
    double variance = s->rows[i].variance;
    return variance > 0 ? s->spread / (s->spread + variance) : 1;
}

/* What the code says of row `i`, against the usual; nothing where it says nothing. */
static double guess_of(const Search *s, size_t i)
{
    double guess = s->rows[i].predicted - s->usual;
    return isnan(guess) ? 0 : guess;
}

/* How many means a model begins with: what the code says, and what was learned elsewhere. */
static size_t mean_count(const Search *s, const Model *m)
{
    size_t learned = s->options.learned != NULL;
    return m == &s->time_model || m == &s->few_model ? 1 + learned
           : m == &s->space_model                    ? learned
                                                     : 0;
}

/* Beside them, where times are few, the shares of units: what the prediction of a unit is off by, a
 * time that consists of it is off by, too, wherever its parameters are. */
static size_t input_count(const Search *s, const Model *m)
{
    return mean_count(s, m) + (m == &s->few_model ? TABLE_PARTS : 0);
}

_Static_assert(2 + TABLE_PARTS <= PROCESS_INPUTS, "both means and all units");

/* They, of row `i`.  Few trials are not spent on what is least sure. */
static void set_inputs(const Search *s, const Model *m, size_t i, double *x)
{
    if (m == &s->time_model)
        *x++ = guess_of(s, i) * trust(s, i);
    if (m == &s->few_model)
        *x++ = guess_of(s, i);
    if (mean_count(s, m) > 0 && s->options.learned)
        *x++ = s->rows[i].learned;
    if (m == &s->few_model)
        memcpy(x, s->rows[i].shares, sizeof s->rows[i].shares);
}

/* --- fitting ---------------------------------------------------------------------------------- */

static ProcessData fill(Search *s, const Model *m, const Sample *all, size_t count, double blur)
{
    size_t inputs = input_count(s, m);
    uint16_t *points = ARENA_ARRAY(s->scratch, uint16_t, count * s->parameters);
    double *x = ARENA_ARRAY(s->scratch, double, count *inputs + 1),
           *y = ARENA_ARRAY(s->scratch, double, count),
           *variance = ARENA_ARRAY(s->scratch, double, count);
    for (size_t k = 0; k < count; k++) {
        pack(s, row_point(s, all[k].row), points + k * s->parameters);
        set_inputs(s, m, all[k].row, x + k * inputs);
        y[k] = all[k].y;
        variance[k] = sample_variance(&all[k], all[0].y, blur);
    }
    return (ProcessData){.count = count,
                         .parameters = s->parameters,
                         .points = points,
                         .inputs = inputs,
                         .x = x,
                         .y = y,
                         .variance = variance};
}

/* Shapes are looked for again when there are a third more values than the last time. */
static bool fit(Search *s, Model *m, const ProcessData *data, const ProcessShape *shapes,
                size_t count)
{
    bool again =
        !m->process || 10 * data->count >= 13 * m->shape_count || data->count < m->shape_count;
    arena_reset(m->arena);
    m->process = process_fit(m->arena, data, again ? shapes : &m->shape, again ? count : 1);
    m->version = s->version;
    if (!m->process)
        return false;
    if (again)
        m->shape_count = data->count;
    m->shape = *process_shape(m->process);
    return true;
}

enum { SHAPES = 128 }; /* at most */

/* By how many means there are, so many of these: where both are, what was learned may stand in for the
 * prediction, or for half of it, once times bear that out. */
static const ProcessShape mean_shapes[] = {
    {.slope = {1, 0}, .spread = {0.15, 0.15}},
    {.slope = {0, 0}, .spread = {0.3, 0.3}, .cost = 1.5},
    {.slope = {0, 1}, .spread = {0.15, 0.15}, .cost = 1.5},
    {.slope = {0.5, 0.5}, .spread = {0.3, 0.3}, .cost = 1.5},
};
static const size_t mean_kinds[] = {1, 2, 4};

static size_t time_shapes(ProcessShape *out, size_t means)
{
    static const double linear[] = {0.03, 0.1, 0.3, 1}, local[] = {0.02, 0.06, 0.2, 0.6};
    static const double noise[] = {0.01, 0.03};
    size_t n = 0;
    for (size_t b = 0; b < mean_kinds[means]; b++)
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++)
                for (int e = 0; e < 2; e++) {
                    out[n] = mean_shapes[b];
                    out[n].linear = linear[i];
                    out[n].local = local[k];
                    out[n].decay = 0.7;
                    out[n++].noise = noise[e];
                }
    return n;
}

/* So few times tell no shape from another.  Of half as much, this, and twice as much for each of the first
 * three, these find the most in tests/bench/bench_first.c, whichever shipped recording is left out of 24; without
 * any of four others, 0.04 and 0.025 do.  The unit's spread matters, the others hardly. */
static size_t few_shapes(ProcessShape *out, size_t means)
{
    static const double unit = 0.4, linear = 0.02, local = 0.05, noise = 0.02;
    for (size_t b = 0; b < mean_kinds[means]; b++) {
        out[b] = mean_shapes[b];
        out[b].linear = linear;
        out[b].local = local;
        out[b].decay = 0.7;
        out[b].noise = noise;
        for (size_t k = 0; k < TABLE_PARTS; k++)
            out[b].spread[means + k] = unit;
    }
    return mean_kinds[means];
}

/* The median prediction of what is timed; NaN without any. */
static double usual_prediction(Search *s, const Sample *timed, size_t count)
{
    double *all = ARENA_ARRAY(s->scratch, double, count);
    size_t n = 0;
    for (size_t k = 0; k < count; k++)
        if (!isnan(s->rows[timed[k].row].predicted))
            all[n++] = s->rows[timed[k].row].predicted;
    return stats_median(all, n);
}

static double prediction_spread(const Search *s)
{
    double sum = 0, squares = 0, n = 0;
    for (size_t i = 0; i < s->count; i++) {
        double x = s->rows[i].predicted;
        if (isnan(x))
            continue;
        sum += x;
        squares += x * x;
        n++;
    }
    return n > 1 ? fmax(0, squares / n - sum / n * (sum / n)) : 0;
}

bool model_times(Search *s, Model *m)
{
    if (m->process && m->version == s->version)
        return true;
    Sample *all = ARENA_ARRAY(s->scratch, Sample, s->count);
    size_t count = 0;
    for (size_t i = s->first; i < s->count; i++) {
        double y = row_time(s, i);
        if (!isnan(y))
            all[count++] = (Sample){i, y, 0};
    }
    bool few = m == &s->few_model;
    if (count < (few ? 1 : STARTERS)) {
        arena_reset(s->scratch);
        return false;
    }
    s->usual = usual_prediction(s, all, count);
    s->spread = prediction_spread(s);
    count = samples_thin(all, count, 120, 40);
    ProcessData data = fill(s, m, all, count, 0.25);
    ProcessShape shapes[SHAPES];
    size_t kinds = (few ? few_shapes : time_shapes)(shapes, mean_count(s, m));
    bool ok = fit(s, m, &data, shapes, kinds);
    arena_reset(s->scratch);
    return ok;
}

/* Rows of the space model: times, what the time model believes where there are none, and as long
 * as it believes nothing the predictions. */
static size_t space_samples(Search *s, bool timed, Sample *out)
{
    size_t count = 0, open = 0;
    size_t *rows = memory_new((s->count + 1) * sizeof *rows);
    for (size_t i = s->first; i < s->count; i++) {
        const Row *r = &s->rows[i];
        double y = timed ? row_time(s, i) : r->predicted;
        if (r->state == ROW_ASKED || r->state == ROW_FAILED ||
            s->rows[r->same_as].state == ROW_FAILED)
            continue;
        if (!isnan(y))
            out[count++] = (Sample){i, y, timed ? 0 : r->variance};
        else if (timed)
            rows[open++] = i;
    }
    double *means = memory_new((open + 1) * sizeof *means);
    if (open > 0)
        believe_rows(s, &s->time_model, rows, open, means);
    for (size_t k = 0; k < open; k++)
        out[count++] = (Sample){rows[k], means[k], 0};
    free(means);
    free(rows);
    return count;
}

static bool model_space(Search *s)
{
    Model *m = &s->space_model;
    if (m->process && m->version == s->version)
        return true;
    Sample *all = memory_new((s->count + 1) * sizeof *all);
    bool timed = model_times(s, &s->time_model);
    size_t count = space_samples(s, timed, all);
    if (count >= 2) {
        m->of_times = timed;
        count = samples_thin(all, count, SPACE_BEST, SPACE_SPREAD);
        ProcessData data = fill(s, m, all, count, space_blur);
        ProcessShape shapes[SPACE_SHAPES];
        fit(s, m, &data, shapes, samples_shapes(shapes, data.inputs));
        arena_reset(s->scratch);
    }
    free(all);
    return count >= 2 && m->process;
}

/* --- believing -------------------------------------------------------------------------------- */

void believe_rows(Search *s, const Model *m, const size_t *rows, size_t count, double *means)
{
    uint16_t *points = memory_new((count * s->parameters + 1) * sizeof *points);
    size_t inputs = input_count(s, m);
    double *x = memory_new((count * inputs + 1) * sizeof *x);
    for (size_t k = 0; k < count; k++) {
        pack(s, row_point(s, rows[k]), points + k * s->parameters);
        set_inputs(s, m, rows[k], x + k * inputs);
    }
    process_means(m->process, points, x, count, means);
    free(x);
    free(points);
}

/* Without the doubt in the prediction: profiles of a kind are wrong together, so that what is least sure
 * is not what is most likely to be lucky. */
double believe_deviation(Search *s, const Model *m, size_t row)
{
    double x[PROCESS_INPUTS] = {0};
    set_inputs(s, m, row, x);
    return process_deviation(m->process, row_point(s, row), x);
}

double believe_deviation_most(Search *s, const Model *m, size_t row)
{
    double x[PROCESS_INPUTS] = {0};
    set_inputs(s, m, row, x);
    return process_prior(m->process, x);
}

static double with_noise(const Process *p, double deviation)
{
    return hypot(deviation, process_shape(p)->noise);
}

static double believe_noisy_deviation(Search *s, const Model *m, size_t row)
{
    return with_noise(m->process, believe_deviation(s, m, row));
}

Belief believe_row(Search *s, const Model *m, size_t row)
{
    Belief b;
    believe_rows(s, m, &row, 1, &b.mean);
    b.deviation = believe_noisy_deviation(s, m, row);
    return b;
}

/* Without noise. */
static double point_deviation(Search *s, const uint16_t *point)
{
    double learned = search_learned(s, point);
    return process_deviation(s->space_model.process, point, &learned);
}

/* With noise. */
static double believe_point_deviation(Search *s, const uint16_t *point)
{
    return with_noise(s->space_model.process, point_deviation(s, point));
}

Belief believe_point(Search *s, const uint16_t *point)
{
    Belief b = {NAN, NAN};
    if (!s->space_model.process || !s->space_model.of_times)
        return b;
    double learned = search_learned(s, point);
    process_means(s->space_model.process, point, &learned, 1, &b.mean);
    b.deviation = believe_point_deviation(s, point);
    return b;
}

/* --- batches ---------------------------------------------------------------------------------- */

enum {
    CHOICE_MOST = 20000, /* candidates looked at for a batch, … */
    DRAWN_MOST = 8000,   /* … where not all can be, … */
    AROUND = 10,         /* … with neighbourhoods of the best */
    SURE_OF = 300,       /* best means that are looked at twice; where not all can be, … */
    SPREAD_OF = 150,     /* … so many of them differ … */
    SPREAD_BY = 3        /* … from each other in so many parameters */
};

bool is_drawn_from(const Search *s)
{
    return candidates_left(s->candidates) > CHOICE_MOST;
}

static size_t best_points(const Search *s, uint16_t *out, size_t most)
{
    Sample *all = memory_new((s->count + 1) * sizeof *all);
    size_t count = 0, n = s->space.parameters;
    for (size_t i = s->first; i < s->count; i++) {
        double y = s->right > 0 ? row_time(s, i) : s->rows[i].predicted;
        if (!isnan(y) && s->rows[i].state != ROW_FAILED)
            all[count++] = (Sample){i, y, 0};
    }
    if (count > 1)
        qsort(all, count, sizeof *all, sample_compare);
    count = count < most ? count : most;
    for (size_t k = 0; k < count && n > 0; k++)
        memcpy(out + k * n, row_point(s, all[k].row), n * sizeof *out);
    free(all);
    return count;
}

static void keep_batch(Search *s, const uint16_t *points, const Sample *order, size_t count)
{
    size_t n = s->space.parameters;
    if (count > s->batch.room) {
        s->batch.room = count;
        s->batch.points = memory_resize(s->batch.points, count * n + 1, sizeof *s->batch.points);
    }
    for (size_t k = 0; k < count; k++)
        memcpy(s->batch.points + k * n, points + order[k].row * n, n * sizeof *points);
    s->batch.count = count;
    s->batch.next = 0;
}

/* The values that models look at, of many points. */
static uint16_t *pack_all(Search *s, const uint16_t *points, size_t count)
{
    uint16_t *packed = ARENA_ARRAY(s->scratch, uint16_t, count * s->parameters);
    for (size_t i = 0; i < count; i++)
        pack(s, points + i * s->space.parameters, packed + i * s->parameters);
    return packed;
}

static void believe_points(Search *s, const uint16_t *points, size_t count, double *means)
{
    double *learned = NULL;
    if (s->options.learned) {
        learned = ARENA_ARRAY(s->scratch, double, count);
        learned_means(s->options.learned, points, count, learned);
    }
    process_means(s->space_model.process, pack_all(s, points, count), learned, count, means);
}

/* Numbers of points, the least means first. */
static Sample *most_promising(Search *s, const double *means, size_t count)
{
    Sample *order = ARENA_ARRAY(s->scratch, Sample, count);
    for (size_t i = 0; i < count; i++)
        order[i] = (Sample){i, means[i], 0};
    if (count > 1)
        qsort(order, count, sizeof *order, sample_compare);
    return order;
}

/* Points to compile, as candidates_choice, and what the space model believes of their means, in the
 * scratch arena. */
static const uint16_t *believe_choice(Search *s, size_t *count, size_t *random, double **means)
{
    uint16_t *from = ARENA_ARRAY(s->scratch, uint16_t, AROUND * s->space.parameters);
    size_t around = best_points(s, from, AROUND);
    const uint16_t *points =
        candidates_choice(s->candidates, CHOICE_MOST, DRAWN_MOST, from, around, count, random);
    *means = ARENA_ARRAY(s->scratch, double, *count);
    believe_points(s, points, *count, *means);
    return points;
}

/* Around the best points are many and alike, and what is elsewhere never comes to its luck: of the
 * first `sure` the last ones are to differ from each other, and from the very first. */
static void spread_order(const Search *s, const uint16_t *points, Sample *order, size_t count,
                         size_t sure)
{
    size_t n = s->space.parameters, from = sure > SPREAD_OF ? sure - SPREAD_OF : 0, kept = from;
    for (size_t k = from; k < count && kept < sure; k++) {
        const uint16_t *one = points + order[k].row * n;
        bool other = differing(one, points + order[0].row * n, n) >= SPREAD_BY;
        for (size_t i = from; i < kept && other; i++)
            other = differing(one, points + order[i].row * n, n) >= SPREAD_BY;
        if (!other)
            continue;
        Sample swap = order[kept];
        order[kept++] = order[k];
        order[k] = swap;
    }
}

bool batch_make(Search *s)
{
    if (!model_space(s))
        return false;
    size_t count, random;
    double *means;
    const uint16_t *points = believe_choice(s, &count, &random, &means);
    Sample *order = most_promising(s, means, count);
    size_t sure = count < SURE_OF ? count : SURE_OF;
    if (random < count)
        spread_order(s, points, order, count, sure);
    for (size_t k = 0; k < sure; k++) {
        const uint16_t *point = points + order[k].row * s->space.parameters;
        order[k].y += point_deviation(s, point) * gsl_ran_ugaussian(s->random);
    }
    if (count > 1)
        qsort(order, count, sizeof *order, sample_compare);
    size_t wanted = s->options.workers > 2 ? s->options.workers : 2;
    if (100 * wanted < 3 * s->compiled)
        wanted = 3 * s->compiled / 100;
    if (count > 0)
        keep_batch(s, points, order, wanted < count ? wanted : count);
    arena_reset(s->scratch);
    return count > 0;
}

/* --- better ones ------------------------------------------------------------------------------- */

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
