/* Jump tables and branches of the code that are comparisons in the PTX.
 *
 * ptxas may turn a chain of comparisons, `x == 3`, else `x == 4`, …, into a table.  Entry i is the case of
 * the number base + i, the last entry the default: the code subtracts the base, clamps the index to the
 * last entry by an unsigned minimum, loads an offset and jumps.  Base and last entry identify the chain of
 * a table.
 *
 * Comparisons that it keeps as branches, in a chain or a tree, are identified by their numbers. */
#pragma once

#include "metrics/cubin/sass_pair.h"

typedef struct SassCases {
    const double **times; /* by block of the code: how often each edge is taken, or NULL */
    bool *told;           /* by block of the PTX: its comparison was found in the code */
    bool open;            /* some comparisons of a register with several numbers were not found */
} SassCases;

/* Chains with the same numbers are only identified if the code has as many tables, in the same order, and
 * branches of a loop with the same number likewise; cases that share their code in the PTX are not. */
SassCases sass_cases_find(Arena *a, const SassFlow *f, const WalkFunction *ptx,
                          const SassPairs *pairs);
