/* Loads whose lanes lie in several rows, all of them in the L1 cache.
 *
 *     rows(good, rounds, from)
 *     grid  any      block  512
 *
 * A warp's lanes are ROWS teams; each reads neighbouring words of a row, and rows are PITCH bytes apart:
 *
 *     PITCH 128               all rows lie in the same banks of the cache
 *     PITCH 128 + 128/ROWS    each row lies in banks of its own
 *
 * All warps read the same places, 4 KB of lines and what the rows take. */

#ifndef ROWS
#define ROWS 4
#endif
#ifndef PITCH
#define PITCH 128
#endif
#ifndef OFFSET
#define OFFSET 0 /* bytes of the first word from the line's begin */
#endif

constexpr unsigned BLOCK = 512, EACH = 8, TEAM = 32 / ROWS;

extern "C" __global__ void __launch_bounds__(BLOCK)
    rows(unsigned *good, int rounds, const unsigned char *from)
{
    constexpr unsigned each = EACH;
    const unsigned lane = threadIdx.x % 32;
    const unsigned char *own = from + OFFSET + lane / TEAM * PITCH + lane % TEAM * 4;
    unsigned sum = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        unsigned got[EACH];
        /* Other lines each round, or the compiler would load once for all. */
        const unsigned *at = (const unsigned *)(own + round % 4 * (EACH * 128));
#pragma unroll each
        for (unsigned k = 0; k < each; k++)
            got[k] = at[32 * k];
#pragma unroll each
        for (unsigned k = 0; k < each; k++)
            sum += got[k];
    }
    const bool right = __syncthreads_and(sum == 0x07070707u * EACH * rounds);
    if (threadIdx.x == 0)
        good[blockIdx.x] = right;
}
