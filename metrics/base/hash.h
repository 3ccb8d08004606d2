/* Hashes that identify code, sources and cache entries.
 *
 * 128 bits of XXH3: no defence against an adversary, but accidental collisions do not happen at this width.
 * Fields are separated, so "ab"+"c" and "a"+"bc" differ. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { HASH_TEXT = 33 }; /* 32 hexadecimal digits and a zero */

typedef struct Hash {
    char text[HASH_TEXT];
} Hash;

typedef struct XXH3_state_s Hasher;

Hasher *hasher_new(void);
/* Adds one field: its length, then its bytes. */
void hasher_add(Hasher *h, const void *bytes, size_t size);
void hasher_string(Hasher *h, const char *text);
/* The hash of all fields; frees the hasher. */
Hash hasher_end(Hasher *h);

Hash hash_bytes(const void *bytes, size_t size);
bool hash_equal(const Hash *a, const Hash *b);
