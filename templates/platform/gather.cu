/* Loads from places drawn at random: what a warp's load costs that finds so many lines.
 *
 *     gather(good, rounds, from)
 *     grid  any      block  512
 *
 * A warp's lanes are PLACES teams; each has its own sequence of places, and its lanes read words in a row there:
 *
 *     PLACES 4     lane  0 … 7 │ 8 … 15 │ 16 … 23 │ 24 … 31
 *                  word  p …   │ q …    │ r …     │ s …
 *
 * A round has EACH loads, all asked for before the first is used.  Places are among the first WORDS. */

#ifndef WORDS
#define WORDS 524288
#endif
#ifndef PLACES
#define PLACES 32
#endif

constexpr unsigned BLOCK = 512, EACH = 8, TOGETHER = 32 / PLACES;

extern "C" __global__ void __launch_bounds__(BLOCK)
    gather(unsigned *good, int rounds, const unsigned *from)
{
    constexpr unsigned each = EACH;
    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned *own = from + thread % TOGETHER;
    unsigned drawn = thread / TOGETHER * 2654435761u, sum = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        unsigned got[EACH];
#pragma unroll each
        for (unsigned k = 0; k < each; k++) {
            drawn = drawn * 1664525u + 1013904223u;
            got[k] = own[(drawn >> 4) % (WORDS / TOGETHER) * TOGETHER];
        }
#pragma unroll each
        for (unsigned k = 0; k < each; k++)
            sum += got[k];
    }
    const bool right = __syncthreads_and(sum == 7 * EACH * rounds);
    if (threadIdx.x == 0)
        good[blockIdx.x] = right;
}
