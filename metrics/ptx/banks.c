#include "metrics/ptx/banks.h"

enum { LANES = 32, BANKS = 32, WORD = 4 };

/* Wide accesses use whole groups of neighbouring banks: units of the access width replace words. */
static int unit_bytes(int bytes)
{
    return bytes < WORD ? WORD : bytes;
}

/* Distinct units in the fullest bank group; *distinct: in all. */
static int request(const uint64_t *address, uint32_t lanes, int bytes, bool shared_units,
                   int *distinct)
{
    const int unit = unit_bytes(bytes);
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)unit);
    const unsigned groups = BANKS * WORD / (unsigned)unit;
    uint8_t count[BANKS] = {0};
    int8_t newest[BANKS], before[LANES];
    int most = 0, all = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const uint64_t mine = address[i] >> shift;
        const unsigned g = (unsigned)mine & (groups - 1);
        int k = count[g] ? newest[g] : -1;
        while (shared_units && k >= 0 && address[k] >> shift != mine)
            k = before[k];
        if (shared_units && k >= 0)
            continue;
        before[i] = (int8_t)(count[g] ? newest[g] : -1);
        newest[g] = (int8_t)i;
        all++;
        if (++count[g] > most)
            most = count[g];
    }
    *distinct = all;
    return most;
}

/* Requests of `width` lanes each; *distinct is that of the last request. */
static int requests(const uint64_t *address, uint32_t lanes, int bytes, int width, int *distinct)
{
    int sum = 0;
    const uint32_t all = width == LANES ? UINT32_MAX : (UINT32_C(1) << width) - 1;
    for (int first = 0; first < LANES; first += width)
        sum += request(address, lanes & (all << first), bytes, true, distinct);
    return sum;
}

/* True if lanes that are `apart` apart have equal addresses wherever both are active. */
static bool neighbours_agree(const uint64_t *address, uint32_t lanes, int apart)
{
    for (int i = 0; i < LANES; i++) {
        const int k = i ^ apart;
        if (lanes >> i & 1 && lanes >> k & 1 && address[i] != address[k])
            return false;
    }
    return true;
}

static int spread_evenly(int distinct, uint32_t lanes, int bytes)
{
    const int wavefronts = (distinct * unit_bytes(bytes) + BANKS * WORD - 1) / (BANKS * WORD);
    const bool two_halves = bytes == 16 && (lanes & 0xffff) && lanes >> 16;
    return two_halves && wavefronts < 2 ? 2 : wavefronts;
}

int banks_wavefronts(const uint64_t address[32], uint32_t lanes, int bytes, bool is_load,
                     int *least)
{
    int width = bytes <= WORD ? LANES : LANES * WORD / bytes, distinct;
    if (bytes > WORD && is_load &&
        (neighbours_agree(address, lanes, 1) || neighbours_agree(address, lanes, 2)))
        width *= 2;
    const int sum = requests(address, lanes, bytes, width, &distinct);
    if (!least)
        return sum;
    if (width < LANES)
        request(address, lanes, bytes, true, &distinct);
    *least = spread_evenly(distinct, lanes, bytes);
    return sum;
}

int banks_wavefronts_atomic(const uint64_t address[32], uint32_t lanes, int bytes)
{
    int distinct;
    return request(address, lanes, bytes, false, &distinct);
}

int banks_wavefronts_matrix(const uint64_t address[32], uint32_t lanes, int matrices)
{
    int sum = 0, distinct;
    for (int m = 0; m < matrices; m++)
        sum += request(address, lanes & (UINT32_C(255) << (8 * m)), 16, true, &distinct);
    return sum;
}

int banks_distinct_words(const uint64_t address[32], uint32_t lanes)
{
    int distinct;
    request(address, lanes, WORD, true, &distinct);
    return distinct;
}
