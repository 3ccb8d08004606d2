/* The models of a search: what they are fitted to, what they believe, and how many better candidates they
 * expect among those that are not timed. */
#include "tuner/choose/samples.h"
#include "tuner/choose/search_parts.h"

#include "metrics/base/stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

double search_learned(const Search *s, const uint16_t *point)
{
    double learned = 0;
    if (s->options.learned)
        learned_means(s->options.learned, point, 1, &learned);
    return learned;
}

/* --- inputs of a model ------------------------------------------------------------------------- */

double row_time(const Search *s, size_t i)
{
    const Row *r = &s->rows[s->rows[i].same_as];
    return r->state == ROW_TIMED ? r->time : NAN;
}

/* Copies the values that models look at. */
static void pack(const Search *s, const uint16_t *point, uint16_t *out)
{
    memcpy(out, point, s->parameters * sizeof *out);
}

/* Weight of a prediction: an uncertain one is shrunk to the median, like the mean of a normal
 * deviate that was observed with an error. */
static double trust(const Search *s, size_t i)
{
    double variance = s->rows[i].variance;
    return variance > 0 ? s->spread / (s->spread + variance) : 1;
}

/* Inputs with a slope: the prediction from the code and what was learned elsewhere. */
static size_t mean_count(const Search *s, const Model *m)
{
    return (size_t)m->by_code + (m->by_learned && s->options.learned);
}

/* Where times are few, each unit's share follows: if a unit is predicted wrong, so is every time that
 * consists of it, whatever the parameters. */
static size_t input_count(const Search *s, const Model *m)
{
    return mean_count(s, m) + (m->by_units ? TABLE_PARTS : 0);
}

_Static_assert(2 + TABLE_PARTS <= PROCESS_INPUTS, "both means and all units");

/* Inputs of row `i`.  The prediction is relative to the median, 0 where there is none.  With few trials it
 * is not shrunk, so that none is spent on what is least certain. */
static void set_inputs(const Search *s, const Model *m, size_t i, double *x)
{
    const Row *r = &s->rows[i];
    double guess = r->predicted - s->usual;
    if (m->by_code)
        *x++ = isnan(guess) ? 0 : m->by_units ? guess : guess * trust(s, i);
    if (m->by_learned && s->options.learned)
        *x++ = r->learned;
    if (m->by_units)
        memcpy(x, r->shares, sizeof r->shares);
}

/* --- fitting ---------------------------------------------------------------------------------- */

static ProcessData fill(Search *s, const Model *m, const Sample *all, size_t count, double blur)
{
    size_t inputs = input_count(s, m);
    uint16_t *points = ARENA_ARRAY(s->scratch, uint16_t, count * s->parameters);
    double *x = ARENA_ARRAY(s->scratch, double, count *inputs),
           *y = ARENA_ARRAY(s->scratch, double, count),
           *variance = ARENA_ARRAY(s->scratch, double, count);
    for (size_t k = 0; k < count; k++) {
        pack(s, search_point(s, all[k].row), points + k * s->parameters);
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

/* All shapes are tried again when there are a third more values than the last time. */
static bool fit(Search *s, Model *m, const ProcessData *data, const ProcessShape *shapes,
                size_t count)
{
    bool again =
        !m->process || 10 * data->count >= 13 * m->shape_count || data->count < m->shape_count;
    arena_reset(m->arena);
    m->process = process_fit(m->arena, data, again ? shapes : &m->shape, again ? count : 1);
    m->version = s->version;
    arena_reset(s->scratch);
    if (!m->process)
        return false;
    if (again)
        m->shape_count = data->count;
    m->shape = *process_shape(m->process);
    return true;
}

enum { SHAPES = 128 }; /* at most */

/* With no, one or two sloped inputs, mean_kinds of these.  With two, what was learned may replace the
 * prediction or half of it, if times support that. */
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

/* A few times cannot tell shapes apart.  Of half as much, this, and twice as much for each of the first
 * three constants, these find the most in tests/bench/bench_first.c, whichever of 24 shipped recordings is
 * left out; without any of four others, 0.04 and 0.025 do.  The unit's spread matters, the others hardly. */
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

/* The median prediction of timed rows; NaN without any. */
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
    EACH (const Row, r, s->rows, s->count) {
        if (isnan(r->predicted))
            continue;
        sum += r->predicted;
        squares += r->predicted * r->predicted;
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
    if (count < (m->by_units ? 1 : STARTERS)) {
        arena_reset(s->scratch);
        return false;
    }
    s->usual = usual_prediction(s, all, count);
    s->spread = prediction_spread(s);
    count = samples_thin(all, count, 120, 40);
    ProcessData data = fill(s, m, all, count, 0.25);
    ProcessShape shapes[SHAPES];
    size_t kinds = (m->by_units ? few_shapes : time_shapes)(shapes, mean_count(s, m));
    return fit(s, m, &data, shapes, kinds);
}

/* Samples of the space model: times, and what the time model believes of the other rows; while it
 * believes nothing, the predictions. */
static size_t space_samples(Search *s, bool timed, Sample *out)
{
    size_t count = 0, open = 0, *rows = ARENA_ARRAY(s->scratch, size_t, s->count);
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
    double *means = ARENA_ARRAY(s->scratch, double, open);
    if (open > 0)
        believe_rows(s, &s->time_model, rows, open, means);
    for (size_t k = 0; k < open; k++)
        out[count++] = (Sample){rows[k], means[k], 0};
    return count;
}

static bool model_space(Search *s)
{
    Model *m = &s->space_model;
    if (m->process && m->version == s->version)
        return true;
    bool timed = model_times(s, &s->time_model);
    Sample *all = ARENA_ARRAY(s->scratch, Sample, s->count);
    size_t count = space_samples(s, timed, all);
    if (count < 2) {
        arena_reset(s->scratch);
        return false;
    }
    m->of_times = timed;
    count = samples_thin(all, count, SPACE_BEST, SPACE_SPREAD);
    ProcessData data = fill(s, m, all, count, space_blur);
    ProcessShape shapes[SPACE_SHAPES];
    return fit(s, m, &data, shapes, samples_shapes(shapes, data.inputs));
}

/* --- beliefs ---------------------------------------------------------------------------------- */

void believe_rows(Search *s, const Model *m, const size_t *rows, size_t count, double *means)
{
    SCOPED_ARENA *a = arena_new();
    size_t inputs = input_count(s, m);
    uint16_t *points = ARENA_ARRAY(a, uint16_t, count * s->parameters);
    double *x = ARENA_ARRAY(a, double, count *inputs);
    for (size_t k = 0; k < count; k++) {
        pack(s, search_point(s, rows[k]), points + k * s->parameters);
        set_inputs(s, m, rows[k], x + k * inputs);
    }
    process_means(m->process, points, x, count, means);
}

/* Without the prediction's own uncertainty: profiles of a kind are wrong together, so what is least
 * certain is not what is most likely to be lucky. */
double believe_deviation(Search *s, const Model *m, size_t row)
{
    double x[PROCESS_INPUTS] = {0};
    set_inputs(s, m, row, x);
    return process_deviation(m->process, search_point(s, row), x);
}

static Belief with_noise(const Model *m, double mean, double deviation)
{
    return (Belief){mean, hypot(deviation, process_shape(m->process)->noise)};
}

Belief believe_row(Search *s, const Model *m, size_t row)
{
    double mean;
    believe_rows(s, m, &row, 1, &mean);
    return with_noise(m, mean, believe_deviation(s, m, row));
}

/* Without noise. */
static double point_deviation(Search *s, const uint16_t *point)
{
    double learned = search_learned(s, point);
    return process_deviation(s->space_model.process, point, &learned);
}

Belief believe_point(Search *s, const uint16_t *point)
{
    const Model *m = &s->space_model;
    if (!m->process || !m->of_times)
        return (Belief){NAN, NAN};
    double learned = search_learned(s, point), mean;
    process_means(m->process, point, &learned, 1, &mean);
    return with_noise(m, mean, point_deviation(s, point));
}

/* --- batches ---------------------------------------------------------------------------------- */

enum {
    CHOICE_MOST = 20000, /* candidates looked at for a batch */
    DRAWN_MOST = 8000,   /* the same, where the space is larger and they are drawn, … */
    AROUND = 10,         /* … partly from the neighbourhoods of this many of the best */
    SURE_OF = 300,       /* best means whose deviations are looked at, too; when drawn, … */
    SPREAD_OF = 150,     /* … this many of them differ … */
    SPREAD_BY = 3        /* … from each other in at least this many parameters */
};

bool is_drawn_from(const Search *s)
{
    return candidates_left(s->candidates) > CHOICE_MOST;
}

static size_t best_points(Search *s, uint16_t *out, size_t most)
{
    Ranked *all = ARENA_ARRAY(s->scratch, Ranked, s->count);
    size_t count = 0, n = s->space.parameters;
    for (size_t i = s->first; i < s->count; i++) {
        double y = s->right > 0 ? row_time(s, i) : s->rows[i].predicted;
        if (!isnan(y) && s->rows[i].state != ROW_FAILED)
            all[count++] = (Ranked){y, i};
    }
    stats_rank(all, count);
    count = count < most ? count : most;
    for (size_t k = 0; k < count; k++)
        memcpy(out + k * n, search_point(s, all[k].at), n * sizeof *out);
    return count;
}

static void keep_batch(Search *s, const uint16_t *points, const Ranked *order, size_t count)
{
    size_t n = s->space.parameters;
    if (count > s->batch.room) {
        s->batch.room = count;
        s->batch.points = ARENA_ARRAY(s->arena, uint16_t, count * n);
    }
    for (size_t k = 0; k < count; k++)
        memcpy(s->batch.points + k * n, points + order[k].at * n, n * sizeof *points);
    s->batch.count = count;
    s->batch.next = 0;
}

static void believe_points(Search *s, const uint16_t *points, size_t count, double *means)
{
    double *learned = ARENA_ARRAY(s->scratch, double, count);
    uint16_t *packed = ARENA_ARRAY(s->scratch, uint16_t, count * s->parameters);
    if (s->options.learned)
        learned_means(s->options.learned, points, count, learned);
    for (size_t i = 0; i < count; i++)
        pack(s, points + i * s->space.parameters, packed + i * s->parameters);
    process_means(s->space_model.process, packed, learned, count, means);
}

/* Points that may be compiled, as candidates_choice gives them.  `*order` has their numbers and what the
 * space model believes of their means, the least first, in the scratch arena. */
static const uint16_t *believe_choice(Search *s, size_t *count, size_t *random, Ranked **order)
{
    uint16_t *from = ARENA_ARRAY(s->scratch, uint16_t, AROUND * s->space.parameters);
    size_t around = best_points(s, from, AROUND);
    const uint16_t *points =
        candidates_choice(s->candidates, CHOICE_MOST, DRAWN_MOST, from, around, count, random);
    double *means = ARENA_ARRAY(s->scratch, double, *count);
    *order = ARENA_ARRAY(s->scratch, Ranked, *count);
    believe_points(s, points, *count, means);
    for (size_t i = 0; i < *count; i++)
        (*order)[i] = (Ranked){means[i], i};
    stats_rank(*order, *count);
    return points;
}

/* Points around the best ones are many and alike, and would crowd out all others.  So the last ones of
 * the first `sure` are chosen to differ from each other and from the very first. */
static void spread_order(const Search *s, const uint16_t *points, Ranked *order, size_t count,
                         size_t sure)
{
    size_t n = s->space.parameters, from = sure > SPREAD_OF ? sure - SPREAD_OF : 0, kept = from;
    for (size_t k = from; k < count && kept < sure; k++) {
        const uint16_t *one = points + order[k].at * n;
        bool other = differing(one, points + order[0].at * n, n) >= SPREAD_BY;
        for (size_t i = from; i < kept && other; i++)
            other = differing(one, points + order[i].at * n, n) >= SPREAD_BY;
        if (!other)
            continue;
        Ranked swap = order[kept];
        order[kept++] = order[k];
        order[k] = swap;
    }
}

/* The best of the most promising points by a draw from what is believed of each (Thompson sampling).  Points
 * are drawn one by one, although alike points are fast or slow together: the luckiest of hundreds of draws
 * is then too lucky, so that each is drawn from less than its deviation. */
bool batch_make(Search *s)
{
    static const double luck = 0.8;
    if (!model_space(s))
        return false;
    size_t count, random;
    Ranked *order;
    const uint16_t *points = believe_choice(s, &count, &random, &order);
    size_t sure = count < SURE_OF ? count : SURE_OF;
    if (random < count)
        spread_order(s, points, order, count, sure);
    for (size_t k = 0; k < sure; k++) {
        const uint16_t *point = points + order[k].at * s->space.parameters;
        order[k].key += luck * point_deviation(s, point) * gsl_ran_ugaussian(s->random);
    }
    stats_rank(order, count);
    size_t wanted = (s->options.workers + 3) / 4; /* few: what they teach guides the next ones */
    if (100 * wanted < 3 * s->compiled)
        wanted = 3 * s->compiled / 100;
    if (count > 0)
        keep_batch(s, points, order, wanted < count ? wanted : count);
    arena_reset(s->scratch);
    return count > 0;
}

/* --- how many better ones are expected --------------------------------------------------------- */

/* Distribution of a model's errors so far, in units of its own deviations.  Errors to either side are
 * halves of normal deviates, since a model that searches for the fastest errs to one side.  Each half's
 * width comes from its median, since now and then a model is off by fifty deviations, which says little of
 * its next error. */
typedef struct Calibration {
    double faster; /* share of errors where the time was less than believed; NaN: too few errors */
    double below, above; /* deviations of either half */
} Calibration;

/* The prior counts as three errors of the right size. */
static double half_width(double *errors, size_t count)
{
    static const double quartiles[] = {0.3186, 0.6745, 1.1503}; /* of a half normal deviate */
    for (int k = 0; k < 3; k++)
        errors[count + (size_t)k] = quartiles[k];
    return stats_median(errors, count + 3) / quartiles[1];
}

static Calibration calibrate(const Errors *e)
{
    double side[2][ERRORS_KEPT + 3];
    size_t counts[2] = {0}, n = e->count < ERRORS_KEPT ? e->count : ERRORS_KEPT;
    for (size_t i = 0; i < n; i++) {
        bool slower = e->scaled[i] > 0;
        side[slower][counts[slower]++] = fabs(e->scaled[i]);
    }
    double faster = ((double)counts[0] + 1) / ((double)n + 2);
    return (Calibration){n < STARTERS ? NAN : faster, half_width(side[0], counts[0]),
                         half_width(side[1], counts[1])};
}

/* Student's t with four degrees of freedom.  Its tail is heavier than a normal one: now and then compiled
 * code is predicted several times too slow. */
static double heavy_tail(double d)
{
    return gsl_cdf_tdist_P(d, 4);
}

/* Probability that a time is below `goal`. */
static double chance(const Calibration *c, double goal, const Belief *b, double (*tail)(double))
{
    double d = (goal - b->mean) / b->deviation;
    if (d < 0)
        return 2 * c->faster * tail(d / c->below);
    return c->faster + (1 - c->faster) * (2 * gsl_cdf_ugaussian_P(d / c->above) - 1);
}

/* The sums below stop once they reach `enough`. */
static double among_compiled(Search *s, double goal, double enough)
{
    const Model *m = &s->time_model;
    Calibration calibration = calibrate(&s->after);
    const Waiting w = waiting(s);
    double expected = 0, *means = ARENA_ARRAY(s->scratch, double, w.count);
    if (w.count > 0)
        believe_rows(s, m, w.rows, w.count, means);
    for (size_t k = 0; k < w.count && expected < enough; k++) {
        Belief b = with_noise(m, means[k], believe_deviation(s, m, w.rows[k]));
        expected += chance(&calibration, goal, &b, heavy_tail);
    }
    arena_reset(s->scratch);
    return expected;
}

enum {
    SURE_LEFT = 300,  /* best means of what is left that are all looked at … */
    SPREAD_LEFT = 100 /* … and evenly spaced ones of the others */
};

/* Points drawn at random also stand for all that were not drawn. */
static double among_left(Search *s, double goal, double enough)
{
    size_t count, random;
    Ranked *all;
    double expected = 0;
    Calibration calibration = calibrate(&s->before);
    if (isnan(calibration.faster) || !model_space(s))
        return NAN;
    const uint16_t *points = believe_choice(s, &count, &random, &all);
    double others = (candidates_left(s->candidates) - (double)(count - random)) / (double)random;
    size_t sure = count < SURE_LEFT ? count : SURE_LEFT, rest = count - sure;
    size_t sampled = rest < SPREAD_LEFT ? rest : SPREAD_LEFT;
    for (size_t k = 0; k < sure + sampled && expected < enough; k++) {
        size_t i = k < sure ? k : sure + (2 * (k - sure) + 1) * rest / (2 * sampled);
        const uint16_t *point = points + all[i].at * s->space.parameters;
        Belief b = with_noise(&s->space_model, all[i].key, point_deviation(s, point));
        double better =
            (all[i].at < random ? others : 1) * chance(&calibration, goal, &b, gsl_cdf_ugaussian_P);
        expected += k < sure ? better : (double)rest / (double)sampled * better;
    }
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
    s->expected = look(s, enough); /* slow, and compiles alone change little */
    s->expected_timed = s->timed;
    s->expected_enough = enough;
    return s->expected;
}

double search_expected(Search *s)
{
    return expected_up_to(s, INFINITY);
}
