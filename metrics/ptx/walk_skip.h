/* Skips iterations that repeat.
 *
 * At a loop's header, what the next iterations do follows from the registers live there (walk_slice.h).
 * Suppose that these changed by constants d over the last p iterations. Another stretch of p iterations is
 * walked while tracking how each value changes if the registers at the header change by d (ptx_affine.h).
 * If the registers have again changed by d at its end, and every branch and guard keeps its outcome for n
 * more such stretches, then by induction these repeat: their counts are those of the stretch times n, and
 * the registers advance by n·d. The cost of an access stays the same if all its addresses move by one
 * multiple of 128 bytes (for shared memory, of its width); with other common changes it is periodic, and is
 * summed over its period.
 *
 * p goes through small numbers until one fits, which covers buffers used in turn and swizzles. If none
 * fits, the loop is walked. The last iterations are always walked, and so are loops with calls or unknown
 * branches, unless a trip count was stated (walk_branch.h). Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_values.h"

/* For one frame. */
void walk_skip_init(Frame *x);

/* A loop is entered from outside. */
void walk_skip_enter(Frame *x, int loop);

/* A block is about to be visited; at a loop's header this may advance counts by many iterations. */
void walk_skip_arrive(Frame *x, int block, uint32_t mask);

/* The number of the proof in progress, from 1; 0: none. */
uint32_t walk_skip_proof(const Frame *x);

/* What changes in an instruction's sources during a proof: the first one (an address), and any. */
WalkChange walk_skip_change(const Frame *x, const PtxInstr *in, uint32_t lanes);

/* Abandons the proof in progress: something happens that no proof covers. */
void walk_skip_abort(Frame *x);

/* During a proof, before results are written: an instruction in the lanes `yes` and perhaps `maybe`. */
void walk_skip_instr(Frame *x, const PtxInstr *in, const Lanes *results, int count, uint32_t mask,
                     uint32_t yes, uint32_t maybe);

/* All lanes in `mask` decide a branch. */
void walk_skip_branch(Frame *x, const PtxInstr *branch, uint32_t mask);

/* Lanes stay in a loop with a stated trip count while iterations are left. */
void walk_skip_rounds(Frame *x, int loop, double left);

/* A group of accesses executes in `lanes` of `mask`; one of its costs was priced. */
void walk_skip_group(Frame *x, const AccessGroup *g, uint32_t mask, uint32_t lanes);
void walk_skip_access(Frame *x, int cost, const uint64_t *address, uint32_t lanes);

/* By how much the base of an executed group moves per stretch; 0 without a proof. */
int64_t walk_skip_step(const Frame *x, const AccessGroup *g, uint32_t lanes);

/* The steps are used up, and a block is about to be visited (walk_rest.c). */
void walk_rest_arrive(Frame *x, int block, uint32_t mask);
