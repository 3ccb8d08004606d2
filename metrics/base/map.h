/* Hash maps with open addressing: from texts to entries, and from 64-bit keys to numbers.
 *
 * A text's key includes the number of the scope that declares it, so leaving a scope costs nothing and a
 * lookup tries the scopes from the inside out. */
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

/* Maps the texts of an array to their indices; NULL texts are skipped, the last of equal texts wins. */
Map map_of_texts(Arena *a, const char *const *texts, size_t count);

/* The index of a text, SIZE_MAX if there is none. */
size_t map_number(const Map *m, const char *text);

/* Numbers by 64-bit keys.  One with only its arena set is empty. */
typedef struct NumberMap {
    Arena *arena;
    uint64_t *keys;
    size_t *numbers; /* + 1; 0: the slot is free */
    size_t places;   /* slots, a power of two */
    size_t used;
} NumberMap;

/* The number of a key, SIZE_MAX if it has none. */
size_t numbers_get(const NumberMap *m, uint64_t key);

/* Sets the number of a key, below SIZE_MAX. */
void numbers_put(NumberMap *m, uint64_t key, size_t number);
