/* A linear program built row by row, and its integer solutions.
 *
 * All columns are at least 0.  There are three objectives (aims) in order of importance (simplex.h).
 * Aim 0 measures violated constraints: an answer that leaves some is none.  Columns in `integers` are to be
 * integers; they are found by branch and bound with limited work, and where it fails the fractional answer
 * is kept.
 *
 * A program that takes too much work is solved with merged columns instead (sass_twins.h). */
#pragma once

#include "metrics/base/vec.h"
#include "metrics/cubin/simplex.h"

typedef struct SassTerm {
    int row, column; /* of a cost: the aim and the column */
    double value;
} SassTerm;

/* A linear function of columns. */
typedef struct SassSum {
    double constant;
    int count;
    SassTerm *terms; /* each column once, in their order; `row` is not used */
} SassSum;

typedef struct SassRow {
    int basis; /* the initial basic column */
    int over;  /* the initial one if the right-hand side is negative; -1: none */
    double rhs;
} SassRow;

typedef struct SassProgram {
    Arena *arena;
    int columns;
    VEC(SassTerm) terms;
    VEC(SassRow) rows;
    VEC(SassTerm) costs;
    VEC(int) integers;              /* integer columns, in the order of branching */
    double constants[SIMPLEX_AIMS]; /* of the aims */
    double budget;                  /* cells that may still be written, see Simplex */
} SassProgram;

typedef struct SassAnswer {
    bool found;
    double aims[SIMPLEX_AIMS];
    double *x;        /* by column */
    Simplex *simplex; /* of the fractional answer that it was rounded from */
} SassAnswer;

/* Larger programs are not solved, and solving stops after SASS_PROGRAM_WORK written cells: some 6
 * milliseconds. */
enum { SASS_PROGRAM_CELLS = 1 << 20, SASS_PROGRAM_WORK = 1 << 22 };

SassProgram sass_program_new(Arena *a);

int sass_program_column(SassProgram *p);
SassSum sass_program_sum(SassProgram *p, int column);
void sass_program_cost(SassProgram *p, int aim, int column, double each);
void sass_program_cost_sum(SassProgram *p, int aim, const SassSum *s, double each);

/* Starts a row "terms <= rhs", to which terms are then added.  The right-hand side must not be negative
 * once their constants are subtracted from it.  Returns its slack column. */
int sass_program_row(SassProgram *p, double rhs);
void sass_program_term(SassProgram *p, int column, double value);
void sass_program_term_sum(SassProgram *p, const SassSum *s, double factor);

/* Starts a soft row "terms = rhs"; every unit of deviation adds `cost` to an aim. */
void sass_program_wish(SassProgram *p, double rhs, int aim, double cost);

/* The same for "terms >= rhs". */
void sass_program_wish_least(SassProgram *p, double rhs, int aim, double cost);

/* a + factor × b */
SassSum sass_sum(Arena *arena, const SassSum *a, const SassSum *b, double factor);

double sass_sum_value(const SassSum *s, const double *x);

SassAnswer sass_program_solve(SassProgram *p);
