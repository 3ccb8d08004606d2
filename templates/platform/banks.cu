/* What the 32 lanes of a warp do to the banks of shared memory.
 *
 *     banks(good, rounds, zeros)
 *     grid  1      block  256
 *
 * Each lane moves a word of WIDTH bytes, STRIDE words from its neighbour's; 0: all the same.  KIND is
 * 0 load, 1 store, 2 atomic addition to words STRIDE apart (0: all lanes to one). */

#ifndef KIND
#define KIND 0
#endif
#ifndef WIDTH
#define WIDTH 4
#endif
#ifndef STRIDE
#define STRIDE 1
#endif

constexpr int BLOCK = 256;
constexpr unsigned BYTES = 32768;
constexpr int UNROLL = 32;


__device__ __forceinline__ unsigned load(unsigned at)
{
    unsigned a, b = 0, c = 0, d = 0;
    if (WIDTH == 4)
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
    else if (WIDTH == 8)
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
    else
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(at));
    return a | b | c | d;
}

__device__ __forceinline__ void store(unsigned at, unsigned zero)
{
    if (WIDTH == 4)
        asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(zero));
    else if (WIDTH == 8)
        asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" ::"r"(at), "r"(zero));
    else
        asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(zero));
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    banks(unsigned *good, int rounds, const unsigned *zeros)
{
    __shared__ __align__(16) unsigned shared[BYTES / 4];
    constexpr int unroll = UNROLL;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < BYTES / 4; i += BLOCK)
        shared[i] = 0;
    __syncthreads();
    const unsigned zero = zeros[threadIdx.x];
    const unsigned at = (unsigned)__cvta_generic_to_shared(shared) +
                        (threadIdx.x % 32 * STRIDE * WIDTH + zero) % BYTES;
    unsigned any = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        unsigned got[UNROLL];
#pragma unroll unroll
        for (int k = 0; k < unroll; k++) {
            if (KIND == 0)
                got[k] = load(at);
            else if (KIND == 1)
                store(at, zero);
            else
                asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(zero));
        }
        if (KIND == 0) {
#pragma unroll unroll
            for (int k = 0; k < unroll; k++)
                any |= got[k];
        }
    }
    __syncthreads();
    good[threadIdx.x] = any == 0 && shared[threadIdx.x] == 0;
}
