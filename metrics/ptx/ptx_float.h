/* One lane of a floating-point instruction in single or double precision (ISA 9.7.3, 9.7.6, 9.7.9.21).
 *
 * Results are IEEE's, rounded to nearest, with .ftz and .sat as PTX has them.  Approximations (.approx,
 * .full) are computed exactly and rounded: they may be a few units in the last place from what the GPU
 * gives, which a comparison very rarely tells.  Other roundings than to nearest are not computed, but
 * for conversions to integers; nor is half precision. */
#ifndef APTUNE_PTX_PTX_FLOAT_H
#define APTUNE_PTX_PTX_FLOAT_H

#include "metrics/ptx/ptx_scalar.h"

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

#endif
