/* Constants that stand in the instruction: multiply-adds, each with a word of constant memory at a fixed place.
 *
 *     immediate(good, rounds, zeros), constants
 *     grid  1      block  32 × WARPS
 *
 * COUNT words, STRIDE words apart, one after the other and round again; a warp has CHAINS sums. */

#ifndef COUNT
#define COUNT 256
#endif
#ifndef STRIDE
#define STRIDE 1
#endif
#ifndef WARPS
#define WARPS 4
#endif

__constant__ float constants[16384];

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    immediate(unsigned *good, int rounds, const float *zeros)
{
    constexpr int chains = 4, count = COUNT;
    float sum[chains], zero = zeros[threadIdx.x];
#pragma unroll chains
    for (int c = 0; c < chains; c++)
        sum[c] = zero;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll count
        for (int k = 0; k < count; k++)
            sum[k % chains] = __fmaf_rn(sum[k % chains], zero, constants[k * STRIDE]);
    }
    bool right = true;
#pragma unroll chains
    for (int c = 0; c < chains; c++)
        right = right && sum[c] == 3;
    good[threadIdx.x] = right;
}
