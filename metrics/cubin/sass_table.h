/* Jump tables and branches of the code that are comparisons in the PTX.
 *
 * Of a chain of comparisons, `x == 3`, else `x == 4`, …, ptxas may make a table of its own.  Entry i is
 * the case of the number base + i, the last entry what is left: the code subtracts the base, limits the
 * index to the last entry by a minimum without sign, loads an offset and jumps.  Base and last entry say
 * which chain a table is made of.
 *
 * Comparisons that it leaves as branches, in a chain or a tree, are known by their numbers. */
#pragma once

#include "metrics/cubin/sass_flow.h"
#include "metrics/cubin/sass_pair.h"
#include "metrics/ptx/walk.h"

typedef struct SassCases {
    const double **times; /* by block of the code: how often each of its ways is taken, or NULL */
    bool *told;           /* by block of the PTX: its comparison is found in the code … */
    bool open; /* … or that of some is not, of those of one register with several numbers */
} SassCases;

/* Of chains with the same numbers the code must have as many tables, in the same order, and of a loop's
 * branches with the same number as many, too; of others, and of cases that share their code in the PTX,
 * nothing is said. */
SassCases sass_cases_find(Arena *a, const SassFlow *f, const WalkFunction *ptx,
                          const SassPairs *pairs);
