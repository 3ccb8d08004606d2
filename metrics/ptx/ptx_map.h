/* Names and what they stand for, by scope.
 *
 * One open-addressing table holds every name of a module: a key is a stretch of text together
 * with the number of the scope it was declared in, so leaving a scope costs nothing and
 * a lookup tries the scopes from the inside out.  Internal to metrics/ptx. */
#ifndef APTUNE_PTX_PTX_MAP_H
#define APTUNE_PTX_PTX_MAP_H

#include "metrics/base/arena.h"

#include <stdint.h>

typedef struct PtxMapEntry {
    const char *text; /* NULL in an empty slot */
    uint32_t length;
    uint32_t scope;
    uint32_t hash;
    int kind; /* the user's own; 0 is not used */
    int value;
    void *pointer;
} PtxMapEntry;

typedef struct PtxMap {
    Arena *arena;
    PtxMapEntry *slots;
    size_t capacity; /* a power of two */
    size_t count;
} PtxMap;

/* The entry for a key, or NULL.  Valid until the next addition. */
PtxMapEntry *ptx_map_find(const PtxMap *m, const char *text, size_t length, uint32_t scope);

/* The entry for a key; a new one has kind 0.  The text must live as long as the map. */
PtxMapEntry *ptx_map_add(PtxMap *m, const char *text, size_t length, uint32_t scope);

#endif
