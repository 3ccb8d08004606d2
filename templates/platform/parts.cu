/* Stores that fill sectors bit by bit.
 *
 *     parts(good, to, rounds)
 *     grid  any      block  256
 *
 * A thread stores EACH elements of BYTES bytes, each by an instruction of its own:
 *
 *     APART 0     lane 0: 0 1 2 3   lane 1: 4 5 6 7 …     its elements are neighbours: a store touches a part of many sectors,
 *                                                         and the warp's next ones fill them
 *     APART 1     lane 0: 0 32 64 96   lane 1: 1 33 …     lanes are neighbours: a store fills what it touches */

#ifndef BYTES
#define BYTES 4
#endif
#ifndef EACH
#define EACH 4
#endif
#ifndef APART
#define APART 0
#endif

constexpr unsigned BLOCK = 256;

__device__ __forceinline__ void store(unsigned char *to, unsigned v)
{
#if BYTES == 1
    asm volatile("st.global.u8 [%0], %1;" ::"l"(to), "r"(v) : "memory");
#elif BYTES == 2
    asm volatile("st.global.u16 [%0], %1;" ::"l"(to), "r"(v) : "memory");
#elif BYTES == 4
    asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(v) : "memory");
#else
    asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(to), "r"(v) : "memory");
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    parts(unsigned *good, unsigned char *to, int rounds)
{
    constexpr unsigned each = EACH;
    const unsigned lane = threadIdx.x % 32, warp = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
    unsigned char *own = to + (size_t)warp * 32 * EACH * BYTES;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll each
        for (unsigned k = 0; k < each; k++)
            store(own + (APART ? k * 32 + lane : lane * EACH + k) * BYTES, round + k);
    }
    if (threadIdx.x == 0 && blockIdx.x % 256 == 0)
        good[blockIdx.x / 256] = 1;
}
