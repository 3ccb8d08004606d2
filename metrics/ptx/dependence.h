/* What a kernel computes of the number of its block. */
#pragma once

#include "metrics/ptx/ptx.h"

typedef enum Dependence {
    DEPENDENCE_LINEAR,   /* linear functions of it, or nothing */
    DEPENDENCE_BORDERED, /* what is the same up to some block, and other behind it */
    DEPENDENCE_ANY
} Dependence;

/* Of the coordinate `coordinate` (PTX_CTAID_X, …), by the registers that it reaches in the function. */
Dependence dependence_of(Arena *a, const PtxFunction *f, PtxSpecial coordinate);
