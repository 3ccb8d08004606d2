/* Landmarks common to PTX and machine code (sass_anchor.def). */
#pragma once

#include "metrics/cubin/sass.h"
#include "metrics/ptx/walk.h"

typedef enum SassAnchor {
#define SASS_ANCHOR(constant, name, weight) SASS_ANCHOR_##constant,
#include "metrics/cubin/sass_anchor.def"
#undef SASS_ANCHOR
    SASS_ANCHORS,
    SASS_NO_ANCHOR = SASS_ANCHORS
} SassAnchor;

const char *sass_anchor_name(SassAnchor k);
double sass_anchor_weight(SassAnchor k);

/* Of the PTX's number of a landmark, what the code has at least; 0: neither less nor more of it. */
double sass_anchor_least(SassAnchor k);

/* Which landmark an instruction is, and `amount` of it (1, or bytes per thread). */
SassAnchor sass_anchor_of(SassInstr w, double *amount);
SassAnchor sass_anchor_of_ptx(const PtxInstr *in, double *amount);

/* Those of all that a walk executes, and what the code may have otherwise: more where ptxas writes an
 * instruction out as several (divisions, roots and other functions) or computes a product once for
 * each sum that it fuses it with, less where it knows a result. */
typedef struct SassLandmarks {
    double in_ptx[SASS_ANCHORS];
    double expanded[SASS_ANCHORS];
    double folded[SASS_ANCHORS];
} SassLandmarks;

SassLandmarks sass_anchor_count(Arena *a, const Walk *w);
