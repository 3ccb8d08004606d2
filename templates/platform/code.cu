/* Straight code, ever longer: where the instruction caches end.
 *
 *     code(good, rounds, ones)
 *     grid  1      block  32 × WARPS
 *
 * A round executes KB × 64 multiply-adds, each 16 bytes of code, in chains of eight. */

#ifndef KB
#define KB 8
#endif
#ifndef WARPS
#define WARPS 4
#endif

constexpr int CHAINS = 8;
constexpr int STEPS = KB * 64 / CHAINS;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    code(unsigned *good, int rounds, const float *ones)
{
    constexpr int chains = CHAINS, steps = STEPS;
    const float one = ones[threadIdx.x], nought = one - 1;
    float value[CHAINS];
#pragma unroll chains
    for (int k = 0; k < chains; k++)
        value[k] = one;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll steps
        for (int s = 0; s < steps; s++) {
#pragma unroll chains
            for (int k = 0; k < chains; k++)
                value[k] = fmaf(value[k], one, nought);
        }
    }
    float sum = 0;
#pragma unroll chains
    for (int k = 0; k < chains; k++)
        sum += value[k];
    good[threadIdx.x] = sum == CHAINS;
}
