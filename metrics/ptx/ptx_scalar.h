/* One lane of an instruction that calculates (ISA 9.7.1, 9.7.6 to 9.7.9): values in, value out.
 *
 * Integers, bits and predicates are exact.  ptx_float.h has the floats, ptx_eval.h what the lanes of a warp
 * have in common.  Values are kept as the register holds them, zero-extended from the width of their
 * type (but converted ones by their sign); every use looks at the bits of its own type only. */
#ifndef APTUNE_PTX_PTX_SCALAR_H
#define APTUNE_PTX_PTX_SCALAR_H

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

/* Sets the results of setp and set, once it is known how the sources compare; returns the first. */
uint64_t ptx_scalar_decide(PtxScalar *s, bool p);

/* The width that an operation's sources have, 1 to 64. */
int ptx_source_bits(const PtxForm *f);

/* The bits of a register's value as a number of its type. */
int64_t ptx_value_signed(uint64_t v, int bits);
uint64_t ptx_value_truncate(uint64_t v, int bits);

#endif
