#include "tuner/record/index.h"

#include <string.h>

/* FNV-1a, 64 bits. */
static uint64_t hash_text(const char *text)
{
    uint64_t h = 14695981039346656037u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h ^ h >> 32;
}

/* The slot that holds the text, or the empty one where it would go. */
static size_t *slot_of(const TextIndex *t, const char *text)
{
    size_t mask = t->slot_count - 1;
    size_t i = (size_t)hash_text(text) & mask;
    while (t->slots[i] && strcmp(t->texts[t->slots[i] - 1], text) != 0)
        i = (i + 1) & mask;
    return &t->slots[i];
}

TextIndex index_build(Arena *a, const char *const *texts, size_t count)
{
    TextIndex t = {.texts = texts, .slot_count = 16};
    while (t.slot_count < count * 2)
        t.slot_count *= 2;
    t.slots = ARENA_ARRAY(a, size_t, t.slot_count);
    for (size_t i = 0; i < count; i++) {
        if (texts[i])
            *slot_of(&t, texts[i]) = i + 1;
    }
    return t;
}

size_t index_find(const TextIndex *t, const char *text)
{
    return t->slot_count > 0 ? *slot_of(t, text) - 1 : SIZE_MAX;
}
