/* What the names of a stranger's kernel sound like: threads of a block, work of one, sizes. */
#pragma once

#include "tuner/spec/first_spec.h"

typedef enum Meaning {
    MEANS_THREADS, /* of a block, along one direction */
    MEANS_TILE,    /* work of a thread, tile, unrolling */
    MEANS_SWITCH,
    MEANS_SIZE, /* of the problem */
    MEANS_FILTER,
    MEANS_NOTHING
} Meaning;

Meaning first_meaning(const char *name);

/* 0, 1 or 2 for a name that ends in x, y or z behind something else; −1: it does not. */
int first_direction(const char *name);

/* Does a name, whatever the case, hold one of the words? */
bool first_sounds_like(const char *name, const char *const *words, size_t count);
#define SOUNDS_LIKE(name, words) first_sounds_like(name, words, sizeof(words) / sizeof *(words))

/* A whole number of 32 bits or more: what sizes are. */
bool first_is_integer(const KernelParameter *p);

/* Does the kernel use one direction alone? */
bool first_is_flat(const FirstGuess *g);

/* A value for a parameter of the template. */
const char *first_argument(const TemplateParameter *t, const FirstGuess *g);
