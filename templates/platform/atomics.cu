/* Atomic additions to global memory, of all SMs.
 *
 *     atomics(good, words, ones)
 *     grid  any      block  256
 *
 * WAYS lanes of a warp share a word; with SPREAD 0 all warps add to the same words, with 1 each has its
 * own.  RESULT 1: what was there before is asked for. */

#ifndef WAYS
#define WAYS 1
#endif
#ifndef SPREAD
#define SPREAD 1
#endif
#ifndef RESULT
#define RESULT 0
#endif

constexpr int UNROLL = 8;

extern "C" __global__ void __launch_bounds__(256)
    atomics(unsigned *good, unsigned *words, const unsigned *zeros, int rounds)
{
    constexpr int unroll = UNROLL;
    const unsigned zero = zeros[threadIdx.x];
    const unsigned warp = (blockIdx.x * 256 + threadIdx.x) / 32;
    unsigned *const word = words + (SPREAD ? 32 * warp : 0) + threadIdx.x % 32 / WAYS;
    unsigned any = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll unroll
        for (int k = 0; k < unroll; k++) {
            if (RESULT)
                any |= atomicAdd(word, zero) & zero;
            else
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(word), "r"(zero) : "memory");
        }
    }
    const bool right = __syncthreads_and(any == 0);
    if (threadIdx.x == 0)
        good[blockIdx.x] = right;
}
