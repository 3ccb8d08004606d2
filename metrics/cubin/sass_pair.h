/* Which loop of the machine code is which of the PTX.
 *
 * ptxas lays blocks out in an order of its own, so that the order of the text says little.  Loops
 * are paired level by level of their nests, those at the top first, by what they do:
 *
 *  - their landmarks (sass_anchor.def), in the same proportions, once or unrolled;
 *  - the numbers that stand in their instructions;
 *  - what is inside them, paired likewise;
 *  - and which of them comes after which on every way through the kernel, which alone pairs more than six
 *    side by side.
 *
 * Levels with another number of loops than the PTX has (ptxas unrolled one, or split it into a main
 * part and a rest) are not paired, nor is what is in them.  Where exchanging two loops would fit
 * about as well and would change how often something is executed, the pairing is a guess.
 *
 * Of loops that are not paired landmarks tell how often they go round, and where they have none the
 * numbers in their products, shifts and logic, which each copy of an unrolled loop repeats. */
#pragma once

#include "metrics/cubin/sass_anchor.h"
#include "metrics/cubin/sass_flow.h"
#include "metrics/ptx/walk.h"

/* A number that stands in the PTX and in the code. */
typedef struct SassNumber {
    double in_ptx;    /* executed instructions with it */
    double in_code;   /* instructions with it, executed or not */
    double *by_block; /* of these */
} SassNumber;

typedef VEC(SassNumber) SassNumbers;

typedef struct SassPairs {
    int *loop;           /* by loop of the code: that of the PTX's entry function, or CFG_NONE */
    bool *unrolled;      /* by loop of the code: has more work in it than its pair */
    bool complete;       /* all loops of both are paired */
    const char *doubt;   /* two loops that might as well be exchanged; NULL: none */
    SassNumbers numbers; /* of loops of the PTX that are paired with none and have no landmark */
    double lost;         /* executed instructions of such loops that have no number either */
} SassPairs;

SassPairs sass_pair_loops(Arena *a, const SassFlow *code, const WalkFunction *ptx);

/* Subroutines that ptxas calls for the operands of a division or a root that its usual code is not for. */

/* What a block of a routine is for. */
typedef enum SassRoutineWork {
    SASS_ROUTINE_NONE, /* it is none of a routine's */
    SASS_ROUTINE_LOOKS,
    SASS_ROUTINE_GIVES_NONE, /* makes what is no number */
    SASS_ROUTINE_CALCULATES  /* with scaled operands */
} SassRoutineWork;

/* Of code whose PTX calls nothing. */
typedef struct SassRoutines {
    bool *calls[WALK_ROUTINES];           /* by block */
    SassRoutineWork *work[WALK_ROUTINES]; /* by block */
} SassRoutines;

SassRoutines sass_routines_find(Arena *a, const SassFlow *f);

/* A branch of the code and that of the PTX's entry function which it is. */
typedef struct SassBranch {
    int ptx;  /* block that ends with it; CFG_NONE: with none that is known */
    int way;  /* successor of the code's block … */
    int into; /* … and block of the PTX that begin what the branch goes round; CFG_NONE where both ways do something */
} SassBranch;

/* By block of the code.  Branches are paired that lie in paired loops and behind as many branches, in their
 * order and as near to each other in the two texts as that allows: what ptxas made guards of leaves out
 * branches, and seldom changes their order. */
SassBranch *sass_pair_branches(Arena *a, const SassFlow *code, const WalkFunction *ptx,
                               const SassPairs *loops);
