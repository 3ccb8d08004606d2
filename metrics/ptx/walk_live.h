/* Which registers of the slice a loop's next iteration needs: those that some way from its header
 * reads before it writes them.  What else the registers hold does not matter there.  Internal to
 * metrics/ptx. */
#ifndef APTUNE_PTX_WALK_LIVE_H
#define APTUNE_PTX_WALK_LIVE_H

#include "metrics/ptx/walk_plan.h"

/* Fills in the plan's `live`; needs its slice, accesses and state. */
void walk_live_find(Arena *a, WalkPlan *p);

#endif
