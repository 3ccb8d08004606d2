/* Iterations that need not be walked.
 *
 * When a loop's header is reached, what the next iterations do follows from the registers that they
 * need (walk_slice.h).  Suppose that these changed by constants d over the last p iterations.  One
 * more stretch of p iterations is walked, carrying along how each value changes when the registers
 * at the header change by d (ptx_affine.h).  If at its end they have changed by d again, and every
 * branch and guard stays as it is for n more such stretches, then by induction these do the same
 * again: their counts are those of the stretch walked, times n, and the registers move by n·d.
 * What an access costs is the same when all its addresses move by one multiple of 128 bytes (for
 * shared memory, of its width); other common changes make it repeat every few times, which is
 * summed up.
 *
 * p goes through small numbers until it fits, so that buffers used in turn and swizzles are found.
 * Where nothing fits, the loop is walked.  Last iterations are always walked, and so are loops with
 * calls or branches that are not known, unless by a count that was said (walk_branch.h).  Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_values.h"

/* Of one frame; free what `init` made. */
void walk_skip_init(Frame *x);
void walk_skip_free(Frame *x);

/* A loop is entered from outside. */
void walk_skip_enter(Frame *x, int loop);

/* A loop's header has been reached and not been visited yet.  May move registers and counts on by
 * many iterations. */
void walk_skip_arrive(Frame *x, int block, uint32_t mask);

/* The number of the proof under way, from 1; 0 for none. */
uint32_t walk_skip_proof(const Frame *x);

/* What of an instruction's sources changes while iterations are proven: the first one, and any. */
WalkChange walk_skip_change(const Frame *x, const PtxInstr *in, uint32_t lanes);

/* While iterations are proven: something happens that no proof covers. */
void walk_skip_abort(Frame *x);

/* While iterations are proven, before results are written: an instruction is computed in the lanes
 * `yes`, and perhaps in `maybe`. */
void walk_skip_instr(Frame *x, const PtxInstr *in, const Lanes *results, int count, uint32_t mask,
                     uint32_t yes, uint32_t maybe);

/* A branch is decided by all lanes in `mask`. */
void walk_skip_branch(Frame *x, const PtxInstr *branch, uint32_t mask);

/* Lanes stay in a loop, whose count was said, as long as rounds are left. */
void walk_skip_rounds(Frame *x, int loop, double left);

/* A group of accesses is passed, `lanes` of `mask` taking part; one of its costs was priced. */
void walk_skip_group(Frame *x, const AccessGroup *g, uint32_t mask, uint32_t lanes);
void walk_skip_access(Frame *x, int cost, const uint64_t *address, uint32_t lanes);

/* By how much the base of a group that was passed moves from this stretch to the next; 0 where
 * nothing is proven. */
int64_t walk_skip_step(const Frame *x, const AccessGroup *g, uint32_t lanes);
