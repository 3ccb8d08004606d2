/* Values of loads: contents of memory that the launch does not write (WalkData), and what lanes have stored
 * (walk_slice.h says which). Values stored while lanes walk both sides of a branch are unknown. Internal to
 * metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_state.h"

/* The elements of a load in some lanes; returns how many there are. From data: */
int walk_values_load(Frame *x, const PtxInstr *in, uint32_t lanes, Lanes *results);
/* and from stored values, while the proof of that number is in progress (walk_skip.h; 0: none). */
int walk_values_reload(Frame *x, const PtxInstr *in, uint32_t lanes, uint32_t proof,
                       Lanes *results);

/* The result of an atomic for which walk_gives_ticket, in the lanes `yes` and perhaps `maybe`: a ticket if
 * the count before the launch is known, else unknown. Returns how many results there are. */
int walk_values_ticket(Frame *x, const PtxInstr *in, uint32_t yes, uint32_t maybe, Lanes *results);

/* What changes between stretches of iterations that are being proven equal. */
typedef struct WalkChange {
    uint32_t proof; /* its number; 0: no proof in progress */
    bool address, value;
} WalkChange;

/* A store of the slice, in the lanes `yes` and perhaps `maybe`. True if it ends the proof. */
bool walk_values_store(Frame *x, const PtxInstr *in, uint32_t yes, uint32_t maybe,
                       WalkChange change);

/* True if a load of a stored value gives the same in all iterations of this proof. */
bool walk_values_steady(const Frame *x, const PtxInstr *in, uint32_t lanes, uint32_t proof);

/* Stops keeping stored values. */
void walk_values_give_up(Walker *w);

/* These lanes may have stored anything anywhere. */
void walk_values_forget(Walker *w, uint32_t lanes);

/* Forgets what other iterations of this proof store differently. */
void walk_values_forget_moved(Walker *w, uint32_t proof);
