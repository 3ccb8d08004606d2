#include "metrics/base/map.h"

#include <string.h>
#include <xxhash.h>

static MapEntry *find_slot(const Map *m, const char *text, size_t length, uint32_t scope,
                           uint64_t hash)
{
    for (size_t i = (size_t)hash;; i++) {
        MapEntry *e = &m->slots[i & (m->capacity - 1)];
        if (!e->text || (e->hash == hash && e->length == length && e->scope == scope &&
                         memcmp(e->text, text, length) == 0))
            return e;
    }
}

static uint64_t hash_of(const char *text, size_t length, uint32_t scope)
{
    return XXH3_64bits_withSeed(text, length, scope);
}

MapEntry *map_find(const Map *m, const char *text, size_t length, uint32_t scope)
{
    if (m->count == 0)
        return NULL;
    MapEntry *e = find_slot(m, text, length, scope, hash_of(text, length, scope));
    return e->text ? e : NULL;
}

static void resize(Map *m, size_t capacity)
{
    const Map old = *m;
    m->slots = ARENA_ARRAY(m->arena, MapEntry, capacity);
    m->capacity = capacity;
    EACH (const MapEntry, e, old.slots, old.capacity)
        if (e->text)
            *find_slot(m, e->text, e->length, e->scope, e->hash) = *e;
}

MapEntry *map_add(Map *m, const char *text, size_t length, uint32_t scope)
{
    if (m->count * 2 >= m->capacity)
        resize(m, m->capacity ? m->capacity * 2 : FIRST_SIZE(256, 2));
    const uint64_t hash = hash_of(text, length, scope);
    MapEntry *e = find_slot(m, text, length, scope, hash);
    if (!e->text) {
        *e = (MapEntry){.text = text, .length = (uint32_t)length, .scope = scope, .hash = hash};
        m->count++;
    }
    return e;
}

Map map_of_texts(Arena *a, const char *const *texts, size_t count)
{
    Map m = {.arena = a};
    size_t capacity = 16;
    while (capacity < 2 * count)
        capacity *= 2;
    resize(&m, capacity);
    for (size_t i = 0; i < count; i++)
        if (texts[i])
            map_add(&m, texts[i], strlen(texts[i]), 0)->value = (int)i;
    return m;
}

size_t map_number(const Map *m, const char *text)
{
    const MapEntry *e = map_find(m, text, strlen(text), 0);
    return e ? (size_t)e->value : SIZE_MAX;
}

/* The slot where a key is or would be; a multiplicative hash. */
static size_t place_of(const NumberMap *m, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->places - 1);
    while (m->numbers[at] && m->keys[at] != key)
        at = (at + 1) & (m->places - 1);
    return at;
}

size_t numbers_get(const NumberMap *m, uint64_t key)
{
    return m->places ? m->numbers[place_of(m, key)] - 1 : SIZE_MAX;
}

void numbers_put(NumberMap *m, uint64_t key, size_t number)
{
    if (2 * (m->used + 1) > m->places) {
        const NumberMap old = *m;
        m->places = old.places ? 2 * old.places : FIRST_SIZE(64, 2);
        m->keys = ARENA_ARRAY(m->arena, uint64_t, m->places);
        m->numbers = ARENA_ARRAY(m->arena, size_t, m->places);
        m->used = 0;
        for (size_t i = 0; i < old.places; i++)
            if (old.numbers[i])
                numbers_put(m, old.keys[i], old.numbers[i] - 1);
    }
    const size_t at = place_of(m, key);
    m->used += m->numbers[at] == 0;
    m->keys[at] = key;
    m->numbers[at] = number + 1;
}
