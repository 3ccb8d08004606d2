#include "metrics/cubin/sass_simplex.h"

#include <math.h>

enum { STEPS_PER_LINE = 20 };

/* Coefficients are small whole numbers or shares of 1: what is smaller is rounding. */
static const double TINY = 1e-8;

Simplex *simplex_new(Arena *a, int rows, int columns)
{
    Simplex *s = ARENA_NEW(a, Simplex);
    *s = (Simplex){.rows = rows, .columns = columns, .width = columns + 1, .budget = INFINITY};
    s->cells = ARENA_ARRAY(a, double, (size_t)(rows + SIMPLEX_AIMS) * (size_t)s->width);
    s->basis = ARENA_ARRAY(a, int, (size_t)rows);
    s->filled = ARENA_ARRAY(a, int, (size_t)s->width);
    return s;
}

double *simplex_cell(Simplex *s, int row, int column)
{
    return &s->cells[(size_t)row * (size_t)s->width + (size_t)column];
}

double *simplex_cost(Simplex *s, int aim, int column)
{
    return simplex_cell(s, s->rows + aim, column);
}

double simplex_aim(Simplex *s, int aim)
{
    return -*simplex_cost(s, aim, s->columns);
}

/* line -= factor × other */
static void subtract(Simplex *s, int line, int other, double factor)
{
    double *to = simplex_cell(s, line, 0);
    const double *from = simplex_cell(s, other, 0);
    for (int j = 0; j < s->width; j++)
        to[j] -= factor * from[j];
}

/* Costs as seen from the starting basis. */
static void price_basis(Simplex *s)
{
    for (int aim = 0; aim < SIMPLEX_AIMS; aim++)
        for (int i = 0; i < s->rows; i++) {
            const double cost = *simplex_cost(s, aim, s->basis[i]);
            if (cost != 0)
                subtract(s, s->rows + aim, i, cost);
        }
}

static bool may_enter(Simplex *s, int aim, int column)
{
    for (int k = 0; k < aim; k++)
        if (*simplex_cost(s, k, column) > TINY)
            return false;
    return *simplex_cost(s, aim, column) < -TINY;
}

static int choose_column(Simplex *s, int aim, bool first)
{
    int best = -1;
    double lowest = 0;
    for (int j = 0; j < s->columns; j++) {
        if (!may_enter(s, aim, j) || *simplex_cost(s, aim, j) >= lowest)
            continue;
        best = j;
        lowest = *simplex_cost(s, aim, j);
        if (first)
            break;
    }
    return best;
}

static int choose_row(Simplex *s, int column)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < s->rows; i++) {
        const double c = *simplex_cell(s, i, column);
        if (c <= TINY)
            continue;
        const double ratio = *simplex_cell(s, i, s->columns) / c;
        if (ratio < least || (ratio == least && s->basis[i] < s->basis[best])) {
            best = i;
            least = ratio;
        }
    }
    return best;
}

/* Most cells are 0 and stay so: only the filled ones of the row change others. */
static void pivot(Simplex *s, int row, int column)
{
    double *line = simplex_cell(s, row, 0);
    const double c = line[column];
    int count = 0;
    for (int j = 0; j < s->width; j++) {
        line[j] /= c;
        if (line[j] != 0)
            s->filled[count++] = j;
    }
    for (int i = 0; i < s->rows + SIMPLEX_AIMS; i++) {
        double *to = simplex_cell(s, i, 0);
        const double factor = to[column];
        if (i == row || factor == 0)
            continue;
        for (int k = 0; k < count; k++)
            to[s->filled[k]] -= factor * line[s->filled[k]];
        s->budget -= count;
    }
    s->budget -= s->width;
    s->basis[row] = column;
}

static bool minimise(Simplex *s, int aim)
{
    const int lines = s->rows + s->columns;
    for (int step = 0; step < lines * STEPS_PER_LINE; step++) {
        const int column = choose_column(s, aim, step > lines);
        if (column < 0)
            return true;
        const int row = choose_row(s, column);
        if (row < 0 || s->budget < 0)
            return false;
        pivot(s, row, column);
    }
    return false;
}

bool simplex_solve(Simplex *s, double *x)
{
    price_basis(s);
    bool solved = true;
    for (int aim = 0; aim < SIMPLEX_AIMS && solved; aim++)
        solved = minimise(s, aim);
    for (int j = 0; j < s->columns; j++)
        x[j] = 0;
    for (int i = 0; i < s->rows; i++)
        x[s->basis[i]] = fmax(*simplex_cell(s, i, s->columns), 0);
    return solved;
}
