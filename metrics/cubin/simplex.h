/* Linear programs of a few dozen rows, with several aims in lexicographic order:
 *
 *     rows · x = rhs,  x >= 0,  minimize aim 0; among the optima, aim 1; and so on.
 *
 * Every row needs an initial basic column (a slack, or an artificial one that aim 0 removes) with
 * coefficient 1 there and 0 in all other rows.  Dense tableau; Dantzig's rule, and after many steps
 * Bland's, which cannot cycle (R. G. Bland, "New Finite Pivoting Rules for the Simplex Method",
 * Mathematics of Operations Research 2, 1977).  A row added to a solved program is met by the dual
 * method (C. E. Lemke, "The Dual Method of Solving the Linear Programming Problem", Naval Research
 * Logistics Quarterly 1, 1954). */
#pragma once

#include "metrics/base/arena.h"

enum { SIMPLEX_AIMS = 3 };

typedef struct Simplex {
    int rows;
    int columns;
    int width;     /* of a line of the tableau: columns and right-hand side */
    double *cells; /* `rows` lines, then one for each aim: the cost of each column */
    int *basis;    /* by row: its column */
    int *filled;   /* scratch: non-zero columns of a line */
    double budget; /* cells that may still be written before giving up */
    bool solved;   /* false: it took too much work, an aim is unbounded, or limits contradict */
} Simplex;

typedef struct SimplexLimit {
    int column;
    double value;
    bool at_least; /* else at most */
} SimplexLimit;

/* All zero, with no limit on the work. */
Simplex *simplex_new(Arena *a, int rows, int columns);

/* The coefficient, or for column == columns the right-hand side (not negative). */
double *simplex_cell(Simplex *s, int row, int column);

/* The cost of a column in an aim. */
double *simplex_cost(Simplex *s, int aim, int column);

/* The value of an aim after solving. */
double simplex_aim(Simplex *s, int aim);

/* Returns `solved`. */
bool simplex_solve(Simplex *s);

/* A solved program with a limit, solved from there; the column must be one of the basis, as all are that
 * are not 0. */
Simplex *simplex_limit(Arena *a, Simplex *from, SimplexLimit l);

/* The value of each column. */
double *simplex_values(Arena *a, Simplex *s);
