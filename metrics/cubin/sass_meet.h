/* Where lanes that part meet again.
 *
 * ptxas puts a BSSY before a branch at which lanes may part and a BSYNC where they wait for each
 * other.  Between the two lies what they may do apart; branches in there are the only ones whose
 * lanes this BSYNC can join. */
#ifndef APTUNE_CUBIN_SASS_MEET_H
#define APTUNE_CUBIN_SASS_MEET_H

#include "metrics/cubin/sass_flow.h"
#include "tuner/base/vec.h"

typedef struct SassMeeting {
    int block;    /* ends with the BSYNC */
    bool *within; /* by block: can be come to from the BSSY without passing the BSYNC */
} SassMeeting;

typedef struct SassMeetings {
    VEC(SassMeeting) meetings;
} SassMeetings;

/* Of code with more the rest is left out: no linear program of that size is solved anyway. */
enum { SASS_MEETINGS_MOST = 256 };

/* One for each BSYNC that a BSSY names. */
SassMeetings sass_meetings_find(Arena *a, const SassFlow *f);

#endif
