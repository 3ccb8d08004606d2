/* What one warp access touches in global or local memory: 32-byte sectors, the unit in which caches move
 * data, and 128-byte lines, each one pass through the L1 cache.
 *
 * An access makes one request; lanes that touch the same sector share it. Checked against l1tex__t_sectors
 * on an H200 (matrix multiply: equal). */
#pragma once

#include <stdint.h>

typedef struct Sectors {
    int sectors;   /* distinct ones */
    int lines;     /* distinct ones */
    int scattered; /* sectors alone in their lines, at distances that do not recur: as a gather's */
    int bytes;     /* requested by all lanes */
    int unique_bytes; /* distinct ones among them */
} Sectors;

/* A sector and the bytes of it that are touched (bits). */
typedef struct Sector {
    uint64_t number; /* address / 32 */
    uint32_t bytes;
} Sector;

enum { SECTORS_MAX = 32 * 3 };

/* The sectors of an access in which lane i of `lanes` (bits) touches `bytes` (1 to 64) at address[i],
 * ascending; returns their number. */
int sectors_list(const uint64_t address[32], uint32_t lanes, int bytes, Sector at[SECTORS_MAX]);

/* Counts for the same access. */
Sectors sectors_count(const uint64_t address[32], uint32_t lanes, int bytes);

/* The sectors that an asynchronous copy of 16 bytes a lane fetches when it bypasses the L1: each once for every 32 bytes of shared
 * memory that it fills.  l1tex__m_xbar2l1tex_read_sectors says so on an H200 (tests/data/counters/copies.csv, ten patterns). */
int sectors_copied(const uint64_t from[32], const uint64_t to[32], uint32_t lanes);

/* The sectors of an atomic access, each counted as often as the address in it that most lanes share: they come to it one
 * after the other.  So it is on an H100 for twelve operations of 32 and 64 bits and eight patterns, but for those that
 * ptxas combines for a whole warp. */
int sectors_in_turns(const uint64_t address[32], uint32_t lanes);

/* The fewest sectors that hold so many bytes. */
int sectors_min(int unique_bytes);
