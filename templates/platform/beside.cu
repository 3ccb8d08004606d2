/* Atomic additions to one word beside the reading of an array.
 *
 *     beside(good, words, from)
 *     grid  any      block  256
 *
 * A block reads READS vectors of 16 bytes a thread; then ADDS of its warps add to a word: the same for all
 * (APART 0), or one for each block and warp, a sector apart. */

#ifndef READS
#define READS 4
#endif
#ifndef ADDS
#define ADDS 1
#endif
#ifndef APART
#define APART 0
#endif

constexpr unsigned BLOCK = 256;

extern "C" __global__ void __launch_bounds__(BLOCK)
    beside(unsigned *good, unsigned *words, const uint4 *from)
{
    constexpr unsigned reads = READS;
    unsigned sum = 0;
#pragma unroll reads
    for (unsigned k = 0; k < reads; k++) {
        const uint4 got = from[(blockIdx.x * READS + k) * BLOCK + threadIdx.x];
        sum += got.x + got.y + got.z + got.w;
    }
    const unsigned warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0 && warp < ADDS) {
        unsigned *word = words + (APART ? 8 * (blockIdx.x * 8 + warp) : 0);
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(word), "r"(sum - 28 * READS) : "memory");
    }
    const bool right = __syncthreads_and(sum == 28 * READS);
    if (threadIdx.x == 0 && blockIdx.x % 256 == 0)
        good[blockIdx.x / 256] = right;
}
