/* Integer products beside logic operations: which units does a product keep busy, and how long?
 *
 *     products(good, rounds, zeros)
 *     grid  1      block  32 × WARPS
 *
 * Each of CHAINS chains does, over and over, a multiply-add and LOGIC logic operations that do not wait for it.
 * PRODUCT 0: the lower half of the product (IMAD); 1: the upper half (IMAD.HI); 2: both (IMAD.WIDE), which one more
 * logic operation makes the next factor. Values stay what they are, which only the caller knows. */

#ifndef PRODUCT
#define PRODUCT 2
#endif
#ifndef LOGIC
#define LOGIC 1
#endif
#ifndef WARPS
#define WARPS 16
#endif

constexpr int CHAINS = 4, STEPS = 128;

struct Chain {
    unsigned factor, u;
    unsigned long long both;
};

__device__ __forceinline__ void step(Chain &c, unsigned one, unsigned zero, unsigned none)
{
    if (PRODUCT == 0)
        asm("mad.lo.u32 %0, %0, %1, %2;" : "+r"(c.factor) : "r"(one), "r"(zero));
    if (PRODUCT == 1)
        asm("mul.hi.u32 %0, %0, %1;" : "+r"(c.factor) : "r"(one));
    if (PRODUCT == 2)
        asm("{.reg .u32 low, high; mov.b64 {low, high}, %0; lop3.b32 low, low, high, %2, 0x96; "
            "mul.wide.u32 %0, low, %1;}"
            : "+l"(c.both)
            : "r"(one), "r"(zero));
    constexpr int logic = LOGIC;
#pragma unroll logic
    for (int k = 0; k < LOGIC; k++)
        asm("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(c.u) : "r"(zero), "r"(none));
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    products(unsigned *good, int rounds, const unsigned *zeros)
{
    const unsigned zero = zeros[threadIdx.x], none = zeros[threadIdx.x + 1];
    constexpr int chains = CHAINS, steps = STEPS;
    Chain c[CHAINS];
#pragma unroll chains
    for (int k = 0; k < chains; k++)
        c[k] = {PRODUCT == 0 ? 5u + k : 0u, zero + k, 3ull + k};
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll steps
        for (int s = 0; s < steps; s++) {
#pragma unroll chains
            for (int k = 0; k < chains; k++)
                step(c[k], zero + 1, zero, none);
        }
    }
    bool kept = true;
#pragma unroll chains
    for (int k = 0; k < chains; k++)
        kept = kept && c[k].factor == (PRODUCT == 0 ? 5u + k : 0u) && c[k].u == k && c[k].both == 3 + k;
    good[threadIdx.x] = kept;
}
