/* What loads find: contents of memory that nobody writes during the launch (WalkData), and what the same
 * lane has stored (walk_slice.h says of which instructions that is kept).  What is stored while lanes go
 * both ways is not known.  Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_state.h"

/* The elements of a load in some lanes; returns how many there are.  Of data: */
int walk_values_load(Frame *x, const PtxInstr *in, uint32_t lanes, Lanes *results);
/* and of what was stored, while the proof of that number is under way (walk_skip.h; 0: none is). */
int walk_values_reload(Frame *x, const PtxInstr *in, uint32_t lanes, uint32_t proof,
                       Lanes *results);

/* The result of an atomic that walk_gives_ticket in the lanes `yes`, and perhaps in `maybe`: a ticket, where the count
 * before the launch is known; else unknown.  Returns how many results there are. */
int walk_values_ticket(Frame *x, const PtxInstr *in, uint32_t yes, uint32_t maybe, Lanes *results);

/* What changes from one stretch of iterations to the next while they are proven to do the same. */
typedef struct WalkChange {
    uint32_t proof; /* its number; 0: nothing is proven */
    bool address, value;
} WalkChange;

/* A store of the slice, in the lanes `yes` and perhaps in `maybe`.  True when it ends the proof. */
bool walk_values_store(Frame *x, const PtxInstr *in, uint32_t yes, uint32_t maybe,
                       WalkChange change);

/* Does a load of what was stored give the same in all iterations that this proof is about? */
bool walk_values_steady(const Frame *x, const PtxInstr *in, uint32_t lanes, uint32_t proof);

/* Nothing that is stored is kept any more. */
void walk_values_give_up(Walker *w);

/* These lanes may have stored something else, and elsewhere. */
void walk_values_forget(Walker *w, uint32_t lanes);

/* What was stored in the iterations of this proof has gone on changing. */
void walk_values_forget_moved(Walker *w, uint32_t proof);
