/* Jump tables of the code that are comparisons in the PTX.
 *
 * Of a chain of comparisons, `x == 3`, else `x == 4`, …, ptxas may make a table of its own.  Entry i is
 * the case of the number base + i, the last entry what is left: the code subtracts the base, limits the
 * index to the last entry by a minimum without sign, loads an offset and jumps.  Base and last entry say
 * which chain a table is made of. */
#pragma once

#include "metrics/cubin/sass_flow.h"
#include "metrics/ptx/walk.h"

/* By block of the code: NULL, or of one that ends with such a jump how often each of its ways is taken.
 * Of chains with the same numbers the code must have as many tables, in the same order; of others, and of
 * cases that share their code in the PTX, nothing is said. */
const double **sass_tables_find(Arena *a, const SassFlow *f, const WalkFunction *ptx);
