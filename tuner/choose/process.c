#include "tuner/choose/process.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

enum { KINDS = 2 * PROCESS_PARAMETERS + 1 }; /* of likeness */

struct Process {
    size_t count, parameters;
    uint16_t *points;
    double *x;
    ProcessShape shape;
    double table[KINDS]; /* covariance by likeness */
    gsl_matrix *factor;  /* the Cholesky factor, upper: its rows are read one after the other */
    gsl_vector *weights; /* inverse covariance times (y - mean - slope x) */
    double mean;
    gsl_vector *scratch;
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

/* --- fitting ---------------------------------------------------------------------------------- */

/* One set of data on its way through the shapes. */
typedef struct Fit {
    const ProcessData *data;
    uint8_t *likeness; /* count × count; below the diagonal */
    gsl_matrix *factor;
    gsl_vector *rest; /* y - slope x, then the factor's inverse times it */
    gsl_vector *ones;
    double mean;
} Fit;

static gsl_matrix *new_matrix(Arena *a, size_t n)
{
    gsl_matrix *m = ARENA_NEW(a, gsl_matrix);
    *m = (gsl_matrix){.size1 = n, .size2 = n, .tda = n, .data = ARENA_ARRAY(a, double, n *n)};
    return m;
}

static gsl_vector *new_vector(Arena *a, size_t n)
{
    gsl_vector *v = ARENA_NEW(a, gsl_vector);
    *v = (gsl_vector){.size = n, .stride = 1, .data = ARENA_ARRAY(a, double, n)};
    return v;
}

static void compare_points(Fit *f)
{
    const ProcessData *d = f->data;
    for (size_t i = 0; i < d->count; i++)
        for (size_t j = 0; j <= i; j++)
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
        double *row = f->factor->data + i * n, xi = d->x ? spread * d->x[i] : 0;
        for (size_t j = 0; j <= i; j++)
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
    if (gsl_linalg_cholesky_decomp1(f->factor) != GSL_SUCCESS)
        return -INFINITY;
    for (size_t i = 0; i < n; i++) {
        f->rest->data[i] = d->y[i] - (d->x ? s->slope * d->x[i] : 0);
        f->ones->data[i] = 1;
    }
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, f->factor, f->rest);
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, f->factor, f->ones);
    double ones = 0, both = 0, misfit = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        ones += f->ones->data[i] * f->ones->data[i];
        both += f->ones->data[i] * f->rest->data[i];
        size += log(f->factor->data[i * n + i]);
    }
    f->mean = both / ones;
    for (size_t i = 0; i < n; i++) {
        f->rest->data[i] -= f->mean * f->ones->data[i];
        misfit += f->rest->data[i] * f->rest->data[i];
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
    gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, p->factor, p->weights);
    gsl_matrix_transpose(p->factor);
    p->scratch = f->ones;
    return p;
}

Process *process_fit(Arena *a, const ProcessData *data, const ProcessShape *shapes, size_t count)
{
    Fit f = {.data = data,
             .likeness = ARENA_ARRAY(a, uint8_t, data->count * data->count),
             .factor = new_matrix(a, data->count),
             .rest = new_vector(a, data->count),
             .ones = new_vector(a, data->count)};
    gsl_error_handler_t *before = gsl_set_error_handler_off();
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
    gsl_set_error_handler(before);
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
        double weight = p->weights->data[j];
        for (size_t i = 0; i < count; i++)
            means[i] += weight * p->table[halves[i]];
    }
}

void process_means(const Process *p, const uint16_t *points, const double *x, size_t count,
                   double *means)
{
    double along = 0; /* the spread's part of the weights */
    for (size_t j = 0; j < p->count; j++)
        along += p->weights->data[j] * p->x[j];
    along = p->shape.slope + p->shape.spread * p->shape.spread * along;
    for (size_t i = 0; i < count; i++)
        means[i] = p->mean + (x ? along * x[i] : 0);
    for (size_t i = 0; i < count; i += BLOCK) {
        size_t n = count - i < BLOCK ? count - i : BLOCK;
        block_means(p, points + i * p->parameters, n, means + i);
    }
}

double process_deviation(Process *p, const uint16_t *point, double x)
{
    double spread = p->shape.spread * p->shape.spread, *rest = p->scratch->data;
    size_t n = p->count;
    for (size_t j = 0; j < n; j++)
        rest[j] = p->table[process_likeness(point, p->points + j * p->parameters, p->parameters)] +
                  spread * x * p->x[j];
    double variance = p->table[2 * p->parameters] + spread * x * x;
    for (size_t j = 0; j < n; j++) { /* by columns: no sum waits for itself */
        const double *column = p->factor->data + j * n;
        double solved = rest[j] / column[j];
        variance -= solved * solved;
        for (size_t i = j + 1; i < n; i++)
            rest[i] -= solved * column[i];
    }
    return sqrt(variance > 0 ? variance : 0);
}
