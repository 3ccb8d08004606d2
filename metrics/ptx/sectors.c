#include "metrics/ptx/sectors.h"

#include <stdbool.h>

enum { SECTOR = 32, LINE_SECTORS = 4, SECTOR_SHIFT = 5 };

static uint32_t low_bits(int n)
{
    return n >= 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
}

/* Insertion sort by sector: most accesses come in order. */
static int add_sector(Sector *at, int count, Sector c)
{
    int i = count;
    while (i > 0 && at[i - 1].number > c.number)
        i--;
    if (i > 0 && at[i - 1].number == c.number) {
        at[i - 1].bytes |= c.bytes;
        return count;
    }
    for (int k = count; k > i; k--)
        at[k] = at[k - 1];
    at[i] = c;
    return count + 1;
}

static int add_range(Sector *at, int count, uint64_t first, int bytes)
{
    while (bytes > 0) {
        const int skip = (int)(first % SECTOR);
        const int n = bytes < SECTOR - skip ? bytes : SECTOR - skip;
        count = add_sector(at, count, (Sector){first >> SECTOR_SHIFT, low_bits(n) << skip});
        first += (uint64_t)n;
        bytes -= n;
    }
    return count;
}

int sectors_list(const uint64_t address[32], uint32_t lanes, int bytes, Sector at[SECTORS_MAX])
{
    const int most = 2 * SECTOR;
    int count = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        count = add_range(at, count, address[__builtin_ctz(left)], bytes > most ? most : bytes);
    return count;
}

/* The sectors of an access that have a line for themselves and are neither as far from the one before as that is
 * from its own, nor as that one's predecessor: rows, columns and tiles have such distances. */
static int count_scattered(const Sector *at, int count)
{
    uint64_t gap[3] = {0};
    int scattered = 0;
    for (int i = 1; i < count; i++) {
        gap[0] = at[i].number - at[i - 1].number;
        const bool alone =
            at[i].number / LINE_SECTORS != at[i - 1].number / LINE_SECTORS &&
            (i + 1 == count || at[i].number / LINE_SECTORS != at[i + 1].number / LINE_SECTORS);
        scattered += alone && gap[0] != gap[1] && gap[0] != gap[2];
        gap[2] = gap[1];
        gap[1] = gap[0];
    }
    return scattered;
}

Sectors sectors_count(const uint64_t address[32], uint32_t lanes, int bytes)
{
    Sector at[SECTORS_MAX];
    Sectors s = {.sectors = sectors_list(address, lanes, bytes, at)};
    s.scattered = count_scattered(at, s.sectors);
    s.bytes = __builtin_popcount(lanes) * (bytes > 2 * SECTOR ? 2 * SECTOR : bytes);
    for (int i = 0; i < s.sectors; i++) {
        s.unique_bytes += __builtin_popcount(at[i].bytes);
        s.lines += i == 0 || at[i].number / LINE_SECTORS != at[i - 1].number / LINE_SECTORS;
    }
    return s;
}

int sectors_copied(const uint64_t from[32], const uint64_t to[32], uint32_t lanes)
{
    int count = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        bool first = true;
        for (uint32_t others = left & (left - 1); others && first; others &= others - 1) {
            const int k = __builtin_ctz(others);
            first = from[i] >> SECTOR_SHIFT != from[k] >> SECTOR_SHIFT ||
                    to[i] >> SECTOR_SHIFT != to[k] >> SECTOR_SHIFT;
        }
        count += first;
    }
    return count;
}

int sectors_in_turns(const uint64_t address[32], uint32_t lanes)
{
    Sector at[32];
    int turns[32], sum = 0, count = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint64_t to = address[__builtin_ctz(left)];
        int here = 0, k = 0;
        for (uint32_t others = left; others; others &= others - 1)
            here += address[__builtin_ctz(others)] == to;
        while (k < count && at[k].number != to >> SECTOR_SHIFT)
            k++;
        if (k == count) {
            at[count++].number = to >> SECTOR_SHIFT;
            turns[k] = 0;
        }
        turns[k] = here > turns[k] ? here : turns[k];
    }
    for (int k = 0; k < count; k++)
        sum += turns[k];
    return sum;
}

int sectors_min(int unique_bytes)
{
    return (unique_bytes + SECTOR - 1) / SECTOR;
}
