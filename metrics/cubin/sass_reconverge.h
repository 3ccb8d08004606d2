/* Where lanes that diverge reconverge.
 *
 * ptxas puts a BSSY before a branch at which lanes may diverge and a BSYNC where they wait for each
 * other.  Between the two lies what they may do apart; branches in there are the only ones whose
 * lanes this BSYNC can join. */
#ifndef APTUNE_CUBIN_SASS_RECONVERGE_H
#define APTUNE_CUBIN_SASS_RECONVERGE_H

#include "metrics/base/vec.h"
#include "metrics/cubin/sass_flow.h"

typedef struct SassReconvergence {
    int block;    /* ends with the BSYNC */
    bool *within; /* by block: can be come to from the BSSY without passing the BSYNC */
    int size;     /* blocks within */
    bool closed;  /* no thread ends within, and there is no other way out than the BSYNC */
} SassReconvergence;

typedef struct SassReconvergences {
    VEC(SassReconvergence) points;
} SassReconvergences;

/* Of code with more the rest is left out: no linear program of that size is solved anyway. */
enum { SASS_RECONVERGENCES_MOST = 256 };

/* One for each BSYNC that a BSSY names, those with fewer blocks within first. */
SassReconvergences sass_reconvergences_find(Arena *a, const SassFlow *f);

#endif
