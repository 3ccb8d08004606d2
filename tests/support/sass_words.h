/* Machine instructions written by hand, for sm_90: the inverse of sass.h. */
#pragma once

#include "metrics/cubin/sass_join.h"

typedef struct Word {
    int op;          /* SASS_OP_FFMA … */
    int stall;       /* cycles */
    int write;       /* scoreboard plus 1; 0 for none */
    int read;        /* likewise */
    int wait;        /* mask */
    bool guard;      /* @P0 */
    int groups;      /* of DEPBAR */
    int scope;       /* of MEMBAR: 0 the block, 2 the GPU, 3 the system */
    int target;      /* of BRA, CALL and BSSY: number of the instruction */
    int result;      /* register that it gives */
    uint32_t number; /* in it, of arithmetic */
    int form;        /* SASS_FORM_…; 0 for SASS_FORM_NUMBER_SECOND */
    uint32_t more;   /* further bits of the high word, from the lowest on */
} Word;

/* The bytes of `count` instructions. */
uint8_t *sass_words(Arena *a, const Word *words, size_t count);

/* The graph of such code. */
SassFlow *sass_words_flow(Arena *a, const Word *words, size_t count);

/* A join whose visits are all `visits` times, with the edges that one loop from the last block to
 * itself takes: for code of at most one loop. */
SassJoin *sass_words_join(Arena *a, const SassFlow *f, double visits);
