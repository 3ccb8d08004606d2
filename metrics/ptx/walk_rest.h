/* What is left of loops when a walk's steps are spent.
 *
 * From then on, for WalkOptions.estimate steps more, iterations are taken together in stretches of
 * max_steps / 128 steps or one iteration; when one has been walked, and a comparison of a steadily changing
 * value says how many iterations are left, all whole stretches but the last iterations are counted like it
 * without being walked (Walk.estimated), and values that changed by the same in all its iterations move on.
 * So inner loops end first, then those around them, and what comes behind a loop is walked.  Unlike
 * walk_skip.h nothing is proven: what iterations cost may change.  Where no comparison says how many are
 * left, or functions are called, the counts remain lower bounds.  Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_state.h"

/* A loop's header has been reached and not been visited yet, and the walk's steps are spent. */
void walk_rest_arrive(Frame *x, int block, uint32_t mask);

void walk_rest_free(Frame *x);
