/* Guesses from the names in a kernel: threads of a block, work per thread, sizes. */
#pragma once

#include "tuner/spec/first_spec.h"

typedef enum Meaning {
    MEANS_THREADS, /* of a block, along one dimension */
    MEANS_TILE,    /* work per thread, tile, unrolling */
    MEANS_SWITCH,
    MEANS_SIZE, /* of the problem */
    MEANS_FILTER,
    MEANS_NOTHING
} Meaning;

Meaning first_meaning(const char *name);

/* 0, 1 or 2 for a name with a suffix x, y or z; −1: none. */
int first_direction(const char *name);

/* True if a name contains one of the words, ignoring case. */
bool first_sounds_like(const char *name, const char *const *words, size_t count);
#define SOUNDS_LIKE(name, words) first_sounds_like(name, words, sizeof(words) / sizeof *(words))

/* True for an integer of at least 32 bits, as sizes are. */
bool first_is_integer(const KernelParameter *p);

/* True if the kernel is one-dimensional. */
bool first_is_flat(const FirstGuess *g);

/* A value for a template parameter. */
const char *first_argument(const TemplateParameter *t, const FirstGuess *g);
