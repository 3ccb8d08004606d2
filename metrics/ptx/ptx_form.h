/* Opcodes and modifiers: "ld.global.nc.v4.f32" decoded.
 *
 * A module uses about a hundred distinct opcode texts however long it is, so each is
 * decoded once and shared.  Internal to metrics/ptx. */
#ifndef APTUNE_PTX_PTX_FORM_H
#define APTUNE_PTX_PTX_FORM_H

#include "metrics/ptx/ptx.h"

/* Names and what they stand for, by scope.
 *
 * One open-addressing table holds every name of a module: a key is a stretch of text together
 * with the number of the scope it was declared in, so leaving a scope costs nothing and
 * a lookup tries the scopes from the inside out. */
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

/* The words of the language, to be looked up by text. */
typedef struct PtxWords {
    Arena *arena;
    PtxMap map; /* opcodes, modifiers, special registers; texts decoded so far */
} PtxWords;

PtxWords ptx_words_new(Arena *a);

/* The form of an opcode text; `fresh` says whether it was met for the first time. */
const PtxForm *ptx_words_form(PtxWords *w, const char *text, size_t length, bool *fresh);

/* Type and space by word without the dot; PTX_NO_TYPE and false when it is none. */
PtxType ptx_words_type(const PtxWords *w, const char *text, size_t length);
bool ptx_words_space(const PtxWords *w, const char *text, size_t length, PtxSpace *space);

/* A special register by name; NULL when it is none.  Its value is a PtxSpecial. */
const PtxMapEntry *ptx_words_special(const PtxWords *w, const char *text, size_t length);

#endif
