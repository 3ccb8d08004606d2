/* One lane of an instruction that calculates (ISA 9.7.1, 9.7.6 to 9.7.9): values in, value out.
 *
 * Integers, bits and predicates are exact; ptx_eval.h has what the lanes of a warp have in common.  Values are kept as the register holds them, zero-extended from the width of their
 * type (but converted ones by their sign); every use looks at the bits of its own type only. */
#pragma once

#include "metrics/ptx/ptx.h"

typedef struct PtxScalar {
    const PtxForm *form;
    int bits; /* of the sources */
    bool is_signed;
    uint64_t a, b, c, d; /* sources, as the register holds them, cut to `bits` */
    int count;           /* of sources */
    uint64_t result[2];  /* the second: setp's other predicate */
    bool unknown;        /* division by zero, an operation that is not computed */
} PtxScalar;

/* Sets the results, or `unknown`. */
void ptx_scalar_eval(PtxScalar *s);

/* The width that an operation's sources have, 1 to 64. */
int ptx_source_bits(const PtxForm *f);

/* The bits of a register's value as a number of its type. */
int64_t ptx_value_signed(uint64_t v, int bits);
uint64_t ptx_value_truncate(uint64_t v, int bits);

/* One lane of a floating-point instruction in single or double precision (ISA 9.7.3, 9.7.6, 9.7.9.21).
 *
 * Results are IEEE's, rounded to nearest, with .ftz and .sat as PTX has them.  Approximations (.approx,
 * .full) are computed exactly and rounded: they may be a few units in the last place from what the GPU
 * gives, which a comparison very rarely tells.  Other roundings than to nearest are not computed, but
 * for conversions to integers; nor is half precision. */

/* Does the instruction calculate with floats?  (Moving and selecting them is not calculating.) */
bool ptx_float_calculates(const PtxForm *f);

/* Could ptx_float_eval ever give a value? */
bool ptx_float_computes(const PtxForm *f);

/* As ptx_scalar_eval: sources and results are the bits as registers hold them. */
void ptx_float_eval(PtxScalar *s);

/* Which way the machine code of a division, a root or a reciprocal takes: ptxas writes them out for
 * usual operands and calls a routine for the others. */
typedef enum PtxFloatWay {
    PTX_FLOAT_USUAL,
    PTX_FLOAT_PLAIN, /* the routine, which sees at once what comes out: of 0, infinity, no number */
    PTX_FLOAT_SCALED, /* the routine, which calculates with other exponents */
} PtxFloatWay;

/* Is it one of them? */
bool ptx_float_has_ways(const PtxForm *f);

/* For operands `a` and, of a division, `b`. */
PtxFloatWay ptx_float_way(const PtxForm *f, uint64_t a, uint64_t b);
