/* Values that a lane stores and loads again: in local memory, and in shared memory where they stand in a
 * variable that one instruction alone writes, so that nobody else's are met there.
 *
 * Nothing is kept in functions that call others or make generic addresses of such memory: then a
 * store elsewhere may be meant.  What is stored while lanes go both ways is not known.
 * Internal to metrics/ptx. */
#ifndef APTUNE_FLOW_WALK_STORED_H
#define APTUNE_FLOW_WALK_STORED_H

#include "metrics/ptx/walk_frame.h"

/* By instruction: what its loads and stores have in common, from 1; 0 where nothing is kept. */
int *walk_stored_homes(Arena *a, const PtxFunction *f);

/* A store of the slice, in the lanes `yes` and perhaps in `maybe`. */
void walk_stored_keep(Frame *x, const PtxInstr *in, uint32_t yes, uint32_t maybe);

/* The elements of a load in some lanes; returns how many there are. */
int walk_stored_load(Frame *x, const PtxInstr *in, uint32_t lanes, Lanes *results);

/* While iterations are proven: is what the load gives the same in all of them? */
bool walk_stored_steady(Frame *x, const PtxInstr *in, uint32_t lanes);

/* These lanes may have stored something else. */
void walk_stored_forget(Walker *w, uint32_t lanes);

/* What was stored in the iterations under proof has gone on changing. */
void walk_stored_forget_moved(Walker *w, uint32_t proof);

#endif
