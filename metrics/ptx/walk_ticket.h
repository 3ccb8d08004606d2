/* Tickets: what an atomic addition of the same to one counter in global memory gives, where the count before the
 * launch is known.  Blocks, or warps where each of a block asks, are taken to come in their order, and in rounds of all of
 * them where they ask again: which one it was, of those that the counter makes alike, changes no count.
 * Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_values.h"

/* The result of an atomic that walk_gives_ticket in the lanes `yes`, and perhaps in `maybe`; unknown where it is none.  Returns how many results there are. */
int walk_ticket_take(Frame *x, const PtxInstr *in, uint32_t yes, uint32_t maybe, Lanes *results);
