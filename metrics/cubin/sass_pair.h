/* Which loop of the machine code corresponds to which of the PTX.
 *
 * ptxas lays blocks out in an order of its own, so the order of the text says little.  Loops are paired
 * level by level of their nests, from the outermost, by what they do:
 *
 *  - their landmarks (sass_anchor.def), in the same proportions, once or unrolled;
 *  - the immediates in their instructions;
 *  - what is inside them, paired likewise;
 *  - and which of them comes after which on every path through the kernel, which alone pairs more than six
 *    side by side.
 *
 * Levels with another number of loops than the PTX has (ptxas unrolled one, or split it into a main part
 * and a remainder) are not paired, nor is what is in them.  Where exchanging two loops would fit about as
 * well and would change how often something is executed, the pairing is a guess.
 *
 * For loops that are not paired, landmarks give the number of iterations, and where they have none the
 * immediates in their products, shifts and logic, which each copy of an unrolled loop repeats. */
#pragma once

#include "metrics/cubin/sass_anchor.h"
#include "metrics/cubin/sass_flow.h"

/* An immediate that occurs in the PTX and in the code. */
typedef struct SassNumber {
    double in_ptx;    /* executed instructions with it */
    double in_code;   /* instructions with it, executed or not */
    double *by_block; /* the same by block */
} SassNumber;

typedef VEC(SassNumber) SassNumbers;

typedef struct SassPairs {
    int *loop;         /* by loop of the code: that of the PTX's entry function, or CFG_NONE */
    bool *unrolled;    /* by loop of the code: it has more work than its pair */
    double *copies;    /* by paired loop of the code: iterations of its pair that it does in one */
    bool complete;     /* all loops of both are paired */
    const char *doubt; /* names two loops that might as well be exchanged; NULL: none */
    SassNumbers numbers; /* of unpaired loops of the PTX without a landmark */
    double lost;         /* executed instructions of such loops without an immediate */
} SassPairs;

SassPairs sass_pair_loops(Arena *a, const SassFlow *code, const WalkFunction *ptx);

/* What a block of a slow-path routine does.  ptxas calls one for operands of a division or root that the
 * inline code cannot handle. */
typedef enum SassRoutineWork {
    SASS_ROUTINE_NONE,       /* it is in no routine */
    SASS_ROUTINE_CLASSIFIES, /* tests the operands */
    SASS_ROUTINE_MAKES_NAN,
    SASS_ROUTINE_MAKES_INFINITY, /* not of what it has calculated */
    SASS_ROUTINE_CALCULATES      /* with scaled operands */
} SassRoutineWork;

/* Only for code whose PTX has no calls. */
typedef struct SassRoutines {
    bool *calls[WALK_ROUTINES];           /* by block */
    SassRoutineWork *work[WALK_ROUTINES]; /* by block */
} SassRoutines;

SassRoutines sass_routines_find(Arena *a, const SassFlow *f);

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
