/* What a warp executes of the machine code, and how long that takes by itself.
 *
 * Counts are warp instructions of one warp through the whole kernel unless noted.  They come from the code
 * of ptxas with the visits of sass_join, so they include merged accesses, spills and the true mix.  An
 * instruction under a false guard is issued and counts. */
#pragma once

#include "metrics/cubin/sass_serial.h"
#include "metrics/cubin/sass_settle.h"

/* The register ports: how long single-precision arithmetic takes to read its operands.
 *
 * A scheduler reads a register for all 32 lanes through one of two ports, one for even register numbers and
 * one for odd ones, each once a cycle; a few reads may queue, so neighbouring instructions even each other
 * out.  An operand that the instruction before had in the same place with its reuse flag set is not read
 * again; only the flag keeps it.
 *
 * Measured on an H200 with loops of FFMA whose register numbers and flags were set by hand, cycles for
 * each: an operand kept for 16, 8, 4, 2 instructions, the others in two banks: 1.041, 1.071, 1.132, 1.254;
 * three registers and nothing kept: 1.502; kept for 8 but without the flag: 1.732 with the two others in
 * two banks (here 1.5: what a missing flag costs beyond the read is not modelled).
 *
 * A store of several registers at once needs them adjacent.  If it stores sums as a loop left them, sum j
 * of a row is even or odd as j is; vector loads do the same to the factors, and each multiply-add then
 * reads two registers through one port. */
typedef struct SassPorts {
    double cycles;    /* to issue all instructions, one a cycle, and read the operands of FMAs */
    double three;     /* FMAs that read three registers */
    double one_bank;  /* FMAs that read two registers through one port */
    double tied_sums; /* registers that a loop sums up in and a vector store takes (static) */
} SassPorts;

SassPorts sass_ports(const SassJoin *j);

/* Accesses by the bytes that each thread moves: 1, 2, 4, 8, 16, 32 (from sm_100 on). */
enum { SASS_WIDTHS = 6, SASS_WIDTH_4 = 2, SASS_WIDTH_16 = 4 };

typedef struct SassProfile {
    double instr;
    double behind_branches; /* of these, in conditional blocks; untaken ones as their branch */
    double open;            /* that may be executed in addition (sass_join.h) */
    double by_unit[SASS_UNITS];

    double shared_loads[SASS_WIDTHS];
    double shared_stores[SASS_WIDTHS];
    double global_loads[SASS_WIDTHS]; /* with generic ones */
    double global_stores[SASS_WIDTHS];
    double local_loads[SASS_WIDTHS]; /* spills, unless the kernel has local arrays */
    double local_stores[SASS_WIDTHS];
    double barriers;
    double matches;  /* MATCH */
    double matrices; /* LDSM, STSM */
    double products; /* IMAD.WIDE, IMAD.HI */

    /* Reads of the constant banks.  Only loads by a register can differ between lanes; if the PTX's access
     * varies but none of these is executed, ptxas has found it uniform. */
    double constant_operands;
    double constant_loads;   /* from one address for all lanes */
    double constant_indexed; /* by a register */
    double constant_uniform; /* into the scalar unit */

    /* Code sizes for the instruction cache, in bytes. */
    double code_bytes;      /* of the kernel without its padding */
    double executed_bytes;  /* of blocks that are executed */
    double hot_bytes;       /* of those in loops */
    double loop_bytes_most; /* executed blocks of the largest innermost loop */
    double loop_bytes;      /* the same, mean over all instructions executed in innermost loops */

    SassPorts ports;
    double guessed; /* 1: the counts are the PTX's, as the code does not fit; in means, the share */

    SassSerial serial; /* of the warp alone */
    SassSerial loaded; /* of the warp among others (sass_latency_among); all 0 without a load */

    const char *unmatched; /* why counts are uncertain; NULL: they are not */
    double deviation;      /* relative error of the counts in that case */
} SassProfile;

/* `latency`: NULL for SASS_LATENCY.  `load`: NULL when not known. */
SassProfile sass_profile(Arena *a, const SassFlow *f, const Walk *w, const SassLatency *latency,
                         const SassLoad *load);

/* The same of a warp of the block `launch->at`, whose number settles branches, too, where something is in doubt without it.
 * The join is then made anew, but taken only if it matches or the first one does not either. */
SassProfile sass_profile_in_block(Arena *a, const SassFlow *f, const CubinKernel *k,
                                  const SassLaunch *launch, const Walk *w,
                                  const SassLatency *latency, const SassLoad *load);

/* Adds `weight` times another warp's counts and times, but not code sizes, to a sum that began with zero. */
void sass_profile_add(SassProfile *sum, const SassProfile *p, double weight);

/* Accesses of all widths. */
static inline double sass_accesses(const double counts[SASS_WIDTHS])
{
    double sum = 0;
    for (int i = 0; i < SASS_WIDTHS; i++)
        sum += counts[i];
    return sum;
}
