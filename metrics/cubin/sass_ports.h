/* The register ports: how long single-precision arithmetic takes to read its operands.
 *
 * A scheduler reads a register for all 32 lanes through one of two ports, one of the registers with
 * even numbers and one of those with odd ones, each once a cycle; a few reads may wait, so that
 * neighbouring instructions even each other out.  An operand that the instruction before had in the
 * same place with its reuse flag set is not read again, and only the flag keeps it.
 *
 * Measured on an H200 with loops of FFMA whose register numbers and flags were set by hand, cycles
 * for each: a operand kept for 16, 8, 4, 2 instructions, the others in two banks: 1.041, 1.071,
 * 1.132, 1.254; three registers and nothing kept: 1.502; kept for 8 but without the flag: 1.732
 * with the two others in two banks (here 1.5: what a missing flag costs beyond the read is not
 * modelled).
 *
 * A store of several registers at once needs them side by side.  Where it stores sums as the loop
 * left them, sum j of a row is even or odd as j is; vector loads do the same to the factors, and
 * each multiply-add then reads two registers through one port. */
#ifndef APTUNE_CUBIN_SASS_PORTS_H
#define APTUNE_CUBIN_SASS_PORTS_H

#include "metrics/cubin/sass_join.h"

/* Of a warp through the kernel. */
typedef struct SassPorts {
    double cycles;    /* to issue all instructions, one a cycle, and read the operands of FMAs */
    double three;     /* FMAs that read three registers */
    double one_bank;  /* FMAs that read two registers through one port */
    double tied_sums; /* registers that a loop adds up in and that are stored from there as part of
                       * a vector of two or four; of the kernel, not executed ones */
} SassPorts;

SassPorts sass_ports(const SassJoin *j);

#endif
