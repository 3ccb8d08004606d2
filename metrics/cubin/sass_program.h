/* A linear program built row by row, and its whole-numbered answers.
 *
 * All columns are at least 0.  Three aims in order of importance (sass_simplex.h): aim 0 is for
 * what must hold, and an answer that leaves some of it is none.  Columns named in `whole` are to be
 * whole numbers; the search for such an answer is branch and bound within a limit of work, and
 * where it finds none the broken one stands. */
#ifndef APTUNE_CUBIN_SASS_PROGRAM_H
#define APTUNE_CUBIN_SASS_PROGRAM_H

#include "metrics/base/vec.h"
#include "metrics/cubin/sass_simplex.h"

typedef struct SassTerm {
    int row, column;
    double value;
} SassTerm;

typedef struct SassRow {
    int basis; /* the column it starts out with */
    double rhs;
} SassRow;

typedef struct SassCost {
    int aim, column;
    double value;
} SassCost;

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
    VEC(SassCost) costs;
    VEC(SassLimit) limits; /* of the search */
    VEC(int) whole;        /* columns, in the order in which the search makes them whole */
    double budget;         /* cells that may still be written, see Simplex */
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
void sass_program_cost(SassProgram *p, int aim, int column, double each);

/* A row "new column + terms = rhs" (rhs not negative), to which sass_program_term adds the terms.
 * Returns the new column: a slack, which makes it "terms <= rhs", unless it gets a cost. */
int sass_program_row(SassProgram *p, double rhs);
void sass_program_term(SassProgram *p, int column, double value);

/* A row "terms = rhs" of which every unit missed costs so much of an aim. */
void sass_program_wish(SassProgram *p, double rhs, int aim, double cost);

SassAnswer sass_program_solve(SassProgram *p);

#endif
