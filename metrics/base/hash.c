#include "metrics/base/hash.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

Hasher *hasher_new(void)
{
    Hasher *h = XXH3_createState();
    XXH3_128bits_reset(h);
    return h;
}

void hasher_add(Hasher *h, const void *bytes, size_t size)
{
    uint64_t length = size;
    XXH3_128bits_update(h, &length, sizeof length);
    XXH3_128bits_update(h, bytes, size);
}

void hasher_string(Hasher *h, const char *text)
{
    hasher_add(h, text, strlen(text));
}

Hash hasher_end(Hasher *h)
{
    XXH128_hash_t sum = XXH3_128bits_digest(h);
    XXH3_freeState(h);
    Hash hash;
    snprintf(hash.text, sizeof hash.text, "%016llx%016llx", (unsigned long long)sum.high64,
             (unsigned long long)sum.low64);
    return hash;
}

Hash hash_bytes(const void *bytes, size_t size)
{
    Hasher *h = hasher_new();
    hasher_add(h, bytes, size);
    return hasher_end(h);
}

bool hash_equal(const Hash *a, const Hash *b)
{
    return strcmp(a->text, b->text) == 0;
}
