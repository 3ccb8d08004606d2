/* What texts and numbers stand for.
 *
 * Of texts one open-addressing table of stretches of text together with the number of the scope
 * that each was declared in, so that leaving a scope costs nothing and a lookup tries the scopes
 * from the inside out. */
#pragma once

#include "metrics/base/arena.h"

#include <stdint.h>

typedef struct MapEntry {
    const char *text; /* NULL in an empty slot */
    uint32_t length;
    uint32_t scope;
    uint64_t hash;
    int kind; /* the user's own; 0 is not used */
    int value;
    void *pointer;
} MapEntry;

typedef struct Map {
    Arena *arena;
    MapEntry *slots;
    size_t capacity; /* a power of two */
    size_t count;
} Map;

/* The entry for a key, or NULL.  Valid until the next addition. */
MapEntry *map_find(const Map *m, const char *text, size_t length, uint32_t scope);

/* The entry for a key; a new one has kind 0.  The text must live as long as the map. */
MapEntry *map_add(Map *m, const char *text, size_t length, uint32_t scope);

/* An array of texts by their numbers; NULL ones are not in.  Of several equal ones the last is
 * found. */
Map map_of_texts(Arena *a, const char *const *texts, size_t count);

/* The number of the text, SIZE_MAX when there is none. */
size_t map_number(const Map *m, const char *text);

/* Numbers by keys of 64 bits.  One with an arena and nothing else is empty. */
typedef struct NumberMap {
    Arena *arena;
    uint64_t *keys;
    size_t *numbers; /* + 1; 0: the place is free */
    size_t places;   /* a power of two */
    size_t used;
} NumberMap;

/* The number of a key, SIZE_MAX when it has none. */
size_t numbers_get(const NumberMap *m, uint64_t key);

/* Gives a key another number, below SIZE_MAX. */
void numbers_put(NumberMap *m, uint64_t key, size_t number);
