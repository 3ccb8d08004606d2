/* One warp followed through a kernel.
 *
 * Loads from memory that the launch does not write have values where the caller knows them
 * (WalkData); all others are unknown.
 *
 * Only a slice is computed, for the 32 lanes of one warp of one block: the instructions that branch
 * predicates depend on and, with `memory`, those that addresses and guards of memory accesses
 * depend on.  Everything else is counted per block.  Iterations of a loop that are proven to do
 * the same again are counted without being walked (walk_skip.h).  Lanes that diverge
 * at a branch are walked one side after the other and reconverge at the branch's immediate
 * post-dominator.  Where a predicate is not known (it depends on memory), both sides are walked and
 * what differs becomes unknown (of too many such branches, lanes take one way each: walk_branch.h); a
 * loop whose exit is not known is left after a stated number of iterations; an unknown early exit of a
 * loop that is counted otherwise is taken as never happening.  Each of these leaves a note.
 *
 * A wait succeeds at once: on an mbarrier, and for what another thread writes (a loop that loads
 * .volatile, .relaxed or .acquire, or exchanges, and stores nothing others see), which leaves a
 * note; so loops that spin run once.  `exit` in a called function only returns from it.
 *
 * `instr` counts the PTX instructions that a warp issues (ptx_issues), those under a false guard
 * included; `instr_all` counts all.
 *
 * Regions (S. Ryoo, "Program Optimization Strategies for Data-Parallel Many-Core Processors",
 * Illinois 2008, 5.3.2): intervals between the start, instructions that wait, and the end.  An
 * instruction waits when it reads the result of a load from global or local memory, a texture or an
 * atomic with result and no instruction has waited since that load was issued; cp.async.wait
 * waits likewise, and so does a barrier.  Loads are taken as issued as early as their block allows
 * (before other waits, not across barriers, calls, or stores that may alias), as ptxas does and
 * as the thesis assumes in figure 5.6. */
#ifndef APTUNE_PTX_WALK_H
#define APTUNE_PTX_WALK_H

#include "metrics/ptx/walk_types.h"

/* Follows one warp of an entry.  Always gives a result in `a`; `notes` says what was assumed. */
Walk *walk_warp(Arena *a, const PtxFunction *entry, const WalkOptions *o);

/* What happened in a function; NULL when it was not reached. */
const WalkFunction *walk_find(const Walk *w, const PtxFunction *f);

/* Instructions, of those in `instr`, that the warp executed behind a branch that is not known, up to
 * where its ways reconverge, or in a loop whose trip count or exit is not; all where it was stopped. */
double walk_unknown_instr(Arena *a, const Walk *w);

/* About as many machine instructions as a routine takes: of a division of 0 (CUDA 13.0, sm_90). */
enum { WALK_ROUTINE_INSTR = 35 };

/* What a warp has to do, for a comparison of warps: `instr`, and the routines that it calls. */
double walk_work(const Walk *w);

#endif
