/* Subroutines that ptxas calls for the operands of a division or a root that its usual code is not
 * for. */
#ifndef APTUNE_CUBIN_SASS_ROUTINES_H
#define APTUNE_CUBIN_SASS_ROUTINES_H

#include "metrics/cubin/sass_flow.h"
#include "metrics/ptx/walk.h"

/* What a block of a routine is for. */
typedef enum SassRoutineWork {
    SASS_ROUTINE_NONE, /* it is none of a routine's */
    SASS_ROUTINE_LOOKS,
    SASS_ROUTINE_GIVES_NONE, /* makes what is no number */
    SASS_ROUTINE_CALCULATES  /* with scaled operands */
} SassRoutineWork;

/* Of code whose PTX calls nothing. */
typedef struct SassRoutines {
    bool *calls[WALK_ROUTINES];           /* by block */
    SassRoutineWork *work[WALK_ROUTINES]; /* by block */
} SassRoutines;

SassRoutines sass_routines_find(Arena *a, const SassFlow *f);

#endif
