/* What stands in a buffer of a launch: words of the lists of launches here.
 *
 *     bN  N bytes, zero             dN:M  32-bit words, word i is i modulo M
 *     cN:B  bytes B                 hN:M  32-bit words, scattered over 0 … M - 1
 *     gN  floats, scattered over [0, 1)   pN:M  32-bit words, sums of the words that h has
 *
 * A `!` at the end: the kernel writes nothing to it, so that a profile may look at it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Contents {
    char kind;
    size_t bytes;
    uint32_t more;
    bool constant;
} Contents;

/* False when the word is no buffer. */
static inline bool contents_read(const char *word, Contents *c)
{
    char *end;
    if (!word[0] || !strchr("bcdghp", word[0]))
        return false;
    *c = (Contents){.kind = word[0], .bytes = strtoul(word + 1, &end, 10)};
    if (*end == ':')
        c->more = (uint32_t)strtoul(end + 1, &end, 10);
    c->constant = *end == '!';
    return true;
}

static inline uint32_t contents_scatter(uint32_t i)
{
    i *= UINT32_C(0x9e3779b1);
    i ^= i >> 15;
    i *= UINT32_C(0x85ebca77);
    return i ^ i >> 13;
}

static inline void contents_fill(const Contents *c, void *room)
{
    uint32_t sum = 0;
    memset(room, c->kind == 'c' ? (int)c->more : 0, c->bytes);
    for (size_t i = 0; i < c->bytes / 4 && strchr("dghp", c->kind); i++) {
        const uint32_t scattered = contents_scatter((uint32_t)i);
        const float part = (float)(scattered >> 8) / (float)(1 << 24);
        const uint32_t word = c->kind == 'd'   ? (uint32_t)i % c->more
                              : c->kind == 'h' ? scattered % c->more
                                               : sum;
        if (c->kind == 'g')
            memcpy((char *)room + 4 * i, &part, 4);
        else
            memcpy((char *)room + 4 * i, &word, 4);
        sum += c->kind == 'p' ? scattered % c->more : 0;
    }
}
