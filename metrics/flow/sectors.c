#include "metrics/flow/sectors.h"

enum { LANES = 32, SECTOR = 32, LINE_SECTORS = 4, CHUNKS_MAX = LANES * 3, SECTOR_SHIFT = 5 };

/* A sector and which of its bytes are touched. */
typedef struct Chunk {
    uint64_t sector;
    uint32_t bytes;
} Chunk;

static uint32_t low_bits(int n)
{
    return n >= 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
}

/* Ordered by sector; most accesses come in order already. */
static int add_chunk(Chunk *at, int count, Chunk c)
{
    int i = count;
    while (i > 0 && at[i - 1].sector > c.sector)
        i--;
    if (i > 0 && at[i - 1].sector == c.sector) {
        at[i - 1].bytes |= c.bytes;
        return count;
    }
    for (int k = count; k > i; k--)
        at[k] = at[k - 1];
    at[i] = c;
    return count + 1;
}

static int add_range(Chunk *at, int count, uint64_t first, int bytes)
{
    while (bytes > 0) {
        const int skip = (int)(first % SECTOR);
        const int n = bytes < SECTOR - skip ? bytes : SECTOR - skip;
        count = add_chunk(at, count, (Chunk){first >> SECTOR_SHIFT, low_bits(n) << skip});
        first += (uint64_t)n;
        bytes -= n;
    }
    return count;
}

Sectors sectors_count(const uint64_t address[32], uint32_t lanes, int bytes)
{
    Chunk at[CHUNKS_MAX];
    Sectors s = {0};
    const int most = 2 * SECTOR;
    const int each = bytes > most ? most : bytes;
    int count = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        count = add_range(at, count, address[__builtin_ctz(left)], each);
    s.sectors = count;
    s.bytes = __builtin_popcount(lanes) * each;
    for (int i = 0; i < count; i++) {
        s.unique_bytes += __builtin_popcount(at[i].bytes);
        s.lines += i == 0 || at[i].sector / LINE_SECTORS != at[i - 1].sector / LINE_SECTORS;
    }
    return s;
}

int sectors_min(int unique_bytes)
{
    return (unique_bytes + SECTOR - 1) / SECTOR;
}
