/* What a walk of the PTX (walk.h) says to the flow through the machine code (sass_join.h).  Internal to metrics/cubin. */
#ifndef APTUNE_CUBIN_SASS_WALKED_H
#define APTUNE_CUBIN_SASS_WALKED_H

#include "metrics/ptx/walk.h"

/* Do some of a block's ways leave the innermost loop that it is in? */
bool sass_walked_leaves_loop(const LoopTree *t, const Cfg *c, int b);

/* Most times that a loop goes back to its header per entry. */
double sass_walked_most_rounds(const Walk *w);

/* Times that lanes diverge where some leave a loop, or else where none do: in one loop of the entry
 * function, or with CFG_NONE everywhere. */
double sass_walked_diverged(const Walk *w, int loop, bool leaving);

/* Lanes that diverged may come through the same code one group after the other, as through the cases of
 * a switch that fall through; the GPU joins some of them on the way. */
bool sass_walked_in_groups(const WalkFunction *f);

#endif
