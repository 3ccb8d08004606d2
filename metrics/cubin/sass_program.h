/* A linear program built row by row, and its whole-numbered answers.
 *
 * All columns are at least 0.  Three aims in order of importance (Simplex, below): aim 0 is for
 * what must hold, and an answer that leaves some of it is none.  Columns named in `whole` are to be
 * whole numbers; the search for such an answer is branch and bound within a limit of work, and
 * where it finds none the broken one stands. */
#pragma once

#include "metrics/base/vec.h"

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

typedef struct SassTerm {
    int row, column; /* of a cost: the aim and the column */
    double value;
} SassTerm;

/* A number that depends on columns. */
typedef struct SassSum {
    double constant;
    int count;
    SassTerm *terms; /* each column once, in their order; `row` is not used */
} SassSum;

typedef struct SassRow {
    int basis; /* the column it starts out with */
    int over;  /* that it starts out with when its right-hand side is negative, or none: -1 */
    double rhs;
} SassRow;

typedef struct SassLimit {
    int column;
    double value;
    bool at_least; /* else at most */
} SassLimit;

typedef struct SassProgram {
    Arena *arena;
    int columns;
    VEC(SassTerm) terms;
    VEC(SassRow) rows;
    VEC(SassTerm) costs;
    VEC(SassLimit) limits;          /* of the search */
    VEC(int) whole;                 /* columns, in the order in which the search makes them whole */
    double constants[SIMPLEX_AIMS]; /* what the aims come to without any column */
    double budget;                  /* cells that may still be written, see Simplex */
} SassProgram;

typedef struct SassAnswer {
    bool found;
    double aims[SIMPLEX_AIMS];
    double *x; /* by column */
} SassAnswer;

/* Programs of more cells are not solved, nor any longer once SASS_PROGRAM_WORK cells were written:
 * some 6 milliseconds. */
enum { SASS_PROGRAM_CELLS = 1 << 20, SASS_PROGRAM_WORK = 1 << 22 };

SassProgram sass_program_new(Arena *a);

int sass_program_column(SassProgram *p);
SassSum sass_program_sum(SassProgram *p, int column);
void sass_program_cost(SassProgram *p, int aim, int column, double each);
void sass_program_cost_sum(SassProgram *p, int aim, const SassSum *s, double each);

/* A row "new column + terms <= rhs", to which the terms are added.  With their constants taken over
 * its right-hand side is not negative.  Returns the new column, a slack. */
int sass_program_row(SassProgram *p, double rhs);
void sass_program_term(SassProgram *p, int column, double value);
void sass_program_term_sum(SassProgram *p, const SassSum *s, double factor);

/* A row "terms = rhs" of which every unit missed costs so much of an aim. */
void sass_program_wish(SassProgram *p, double rhs, int aim, double cost);

/* The same of "terms >= rhs". */
void sass_program_wish_least(SassProgram *p, double rhs, int aim, double cost);

/* a + factor × b */
SassSum sass_sum(Arena *arena, const SassSum *a, const SassSum *b, double factor);

double sass_sum_value(const SassSum *s, const double *x);

SassAnswer sass_program_solve(SassProgram *p);

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
