/* What was compiled before, by the hash of everything it was compiled from.
 *
 * A folder with one file per entry: a line with a checksum, then a message (metrics/base/wire.h),
 * compressed.  A damaged entry counts as none and is overwritten.
 *
 * Several runs may use one folder at once: an entry is written beside its place and renamed, and
 * two that write the same entry write the same thing.  Nothing here is needed: a full disk or
 * a read-only folder costs time, so callers warn and go on. */
#pragma once

#include "metrics/base/diag.h"
#include "metrics/base/hash.h"
#include "metrics/base/wire.h"

#include <jansson.h>
#include <stdint.h>
#include <time.h>

typedef struct Cache Cache;

/* $APTUNE_CACHE, $XDG_CACHE_HOME/aptune or ~/.cache/aptune; NULL when none of them is set. */
const char *cache_default_folder(Arena *a);

/* Opens a folder, made if need be, for the user alone; it lives in `a`.  NULL with a message, also
 * when others own it or may write into it, unless they are `trusted`: code from there is run. */
Cache *cache_open(Arena *a, const char *folder, bool trusted, Diag *d);

/* Reads an entry, which wire_message_free ends.  False when there is none or it cannot be trusted:
 * the two are the same to a caller. */
bool cache_get(const Cache *c, const Hash *key, WireMessage *m);

/* Writes an entry over any that is there. */
bool cache_put(const Cache *c, const Hash *key, const json_t *head, Blob blob, Diag *d);

/* What is in it. */
typedef struct CacheUse {
    const char *folder;
    size_t entries;
    uint64_t bytes;
    time_t oldest, latest; /* use of an entry, to the hour; 0: there is none */
} CacheUse;

CacheUse cache_use(const Cache *c);

/* Removes the entries that were longest not used, and leftovers of killed runs, until at most
 * `limit_bytes` are kept.  Gives the bytes kept. */
uint64_t cache_trim(const Cache *c, uint64_t limit_bytes);

/* Kept after a run that compiled, where the user says nothing else. */
static const double CACHE_LIMIT_GB = 4;

/* The file of an entry, whether there is one or not. */
const char *cache_path(const Cache *c, Arena *a, const Hash *key);
