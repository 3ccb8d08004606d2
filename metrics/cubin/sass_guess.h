/* What to believe of a warp where machine code and PTX cannot be joined: the PTX.
 *
 * ptxas makes about as many instructions as the PTX has: 0.6 to 1.8 times as many, over 840
 * configurations of the shipped spaces for sm_90.  Counts far from that are no rearrangement but a
 * loop that was lost, or one that goes round without end. */
#ifndef APTUNE_CUBIN_SASS_GUESS_H
#define APTUNE_CUBIN_SASS_GUESS_H

#include "metrics/cubin/sass_profile.h"

/* Why the counts of a join cannot be those of the walk, in `a`; NULL when they may be. */
const char *sass_guess_why(Arena *a, const SassProfile *p, const SassJoin *j, const Walk *w);

/* Replaces counts by those of the PTX, and times by what they come to: instructions one after the
 * other and a latency for each wait. */
void sass_guess(SassProfile *p, const SassJoin *j, const Walk *w, const SassLatency *alone,
                const SassLoad *load);

#endif
