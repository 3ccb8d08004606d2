/* One lane of an integer instruction (ISA 9.7.1, 9.7.7): values in, value out.
 *
 * ptx_eval.c does what the lanes of a warp have in common, and calls this for those that differ. */
#ifndef APTUNE_PTX_PTX_SCALAR_H
#define APTUNE_PTX_PTX_SCALAR_H

#include "metrics/ptx/ptx_eval.h"

typedef struct PtxScalar {
    const PtxForm *form;
    int bits; /* of the sources */
    bool is_signed;
    uint64_t a, b, c, d; /* sources, as the register holds them, cut to `bits` */
    int count;           /* of sources */
    uint64_t result[2];  /* the second: setp's other predicate */
} PtxScalar;

/* False when the result is not known (division by zero, an operation that is not computed). */
bool ptx_scalar_eval(PtxScalar *s);

/* The results of setp and set, once it is known how the sources compare. */
void ptx_scalar_decide(PtxScalar *s, bool p);

#endif
