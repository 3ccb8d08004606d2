/* Blocks that wait for others, as chained scans do: each reads a tile, waits for the word of the block BEFORE
 * before it, hands on its own, and writes the tile.
 *
 *     chain(good, words, to, from)
 *     grid  any      block  256
 *
 * Words are zero between launches: who has read one clears it, and the last BEFORE blocks write none.  Blocks begin in
 * the order of their numbers, so that none waits for one that has not begun. */

#ifndef WAITS
#define WAITS 1 /* 0: for nothing */
#endif
#ifndef BEFORE
#define BEFORE 32
#endif
#ifndef LOADS
#define LOADS 4 /* vectors of 16 bytes of a thread */
#endif

constexpr unsigned BLOCK = 256;

extern "C" __global__ void __launch_bounds__(BLOCK)
    chain(unsigned *good, unsigned *words, uint4 *to, const uint4 *from)
{
    constexpr unsigned loads = LOADS;
    const unsigned first = blockIdx.x * LOADS * BLOCK + threadIdx.x;
    uint4 got[LOADS];
    unsigned sum = 0;
#pragma unroll loads
    for (unsigned k = 0; k < loads; k++)
        got[k] = from[first + k * BLOCK];
#pragma unroll loads
    for (unsigned k = 0; k < loads; k++)
        sum += got[k].x + got[k].y + got[k].z + got[k].w;
    const bool right = __syncthreads_and(sum == 28 * LOADS);
    __shared__ unsigned handed;
    if (threadIdx.x == 0) {
        unsigned word = 0;
        if (WAITS && blockIdx.x >= BEFORE) {
            unsigned *waited = words + blockIdx.x - BEFORE;
            do
                asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(waited) : "memory");
            while (word == 0);
            asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(waited), "r"(0) : "memory");
        }
        if (WAITS && blockIdx.x + BEFORE < gridDim.x)
            asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(words + blockIdx.x), "r"(word + 1) : "memory");
        handed = word;
    }
    __syncthreads();
    const unsigned word = handed;
#pragma unroll loads
    for (unsigned k = 0; k < loads; k++) {
        got[k].x += word;
        to[first + k * BLOCK] = got[k];
    }
    if (threadIdx.x == 0 && blockIdx.x % 256 == 0)
        good[blockIdx.x / 256] = right && word == (WAITS ? blockIdx.x / BEFORE : 0);
}
