/* Which branch of the machine code corresponds to which of the PTX. */
#pragma once

#include "metrics/cubin/sass_pair.h"

/* The branch of the PTX's entry function that a branch of the code corresponds to. */
typedef struct SassBranch {
    int ptx; /* block that ends with it; CFG_NONE: not known */
    int way; /* number of a successor: what the branch may skip, or where an outcome of its comparison leads, … */
    int into; /* … and the block of the PTX that this is; both CFG_NONE where neither tells */
} SassBranch;

/* By block of the code.  Branches in paired loops at the same depth are paired, in order and as near to
 * each other in the two texts as that allows: ptxas removes branches in favour of guards, but rarely
 * reorders them.  Those that compare with the same number may be ten times as far apart.  Which side is which is told by
 * that number, else by where the sides meet, else by the relation: to 0, or of two values.  Unless `all`, branches that the
 * launch settles are not paired, and guarded ends in loops not apart from others. */
SassBranch *sass_pair_branches(Arena *a, const SassFlow *code, const WalkFunction *ptx,
                               const SassPairs *loops, bool all);
