/* How much of each sector is used, and how a warp's words lie.
 *
 *     sectors(good, to, from)
 *     grid  n / (BLOCK × STRIDE)      block  BLOCK
 *
 * Each lane moves one word, STRIDE words from its neighbour's, the first OFFSET words on; a block goes on
 * through EACH × BLOCK × STRIDE words.  KIND is 0 load, 1 store, 2 copy. */

#ifndef KIND
#define KIND 0
#endif
#ifndef STRIDE
#define STRIDE 1
#endif
#ifndef OFFSET
#define OFFSET 0
#endif

constexpr unsigned BLOCK = 256, EACH = 8;

extern "C" __global__ void __launch_bounds__(BLOCK)
    sectors(unsigned *good, unsigned *to, const unsigned *from)
{
    constexpr unsigned each = EACH;
    unsigned got[EACH], sum = 0;
    const unsigned first = (blockIdx.x * EACH * BLOCK + threadIdx.x) * STRIDE + OFFSET;
#pragma unroll each
    for (unsigned k = 0; k < each; k++)
        got[k] = KIND == 1 ? 7 : from[first + k * BLOCK * STRIDE];
#pragma unroll each
    for (unsigned k = 0; k < each; k++) {
        sum += got[k];
        if (KIND > 0)
            to[first + k * BLOCK * STRIDE] = got[k];
    }
    const bool right = __syncthreads_and(sum == 7 * EACH);
    if (threadIdx.x == 0 && blockIdx.x % 256 == 0)
        good[blockIdx.x / 256] = right;
}
