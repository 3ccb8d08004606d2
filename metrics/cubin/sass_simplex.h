/* Linear programs of a few dozen rows, with several aims in order of importance.
 *
 *     rows · x = rhs,  x >= 0,  and of all such x those that make aim 0 smallest; of these, those
 * that make aim 1 smallest; and so on.
 *
 * Every row needs a column of its own to start with (a slack, or an artificial one that aim 0 gets
 * rid of), with coefficient 1 there and 0 in all other rows.  Dense tableau, Dantzig's choice of
 * the column and Bland's once that goes on for long: R. G. Bland, "New Finite Pivoting Rules for
 * the Simplex Method", Mathematics of Operations Research 2 (1977). */
#ifndef APTUNE_CUBIN_SASS_SIMPLEX_H
#define APTUNE_CUBIN_SASS_SIMPLEX_H

#include "metrics/base/arena.h"

enum { SIMPLEX_AIMS = 3 };

typedef struct Simplex {
    int rows;
    int columns;
    int width;     /* of a line of the tableau: the columns, then the right-hand side */
    double *cells; /* `rows` lines, then one for each aim: the cost of each column */
    int *basis;    /* by row: its column */
    int *filled;   /* scratch: columns of a line that are not 0 */
    double budget; /* cells that may still be written before it gives up */
} Simplex;

/* All zero, with no limit on the work. */
Simplex *simplex_new(Arena *a, int rows, int columns);

/* The coefficient, or with column == columns the right-hand side (not negative). */
double *simplex_cell(Simplex *s, int row, int column);

/* What a unit of a column adds to an aim. */
double *simplex_cost(Simplex *s, int aim, int column);

/* What an aim came to, after solving. */
double simplex_aim(Simplex *s, int aim);

/* The value of each column, in `x`.  False when that takes too much work or an aim has no end. */
bool simplex_solve(Simplex *s, double *x);

#endif
