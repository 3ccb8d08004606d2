/* Compiled code by the hash of everything it was compiled from.
 *
 * A folder with a file per entry: a line with a checksum, then a compressed message (metrics/base/wire.h).
 * A damaged entry counts as missing and is overwritten.
 *
 * Several runs may share a folder: an entry is written to a temporary file and renamed, and two writers of
 * an entry write the same. The cache is optional: a full disk or a read-only folder costs time, so callers
 * warn and go on. */
#pragma once

#include "metrics/base/hash.h"
#include "metrics/base/wire.h"

#include <time.h>

typedef struct Cache Cache;

/* $APTUNE_CACHE, $XDG_CACHE_HOME/aptune or ~/.cache/aptune; NULL: none of them is set. */
const char *cache_default_folder(Arena *a);

/* Opens a folder, created with access for the user only; lives in `a`. NULL with a message, also if others
 * own it or may write to it, unless `trusted`: code from there is run. */
Cache *cache_open(Arena *a, const char *folder, bool trusted, Diag *d);

/* Reads an entry, for wire_message_free. False: missing or untrustworthy, the same to a caller. */
bool cache_get(const Cache *c, const Hash *key, WireMessage *m);

/* Writes an entry, replacing any old one. */
bool cache_put(const Cache *c, const Hash *key, const json_t *head, Blob blob, Diag *d);

typedef struct CacheUse {
    const char *folder;
    size_t entries;
    uint64_t bytes;
    time_t oldest, latest; /* last use of an entry, to the hour; 0: no entry */
} CacheUse;

CacheUse cache_use(const Cache *c);

/* Removes the least recently used entries, and leftovers of killed runs, until at most `limit_bytes` are
 * kept. Returns the bytes kept. */
uint64_t cache_trim(const Cache *c, uint64_t limit_bytes);

/* Limit after a run that compiled, unless the user sets another. */
static const double CACHE_LIMIT_GB = 4;

/* The file name of an entry, existing or not. */
const char *cache_path(const Cache *c, Arena *a, const Hash *key);
