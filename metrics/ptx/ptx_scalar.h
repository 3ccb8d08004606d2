/* Evaluates one lane of an integer instruction, or some of one on floats (ISA 9.7.1, 9.7.6 to 9.7.9).
 *
 * Integers, bits and predicates are exact; ptx_eval.h handles whole warps. Values are kept as the register
 * holds them, zero-extended from the width of their type (converted ones sign-extended); each use looks at
 * the bits of its own type only. */
#pragma once

#include "metrics/ptx/ptx.h"

enum { PTX_LANES = 32 };

typedef struct PtxScalar {
    const PtxForm *form;
    int bits; /* of the sources */
    bool is_signed;
    uint64_t a, b, c, d; /* sources as the register holds them, cut to `bits` */
    int count;           /* of sources */
    uint64_t result[2];  /* second: setp's complement */
    bool unknown;        /* division by zero, unsupported operation */
} PtxScalar;

/* Sets the results or `unknown`. */
void ptx_scalar_eval(PtxScalar *s);

/* Width of an operation's sources, 1 to 64. */
int ptx_source_bits(const PtxForm *f);

/* The low bits of a register's value, sign- or zero-extended. */
int64_t ptx_value_signed(uint64_t v, int bits);
uint64_t ptx_value_truncate(uint64_t v, int bits);

/* Lanes of a floating-point instruction in single or double precision (ISA 9.7.3, 9.7.6, 9.7.9.21).
 *
 * Results follow IEEE 754, rounded to nearest, with .ftz and .sat as PTX defines them. Approximations
 * (.approx, .full) are computed exactly and rounded: they may differ from the GPU's by a few ulp, which a
 * comparison very rarely reveals. Not computed: other roundings, except in conversions to integers, and
 * half precision. */

/* True if the instruction does float arithmetic; moving and selecting is none. */
bool ptx_float_calculates(const PtxForm *f);

/* True if ptx_float_eval can compute it. */
bool ptx_float_computes(const PtxForm *f);

/* In so many lanes, at most PTX_LANES. Sources (NULL: it has no such) and results are the bits in registers, of setp
 * the complement, too; other instructions leave that alone. */
void ptx_float_eval(const PtxForm *f, const uint64_t *const sources[3], int lanes, uint64_t *result,
                    uint64_t *complement);

/* Path of a division, root or reciprocal: ptxas inlines usual operands and calls a routine for others. */
typedef enum PtxFloatWay {
    PTX_FLOAT_USUAL,
    PTX_FLOAT_PLAIN,    /* routine with a trivial result: of 0, infinity */
    PTX_FLOAT_INFINITE, /* the same for a quotient of 32 bits that is infinite */
    PTX_FLOAT_NAN,      /* routine that passes on an operand that is NaN */
    PTX_FLOAT_SCALED,   /* routine that computes with scaled exponents */
} PtxFloatWay;

/* True for such a division, root or reciprocal. */
bool ptx_float_has_ways(const PtxForm *f);

/* For operand `a` and, of a division, `b`. */
PtxFloatWay ptx_float_way(const PtxForm *f, uint64_t a, uint64_t b);
