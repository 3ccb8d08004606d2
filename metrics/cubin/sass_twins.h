/* Columns of a linear program that can be exchanged for each other, merged into one.
 *
 * An unrolled loop with a division has one branch to its slow path per copy.  Their columns have the same
 * costs and the same terms in all rows but one each: the row that limits this column alone among them, x + …
 * <= limit, and these rows are equal otherwise.  If x1, x2 … are in an answer, their mean for each is in one
 * that costs the same.  So n of them are one column, their sum, with one row, n times as large.
 *
 * Which of equal answers is found may differ from that without merging, and so it is done only where the
 * program is too large otherwise. */
#pragma once

#include "metrics/cubin/sass_program.h"

typedef struct SassTwins {
    SassProgram merged;
    int *column; /* by column of the program: that of the merged one which has its sum */
    int *count;  /* by column of the program: so many have the same one */
} SassTwins;

SassTwins sass_twins_merge(const SassProgram *p);

/* The program's columns from those of the merged one: each has an equal part of its sum. */
double *sass_twins_part(const SassProgram *p, const SassTwins *t, const double *x);
