/* What a walk came to: sums over blocks, and notes of what was assumed.  Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_state.h"

/* Keeps a note of a place, of the first 32. */
void walk_note(Walker *w, const PtxFunction *f, size_t instr, const char *text);

/* At the end of a walk. */
void walk_total(Walker *w);
