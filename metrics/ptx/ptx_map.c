#include "metrics/ptx/ptx_map.h"

#include <string.h>

/* FNV-1a, 32 bits (Fowler, Noll, Vo), with the scope mixed in. */
static uint32_t hash_key(const char *text, size_t length, uint32_t scope)
{
    uint32_t h = 2166136261u ^ (scope * 0x9e3779b1u);
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ^ (h >> 15);
}

static PtxMapEntry *find_slot(PtxMapEntry *slots, size_t capacity, const char *text, size_t length,
                              uint32_t scope, uint32_t hash)
{
    for (size_t i = hash;; i++) {
        PtxMapEntry *e = &slots[i & (capacity - 1)];
        if (!e->text)
            return e;
        if (e->hash == hash && e->length == length && e->scope == scope &&
            memcmp(e->text, text, length) == 0)
            return e;
    }
}

PtxMapEntry *ptx_map_find(const PtxMap *m, const char *text, size_t length, uint32_t scope)
{
    if (m->count == 0)
        return NULL;
    PtxMapEntry *e =
        find_slot(m->slots, m->capacity, text, length, scope, hash_key(text, length, scope));
    return e->text ? e : NULL;
}

static void grow(PtxMap *m)
{
    const size_t capacity = m->capacity ? m->capacity * 2 : FIRST_SIZE(256, 2);
    PtxMapEntry *slots = ARENA_ARRAY(m->arena, PtxMapEntry, capacity);
    for (size_t i = 0; i < m->capacity; i++) {
        const PtxMapEntry *e = &m->slots[i];
        if (e->text)
            *find_slot(slots, capacity, e->text, e->length, e->scope, e->hash) = *e;
    }
    m->slots = slots;
    m->capacity = capacity;
}

PtxMapEntry *ptx_map_add(PtxMap *m, const char *text, size_t length, uint32_t scope)
{
    if (m->count * 2 >= m->capacity)
        grow(m);
    const uint32_t hash = hash_key(text, length, scope);
    PtxMapEntry *e = find_slot(m->slots, m->capacity, text, length, scope, hash);
    if (!e->text) {
        *e = (PtxMapEntry){.text = text, .length = (uint32_t)length, .scope = scope, .hash = hash};
        m->count++;
    }
    return e;
}
