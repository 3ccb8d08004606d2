/* Landmarks common to PTX and machine code (sass_anchor.def). */
#ifndef APTUNE_CUBIN_SASS_ANCHOR_H
#define APTUNE_CUBIN_SASS_ANCHOR_H

#include "metrics/cubin/sass.h"
#include "metrics/ptx/ptx.h"

typedef enum SassAnchor {
#define SASS_ANCHOR(constant, name, weight) SASS_ANCHOR_##constant,
#include "metrics/cubin/sass_anchor.def"
#undef SASS_ANCHOR
    SASS_ANCHORS,
    SASS_NO_ANCHOR = SASS_ANCHORS
} SassAnchor;

const char *sass_anchor_name(SassAnchor k);
double sass_anchor_weight(SassAnchor k);

/* Arithmetic, which ptxas does itself where it knows the operands? */
bool sass_anchor_folds(SassAnchor k);

/* Of the PTX's number of a landmark, what the code has at least; 0: neither less nor more of it. */
double sass_anchor_least(SassAnchor k);

/* Which landmark an instruction is, and `amount` of it (1, or bytes per thread). */
SassAnchor sass_anchor_of(SassInstr w, double *amount);
SassAnchor sass_anchor_of_ptx(const PtxInstr *in, double *amount);

/* Adds the landmarks that the code may have beyond those of the PTX because ptxas writes the
 * instruction out as several: divisions, roots and other functions. */
void sass_anchor_add_expansion(const PtxInstr *in, double times, double more[SASS_ANCHORS]);

/* By instruction of a function: is it a division whose reciprocal ptxas need not compute there, since
 * the divisor is a constant or that of a division before? */
bool *sass_anchor_find_divided(Arena *a, const PtxFunction *f);

/* By register of a function: how many sums it is a term of that a product could be fused with. */
int *sass_anchor_count_sums(Arena *a, const PtxFunction *f);

/* The same for a product that is fused with each of several sums, and so computed as often. */
void sass_anchor_add_copies(const PtxInstr *in, const int *sums, double times,
                            double more[SASS_ANCHORS]);

#endif
