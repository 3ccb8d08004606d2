/* What a warp executes of the machine code, and how long that takes it alone.
 *
 * Numbers are warp instructions of one warp through the whole kernel unless they say otherwise; they are
 * counted on the code ptxas made, with the visits that sass_join found, so merged accesses, spills and the
 * true mix are in them.  An instruction under a false guard is issued and counts. */
#pragma once

#include "metrics/cubin/sass_serial.h"

/* The register ports: how long single-precision arithmetic takes to read its operands.
 *
 * A scheduler reads a register for all 32 lanes through one of two ports, one of the registers with even
 * numbers and one of those with odd ones, each once a cycle; a few reads may wait, so that neighbouring
 * instructions even each other out.  An operand that the instruction before had in the same place with its
 * reuse flag set is not read again, and only the flag keeps it.
 *
 * Measured on an H200 with loops of FFMA whose register numbers and flags were set by hand, cycles for
 * each: a operand kept for 16, 8, 4, 2 instructions, the others in two banks: 1.041, 1.071, 1.132, 1.254;
 * three registers and nothing kept: 1.502; kept for 8 but without the flag: 1.732 with the two others in
 * two banks (here 1.5: what a missing flag costs beyond the read is not modelled).
 *
 * A store of several registers at once needs them side by side.  Where it stores sums as the loop left
 * them, sum j of a row is even or odd as j is; vector loads do the same to the factors, and each
 * multiply-add then reads two registers through one port. */
typedef struct SassPorts {
    double cycles;    /* to issue all instructions, one a cycle, and read the operands of FMAs */
    double three;     /* FMAs that read three registers */
    double one_bank;  /* FMAs that read two registers through one port */
    double tied_sums; /* registers that a loop adds up in and that are stored from there as part of
                       * a vector of two or four; of the kernel, not executed ones */
} SassPorts;

SassPorts sass_ports(const SassJoin *j);

/* Accesses by the bytes that each thread moves: 1, 2, 4, 8, 16, 32 (from sm_100 on). */
enum { SASS_WIDTHS = 6, SASS_WIDTH_4 = 2, SASS_WIDTH_16 = 4 };

typedef struct SassProfile {
    double instr;
    double behind_branches; /* of these; of ways that are not taken, as often as their branch */
    double by_unit[SASS_UNITS];

    double shared_loads[SASS_WIDTHS];
    double shared_stores[SASS_WIDTHS];
    double global_loads[SASS_WIDTHS]; /* generic ones among them */
    double global_stores[SASS_WIDTHS];
    double local_loads[SASS_WIDTHS]; /* spills, unless the kernel has local arrays */
    double local_stores[SASS_WIDTHS];
    double atomics; /* global ones */
    double copies;  /* asynchronous, from global to shared memory */
    double barriers;
    double matches; /* of equal values among lanes */

    /* Reads of the constant banks.  Only loads by a register can differ from lane to lane; where
     * the PTX's access varies but none of these is executed, ptxas has found that it does not. */
    double constant_operands;
    double constant_loads;   /* from one place for all lanes */
    double constant_indexed; /* by a register */
    double constant_uniform; /* into the scalar unit */

    /* Code against the instruction cache, in bytes. */
    double code_bytes;      /* of the kernel without its padding */
    double executed_bytes;  /* of the blocks that are executed at all */
    double hot_bytes;       /* of those executed in loops */
    double loop_bytes_most; /* of the largest innermost loop, the blocks executed in it */
    double loop_bytes; /* of innermost loops, on average over the instructions executed in them */

    SassPorts ports;
    double
        guessed; /* 1 where the counts are the PTX's (where they and the code do not fit); of means, the share */

    SassSerial serial; /* of the warp alone */
    SassSerial loaded; /* among its equals (sass_latency_among); all 0 when no load is given */

    const char *unmatched; /* sass_join's doubt, or the architecture; NULL when there is none */
    double deviation;      /* relative, that counts may be off by then */
} SassProfile;

/* All of it.  `latency`: NULL for SASS_LATENCY.  `load`: NULL when not known. */
SassProfile sass_profile(Arena *a, int arch, const CubinKernel *k, const Walk *w,
                         const SassLatency *latency, const SassLoad *load);

/* Adds `weight` times another warp's numbers to a sum that began with zero; the sizes of code are
 * not summed. */
void sass_profile_add(SassProfile *sum, const SassProfile *p, double weight);

/* Accesses of all widths. */
static inline double sass_accesses(const double counts[SASS_WIDTHS])
{
    double sum = 0;
    for (int i = 0; i < SASS_WIDTHS; i++)
        sum += counts[i];
    return sum;
}
