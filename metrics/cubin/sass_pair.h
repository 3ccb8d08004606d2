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
