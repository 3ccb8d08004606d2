/* What one access of a warp touches of global or local memory: 32-byte sectors, the units in which
 * the caches move data, and 128-byte lines, each of which is one pass through the L1 cache.
 *
 * An access makes one request; lanes that touch the same sector share it.  Checked against
 * l1tex__t_sectors on an H200 (matrix multiply: equal). */
#pragma once

#include <stdint.h>

typedef struct Sectors {
    int sectors;      /* distinct ones */
    int lines;        /* distinct ones */
    int bytes;        /* that lanes ask for, all together */
    int unique_bytes; /* distinct ones among them */
} Sectors;

/* A sector and which of its bytes are touched. */
typedef struct Sector {
    uint64_t number; /* address / 32 */
    uint32_t bytes;
} Sector;

enum { SECTORS_MAX = 32 * 3 };

/* The sectors that an access touches, in their order: returns how many.  Lane i of `lanes` (bits)
 * touches `bytes` (1 to 64) at address[i]. */
int sectors_list(const uint64_t address[32], uint32_t lanes, int bytes, Sector at[SECTORS_MAX]);

/* Lane i of `lanes` (bits) touches `bytes` (1 to 64) at address[i]. */
Sectors sectors_count(const uint64_t address[32], uint32_t lanes, int bytes);

/* The fewest sectors that could hold so many bytes. */
int sectors_min(int unique_bytes);
