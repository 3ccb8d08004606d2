/* Estimates the rest of loops when a walk's steps are used up.
 *
 * From then on, for WalkOptions.estimate more steps, iterations are grouped into stretches of max_steps /
 * 128 steps or one iteration. After a stretch is walked, if a comparison of a steadily changing value tells
 * how many iterations are left, all further whole stretches except the last iterations are counted like it
 * without being walked (Walk.estimated), and values that changed equally in all its iterations are
 * advanced. So inner loops end first, then outer ones, and code behind a loop is walked. Unlike in
 * walk_skip.h nothing is proven: the cost of iterations may change. If no comparison tells how many are
 * left, or functions are called, the counts remain lower bounds. Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_state.h"

/* The steps are used up, and a block is about to be visited. */
void walk_rest_arrive(Frame *x, int block, uint32_t mask);
