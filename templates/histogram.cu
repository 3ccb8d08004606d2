/* counts[b] += words that are b modulo BINS.
 *
 * Blocks keep COPIES private histograms in shared memory, a warp counts in number (warp % COPIES);
 * copies lie BINS + PAD words apart.  Each thread reads VEC words at a time, of PER_THREAD words in
 * all, a grid apart.  AGREE 1: lanes of a warp that have the same value let one of them add it up.
 *
 * BLOCK, COPIES, PAD, VEC, PER_THREAD, AGREE, BINS are macros. */
__device__ static inline void count(unsigned *mine, unsigned value)
{
#if AGREE
    const unsigned equals = __match_any_sync(0xffffffff, value);
    if ((int)(threadIdx.x % 32) == __ffs(equals) - 1)
        atomicAdd(&mine[value], __popc(equals));
#else
    atomicAdd(&mine[value], 1u);
#endif
}

typedef struct __align__(4 * VEC) {
    unsigned word[VEC];
} Words;

extern "C" __global__ void __launch_bounds__(BLOCK)
    histogram(const unsigned *values, unsigned *counts, int words)
{
    __shared__ unsigned copies[COPIES * (BINS + PAD)];
    for (int i = 0; i < COPIES * (BINS + PAD); i += BLOCK)
        if (i + (int)threadIdx.x < COPIES * (BINS + PAD))
            copies[i + threadIdx.x] = 0;
    __syncthreads();
    unsigned *mine = &copies[threadIdx.x / 32 % COPIES * (BINS + PAD)];
    const int stride = gridDim.x * BLOCK, at = blockIdx.x * BLOCK + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < PER_THREAD / VEC; i++) {
        const Words w = ((const Words *)values)[at + i * stride];
#pragma unroll
        for (int v = 0; v < VEC; v++)
            count(mine, w.word[v] % BINS);
    }
    __syncthreads();
    for (int b = 0; b < BINS; b += BLOCK) {
        unsigned sum = 0;
        if (b + (int)threadIdx.x >= BINS)
            break;
#pragma unroll
        for (int c = 0; c < COPIES; c++)
            sum += copies[c * (BINS + PAD) + b + threadIdx.x];
        if (sum)
            atomicAdd(&counts[b + threadIdx.x], sum);
    }
}
