/* Loops whose trip count is data, and said by the caller (WalkTrips).
 *
 * A loop is meant by the line of the source that its exit's branch belongs to: that of its `for` or `while`.
 * A compiler that unrolled it has made several of one; each then makes so many of the rounds as its body,
 * compared with the smallest one, has copies, the largest first.  Internal to metrics/ptx. */
#ifndef APTUNE_PTX_WALK_STATED_H
#define APTUNE_PTX_WALK_STATED_H

#include "metrics/ptx/walk_state.h"

/* By loop: its rounds per entry; below 0 where nothing is said. */
double *walk_stated_rounds(Arena *a, const Flow *f, const WalkTrips *trips, size_t count);

/* Which of the ways from a block undecided lanes take: into such a loop, or past it when it makes no round.
 * False where none leads into one. */
bool walk_stated_steer(const Frame *x, int block, const int *to, int ways, int *chosen);

#endif
