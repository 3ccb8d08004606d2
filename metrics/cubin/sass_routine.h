/* Routines that ptxas has divisions and roots call, for operands that the inline code cannot handle. */
#pragma once

#include "metrics/cubin/sass_flow.h"
#include "metrics/ptx/walk.h"

/* What a block of a slow-path routine does.  ptxas calls one for operands of a division or root that the
 * inline code cannot handle. */
typedef enum SassRoutineWork {
    SASS_ROUTINE_NONE,       /* it is in no routine */
    SASS_ROUTINE_CLASSIFIES, /* tests the operands */
    SASS_ROUTINE_MAKES_NAN,
    SASS_ROUTINE_MAKES_INFINITY, /* not of what it has calculated */
    SASS_ROUTINE_CALCULATES      /* with scaled operands */
} SassRoutineWork;

/* Only for code whose PTX has no calls. */
typedef struct SassRoutines {
    bool *calls[WALK_ROUTINES];           /* by block */
    SassRoutineWork *work[WALK_ROUTINES]; /* by block */
} SassRoutines;

SassRoutines sass_routines_find(Arena *a, const SassFlow *f);
