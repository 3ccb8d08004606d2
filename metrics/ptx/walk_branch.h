/* Where the lanes of a warp go at the end of a block: they may diverge, and reconverge at the block's
 * immediate post-dominator.
 *
 * If a branch is undecided, both sides are walked, each from the state before the branch (a fork), and
 * their results are merged at reconvergence. Only what is written on the way there is saved; that is
 * computed once per branch.
 *
 * If one side leaves a loop or the function, sides reconverge late, and each undecided branch in between
 * doubles the work. So forks nest at most FORK_DEPTH deep, and take at most 1 / FORK_SHARE of the walk's
 * steps; beyond that undecided lanes take the sides in turn. Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_state.h"

/* Room for another entry on top of the stack. */
Entry *walk_push(Frame *x);

/* Moves the top entry past the end of its block: to one successor, or split over several. */
void walk_leave_block(Frame *x, uint32_t mask);

/* Called when a side of a fork has been walked; the last one merges what all sides made of the state. */
void walk_finish_side(Frame *x, Fork *f);
void walk_finish_fork(Frame *x, Fork *f);
void walk_free_fork(Frame *x, Fork *f);

/* Loops whose trip count is data and stated by the caller (WalkTrips).
 *
 * A loop is identified by the source line of its exit branch, that of its `for` or `while`. If none has an exit
 * in WalkTrips.line, as with `for (;;)`, the outermost that begin between there and WalkTrips.last are meant. If
 * the compiler unrolled it into several loops, each takes as many of the iterations as its body has copies, relative to
 * the smallest one; the largest comes first.
 *
 * Returns iterations per entry, by loop; below 0 if none is stated. */
double *walk_stated_rounds(Arena *a, const Flow *f, const WalkTrips *trips, size_t count);

/* The first line, in the function's own file, of what begins or leaves a loop; 0: none. */
uint32_t walk_loop_line(const Flow *f, int loop);
