/* Two units at a time: how far do their times hide each other?
 *
 *     overlap(good, rounds, zeros, from), constants
 *     grid  BLOCKS      block  32 × WARPS
 *
 * Each round has A instructions of one unit and B of another, in turn.  PAIR is
 *
 *     0  multiply-adds and special functions      1  multiply-adds and shared memory
 *     2  shared memory and special functions      3  multiply-adds and device memory
 *     4  shared memory and device memory          5  multiply-adds and constants
 *     6  constants and special functions          7  constants and shared memory */

#ifndef PAIR
#define PAIR 0
#endif
#ifndef A
#define A 8
#endif
#ifndef B
#define B 4
#endif
#ifndef WARPS
#define WARPS 16
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif

constexpr int CHAINS = 4; /* of each unit */
constexpr int BLOCK = 32 * WARPS;
constexpr bool MEMORY = PAIR == 3 || PAIR == 4;

__constant__ unsigned constants[16];

struct State {
    float f[CHAINS];
    float m[CHAINS];
    unsigned s[CHAINS], c[CHAINS];
};

__device__ __forceinline__ void multiply_add(State &x, int k, float nought)
{
    x.f[k % CHAINS] = fmaf(x.f[k % CHAINS], 1 + nought, nought);
}

__device__ __forceinline__ void special(State &x, int k)
{
    asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x.m[k % CHAINS]));
}

__device__ __forceinline__ void shared_load(State &x, int k)
{
    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x.s[k % CHAINS]));
}

__device__ __forceinline__ void constant_load(State &x, int k)
{
    x.c[k % CHAINS] = *(const unsigned *)((const char *)constants + x.c[k % CHAINS]);
}

__device__ __forceinline__ void first_unit(State &x, int k, float nought)
{
    if (PAIR == 2 || PAIR == 4)
        shared_load(x, k);
    else if (PAIR >= 6)
        constant_load(x, k);
    else
        multiply_add(x, k, nought);
}

__device__ __forceinline__ void second_unit(State &x, int k)
{
    if (PAIR == 1 || PAIR == 7)
        shared_load(x, k);
    else if (PAIR == 5)
        constant_load(x, k);
    else if (!MEMORY)
        special(x, k);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    overlap(unsigned *good, int rounds, const unsigned *zeros, const uint4 *from)
{
    __shared__ unsigned own[BLOCK];
    constexpr int most = A > B ? A : B, memory = MEMORY ? B : 0, chains = CHAINS;
    constexpr int at_once = MEMORY && B > 0 ? B : 1;
    const float nought = __uint_as_float(zeros[threadIdx.x]);
    const unsigned here = (unsigned)__cvta_generic_to_shared(&own[threadIdx.x]);
    own[threadIdx.x] = here;
    __syncthreads();
    State x;
#pragma unroll chains
    for (int k = 0; k < chains; k++)
        x.f[k] = 1 + nought, x.m[k] = 1 + nought, x.s[k] = here, x.c[k] = zeros[threadIdx.x];
    unsigned sum = 0;
    size_t at = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        uint4 got[at_once];
#pragma unroll at_once
        for (int k = 0; k < memory; k++, at += (size_t)gridDim.x * BLOCK)
            got[k] = from[at];
#pragma unroll most
        for (int k = 0; k < most; k++) {
            if (k < A)
                first_unit(x, k, nought);
            if (k < B)
                second_unit(x, k);
        }
#pragma unroll at_once
        for (int k = 0; k < memory; k++)
            sum += got[k].x + got[k].y + got[k].z + got[k].w;
    }
    bool right = sum == (MEMORY ? 4u * B * rounds : 0);
#pragma unroll chains
    for (int k = 0; k < chains; k++)
        right = right && x.f[k] == 1 && x.m[k] == 1 && x.s[k] == here && x.c[k] == 0;
    right = __syncthreads_and(right);
    if (threadIdx.x == 0)
        good[blockIdx.x] = right;
}
