#include "metrics/cubin/simplex.h"

#include <math.h>
#include <string.h>

enum { STEPS_PER_LINE = 20 };

/* Coefficients are small integers or shares of 1: what is smaller is rounding. */
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

/* Reduces the costs by the initial basis. */
static void price_basis(Simplex *s)
{
    for (int aim = 0; aim < SIMPLEX_AIMS; aim++)
        for (int i = 0; i < s->rows; i++) {
            const double cost = *simplex_cost(s, aim, s->basis[i]);
            if (cost != 0)
                subtract(s, s->rows + aim, i, cost);
        }
}

/* True if it makes no earlier aim worse. */
static bool may_enter(Simplex *s, int aim, int column)
{
    for (int k = 0; k < aim; k++)
        if (*simplex_cost(s, k, column) > TINY)
            return false;
    return true;
}

static int choose_column(Simplex *s, int aim, bool first)
{
    int best = -1;
    double lowest = -TINY;
    for (int j = 0; j < s->columns; j++) {
        if (*simplex_cost(s, aim, j) >= lowest || !may_enter(s, aim, j))
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

/* Most cells are 0 and stay 0: only non-zero ones of the pivot row change others. */
static void pivot(Simplex *s, int row, int column)
{
    double *line = simplex_cell(s, row, 0);
    const double c = line[column];
    int count = 0;
    for (int j = 0; j < s->width; j++)
        if (line[j] != 0) {
            line[j] /= c;
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

bool simplex_solve(Simplex *s)
{
    price_basis(s);
    s->solved = true;
    for (int aim = 0; aim < SIMPLEX_AIMS && s->solved; aim++)
        s->solved = minimise(s, aim);
    return s->solved;
}

double *simplex_values(Arena *a, Simplex *s)
{
    double *x = ARENA_ARRAY(a, double, (size_t)s->columns + 1);
    for (int i = 0; i < s->rows; i++)
        x[s->basis[i]] = fmax(*simplex_cell(s, i, s->columns), 0);
    return x;
}

/* --- the dual method -------------------------------------------------------------------------- */

/* True if the aims rise less, per unit that the row gains, if j enters instead of k. */
static bool rises_less(Simplex *s, int row, int j, int k)
{
    for (int aim = 0; aim < SIMPLEX_AIMS; aim++) {
        const double difference = *simplex_cost(s, aim, j) * *simplex_cell(s, row, k) -
                                  *simplex_cost(s, aim, k) * *simplex_cell(s, row, j);
        if (fabs(difference) > TINY)
            return difference > 0; /* both cells are negative */
    }
    return false;
}

static int dual_column(Simplex *s, int row)
{
    int best = -1;
    for (int j = 0; j < s->columns; j++)
        if (*simplex_cell(s, row, j) < -TINY && (best < 0 || rises_less(s, row, j, best)))
            best = j;
    return best;
}

/* The row whose right-hand side is most negative; -1: none is. */
static int dual_row(Simplex *s)
{
    int best = -1;
    double lowest = -TINY;
    for (int i = 0; i < s->rows; i++)
        if (*simplex_cell(s, i, s->columns) < lowest) {
            best = i;
            lowest = *simplex_cell(s, i, s->columns);
        }
    return best;
}

static bool repair(Simplex *s)
{
    for (int step = 0; step < (s->rows + s->columns) * STEPS_PER_LINE; step++) {
        const int row = dual_row(s);
        if (row < 0)
            return true;
        const int column = dual_column(s, row);
        if (column < 0 || s->budget < 0)
            return false;
        pivot(s, row, column);
    }
    return false;
}

/* The row of a basic column. */
static int row_of(const Simplex *s, int column)
{
    int row = 0;
    while (s->basis[row] != column)
        row++;
    return row;
}

static void copy_line(Simplex *to, int line, Simplex *from, int of)
{
    memcpy(simplex_cell(to, line, 0), simplex_cell(from, of, 0),
           (size_t)from->columns * sizeof(double));
    *simplex_cell(to, line, to->columns) = *simplex_cell(from, of, from->columns);
}

Simplex *simplex_limit(Arena *a, Simplex *from, SimplexLimit l)
{
    const int basic = row_of(from, l.column), row = from->rows, slack = from->columns;
    Simplex *s = simplex_new(a, from->rows + 1, from->columns + 1);
    for (int i = 0; i < from->rows; i++)
        copy_line(s, i, from, i);
    for (int aim = 0; aim < SIMPLEX_AIMS; aim++)
        copy_line(s, s->rows + aim, from, from->rows + aim);
    memcpy(s->basis, from->basis, (size_t)from->rows * sizeof *s->basis);
    const double sign = l.at_least ? 1 : -1;
    for (int j = 0; j < from->columns; j++)
        *simplex_cell(s, row, j) = sign * *simplex_cell(from, basic, j);
    *simplex_cell(s, row, l.column) = 0;
    *simplex_cell(s, row, slack) = 1;
    *simplex_cell(s, row, s->columns) =
        sign * (*simplex_cell(from, basic, from->columns) - l.value);
    s->basis[row] = slack;
    s->budget = from->budget;
    s->solved = repair(s);
    return s;
}
