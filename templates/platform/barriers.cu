/* What it costs that warps wait for each other.
 *
 *     barriers(good, rounds, zeros)
 *     grid  1      block  32 × WARPS
 *
 * KIND is 0: nothing (the loop alone), 1: __syncthreads, 2: __syncwarp, 3: __syncthreads_and,
 * 4: a multiply-add after each barrier. */

#ifndef KIND
#define KIND 1
#endif
#ifndef WARPS
#define WARPS 1
#endif

constexpr int UNROLL = 64;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    barriers(unsigned *good, int rounds, const unsigned *zeros)
{
    constexpr int unroll = UNROLL;
    const float nought = __uint_as_float(zeros[threadIdx.x]);
    float value = nought;
    int all = 1;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll unroll
        for (int k = 0; k < unroll; k++) {
            if (KIND == 1 || KIND == 4)
                __syncthreads();
            if (KIND == 2)
                asm volatile("bar.warp.sync 0xffffffff;");
            if (KIND == 3)
                all = __syncthreads_and(all);
            if (KIND == 0 || KIND == 4)
                value = fmaf(value, value, nought);
        }
    }
    good[threadIdx.x] = all && value == 0;
}
