/* Instructions through which the lanes of a warp see each other: shuffles, votes, matches,
 * reductions, elections.  Apart from ptx_eval.h because the result depends on which lanes take
 * part. */
#ifndef APTUNE_PTX_PTX_WARP_H
#define APTUNE_PTX_PTX_WARP_H

#include "metrics/ptx/ptx_eval.h"

/* Could ptx_warp_instr ever give a known value? */
bool ptx_warp_computes(const PtxForm *f);

/* The results of an instruction in the lanes `active`, as ptx_eval_instr gives them; a lane that
 * reads one outside of `active` gets "unknown".  `from`, when not NULL, gets for a shuffle the lane
 * that each lane reads (ISA 9.7.9.6), -1 where that is not known; for a vote it is all -1. */
int ptx_warp_instr(const PtxState *s, const PtxInstr *in, uint32_t active,
                   Lanes results[PTX_SOURCES], int from[PTX_LANES]);

#endif
