#include "tuner/choose/process.h"

#include <math.h>
#include <string.h>

enum { KINDS = 2 * PROCESS_PARAMETERS + 1 }; /* of similarity */

struct Process {
    size_t count, parameters, inputs;
    uint16_t *points;
    double *x;
    ProcessShape shape;
    double table[KINDS]; /* covariance by similarity */
    double *factor;      /* count × count, the upper Cholesky factor U: covariance is U'U */
    double *weights;     /* inverse covariance times (y - mean - slopes x) */
    double mean;
    double *scratch;
};

unsigned process_similarity(const uint16_t *a, const uint16_t *b, size_t parameters)
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
        double similarity = 0.5 * (double)h;
        double share = parameters > 0 ? similarity / all : 1;
        table[h] =
            s->linear * s->linear * share + s->local * s->local * pow(s->decay, all - similarity);
    }
}

/* Inputs of point `i`; NULL if there are none. */
static const double *inputs_of(const double *x, size_t inputs, size_t i)
{
    return inputs > 0 ? x + i * inputs : NULL;
}

/* Covariance due to the inputs of two points. */
static double input_covariance(const ProcessShape *s, size_t inputs, const double *x,
                               const double *y)
{
    double sum = 0;
    for (size_t k = 0; k < inputs; k++)
        sum += s->spread[k] * s->spread[k] * x[k] * y[k];
    return sum;
}

static double along_slopes(const double *slope, size_t inputs, const double *x)
{
    double sum = 0;
    for (size_t k = 0; k < inputs; k++)
        sum += slope[k] * x[k];
    return sum;
}

/* --- linear algebra --------------------------------------------------------------------------- */

/* The inner loops go along a row and have no loop-carried sum, which makes them two to five times as fast as
 * GSL's loops; a search would spend most of its time in those. */

/* Cholesky: overwrites the upper half of a symmetric matrix with U; false: it is not positive definite. */
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

/* Solves U' z = x in place. */
static void solve_transposed(const double *u, size_t n, double *x)
{
    for (size_t k = 0; k < n; k++) {
        const double *row = u + k * n;
        double solved = x[k] /= row[k];
        for (size_t i = k + 1; i < n; i++)
            x[i] -= solved * row[i];
    }
}

/* Solves U z = x in place. */
static void solve(const double *u, size_t n, double *x)
{
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= u[k * n + j] * x[j];
        x[k] /= u[k * n + k];
    }
}

/* --- fitting ---------------------------------------------------------------------------------- */

/* The state in which shapes are tried one after the other. */
typedef struct Fit {
    const ProcessData *data;
    uint8_t *similarity; /* count × count, upper half */
    double *factor;
    double *residual; /* y - slopes x - mean, solved by U' */
    double *ones;     /* solved by U' */
    double mean;
} Fit;

static void compare_points(Fit *f)
{
    const ProcessData *d = f->data;
    for (size_t i = 0; i < d->count; i++)
        for (size_t j = i; j < d->count; j++)
            f->similarity[i * d->count + j] = (uint8_t)process_similarity(
                d->points + i * d->parameters, d->points + j * d->parameters, d->parameters);
}

static void fill_covariance(Fit *f, const ProcessShape *s)
{
    const ProcessData *d = f->data;
    double table[KINDS];
    size_t n = d->count, m = d->inputs;
    fill_table(s, d->parameters, table);
    for (size_t i = 0; i < n; i++) {
        double *row = f->factor + i * n;
        for (size_t j = i; j < n; j++)
            row[j] = table[f->similarity[i * n + j]] +
                     input_covariance(s, m, inputs_of(d->x, m, i), inputs_of(d->x, m, j));
        row[i] += s->noise * s->noise + d->variance[i];
    }
}

/* The log-likelihood up to a constant; -INFINITY when it is not defined. */
static double try_shape(Fit *f, const ProcessShape *s)
{
    const ProcessData *d = f->data;
    size_t n = d->count;
    fill_covariance(f, s);
    if (!factorize(f->factor, n))
        return -INFINITY;
    for (size_t i = 0; i < n; i++) {
        f->residual[i] = d->y[i] - along_slopes(s->slope, d->inputs, inputs_of(d->x, d->inputs, i));
        f->ones[i] = 1;
    }
    solve_transposed(f->factor, n, f->residual);
    solve_transposed(f->factor, n, f->ones);
    double ones = 0, both = 0, misfit = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        ones += f->ones[i] * f->ones[i];
        both += f->ones[i] * f->residual[i];
        size += log(f->factor[i * n + i]);
    }
    f->mean = both / ones;
    for (size_t i = 0; i < n; i++) {
        f->residual[i] -= f->mean * f->ones[i];
        misfit += f->residual[i] * f->residual[i];
    }
    double likelihood = -0.5 * misfit - size - s->cost;
    return isnan(likelihood) ? -INFINITY : likelihood;
}

static Process *keep(Arena *a, Fit *f, const ProcessShape *s)
{
    const ProcessData *d = f->data;
    Process *p = ARENA_NEW(a, Process);
    *p = (Process){.count = d->count,
                   .parameters = d->parameters,
                   .inputs = d->inputs,
                   .shape = *s,
                   .mean = f->mean};
    p->points = ARENA_ARRAY(a, uint16_t, d->count * d->parameters);
    p->x = ARENA_ARRAY(a, double, d->count * d->inputs);
    memcpy(p->points, d->points, d->count * d->parameters * sizeof *p->points);
    if (d->x)
        memcpy(p->x, d->x, d->count * d->inputs * sizeof *p->x);
    fill_table(s, d->parameters, p->table);
    p->factor = f->factor;
    p->weights = f->residual;
    solve(p->factor, p->count, p->weights);
    p->scratch = f->ones;
    return p;
}

Process *process_fit(Arena *a, const ProcessData *data, const ProcessShape *shapes, size_t count)
{
    Fit f = {.data = data,
             .similarity = ARENA_ARRAY(a, uint8_t, data->count * data->count),
             .factor = ARENA_ARRAY(a, double, data->count * data->count),
             .residual = ARENA_ARRAY(a, double, data->count),
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
    if (best < count && best + 1 < count) /* the last one tried is still in place */
        try_shape(&f, &shapes[best]);
    return best < count ? keep(a, &f, &shapes[best]) : NULL;
}

const ProcessShape *process_shape(const Process *p)
{
    return &p->shape;
}

/* --- predicting ------------------------------------------------------------------------------- */

enum {
    BLOCK = 256, /* points predicted together: their similarities stay in the L1 cache */
    VECTOR = 16  /* assumed width of a vector instruction; divides BLOCK */
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
    double along[PROCESS_INPUTS]; /* posterior slopes */
    for (size_t k = 0; k < p->inputs; k++) {
        double sum = 0;
        for (size_t j = 0; j < p->count; j++)
            sum += p->weights[j] * p->x[j * p->inputs + k];
        along[k] = p->shape.slope[k] + p->shape.spread[k] * p->shape.spread[k] * sum;
    }
    for (size_t i = 0; i < count; i++)
        means[i] = p->mean + along_slopes(along, p->inputs, inputs_of(x, p->inputs, i));
    for (size_t i = 0; i < count; i += BLOCK) {
        size_t n = count - i < BLOCK ? count - i : BLOCK;
        block_means(p, points + i * p->parameters, n, means + i);
    }
}

double process_deviation(Process *p, const uint16_t *point, const double *x)
{
    double *known = p->scratch;
    for (size_t j = 0; j < p->count; j++)
        known[j] =
            p->table[process_similarity(point, p->points + j * p->parameters, p->parameters)] +
            input_covariance(&p->shape, p->inputs, x, inputs_of(p->x, p->inputs, j));
    solve_transposed(p->factor, p->count, known);
    double variance = p->table[2 * p->parameters] + input_covariance(&p->shape, p->inputs, x, x);
    for (size_t j = 0; j < p->count; j++)
        variance -= known[j] * known[j];
    return sqrt(variance > 0 ? variance : 0);
}
