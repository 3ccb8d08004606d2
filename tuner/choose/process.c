#include "tuner/choose/process.h"

#include <math.h>
#include <string.h>

enum { KINDS = 2 * PROCESS_PARAMETERS + 1 }; /* of likeness */

struct Process {
    size_t count, parameters;
    uint16_t *points;
    double *x;
    ProcessShape shape;
    double table[KINDS]; /* covariance by likeness */
    double *factor;      /* count × count, the upper Cholesky factor U: covariance is U'U */
    double *weights;     /* inverse covariance times (y - mean - slope x) */
    double mean;
    double *scratch;
};

unsigned process_likeness(const uint16_t *a, const uint16_t *b, size_t parameters)
{
    unsigned halves = 0;
    for (size_t p = 0; p < parameters; p++) {
        int d = a[p] - b[p];
        halves += (unsigned)(2 * (d == 0) + (d == 1) + (d == -1));
    }
    return halves;
}

static void fill_table(const ProcessShape *s, size_t parameters, double *table)
{
    double all = (double)parameters;
    for (size_t h = 0; h <= 2 * parameters; h++) {
        double likeness = 0.5 * (double)h;
        double share = parameters > 0 ? likeness / all : 1;
        table[h] =
            s->linear * s->linear * share + s->local * s->local * pow(s->decay, all - likeness);
    }
}

/* --- linear algebra --------------------------------------------------------------------------- */

/* In all of these the inner loop goes along a row, and no sum waits for itself: twice to five times
 * as fast as GSL's own loops, which decisions would otherwise spend most of their time in. */

/* U over the upper half of a symmetric matrix; false: it is not positive definite. */
static bool factorize(double *u, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        double *pivot = u + k * n;
        if (!(pivot[k] > 0))
            return false;
        double scale = 1 / sqrt(pivot[k]);
        for (size_t j = k; j < n; j++)
            pivot[j] *= scale;
        for (size_t i = k + 1; i < n; i++) {
            double *row = u + i * n, share = pivot[i];
            for (size_t j = i; j < n; j++)
                row[j] -= share * pivot[j];
        }
    }
    return true;
}

/* The inverse of U' times x, in place. */
static void solve_transposed(const double *u, size_t n, double *x)
{
    for (size_t k = 0; k < n; k++) {
        const double *row = u + k * n;
        double solved = x[k] /= row[k];
        for (size_t i = k + 1; i < n; i++)
            x[i] -= solved * row[i];
    }
}

/* The inverse of U times x, in place. */
static void solve(const double *u, size_t n, double *x)
{
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= u[k * n + j] * x[j];
        x[k] /= u[k * n + k];
    }
}

/* --- fitting ---------------------------------------------------------------------------------- */

/* One set of data on its way through the shapes. */
typedef struct Fit {
    const ProcessData *data;
    uint8_t *likeness; /* count × count; above the diagonal */
    double *factor;
    double *rest; /* y - slope x, then the inverse of U' times it */
    double *ones;
    double mean;
} Fit;

static void compare_points(Fit *f)
{
    const ProcessData *d = f->data;
    for (size_t i = 0; i < d->count; i++)
        for (size_t j = i; j < d->count; j++)
            f->likeness[i * d->count + j] = (uint8_t)process_likeness(
                d->points + i * d->parameters, d->points + j * d->parameters, d->parameters);
}

static void fill_covariance(Fit *f, const ProcessShape *s)
{
    const ProcessData *d = f->data;
    double table[KINDS], spread = s->spread * s->spread;
    size_t n = d->count;
    fill_table(s, d->parameters, table);
    for (size_t i = 0; i < n; i++) {
        double *row = f->factor + i * n, xi = d->x ? spread * d->x[i] : 0;
        for (size_t j = i; j < n; j++)
            row[j] = table[f->likeness[i * n + j]] + (d->x ? xi * d->x[j] : 0);
        row[i] += s->noise * s->noise + d->variance[i];
    }
}

/* The logarithm of the likelihood, up to a constant; -INFINITY when there is none. */
static double try_shape(Fit *f, const ProcessShape *s)
{
    const ProcessData *d = f->data;
    size_t n = d->count;
    fill_covariance(f, s);
    if (!factorize(f->factor, n))
        return -INFINITY;
    for (size_t i = 0; i < n; i++) {
        f->rest[i] = d->y[i] - (d->x ? s->slope * d->x[i] : 0);
        f->ones[i] = 1;
    }
    solve_transposed(f->factor, n, f->rest);
    solve_transposed(f->factor, n, f->ones);
    double ones = 0, both = 0, misfit = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        ones += f->ones[i] * f->ones[i];
        both += f->ones[i] * f->rest[i];
        size += log(f->factor[i * n + i]);
    }
    f->mean = both / ones;
    for (size_t i = 0; i < n; i++) {
        f->rest[i] -= f->mean * f->ones[i];
        misfit += f->rest[i] * f->rest[i];
    }
    double likelihood = -0.5 * misfit - size - s->cost;
    return isnan(likelihood) ? -INFINITY : likelihood;
}

static Process *keep(Arena *a, Fit *f, const ProcessShape *s)
{
    const ProcessData *d = f->data;
    Process *p = ARENA_NEW(a, Process);
    *p = (Process){.count = d->count, .parameters = d->parameters, .shape = *s, .mean = f->mean};
    size_t numbers = d->count * d->parameters;
    p->points = ARENA_ARRAY(a, uint16_t, numbers);
    p->x = ARENA_ARRAY(a, double, d->count);
    if (numbers > 0)
        memcpy(p->points, d->points, numbers * sizeof *p->points);
    if (d->x)
        memcpy(p->x, d->x, d->count * sizeof *p->x);
    fill_table(s, d->parameters, p->table);
    p->factor = f->factor;
    p->weights = f->rest;
    solve(p->factor, p->count, p->weights);
    p->scratch = f->ones;
    return p;
}

Process *process_fit(Arena *a, const ProcessData *data, const ProcessShape *shapes, size_t count)
{
    Fit f = {.data = data,
             .likeness = ARENA_ARRAY(a, uint8_t, data->count * data->count),
             .factor = ARENA_ARRAY(a, double, data->count * data->count),
             .rest = ARENA_ARRAY(a, double, data->count),
             .ones = ARENA_ARRAY(a, double, data->count)};
    compare_points(&f);
    size_t best = count;
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        double likelihood = try_shape(&f, &shapes[i]);
        if (likelihood > most) {
            most = likelihood;
            best = i;
        }
    }
    if (best < count && best + 1 < count) /* the last one tried is still there */
        try_shape(&f, &shapes[best]);
    return best < count ? keep(a, &f, &shapes[best]) : NULL;
}

const ProcessShape *process_shape(const Process *p)
{
    return &p->shape;
}

/* --- predicting ------------------------------------------------------------------------------- */

enum {
    BLOCK = 256, /* points predicted together: their likenesses stay in the nearest cache */
    VECTOR = 16  /* numbers that a processor may take at a time; divides BLOCK */
};

static void block_means(const Process *p, const uint16_t *points, size_t count, double *means)
{
    uint16_t column[PROCESS_PARAMETERS][BLOCK], halves[BLOCK];
    size_t wide = (count + VECTOR - 1) / VECTOR * VECTOR;
    for (size_t k = 0; k < p->parameters; k++)
        memset(column[k] + count, 0, (wide - count) * sizeof *column[k]);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < p->parameters; k++)
            column[k][i] = points[i * p->parameters + k];
    for (size_t j = 0; j < p->count; j++) {
        const uint16_t *known = p->points + j * p->parameters;
        memset(halves, 0, wide * sizeof *halves);
        for (size_t k = 0; k < p->parameters; k++) {
            uint16_t is = known[k];
            for (size_t i = 0; i < wide; i++) { /* whole vectors */
                uint16_t d = (uint16_t)(column[k][i] - is);
                halves[i] = (uint16_t)(halves[i] + 2 * (d == 0) + (d == 1) + (d == UINT16_MAX));
            }
        }
        double weight = p->weights[j];
        for (size_t i = 0; i < count; i++)
            means[i] += weight * p->table[halves[i]];
    }
}

void process_means(const Process *p, const uint16_t *points, const double *x, size_t count,
                   double *means)
{
    double along = 0; /* the spread's part of the weights */
    for (size_t j = 0; j < p->count; j++)
        along += p->weights[j] * p->x[j];
    along = p->shape.slope + p->shape.spread * p->shape.spread * along;
    for (size_t i = 0; i < count; i++)
        means[i] = p->mean + (x ? along * x[i] : 0);
    for (size_t i = 0; i < count; i += BLOCK) {
        size_t n = count - i < BLOCK ? count - i : BLOCK;
        block_means(p, points + i * p->parameters, n, means + i);
    }
}

static double prior_variance(const Process *p, double x)
{
    return p->table[2 * p->parameters] + p->shape.spread * p->shape.spread * x * x;
}

double process_prior(const Process *p, double x)
{
    return sqrt(prior_variance(p, x));
}

double process_deviation(Process *p, const uint16_t *point, double x)
{
    double spread = p->shape.spread * p->shape.spread, *known = p->scratch;
    for (size_t j = 0; j < p->count; j++)
        known[j] = p->table[process_likeness(point, p->points + j * p->parameters, p->parameters)] +
                   spread * x * p->x[j];
    solve_transposed(p->factor, p->count, known);
    double variance = prior_variance(p, x);
    for (size_t j = 0; j < p->count; j++)
        variance -= known[j] * known[j];
    return sqrt(variance > 0 ? variance : 0);
}
