/* Where the lanes of a warp go at the end of a block: they may diverge, and reconverge at the block's immediate
 * post-dominator.
 *
 * Where a branch is not decided, both sides are walked: each starts from the state before the branch (a
 * fork), and what the sides make of it is joined where they reconverge.  Only what is written on the way
 * there is saved: that is known of each branch once.
 *
 * Where one way leaves a loop or the function, sides reconverge late, and each undecided branch in between
 * doubles what is walked.  So forks nest FORK_DEPTH deep at most, and what is walked between them is at
 * most one part in FORK_SHARE of the walk's steps: beyond that lanes take the ways in turn, each one of them.
 * Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_state.h"

/* Room for one more entry on top of the stack, zeroed. */
Entry *walk_push(Frame *x);

/* Moves the entry on top over the end of its block: to one successor, or split over several. */
void walk_leave_block(Frame *x, uint32_t mask);

/* One side of a fork has been walked; the last one joins what all of them made of the state. */
void walk_finish_side(Frame *x, Fork *f);
void walk_finish_fork(Frame *x, Fork *f);
void walk_free_fork(Frame *x, Fork *f);

/* Loops whose trip count is data, and said by the caller (WalkTrips).
 *
 * A loop is meant by the line of the source that its exit's branch belongs to: that of its `for` or `while`.
 * A compiler that unrolled it has made several of one; each then makes so many of the rounds as its body,
 * compared with the smallest one, has copies, the largest first.
 *
 * By loop: its rounds per entry; below 0 where nothing is said. */
double *walk_stated_rounds(Arena *a, const Flow *f, const WalkTrips *trips, size_t count);
