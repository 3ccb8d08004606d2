/* From a text to the row that has it: a hash table over an array of texts. */
#ifndef APTUNE_RECORD_INDEX_H
#define APTUNE_RECORD_INDEX_H

#include "metrics/base/arena.h"

#include <stdint.h>

typedef struct TextIndex {
    const char *const *texts; /* the indexed texts, which must stay; NULL ones are not in */
    size_t *slots;            /* number of a text + 1; 0: empty */
    size_t slot_count;        /* a power of two */
} TextIndex;

/* Finds the last of several equal texts. */
TextIndex index_build(Arena *a, const char *const *texts, size_t count);

/* The number of the text, SIZE_MAX when there is none. */
size_t index_find(const TextIndex *t, const char *text);

#endif
