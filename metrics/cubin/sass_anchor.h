/* Landmarks common to PTX and machine code (sass_anchor.def). */
#pragma once

#include "metrics/cubin/sass.h"
#include "metrics/ptx/walk.h"

typedef enum SassAnchor {
#define SASS_ANCHOR(constant, name, weight, least) SASS_ANCHOR_##constant,
#include "metrics/cubin/sass_anchor.def"
#undef SASS_ANCHOR
    SASS_ANCHORS,
    SASS_NO_ANCHOR = SASS_ANCHORS
} SassAnchor;

typedef struct SassAnchorInfo {
    const char *name;
    double weight;
    double least; /* share of the PTX's number that the code has at least; 0: exactly that number */
} SassAnchorInfo;

extern const SassAnchorInfo sass_anchors[SASS_ANCHORS];

/* The landmark that an instruction is; `amount`: 1, or bytes per thread. */
SassAnchor sass_anchor_of(SassInstr w, double *amount);
SassAnchor sass_anchor_of_ptx(const PtxInstr *in, double *amount);

/* The landmarks that a walk executes. */
typedef struct SassLandmarks {
    double in_ptx[SASS_ANCHORS];
    /* More that the code may have: ptxas expands divisions, roots and other functions, repeats a product
     * for each sum that it is fused with, and may execute loads of constant data where their values are not needed. */
    double expanded[SASS_ANCHORS];
    double folded[SASS_ANCHORS]; /* that it may lack: ptxas knows some results */
} SassLandmarks;

SassLandmarks sass_anchor_count(Arena *a, const Walk *w);

/* Lanes that execute a bulk copy of the PTX, the same for each; 0 if they differ or there are none. */
double sass_anchor_lanes(const Walk *w);
